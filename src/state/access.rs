//! Acting as somebody else, and giving them roles.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::decided::{Decided, GROUP, USER};
use crate::cluster::trace::Origin;
use crate::cluster::{Request, status};
use crate::model::panes::Pane;
use crate::state::{Page, Shown};
use crate::ui::dom;
use crate::ui::messages::access as words;

/// The resources that bindings are stored in.
const BINDINGS: [&str; 2] =
    ["rolebindings.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io"];

impl Page {
    /// Returns the authorization decision of another cluster, as far as its response tells it.
    pub(super) fn told(self, request: &Request, code: u16, body: &[u8]) -> Option<Arc<Decided>> {
        let status = status::failure(body).filter(|_| code == 403)?;
        Decided::told(request, code, &status.message).map(Arc::new)
    }

    /// A request in the name of whom the page acts as, unless it says itself in whose.
    pub(crate) fn signed(self, mut request: Request) -> Request {
        if request.header(USER).is_none() {
            request.headers.extend(self.form.identity());
        }
        request
    }

    /// Acts as whom a request was sent as.
    pub(crate) fn act_as(self, request: &Request) {
        let groups = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(GROUP));
        let groups: Vec<&str> = groups.map(|(_, value)| value.as_str()).collect();
        self.form.user.set(request.header(USER).unwrap_or_default().to_owned());
        self.form.groups.set(groups.join(", "));
    }

    /// Puts a request into the form, to be sent in one's own name.
    pub(crate) fn fill_as_admin(self, request: &Request) {
        self.act_as(request);
        self.open_request(request);
    }

    /// Sends a request in one's own name.
    pub(crate) fn open_as_admin(self, request: &Request) {
        self.act_as(request);
        self.fill_and_send(request);
    }

    /// Sends requests one after the other, as they are; what is there already is no obstacle. The answer of the last one is
    /// shown.
    pub(crate) fn allow(self, steps: Vec<Request>) {
        spawn_local(async move {
            let count = steps.len();
            for (number, request) in steps.into_iter().enumerate() {
                let last = number + 1 == count;
                let Some(id) = self.exchange(request, Origin::User, last).await else { return };
                let Some((code, _)) = self.settled(id) else { return };
                if !last && code >= 300 && code != 409 {
                    self.show(Shown::Exchange(id, false));
                    return;
                }
            }
            // The button that was pressed is gone.
            dom::focus_soon("answer");
        });
    }

    /// Creates a role and its binding, as oneself. What is there already is no obstacle; a failure is shown.
    pub(crate) fn grant(self, steps: Vec<Request>) {
        spawn_local(async move {
            for request in steps {
                let Some(id) = self.exchange(request, Origin::User, false).await else { return };
                let Some((code, _)) = self.settled(id) else { return };
                if code >= 300 && code != 409 {
                    self.show(Shown::Exchange(id, false));
                    self.pane.set(Pane::Answer);
                    return;
                }
            }
            self.say(words::GRANTED);
        });
    }

    /// Returns whether any binding of the cluster in this page names this user.
    pub(crate) fn is_bound(self, user: &str) -> bool {
        let name = ["\"name\":\"", user, "\"}"].concat();
        let names = |object: &[u8]| object.windows(name.len()).any(|part| part == name.as_bytes());
        self.model.with_value(|model| {
            let glass = &model.here;
            let bindings = |resource| glass.versions().state_at(resource, glass.revision());
            BINDINGS.into_iter().any(|resource| bindings(resource).any(|(_, object)| names(&object.json)))
        })
    }
}
