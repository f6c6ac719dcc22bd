//! Users: in whose name requests are sent.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#users-in-kubernetes>

use json_tree::{Map, Value};

/// Somebody who sends requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The user's name.
    pub name: String,
    /// The user's uid; may be empty.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
    /// The extra attributes of the user: keys in the order of the alphabet, and values.
    pub extra: Vec<(String, Vec<String>)>,
}

/// The group of all service accounts; with a colon and a namespace, of those of that namespace.
const ACCOUNTS: &str = "system:serviceaccounts";

impl User {
    /// A service account.
    ///
    /// <https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/>
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self {
            name: ["system:serviceaccount:", namespace, ":", name].concat(),
            groups: account_groups(namespace),
            ..Self::default()
        }
    }

    /// The user as a `UserInfo`; what is empty is left out.
    ///
    /// <https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-review-v1/>
    pub fn info(&self) -> Value {
        let mut info = Map::new();
        for (key, text) in [("username", &self.name), ("uid", &self.uid)] {
            if !text.is_empty() {
                info.insert(key.to_owned(), text.as_str().into());
            }
        }
        if !self.groups.is_empty() {
            info.insert("groups".to_owned(), self.groups.clone().into());
        }
        if !self.extra.is_empty() {
            let extra = self.extra.iter().map(|(key, values)| (key.clone(), values.clone().into()));
            info.insert("extra".to_owned(), Value::Object(extra.collect()));
        }
        info.into()
    }
}

/// The groups that the service accounts of a namespace are in.
pub fn account_groups(namespace: &str) -> Vec<String> {
    vec![ACCOUNTS.to_owned(), [ACCOUNTS, ":", namespace].concat()]
}
