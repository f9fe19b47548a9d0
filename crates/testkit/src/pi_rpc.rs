//! The real Pi in RPC mode, driven over its pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::oracle;

const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Nothing but the session: no extensions, skills, context files, prompts or themes.
const BARE: [&str; 8] =
    ["--mode", "rpc", "--offline", "-ne", "--no-skills", "-nc", "-np", "--no-themes"];

/// A running `pi --mode rpc`. Ends with the value.
#[derive(Debug)]
pub struct PiRpc {
    child: Child,
    /// None once it is closed.
    requests: Option<ChildStdin>,
    lines: Receiver<Value>,
    asked: usize,
    events: Vec<Value>,
    /// Answers that came before they were waited for: Pi answers in any order.
    early: Vec<Value>,
}

impl PiRpc {
    /// Starts Pi with a home folder, whose `agent` is the agent folder, in a working directory.
    /// It sees no variable but the given ones and a plain `PATH`.
    pub fn start(
        home: &Path,
        cwd: &Path,
        variables: &[(&str, &str)],
        args: &[&str],
    ) -> Result<Self> {
        let (_, cli) = oracle::command_line()?;
        Self::start_program(&[&cli], home, cwd, variables, args)
    }

    /// The same with another program of Node's in place of Pi's command.
    pub(crate) fn start_program(
        program: &[&Path],
        home: &Path,
        cwd: &Path,
        variables: &[(&str, &str)],
        args: &[&str],
    ) -> Result<Self> {
        let (node, _) = oracle::command_line()?;
        let mut child = Command::new(&node)
            .args(program)
            .args(BARE)
            .args(args)
            .current_dir(cwd)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", home)
            .env("TMPDIR", home)
            .env("PI_CODING_AGENT_DIR", home.join("agent"))
            .env("PI_OFFLINE", "1")
            .env("PI_TELEMETRY", "0")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", node.display()))?;
        let requests = Some(child.stdin.take().context("Pi has no standard input")?);
        let output = child.stdout.take().context("Pi has no standard output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let value = serde_json::from_slice(&without_halves(line)).unwrap_or(Value::Null);
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, requests, lines, asked: 0, events: Vec::new(), early: Vec::new() })
    }

    /// Sends a command without waiting. Returns its id.
    pub fn send(&mut self, mut request: Value) -> Result<Value> {
        self.asked += 1;
        let id = json!(format!("ask-{}", self.asked));
        request["id"] = id.clone();
        let requests = self.requests.as_mut().context("Pi's input is closed")?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        Ok(id)
    }

    /// Waits for the answer to a command. Events that come before it are kept.
    pub fn answer(&mut self, id: &Value) -> Result<Value> {
        if let Some(at) = self.early.iter().position(|answer| answer["id"] == *id) {
            return Ok(self.early.remove(at));
        }
        let deadline = Instant::now() + LONGEST_WAIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else { bail!("Pi gave no answer") };
            if line["type"] != "response" {
                self.events.push(line);
            } else if line["id"] == *id {
                return Ok(line);
            } else {
                self.early.push(line);
            }
        }
    }

    /// Sends a command and waits for its answer.
    pub fn ask(&mut self, request: Value) -> Result<Value> {
        let id = self.send(request)?;
        self.answer(&id)
    }

    /// Closes Pi's input and waits for its end.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.requests = None;
        self.child.wait()?;
        Ok(())
    }

    /// Waits for an event of a type. Whatever comes before it is kept, and so is the event.
    pub fn wait_for(&mut self, event: &str) -> Result<()> {
        let deadline = Instant::now() + LONGEST_WAIT;
        while !self.events.iter().any(|line| line["type"] == event) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else { bail!("Pi sent no {event}") };
            let kept = if line["type"] == "response" { &mut self.early } else { &mut self.events };
            kept.push(line);
        }
        Ok(())
    }

    /// The events so far; the next call begins after them.
    pub fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }
}

/// The line with U+FFFD for every half of a character. JavaScript escapes only halves that stand
/// alone, and Rust's strings cannot hold them.
fn without_halves(mut line: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while at < line.len() {
        if line[at] != b'\\' {
            at += 1;
            continue;
        }
        if let Some([b'u', b'd', b'8'..=b'f', last @ ..]) = line.get_mut(at + 1..at + 6) {
            last.copy_from_slice(b"fd");
            line[at + 2..at + 4].copy_from_slice(b"ff");
        }
        at += 2;
    }
    line
}

impl Drop for PiRpc {
    fn drop(&mut self) {
        // Nothing can be done about a child that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_characters_are_replaced_and_nothing_else() {
        for (line, expected) in [
            (r#""a\ud83d b""#, "\"a\\ufffd b\""),
            (r#""a\\ud83d""#, r#""a\\ud83d""#),
            (r#""\ud7ff\n""#, r#""\ud7ff\n""#),
            (r#""\udc00\udfff""#, r#""\ufffd\ufffd""#),
        ] {
            let replaced = without_halves(line.into());
            assert_eq!(String::from_utf8(replaced).unwrap(), expected);
        }
    }
}
