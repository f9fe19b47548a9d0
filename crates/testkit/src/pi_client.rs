//! The client class of the real Pi, which drives Pi itself or another program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::oracle::Oracle;

const CLIENT: &str = include_str!("../oracle/client.mjs");
const STAND_IN: &str = include_str!("../oracle/stand_in.mjs");
/// Nothing but the session: no extensions, skills, context files, prompts or themes.
const BARE: [&str; 6] = ["--offline", "-ne", "--no-skills", "-nc", "-np", "--no-themes"];

/// A conversation that Pi's `RpcClient` holds.
#[derive(Clone, Debug)]
pub struct ClientPlan<'a> {
    /// The program to drive; `None` is Pi itself.
    pub program: Option<&'a Path>,
    /// Its working directory.
    pub cwd: &'a Path,
    /// Its arguments, besides those that every server gets.
    pub args: &'a [&'a str],
    /// The variables that it sees, besides `PATH`.
    pub variables: &'a [(&'a str, &'a Path)],
    /// Each step: a method of the class and its arguments.
    pub steps: Vec<Value>,
    /// How long to listen for events after each step, in milliseconds.
    pub pause_ms: u64,
}

impl ClientPlan<'_> {
    /// Holds the conversation. Each step comes back as one line of JSON: `method`, `args`,
    /// `value` or `error`, and the `events` that came with it.
    pub fn run(&self) -> Result<Vec<String>> {
        let paths = Oracle::paths()?;
        let folder = tempfile::tempdir()?;
        let script = |name: &str, text: &str| -> Result<_> {
            let path = folder.path().join(name);
            fs_err::File::create(&path)?.write_all(text.as_bytes())?;
            Ok(path)
        };
        let client = script("client.mjs", CLIENT)?;
        let stand_in = script("stand_in.mjs", STAND_IN)?;
        let mut args: Vec<&str> = if self.program.is_none() { BARE.into() } else { Vec::new() };
        args.extend(self.args);
        let plan = json!({
            "module": paths.module,
            "cliPath": if self.program.is_some() { &stand_in } else { &paths.cli },
            "cwd": self.cwd,
            "args": args,
            "steps": self.steps,
            "pauseMs": self.pause_ms,
        });
        let node_folder = paths.node.parent().context("Node lies in no folder")?;
        let output = Command::new(&paths.node)
            .arg(client)
            .arg(plan.to_string())
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", node_folder.display()))
            .env("PI_OFFLINE", "1")
            .env("PI_TELEMETRY", "0")
            .envs(self.program.map(|program| ("STAND_IN", program)))
            .envs(self.variables.iter().copied())
            .stderr(Stdio::piped())
            .output()?;
        let complaints = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the client failed: {complaints}");
        let text = String::from_utf8(output.stdout)?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        ensure!(lines.len() == self.steps.len(), "the client stopped early: {complaints}");
        Ok(lines)
    }
}
