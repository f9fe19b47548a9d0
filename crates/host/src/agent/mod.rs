//! An attached agent: the real Pi in RPC mode, as a child process.
//!
//! The agent writes the conversation. Requests go to it in the order in which they are sent, and
//! each answer comes back to whoever asked; all other lines are events. Whoever attaches an agent
//! keeps one rule (see [`Agent::is_working`]): while it works, nobody else appends to its file.

mod error;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};

use crate::child::{has_exited, kill};

pub use error::AgentError;

/// Requests that write into the session and may take long. Whoever asks for one keeps others from
/// appending until it is answered.
const LONG_CHANGES: [&str; 5] = ["prompt", "steer", "follow_up", "compact", "bash"];
/// The longest line that is read from an agent.
const MOST_LINE_BYTES: u64 = 512 << 20;
/// How much is kept of what an agent complains about, and how long its end is waited for.
const MOST_LAST_WORDS: usize = 2 << 10;
const LONGEST_LAST_WORDS: Duration = Duration::from_millis(500);
/// How long an agent may take to end by itself.
const LONGEST_GOODBYE: Duration = Duration::from_secs(3);

/// How to start an agent. It is named by the user, never by a project or a session.
#[derive(Clone, Debug)]
pub struct AgentStart {
    /// The program, with its whole path.
    pub program: PathBuf,
    /// What follows `--mode rpc`.
    pub args: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Whether what it complains about is kept for its end, since the terminal is somebody else's.
    pub is_quiet: bool,
}

type Callback = Box<dyn FnOnce(Result<Value, AgentError>) + Send>;

/// Somebody who waits for an answer.
struct Waiting {
    on_answer: Callback,
    is_long_change: bool,
}

/// A running agent. Ends with the value.
pub struct Agent {
    requests: Mutex<Option<ChildStdin>>,
    child: Mutex<Child>,
    state: Arc<State>,
    numbers: AtomicU64,
}

/// What the reading thread shares with the others.
#[derive(Default)]
struct State {
    waiting: Mutex<HashMap<String, Waiting>>,
    /// Whether it answers a message.
    is_answering: AtomicBool,
    is_gone: AtomicBool,
}

impl Agent {
    /// Starts an agent. `on_event` gets all lines that are no answers; when the agent ends, it
    /// gets `{"type":"agent_gone"}`, with the last words of a quiet one as `lastWords`.
    pub fn start(
        start: &AgentStart,
        on_event: impl Fn(&Value) + Send + 'static,
    ) -> Result<Self, AgentError> {
        let cannot_start = |source| AgentError::Start { program: start.program.clone(), source };
        let mut child = Command::new(&start.program)
            .args(["--mode", "rpc"])
            .args(&start.args)
            .current_dir(&start.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What it complains about concerns whoever started us.
            .stderr(if start.is_quiet { Stdio::piped() } else { Stdio::inherit() })
            .process_group(0)
            .spawn()
            .map_err(cannot_start)?;
        let requests = child.stdin.take();
        let state = Arc::new(State::default());
        let complaints = child.stderr.take().map(|stderr| thread::spawn(|| last_words(stderr)));
        if let Some(output) = child.stdout.take() {
            let state = Arc::clone(&state);
            thread::spawn(move || {
                state.read(output, &on_event);
                state.end();
                // Whoever still holds the pipe is not waited for.
                let ended = complaints.filter(is_over_soon);
                let words = ended.and_then(|thread| thread.join().ok()).filter(|it| !it.is_empty());
                let gone = Object::new().with("type", "agent_gone").with_some("lastWords", words);
                on_event(&gone.into());
            });
        }
        let (requests, child) = (Mutex::new(requests), Mutex::new(child));
        Ok(Self { requests, child, state, numbers: AtomicU64::new(0) })
    }

    /// Whether the agent is at work. Then nobody else may append to its file.
    pub fn is_working(&self) -> bool {
        self.state.is_answering.load(Ordering::Acquire)
            || lock(&self.state.waiting).values().any(|waiting| waiting.is_long_change)
    }

    /// Sends a request, whose `id` is replaced. The answer goes to `on_answer`, from another
    /// thread.
    pub fn send(
        &self,
        request: &Object,
        on_answer: impl FnOnce(Result<Value, AgentError>) + Send + 'static,
    ) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let id = format!("pitree-{number}");
        let mut request = request.clone();
        request.set("id", id.as_str().into());
        let kind = request.get("type").and_then(Value::as_string).map(ToString::to_string);
        let is_long_change = kind.is_some_and(|kind| LONG_CHANGES.contains(&kind.as_str()));
        let waiting = Waiting { on_answer: Box::new(on_answer), is_long_change };
        lock(&self.state.waiting).insert(id.clone(), waiting);
        let sent = self.write(&request.into());
        if (sent.is_err() || self.state.is_gone.load(Ordering::Acquire))
            && let Some(waiting) = lock(&self.state.waiting).remove(&id)
        {
            (waiting.on_answer)(Err(AgentError::Gone));
        }
    }

    /// Sends a line that gets no answer.
    pub fn tell(&self, line: &Object) -> Result<(), AgentError> {
        self.write(&line.clone().into()).map_err(|_| AgentError::Gone)
    }

    /// Sends a request and waits for the `data` of its answer.
    pub fn ask(&self, request: &Object) -> Result<Value, AgentError> {
        let (sender, receiver) = channel();
        self.send(request, move |answer| drop(sender.send(answer)));
        data_of(&receiver.recv().unwrap_or(Err(AgentError::Gone))?)
    }

    fn write(&self, line: &Value) -> std::io::Result<()> {
        let mut requests = lock(&self.requests);
        let Some(requests) = requests.as_mut() else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        requests.write_all((stringify(line) + "\n").as_bytes())?;
        requests.flush()
    }
}

/// The `data` of an answer, or the agent's refusal.
pub fn data_of(answer: &Value) -> Result<Value, AgentError> {
    if answer.get("success").is_some_and(Value::is_truthy) {
        return Ok(answer.get("data").cloned().unwrap_or(Value::Null));
    }
    let words = answer.get_string("error").map(ToString::to_string);
    Err(AgentError::Refused(words.unwrap_or_else(|| "the agent gives no reason".to_owned())))
}

impl State {
    fn read(&self, output: ChildStdout, on_event: &impl Fn(&Value)) {
        let mut output = BufReader::with_capacity(64 << 10, output);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = output.by_ref().take(MOST_LINE_BYTES).read_until(b'\n', &mut line);
            if !matches!(read, Ok(1..)) || line.last() != Some(&b'\n') {
                return;
            }
            // What is no JSON is chatter that went astray.
            let Ok(value) = parse(&line) else { continue };
            match self.asked(&value) {
                Some(waiting) => (waiting.on_answer)(Ok(value)),
                None => {
                    self.notice(&value);
                    on_event(&value);
                }
            }
        }
    }

    /// Who waits for this line, if it is an answer.
    fn asked(&self, value: &Value) -> Option<Waiting> {
        if value.get_string("type").is_none_or(|kind| *kind != "response") {
            return None;
        }
        let id = value.get_string("id")?.to_string();
        // The answer to a message that was taken comes shortly before the work begins.
        let became = value.get("data").and_then(|data| data.get_string("disposition"));
        if became.is_some_and(|became| *became == "started") {
            self.is_answering.store(true, Ordering::Release);
        }
        lock(&self.waiting).remove(&id)
    }

    fn notice(&self, event: &Value) {
        match event.get_string("type").map(ToString::to_string).as_deref() {
            Some("agent_start") => self.is_answering.store(true, Ordering::Release),
            Some("agent_settled") => self.is_answering.store(false, Ordering::Release),
            _ => {}
        }
    }

    /// Tells everybody who waits that no answer will come.
    fn end(&self) {
        self.is_gone.store(true, Ordering::Release);
        self.is_answering.store(false, Ordering::Release);
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        for waiting in waiting.into_values() {
            (waiting.on_answer)(Err(AgentError::Gone));
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // The end of its input asks Pi to close the session and end.
        *lock(&self.requests) = None;
        let mut child = lock(&self.child);
        let begun = Instant::now();
        while begun.elapsed() < LONGEST_GOODBYE && !has_exited(&child).unwrap_or(true) {
            thread::sleep(Duration::from_millis(10));
        }
        kill(&mut child, true);
        let _ = child.wait();
    }
}

/// The end of what an agent complains about.
fn last_words(mut complaints: impl Read) -> String {
    let mut kept = Vec::new();
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = complaints.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        kept.drain(..kept.len().saturating_sub(MOST_LAST_WORDS));
    }
    String::from_utf8_lossy(&kept).trim().to_owned()
}

fn is_over_soon<T>(thread: &thread::JoinHandle<T>) -> bool {
    let begun = Instant::now();
    while !thread.is_finished() && begun.elapsed() < LONGEST_LAST_WORDS {
        thread::sleep(Duration::from_millis(5));
    }
    thread.is_finished()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
