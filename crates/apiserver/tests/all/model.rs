//! Several API servers over one store are compared with a model that knows every state there has been: lists, pages,
//! gets and watches, while caches lag, stop and forget, and history is compacted.
//!
//! `KUBEGLASS_CASES` says how many random cases are tried, if not 50.

mod history;
mod query;
mod reads;
mod server;
mod step;
mod watcher;
mod watches;
mod world;

use std::time::Duration;

use apiserver::Compaction;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use step::Step;
use world::World;

/// How history is compacted, besides by steps.
fn compaction() -> impl Strategy<Value = Compaction> {
    prop_oneof![
        Just(Compaction { every: None, keep: None }),
        Just(Compaction { every: Some(Duration::from_secs(300)), keep: None }),
        (20..60_u64).prop_map(|keep| Compaction { every: None, keep: Some(keep) }),
    ]
}

/// Runs the steps. The error says which of them did what the model does not.
fn run(compaction: Compaction, steps: &[Step]) -> Result<World, String> {
    let mut world = World::new(compaction);
    for (number, step) in steps.iter().enumerate() {
        world.step(step).map_err(|why| format!("step {number} of {}, {step:?}: {why}", steps.len()))?;
    }
    world.finish().map_err(|why| format!("at the end: {why}"))?;
    Ok(world)
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 300,
        failure_persistence: None,
        ..ProptestConfig::with_cases(crate::common::cases(50))
    })]

    #[test]
    fn a_cluster_does_as_its_model((compaction, steps) in (compaction(), step::steps(200))) {
        run(compaction, &steps).map_err(TestCaseError::fail)?;
    }
}

/// More events at once than may wait for a watch that is not read.
fn flood() -> Vec<Step> {
    let prompt = (0..3).flat_map(|server| {
        [Step::Stop { server, stopped: false }, Step::Lag { server, seconds: 0 }, Step::ReadAll]
    });
    let burst = Step::Burst { server: 0, namespace: 0, name: 0, times: 1_010 };
    prompt.chain([burst, Step::ReadAll]).collect()
}

#[test]
fn a_long_life_is_as_the_model_has_it() {
    let mut seed = [0; 32];
    seed[0] = 36;
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), random);
    let mut steps = step::steps(10_000).new_tree(&mut runner).expect("steps").current();
    steps.splice(5_000..5_000, flood());
    let compaction = Compaction { every: Some(Duration::from_secs(300)), keep: None };
    let world = run(compaction, &steps).unwrap_or_else(|why| panic!("{why}"));
    // So much is compared, at least: else the steps would be too tame.
    let seen = world.seen;
    assert!(seen.lists > 500 && seen.pages > 100 && seen.events > 2_000 && seen.bookmarks > 50, "{seen:?}");
    assert!(seen.expired > 20 && seen.too_new > 20 && seen.ended > 50 && seen.relists > 10, "{seen:?}");
}
