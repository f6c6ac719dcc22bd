//! Replaying scenarios, each against a server of its own.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use apiserver::{ApiServer, Config, ManualClock, SeededRandom, User};
use json_tree::Value;

use crate::request::Server;
use crate::run::Run;
use crate::scenario::Scenario;
use crate::{normalise, panics};

/// When the replayed clusters begin, in seconds since the Unix epoch: 2026-01-01.
const BEGINNING: u64 = 1_767_225_600;
/// The revision of their first write.
const FIRST_REVISION: u64 = 10_245;
/// The users who may send requests: token, user, uid, group.
const TOKENS: [(&str, &str, &str, &str); 3] = [
    ("admintok", "admin", "1", "system:masters"),
    ("alicetok", "alice", "2", "dev"),
    ("bobtok", "bob", "3", "dev"),
];
/// How much stack a scenario has: enough for objects as deep as a body can hold.
const STACK: usize = 64 << 20;

/// The result of replaying a scenario.
pub struct Replay<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The normalised answers to its steps, in order: to all of them, unless it broke off.
    pub answers: Vec<Value>,
    /// Why it broke off: a step that could not be done, or a panic of the server.
    pub broke_off: Option<String>,
}

/// Replays `scenario` against `server`, whose clock is `clock`.
pub fn replay<'a>(scenario: &'a Scenario, server: &impl Server, clock: &ManualClock) -> Replay<'a> {
    let ns = own_name(&scenario.name);
    let mut answers = Vec::new();
    let done = panics::catch(|| Run::new(server, clock.clone(), scenario, &ns).execute(&mut answers));
    let broke_off = done.unwrap_or_else(|panic| Err(panicked(&panic))).err();
    Replay { scenario, answers: normalise(&ns, scenario, answers), broke_off }
}

/// Replays all of `scenarios`, each against a new [`ApiServer`], on as many threads as there are processors.
pub fn replay_all(scenarios: &[Scenario]) -> Vec<Replay<'_>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let work = || {
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(scenario) = scenarios.get(index)
        {
            let replay = in_new_cluster(scenario);
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(index, replay);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        // Whatever cannot be spawned, the threads that could do; and this one if none could.
        let spawned = (0..threads)
            .filter(|_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_ok())
            .count();
        if spawned == 0 {
            work();
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

/// Replays `scenario` against an [`ApiServer`] of its own.
pub fn in_new_cluster(scenario: &Scenario) -> Replay<'_> {
    let clock = ManualClock::new(Duration::from_secs(BEGINNING));
    let made = panics::catch(|| {
        ApiServer::new(Config {
            first_revision: FIRST_REVISION,
            tokens: Some(TOKENS.iter().map(user).collect()),
            formats: apiserver::Formats::ALL.with_gzip(gzip),
            ..Config::new(Arc::new(clock.clone()), Arc::new(SeededRandom::new(hash(&scenario.name))))
        })
    });
    match made {
        Ok(server) => replay(scenario, &server, &clock),
        Err(panic) => Replay { scenario, answers: Vec::new(), broke_off: Some(panicked(&panic)) },
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut compressed = Vec::new();
    // Reading from memory does not fail.
    let _ = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast()).read_to_end(&mut compressed);
    compressed
}

fn panicked(panic: &str) -> String {
    format!("the server panicked: {panic}")
}

fn user(&(token, name, uid, group): &(&str, &str, &str, &str)) -> (String, User) {
    let user = User {
        name: name.to_owned(),
        uid: uid.to_owned(),
        groups: vec![group.to_owned()],
        ..User::default()
    };
    (token.to_owned(), user)
}

/// The name that stands for `${ns}` in a scenario of this name: eight letters after `cf-`, the same in every run.
pub fn own_name(scenario: &str) -> String {
    let mut rest = hash(scenario);
    let letters = std::iter::repeat_with(|| {
        let letter = b'a' + (rest % 26) as u8;
        rest /= 26;
        char::from(letter)
    });
    letters.take(8).fold("cf-".to_owned(), |name, letter| name + letter.encode_utf8(&mut [0; 4]))
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
