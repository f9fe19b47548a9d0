//! A program that speaks the protocol: pitree, or the real Pi.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_testkit::Oracle;
use tempfile::TempDir;

const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A provider with two models, one of which thinks.
pub(crate) const MODELS: &str = r#"{"providers":{"mock":{"baseUrl":"http://127.0.0.1:9/v1","api":"openai-completions","apiKey":"none","models":[{"id":"m1","name":"M One","contextWindow":32000,"maxTokens":4096,"reasoning":true,"input":["text"],"cost":{"input":1,"output":2,"cacheRead":0.1,"cacheWrite":0}},{"id":"m2","contextWindow":64000,"maxTokens":2048}]}}}"#;

/// A machine with nobody on it: `home`, `agent` with a `models.json`, `project`.
pub(crate) struct Machine {
    root: PathBuf,
    _folder: TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        for name in ["home", "agent", "project", "tmp"] {
            fs_err::create_dir(root.join(name)).unwrap();
        }
        fs_err::write(root.join("agent/models.json"), MODELS).unwrap();
        Self { root, _folder: folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Lets the models of the provider answer at this address.
    pub(crate) fn set_model_url(&self, url: &str) {
        let models = MODELS.replace("http://127.0.0.1:9/v1", url);
        fs_err::write(self.path("agent/models.json"), models).unwrap();
    }

    /// Writes a file; `ROOT` in it stands for the machine's folder.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, text.replace("ROOT", self.root.to_str().unwrap())).unwrap();
        path
    }

    fn furnish(&self, command: &mut Command) {
        command
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("PI_CODING_AGENT_DIR", self.path("agent"))
            .env("PI_OFFLINE", "1")
            .env("PI_TELEMETRY", "0");
    }

    /// The command `pitree rpc` on this machine.
    pub(crate) fn pitree_command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pitree"));
        self.furnish(&mut command);
        command.arg("rpc").args(args);
        command
    }

    /// `pitree rpc` on this machine.
    pub(crate) fn pitree(&self, args: &[&str]) -> Peer {
        Peer::start(self.pitree_command(args))
    }

    /// The real Pi in RPC mode on this machine.
    pub(crate) fn pi(&self, args: &[&str]) -> Peer {
        let paths = Oracle::paths().unwrap();
        let mut command = Command::new(paths.node);
        self.furnish(&mut command);
        command.arg(paths.cli).args(["--mode", "rpc", "--offline", "-ne", "--no-skills"]);
        command.args(["-nc", "-np", "--no-themes"]).args(args);
        Peer::start(command)
    }
}

/// A running program. Ends with the value.
pub(crate) struct Peer {
    child: Child,
    requests: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    asked: usize,
}

impl Peer {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let requests = child.stdin.take();
        let mut output = BufReader::with_capacity(1 << 16, child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok() && line.pop() == Some(b'\n') {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
        Self { child, requests, lines, asked: 0 }
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let requests = self.requests.as_mut().unwrap();
        requests.write_all(bytes).unwrap();
        requests.flush().unwrap();
    }

    /// The next line.
    #[track_caller]
    pub(crate) fn line(&mut self) -> Vec<u8> {
        self.lines.recv_timeout(LONGEST_WAIT).expect("no answer")
    }

    /// The next line as JSON.
    #[track_caller]
    pub(crate) fn value(&mut self) -> Value {
        parse(&self.line()).unwrap()
    }

    /// Sends a request, given without its id, and waits for its answer; events before it come
    /// along.
    #[track_caller]
    pub(crate) fn ask(&mut self, request: &str) -> (Vec<Value>, Value) {
        self.asked += 1;
        let id = format!("q{}", self.asked);
        let rest = request.trim_start().strip_prefix('{').unwrap();
        self.send(format!("{{\"id\":\"{id}\",{rest}\n").as_bytes());
        let mut events = Vec::new();
        loop {
            let value = self.value();
            if value.get_string("id").is_some_and(|found| *found == *id)
                && value.get_string("type").is_some_and(|kind| *kind == "response")
            {
                return (events, value);
            }
            events.push(value);
        }
    }

    /// The data of an answer that must be a success.
    #[track_caller]
    pub(crate) fn data(&mut self, request: &str) -> Value {
        let (_, answer) = self.ask(request);
        assert_eq!(answer.get("success"), Some(&Value::Bool(true)), "{request}: {answer:?}");
        answer.get("data").cloned().unwrap_or(Value::Null)
    }

    /// The words of a refusal.
    #[track_caller]
    pub(crate) fn refusal(&mut self, request: &str) -> String {
        let (_, answer) = self.ask(request);
        let error = answer.get_string("error").map(ToString::to_string);
        error.unwrap_or_else(|| panic!("{request} was not refused: {answer:?}"))
    }

    /// Closes the input and gives what was still said, and the exit code.
    pub(crate) fn finish(mut self) -> (Vec<Vec<u8>>, Option<i32>) {
        self.requests = None;
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(LONGEST_WAIT) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end"),
            }
        }
        (rest, exit_code(&mut self.child))
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, and gives the exit code.
    #[track_caller]
    pub(crate) fn end_by(&mut self, signal: &str) -> Option<i32> {
        send_signal(self.process_id(), signal);
        exit_code(&mut self.child)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Nothing can be done about a child that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
pub(crate) fn send_signal(process: u32, signal: &str) {
    let kill = Command::new("kill").args(["-s", signal, &process.to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Waits for the end of a program, but not for ever.
#[track_caller]
pub(crate) fn exit_code(child: &mut Child) -> Option<i32> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        assert!(begun.elapsed() < LONGEST_WAIT, "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}
