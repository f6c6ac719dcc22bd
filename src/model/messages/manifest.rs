//! Manifests, in words. What kubectl says is said as it says it.

use crate::model::manifest::Outcome;

pub(crate) const LABEL: &str = "Manifest";
pub(crate) const ABOUT: &str =
    "Each object goes to its own path, in this order, as kubectl apply --server-side -f sends it.";
pub(crate) const FORCE: &str = "Force conflicts";
pub(crate) const FORCE_ABOUT: &str =
    "--force-conflicts: fields that another manager owns are changed as well";
pub(crate) const RESULTS: &str = "Results";
pub(crate) const RESULTS_ABOUT: &str = "What came of the manifest that was applied last";
pub(crate) const STOP: &str = "Stop";
pub(crate) const OPEN: &str = "Open file…";
pub(crate) const OPEN_ABOUT: &str =
    "Open a manifest (YAML or JSON). You can drop files anywhere on the page, too";
pub(crate) const DROP: &str = "Drop to open the manifest";
pub(crate) const EMPTY: &str = "The manifest has no objects.";

pub(crate) const LINE: &str = "Line";
pub(crate) const OBJECT: &str = "Object";
pub(crate) const VERSION: &str = "Version";
pub(crate) const WATCHES: &str = "Watches";
pub(crate) const WATCHES_ABOUT: &str = "The watches that were sent the event of it";
pub(crate) const SHOW_ABOUT: &str = "Show the request and its response";

pub(crate) const NO_NAME: &str = "resource name may not be empty";

/// So many things of a name.
fn plural(count: usize, name: &str) -> String {
    if count == 1 { format!("1 {name}") } else { format!("{count} {name}s") }
}

/// The button that applies so many documents.
pub(crate) fn apply(documents: usize) -> String {
    format!("Apply {}", plural(documents, "document"))
}

/// How far it is: so many of all.
pub(crate) fn going(dry: bool, done: usize, all: usize) -> String {
    let does = if dry { "Previewing" } else { "Applying" };
    format!("{does} {} of {all}", (done + 1).min(all))
}

/// The outcomes of all objects, counted.
pub(crate) fn summary<'a>(dry: bool, outcomes: impl Iterator<Item = &'a Outcome>) -> String {
    let mut counts = [0; 5];
    let mut all = 0;
    for outcome in outcomes {
        all += 1;
        let at = match outcome {
            Outcome::Created => 0,
            Outcome::Configured => 1,
            Outcome::Unchanged => 2,
            Outcome::Failed(_) => 3,
            Outcome::Waiting => 4,
        };
        counts[at] += 1;
    }
    let names = ["created", "configured", "unchanged", "failed", "not sent"];
    let told = counts.iter().zip(names).filter(|(count, _)| **count > 0);
    let told: Vec<String> = told.map(|(count, name)| format!("{count} {name}")).collect();
    let what = if dry { "would be applied, nothing was changed" } else { "applied" };
    match told.is_empty() {
        true => EMPTY.to_owned(),
        false => format!("{} {what}: {}", plural(all, "object"), told.join(", ")),
    }
}

/// The outcome of an object, behind its name. `going` while there are objects to come.
pub(crate) fn outcome(outcome: &Outcome, dry: bool, going: bool) -> String {
    let said = match outcome {
        Outcome::Waiting => return if going { "waiting" } else { "not sent" }.to_owned(),
        Outcome::Failed(_) => return "failed".to_owned(),
        Outcome::Created => "created",
        Outcome::Configured => "configured",
        Outcome::Unchanged => "unchanged",
    };
    [said, if dry { " (server dry run)" } else { "" }].concat()
}

/// So many that are not shown.
pub(crate) fn more(rows: usize) -> String {
    format!("and {rows} more, none of which failed")
}

/// What a document lacks.
pub(crate) fn missing(field: &str, object: &str) -> String {
    format!("Object '{field}' is missing in '{object}'")
}

/// Nothing of a kind is served.
pub(crate) fn no_matches(name: &str, namespace: &str, kind: &str, version: &str) -> String {
    format!(
        "resource mapping not found for name: \"{name}\" namespace: \"{namespace}\": no matches for kind \"{kind}\" in version \"{version}\"\nensure CRDs are installed first"
    )
}

/// A name that the server is to make.
pub(crate) fn generated(begin: &str) -> String {
    format!("from {begin}: cannot use generate name with apply")
}

/// What the server says against an object. `reason` is empty where it says none.
pub(crate) fn refused(reason: &str, message: &str) -> String {
    if reason.is_empty() {
        format!("Error from server: {message}")
    } else {
        format!("Error from server ({reason}): {message}")
    }
}

/// A file that is no text.
pub(crate) fn no_text(name: &str) -> String {
    format!("{name} is no text. A manifest is YAML or JSON in UTF-8.")
}

/// A manifest has been opened: so many documents.
pub(crate) fn opened(name: &str, documents: usize) -> String {
    format!("{name}: {}", plural(documents, "document"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_tell_what_there_was() {
        let failed = Outcome::Failed(String::new());
        let all = [Outcome::Created, Outcome::Created, failed, Outcome::Waiting];
        assert_eq!(summary(false, all.iter()), "4 objects applied: 2 created, 1 failed, 1 not sent");
        assert_eq!(summary(false, [].iter()), EMPTY);
        let one = [Outcome::Unchanged];
        assert_eq!(summary(true, one.iter()), "1 object would be applied, nothing was changed: 1 unchanged");
    }
}
