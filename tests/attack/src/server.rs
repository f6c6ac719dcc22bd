//! The server that is attacked.

use std::io;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// `kubeglass serve`, on a port of its own.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) async fn start(program: &str) -> io::Result<Self> {
        let mut command = Command::new(program);
        // What is deleted or overwritten is to be forgotten soon.
        command.args(["serve", "--listen", "127.0.0.1:0", "--compaction-interval", "5"]);
        let mut child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn()?;
        let silent = || io::Error::other("the server does not say where it listens");
        let errors = child.stderr.take().ok_or_else(silent)?;
        let line = BufReader::new(errors).lines().next_line().await?.unwrap_or_default();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        Ok(Self { child, address: address.ok_or_else(silent)? })
    }

    /// How many megabytes of memory it has, where the system tells that.
    pub(crate) fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
    }

    /// Tells it to end, and returns whether it has in time.
    pub(crate) async fn end(&mut self, within: Duration) -> bool {
        let Some(process) = self.child.id() else { return true };
        let told = Command::new("kill").args(["-TERM", &process.to_string()]).status().await;
        told.is_ok_and(|status| status.success()) && timeout(within, self.child.wait()).await.is_ok()
    }
}
