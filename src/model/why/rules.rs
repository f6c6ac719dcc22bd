//! The rules that failures follow, as a table: the first one that applies is what explains a failure.

use crate::cluster::Which;
use crate::cluster::place::Place;
use crate::model::why::action::Action;
use crate::model::why::failure::Failure;
use crate::ui::messages::why as words;
use crate::ui::messages::why::Words;

/// A rule.
pub(crate) struct Rule {
    /// The rule's name.
    pub(crate) id: &'static str,
    applies: fn(&Failure) -> bool,
    /// The texts that explain the failure.
    pub(crate) words: &'static Words,
    plays: &'static [Play],
    actions: &'static [Action],
    /// The place in the Kubernetes documentation that explains it.
    pub(crate) link: &'static str,
}

/// A version that has to do with a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Play {
    /// The one that was asked for, or that the body was made from.
    Asked,
    /// The one up to which the cluster has been compacted.
    Floor,
    /// The newest one.
    Head,
    /// The object's.
    Object,
    /// The one of a continue token.
    Token,
    /// The oldest one that can be watched from.
    Oldest,
    /// The one at which the object was deleted.
    Gone,
    /// The one at which the object came into being later.
    Born,
}

impl Play {
    fn of(self, failure: &Failure) -> Option<(u64, &'static str)> {
        let (revision, label) = match self {
            Self::Asked => (failure.asked(), words::PLAY_ASKED),
            Self::Floor => (Some(failure.floor), words::PLAY_FLOOR),
            Self::Head => (Some(failure.head), words::PLAY_HEAD),
            Self::Object => (failure.object, words::PLAY_OBJECT),
            Self::Token => (failure.token(), words::PLAY_TOKEN),
            Self::Oldest => (failure.oldest(), words::PLAY_OLDEST),
            Self::Gone => (failure.gone, words::PLAY_GONE),
            Self::Born => (failure.born, words::PLAY_BORN),
        };
        revision.filter(|revision| *revision > 0).map(|revision| (revision, label))
    }
}

/// Why a request failed, and what to do.
pub(crate) struct Explanation {
    /// The rule.
    pub(crate) rule: &'static Rule,
    /// The versions at play, and what each is.
    pub(crate) plays: Vec<(u64, &'static str)>,
    /// The actions that can be taken, the best first.
    pub(crate) actions: Vec<Action>,
}

/// Explains a failure.
pub(crate) fn explain(failure: &Failure) -> Explanation {
    let rule = RULES.iter().find(|rule| (rule.applies)(failure)).unwrap_or(&UNKNOWN);
    Explanation {
        rule,
        plays: rule.plays.iter().filter_map(|play| play.of(failure)).collect(),
        actions: rule.actions.iter().copied().filter(|action| action.is_possible(failure)).collect(),
    }
}

/// The address of the documentation that links lead into.
pub(crate) const DOCS: &str = "https://kubernetes.io/docs/";

const VERSIONS: &str = "reference/using-api/api-concepts/#resource-versions";
const CHANGES: &str = "reference/using-api/api-concepts/#efficient-detection-of-changes";
const CHUNKS: &str = "reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks";
const FUTURE_VERSIONS: &str = "reference/using-api/api-concepts/#unavailable-resource-versions";
const UPDATES: &str = "reference/using-api/api-concepts/#patch-and-update";
const VALIDATION: &str = "reference/using-api/api-concepts/#field-validation";
const MEDIA_TYPES: &str = "reference/using-api/api-concepts/#alternate-representations-of-resources";
const URIS: &str = "reference/using-api/api-concepts/#resource-uris";
const VERBS: &str = "reference/using-api/api-concepts/#api-verbs";
const CONFLICTS: &str = "reference/using-api/server-side-apply/#conflicts";
const AUTHENTICATION: &str = "reference/access-authn-authz/authentication/";
const AUTHORIZATION: &str = "reference/access-authn-authz/authorization/";
const ADMISSION: &str = "reference/access-authn-authz/admission-controllers/";
const WEBHOOKS: &str = "reference/access-authn-authz/extensible-admission-controllers/";
const QUOTAS: &str = "concepts/policy/resource-quotas/";
const NAMESPACES: &str = "concepts/overview/working-with-objects/namespaces/";
const NAMES: &str = "concepts/overview/working-with-objects/names/";
const FINALIZERS: &str = "concepts/overview/working-with-objects/finalizers/";
const OBJECTS: &str = "concepts/overview/working-with-objects/#required-fields";
const EVICTION: &str = "concepts/scheduling-eviction/api-eviction/";
const FAIRNESS: &str = "concepts/cluster-administration/flow-control/";
const PROXY: &str = "tasks/extend-kubernetes/http-proxy-access-api/";
const STATUS: &str = "reference/kubernetes-api/common-definitions/status/";

/// The rule of failures that no other one explains.
const UNKNOWN: Rule = Rule {
    id: "unknown",
    applies: |_| true,
    words: &words::UNKNOWN,
    plays: &[],
    actions: &[Action::Again],
    link: STATUS,
};

/// The rule of an object that left a watch's selection.
pub(crate) const SELECTOR: Rule = Rule {
    id: "selector",
    applies: |_| false,
    words: &words::SELECTOR,
    plays: &[],
    actions: &[],
    link: CHANGES,
};

macro_rules! rules {
    ($($id:literal $words:ident $link:ident [$($play:ident)*] [$($action:ident)*] $applies:expr;)*) => {
        &[$(Rule {
            id: $id,
            applies: $applies,
            words: &words::$words,
            plays: &[$(Play::$play),*],
            actions: &[$(Action::$action),*],
            link: $link,
        },)*]
    };
}

/// Name, words, documentation, versions at play, what can be done, and when it applies.
#[rustfmt::skip]
const RULES: &[Rule] = rules! {
    "finalizers" FINALIZERS FINALIZERS [Object] [WithoutFinalizers ReadAgain] |f| f.status.code == 200;
    "unsendable" UNSENDABLE URIS [] [Edit] |f| f.status.code == 0 && f.cluster == Which::ThisTab && !f.says(&["cut"]);
    "cut" CUT VERBS [Asked Object] [Again ReadAgain] |f| f.status.code == 0 && f.cluster == Which::ThisTab;
    "unreachable" UNREACHABLE PROXY [] [Again] |f| f.cluster == Which::Remote && (f.status.code == 0 || matches!(f.status.code, 502 | 504) && f.status.reason.is_empty());

    "webhook-failed" WEBHOOK_FAILED WEBHOOKS [] [Again] |f| f.says(&["failed calling webhook", "conversion webhook for"]);
    "webhook-denied" WEBHOOK_DENIED WEBHOOKS [] [Edit] |f| f.status.message.starts_with("admission webhook ") && f.says(&["denied the request"]);

    "continue-with-version" CONTINUE_VERSION CHUNKS [Asked Token] [WithoutVersion] |f| code(f, 400) && f.says(&["when using continue"]);
    "continue-broken" CONTINUE_BROKEN CHUNKS [] [WithoutContinue] |f| code(f, 400) && f.says(&["continue token", "continue key"]);
    "version-unreadable" VERSION_UNREADABLE VERSIONS [Head] [WithoutVersion] |f| f.says(&["invalid resource version", "ParseUint"]) || code(f, 400) && f.says(&["resourceVersion"]);
    "name-mismatch" NAME_MISMATCH NAMES [] [TakeName Edit] |f| code(f, 400) && f.says(&["the name of the object", "name in URL does not match"]);
    "namespace-mismatch" NAMESPACE_MISMATCH NAMESPACES [] [TakeNamespace Edit] |f| code(f, 400) && f.says(&["the namespace of the provided object"]);
    "strict" STRICT VALIDATION [] [WithoutStrict Edit] |f| code(f, 400) && f.says(&["strict decoding error", "error strict decoding"]);
    "kind-mismatch" KIND_MISMATCH OBJECTS [] [TakeKind Edit] |f| code(f, 400) && f.says(&["no kind \"", "unknown conversion", "the API version in the data", "invalid object type"]);
    "body-unreadable" BODY_UNREADABLE OBJECTS [] [Edit] |f| code(f, 400) && f.has_body() && f.says(&["unrecognized", "cannot be handled as", "error decoding", "invalid character", "json:", "yaml:", "unmarshal"]);
    "bad-request" BAD_REQUEST URIS [] [Edit] |f| code(f, 400);

    "unauthorized" UNAUTHORIZED AUTHENTICATION [] [Again] |f| code(f, 401);
    "terminating" TERMINATING NAMESPACES [] [] |f| code(f, 403) && f.says(&["being terminated"]);
    "quota" QUOTA QUOTAS [] [Edit] |f| code(f, 403) && f.says(&["exceeded quota", "failed quota", "usage per", "limit to request"]);
    "forbidden" FORBIDDEN AUTHORIZATION [] [] |f| code(f, 403) && f.says(&["cannot "]);
    "admission" QUOTA ADMISSION [] [Edit] |f| code(f, 403);

    "no-namespace" NO_NAMESPACE NAMESPACES [] [CreateNamespace] |f| code(f, 404) && f.status.details.kind == "namespaces" && resource(f) != "namespaces";
    "elsewhere" ELSEWHERE URIS [] [SendElsewhere] |f| code(f, 404) && Action::SendElsewhere.is_possible(f);
    "not-yet" NOT_YET VERBS [Head Born] [ListThere] |f| code(f, 404) && f.born.is_some() && f.gone.is_none();
    "deleted" DELETED VERBS [Gone Head] [CreateInstead ListThere] |f| code(f, 404) && f.gone.is_some();
    "no-object" NO_OBJECT VERBS [] [CreateInstead ListThere] |f| code(f, 404) && !f.status.details.name.is_empty();
    "no-path" NO_PATH URIS [] [] |f| code(f, 404);
    "method" METHOD VERBS [] [SendToObject SendToCollection ListThere] |f| code(f, 405);
    "not-acceptable" NOT_ACCEPTABLE MEDIA_TYPES [] [AcceptJson] |f| code(f, 406);

    "exists" EXISTS NAMES [Object] [SendToObject ReadAgain] |f| code(f, 409) && f.status.reason == "AlreadyExists";
    "apply-conflict" APPLY_CONFLICT CONFLICTS [Object] [Force LeaveOut Share] |f| code(f, 409) && f.status.details.causes.iter().any(|cause| cause.reason == "FieldManagerConflict");
    "stale" STALE UPDATES [Asked Object] [Reapply Rebase ReadAgain] |f| code(f, 409) && f.says(&["the object has been modified"]);
    "uid-of-nothing" UID_OF_NOTHING NAMES [] [WithoutUid] |f| code(f, 409) && f.says(&["no existing object was found"]);
    "precondition" PRECONDITION NAMES [Asked Object] [Rebase ReadAgain] |f| code(f, 409) && f.says(&["precondition"]);
    "conflict" CONFLICT UPDATES [Asked Object] [ReadAgain] |f| code(f, 409);

    "watch-expired" WATCH_EXPIRED CHANGES [Asked Oldest Floor Head] [ListAndWatch] |f| code(f, 410) && (f.event || f.request.watches());
    "continue-expired" CONTINUE_EXPIRED CHUNKS [Token Floor Head] [WithoutContinue GoOnFresh] |f| code(f, 410) && !f.param("continue").is_empty();
    "list-expired" LIST_EXPIRED VERSIONS [Asked Floor Head] [WithoutVersion] |f| code(f, 410);
    "too-large" TOO_LARGE VERBS [] [Edit] |f| code(f, 413);
    "media-type" MEDIA_TYPE UPDATES [] [SendAs Edit] |f| code(f, 415);

    "version-required" VERSION_REQUIRED UPDATES [Object] [Rebase] |f| code(f, 422) && f.says(&["must be specified for an update"]);
    "options" OPTIONS VERSIONS [Asked] [WithoutNamed] |f| code(f, 422) && (f.status.details.kind == "ListOptions" || Action::WithoutNamed.is_possible(f));
    "invalid" INVALID OBJECTS [] [Edit] |f| code(f, 422);
    "eviction" EVICTION EVICTION [] [Wait] |f| code(f, 429) && f.says(&["disruption budget"]);
    "too-many" TOO_MANY FAIRNESS [] [Wait] |f| code(f, 429);

    "on-create" ON_CREATE VERSIONS [Asked Object] [WithoutBodyVersion SendToObject] |f| f.says(&["should not be set on objects to be created"]);
    "future" FUTURE FUTURE_VERSIONS [Asked Head] [ListAndWatch WithoutVersion Again] |f| code(f, 504) && f.says(&["Too large resource version"]);
    "internal" INTERNAL STATUS [] [Again] |f| code(f, 500);
    "unavailable" UNAVAILABLE STATUS [] [Wait] |f| code(f, 503);
    "timeout" TIMEOUT STATUS [Asked Object] [ReadAgain Again] |f| code(f, 504);
};

fn code(failure: &Failure, code: u16) -> bool {
    failure.status.code == code
}

fn resource(failure: &Failure) -> String {
    Place::of(&failure.path()).map(|place| place.resource.to_owned()).unwrap_or_default()
}
