//! The real Pi in RPC mode, with an extension that writes the session events down and answers them
//! as it is told.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::oracle;
use crate::pi_rpc::PiRpc;

const RECORDER: &str = include_str!("../oracle/recorder.mjs");

/// A running Pi whose session events are recorded. Ends with the value.
#[derive(Debug)]
pub struct PiRecorder {
    pi: PiRpc,
    /// The recorder, what it wrote, and how it answers.
    files: TempDir,
    /// How many recorded events were fetched.
    fetched: usize,
}

impl PiRecorder {
    /// Starts Pi with a home folder, whose `agent` is the agent folder, in a working directory.
    /// Its model is one that Pi knows, with a key that opens nothing, unless `args` name another.
    pub fn start(home: &Path, cwd: &Path, args: &[&str]) -> Result<Self> {
        let files = tempfile::Builder::new().prefix("pitree-recorder-").tempdir()?;
        let path = |name: &str| files.path().join(name);
        fs_err::write(path("recorder.mjs"), RECORDER)?;
        fs_err::write(path("answers.json"), "{}")?;
        let (_, cli) = oracle::command_line()?;
        let module = cli.with_file_name("index.js");
        let (events, answers) = (path("events.jsonl"), path("answers.json"));
        let variables = [
            ("TZ", "UTC"),
            ("ANTHROPIC_API_KEY", "none"),
            ("RECORDER_EVENTS", events.to_str().context("the path is no text")?),
            ("RECORDER_ANSWERS", answers.to_str().context("the path is no text")?),
        ];
        let args = [&["--model", "anthropic/claude-sonnet-4-5"], args].concat();
        let program = [&*path("recorder.mjs"), &*module];
        let pi = PiRpc::start_program(&program, home, cwd, &variables, &args)?;
        Ok(Self { pi, files, fetched: 0 })
    }

    /// Sets how the extension answers: an object from event names to answers. A compaction gets
    /// the `firstKeptEntryId` that Pi prepared, and its summary a number.
    pub fn set_answers(&self, answers: &Value) -> Result<()> {
        Ok(fs_err::write(self.files.path().join("answers.json"), answers.to_string())?)
    }

    /// Sends a command and waits for its response.
    pub fn ask(&mut self, command: Value) -> Result<Value> {
        self.pi.ask(command)
    }

    /// Waits for an event of the protocol.
    pub fn wait_for(&mut self, event: &str) -> Result<()> {
        self.pi.wait_for(event)
    }

    /// Moves in the tree. What is recorded last is what Pi's `navigateTree` returned.
    pub fn navigate(&mut self, target: &str, options: &Value) -> Result<Vec<Value>> {
        let line = json!({ "target": target, "options": options });
        self.ask(json!({ "type": "prompt", "message": format!("/goto {line}") }))?;
        self.recorded()
    }

    /// The session events that were recorded since this was called last.
    pub fn recorded(&mut self) -> Result<Vec<Value>> {
        let text = fs_err::read_to_string(self.files.path().join("events.jsonl"));
        let text = text.unwrap_or_default();
        let lines: Vec<&str> = text.lines().skip(self.fetched).collect();
        self.fetched += lines.len();
        lines.into_iter().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// Closes Pi's input, waits for its end and returns the last events.
    pub fn finish(mut self) -> Result<Vec<Value>> {
        self.pi.finish()?;
        self.recorded()
    }
}
