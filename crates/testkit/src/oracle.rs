//! The real Pi as a child process that answers questions.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

/// The script that is started, and what it imports.
const DRIVER: &str = "driver.mjs";
const SCRIPTS: [(&str, &str); 4] = [
    (DRIVER, include_str!("../oracle/driver.mjs")),
    ("attempt.mjs", include_str!("../oracle/attempt.mjs")),
    ("requests.mjs", include_str!("../oracle/requests.mjs")),
    ("summaries.mjs", include_str!("../oracle/summaries.mjs")),
];
const DEFAULT_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/oracle");
/// Some files make Pi run for ever.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
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

/// Where the current Pi is installed.
#[derive(Clone, Debug)]
pub struct PiPaths {
    /// The Node that runs it.
    pub node: PathBuf,
    /// Its module, which exports its classes.
    pub module: PathBuf,
    /// Its command.
    pub cli: PathBuf,
}

/// A running Pi. Ends with the value.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Vec<u8>>,
    complaints: File,
    /// Home and agent folder of the child, with the scripts that it runs.
    home: TempDir,
}

impl Oracle {
    /// Whether the current Pi is installed where [`Oracle::start`] looks for it.
    pub fn available() -> bool {
        locate(&folder(), PiVersion::Current).is_ok()
    }

    /// Where the current Pi is installed.
    pub fn paths() -> Result<PiPaths> {
        let (node, module) = locate(&folder(), PiVersion::Current)?;
        let (_, cli) = command_line()?;
        Ok(PiPaths { node, module, cli })
    }

    /// Starts the Pi installed in the folder that `PITREE_ORACLE` names, else in `target/oracle`.
    pub fn start(version: PiVersion) -> Result<Self> {
        let (node, entry_module) = locate(&folder(), version)?;
        let home = tempfile::Builder::new().prefix("pitree-oracle-").tempdir()?;
        for (name, text) in SCRIPTS {
            fs_err::write(home.path().join(name), text)?;
        }
        let complaints = tempfile::tempfile()?;
        let mut command = Command::new(&node);
        if cfg!(unix) {
            // Deeply nested values overflow the usual stack when an answer is put into words.
            command.arg("--stack-size=3900");
        }
        let mut child = command
            .arg(home.path().join(DRIVER))
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
            .stderr(complaints.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot start {}", node.display()))?;
        let requests = child.stdin.take().context("the oracle has no standard input")?;
        let answers = child.stdout.take().context("the oracle has no standard output")?;
        let answers = read_lines(answers);
        Ok(Self { child, requests, answers, complaints, home })
    }

    /// The agent folder that this Pi works with; its `sessions` are what it lists.
    pub fn agent_folder(&self) -> PathBuf {
        self.home.path().join("agent")
    }

    /// Sends one request line and waits for its answer line.
    pub fn ask(&mut self, request: &str) -> Result<String> {
        ensure!(!request.contains('\n'), "a request is one line");
        // A child that is gone takes no request; then there is no answer to wait for either.
        let sent = self.send(request).ok();
        match sent.and_then(|()| self.answers.recv_timeout(LONGEST_WAIT).ok()) {
            Some(answer) => {
                String::from_utf8(answer).context("the answer of the oracle is not UTF-8")
            }
            None => bail!("the oracle gave no answer: {}", self.last_words()),
        }
    }

    fn send(&mut self, request: &str) -> std::io::Result<()> {
        self.requests.write_all(request.as_bytes())?;
        self.requests.write_all(b"\n")?;
        self.requests.flush()
    }

    /// Ends the child and returns the beginning of what it wrote on its standard error.
    fn last_words(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let mut text = Vec::new();
        let _ = self.complaints.rewind();
        let _ = (&self.complaints).take(4000).read_to_end(&mut text);
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

/// Reads in a thread of its own, because a pipe cannot be waited for with a limit.
fn read_lines(output: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut output = BufReader::with_capacity(1 << 16, output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).is_ok() && line.pop() == Some(b'\n') {
            if sender.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Runs a script with the exports of the current Pi as `pi` and returns what it writes. It sees
/// no variable and the arguments as `args`.
pub fn run_in_pi(script: &str, args: &[&str]) -> Result<String> {
    let (node, module) = locate(&folder(), PiVersion::Current)?;
    let script = format!(
        "const [module, ...args] = process.argv.slice(1); const pi = await import(module);\n{script}"
    );
    let output = Command::new(&node)
        .args(["--input-type=module", "-e", &script])
        .arg(&module)
        .args(args)
        .env_clear()
        .output()
        .with_context(|| format!("cannot start {}", node.display()))?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the script failed: {complaints:.2000}");
    String::from_utf8(output.stdout).context("the output of the script is not UTF-8")
}

/// The paths of Node and of Pi's command.
pub(crate) fn command_line() -> Result<(PathBuf, PathBuf)> {
    let (node, module) = locate(&folder(), PiVersion::Current)?;
    let cli = module.with_file_name("cli.js");
    ensure!(cli.exists(), "{} is missing: run `cargo xtask oracle`", cli.display());
    Ok((node, cli))
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
