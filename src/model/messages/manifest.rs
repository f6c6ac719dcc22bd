//! Manifests, in words. What kubectl says is said as it says it.

pub(crate) use crate::ui::messages::manifest::*;

use crate::model::manifest::Outcome;

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
