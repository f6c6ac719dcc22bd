//! `cargo xtask bench`: the benchmarks of all crates, and their results in one table.

use crate::{
    page,
    shell::Shell,
    tools::{Tool, Tools},
};

/// The folder in which the peers are installed.
const PEERS: &str = "target/peers";
/// Another Kubernetes in JavaScript. Its modules name each other without endings, which Node does not find: it is bundled.
const PEER: &str = "@ngrok/webernetes@0.3.5";

/// Runs the benchmarks of every crate that has some; of `peers`, the npm package beside others.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    if args == ["peers"] {
        return peers(shell, tools);
    }
    tools.ensure(&[Tool::Crates])?;
    let args = args.strip_prefix(&["--"]).unwrap_or(args);
    let outcome = shell
        .watch(&[&["cargo", "bench", "--locked", "--workspace", "--bench", "*", "--"], args].concat(), &[])?;
    let results = results(&outcome.lines);
    println!("\n{}", results.join("\n"));
    match (outcome.success, results.is_empty()) {
        (false, _) => Err("Some benchmarks failed.".to_owned()),
        (true, true) => Err("There were no benchmarks.".to_owned()),
        (true, false) => Ok(()),
    }
}

/// Does the same work with the npm package and with webernetes. It needs the network, to install that.
fn peers(shell: &Shell, tools: &mut Tools<'_>) -> Result<(), String> {
    page::package::run(shell, tools, &[])?;
    let folder = shell.root().join(PEERS);
    let failed = |error: std::io::Error| format!("{PEERS} cannot be written: {error}");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(folder.join("all.mjs"), "export * from '@ngrok/webernetes';\n").map_err(failed)?;
    shell.run(&["npm", "install", "--prefix", PEERS, "--no-audit", "--no-fund", PEER])?;
    let (from, to) = (format!("{PEERS}/all.mjs"), format!("--outfile={PEERS}/webernetes.mjs"));
    let node =
        "--banner:js=import { createRequire } from 'module'; const require = createRequire(import.meta.url);";
    shell.run(&[
        "esbuild",
        &from,
        "--bundle",
        "--platform=node",
        "--format=esm",
        "--log-level=error",
        node,
        &to,
    ])?;
    let peer = format!("{PEERS}/webernetes.mjs");
    shell.run(&["node", "tests/peers/peers.mjs", "target/engine/index.js", &peer])
}

/// One line per benchmark: its name, the middle of the time that criterion estimates, and of the throughput.
///
/// criterion prints `name   time:   [1.0 µs 1.1 µs 1.2 µs]`, the name in a line of its own where it is long, and
/// perhaps `thrpt:  [...]` in a line after it. Benchmarks of memory print `name: 123 bytes`.
fn results(lines: &[String]) -> Vec<String> {
    let mut results: Vec<String> = Vec::new();
    let mut name = "";
    for line in lines {
        if let Some((before, after)) = line.split_once("time:   [") {
            let before = before.trim();
            name = if before.is_empty() { name } else { before };
            results.extend(middle(after).map(|time| format!("{name:<50} {time:>14}")));
        } else if let Some((_, after)) = line.split_once("thrpt:  [") {
            if let (Some(result), Some(throughput)) = (results.last_mut(), middle(after)) {
                result.push_str(&format!(" {throughput:>18}"));
            }
        } else if let Some((what, size)) = line.split_once(": ").filter(|(_, size)| size.ends_with(" bytes"))
        {
            results.push(format!("{what:<50} {size:>14}"));
        } else if !line.starts_with(' ') && !line.is_empty() {
            name = line;
        }
    }
    results
}

/// The second of three measures such as `1.0 µs 1.1 µs 1.2 µs]`; changes in per cent, which have no unit, are none.
fn middle(measures: &str) -> Option<String> {
    let words: Vec<&str> = measures.split(']').next()?.split_whitespace().collect();
    match words[..] {
        [_, _, number, unit, _, _] => Some(format!("{number} {unit}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(printed: &str, expected: &[&str]) {
        let lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        let found: Vec<String> = results(&lines)
            .iter()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn criterion() {
        check("Running benches/store.rs\nGnuplot not found\n", &[]);
        check("index of 100 revisions: 8906 bytes\n", &["index of 100 revisions 8906 bytes"]);
        check("put   time:   [1.0 µs 1.1 µs 1.2 µs]\n", &["put 1.1 µs"]);
        let changed = "Benchmarking range\na long name/10000\n                time:   [1.0 ms 1.1 ms 1.2 ms]\n\
                       \u{20}               thrpt:  [1.0 Melem/s 2.0 Melem/s 3.0 Melem/s]\n\
                       \u{20}               change:\n\
                       \u{20}               time:   [-1.0% +0.1% +1.0%] (p = 0.5 > 0.05)\n\
                       \u{20}               thrpt:  [-1.0% +0.1% +1.0%]\n";
        check(changed, &["a long name/10000 1.1 ms 2.0 Melem/s"]);
    }
}
