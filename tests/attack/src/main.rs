//! `cargo xtask attack`: what strangers do to a server, and what an honest client feels of it.
//!
//! The program starts `kubeglass serve`, attacks it in one way after the other, and prints for each how long such a request
//! takes alone, how long an honest one takes meanwhile, and how much memory the server has. Afterwards the memory has to go
//! back, and the server has to end when it is told to, whatever it computes.

mod attacks;
mod bombs;
mod client;
mod honest;
mod server;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use attacks::ATTACKS;
use bombs::BOMBS;
use client::Client;
use honest::Honest;
use server::Server;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The limits of an attack.
struct Limits {
    /// How long an honest request may take, but for one in a hundred.
    p99: Duration,
    /// How long any may take.
    longest: Duration,
    /// How long the request of an attacker may take alone.
    alone: Duration,
    /// How often an attack may do too much before that counts.
    patience: usize,
}

/// For an optimised server on a machine that does nothing else.
const STRICT: Limits = Limits {
    p99: Duration::from_millis(20),
    longest: Duration::from_millis(500),
    alone: Duration::from_secs(1),
    patience: 0,
};
/// For one that was built for tests, on a machine that may do other things: for a moment they may take all of it.
const LOOSE: Limits = Limits {
    p99: Duration::from_millis(500),
    longest: Duration::from_secs(2),
    alone: Duration::from_secs(20),
    patience: 1,
};

/// How many megabytes the server may have more than before: 256, and 20 times the 6 MB that two requests have.
const MEMORY: u64 = 256 + 20 * 6;
/// By how much of what it had before, in hundredths, it may be larger a minute after, and how long that may take.
const AFTERWARDS: (u64, Duration) = (150, Duration::from_secs(60));
/// How long a server may take to end that is told to.
const END: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> ExitCode {
    // 10,000 connections are as many files.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (limits, args) = match args.as_slice() {
        ["--loose", rest @ ..] => (&LOOSE, rest),
        rest => (&STRICT, rest),
    };
    let (program, seconds, word) = match args {
        [program, seconds] => (program, seconds.parse(), ""),
        [program, seconds, word] => (program, seconds.parse(), *word),
        _ => return usage(),
    };
    let Ok(seconds) = seconds else { return usage() };
    let each = Duration::from_secs(seconds) / (BOMBS.len() + ATTACKS.len()) as u32;
    match run(program, limits, each, word).await {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: kubeglass-attack [--loose] PROGRAM SECONDS [WORD], of seconds for all attacks");
    ExitCode::FAILURE
}

/// Attacks for some time in each of the ways whose names hold a word, and returns how many did too much.
async fn run(program: &str, limits: &Limits, during: Duration, word: &str) -> std::io::Result<usize> {
    let mut server = Server::start(program).await?;
    let mut client = Client::connect(server.address).await?;
    for request in bombs::prepared() {
        client.send(&request).await?;
    }
    drop(client);
    let before = server.memory().unwrap_or_default();
    let mut failed = 0;
    println!(
        "{:<40} {:>9} {:>9} {:>9} {:>9} {:>7} {:>8}",
        "attack", "alone", "p50", "p99", "longest", "failed", "memory"
    );
    for bomb in BOMBS.iter().filter(|bomb| bomb.name.contains(word)) {
        let requests = Arc::new(vec![(bomb.request)()]);
        let begin = |tasks: &mut JoinSet<()>| {
            for _ in 0..2 {
                attacks::repeat(server.address, tasks, Arc::clone(&requests), 0);
            }
        };
        let alone = Some((requests[0].as_slice(), bomb.code));
        failed += usize::from(!attack(&server, limits, (bomb.name, alone), during, before, begin).await);
    }
    for one in ATTACKS.iter().filter(|one| one.name.contains(word)) {
        let begin = |tasks: &mut JoinSet<()>| (one.begin)(server.address, tasks);
        failed += usize::from(!attack(&server, limits, (one.name, None), during, before, begin).await);
    }
    failed += usize::from(!gives_memory_back(&server, before).await);
    failed += usize::from(!ends(&mut server).await);
    Ok(failed)
}

/// Measures how long a request takes while there is no other. One whose response has another code takes for ever.
async fn alone(server: &Server, request: &[u8], code: u16) -> Duration {
    let begin = Instant::now();
    let sent = async { Client::connect(server.address).await?.send(request).await };
    match timeout(Duration::from_secs(60), sent).await {
        Ok(Ok(found)) if found == code => begin.elapsed(),
        Ok(Ok(found)) => {
            println!("a response with code {found} instead of {code}:");
            Duration::MAX
        }
        _ => Duration::MAX,
    }
}

/// Attacks for some time, once more if that was too much and there is patience, and returns whether it was allowed. A request
/// whose response has to have some code is sent alone before.
async fn attack(
    server: &Server,
    limits: &Limits,
    (name, request): (&str, Option<(&[u8], u16)>),
    during: Duration,
    before: u64,
    begin: impl Fn(&mut JoinSet<()>),
) -> bool {
    for _ in 0..=limits.patience {
        let alone = match request {
            Some((request, code)) => Some(alone(server, request, code).await),
            None => None,
        };
        if measured(server, limits, (name, alone), during, before, &begin).await {
            return true;
        }
    }
    false
}

/// Attacks for some time once what earlier attacks had has gone back, prints what was measured, and returns whether that was
/// allowed.
async fn measured(
    server: &Server,
    limits: &Limits,
    (name, alone): (&str, Option<Duration>),
    during: Duration,
    before: u64,
    begin: impl Fn(&mut JoinSet<()>),
) -> bool {
    memory_after(server, before).await;
    let mut tasks = JoinSet::new();
    let honest = Honest::start(server.address);
    begin(&mut tasks);
    let (start, mut memory) = (Instant::now(), 0);
    while start.elapsed() < during {
        memory = memory.max(server.memory().unwrap_or_default());
        sleep(Duration::from_millis(10)).await;
    }
    tasks.shutdown().await;
    let Ok(times) = tokio::task::spawn_blocking(|| honest.finish()).await else { return false };
    let [p50, p99, longest] = [50, 99, 100].map(|percent| times.percentile(percent));
    let allowed = times.failed == 0
        && p99 <= limits.p99
        && longest <= limits.longest
        && memory <= before + MEMORY
        && alone.is_none_or(|alone| alone <= limits.alone);
    let [p50, p99, longest] = [p50, p99, longest].map(milliseconds);
    let (alone, note) =
        (alone.map_or_else(String::new, milliseconds), if allowed { "" } else { "  TOO MUCH" });
    println!("{name:<40} {alone:>9} {p50:>9} {p99:>9} {longest:>9} {:>7} {memory:>5} MB{note}", times.failed);
    allowed
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Waits for the memory to go back, prints how much there is then, and returns whether it did.
async fn gives_memory_back(server: &Server, before: u64) -> bool {
    let begin = Instant::now();
    let (memory, back) = memory_after(server, before).await;
    let note = if back { "" } else { "  TOO MUCH" };
    println!("memory: {before} MB before, {memory} MB {:.1} s after{note}", begin.elapsed().as_secs_f64());
    back
}

/// Waits for the memory to go back, for a minute at most, and returns how much there is then, and whether that is little enough.
async fn memory_after(server: &Server, before: u64) -> (u64, bool) {
    let (begin, (percent, patience)) = (Instant::now(), AFTERWARDS);
    loop {
        // What is compacted is forgotten when the next request comes.
        let mut client = Client::connect(server.address).await.ok();
        if let Some(client) = &mut client {
            let _ = client.send(&client::request("GET /livez", "", b"", 0)).await;
        }
        let memory = server.memory().unwrap_or_default();
        let back = memory <= before * percent / 100;
        if back || begin.elapsed() > patience {
            return (memory, back);
        }
        sleep(Duration::from_secs(1)).await;
    }
}

/// Tells the server to end while it computes.
async fn ends(server: &mut Server) -> bool {
    let mut tasks = JoinSet::new();
    for bomb in BOMBS.iter().take(2) {
        attacks::repeat(server.address, &mut tasks, Arc::new(vec![(bomb.request)()]), 0);
    }
    sleep(Duration::from_millis(300)).await;
    let begin = Instant::now();
    let ended = server.end(END).await;
    println!(
        "ends {:.1} s after it is told to{}",
        begin.elapsed().as_secs_f64(),
        if ended { "" } else { "  TOO LATE" }
    );
    ended
}
