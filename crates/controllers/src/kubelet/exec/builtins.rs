//! Commands that a shell does itself, for they change it.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_15>.

use super::files::resolve;
use super::ran::Ran;
use super::shell::Shell;
use super::variables::set;

impl Shell {
    pub(super) fn change_directory(&mut self, to: Option<&String>) -> Ran {
        let to = to.cloned().unwrap_or_else(|| self.variable("HOME"));
        let path = resolve(&self.directory, &to);
        if !self.machine.files.is_directory(&path) {
            return Ran::unknown(&["sh: cd: can't cd to ", &to, ": No such file or directory"], 1);
        }
        self.directory = path;
        Ran::default()
    }

    pub(super) fn export(&mut self, words: &[String]) -> Ran {
        for word in words {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, value.to_owned()),
                None => (word.as_str(), self.variable(word)),
            };
            self.own.retain(|(own, _)| own != name);
            set(&mut self.machine.environment, name, value);
        }
        Ran::default()
    }

    pub(super) fn assign(&mut self, name: &str, value: String) {
        let is_exported = self.machine.environment.iter().any(|(own, _)| own == name);
        set(if is_exported { &mut self.machine.environment } else { &mut self.own }, name, value);
    }
}
