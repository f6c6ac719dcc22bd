//! Doing what a reflector says.

use std::cell::RefCell;

use clock::Clock;
use futures::StreamExt;

use super::{Action, Reflector};
use crate::cluster::{Answer, Body, Transport};

/// Keeps `reflector` going over `transport`, by the time of `clock`, until the future is dropped. `changed` is called
/// whenever something has come of it.
pub(crate) async fn run(
    reflector: &RefCell<Reflector>,
    transport: &dyn Transport,
    clock: &dyn Clock,
    changed: &dyn Fn(),
) {
    let mut stream = None;
    loop {
        let now = clock.now();
        let action = reflector.borrow_mut().poll(now);
        match action {
            Action::Send(request) => {
                let answer = transport.send(request).await;
                let (mut reflector, now) = (reflector.borrow_mut(), clock.now());
                match answer {
                    Ok(Answer { status, headers, body: Body::Bytes(body), .. }) => {
                        reflector.answered(now, status, &headers, &body);
                    }
                    Ok(Answer { body: Body::Stream(body), .. }) => {
                        stream = Some(body);
                        reflector.opened(now);
                    }
                    Err(why) => reflector.failed(now, why),
                }
            }
            Action::Wait(until) => clock.sleep(until.saturating_sub(now)).await,
            Action::Read => {
                let chunk = match &mut stream {
                    Some(open) => open.next().await,
                    None => None,
                };
                let (mut reflector, now) = (reflector.borrow_mut(), clock.now());
                if let Some(Ok(chunk)) = chunk {
                    reflector.chunk(now, &chunk);
                } else {
                    stream = None;
                    reflector.ended(now, chunk.and_then(Result::err));
                }
            }
            Action::Close => stream = None,
        }
        changed();
    }
}
