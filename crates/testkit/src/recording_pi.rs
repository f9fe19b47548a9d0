//! The real Pi in its protocol mode, with an extension that writes the session events down.

use fs_err::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::oracle::{PiVersion, folder, locate};

const RECORDER: &str = include_str!("../oracle/recorder.mjs");
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A running Pi that speaks its protocol. Ends with the value.
#[derive(Debug)]
pub struct RecordingPi {
    child: Child,
    requests: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The recorder, what it wrote, and how it answers.
    files: TempDir,
    /// How many recorded events were fetched.
    fetched: usize,
}

impl RecordingPi {
    /// Starts Pi in a folder. `agent` is its agent folder; `arguments` follow those that keep it
    /// from reading anything else.
    pub fn start(cwd: &Path, agent: &Path, arguments: &[&str]) -> Result<Self> {
        let (node, module) = locate(&folder(), PiVersion::Current)?;
        let files = tempfile::Builder::new().prefix("pitree-recorder-").tempdir()?;
        let recorder = files.path().join("recorder.mjs");
        fs_err::write(&recorder, RECORDER)?;
        fs_err::write(files.path().join("answers.json"), "{}")?;
        let complaints = File::create(files.path().join("complaints"))?;
        let mut child = Command::new(node)
            .arg(recorder)
            .arg(module)
            .args(["--mode", "rpc", "--offline", "-ne", "--no-skills", "-nc", "-np"])
            .args(["--no-themes", "--model", "anthropic/claude-sonnet-4-5"])
            .args(arguments)
            .current_dir(cwd)
            .env("TZ", "UTC")
            .env("HOME", files.path())
            .env("PI_CODING_AGENT_DIR", agent)
            .env("ANTHROPIC_API_KEY", "none")
            .env("PI_OFFLINE", "1")
            .env("PI_TELEMETRY", "0")
            .env("RECORDER_EVENTS", files.path().join("events.jsonl"))
            .env("RECORDER_ANSWERS", files.path().join("answers.json"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(complaints.into_file())
            .spawn()?;
        let requests = child.stdin.take();
        let output = child.stdout.take().context("Pi has no standard output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, requests, lines, files, fetched: 0 })
    }

    /// Sets how the extension answers: an object from event names to answers. A compaction gets
    /// the `firstKeptEntryId` that Pi prepared, and its summary a number.
    pub fn set_answers(&self, answers: &Value) -> Result<()> {
        Ok(fs_err::write(self.files.path().join("answers.json"), answers.to_string())?)
    }

    /// Sends a command and waits for its response. Other lines before it are events.
    pub fn command(&mut self, command: &Value) -> Result<(Vec<Value>, Value)> {
        let requests = self.requests.as_mut().context("Pi's input is closed")?;
        writeln!(requests, "{command}")?;
        requests.flush()?;
        let mut events = Vec::new();
        loop {
            let Ok(line) = self.lines.recv_timeout(LONGEST_WAIT) else {
                let complaints = self.files.path().join("complaints");
                let complaints = fs_err::read_to_string(complaints).unwrap_or_default();
                bail!("Pi gave no answer to {command}: {complaints}");
            };
            let value: Value = serde_json::from_str(&line)?;
            if value["type"] == "response" {
                return Ok((events, value));
            }
            events.push(value);
        }
    }

    /// Moves in the tree and returns what Pi's `navigateTree` returned.
    pub fn navigate(&mut self, target: &str, options: &Value) -> Result<Vec<Value>> {
        let line = json!({ "target": target, "options": options });
        self.command(&json!({ "type": "prompt", "message": format!("/goto {line}") }))?;
        self.recorded()
    }

    /// The session events that were recorded since this was called last.
    pub fn recorded(&mut self) -> Result<Vec<Value>> {
        let text = fs_err::read_to_string(self.record()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().skip(self.fetched).collect();
        self.fetched += lines.len();
        lines.into_iter().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// Closes Pi's input and waits for its end; returns the last events.
    pub fn finish(mut self) -> Result<Vec<Value>> {
        self.requests = None;
        self.child.wait()?;
        self.recorded()
    }

    fn record(&self) -> PathBuf {
        self.files.path().join("events.jsonl")
    }
}

impl Drop for RecordingPi {
    fn drop(&mut self) {
        // Nothing can be done about a child that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
