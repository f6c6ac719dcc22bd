//! The options of kubectl.

use super::Kubectl;

/// Options with a value, and their letters.
const TAKES: &[(&str, &str)] = &[
    ("--namespace", "-n"),
    ("--output", "-o"),
    ("--filename", "-f"),
    ("--selector", "-l"),
    ("--label-columns", "-L"),
    ("--patch", "-p"),
    ("--server", "-s"),
    ("--v", "-v"),
    ("--field-selector", ""),
    ("--as", ""),
    ("--as-group", ""),
    ("--as-uid", ""),
    ("--context", ""),
    ("--kubeconfig", ""),
    ("--cluster", ""),
    ("--user", ""),
    ("--token", ""),
    ("--request-timeout", ""),
    ("--certificate-authority", ""),
    ("--client-certificate", ""),
    ("--client-key", ""),
    ("--tls-server-name", ""),
    ("--cache-dir", ""),
    ("--username", ""),
    ("--password", ""),
    ("--raw", ""),
    ("--chunk-size", ""),
    ("--subresource", ""),
    ("--sort-by", ""),
    ("--template", ""),
    ("--field-manager", ""),
    ("--patch-file", ""),
    ("--type", ""),
    ("--grace-period", ""),
    ("--timeout", ""),
    ("--replicas", ""),
    ("--current-replicas", ""),
    ("--resource-version", ""),
    ("--image", ""),
    ("--from-literal", ""),
    ("--from-file", ""),
    ("--from-env-file", ""),
    ("--port", ""),
    ("--target-port", ""),
    ("--protocol", ""),
    ("--name", ""),
    ("--tcp", ""),
    ("--node-port", ""),
    ("--external-name", ""),
    ("--clusterip", ""),
    ("--cluster-ip", ""),
    ("--external-ip", ""),
    ("--verb", ""),
    ("--resource", ""),
    ("--resource-name", ""),
    ("--non-resource-url", ""),
    ("--role", ""),
    ("--clusterrole", ""),
    ("--group", ""),
    ("--serviceaccount", ""),
    ("--aggregation-rule", ""),
    ("--hard", ""),
    ("--scopes", ""),
    ("--duration", ""),
    ("--audience", ""),
    ("--bound-object-kind", ""),
    ("--bound-object-name", ""),
    ("--bound-object-uid", ""),
    ("--value", ""),
    ("--description", ""),
    ("--preemption-policy", ""),
    ("--schedule", ""),
    ("--from", ""),
    ("--restart", ""),
    ("--env", "-e"),
    ("--labels", ""),
    ("--annotations", ""),
    ("--image-pull-policy", ""),
    ("--overrides", ""),
    ("--min", ""),
    ("--max", ""),
    ("--cpu-percent", ""),
    ("--cpu", ""),
    ("--memory", ""),
    ("--api-version", ""),
    ("--api-group", ""),
    ("--verbs", ""),
    ("--categories", ""),
    ("--kustomize", "-k"),
    ("--requests", ""),
    ("--limits", ""),
    ("--containers", "-c"),
    ("--docker-server", ""),
    ("--docker-username", ""),
    ("--docker-password", ""),
    ("--docker-email", ""),
    ("--cert", ""),
    ("--key", ""),
    ("--min-available", ""),
    ("--max-unavailable", ""),
    ("--class", ""),
    ("--rule", ""),
    ("--default-backend", ""),
    ("--annotation", ""),
    ("--show-events", ""),
    ("--session-affinity", ""),
];

/// Options that need no value, and their letters.
const SWITCHES: &[(&str, &str)] = &[
    ("--all-namespaces", "-A"),
    ("--watch", "-w"),
    ("--watch-only", ""),
    ("--show-labels", ""),
    ("--no-headers", ""),
    ("--show-managed-fields", ""),
    ("--show-kind", ""),
    ("--output-watch-events", ""),
    ("--ignore-not-found", ""),
    ("--server-print", ""),
    ("--allow-missing-template-keys", ""),
    ("--server-side", ""),
    ("--force-conflicts", ""),
    ("--overwrite", ""),
    ("--all", ""),
    ("--wait", ""),
    ("--now", ""),
    ("--force", ""),
    ("--recursive", "-R"),
    ("--save-config", ""),
    ("--record", ""),
    ("--prune", ""),
    ("--local", ""),
    ("--edit", ""),
    ("--list", ""),
    ("--namespaced", ""),
    ("--cached", ""),
    ("--client", ""),
    ("--short", ""),
    ("--quiet", "-q"),
    ("--command", ""),
    ("--stdin", "-i"),
    ("--tty", "-t"),
    ("--rm", ""),
    ("--expose", ""),
    ("--insecure-skip-tls-verify", ""),
    ("--global-default", ""),
    ("--append-hash", ""),
    ("--interactive", ""),
    ("--openapi-patch", ""),
    ("--help", "-h"),
    ("--no-color", ""),
    ("--attach", ""),
    ("--privileged", ""),
    ("--match-server-version", ""),
    ("--warnings-as-errors", ""),
    ("--disable-compression", ""),
    ("--dry-run", ""),
    ("--cascade", ""),
    ("--validate", ""),
];

/// The value of an option that may have one and is given without.
const MEANING: &[(&str, &str)] =
    &[("--dry-run", "client"), ("--cascade", "background"), ("--validate", "strict")];

fn long(known: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    known
        .iter()
        .find(|(long, short)| *long == name || !short.is_empty() && *short == name)
        .map(|(long, _)| *long)
}

/// Reads the words behind `kubectl`.
pub(super) fn read(words: &[String]) -> Result<Kubectl, String> {
    let mut line = Kubectl::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            line.behind = rest.cloned().collect();
            break;
        }
        if word == "-" || !word.starts_with('-') {
            line.words.push(word.clone());
            continue;
        }
        if !word.starts_with("--") {
            read_letters(word.get(1..).unwrap_or_default(), &mut rest, &mut line)?;
            continue;
        }
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        if let Some(name) = long(SWITCHES, name) {
            let meaning =
                MEANING.iter().find(|(known, _)| *known == name).map_or("true", |(_, meaning)| meaning);
            line.flags.push((name, value.unwrap_or(meaning).to_owned()));
        } else {
            let name =
                long(TAKES, name).ok_or_else(|| format!("`{name}` of kubectl is not understood here."))?;
            let value = value.map(str::to_owned).or_else(|| rest.next().cloned());
            line.flags.push((name, value.ok_or_else(|| format!("`{name}` needs a value."))?));
        }
    }
    check(&line)?;
    Ok(line)
}

/// Reads letters of options that stand together; the last one may have a value.
fn read_letters(
    letters: &str,
    rest: &mut std::slice::Iter<'_, String>,
    line: &mut Kubectl,
) -> Result<(), String> {
    let mut at = 0;
    while let Some(letter) = letters.get(at..).and_then(|letters| letters.chars().next()) {
        at += letter.len_utf8();
        let name: String = ['-', letter].iter().collect();
        if let Some(name) = long(SWITCHES, &name) {
            line.flags.push((name, "true".to_owned()));
            continue;
        }
        let name =
            long(TAKES, &name).ok_or_else(|| format!("`{name}` of kubectl is not understood here."))?;
        let attached = letters.get(at..).unwrap_or_default();
        let value = match attached.strip_prefix('=').unwrap_or(attached) {
            "" => rest.next().cloned().ok_or_else(|| format!("`{name}` needs a value."))?,
            value => value.to_owned(),
        };
        line.flags.push((name, value));
        break;
    }
    Ok(())
}

/// Refuses options that need what is not here.
fn check(line: &Kubectl) -> Result<(), String> {
    const REFUSED: &[(&str, &str)] = &[
        ("--kustomize", "`-k` reads a directory: there is none here."),
        ("--prune", "`--prune` deletes what is not in a manifest: that does not run here."),
        ("--local", "`--local` changes a file: there is none here."),
        ("--edit", "`--edit` opens an editor: there is none here."),
        ("--template", "Templates of Go do not run here: `-o jsonpath` does."),
        ("--help", "`--help` prints how kubectl is used: it is not here."),
        ("--openapi-patch", "`--openapi-patch` is not understood here."),
    ];
    if let Some((_, why)) =
        REFUSED.iter().find(|(name, _)| line.flag(name).is_some_and(|value| value != "false"))
    {
        return Err((*why).to_owned());
    }
    let output = line.flag("--output").unwrap_or_default();
    let refused = ["go-template", "template", "jsonpath-file", "custom-columns-file", "kyaml"];
    match refused.iter().find(|name| output.split('=').next() == Some(name)) {
        Some(name) => Err(format!("`-o {name}` does not run here: `-o yaml` and `-o jsonpath` do.")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, words: &[&str], flags: &[(&'static str, &str)]) {
        let split: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let read = read(&split).unwrap();
        let found: Vec<_> = read.flags.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(
            (read.words.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), found.as_slice()),
            (words, flags),
            "{line}"
        );
    }

    #[test]
    fn options_are_read() {
        check("get po -ojson -n=x", &["get", "po"], &[("--output", "json"), ("--namespace", "x")]);
        check(
            "get po -Aw -owide",
            &["get", "po"],
            &[("--all-namespaces", "true"), ("--watch", "true"), ("--output", "wide")],
        );
        check("get po -wn x", &["get", "po"], &[("--watch", "true"), ("--namespace", "x")]);
        check(
            "apply --dry-run --server-side=false -f a",
            &["apply"],
            &[("--dry-run", "client"), ("--server-side", "false"), ("--filename", "a")],
        );
        check("label po a x- --overwrite -- b", &["label", "po", "a", "x-"], &[("--overwrite", "true")]);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for line in ["get --nonsense", "get -Z", "get -n", "apply -k x", "get po -o go-template=x", "get -AZ"]
        {
            let split: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert!(read(&split).is_err(), "{line}");
        }
    }
}
