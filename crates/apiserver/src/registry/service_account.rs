//! Service accounts: of the secrets they list, only the names are kept.
//!
//! <https://kubernetes.io/docs/concepts/security/service-accounts/>

use json_tree::{Value, json};

use super::{ANSWERS_OBJECT, Strategy};
use crate::object::Object;

pub(super) const STRATEGY: Strategy = Strategy {
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
