//! A way to a cluster that can be cut.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::StreamExt;
use futures::future::{AbortHandle, Aborted, LocalBoxFuture, abortable, ready};
use futures::stream;

use crate::cluster::{Answer, Body, Request, Transport};

/// Why nothing comes through.
const CUT: &str = "cut";

/// A way to a cluster for somebody who sends one request at a time.
pub(crate) struct Line {
    to: Rc<dyn Transport>,
    cut: Cell<bool>,
    /// Breaks the connection that was opened last.
    open: Rc<RefCell<Option<AbortHandle>>>,
}

impl Line {
    /// One that is not cut.
    pub(crate) fn new(to: Rc<dyn Transport>) -> Self {
        Self { to, cut: Cell::new(false), open: Rc::default() }
    }

    /// Reports whether it is cut.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.get()
    }

    /// Cuts it, which breaks the open connection and lets none through, or mends it.
    pub(crate) fn set_cut(&self, cut: bool) {
        self.cut.set(cut);
        if cut && let Some(open) = self.open.take() {
            open.abort();
        }
    }
}

impl Transport for Line {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        if self.cut.get() {
            return Box::pin(ready(Err(CUT.to_owned())));
        }
        let (sent, handle) = abortable(self.to.send(request));
        *self.open.borrow_mut() = Some(handle);
        let open = Rc::clone(&self.open);
        Box::pin(async move {
            let mut answer = sent.await.unwrap_or_else(|Aborted| Err(CUT.to_owned()))?;
            if let Body::Stream(stream) = answer.body {
                let (stream, handle) = stream::abortable(stream);
                *open.borrow_mut() = Some(handle.clone());
                let broken = stream::poll_fn(move |_| {
                    let end = handle.is_aborted().then(|| Err(CUT.to_owned()));
                    std::task::Poll::Ready(end)
                });
                answer.body = Body::Stream(stream.chain(broken.take(1)).boxed_local());
            }
            Ok(answer)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;
    use crate::cluster::embedded::in_process::InProcess;

    const WATCH: &str = "/api/v1/namespaces?watch=true&resourceVersion=0";

    fn line() -> Line {
        Line::new(Rc::new(InProcess::new(Duration::from_secs(1_800_000_000), 1)))
    }

    #[test]
    fn a_cut_breaks_the_open_stream_once() {
        let line = line();
        let answer = line.send(Request::get(WATCH)).now_or_never().unwrap().unwrap();
        let Body::Stream(mut stream) = answer.body else { panic!("not a stream") };
        assert!(matches!(stream.next().now_or_never(), Some(Some(Ok(_)))));
        line.set_cut(true);
        assert_eq!(stream.next().now_or_never(), Some(Some(Err(CUT.to_owned()))));
        assert_eq!(stream.next().now_or_never(), Some(None));
    }

    #[test]
    fn nothing_comes_through_until_it_is_mended() {
        let line = line();
        let mut newer = line.send(Request::get("/api/v1/namespaces?resourceVersion=99999"));
        assert!((&mut newer).now_or_never().is_none());
        line.set_cut(true);
        assert_eq!(newer.now_or_never().unwrap().err().as_deref(), Some(CUT));
        let send = || line.send(Request::get("/api/v1/namespaces")).now_or_never().unwrap();
        assert_eq!(send().err().as_deref(), Some(CUT));
        line.set_cut(false);
        assert!(!line.is_cut());
        assert!(send().is_ok());
    }
}
