//! `log`: the log of a container, as the kubelet of its node has it.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/logging/#basic-logging-in-kubernetes>

use std::sync::Arc;
use std::time::Duration;

use apimachinery::query::Query;
use bytes::Bytes;
use field::Path;
use futures::future::select;
use futures::stream::unfold;
use golang::time::{Layout, Time, parse};
use json_tree::Value;

use super::connect::{container, find, kubelet_address, node_name, query, refused};
use crate::Body;
use crate::answer::{Answer, Outcome};
use crate::context::{RequestContext, Shared};
use crate::handlers::wait::Waiter;
use crate::kubelet::{Chunks, Log, LogLine};
use crate::negotiate::{self, View};
use apimachinery::status::Status;
use apimachinery::time::rfc3339;

/// Handles a GET of the log of a container; without content as long as the pod has no node.
pub(super) fn log(context: &RequestContext<'_>) -> Outcome {
    negotiate::untabled(context.formats(), context.output)?;
    let (options, errors) = Options::read(context.query)?;
    let name = context.target.name.as_str();
    if !errors.is_empty() {
        return Err(Status::invalid("", "PodLogOptions", name, &errors));
    }
    let stored = context.read_parent()?;
    let pod = stored.tree();
    let container = container(&pod, name, context.query.text("container"))?;
    // A log has no metadata to be shown alone.
    if context.output.view != View::Whole {
        return Err(Status::unclassified("object does not implement the Object interfaces"));
    }
    let node = node_name(&pod).to_owned();
    if node.is_empty() {
        return Ok(Answer::no_content());
    }
    let address = kubelet_address(context, &node)?;
    let Some(kubelet) = context.shared.kubelets.at(&node) else {
        let path =
            format!("containerLogs/{}/{name}/{container}{}", context.target.namespace, options.query());
        return Err(refused(&address, &path));
    };
    let pod = Value::Object(pod);
    let id = kubelet.container(&pod, &container, options.previous).map_err(Status::bad_request)?;
    let now = context.shared.config.clock.now();
    let (shared, namespace) = (Arc::clone(context.shared), context.target.namespace.clone());
    let find = |resource: &str, name: &str| find(&shared, &namespace, resource, name);
    let log = kubelet.log(&pod, &id, None, now, &find).unwrap_or_default();
    let mut writer = Writer::new(&options, now);
    let first = writer.write(options.tail(&log.lines), &options);
    if !options.follow {
        return Ok(Answer::plain(Body::Bytes(first)));
    }
    let Log { next, is_whole, .. } = log;
    let key = context.key();
    let follower = Follower { shared, namespace, key, node, id, options, writer, read: now, next, is_whole };
    let rest = follower.into_stream();
    let first = futures::stream::iter((!first.is_empty()).then_some(first));
    Ok(Answer::plain(Body::Stream(Box::pin(futures::StreamExt::chain(first, rest)))))
}

/// Returns what the container with an id writes from now on.
pub(super) fn output(context: &RequestContext<'_>, pod: &Value, id: String) -> Chunks {
    let (shared, key) = (Arc::clone(context.shared), context.key());
    let namespace = context.target.namespace.clone();
    let node = pod.as_object().map(node_name).unwrap_or_default().to_owned();
    let (options, read) = (Options::default(), shared.config.clock.now());
    let writer = Writer::new(&options, read);
    Follower { shared, namespace, key, node, id, options, writer, read, next: None, is_whole: false }
        .into_stream()
}

/// The options of a request that a kubelet obeys: `PodLogOptions`.
#[derive(Debug, Default, PartialEq)]
struct Options {
    follow: bool,
    previous: bool,
    timestamps: bool,
    since_seconds: Option<i64>,
    since_time: Option<Time>,
    tail_lines: Option<i64>,
    limit_bytes: Option<i64>,
}

impl Options {
    /// Reads and validates the options.
    fn read(query: &Query) -> Result<(Self, Vec<field::Error>), Box<Status>> {
        let number = |key| query.integer(key).map_err(Status::bad_request);
        let set = |key| query.boolean(key).unwrap_or_default();
        let time = query.get("sinceTime");
        let given = time.filter(|text| !text.is_empty() && *text != "null");
        let mut options = Self {
            follow: set("follow"),
            previous: set("previous"),
            timestamps: set("timestamps"),
            since_seconds: number("sinceSeconds")?,
            ..Self::default()
        };
        let parsed = given.map(|text| parse(Layout::Rfc3339, text).map_err(Status::bad_request));
        options.since_time = parsed.transpose()?;
        (options.tail_lines, options.limit_bytes) = (number("tailLines")?, number("limitBytes")?);
        let mut errors = Vec::new();
        if let Some(lines) = options.tail_lines.filter(|lines| *lines < 0) {
            let why = "must be greater than or equal to 0";
            errors.push(field::Error::invalid(Path::new("tailLines"), lines, why));
        }
        if let Some(bytes) = options.limit_bytes.filter(|bytes| *bytes < 1) {
            errors.push(field::Error::invalid(Path::new("limitBytes"), bytes, "must be greater than 0"));
        }
        if options.since_seconds.is_some() && time.is_some() {
            let why = "at most one of `sinceTime` or `sinceSeconds` may be specified";
            let error = field::Error::forbidden(Path::default(), why);
            // Go prints a path to a field without a name like this.
            errors.push(field::Error { field: "[]".to_owned(), ..error });
        } else if let Some(seconds) = options.since_seconds.filter(|seconds| *seconds < 1) {
            errors.push(field::Error::invalid(Path::new("sinceSeconds"), seconds, "must be greater than 0"));
        }
        if query.get("stream").is_some() {
            errors.push(field::Error::forbidden(Path::new("stream"), "may not be specified"));
        }
        Ok((options, errors))
    }

    /// Returns the query of the request to the kubelet, with its question mark.
    fn query(&self) -> String {
        let flag = |set: bool| set.then(|| "true".to_owned());
        let number = |number: Option<i64>| number.map(|number| number.to_string());
        let parameters = [
            ("follow", flag(self.follow)),
            ("limitBytes", number(self.limit_bytes)),
            ("previous", flag(self.previous)),
            ("sinceSeconds", number(self.since_seconds)),
            ("sinceTime", self.since_time.map(|time| time.rfc3339())),
            ("tailLines", number(self.tail_lines)),
            ("timestamps", flag(self.timestamps)),
        ];
        query(parameters.into_iter().filter_map(|(key, value)| Some((key, value?))))
    }

    /// Returns the last lines, as many as are asked for.
    fn tail<'a>(&self, lines: &'a [LogLine]) -> &'a [LogLine] {
        let count = self.tail_lines.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or_default());
        &lines[lines.len().saturating_sub(count)..]
    }
}

/// The part of a log that is written: lines from a time on, up to a number of bytes.
struct Writer {
    since: Duration,
    remaining: usize,
}

impl Writer {
    fn new(options: &Options, now: Duration) -> Self {
        let seconds = options.since_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let since = match (seconds, options.since_time) {
            (Some(seconds), _) => now.saturating_sub(Duration::from_secs(seconds)),
            (None, Some(time)) => time.since_epoch().unwrap_or_default(),
            (None, None) => Duration::ZERO,
        };
        let limit = options.limit_bytes.and_then(|bytes| usize::try_from(bytes).ok());
        Self { since, remaining: limit.unwrap_or(usize::MAX) }
    }

    /// Writes lines, as long as bytes remain.
    fn write(&mut self, lines: &[LogLine], options: &Options) -> Bytes {
        let mut text = Vec::new();
        for line in lines.iter().filter(|line| line.at >= self.since) {
            if options.timestamps {
                text.extend_from_slice(timestamp(line.at).as_bytes());
                text.push(b' ');
            }
            text.extend_from_slice(line.text.as_bytes());
            text.push(b'\n');
            if text.len() >= self.remaining {
                text.truncate(self.remaining);
                break;
            }
        }
        self.remaining = self.remaining.saturating_sub(text.len());
        Bytes::from(text)
    }
}

/// Returns a time with nine digits of a second: `2026-11-20T13:22:00.000000000Z`.
fn timestamp(at: Duration) -> String {
    format!("{}.{:09}Z", rfc3339(at).trim_end_matches('Z'), at.subsec_nanos())
}

/// Somebody who reads a log as it is written.
struct Follower {
    shared: Arc<Shared>,
    namespace: String,
    /// The key of the pod.
    key: String,
    node: String,
    /// The id of the container.
    id: String,
    options: Options,
    writer: Writer,
    /// The time up to which the log has been read, when there is more, and whether that was all.
    read: Duration,
    next: Option<Duration>,
    is_whole: bool,
}

impl Follower {
    fn into_stream(self) -> Chunks {
        Box::pin(unfold(self, |mut follower| async { Some((follower.next().await?, follower)) }))
    }

    /// Waits for the next lines, and returns them; `None` at the end of the log: the container has ended, is not there any more, or its
    /// kubelet is not reached any more.
    async fn next(&mut self) -> Option<Bytes> {
        let waiter = Waiter::new(&self.shared);
        let clock = Arc::clone(&self.shared.config.clock);
        while !self.is_whole && self.writer.remaining > 0 {
            let turn = self.shared.storage().turn();
            let text = self.read()?;
            if !text.is_empty() {
                return Some(text);
            }
            // Whatever is written may end the container, or change what it writes.
            let changed = Box::pin(waiter.until(|storage| storage.turn() != turn));
            match self.next {
                _ if self.is_whole => {}
                None => changed.await,
                Some(at) => {
                    select(changed, clock.sleep(at.saturating_sub(clock.now()))).await;
                }
            }
        }
        None
    }

    /// Reads what has been written since it was last read; `None` if nobody knows.
    fn read(&mut self) -> Option<Bytes> {
        let kubelet = self.shared.kubelets.at(&self.node)?;
        let pod = Value::Object(self.shared.find(&self.key)?.tree());
        let now = self.shared.config.clock.now();
        let find = |resource: &str, name: &str| find(&self.shared, &self.namespace, resource, name);
        let log = kubelet.log(&pod, &self.id, Some(self.read), now, &find)?;
        (self.read, self.next, self.is_whole) = (now, log.next, log.is_whole);
        Some(self.writer.write(&log.lines, &self.options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_options(query: &str, expected: &str) {
        let text = match Options::read(&Query::parse(query)) {
            Ok((options, errors)) if errors.is_empty() => options.query(),
            Ok((_, errors)) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            Err(status) => status.message,
        };
        assert_eq!(text, expected);
    }

    #[test]
    fn options() {
        check_options("", "");
        check_options(
            "timestamps=1&tailLines=3&previous=true&sinceSeconds=1&limitBytes=2&follow=true&container=c",
            "?follow=true&limitBytes=2&previous=true&sinceSeconds=1&tailLines=3&timestamps=true",
        );
        check_options("sinceTime=2026-01-02T03:04:05%2B01:00", "?sinceTime=2026-01-02T02%3A04%3A05Z");
        check_options("tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0");
        check_options("tailLines=x", "strconv.ParseInt: parsing \"x\": invalid syntax");
        check_options("sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0");
    }

    #[track_caller]
    fn check(query: &str, expected: &str) {
        let lines: Vec<_> = (1..4)
            .map(|number| LogLine {
                at: Duration::from_millis(1500 * number),
                text: format!("line {number}"),
            })
            .collect();
        let (options, _) = Options::read(&Query::parse(query)).expect("options");
        let mut writer = Writer::new(&options, Duration::from_secs(6));
        let text = writer.write(options.tail(&lines), &options);
        assert_eq!(std::str::from_utf8(&text), Ok(expected), "{query}");
    }

    #[test]
    fn what_is_asked_for_is_written() {
        check("", "line 1\nline 2\nline 3\n");
        check("tailLines=1", "line 3\n");
        check("tailLines=0", "");
        check("tailLines=9&limitBytes=10", "line 1\nlin");
        check("sinceSeconds=3", "line 2\nline 3\n");
        check("sinceTime=1970-01-01T00:00:04Z", "line 3\n");
        // Lines are counted before it is looked at how old they are.
        check("tailLines=2&sinceTime=1970-01-01T00:00:04Z", "line 3\n");
        check(
            "timestamps=true&tailLines=2&limitBytes=52",
            "1970-01-01T00:00:03.000000000Z line 2\n1970-01-01T00:",
        );
    }
}
