//! The texts on changing objects.

pub(crate) const KINDS: &str = "Patch type";
pub(crate) const ABOUT_OPERATIONS: &str = "A list of operations, one after the other. A test that fails lets all of them fail, so that nothing is overwritten unseen.";
pub(crate) const ABOUT_MERGE: &str =
    "A part of the object that is laid over it: null takes a field away, and a list replaces the whole list.";
pub(crate) const ABOUT_STRATEGIC: &str = "As a merge patch, but lists whose items have a key are merged item by item. Only built-in kinds know how.";
pub(crate) const ABOUT_APPLY: &str = "Every field that you want, and no other. You own what you apply: leave a field out later and it goes, and whoever changes it without you is in conflict.";

/// The values of first bodies.
pub(crate) const EXAMPLE: &str = "changed";
pub(crate) const EXAMPLE_AGAIN: &str = "changed again";
pub(crate) const EXAMPLE_KEY: &str = "example";
pub(crate) const EXAMPLE_LABEL: &str = "changed";
pub(crate) const EXAMPLE_LABEL_AGAIN: &str = "changed-again";
/// The field manager that applies, until the user names another.
pub(crate) const APPLIER: &str = "alice";

pub(crate) const OPTIONS: &str = "How it is sent";
pub(crate) const MANAGER: &str = "fieldManager";
pub(crate) const MANAGER_ABOUT: &str = "Who owns the fields that this request sets";
pub(crate) const MANAGER_HINT: &str = "kubeglass";
pub(crate) const FORCE: &str = "force";
pub(crate) const FORCE_ABOUT: &str = "Take over fields that others own, with your value";
pub(crate) const VALIDATION: &str = "fieldValidation";
pub(crate) const VALIDATION_ABOUT: &str = "What happens to unknown and duplicate fields";
pub(crate) const VALIDATIONS: &[(&str, &str)] =
    &[("default: Warn", ""), ("Strict", "Strict"), ("Warn", "Warn"), ("Ignore", "Ignore")];
pub(crate) const DRY_RUN: &str = "dryRun";
pub(crate) const DRY_RUN_ABOUT: &str = "Do everything but store it";
pub(crate) const NO_OBJECT: &str =
    "A PATCH changes one object: complete the path with its name, and a first body stands here.";
pub(crate) const WHO_OWNS: &str = "Who owns what?";

pub(crate) const POLICY: &str = "propagationPolicy";
/// The options for the dependents of a deleted object: a name, the parameter's value, and a sentence.
pub(crate) const POLICIES: &[(&str, &str, &str)] = &[
    (
        "Default",
        "",
        "What the kind says, which is Background for nearly all of them. Finalizers that stand there already are heeded.",
    ),
    (
        "Background",
        "Background",
        "The object goes at once, and the garbage collector deletes what it owned afterwards.",
    ),
    (
        "Foreground",
        "Foreground",
        "The object stays, with the finalizer foregroundDeletion, until everything is gone that it owns and that blocks its deletion.",
    ),
    (
        "Orphan",
        "Orphan",
        "What it owns stays: the finalizer orphan keeps the object until its dependents no longer name it as their owner.",
    ),
];
pub(crate) const GRACE: &str = "gracePeriodSeconds";
pub(crate) const GRACE_ABOUT: &str = "How long containers may take to end; 0 takes the object away at once";
pub(crate) const GRACE_HINT: &str = "default";
pub(crate) const BODY_WINS: &str =
    "There is a body: the server reads its options out of that, and not out of the query.";

pub(crate) const TRY: &str = "Preview (dry run)";
pub(crate) const TRY_KEYS: &str = "Ctrl+Shift+Enter";
pub(crate) const TRIAL: &str = "Dry run";
pub(crate) const TRIED: &str = "nothing was stored";
pub(crate) const SEND: &str = "Send it";
pub(crate) const NOTHING: &str = "Nothing would change: the object and its owners stay as they are.";
pub(crate) const GONE: &str = "The object would be gone.";
pub(crate) const WOULD_CHANGE: &str = "What would change";
pub(crate) const WHAT: &str = "What";
pub(crate) const FIELD: &str = "Field";
pub(crate) const NOW: &str = "Now";
pub(crate) const THEN: &str = "Afterwards";
pub(crate) const OWNERS: &str = "Owned by";
pub(crate) const NOBODY: &str = "nobody";
pub(crate) const SAME: &str = "the same";
pub(crate) const NOT_DRY: &str =
    "The body cannot be read, so it cannot be made a dry run, and nothing was sent.";
pub(crate) const NOT_TO_TRY: &str = "A GET changes nothing: just send it.";

pub(crate) const ONLY: &str = "Whose fields to show";
pub(crate) const UNOWNED: &str = "owned by nobody";
pub(crate) const NO_MANAGERS: &str = "Nothing in this response says who owns its fields: only an object with metadata.managedFields does. Read one object as JSON, and it is shown here.";
pub(crate) const FIELDS: &str = "Fields and their owners";
pub(crate) const AHEAD_HERE: &str = "your body would conflict here";
pub(crate) const AHEAD_FORCED: &str = "your body would take this over";

pub(crate) const CLAIMS: &str = "Fields in conflict";
pub(crate) const CLAIMED_BY: &str = "Managed by";
pub(crate) const LIVE: &str = "Its value now";
pub(crate) const SENT: &str = "You sent";
pub(crate) const ABSENT: &str = "not there";

pub(crate) const GOING: &str = "This object is being deleted";
pub(crate) const ITS_FINALIZERS: &str = "Finalizers";
pub(crate) const REMOVE: &str = "Remove";
pub(crate) const LAST_GONE: &str =
    "No finalizer is left: with the write that took the last one away the object is gone.";
pub(crate) const END_NOW: &str = "Delete with a grace period of 0";
pub(crate) const SPEC_FINALIZERS: &str =
    "What the namespace itself waits for, in spec.finalizers: that everything in it is deleted";
pub(crate) const FINALIZE: &str = "Finalize";
pub(crate) const CONDITIONS: &str = "What still keeps it";
pub(crate) const CONDITION: &str = "Condition";
pub(crate) const CONDITION_STATUS: &str = "Status";
pub(crate) const CONDITION_MESSAGE: &str = "Message";

/// Finalizers whose meaning is known.
pub(crate) const FINALIZERS: &[(&str, &str)] = &[
    ("foregroundDeletion", "the garbage collector takes it away once what the object owns is gone"),
    ("orphan", "the garbage collector takes it away once nothing names the object as its owner"),
    ("kubernetes", "the namespace controller takes it away once the namespace is empty"),
    ("kubernetes.io/pv-protection", "a controller takes it away once no claim is bound to the volume"),
    ("kubernetes.io/pvc-protection", "a controller takes it away once no pod uses the claim"),
    ("batch.kubernetes.io/job-tracking", "the job controller takes it away once the pod is counted"),
];
pub(crate) const ANY_FINALIZER: &str = "whoever put it there takes it away once it has cleaned up";

/// How much a dry run would change.
pub(crate) fn would(values: usize, owners: usize) -> String {
    let fields = |count: usize, what: &str| match count {
        1 => ["1 field ", what].concat(),
        _ => format!("{count} fields {what}"),
    };
    match (values, owners) {
        (_, 0) => [&fields(values, "would change"), "."].concat(),
        (0, 1) => "1 field would keep its value, and have other owners.".to_owned(),
        (0, _) => format!("{owners} fields would keep their values, and have other owners."),
        _ => [&fields(values, "would change, and "), &fields(owners, "would only have other owners"), "."]
            .concat(),
    }
}

/// How many objects would be deleted.
pub(crate) fn would_go(objects: usize) -> String {
    match objects {
        0 => "Nothing would be deleted: there are no such objects.".to_owned(),
        1 => "1 object would be deleted, or marked if it has finalizers:".to_owned(),
        _ => format!("{objects} objects would be deleted, or marked if they have finalizers:"),
    }
}

/// Returns the text on the conflicts that applying the body would run into.
pub(crate) fn ahead(fields: &[&str], force: bool) -> String {
    match fields {
        _ if force => {
            ["Applying this with force would take over what others manage: ", &fields.join(", "), "."]
                .concat()
        }
        [one] => ["Applying this would conflict: ", one, " is managed by somebody else."].concat(),
        _ => {
            let names = fields.join(", ");
            format!("Applying this would conflict: {} fields are managed by others: {names}.", fields.len())
        }
    }
}

/// When an object was marked.
pub(crate) fn marked(since: &str) -> String {
    ["A DELETE has only marked it: metadata.deletionTimestamp is ", since, ". That cannot be taken back."]
        .concat()
}

/// Returns the text on the finalizers that a deletion still waits for.
pub(crate) fn waits(count: usize) -> String {
    match count {
        1 => "It is gone once its last finalizer is taken away.".to_owned(),
        _ => format!("It is gone once its {count} finalizers are taken away, in any order."),
    }
}

/// How long a pod may take.
pub(crate) fn grace(seconds: u64) -> String {
    format!(
        "Its containers have {seconds} s to end. A kubelet would then delete it with a grace period of 0; no node runs one here."
    )
}

/// Returns the text on the phase of a namespace.
pub(crate) fn phase(phase: &str) -> String {
    ["The namespace is ", phase, ": nothing new can be created in it, and what is in it is deleted first."]
        .concat()
}

/// Returns the label of the button beside a finalizer.
pub(crate) fn remove(finalizer: &str) -> String {
    ["Remove the finalizer ", finalizer].concat()
}
