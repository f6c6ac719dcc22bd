//! The kind ServiceAccount: of the secrets that one lists, only the names are kept.
//!
//! <https://kubernetes.io/docs/concepts/security/service-accounts/>

mod warnings;

use json_tree::{Value, json};

use crate::kind::{ANSWERS_OBJECT, Action, Checks, Kind, Pass, Printer, Strategy, Subresource, passes};
use crate::printing::cells;
use apimachinery::object::Object;

/// The kind ServiceAccount.
pub(crate) struct ServiceAccount;

impl Kind for ServiceAccount {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "serviceaccounts";
    const STRATEGY: Strategy = STRATEGY;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("token", Subresource::Action(Action::TokenRequest))];
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE_CREATE;

    fn checks() -> Checks {
        Checks::none().warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(cells::NAMED_COLUMNS, cells::named))
    }
}

const STRATEGY: Strategy = Strategy {
    prepare_for_create: keep_names,
    prepare_for_update: |account, _| keep_names(account),
    ..ANSWERS_OBJECT
};

fn keep_names(account: &mut Object) {
    let Some(Value::Array(secrets)) = account.get_mut("secrets") else { return };
    for secret in secrets {
        *secret = match secret.get("name") {
            Some(name) => json!({ "name": name }),
            None => json!({}),
        };
    }
}
