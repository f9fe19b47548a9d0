//! The real Pi as a child process that answers questions.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

const DRIVER: &str = include_str!("../oracle/driver.mjs");
const DEFAULT_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/oracle");
const NODE: &str = "node_modules/node/bin/node";

/// Which Pi to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PiVersion {
    /// Pi 1.5.0, which answers every request.
    Current,
    /// Pi 0.74.2, which answers `read` with null for the parts it does not have.
    Legacy,
}

impl PiVersion {
    fn entry_module(self) -> &'static str {
        match self {
            PiVersion::Current => "package/dist/bundle/index.js",
            PiVersion::Legacy => {
                "legacy/node_modules/@earendil-works/pi-coding-agent/dist/index.js"
            }
        }
    }
}

/// A running Pi. Ends with the value.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Home, agent folder and driver of the child; deleted with the value.
    _home: TempDir,
}

impl Oracle {
    /// Whether the current Pi is installed where [`Oracle::start`] looks for it.
    pub fn available() -> bool {
        locate(&folder(), PiVersion::Current).is_ok()
    }

    /// Starts the Pi installed in the folder that `PITREE_ORACLE` names, else in `target/oracle`.
    pub fn start(version: PiVersion) -> Result<Self> {
        let (node, entry_module) = locate(&folder(), version)?;
        let home = tempfile::Builder::new().prefix("pitree-oracle-").tempdir()?;
        let driver = home.path().join("driver.mjs");
        std::fs::write(&driver, DRIVER)?;
        let mut command = Command::new(&node);
        if cfg!(unix) {
            // Deeply nested values overflow the usual stack when an answer is put into words.
            command.arg("--stack-size=3900");
        }
        let mut child = command
            .arg(&driver)
            .arg(&entry_module)
            .current_dir(home.path())
            .env("TZ", "UTC")
            .env("HOME", home.path())
            .env("TMPDIR", home.path())
            .env("PI_CODING_AGENT_DIR", home.path().join("agent"))
            .env("PI_OFFLINE", "1")
            .env("PI_TELEMETRY", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", node.display()))?;
        let requests = child.stdin.take().context("the oracle has no standard input")?;
        let answers = child.stdout.take().context("the oracle has no standard output")?;
        Ok(Self { child, requests, answers: BufReader::new(answers), _home: home })
    }

    /// Sends one request line and waits for its answer line.
    pub fn ask(&mut self, request: &str) -> Result<String> {
        ensure!(!request.contains('\n'), "a request is one line");
        let sent = self.send(request);
        let mut answer = Vec::new();
        if sent.is_ok() {
            self.answers.read_until(b'\n', &mut answer)?;
        }
        if answer.pop() != Some(b'\n') {
            bail!("the oracle ended without an answer: {}", self.last_words());
        }
        String::from_utf8(answer).context("the answer of the oracle is not UTF-8")
    }

    fn send(&mut self, request: &str) -> std::io::Result<()> {
        self.requests.write_all(request.as_bytes())?;
        self.requests.write_all(b"\n")?;
        self.requests.flush()
    }

    /// What a child that is going down has left on its standard error.
    fn last_words(&mut self) -> String {
        let mut text = Vec::new();
        // It may hang instead of being gone, and then its standard error would never end.
        let _ = self.child.kill();
        if let Some(stderr) = self.child.stderr.take() {
            let _ = stderr.take(4000).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).trim().to_owned()
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // Nothing can be done about a child that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folder() -> PathBuf {
    std::env::var_os("PITREE_ORACLE").map_or_else(|| DEFAULT_FOLDER.into(), PathBuf::from)
}

/// The paths of Node and of the entry module.
fn locate(folder: &Path, version: PiVersion) -> Result<(PathBuf, PathBuf)> {
    let (node, module) = (folder.join(NODE), folder.join(version.entry_module()));
    for path in [&node, &module] {
        ensure!(
            path.exists(),
            "the real Pi is not installed ({} is missing): run `cargo xtask oracle`",
            path.display()
        );
    }
    Ok((std::path::absolute(node)?, std::path::absolute(module)?))
}
