//! The browser that the tests run in.

use crate::shell::Shell;

/// The first is Chromium without the windows that nobody sees here: it opens a page in half the time.
const ON_PATH: [&str; 6] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

const ELSEWHERE: [&str; 4] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/snap/bin/chromium",
    "/usr/lib/chromium/chromium",
];

/// The first browser that answers when it is asked for its version. If `CHROMIUM` is set, no other will do.
pub(super) fn find(shell: &Shell) -> Option<String> {
    let answers = |program: &str| shell.output(&[program, "--version"]).is_some();
    if let Ok(chosen) = std::env::var("CHROMIUM") {
        return answers(&chosen).then_some(chosen);
    }
    let found = ON_PATH.iter().filter_map(|name| shell.find(name)).map(|path| path.display().to_string());
    found.chain(ELSEWHERE.map(str::to_owned)).find(|program| answers(program))
}

/// Installs the first, or the second where the distribution has no package of the first.
const INSTALL: &str = "apt-get install -y chromium-headless-shell || apt-get install -y chromium";

/// How apt installs it, where there is apt and the right to use it.
pub(super) fn install(shell: &Shell) -> Result<Vec<Vec<String>>, String> {
    if std::env::var_os("CHROMIUM").is_some() {
        return Err("CHROMIUM names no browser that runs".to_owned());
    }
    if shell.find("apt-get").is_none() {
        return Ok(vec![]);
    }
    let rights: &[&str] = if shell.output(&["id", "-u"]).is_some_and(|id| id.trim() == "0") {
        &[]
    } else if shell.output(&["sudo", "-n", "true"]).is_some() {
        &["sudo", "-n"]
    } else {
        return Err("apt-get needs root".to_owned());
    };
    let by_root = |words: &[&str]| rights.iter().chain(words).map(|&word| word.to_owned()).collect();
    Ok(vec![by_root(&["apt-get", "update"]), by_root(&["sh", "-c", INSTALL])])
}
