//! Why requests fail, and what to do about it.

/// The texts on a rule.
#[derive(Debug)]
pub(crate) struct Words {
    /// The rule, in one sentence.
    pub(crate) rule: &'static str,
    /// Why the API is made so, in another.
    pub(crate) because: &'static str,
    /// The next step of a client.
    pub(crate) next: &'static str,
}

pub(crate) const TITLE: &str = "Why?";
/// The button's name, for users who do not see what it stands beside.
pub(crate) const TITLE_LONG: &str = "Why did the watch end?";
pub(crate) const TITLE_KEPT: &str = "Why is it still there?";
pub(crate) const TITLE_SELECTOR: &str = "Why deleted?";
pub(crate) const AT_PLAY: &str = "Versions at play";
pub(crate) const DOCS: &str = "In the documentation";
pub(crate) const DOCS_TAB: &str = " of Kubernetes, opens in a new tab";
pub(crate) const CANCEL: &str = "Cancel";

pub(crate) const PLAY_ASKED: &str = "asked";
pub(crate) const PLAY_FLOOR: &str = "floor";
pub(crate) const PLAY_HEAD: &str = "newest";
pub(crate) const PLAY_OBJECT: &str = "object is at";
pub(crate) const PLAY_TOKEN: &str = "token reads at";
pub(crate) const PLAY_OLDEST: &str = "oldest to watch from";
pub(crate) const PLAY_GONE: &str = "deleted at";
pub(crate) const PLAY_BORN: &str = "created at";
pub(crate) const PLAY_EVENT: &str = "event of";

pub(crate) const LIST_AND_WATCH: &str = "List again, and watch from there";
pub(crate) const LIST_NEWEST: &str = "List the newest";
pub(crate) const LIST_ANEW: &str = "Begin the list anew";
pub(crate) const LIST_WHAT: &str = "List what there is";
pub(crate) const READ_AGAIN: &str = "Read the object";
pub(crate) const REBASE: &str = "Read again, and send with the fresh version";
pub(crate) const GO_ON_FRESH: &str = "Go on with the fresh token";
pub(crate) const REPLACE: &str = "PUT it to the object’s own path";
pub(crate) const CREATE: &str = "Create it with POST";
pub(crate) const CREATE_NAMESPACE: &str = "Create the namespace, and send again";
pub(crate) const ACCEPT_JSON: &str = "Accept JSON";
pub(crate) const FORCE: &str = "Overwrite: apply with force";
pub(crate) const LEAVE_OUT: &str = "Give up: leave the fields out, and apply";
pub(crate) const SHARE: &str = "Share: take the values there are, and apply";
pub(crate) const REAPPLY: &str = "Read again, and make the same change";
pub(crate) const AGAIN: &str = "Send again";
pub(crate) const EDIT: &str = "Correct the body";
pub(crate) const TAKE_NAME: &str = "Take the name from the path";
pub(crate) const TAKE_NAMESPACE: &str = "Take the namespace from the path";
pub(crate) const TAKE_KIND: &str = "Take the kind from the path";
pub(crate) const WITHOUT_VERSION: &str = "Send without a version";
pub(crate) const WITHOUT_UID: &str = "Send without the uid";
pub(crate) const WITHOUT_FINALIZERS: &str = "Take the finalizers away";
pub(crate) const WITHOUT_STRICT: &str = "Send with warnings instead";

/// Send without these query parameters.
pub(crate) fn without(names: &[String]) -> String {
    ["Send without ", &names.join(", ")].concat()
}

/// Send to another path.
pub(crate) fn send_to(path: &str) -> String {
    ["Send to ", path].concat()
}

/// Send the body as another media type.
pub(crate) fn send_as(media: &str) -> String {
    ["Send as ", media].concat()
}

/// Wait, and send again.
pub(crate) fn wait(seconds: u64) -> String {
    format!("Wait {seconds} s, and send again")
}

/// While one waits.
pub(crate) fn sends_in(seconds: u64) -> String {
    format!("Sends in {seconds} s")
}

/// Before the labels of an object that left a selection.
pub(crate) fn selected(selector: &str) -> String {
    ["The watch selects ", selector, "."].concat()
}

/// The labels of an object before and after a write.
pub(crate) fn relabelled(before: &str, after: &str) -> String {
    let words = |labels: &str| if labels.is_empty() { "nothing".to_owned() } else { labels.to_owned() };
    ["Before: ", &words(before), ". After: ", &words(after), "."].concat()
}

const fn words(rule: &'static str, because: &'static str, next: &'static str) -> Words {
    Words { rule, because, next }
}

pub(crate) const CUT: Words = words(
    "The connection ended before a response came, so nobody can tell whether the request was carried out.",
    "HTTP has no word for that; it is why requests are made so that they can be sent twice.",
    "Send it again: a write that names its resourceVersion, or creates by name, cannot be done twice.",
);
pub(crate) const UNREACHABLE: Words = words(
    "Nothing behind this page’s server answered.",
    "The page reaches other clusters only through its own server, for browsers keep it from any other.",
    "Start kubectl proxy, or kubeglass serve, on 127.0.0.1:8001, and send again.",
);
pub(crate) const UNSENDABLE: Words = words(
    "The request could not be put together, so nothing was sent.",
    "Paths and headers may only have certain characters.",
    "Look at its path and headers.",
);
pub(crate) const CONTINUE_VERSION: Words = words(
    "A continue token may not stand beside a resourceVersion.",
    "The token already says at which version the list is read: all pages of a list are of one version.",
    "Send the token alone, with the same limit and selectors.",
);
pub(crate) const CONTINUE_BROKEN: Words = words(
    "The continue token cannot be read.",
    "It is opaque: only the server that gave it out knows what it says, and it has to come back unchanged.",
    "Begin the list anew, and pass the token on as it stands in metadata.continue.",
);
pub(crate) const VERSION_UNREADABLE: Words = words(
    "A resourceVersion has to be one that the server gave out.",
    "Clients may compare versions of one resource, but never make them up.",
    "Leave it out to read the newest state, or take it from an object or a list.",
);
pub(crate) const NAME_MISMATCH: Words = words(
    "The name in the body has to be the name in the path.",
    "The path says which object is written, and a name never changes in an object’s life.",
    "Send the name that the path has, or write to the path of the name that you mean.",
);
pub(crate) const NAMESPACE_MISMATCH: Words = words(
    "The namespace in the body has to be the one in the path.",
    "The path says where the object is, and an object cannot move to another namespace.",
    "Leave the namespace out of the body, or send to the other namespace’s path.",
);
pub(crate) const KIND_MISMATCH: Words = words(
    "The body has to be of the kind and version that the path serves.",
    "Each path has one kind: apiVersion and kind say how the body is read.",
    "Send the kind that the path serves, or send to the path that serves this kind.",
);
pub(crate) const STRICT: Words = words(
    "With fieldValidation=Strict a field that the kind does not have, or that stands twice, is an error.",
    "Unknown fields would be dropped in silence, which hides slips of the pen.",
    "Correct the fields that are named, or ask for warnings.",
);
pub(crate) const BODY_UNREADABLE: Words = words(
    "The body could not be read as what its Content-Type says.",
    "The server decodes a body before it looks at anything in it.",
    "Correct the body: the editor marks where it breaks.",
);
pub(crate) const BAD_REQUEST: Words = words(
    "The server could not make sense of the request.",
    "What it cannot understand it refuses whole, and changes nothing.",
    "Look at the parameters and at the body, and send again.",
);
pub(crate) const UNAUTHORIZED: Words = words(
    "The server does not know who sends this.",
    "Who asks is found out first, from a token or a certificate, before the request is looked at.",
    "Send requests through kubectl proxy, which adds your credentials.",
);
pub(crate) const TERMINATING: Words = words(
    "Nothing can be created in a namespace that is being deleted.",
    "Otherwise its deletion might never come to an end.",
    "Use another namespace, or wait until this one is gone and create it anew.",
);
pub(crate) const QUOTA: Words = words(
    "A ResourceQuota or LimitRange of the namespace forbids this.",
    "Admission counts what a namespace holds before anything is stored.",
    "Ask for less, delete what is no longer needed, or raise the limit.",
);
pub(crate) const WEBHOOK_FAILED: Words = words(
    "A webhook could not be called, or its response is no review.",
    "What a webhook cannot check, the API server refuses, unless its failurePolicy is Ignore.",
    "See whether it runs, and what it logs. In the cluster of a tab a function stands in for it: the annotation kubeglass.dev/function of its configuration.",
);
pub(crate) const WEBHOOK_DENIED: Words = words(
    "A webhook refuses this.",
    "Before anything is stored, the API server sends a review to each webhook whose rules match, and each of them may refuse.",
    "Its message says why. Change the request, or what the webhook checks.",
);
pub(crate) const FORBIDDEN: Words = words(
    "You are known, but you may not do this.",
    "Authorization decides by user, verb, resource and namespace, and what nobody allows is forbidden.",
    "Ask who administers the cluster for a role with this verb.",
);
pub(crate) const NO_NAMESPACE: Words = words(
    "An object can only be created in a namespace that exists.",
    "Namespaces are objects themselves, and are not made on the way.",
    "Create the namespace, then send again.",
);
pub(crate) const ELSEWHERE: Words = words(
    "Nothing is served at this path, but the resource is served at another.",
    "A resource is addressed by API group, version, namespace and plural name, and all four have to fit.",
    "Send the request to the path where it is.",
);
pub(crate) const NO_PATH: Words = words(
    "The server serves nothing at this path.",
    "What can be asked for is what discovery lists: groups, versions and plural names of resources.",
    "Choose a resource at the left, or let the path be completed.",
);
pub(crate) const NOT_YET: Words = words(
    "There was no object of this name yet.",
    "At each revision the cluster holds what had been written until then, and nothing else.",
    "Go on to the revision at which it was created, or list what there was.",
);
pub(crate) const DELETED: Words = words(
    "There is no object of this name any more.",
    "A deleted object cannot be read at the present version; only the history knows it.",
    "List what there is, or go back in time to before it was deleted.",
);
pub(crate) const NO_OBJECT: Words = words(
    "There is no object of this name.",
    "PUT and PATCH change what is there, and only POST, or applying, makes something new.",
    "Look at name and namespace: a list shows what there is.",
);
pub(crate) const METHOD: Words = words(
    "This path does not know this method.",
    "A collection is listed and created in, an object is read, replaced, patched and deleted.",
    "Send to the path that has the method, or choose another method.",
);
pub(crate) const NOT_ACCEPTABLE: Words = words(
    "The server has no response in a media type that the Accept header names.",
    "It refuses before it does anything, so that nobody is sent what he cannot read.",
    "Accept JSON, which every resource has.",
);
pub(crate) const EXISTS: Words = words(
    "A name is given once in a namespace and kind, and this one is taken.",
    "POST only creates: so two clients that create the same object cannot overwrite each other.",
    "Choose another name, or replace what is there with PUT.",
);
pub(crate) const APPLY_CONFLICT: Words = words(
    "Applying would change fields that another manager owns.",
    "Every field has owners, so that what one manager has decided is not undone by another by accident.",
    "Overwrite the values, and be their only manager; or give the fields up, and let the other decide; or send the values that they have, and share them with it.",
);
pub(crate) const STALE: Words = words(
    "An update is only taken if it was made from the version that is stored.",
    "Somebody else was faster, and the server does not let one write undo another that its author never saw.",
    "Read the object again, make your change to what you have read, and send that: the first button does it for you. The second one sends your body as it is with the fresh version, and so undoes the other change.",
);
pub(crate) const PRECONDITION: Words = words(
    "The request names a uid or version that the object does not have.",
    "A name can be given again after a deletion, the uid cannot: with it a client says which of them it means.",
    "Read the object again, and decide whether you mean this one too.",
);
pub(crate) const UID_OF_NOTHING: Words = words(
    "The body has a uid, but there is no object that could have it.",
    "Who names a uid means one object in particular, and that one is gone.",
    "Leave the uid out to create a new object.",
);
pub(crate) const CONFLICT: Words = words(
    "The object is not in a state in which this can be done.",
    "The server checks and writes in one step, so that nothing comes in between.",
    "Read the object, and look at what the message says of it.",
);
pub(crate) const WATCH_EXPIRED: Words = words(
    "A watch can only go on from a version whose later events are still kept.",
    "The server keeps a window of events, and never leaves one out in silence: it says so, and ends the watch.",
    "List again, and watch from the version of that list.",
);
pub(crate) const CONTINUE_EXPIRED: Words = words(
    "The pages of a list are read at the version of the first, and that version has been compacted.",
    "Versions are kept for some minutes, and a page of another version would not fit the pages before.",
    "Begin anew for a consistent list, or go on with the fresh token, which reads the rest as it is now.",
);
pub(crate) const LIST_EXPIRED: Words = words(
    "The version that the list was to be read at has been compacted.",
    "The store forgets old versions after some minutes, or else it would only grow.",
    "List without a version, and use the version of that list from then on.",
);
pub(crate) const TOO_LARGE: Words = words(
    "A request’s body may have 3 MiB.",
    "Every object is kept in memory and sent to every watch on it.",
    "Send less, or spread it over several objects.",
);
pub(crate) const MEDIA_TYPE: Words = words(
    "The Content-Type is none that this method takes.",
    "PATCH has four kinds of body that look alike, so that only the Content-Type tells what is meant.",
    "Send with a Content-Type that the method takes.",
);
pub(crate) const VERSION_REQUIRED: Words = words(
    "This kind can only be replaced by who names the version that is replaced.",
    "An update without a version would undo whatever others did, and here that is not allowed.",
    "Read the object, and send with its resourceVersion.",
);
pub(crate) const OPTIONS: Words = words(
    "These query parameters do not go together.",
    "Each says from which state to read, and they contradict each other.",
    "Leave out what is named.",
);
pub(crate) const INVALID: Words = words(
    "The object breaks rules of its kind.",
    "Everything is checked before anything is stored, and all that is wrong is told at once.",
    "Correct the fields that are named, and send again.",
);
pub(crate) const EVICTION: Words = words(
    "A PodDisruptionBudget does not allow that one more pod goes now.",
    "Evictions ask first, so that maintenance does not take more pods than an application can spare.",
    "Wait until other pods are ready again, and send again.",
);
pub(crate) const TOO_MANY: Words = words(
    "The server has more to do than it takes on at once.",
    "It turns requests away early, and fairly among clients, rather than to become slow for all.",
    "Wait as long as Retry-After says, and send again.",
);
pub(crate) const ON_CREATE: Words = words(
    "An object that is to be created has no version yet.",
    "The server gives the version, and one in the body means that somebody expects an object to be there.",
    "Send without the version, or replace the object with PUT.",
);
pub(crate) const INTERNAL: Words = words(
    "Something in the server went wrong, and it does not say whether the request was carried out.",
    "Errors of the store come through as they are: the server cannot know more.",
    "Send again, and wait longer each time it fails.",
);
pub(crate) const UNAVAILABLE: Words = words(
    "The server, or one behind it, does not take requests now.",
    "It says so at once, so that a client can turn to another API server.",
    "Wait a moment, and send again.",
);
pub(crate) const FUTURE: Words = words(
    "The version is still to come: the server waited 3 s for it, and it has not come.",
    "Not older than a version means that the server must not answer before it has seen it; one that lags behind may have to wait.",
    "Send again where the version was given out, or read without a version.",
);
pub(crate) const TIMEOUT: Words = words(
    "The request was not done within its time.",
    "The server gives up after a while, or after the parameter timeout; a write may have been carried out nevertheless.",
    "Read what became of it, then send again.",
);
pub(crate) const UNKNOWN: Words = words(
    "The server answered with a failure that says no more.",
    "Whatever is not a Status comes from something in between.",
    "Look at the message, and send again.",
);
pub(crate) const FINALIZERS: Words = words(
    "The object has finalizers: a DELETE only sets its deletionTimestamp, until the last of them is taken away.",
    "So whoever put one there can clean up first, and nobody loses sight of the object meanwhile.",
    "Wait for those who own the finalizers to take them away.",
);
pub(crate) const SELECTOR: Words = words(
    "The object still exists, but the watch’s selector no longer matches it.",
    "A watch with a selector is about the selected objects: one that leaves the selection is DELETED to it, and one that enters it is ADDED.",
    "Take it out of your copy, as if it had been deleted.",
);
