//! The steps of the model: everything that can happen, one at a time.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::query::{Field, LABELS, NAMES, NAMESPACES, Query};

/// Which version a read asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Version {
    Unset,
    Zero,
    /// So many before the newest.
    Back(u64),
    /// So many after the newest.
    Ahead(u64),
}

/// The value of the parameter `resourceVersionMatch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Unset,
    NotOlderThan,
    Exact,
}

/// A watch that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) query: Query,
    pub(crate) version: Version,
    pub(crate) initial: Option<bool>,
    pub(crate) bookmarks: bool,
    pub(crate) timeout: Option<i64>,
    /// By the deprecated path, and if so whether `watch=1` stands in the query, too.
    pub(crate) path: Option<bool>,
}

/// One thing that happens. Numbers that stand for what is there count modulo how much of it there is.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Creates or replaces an object.
    Write {
        server: usize,
        namespace: usize,
        name: usize,
        labels: usize,
        finalizer: bool,
    },
    /// Replaces an object with what it is.
    Rewrite {
        server: usize,
        number: usize,
    },
    /// Writes an object many times.
    Burst {
        server: usize,
        namespace: usize,
        name: usize,
        times: usize,
    },
    Delete {
        server: usize,
        number: usize,
    },
    /// Writes something of another resource.
    Elsewhere {
        server: usize,
    },
    Compact {
        back: u64,
    },
    Forget {
        server: usize,
        back: u64,
    },
    Lag {
        server: usize,
        seconds: u64,
    },
    Stop {
        server: usize,
        stopped: bool,
    },
    /// Time passes. Then a watch or a request may be looked at before anybody else asks what the time has brought.
    Advance {
        milliseconds: u64,
        watch: Option<usize>,
        call: Option<usize>,
    },
    Join,
    List {
        server: usize,
        query: Query,
        version: Version,
        matching: Match,
        limit: usize,
    },
    /// Reads the next page of a list that was begun.
    Continue {
        server: usize,
        number: usize,
        limit: usize,
    },
    Get {
        server: usize,
        namespace: usize,
        name: usize,
        version: Version,
    },
    /// Looks at a request that waits.
    Look {
        number: usize,
    },
    Open {
        server: usize,
        open: Open,
    },
    /// Reads a watch, or no more of it than so many frames.
    Read {
        number: usize,
        frames: Option<usize>,
    },
    ReadAll,
    /// Closes a watch, which may be resumed.
    Cut {
        number: usize,
    },
    Resume {
        server: usize,
        number: usize,
        bookmarks: bool,
    },
    /// Breaks a watch.
    Drop {
        number: usize,
    },
}

fn version() -> impl Strategy<Value = Version> {
    prop_oneof![
        3 => Just(Version::Unset),
        3 => Just(Version::Zero),
        5 => (0..12_u64).prop_map(Version::Back),
        1 => (0..200_u64).prop_map(Version::Back),
        2 => (1..4_u64).prop_map(Version::Ahead),
    ]
}

fn query() -> impl Strategy<Value = Query> {
    let (names, namespaces) = (0..NAMES.len(), 0..NAMESPACES.len());
    let field = prop_oneof![
        6 => Just(Field::None),
        2 => names.clone().prop_map(Field::Name),
        1 => names.prop_map(Field::NotName),
        1 => namespaces.clone().prop_map(Field::Namespace),
    ];
    let selector = prop_oneof![2 => Just(0), 3 => 1..7_usize];
    (option::of(namespaces), field, selector).prop_map(|(namespace, field, selector)| Query {
        namespace,
        field,
        selector,
    })
}

fn open() -> impl Strategy<Value = Open> {
    let initial = prop_oneof![4 => Just(None), 2 => Just(Some(true)), 1 => Just(Some(false))];
    let timeout =
        prop_oneof![8 => Just(None), 2 => (1..100_i64).prop_map(Some), 1 => (-1..1_i64).prop_map(Some)];
    let path = prop_oneof![8 => Just(None), 1 => Just(Some(true)), 1 => Just(Some(false))];
    (query(), version(), initial, any::<bool>(), timeout, path).prop_map(
        |(query, version, initial, bookmarks, timeout, path)| {
            // Without `watch=1` these are the options of a list, which has no initial events.
            let initial = initial.filter(|_| path != Some(false));
            Open { query, version, initial, bookmarks, timeout, path }
        },
    )
}

/// A version of a list, and how it is meant; those that go together.
fn list_version() -> impl Strategy<Value = (Version, Match)> {
    let matching =
        prop_oneof![3 => Just(Match::Unset), 1 => Just(Match::NotOlderThan), 2 => Just(Match::Exact)];
    (version(), matching).prop_map(|(version, matching)| match (version, matching) {
        (Version::Unset, _) => (version, Match::Unset),
        (Version::Zero, Match::Exact) => (version, Match::NotOlderThan),
        both => both,
    })
}

fn writes() -> impl Strategy<Value = Step> {
    let object = || (0..3_usize, 0..NAMESPACES.len(), 0..NAMES.len());
    prop_oneof![
        12 => (object(), 0..LABELS.len(), prop::bool::weighted(0.15)).prop_map(
            |((server, namespace, name), labels, finalizer)| Step::Write { server, namespace, name, labels, finalizer }
        ),
        1 => (0..3_usize, any::<usize>()).prop_map(|(server, number)| Step::Rewrite { server, number }),
        1 => (object(), 2..40_usize).prop_map(
            |((server, namespace, name), times)| Step::Burst { server, namespace, name, times }
        ),
        4 => (0..3_usize, any::<usize>()).prop_map(|(server, number)| Step::Delete { server, number }),
        2 => (0..3_usize).prop_map(|server| Step::Elsewhere { server }),
    ]
}

fn advance(most: u64) -> impl Strategy<Value = Step> {
    (0..most, option::of(any::<usize>()), option::of(any::<usize>()))
        .prop_map(|(milliseconds, watch, call)| Step::Advance { milliseconds, watch, call })
}

fn interference() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..30_u64).prop_map(|back| Step::Compact { back }),
        2 => (0..3_usize, 0..30_u64).prop_map(|(server, back)| Step::Forget { server, back }),
        3 => (0..3_usize, prop_oneof![2 => Just(0), 1 => 1..6_u64])
            .prop_map(|(server, seconds)| Step::Lag { server, seconds }),
        4 => (0..3_usize, prop::bool::weighted(0.4))
            .prop_map(|(server, stopped)| Step::Stop { server, stopped }),
        8 => advance(3_000),
        2 => advance(70_000),
        1 => Just(Step::Join),
    ]
}

fn reads() -> impl Strategy<Value = Step> {
    let server = 0..3_usize;
    let limit = prop_oneof![1 => Just(0), 1 => 1..4_usize];
    prop_oneof![
        4 => (server.clone(), query(), list_version(), limit).prop_map(
            |(server, query, (version, matching), limit)| Step::List { server, query, version, matching, limit }
        ),
        4 => (server.clone(), any::<usize>(), 0..4_usize)
            .prop_map(|(server, number, limit)| Step::Continue { server, number, limit }),
        1 => (server, 0..NAMESPACES.len(), 0..NAMES.len(), version())
            .prop_map(|(server, namespace, name, version)| Step::Get { server, namespace, name, version }),
        3 => any::<usize>().prop_map(|number| Step::Look { number }),
    ]
}

fn watches() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize, open()).prop_map(|(server, open)| Step::Open { server, open }),
        6 => (any::<usize>(), option::weighted(0.2, 1..5_usize))
            .prop_map(|(number, frames)| Step::Read { number, frames }),
        2 => Just(Step::ReadAll),
        2 => any::<usize>().prop_map(|number| Step::Cut { number }),
        3 => (0..3_usize, any::<usize>(), any::<bool>())
            .prop_map(|(server, number, bookmarks)| Step::Resume { server, number, bookmarks }),
        1 => any::<usize>().prop_map(|number| Step::Drop { number }),
    ]
}

/// As many random steps.
pub(crate) fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    vec(prop_oneof![5 => writes(), 3 => interference(), 3 => reads(), 4 => watches()], count)
}
