//! Commands in a pod's containers: what `kubectl exec` does, a line at a time.
//! See <https://kubernetes.io/docs/tasks/debug/debug-application/get-shell-running-container/>.

use std::sync::Arc;

use apimachinery::target;
use futures::StreamExt;
use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::logs::containers;
use crate::cluster::{Body, Request, Which};
use crate::state::Page;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, act, flag, live};

/// The id of the field for a line.
const FIELD: &str = "exec-line";

/// The id of the list of lines.
const SCREEN: &str = "exec-screen";

/// The most characters that are kept of what was written.
const KEPT: usize = 200_000;

/// The channels of the subprotocol.
const STDERR: u8 = 2;
const ERROR: u8 = 3;

/// The kind of a piece of what is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A line that somebody sent.
    Sent,
    Stdout,
    Stderr,
    /// The end of a command that has failed.
    End,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Self::Sent => "exec-sent",
            Self::Stdout => "exec-stdout",
            Self::Stderr => "exec-stderr",
            Self::End => "exec-end",
        }
    }
}

/// A piece of what is on the screen.
type Piece = (Kind, String);

/// Returns the request that runs a line in a shell. A WebSocket is asked for, as kubectl does; nothing is sent over it.
fn request(path: &str, container: &str, line: &str) -> Request {
    let parameters = [
        ("container", container),
        ("command", "sh"),
        ("command", "-c"),
        ("command", line),
        ("stdout", "true"),
        ("stderr", "true"),
    ];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut request = Request::get(&target::join(&[path, "/exec"].concat(), &parameters));
    let headers = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Protocol", "v5.channel.k8s.io"),
    ];
    request.headers.extend(headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    request
}

/// Reads a message: the number of a channel, and data.
fn read(message: &[u8]) -> Option<Piece> {
    let (channel, data) = message.split_first().filter(|(_, data)| !data.is_empty())?;
    let text = String::from_utf8_lossy(data).into_owned();
    match *channel {
        STDERR => Some((Kind::Stderr, text)),
        ERROR => end(data).map(|text| (Kind::End, text)),
        _ => Some((Kind::Stdout, text)),
    }
}

/// Returns what is to be said of the end of a command, unless it has succeeded.
fn end(status: &[u8]) -> Option<String> {
    let status: Value = serde_json::from_slice(status).unwrap_or_default();
    if status["status"] == "Success" {
        return None;
    }
    let code = status.pointer("/details/causes/0/message").and_then(Value::as_str);
    let message = status["message"].as_str().unwrap_or_default().to_owned();
    Some(match code.filter(|_| status["reason"] == "NonZeroExitCode") {
        Some(code) => words::exit_code(code),
        None => message,
    })
}

/// Adds a piece, to the last one if that is of its kind, and forgets the oldest.
fn add(screen: &mut Vec<Piece>, (kind, text): Piece) {
    match screen.last_mut() {
        Some((last, before)) if *last == kind && kind != Kind::Sent => before.push_str(&text),
        _ => screen.push((kind, text)),
    }
    while screen.len() > 1 && screen.iter().map(|(_, text)| text.len()).sum::<usize>() > KEPT {
        screen.remove(0);
    }
}

/// Runs a line, and shows what comes of it.
async fn run(page: Page, request: Request, screen: RwSignal<Vec<Piece>>) {
    let show = |piece: Piece| screen.update(|screen| add(screen, piece));
    match page.pass(request).await {
        Err(why) => show((Kind::End, why)),
        Ok(answer) => match answer.body {
            Body::Stream(mut stream) => {
                while let Some(Ok(message)) = stream.next().await {
                    read(&message).into_iter().for_each(show);
                }
            }
            Body::Bytes(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                show((Kind::End, end(&bytes).filter(|text| !text.is_empty()).unwrap_or(text)));
            }
        },
    }
}

/// The commands of the pod at a path.
pub(super) fn show(page: Page, object: Memo<Option<Arc<Value>>>, path: &str) -> Part {
    if page.cluster.get() != Which::ThisTab {
        return view! { <p class="quiet browse-note">{words::EXEC_REMOTE}</p> }.part();
    }
    let screen = RwSignal::new(Vec::<Piece>::new());
    Effect::new(move || {
        screen.track();
        // Once it is drawn, the newest is in sight.
        request_animation_frame(|| {
            if let Some(screen) = dom::by_id(SCREEN) {
                screen.set_scroll_top(screen.scroll_height());
            }
        });
    });
    let (line, is_running) = (RwSignal::new(String::new()), RwSignal::new(false));
    let chosen = RwSignal::new(String::new());
    let names = Memo::new(move |_| object.with(|pod| pod.as_deref().map(containers).unwrap_or_default()));
    let path = path.to_owned();
    let send = move || {
        let text = line.get_untracked();
        if text.trim().is_empty() || is_running.get_untracked() {
            return;
        }
        let container = chosen.get_untracked();
        let container =
            names.with_untracked(
                |names| if container.is_empty() { names.first().cloned() } else { Some(container) },
            );
        let request = request(&path, &container.unwrap_or_default(), &text);
        screen.update(|screen| add(screen, (Kind::Sent, text)));
        line.set(String::new());
        is_running.set(true);
        spawn_local(async move {
            run(page, request, screen).await;
            // Whoever has gone elsewhere is not waited for.
            is_running.try_set(false);
        });
    };
    let options = move || {
        let option = |name: String| view! { <option value=name.clone()>{name.clone()}</option> }.part();
        names.get().into_iter().map(option).collect::<Vec<_>>()
    };
    let shown = move || {
        let piece = |(kind, text): Piece| view! { <span class=kind.class()>{text}</span> }.part();
        screen.get().into_iter().map(piece).collect::<Vec<_>>()
    };
    view! {
        <div class="browse-tools">
            <label class="check" hidden=flag(move || names.with(Vec::len) < 2)>
                {words::CONTAINER}
                <select on:change=act(move |event| chosen.set(event_target_value(&event)))>{live(options)}</select>
            </label>
            <span class="quiet">{words::EXEC_ABOUT}</span>
        </div>
        <pre id=SCREEN class="exec-screen mono" role="log" tabindex="0" aria-label=words::EXEC_OUTPUT>{live(shown)}</pre>
        <form
            class="exec-form mono"
            on:submit=act(move |event: web_sys::SubmitEvent| {
                event.prevent_default();
                send();
            })
        >
            <label for=FIELD>"$"</label>
            <input
                id=FIELD
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-label=words::EXEC_LINE
                placeholder=words::EXEC_EXAMPLE
                prop:value=move || line.get()
                on:input=act(move |event| line.set(event_target_value(&event)))
            />
            <button type="submit" class="small" disabled=flag(move || is_running.get())>{words::EXEC_RUN}</button>
        </form>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests() {
        let request = request("/api/v1/namespaces/a/pods/b", "c", "ls /etc && env");
        assert_eq!(
            request.target,
            "/api/v1/namespaces/a/pods/b/exec?container=c&command=sh&command=-c&command=ls%20/etc%20%26%26%20env&stdout=true\
             &stderr=true"
        );
        assert_eq!(request.header("upgrade"), Some("websocket"));
    }

    #[test]
    fn messages() {
        for (message, expected) in [
            (&b"\x01out\n"[..], Some((Kind::Stdout, "out\n"))),
            (b"\x02err", Some((Kind::Stderr, "err"))),
            (b"\x01", None),
            (b"", None),
            (b"\x03{\"status\":\"Success\"}", None),
            (b"\x03{\"status\":\"Failure\",\"message\":\"no\"}", Some((Kind::End, "no"))),
            (
                b"\x03{\"status\":\"Failure\",\"message\":\"no\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"message\":\"3\"}]}}",
                Some((Kind::End, "exit code 3")),
            ),
            (b"\x03garbage", Some((Kind::End, ""))),
        ] {
            assert_eq!(read(message), expected.map(|(kind, text)| (kind, text.to_owned())));
        }
    }

    #[test]
    fn the_screen_forgets() {
        let mut screen = vec![];
        for text in ["a", "b"] {
            add(&mut screen, (Kind::Stdout, text.to_owned()));
            add(&mut screen, (Kind::Stdout, text.to_owned()));
            add(&mut screen, (Kind::Sent, text.to_owned()));
        }
        assert_eq!(screen.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["aa", "a", "bb", "b"]);
        add(&mut screen, (Kind::Stderr, "x".repeat(KEPT)));
        assert_eq!(screen.len(), 1);
    }
}
