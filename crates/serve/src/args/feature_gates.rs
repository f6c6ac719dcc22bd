//! `--feature-gates`: the features of kube-apiserver v1.36, and which of them can be switched here.
//!
//! See <https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/>.

use std::collections::BTreeMap;

use apiserver::FeatureGates;
use golang::strconv::parse_bool;

use super::UsageError;

/// Every feature, one a line: `Name on|off stage [locked]`, as v1.36 has it by default.
const KNOWN: &str = include_str!("feature_gates.txt");

/// A feature that can be on or off here: its name, and where that is noted.
type Switch = (&'static str, fn(&mut FeatureGates) -> &mut bool);

const SWITCHES: [Switch; 2] = [
    ("AllowUnsafeMalformedObjectDeletion", |gates| &mut gates.allow_unsafe_malformed_object_deletion),
    ("CBORServingAndStorage", |gates| &mut gates.cbor_serving_and_storage),
];

/// Names that stand for all features of a stage for which nothing else is said.
const STAGES: [(&str, &str); 2] = [("AllAlpha", "Alpha"), ("AllBeta", "Beta")];

/// A feature as v1.36 has it by default.
#[derive(Clone, Copy)]
struct Feature {
    name: &'static str,
    on: bool,
    stage: &'static str,
    locked: bool,
}

fn features() -> impl Iterator<Item = Feature> {
    KNOWN.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (name, on, stage) = (words.next()?, words.next()? == "on", words.next()?);
        Some(Feature { name, on, stage, locked: words.next().is_some() })
    })
}

/// The features that were asked for.
#[derive(Default)]
pub(super) struct Reading(BTreeMap<String, bool>);

impl Reading {
    /// Takes the value of the flag: `Name=true,Other=false`. The last of equal names counts.
    ///
    /// # Errors
    /// The text of kube-apiserver: no boolean, or no value at all.
    pub(super) fn take(&mut self, value: &str) -> Result<(), UsageError> {
        for part in value.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((name, on)) = part.split_once('=') else {
                return Err(UsageError(format!("missing bool value for {part}")));
            };
            let (name, text) = (name.trim(), on.trim());
            let on = parse_bool(text)
                .map_err(|why| UsageError(format!("invalid value of {name}={text}, err: {why}")))?;
            self.0.insert(name.to_owned(), on);
        }
        Ok(())
    }

    /// Returns the features that are on, where these are on by default, and the names of those that were asked to be otherwise than
    /// v1.36 has them and are not.
    ///
    /// # Errors
    /// There is no such feature, or it is locked.
    pub(super) fn finish(self, default: FeatureGates) -> Result<(FeatureGates, Vec<String>), UsageError> {
        let (mut gates, mut fixed) = (default, Vec::new());
        for (name, stage) in STAGES {
            let Some(on) = self.0.get(name) else { continue };
            for feature in features().filter(|feature| feature.stage == stage) {
                set(&mut gates, feature, *on, &mut fixed);
            }
        }
        for (name, on) in &self.0 {
            if STAGES.iter().any(|(stage, _)| stage == name) {
                continue;
            }
            let Some(feature) = features().find(|feature| feature.name == name) else {
                return Err(UsageError(format!("unrecognized feature gate: {name}")));
            };
            if feature.locked && feature.on != *on {
                return Err(UsageError(format!(
                    "cannot set feature gate {name} to {on}, feature is locked to {}",
                    feature.on
                )));
            }
            fixed.retain(|other| other != name);
            set(&mut gates, feature, *on, &mut fixed);
        }
        Ok((gates, fixed))
    }
}

/// Switches a feature, or notes that it cannot be switched.
fn set(gates: &mut FeatureGates, feature: Feature, on: bool, fixed: &mut Vec<String>) {
    match SWITCHES.iter().find(|(name, _)| *name == feature.name) {
        Some((_, switch)) => *switch(gates) = on,
        None if feature.on != on => fixed.push(feature.name.to_owned()),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of the two features are on, CBOR first, and which cannot be switched.
    #[track_caller]
    fn check(value: &str, expected: Result<([bool; 2], &[&str]), &str>) {
        let mut reading = Reading::default();
        let found = reading.take(value).and_then(|()| reading.finish(FeatureGates::V1_36));
        let found = found.map(|(gates, fixed)| {
            ([gates.cbor_serving_and_storage, gates.allow_unsafe_malformed_object_deletion], fixed)
        });
        let expected = expected.map(|(on, fixed)| (on, fixed.iter().map(ToString::to_string).collect()));
        assert_eq!(found.map_err(|error| error.0), expected.map_err(str::to_owned), "{value}");
    }

    #[test]
    fn values() {
        check("", Ok(([false, false], &[])));
        check("CBORServingAndStorage=true", Ok(([true, false], &[])));
        check(" CBORServingAndStorage = T , AllowUnsafeMalformedObjectDeletion=1,", Ok(([true, true], &[])));
        check("CBORServingAndStorage=true,CBORServingAndStorage=false", Ok(([false, false], &[])));
        check("WatchList=true,SidecarContainers=true", Ok(([false, false], &[])));
        check(
            "WatchList=false,WatchListClient=false",
            Ok(([false, false], &["WatchList", "WatchListClient"])),
        );
        check(
            "SidecarContainers=false",
            Err("cannot set feature gate SidecarContainers to false, feature is locked to true"),
        );
        check("Nope=true", Err("unrecognized feature gate: Nope"));
        check("CBORServingAndStorage", Err("missing bool value for CBORServingAndStorage"));
        let line = "invalid value of CBORServingAndStorage=yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax";
        check("CBORServingAndStorage=yes", Err(line));
    }

    #[test]
    fn stages() {
        let all = |value: &str| {
            let mut reading = Reading::default();
            reading.take(value).unwrap();
            reading.finish(FeatureGates::V1_36).unwrap()
        };
        let (gates, fixed) = all("AllAlpha=true,AllowUnsafeMalformedObjectDeletion=false");
        assert!(gates.cbor_serving_and_storage && !gates.allow_unsafe_malformed_object_deletion);
        assert!(
            fixed.iter().any(|name| name == "StorageVersionAPI") && !fixed.contains(&"WatchList".to_owned())
        );
        assert!(!all("AllAlpha=true,StorageVersionAPI=false").1.contains(&"StorageVersionAPI".to_owned()));
        assert!(
            all("AllAlpha=false,AllBeta=true")
                .1
                .iter()
                .all(|name| features().any(|of| of.name == name && of.stage == "Beta"))
        );
    }

    #[test]
    fn table() {
        let names: Vec<&str> = features().map(|feature| feature.name).collect();
        assert!(names.len() > 200 && SWITCHES.iter().all(|(name, _)| names.contains(name)));
        assert!(KNOWN.lines().all(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let stages = ["Alpha", "Beta", "GA", "Deprecated"];
            ["on", "off"].contains(&words[1])
                && stages.contains(&words[2])
                && matches!(words[3..], [] | ["locked"])
        }));
    }
}
