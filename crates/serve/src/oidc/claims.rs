//! The claims of a token: for whom it is good, and what they say of its user.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#configuring-the-api-server>

use apiserver::User;
use json_tree::Value;

use super::Options;
use super::token::Token;

/// The group of everybody who is known.
const AUTHENTICATED: &str = "system:authenticated";
/// The claim of addresses of e-mail, which is not believed while another one says that it has not been verified.
const EMAIL: &str = "email";
/// How much earlier than it says a token is good, in seconds: clocks differ.
const LEEWAY: f64 = 300.0;

/// The meaning of claims.
pub(super) struct Claims {
    issuer: String,
    client: String,
    username: String,
    username_prefix: String,
    groups: String,
    groups_prefix: String,
    required: Vec<(String, String)>,
}

impl Claims {
    pub(super) fn new(options: &Options) -> Self {
        let username = options.username_claim.clone().unwrap_or_else(|| "sub".to_owned());
        let username_prefix = match options.username_prefix.as_deref() {
            Some("-") => String::new(),
            None | Some("") if username == EMAIL => String::new(),
            None | Some("") => [&options.issuer, "#"].concat(),
            Some(prefix) => prefix.to_owned(),
        };
        Self {
            issuer: options.issuer.clone(),
            client: options.client.clone(),
            username,
            username_prefix,
            groups: options.groups_claim.clone(),
            groups_prefix: options.groups_prefix.clone(),
            required: options.required.clone(),
        }
    }

    /// Reports whether a token says that it is the provider's.
    pub(super) fn is_issuer_of(&self, token: &Token) -> bool {
        token.claims["iss"] == self.issuer.as_str()
    }

    /// Returns whose a token is that the provider has signed, if it is good at `now`, in seconds since the Unix epoch.
    pub(super) fn user(&self, token: &Token, now: u64) -> Option<User> {
        let claims = &token.claims;
        let is_for_us = texts(&claims["aud"])?.contains(&self.client);
        #[allow(clippy::cast_precision_loss)]
        let now = now as f64;
        let is_good = claims["exp"].as_f64()? >= now
            && (claims["nbf"].is_null() || claims["nbf"].as_f64()? <= now + LEEWAY);
        let has_required = self.required.iter().all(|(name, value)| claims[name] == value.as_str());
        let is_verified =
            self.username != EMAIL || claims.get("email_verified").is_none_or(|verified| *verified == true);
        if !(is_for_us && is_good && has_required && is_verified) {
            return None;
        }
        let name = [&self.username_prefix, claims[&self.username].as_str()?].concat();
        let mut groups = match claims.get(&self.groups) {
            Some(groups) if !self.groups.is_empty() => texts(groups)?,
            _ => Vec::new(),
        };
        groups.iter_mut().for_each(|group| group.insert_str(0, &self.groups_prefix));
        if !groups.iter().any(|group| group == AUTHENTICATED) {
            groups.push(AUTHENTICATED.to_owned());
        }
        Some(User { name, groups, ..User::default() })
    }
}

/// Returns the texts of a list, or one that stands alone.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(texts) => texts.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::super::token::signer::Signer;
    use super::*;

    const NOW: u64 = 1_767_225_600;

    /// Returns name and groups of the user of a token with these claims besides those that every token has.
    fn user(options: &Options, more: &Value) -> Option<(String, Vec<String>)> {
        let mut claims = json!({ "iss": "https://a", "aud": "k8s", "exp": NOW + 1, "sub": "jane" });
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let options = Options { issuer: "https://a".to_owned(), client: "k8s".to_owned(), ..options.clone() };
        let token = Signer::new("a").sign(r#"{"alg":"ES256"}"#, &claims.to_string());
        let user = Claims::new(&options).user(&Token::read(&token).unwrap(), NOW)?;
        Some((user.name, user.groups))
    }

    #[test]
    fn claims_say_who_a_user_is() {
        let check = |options: &Options, more: Value, expected: Option<(&str, &[&str])>| {
            let expected = expected.map(|(name, groups)| {
                let groups = groups.iter().chain(&[AUTHENTICATED]).map(|group| (*group).to_owned());
                (name.to_owned(), groups.collect::<Vec<_>>())
            });
            assert_eq!(user(options, &more), expected, "{more}");
        };
        let plain = Options::default();
        check(&plain, json!({}), Some(("https://a#jane", &[])));
        check(&plain, json!({ "aud": ["x", "k8s"], "nbf": NOW + 300 }), Some(("https://a#jane", &[])));
        // It is not for this client, or not good now, or says nothing of what it must.
        for more in [
            json!({ "aud": "x" }),
            json!({ "aud": null }),
            json!({ "exp": NOW - 1 }),
            json!({ "exp": null }),
            json!({ "exp": "soon" }),
            json!({ "nbf": NOW + 301 }),
            json!({ "sub": 7 }),
            json!({ "sub": null }),
        ] {
            check(&plain, more, None);
        }
        let text = |text: &str| Some(text.to_owned());
        let by_mail =
            Options { username_claim: text("email"), groups_claim: "roles".to_owned(), ..plain.clone() };
        let mail = |more: Value| {
            let mut all = json!({ "email": "jane@example.com" });
            more.as_object().unwrap().iter().for_each(|(name, value)| all[name] = value.clone());
            all
        };
        check(&by_mail, mail(json!({})), Some(("jane@example.com", &[])));
        check(
            &by_mail,
            mail(json!({ "email_verified": true, "roles": "dev" })),
            Some(("jane@example.com", &["dev"])),
        );
        check(&by_mail, mail(json!({ "email_verified": false })), None);
        check(&by_mail, mail(json!({ "email_verified": "true" })), None);
        check(&by_mail, mail(json!({ "roles": ["a", 1] })), None);
        let prefixed = Options {
            username_prefix: text("oidc:"),
            groups_claim: "groups".to_owned(),
            groups_prefix: "oidc:".to_owned(),
            ..plain.clone()
        };
        check(&prefixed, json!({ "groups": ["a", "b"] }), Some(("oidc:jane", &["oidc:a", "oidc:b"])));
        check(&Options { username_prefix: text("-"), ..plain.clone() }, json!({}), Some(("jane", &[])));
        let required = Options { required: vec![("hd".to_owned(), "example.com".to_owned())], ..plain };
        check(&required, json!({ "hd": "example.com" }), Some(("https://a#jane", &[])));
        check(&required, json!({ "hd": "example.org" }), None);
        check(&required, json!({}), None);
    }
}
