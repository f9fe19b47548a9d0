//! An agent for tests: it works on several requests at a time, as Pi does, takes a moment for
//! each change, and writes down when each request began and ended. It is this test program itself,
//! started by a script; what the test harness prints is chatter that pitree passes over.

use std::io::{BufRead, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};

use crate::rpc::peer::Machine;

/// Says that this process is the agent, and for which machine.
const ROOT_VARIABLE: &str = "PITREE_TEST_AGENT";
/// How long a change takes.
const MOMENT: Duration = Duration::from_millis(1);

/// Makes the program, and says where it is.
pub(crate) fn install(machine: &Machine) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let script = format!(
        "#!/bin/sh\nexport {ROOT_VARIABLE}=ROOT\nexec '{}' --exact rpc::fake_agent::the_agent --nocapture\n",
        own.display()
    );
    let program = machine.write("bin/agent", &script);
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    program
}

/// Not a test: the agent itself. Does nothing unless it was started as one.
#[test]
#[allow(clippy::exit, reason = "nobody is left to hear what the test harness says")]
fn the_agent() {
    let Ok(root) = std::env::var(ROOT_VARIABLE) else { return };
    let root = PathBuf::from(root);
    let agent = Arc::new(Agent {
        log: root.join("agent.log"),
        sessions: root.join("sessions"),
        session: Mutex::new(root.join("sessions/talk.jsonl")),
        out: Mutex::new(()),
    });
    for line in std::io::stdin().lock().lines() {
        let Ok(request) = parse(line.unwrap().as_bytes()) else { continue };
        agent.take(request);
    }
    std::process::exit(0);
}

struct Agent {
    log: PathBuf,
    sessions: PathBuf,
    session: Mutex<PathBuf>,
    out: Mutex<()>,
}

impl Agent {
    fn take(self: &Arc<Self>, request: Value) {
        let text = |name: &str| request.get_string(name).map(ToString::to_string);
        let kind = text("type").unwrap_or_default();
        self.note("begin", &request);
        let agent = Arc::clone(self);
        let is_change = kind.starts_with("set_")
            || kind.starts_with("cycle_")
            || matches!(kind.as_str(), "new_session" | "switch_session" | "fork" | "clone");
        let takes_time = is_change || matches!(kind.as_str(), "prompt" | "compact" | "bash");
        if !takes_time {
            return self.answer(&request, &kind);
        }
        std::thread::spawn(move || {
            std::thread::sleep(MOMENT);
            let text = |name: &str| request.get_string(name).map(ToString::to_string);
            match text("sessionPath") {
                Some(path) => *agent.session.lock().unwrap() = agent.sessions.join(path),
                None if matches!(kind.as_str(), "new_session" | "fork" | "clone") => {
                    let copy = agent.sessions.join("made.jsonl");
                    fs_err::copy(agent.sessions.join("other.jsonl"), &copy).unwrap();
                    *agent.session.lock().unwrap() = copy;
                }
                None => {}
            }
            if text("message").is_some_and(|words| words == "chatter") {
                agent.print("[1]\nnull\n5\n\"x\"\n{\"no\":1}\n{\"type\":5}\n{\"type\":\"told\"}");
            }
            agent.answer(&request, &kind);
        });
    }

    fn answer(&self, request: &Value, kind: &str) {
        self.note("end", request);
        let file = self.session.lock().unwrap().to_string_lossy().into_owned();
        let data = Object::new().with("sessionFile", file).with("disposition", "handled");
        let answer = Object::new()
            .with_some("id", request.get("id").cloned())
            .with("type", "response")
            .with("command", kind)
            .with("success", true)
            .with("data", data);
        self.print(&stringify(&answer.into()));
    }

    fn print(&self, text: &str) {
        let _out = self.out.lock().unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{text}").unwrap();
        out.flush().unwrap();
    }

    /// Requests that come from a client have a mark; the others are pitree's own.
    fn note(&self, word: &str, request: &Value) {
        let kind = request.get_string("type").map(ToString::to_string).unwrap_or_default();
        let kind = if request.get("mark").is_some() { format!("{kind}*") } else { kind };
        let _out = self.out.lock().unwrap();
        let mut log = fs_err::OpenOptions::new().create(true).append(true).open(&self.log).unwrap();
        writeln!(log, "{word} {kind}").unwrap();
    }
}
