//! A trace as text. Tests have lines of a small language for events, and the lines that are expected of them.

use std::time::Duration;

use protocol::trace::{
    AccessDecision, Attributes, Batch, Change, Delivery, Event, EventType, Lost, ObjectKey, RequestRecord,
    ServerInfo, State, Time, WatchEnd, WatchInfo, WatchScope, Write,
};
use recording::Text;

fn text(text: &str) -> String {
    text.to_owned()
}

fn key(resource: &str, name: &str) -> ObjectKey {
    ObjectKey { resource: text(resource), namespace: text("n"), name: text(name), ..ObjectKey::default() }
}

/// Makes an event of one of
/// `write REVISION CHANGE NAME`, `request USER MANAGER VERB NAME CODE [REVISION]`, `watch USER ID`, `opened ID`, `sent ID`,
/// `end ID HOW`, `lag MILLISECONDS`, `stop`, `rate RATE`, `compact REVISION`, `fault METHOD URI CODE`. A dash is nothing.
fn event(line: &str) -> Event {
    let words: Vec<&str> = line.split(' ').map(|word| if word == "-" { "" } else { word }).collect();
    let number = |word: &str| word.parse::<u64>().unwrap();
    let server = |lag, stopped| {
        Event::Servers(vec![ServerInfo { lag: Duration::from_millis(lag), stopped, ..ServerInfo::default() }])
    };
    let request = |user: &str, manager: &str, verb: &str, name: &str, code: &str| {
        let attributes = Attributes {
            verb: text(verb),
            is_resource: true,
            resource: text("pods"),
            namespace: text("n"),
            name: text(name),
            ..Attributes::default()
        };
        let access = Some(AccessDecision { user: text(user), attributes, ..AccessDecision::default() });
        RequestRecord {
            manager: text(manager),
            code: code.parse().unwrap(),
            access,
            ..RequestRecord::default()
        }
    };
    match words.as_slice() {
        ["write", revision, change, name] => {
            let change = match *change {
                "created" => Change::Created,
                "updated" => Change::Updated,
                _ => Change::Deleted,
            };
            Event::Write(Write { revision: number(revision), change, key: key("pods", name), object: None })
        }
        ["request", user, manager, verb, name, code, wrote @ ..] => {
            let wrote = wrote.iter().map(|revision| number(revision)).collect();
            Event::Request(Box::new(RequestRecord { wrote, ..request(user, manager, verb, name, code) }))
        }
        ["watch", user, id] => {
            let watch = Some(number(id));
            Event::Request(Box::new(RequestRecord { watch, ..request(user, "", "watch", "", "200") }))
        }
        ["opened", id] => {
            let scope = WatchScope { resource: text("pods"), namespace: text("n"), ..WatchScope::default() };
            Event::WatchOpened(WatchInfo { id: number(id), scope, ..WatchInfo::default() })
        }
        ["sent", id] => {
            let deliveries = vec![Delivery { revision: 9, sent: Some(EventType::Added) }];
            Event::Delivered { watch: number(id), revision: 9, deliveries }
        }
        ["end", id, how] => {
            let end = match *how {
                "client" => WatchEnd::Client,
                "timeout" => WatchEnd::Timeout,
                "error" => WatchEnd::Error,
                _ => WatchEnd::Server,
            };
            Event::WatchEnded { watch: number(id), end }
        }
        ["lag", lag] => server(number(lag), false),
        ["stop"] => server(0, true),
        ["rate", rate] => {
            Event::Time(Time { now: Duration::from_millis(1_767_225_600_250), rate: rate.parse().unwrap() })
        }
        ["compact", revision] => Event::Compacted(number(revision)),
        ["fault", method, uri, code] => Event::Request(Box::new(RequestRecord {
            method: text(method),
            uri: text(uri),
            code: code.parse().unwrap(),
            ..RequestRecord::default()
        })),
        _ => panic!("{line}"),
    }
}

fn batch(events: &[&str]) -> Batch {
    Batch { events: events.iter().map(|line| event(line)).collect(), ..Batch::default() }
}

/// Checks lines with single spaces, without heading, time and summary.
#[track_caller]
fn check(events: &[&str], expected: &[&str]) {
    let mut printed = Text::new(&[]);
    let mut lines = printed.take(&batch(events));
    let rest = printed.finish();
    lines.push_str(
        rest.split("\n\n")
            .next()
            .and_then(|rest| rest.split('\n').next())
            .filter(|line| line.contains('T'))
            .unwrap_or_default(),
    );
    let found: Vec<String> = lines
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn writes_have_who_made_them() {
    check(
        &["write 5 created a", "request admin kubectl create a 201 5"],
        &["5 kubectl (admin) create n/pods/a 201 created"],
    );
    check(
        &["write 5 deleted a", "write 6 deleted b", "request - gc deletecollection - 200 5 6"],
        &["5 gc deletecollection n/pods/a 200 deleted", "6 gc deletecollection n/pods/b 200 deleted"],
    );
    check(&["request jane - get a 404"], &["jane get n/pods/a 404"]);
    check(&["request jane - get a 403"], &["jane get n/pods/a 403 forbidden"]);
}

#[test]
fn conflicts_have_who_wrote_last() {
    check(
        &[
            "write 5 created a",
            "request admin kubectl create a 201 5",
            "request op operator update a 409",
            "request op operator create a 409",
            "request op operator update b 409",
        ],
        &[
            "5 kubectl (admin) create n/pods/a 201 created",
            "operator (op) update n/pods/a 409 conflict; kubectl wrote it last, at 5",
            "operator (op) create n/pods/a 409 there is such an object, or it is ending",
            "operator (op) update n/pods/b 409 conflict",
        ],
    );
}

#[test]
fn lists_after_a_watch_are_relists() {
    check(
        &[
            "request op - list - 200",
            "watch op 4",
            "opened 4",
            "sent 4",
            "sent 4",
            "end 4 error",
            "request op - list - 200",
            "request op - list - 200",
        ],
        &[
            "op list n/pods 200",
            "op watch n/pods 200 watch 4 opened",
            "op end n/pods watch 4: it was told an ERROR, after 2 events",
            "op list n/pods 200 relist: watch 4 ended, it was told an ERROR",
            "op list n/pods 200",
        ],
    );
    check(
        &["watch op 4", "opened 4", "end 4 timeout", "watch op 5", "opened 5", "request op - list - 200"],
        &[
            "op watch n/pods 200 watch 4 opened",
            "op end n/pods watch 4: its time had passed, after 0 events",
            "op watch n/pods 200 watch 5 opened",
            "op list n/pods 200",
        ],
    );
    check(
        &["request op - watch - 410", "request jane - list - 200", "request op - list - 200"],
        &[
            "op watch n/pods 410 gone: the revision is compacted",
            "jane list n/pods 200",
            "op list n/pods 200 relist: 410 Gone for its watch",
        ],
    );
}

#[test]
fn faults_lag_and_the_clock_are_told() {
    check(
        &["fault PUT /api/v1/namespaces/n/pods/a 409", "fault GET /api/v1/pods 0", "fault GET /version 429"],
        &[
            "update n/pods/a 409 conflict made by a fault",
            "list pods 0 connection broken (a fault)",
            "get /version 429 too many requests (a fault)",
        ],
    );
    check(
        &["lag 0", "lag 250", "stop", "compact 9", "rate 0", "opened 4", "end 4 server"],
        &[
            "server server 0 is there",
            "lag server 0 hears of writes after 250ms",
            "lag server 0 hears of no writes",
            "lag server 0 hears of writes at once",
            "9 compact older versions are 410 Gone",
            "clock stands",
            "watch n/pods watch 4 opened",
            "end n/pods watch 4: ended by the server, after 0 events",
        ],
    );
}

#[test]
fn the_columns_are_stable() {
    let mut printed = Text::new(&[]);
    let time = Time { now: Duration::from_millis(1_767_225_600_123), rate: 1.0 };
    let state = Some(State { revision: 4, time, ..State::default() });
    let lost = Lost { writes: true, requests: 2, deliveries: 0 };
    let mut lines = printed.take(&Batch { state, lost, ..Batch::default() });
    lines += &printed.take(&batch(&[
        "write 5 created a",
        "request admin kubectl create a 201 5",
        "write 6 updated a",
        "request - \u{1b}[31m update a 409",
        "watch op 4",
        "end 4 client",
        "request op - list - 200",
        "fault GET /version 503",
    ]));
    lines += &printed.finish();
    assert_eq!(lines, EXPECTED);
}

const EXPECTED: &str = "\
TIME                     REVISION  WHO                              VERB     OBJECT                                   CODE  NOTE
2026-01-01T00:00:00.123Z                                            lost                                                    writes, 2 requests and 0 deliveries are missing here
2026-01-01T00:00:00.123Z        4                                   state                                                   0 objects, 0 open watches
2026-01-01T00:00:00.123Z        5  kubectl (admin)                  create   n/pods/a                                  201  created
2026-01-01T00:00:00.123Z           \u{fffd}[31m                            update   n/pods/a                                  409  conflict; kubectl wrote it last, at 5
2026-01-01T00:00:00.123Z           op                               watch    n/pods                                    200  watch 4 opened
2026-01-01T00:00:00.123Z           op                               end      n/pods                                         watch 4: closed by its client, after 0 events
2026-01-01T00:00:00.123Z           op                               list     n/pods                                    200  relist: watch 4 ended, closed by its client
2026-01-01T00:00:00.123Z                                            get      /version                                  503  unavailable (a fault)
2026-01-01T00:00:00.123Z        6                                            n/pods/a                                       updated

WRITES BY MANAGER AND RESOURCE (2)
       1  -                                pods
       1  kubectl                          pods

CONFLICTS BY MANAGER AND OBJECT (1)
       1  \u{fffd}[31m                            n/pods/a

RELISTS BY USER AND COLLECTION (1)
       1  op                               n/pods

WATCHES BY END (1)
       1  closed by its client

FAULTS BY ANSWER (1)
       1  unavailable

Something is missing in this trace, and in these numbers.
";

#[test]
fn lines_are_chosen_by_words() {
    let words = ["PODS/B".to_owned(), "create".to_owned()];
    let mut printed = Text::new(&words);
    let events = ["request jane - create b 201", "request jane - create a 201", "request jane - get b 200"];
    let lines = printed.take(&batch(&events));
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(lines.contains("n/pods/b"), "{lines}");
}
