//! The options about a provider of OpenID Connect.

use lexopt::{Parser, ValueExt as _};

use super::UsageError;
use crate::oidc::Options;

/// Takes an option, by its name without `--`, and its value. Returns false if there is no such option.
pub(super) fn take(options: &mut Options, name: &str, parser: &mut Parser) -> Result<bool, UsageError> {
    // Any of them may be empty, which is as if it were not there.
    let mut text = || Ok::<_, UsageError>(parser.value()?.string()?);
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    match name {
        "oidc-issuer-url" => options.issuer = text()?,
        "oidc-client-id" => options.client = text()?,
        "oidc-ca-file" => options.ca_file = some(text()?).map(Into::into),
        "oidc-username-claim" => options.username_claim = some(text()?),
        "oidc-username-prefix" => options.username_prefix = some(text()?),
        "oidc-groups-claim" => options.groups_claim = text()?,
        "oidc-groups-prefix" => options.groups_prefix = text()?,
        "oidc-signing-algs" => {
            options.algorithms.extend(text()?.split(',').map(str::trim).map(str::to_owned));
        }
        "oidc-required-claim" => {
            let claim = text()?;
            let (name, value) = claim
                .split_once('=')
                .ok_or_else(|| UsageError(format!("--oidc-required-claim is claim=value, not {claim:?}")))?;
            options.required.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Command, parse};

    #[test]
    fn options() {
        let check = |line: &str, expected: Result<Options, &str>| {
            let found = match parse(["serve"].into_iter().chain(line.split_whitespace())) {
                Ok(Command::Serve(options)) => Ok(options.oidc),
                Ok(other) => panic!("{other:?}"),
                Err(error) => Err(error.0),
            };
            assert_eq!(found, expected.map_err(str::to_owned), "{line}");
        };
        let text = |text: &str| Some(text.to_owned());
        let own = Options { issuer: "https://a".to_owned(), client: "b".to_owned(), ..Options::default() };
        let line = "--oidc-issuer-url=https://a --oidc-client-id b";
        check(line, Ok(own.clone()));
        let all = Options {
            ca_file: Some("c".into()),
            username_claim: text("email"),
            username_prefix: text("-"),
            groups_claim: "groups".to_owned(),
            groups_prefix: "o:".to_owned(),
            required: vec![("hd".to_owned(), "x=y".to_owned())],
            algorithms: vec!["RS256".to_owned(), "ES256".to_owned()],
            ..own
        };
        let more = "--oidc-ca-file c --oidc-username-claim=email --oidc-username-prefix=- --oidc-groups-claim groups \
                    --oidc-groups-prefix o: --oidc-required-claim hd=x=y --oidc-signing-algs RS256,ES256";
        check(&[line, more].join(" "), Ok(all));
        check(
            "--oidc-client-id b",
            Err(
                "--oidc-issuer-url and --oidc-client-id must be specified together when any --oidc-* options are set",
            ),
        );
        check(
            "--oidc-issuer-url http://a --oidc-client-id b",
            Err("--oidc-issuer-url must begin with https://"),
        );
        let algorithms = "--oidc-signing-algs are RS256, RS384, RS512, ES256, ES384, PS256, PS384 and PS512";
        check(&[line, "--oidc-signing-algs HS256"].join(" "), Err(algorithms));
        check("--oidc-required-claim a", Err("--oidc-required-claim is claim=value, not \"a\""));
        check("--oidc-nothing a", Err("there is no option \"--oidc-nothing\""));
    }
}
