//! Containers of kubelets that are no more: another one goes on as the status of the pod says.

use std::time::Duration;

use golang::time::parse_duration;
use json_tree::Value;

use super::container::{
    BACK_OFF, Container, End, INVALID_NAME, NEVER_PULL, NOT_CONFIGURED, Role, SHOWN, State,
};
use super::image::Images;
use super::volumes::Volumes;
use crate::object::{self, list};

/// The words between an image whose pull is tried again later and the error of that pull.
pub(super) const PULL_ERROR: &str = ": ErrImagePull: ";

/// Has a container be as the status of its pod says.
pub(super) fn adopt(
    container: &mut Container,
    pod: &Value,
    now: Duration,
    (images, volumes): (&mut Images, &Volumes),
) {
    let field = if container.role == Role::Main {
        "/status/containerStatuses"
    } else {
        "/status/initContainerStatuses"
    };
    let Some(status) = list(pod, field).iter().find(|status| status.text("name") == container.name()) else {
        return;
    };
    container.restarts = object::int(status, "/restartCount");
    container.crashes = u32::try_from(container.restarts).unwrap_or(u32::MAX);
    container.ended = end(status, "/lastState/terminated");
    if let Some(end) = end(status, "/state/terminated") {
        container.before = container.ended.replace(end);
        container.state = State::Ended;
    } else if status.pointer("/state/running").is_some_and(|running| !running.is_null()) {
        let since = time(status, "/state/running/startedAt");
        container.begin(pod, since, volumes);
        let exit = container.behaviour.exit.map(|(code, after)| (since.saturating_add(after), code));
        container.state = State::Running { since, exit };
        // Those of now were told, too.
        let until = now.saturating_add(Duration::from_nanos(1));
        container.told = container.times().map_or(0, |times| times.failures.before(until));
    } else {
        wait(
            container,
            status.text_at("/state/waiting/reason"),
            status.text_at("/state/waiting/message"),
            now,
        );
    }
    if !status.text("imageID").is_empty()
        && let Some(image) = &container.image
    {
        images.add(image, Duration::ZERO);
    }
}

/// Has a container wait for a reason. It is not known since when an image could not be pulled.
fn wait(container: &mut Container, reason: &str, message: &str, now: Duration) {
    let mut fail = |shown, error: &str| {
        container.pull_error = Some(error.to_owned());
        container.failed_pulls = 1;
        container.state = State::PullFailed { shown, until: now.saturating_add(BACK_OFF.first) };
    };
    match reason {
        "CrashLoopBackOff" => {
            let finished = container.ended.as_ref().map_or(Duration::ZERO, |end| end.finished);
            let delay = told_delay(message).unwrap_or_default();
            container.crashes = container.crashes.saturating_add(1);
            container.state = State::BackOff { until: finished.saturating_add(delay), delay };
        }
        "ErrImagePull" => fail(Some(now.saturating_add(SHOWN)), message),
        "ImagePullBackOff" => fail(None, message.split_once(PULL_ERROR).map_or("", |(_, error)| error)),
        INVALID_NAME => container.state = State::Refused(INVALID_NAME, message.to_owned()),
        NOT_CONFIGURED => container.state = State::Unconfigured { message: message.to_owned(), until: now },
        NEVER_PULL => container.state = State::Refused(NEVER_PULL, message.to_owned()),
        _ => {}
    }
}

fn time(status: &Value, pointer: &str) -> Duration {
    status.pointer(pointer).and_then(object::time).unwrap_or_default()
}

/// Returns the end that a field of a status tells of.
fn end(status: &Value, field: &str) -> Option<End> {
    let end = status.pointer(field).filter(|end| !end.is_null())?;
    Some(End {
        code: object::int(end, "/exitCode"),
        started: time(end, "/startedAt"),
        finished: time(end, "/finishedAt"),
        id: end.text("containerID").to_owned(),
        message: end.text("message").to_owned(),
    })
}

/// Returns the delay that the message of a container tells that is started again later.
fn told_delay(message: &str) -> Option<Duration> {
    let text = message.strip_prefix("back-off ")?.split(' ').next()?;
    parse_duration(text).ok().and_then(|nanos| u64::try_from(nanos).ok()).map(Duration::from_nanos)
}
