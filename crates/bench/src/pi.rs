//! The real Pi: one Node process that does the same jobs and says how long they took.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use pitree_format::js::stringify;
use pitree_format::{Object, Value};

use crate::corpus;
use crate::engine::{Facts, Opened, message};

const DRIVER: &str = include_str!("pi.mjs");

/// Where the real Pi is.
pub(crate) struct Installation {
    node: PathBuf,
    module: PathBuf,
    driver: PathBuf,
    home: PathBuf,
}

impl Installation {
    pub(crate) fn find() -> Result<Self> {
        let folder = match std::env::var_os("PITREE_ORACLE") {
            Some(folder) => PathBuf::from(folder),
            None => corpus::target_folder()?.join("oracle"),
        };
        let node = std::path::absolute(folder.join("node_modules/node/bin/node"))?;
        let module = std::path::absolute(folder.join("package/dist/bundle/index.js"))?;
        for path in [&node, &module] {
            ensure!(
                path.exists(),
                "the real Pi is not installed ({} is missing): run `cargo xtask oracle`",
                path.display()
            );
        }
        let driver = corpus::folder()?.join("pi.mjs");
        fs_err::write(&driver, DRIVER)?;
        let home = corpus::folder()?.join("home");
        fs_err::create_dir_all(&home)?;
        Ok(Self { node, module, driver, home })
    }

    /// A command that does one job in a process of its own.
    pub(crate) fn once(&self, job: &str, file: &Path) -> Command {
        let mut command = self.command(&[]);
        command.arg(job).arg(file);
        command
    }

    /// A command that exports a session as a page.
    pub(crate) fn export(&self, file: &Path, page: &Path) -> Command {
        let mut command = Command::new(&self.node);
        let program = self.module.with_file_name("cli.js");
        command.arg(program).arg("--export").args([file, page]).env("HOME", &self.home);
        command
    }

    /// A command that lists all sessions below an agent's folder and prints how many they are.
    pub(crate) fn list_all(&self, agent: &Path) -> Command {
        let mut command = self.command(&[]);
        command.args(["list", ""]).env("PI_CODING_AGENT_DIR", agent);
        command
    }

    /// A script that runs Pi's `main` itself; Pi's own arguments follow.
    pub(crate) fn main(&self, script: &Path) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(script).arg(&self.module);
        command
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(&self.node);
        command
            .args(options)
            .arg(&self.driver)
            .arg(&self.module)
            .current_dir(&self.home)
            .env("HOME", &self.home)
            .env("PI_CODING_AGENT_DIR", self.home.join("agent"))
            .env("PI_OFFLINE", "1")
            .env("PI_TELEMETRY", "0");
        command
    }
}

/// A running Pi that stays warm between the rounds.
pub(crate) struct Pi {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Pi {
    pub(crate) fn start(installation: &Installation) -> Result<Self> {
        // Garbage of the last round is collected before the next one, not in the midst of it.
        let mut command = installation.command(&["--expose-gc"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take().context("Pi has no standard input")?;
        let answers = BufReader::new(child.stdout.take().context("Pi has no standard output")?);
        Ok(Self { child, requests, answers })
    }

    pub(crate) fn open(&mut self, file: &Path) -> Result<Opened> {
        let numbers = self.ask(request("open").with("file", text(file)))?;
        ensure!(numbers.len() == 6, "Pi answers {numbers:?}");
        Ok(Opened {
            open_and_tree: numbers[0],
            tree: numbers[1],
            context: numbers[2],
            facts: Facts {
                entries: numbers[3] as usize,
                leaves: numbers[4] as usize,
                messages: numbers[5] as usize,
            },
        })
    }

    pub(crate) fn append_new(&mut self, folder: &Path, count: usize) -> Result<f64> {
        self.append(request("appendNew").with("folder", text(folder)), count)
    }

    pub(crate) fn append_to_copy(&mut self, file: &Path, copy: &Path, count: usize) -> Result<f64> {
        let request = request("appendToCopy").with("file", text(file)).with("copy", text(copy));
        self.append(request, count)
    }

    fn append(&mut self, request: Object, count: usize) -> Result<f64> {
        let message = pitree_format::js::parse(message().as_bytes())?;
        let request = request.with("count", Value::Number(count as f64)).with("message", message);
        self.ask(request)?.first().copied().context("Pi gives no time")
    }

    fn ask(&mut self, request: Object) -> Result<Vec<f64>> {
        writeln!(self.requests, "{}", stringify(&request.into()))?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(!line.is_empty(), "Pi ended without an answer");
        let numbers = line.split_whitespace().map(str::parse);
        numbers.collect::<Result<_, _>>().with_context(|| format!("Pi answers {line:?}"))
    }
}

impl Drop for Pi {
    fn drop(&mut self) {
        // Nothing can be done about a child that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(job: &str) -> Object {
    Object::new().with("job", job)
}

fn text(path: &Path) -> Value {
    Value::text(&*path.to_string_lossy())
}
