//! An attached agent: the real Pi in RPC mode, as a child process.
//!
//! The agent writes the conversation. Requests go to it in the order in which they are sent, and
//! each answer comes back to whoever asked; all other lines are events. Whoever attaches an agent
//! keeps one rule (see [`Agent::is_working`]): while it works, nobody else appends to its file.
//!
//! An agent may hang. Nothing here waits for it without a limit: lines are written to it by a
//! thread of their own, every request ends with [`AgentError::Silent`] if the agent shows no sign
//! of life for too long ([`AgentLimits`]), and it ends with its whole process group.

mod error;
mod output;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};

use crate::child::{has_exited, kill};
use crate::processes::{self, Ending, Registered};

pub use error::AgentError;
use output::{Spoken, is_over_soon, last_words};

/// Requests that write into the session and may take long. Whoever asks for one keeps others from
/// appending until it is answered.
const LONG_CHANGES: [&str; 5] = ["prompt", "steer", "follow_up", "compact", "bash"];
/// The longest line that is read from an agent.
const MOST_LINE_BYTES: u64 = 512 << 20;
/// How long an agent may take to end by itself.
const LONGEST_GOODBYE: Duration = Duration::from_secs(3);
/// How often the limits are looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// An agent that does not read is sent no more than this. A single line may be longer: pictures
/// are.
const MOST_QUEUED_BYTES: usize = 64 << 20;
/// As many requests wait for their answers at a time. Pi answers most of them at once.
const MOST_UNANSWERED: usize = 4096;
/// What an extension of the agent asks the user; it waits for the answer.
const QUESTIONS: [&str; 4] = ["select", "confirm", "input", "editor"];

/// How long an agent may be silent while somebody waits for an answer: since the request was sent,
/// and since the last line from the agent. While its extensions ask the user something, the time
/// stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentLimits {
    /// For questions that Pi answers at once. It may still be starting.
    pub answer: Duration,
    /// For requests that do something which may take long: `prompt`, `compact`, `bash` and the
    /// like. A command may run for a while without a word.
    pub work: Duration,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self { answer: Duration::from_secs(60), work: Duration::from_secs(3600) }
    }
}

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
type OnUpdate = Arc<dyn Fn(&Value) + Send + Sync>;

/// Somebody who waits for an answer.
struct Waiting {
    on_answer: Callback,
    /// Who hears of what the request brings about before it is answered.
    on_update: Option<OnUpdate>,
    is_long_change: bool,
    kind: String,
    /// The `id` of whoever asked.
    own_id: Option<Value>,
    sent: Instant,
}

/// A running agent. Ends with the value.
pub struct Agent {
    requests: Mutex<Option<Sender<Vec<u8>>>>,
    /// How much was sent and has not been written yet.
    queued: Arc<AtomicUsize>,
    child: Arc<Mutex<Child>>,
    registered: Option<Registered>,
    state: Arc<State>,
    numbers: AtomicU64,
    /// The thread that looks at the limits ends when this is dropped.
    _limits: Sender<()>,
}

/// What the reading thread shares with the others.
#[derive(Default)]
struct State {
    waiting: Mutex<HashMap<String, Waiting>>,
    /// Whether it answers a message.
    is_answering: AtomicBool,
    is_gone: AtomicBool,
    life: Mutex<Life>,
}

/// Whether the agent is alive, as far as can be seen.
struct Life {
    /// When a line came from it, or the user answered a question of its extensions.
    last_sign: Instant,
    /// The questions of its extensions that the user has not answered.
    questions: HashSet<String>,
}

impl Default for Life {
    fn default() -> Self {
        Self { last_sign: Instant::now(), questions: HashSet::new() }
    }
}

impl Agent {
    /// Starts an agent. `on_event` gets all lines that are no answers; when the agent ends, it
    /// gets `{"type":"agent_gone"}`, with the last words of a quiet one as `lastWords`.
    pub fn start(
        start: &AgentStart,
        on_event: impl Fn(&Value) + Send + 'static,
    ) -> Result<Self, AgentError> {
        Self::start_with(start, AgentLimits::default(), on_event)
    }

    /// The same with other limits.
    pub fn start_with(
        start: &AgentStart,
        limits: AgentLimits,
        on_event: impl Fn(&Value) + Send + 'static,
    ) -> Result<Self, AgentError> {
        let cannot_start = |source| AgentError::Start { program: start.program.clone(), source };
        let mut command = Command::new(&start.program);
        command
            .args(["--mode", "rpc"])
            .args(&start.args)
            .current_dir(&start.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What it complains about concerns whoever started us.
            .stderr(if start.is_quiet { Stdio::piped() } else { Stdio::inherit() })
            .process_group(0);
        let started = processes::start(&mut command, true, Ending::Ask);
        let (mut child, registered) = started.map_err(cannot_start)?;
        let registered = Some(registered);
        let queued = Arc::new(AtomicUsize::new(0));
        let input = child.stdin.take();
        let requests = input.map(|input| write_in_thread(input, Arc::clone(&queued)));
        let state = Arc::new(State::default());
        let (still_there, ended) = channel();
        let watched = Arc::clone(&state);
        thread::spawn(move || watched.watch(limits, &ended));
        let complaints = child.stderr.take().map(|stderr| thread::spawn(|| last_words(stderr)));
        let output = child.stdout.take();
        let child = Arc::new(Mutex::new(child));
        if let Some(output) = output {
            let state = Arc::clone(&state);
            let output = Spoken { output, child: Arc::clone(&child) };
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
        let (requests, numbers) = (Mutex::new(requests), AtomicU64::new(0));
        Ok(Self { requests, queued, child, registered, state, numbers, _limits: still_there })
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
        self.send_for(request, None, Box::new(on_answer));
    }

    /// The same for somebody who alone hears what the request brings about before it is answered:
    /// the output of a command. The events have the `id` that the request had, or none.
    pub fn send_with_updates(
        &self,
        request: &Object,
        on_update: impl Fn(&Value) + Send + Sync + 'static,
        on_answer: impl FnOnce(Result<Value, AgentError>) + Send + 'static,
    ) {
        self.send_for(request, Some(Arc::new(on_update)), Box::new(on_answer));
    }

    fn send_for(&self, request: &Object, on_update: Option<OnUpdate>, on_answer: Callback) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let id = format!("pitree-{number}");
        let own_id = request.get("id").cloned();
        let mut request = request.clone();
        request.set("id", id.as_str().into());
        let kind = request.get("type").and_then(Value::as_string).map(ToString::to_string);
        let kind = kind.unwrap_or_default();
        let is_long_change = LONG_CHANGES.contains(&kind.as_str());
        let sent = Instant::now();
        let waiting = Waiting { on_answer, on_update, is_long_change, kind, own_id, sent };
        let unanswered = {
            let mut all = lock(&self.state.waiting);
            all.insert(id.clone(), waiting);
            all.len()
        };
        let sent = match unanswered > MOST_UNANSWERED {
            true => Err(AgentError::Flooded { waiting: format!("{MOST_UNANSWERED} requests") }),
            false => self.write(&request.into()),
        };
        let is_gone = self.state.is_gone.load(Ordering::Acquire);
        let problem = sent.err().or(is_gone.then_some(AgentError::Gone));
        let Some(problem) = problem else { return };
        let waiting = lock(&self.state.waiting).remove(&id);
        if let Some(waiting) = waiting {
            (waiting.on_answer)(Err(problem));
        }
    }

    /// Sends a line that gets no answer.
    pub fn tell(&self, line: &Object) -> Result<(), AgentError> {
        let line = line.clone().into();
        self.write(&line)?;
        self.state.note_told(&line);
        Ok(())
    }

    /// Ends the agent and all that it started, at once. Whoever waits for an answer is told.
    pub fn end_now(&self) {
        kill(&mut lock(&self.child), true);
        self.state.end();
    }

    /// Sends a request and waits for the `data` of its answer, as long as the limits allow.
    pub fn ask(&self, request: &Object) -> Result<Value, AgentError> {
        let (sender, receiver) = channel();
        self.send(request, move |answer| drop(sender.send(answer)));
        data_of(&receiver.recv().unwrap_or(Err(AgentError::Gone))?)
    }

    fn write(&self, line: &Value) -> Result<(), AgentError> {
        let requests = lock(&self.requests);
        let line = (stringify(line) + "\n").into_bytes();
        let queued = self.queued.load(Ordering::Acquire);
        if queued > 0 && queued + line.len() > MOST_QUEUED_BYTES {
            return Err(AgentError::Flooded { waiting: format!("{} MiB", queued >> 20) });
        }
        self.queued.fetch_add(line.len(), Ordering::AcqRel);
        let sent = requests.as_ref().and_then(|requests| requests.send(line).ok());
        sent.ok_or(AgentError::Gone)
    }
}

/// Writes lines as they come, so that an agent that reads nothing blocks nobody. The pipe is
/// closed when the sender is gone, which asks Pi to close the session and end.
fn write_in_thread(mut input: ChildStdin, queued: Arc<AtomicUsize>) -> Sender<Vec<u8>> {
    let (sender, lines) = channel::<Vec<u8>>();
    thread::spawn(move || {
        for line in lines {
            if input.write_all(&line).and_then(|()| input.flush()).is_err() {
                return;
            }
            queued.fetch_sub(line.len(), Ordering::AcqRel);
        }
    });
    sender
}

/// The `data` of an answer, or the agent's refusal.
pub fn data_of(answer: &Value) -> Result<Value, AgentError> {
    if answer.get("success").is_some_and(Value::is_truthy) {
        return Ok(answer.get("data").cloned().unwrap_or(Value::Null));
    }
    let words = answer.get_string("error").map(ToString::to_string);
    Err(AgentError::Refused(words.unwrap_or_else(|| "the agent gives no reason".to_owned())))
}

fn is_response(value: &Value) -> bool {
    value.get_string("type").is_some_and(|kind| *kind == "response")
}

impl State {
    fn read(&self, output: Spoken, on_event: &impl Fn(&Value)) {
        let mut output = BufReader::with_capacity(64 << 10, output);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = output.by_ref().take(MOST_LINE_BYTES).read_until(b'\n', &mut line);
            if !matches!(read, Ok(1..)) || line.last() != Some(&b'\n') {
                return;
            }
            // What is no JSON is chatter that went astray.
            let Ok(mut value) = parse(&line) else { continue };
            self.note_life();
            match self.asked(&value) {
                Some(waiting) => (waiting.on_answer)(Ok(value)),
                // A second answer, or one that came too late, is nobody's.
                None if is_response(&value) => {}
                None => {
                    self.notice(&value);
                    match self.to_update(&mut value) {
                        Some(on_update) => on_update(&value),
                        None => on_event(&value),
                    }
                }
            }
        }
    }

    /// Who waits for this line, if it is an answer.
    fn asked(&self, value: &Value) -> Option<Waiting> {
        if !is_response(value) {
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

    /// Gives the output of a command the `id` of whoever asked for it, instead of the one that the
    /// agent knows. Who is to hear it alone, if anybody is.
    fn to_update(&self, event: &mut Value) -> Option<OnUpdate> {
        event.get_string("type").filter(|kind| **kind == "bash_execution_update")?;
        let event = event.as_object_mut()?;
        let id = event.get("id").and_then(Value::as_string)?.to_string();
        let waiting = lock(&self.waiting);
        let asked = waiting.get(&id);
        match asked.and_then(|asked| asked.own_id.clone()) {
            Some(own_id) => event.set("id", own_id),
            None => drop(event.remove("id")),
        }
        asked.and_then(|asked| asked.on_update.clone())
    }

    fn note_life(&self) {
        lock(&self.life).last_sign = Instant::now();
    }

    /// A line goes to the agent that may be the user's answer to a question.
    fn note_told(&self, line: &Value) {
        let mut life = lock(&self.life);
        if let Some(id) = line.get_string("id")
            && life.questions.remove(&id.to_string())
        {
            life.last_sign = Instant::now();
        }
    }

    fn notice_question(&self, request: &Value) {
        let text = |name: &str| request.get_string(name).map(ToString::to_string);
        let waits = text("method").is_some_and(|method| QUESTIONS.contains(&method.as_str()));
        // One with a limit of its own is answered by the agent.
        if let (true, None, Some(id)) = (waits, request.get_number("timeout"), text("id")) {
            lock(&self.life).questions.insert(id);
        }
    }

    /// Ends requests whose limit is over, until nobody needs the agent any more.
    fn watch(&self, limits: AgentLimits, ended: &Receiver<()>) {
        while ended.recv_timeout(LOOK_AGAIN) == Err(RecvTimeoutError::Timeout) {
            let silence = {
                let life = lock(&self.life);
                if !life.questions.is_empty() {
                    continue;
                }
                life.last_sign.elapsed()
            };
            let limit = |waiting: &Waiting| match waiting.is_long_change {
                true => limits.work,
                false => limits.answer,
            };
            // Others who ask meanwhile make nobody else wait for longer.
            let silence = |waiting: &Waiting| silence.min(waiting.sent.elapsed());
            let over: Vec<Waiting> = lock(&self.waiting)
                .extract_if(|_, waiting| silence(waiting) >= limit(waiting))
                .map(|(_, waiting)| waiting)
                .collect();
            for waiting in over {
                let seconds = silence(&waiting).as_secs();
                let request = waiting.kind;
                (waiting.on_answer)(Err(AgentError::Silent { request, seconds }));
            }
        }
    }

    fn notice(&self, event: &Value) {
        match event.get_string("type").map(ToString::to_string).as_deref() {
            Some("extension_ui_request") => self.notice_question(event),
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
        let mut waiting: Vec<Waiting> = waiting.into_values().collect();
        waiting.sort_by_key(|waiting| waiting.sent);
        for waiting in waiting {
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
        self.registered = None;
        let _ = child.wait();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
