//! One extension: started, greeted, told, asked, ended.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::events::{
    BeforeReply, EventKind, Moment, ObserverError, SessionEvent, SessionObserver, ShutdownReason,
    Trouble,
};
use pitree_format::Value;
use pitree_session::summary::Cancel;
use rustix::process::{Pid, Signal, kill_process_group};

use super::Limits;
use super::lines::{Pipes, Received};
use super::protocol::{self, Said};
use crate::child::has_exited;
use crate::processes::{self, Ending, Registered};

/// How many lines that were not requested are passed over before the extension is stopped.
const MOST_STRAY_LINES: u32 = 1000;
/// How many errors of its own an extension may report before it is stopped.
const MOST_ERRORS: u32 = 1000;
/// How many of them are reported.
const REPORTED_STRAY_LINES: u32 = 3;
/// How long a program that is at its end may take to be gone.
const LAST_WAIT: Duration = Duration::from_millis(200);
const SHORT_PAUSE: Duration = Duration::from_millis(2);

/// A running extension, as an observer of a session.
#[derive(Debug)]
pub struct ExtensionProcess {
    path: String,
    child: Child,
    registered: Option<Registered>,
    pipes: Pipes,
    limits: Limits,
    state: State,
    wanted: Vec<EventKind>,
    /// Whether it says when it has done with an event that asks nothing.
    acknowledges: bool,
    last_id: u64,
    /// Events that were given up before they were answered.
    abandoned: Vec<u64>,
    stray_lines: u32,
    errors: u32,
    troubles: Vec<Trouble>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    /// It was told to end, and has time until then.
    Ending(Instant),
    Stopped,
}

/// What somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Hello,
    /// That all was sent.
    Sent,
    /// That it has done with an event, if that does not take too long.
    Done(u64),
    Reply(u64),
}

/// What a program has sent.
enum ProgramReply {
    Hello(protocol::Hello),
    Sent,
    Reply(Value),
}

impl ExtensionProcess {
    /// Starts a program in its own folder, not in that of a project.
    pub(super) fn spawn(program: &Path, limits: Limits) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.current_dir(program.parent().unwrap_or(Path::new("/")));
        Self::spawn_command(&program.display().to_string(), command, limits)
    }

    /// Starts a command; `name` is what reports call it.
    pub(super) fn spawn_command(
        name: &str,
        mut command: Command,
        limits: Limits,
    ) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let (mut child, registered) = processes::start(&mut command, true, Ending::Kill)?;
        let registered = Some(registered);
        let mut pipes = Pipes::of(&mut child, limits.line_bytes)?;
        pipes.queue(&protocol::hello());
        Ok(Self {
            path: name.to_owned(),
            child,
            registered,
            pipes,
            limits,
            state: State::Running,
            wanted: Vec::new(),
            acknowledges: false,
            last_id: 0,
            abandoned: Vec::new(),
            stray_lines: 0,
            errors: 0,
            troubles: Vec::new(),
        })
    }

    /// Waits for the hello; whether it came and was right.
    pub(super) fn wait_for_hello(&mut self, deadline: Instant) -> bool {
        match self.wait_for(Awaited::Hello, deadline, &Cancel::new()) {
            Ok(ProgramReply::Hello(hello)) => {
                for name in hello.unknown {
                    self.complain(None, format!("wants the event `{name}`, which does not exist"));
                }
                self.wanted = hello.events;
                self.acknowledges = hello.acknowledges;
                true
            }
            Ok(_) => false,
            Err(problem) => {
                self.stop();
                self.complain(None, problem);
                false
            }
        }
    }

    /// Sends an event, and waits for the answer if it asks.
    fn send(&mut self, event: &SessionEvent, moment: &Moment<'_>) -> Result<Option<Value>, String> {
        self.last_id += 1;
        let id = self.last_id;
        let limit = self.limit_of(event);
        let deadline = Instant::now() + limit;
        let asks = event.kind().asks();
        let line = protocol::event(id, event, moment.session, asks.then_some(limit));
        self.pipes.queue(&line);
        let awaited = match (asks, self.acknowledges) {
            (true, _) => Awaited::Reply(id),
            (false, true) => Awaited::Done(id),
            (false, false) => Awaited::Sent,
        };
        match self.wait_for(awaited, deadline, moment.cancel)? {
            ProgramReply::Reply(result) => Ok(Some(result)),
            ProgramReply::Hello(_) | ProgramReply::Sent => Ok(None),
        }
    }

    fn limit_of(&self, event: &SessionEvent) -> Duration {
        match event {
            SessionEvent::BeforeCompact { .. }
            | SessionEvent::BeforeTree { wants_summary: true, .. } => self.limits.ask_for_summary,
            event if event.kind().asks() => self.limits.ask,
            _ => self.limits.tell,
        }
    }

    /// Lets bytes flow until what is awaited is there. An error is a fault that ends the
    /// extension, except when the user gave up waiting.
    fn wait_for(
        &mut self,
        awaited: Awaited,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<ProgramReply, String> {
        let began = Instant::now();
        loop {
            while let Some(outcome) = self.take_line(awaited)? {
                if let Some(outcome) = outcome {
                    return Ok(outcome);
                }
            }
            if awaited == Awaited::Sent && self.pipes.is_all_sent() {
                return Ok(ProgramReply::Sent);
            }
            if !self.pipes.may_speak() && awaited != Awaited::Sent {
                return Err(self.how_it_ended());
            }
            if !self.pipes.takes_input() && !self.pipes.is_all_sent() {
                return Err(self.how_it_ended());
            }
            if let (true, Awaited::Reply(id)) = (cancel.is_cancelled(), awaited) {
                self.abandoned.push(id);
                return Err("was stopped because the user canceled".to_owned());
            }
            if Instant::now() >= deadline {
                // It may take its time; what it has to report is heard later.
                if matches!(awaited, Awaited::Done(_)) && self.pipes.is_all_sent() {
                    return Ok(ProgramReply::Sent);
                }
                let waited = began.elapsed().as_millis();
                return Err(match awaited {
                    Awaited::Hello => format!("said no hello within {waited} ms"),
                    Awaited::Sent | Awaited::Done(_) => {
                        format!("did not take the event within {waited} ms")
                    }
                    Awaited::Reply(_) => format!("gave no answer within {waited} ms"),
                });
            }
            self.pipes.exchange(deadline).map_err(|error| format!("cannot be heard: {error}"))?;
        }
    }

    /// Looks at the next line, if there is one: `None` if there is none, `Some(None)` if it is
    /// not what is awaited.
    fn take_line(&mut self, awaited: Awaited) -> Result<Option<Option<ProgramReply>>, String> {
        let line = match self.pipes.next_line() {
            Received::Nothing => return Ok(None),
            Received::TooLong => {
                let longest = self.limits.line_bytes;
                return Err(format!("wrote a line of more than {longest} bytes"));
            }
            Received::Line(line) => line,
        };
        match (protocol::read(&line), awaited) {
            (Ok(Said::Hello(hello)), Awaited::Hello) => Ok(Some(Some(ProgramReply::Hello(hello)))),
            (Ok(Said::Reply { id, result }), Awaited::Reply(wanted)) if id == wanted => {
                Ok(Some(Some(ProgramReply::Reply(result))))
            }
            (Ok(Said::Done { id }), Awaited::Done(wanted)) if id == wanted => {
                Ok(Some(Some(ProgramReply::Sent)))
            }
            // It has done with one that was not waited for any longer.
            (Ok(Said::Done { id }), _) if self.acknowledges && id <= self.last_id => Ok(Some(None)),
            (Ok(Said::Done { id }), _) => {
                self.pass_over(format!("has done with event {id}, which it did not get"))
            }
            (Ok(Said::Error { event, error }), _) => {
                self.errors += 1;
                if self.errors > MOST_ERRORS {
                    return Err(format!("reported more than {MOST_ERRORS} errors"));
                }
                self.complain(event, error);
                Ok(Some(None))
            }
            (Ok(Said::Reply { id, .. }), _) if self.abandoned.contains(&id) => Ok(Some(None)),
            (Ok(Said::Reply { id, .. }), _) => {
                self.pass_over(format!("answered event {id}, which is not being asked"))
            }
            (Ok(Said::Hello(_)), _) => self.pass_over("said hello again".to_owned()),
            (Err(problem), Awaited::Hello) if problem.starts_with("its hello") => Err(problem),
            (Err(problem), _) => self.pass_over(problem),
        }
    }

    /// Counts a line that nobody asked for. Too many of them are a flood.
    fn pass_over(&mut self, problem: String) -> Result<Option<Option<ProgramReply>>, String> {
        self.stray_lines += 1;
        if self.stray_lines > MOST_STRAY_LINES {
            return Err(format!(
                "wrote more than {MOST_STRAY_LINES} lines that were not requested"
            ));
        }
        if self.stray_lines <= REPORTED_STRAY_LINES {
            self.complain(None, problem);
        }
        Ok(Some(None))
    }

    /// How a program ended that no longer speaks.
    fn how_it_ended(&mut self) -> String {
        // Its pipes close a moment before it is gone.
        let deadline = Instant::now() + LAST_WAIT;
        while !has_exited(&self.child).unwrap_or(true) && Instant::now() < deadline {
            let _ = self.pipes.exchange(deadline);
            std::thread::sleep(SHORT_PAUSE);
        }
        let has_exited = has_exited(&self.child).unwrap_or(true);
        let ended = match self.stop() {
            Some(status) if has_exited => format!("ended with {status}"),
            _ => "closed its pipes".to_owned(),
        };
        match self.pipes.last_words() {
            Some(words) => format!("{ended}; it said: {words}"),
            None => ended,
        }
    }

    fn complain(&mut self, event: Option<EventKind>, problem: String) {
        self.troubles.push(Trouble { observer: self.path.clone(), event, problem });
    }

    /// Ends the program and all that it started, at once. It is reaped last, so that its number
    /// cannot belong to another process when its group is killed.
    fn stop(&mut self) -> Option<ExitStatus> {
        if self.state == State::Stopped {
            return None;
        }
        self.state = State::Stopped;
        self.wanted.clear();
        // A group that is gone already needs no end.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        self.registered = None;
        let deadline = Instant::now() + LAST_WAIT;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => std::thread::sleep(SHORT_PAUSE),
                // One that the system cannot end yet is not waited for.
                other => return other.ok().flatten(),
            }
        }
    }

    /// Gives the program time to end by itself until its deadline, and then ends it.
    fn end(&mut self) {
        let deadline = match self.state {
            State::Stopped => return,
            State::Running => Instant::now() + self.limits.end,
            State::Ending(deadline) => deadline,
        };
        self.pipes.close_input();
        while Instant::now() < deadline && !has_exited(&self.child).unwrap_or(true) {
            // What it still says must not keep it from ending.
            let pause = deadline.min(Instant::now() + Duration::from_millis(5));
            if self.pipes.exchange(pause).is_err() || !self.pipes.may_speak() {
                std::thread::sleep(SHORT_PAUSE);
            }
            while matches!(self.pipes.next_line(), Received::Line(_)) {}
            if self.pipes.next_line() == Received::TooLong {
                break;
            }
        }
        self.stop();
    }
}

impl SessionObserver for ExtensionProcess {
    fn name(&self) -> &str {
        &self.path
    }

    fn wants(&self, kind: EventKind) -> bool {
        self.state == State::Running
            && (self.wanted.contains(&kind) || kind == EventKind::SessionShutdown)
    }

    fn on_event(
        &mut self,
        event: &SessionEvent,
        moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        let kind = event.kind();
        let result = if self.wanted.contains(&kind) { self.send(event, moment) } else { Ok(None) };
        if matches!(event, SessionEvent::Shutdown { reason: ShutdownReason::Quit, .. }) {
            self.pipes.close_input();
            self.state = State::Ending(Instant::now() + self.limits.end);
        }
        match result {
            Ok(None) => Ok(None),
            Ok(Some(result)) => BeforeReply::from_value(&result).map_err(ObserverError),
            Err(problem) => {
                let is_given_up = self.abandoned.last() == Some(&self.last_id);
                if !is_given_up {
                    self.stop();
                }
                Err(ObserverError(problem))
            }
        }
    }

    fn take_troubles(&mut self) -> Vec<Trouble> {
        std::mem::take(&mut self.troubles)
    }
}

impl Drop for ExtensionProcess {
    fn drop(&mut self) {
        self.end();
    }
}
