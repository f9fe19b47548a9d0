//! A test of the running program that runs again as a process of its own, to be killed or to have
//! its disk taken away.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use anyhow::{Result, ensure};

/// What a child says when it begins to work.
const READY: &str = "ready";

/// Whether the long tests are to run too: `PITREE_FULL=1`.
pub fn is_full() -> bool {
    std::env::var("PITREE_FULL").is_ok_and(|value| value == "1")
}

/// How often a test of one kind of work kills it.
pub fn kills() -> usize {
    if is_full() { 200 } else { 20 }
}

/// The test that children run. It must do nothing unless a variable tells it what to do.
#[derive(Clone, Copy, Debug)]
pub struct Body(pub &'static str);

impl Body {
    /// This program with that test alone, not started yet.
    pub fn command(self) -> Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(self.args()).stdin(Stdio::null());
        Ok(command)
    }

    /// What this program is told to run that test alone.
    pub fn args(self) -> [&'static str; 4] {
        [self.0, "--exact", "--nocapture", "--test-threads=1"]
    }

    /// Starts a child with these variables, and waits until it works.
    pub fn start(self, variables: &[(&str, &OsStr)]) -> Result<Child> {
        let mut command = self.command()?;
        command.envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let output = child.stdout.take();
        let mut output = BufReader::new(output.ok_or_else(|| anyhow::anyhow!("no output"))?);
        let mut line = String::new();
        while !line.starts_with(READY) {
            line.clear();
            ensure!(output.read_line(&mut line)? > 0, "the child ended before it began");
        }
        // What it says later goes nowhere, and must not stop it.
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        Ok(child)
    }

    /// Called by the child itself: it works from now on.
    pub fn ready() -> Result<()> {
        let mut output = std::io::stdout();
        // What the test program itself says before has no end of line.
        writeln!(output, "\n{READY}")?;
        Ok(output.flush()?)
    }
}
