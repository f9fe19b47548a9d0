//! In which order the requests of a client are carried out: the one rule, in one place.
//!
//! 1. The requests of one client begin in the order in which they were sent.
//! 2. Reads overlap reads. A change begins when the client's reads before it are answered, and
//!    what was sent after a change begins when it is made. So each read answers for the session
//!    after all changes sent before it and before all changes sent after it.
//! 3. Changes of all clients are made one after the other ([`Changes`](crate::changes::Changes)).
//! 4. What goes to an attached agent is a request like any other; a message for it is a change to
//!    the reads before it, and waits while anybody's change is being made. Pi works on several
//!    requests at a time, so the next change or message goes to it when it has taken the message.
//! 5. What stops something waits only until all that was sent before it has begun, and what runs
//!    already is stopped at once. So requests are read on while others wait: a client that sends
//!    faster than it is served is slowed down, but only as long as its requests move.
//!
//! There is one exception. While a change waits for a summary, which takes as long as a model
//! does, reads sent right behind it are answered for the session as it is until then.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::attached::{Attached, is_for_agent};
use crate::changes::Ticket;
use crate::client::Client;
use crate::protocol::{Command, Turn};
use crate::request::Request;
use crate::server::{Call, Server};

/// As many requests of one client wait, and as many bytes of them.
const MOST_WAITING: usize = 16 << 10;
const MOST_WAITING_BYTES: usize = 64 << 20;
/// As many more of those that stop something.
const MOST_WAITING_STOPS: usize = 1 << 10;
/// When as many wait and none of them begins for so long, the next ones are refused.
const LONGEST_WAIT_FOR_ROOM: Duration = Duration::from_secs(1);
/// As many long reads of one client run at a time; further ones wait.
const MOST_LONG_READS: usize = 4;
/// As many shell commands of one client run at a time; further ones are refused, since they may
/// run for ever.
const MOST_SHELLS: usize = 64;
/// As many reads of one client are with the agent at a time.
const MOST_AT_AGENT: usize = 16;
/// How long the agent may think about a message before the next request goes to it. It takes a
/// message at once, unless that is a command of an extension.
const LONGEST_TAKING: Duration = Duration::from_secs(10);

/// A request that waits for its turn.
struct Waiting {
    command: &'static Command,
    request: Request,
    bytes: usize,
    place: Place,
}

/// The requests of one client, in order. What is pushed after the value is dropped is lost.
pub(crate) struct Order {
    server: Arc<Server>,
    client: Arc<Client>,
    queue: Sender<Waiting>,
    open: Arc<Open>,
    worker: JoinHandle<()>,
}

impl Order {
    pub(crate) fn start(server: &Arc<Server>, client: &Arc<Client>) -> Self {
        let (queue, waiting) = channel();
        let open = Arc::new(Open::default());
        let lane = Lane {
            server: Arc::clone(server),
            client: Arc::clone(client),
            open: Arc::clone(&open),
            last_change: Ticket::default(),
            threads: Vec::new(),
            shells: Vec::new(),
            is_stalled: false,
        };
        let worker = thread::spawn(move || lane.work(&waiting));
        let (server, client) = (Arc::clone(server), Arc::clone(client));
        Self { server, client, queue, open, worker }
    }

    /// Sees to it that a request, which had so many bytes, is answered, now or in its turn.
    pub(crate) fn take(&self, command: &'static Command, request: Request, bytes: usize) {
        let agent = self.server.attached().filter(|_| is_for_agent(command));
        let turn = turn(command, agent);
        match turn {
            Turn::AtOnce => return self.server.answer(command, &request, &self.client, None),
            Turn::Stop if self.open.nothing_waits() => {
                return match agent {
                    Some(agent) => agent.pass_on(request, &self.client, None),
                    None => self.server.answer(command, &request, &self.client, None),
                };
            }
            Turn::Stop => self.stop_what_runs(command, &request, agent),
            // It would be the worker's next request anyway.
            Turn::QuickRead
                if self.server.attached().is_none()
                    && self.open.nothing_waits()
                    && self.server.try_answer(command, &request, &self.client) =>
            {
                return;
            }
            _ => {}
        }
        let Some(place) = self.open.admit(bytes, turn == Turn::Stop) else {
            let reason = "too many requests are waiting; read answers before sending more";
            return self.server.refuse(&request, &self.client, reason);
        };
        // The worker ends when this value is gone, and not before.
        let _ = self.queue.send(Waiting { command, request, bytes, place });
    }

    /// Stops what runs already. What was sent before and begins later is stopped then: the request
    /// itself may wait behind others for its end.
    fn stop_what_runs(&self, command: &Command, request: &Request, agent: Option<&Attached>) {
        match (agent, command.name) {
            (Some(agent), name) if name != "clear_queue" => agent.stop_what_runs(request),
            (None, "abort") => {
                self.open.counts().note_stop(Stop::Work);
                self.server.process.stop_work();
            }
            (None, "abort_bash") => {
                self.open.counts().note_stop(Stop::Shells);
                self.server.process.stop_shells();
            }
            _ => {}
        }
    }

    /// Waits until all is answered. `on_stall` is called if nothing moves for so long.
    pub(crate) fn finish(self, longest_stall: Duration, on_stall: impl FnOnce()) {
        drop(self.queue);
        let is_done = |open: &Counts| open.is_over && open.reads + open.prompts == 0;
        loop {
            let before = self.open.counts().steps;
            let moves = |open: &Counts| is_done(open) || open.steps != before;
            if !self.open.wait_within(longest_stall, moves) {
                on_stall();
                break;
            }
            if is_done(&self.open.counts()) {
                break;
            }
        }
        let _ = self.worker.join();
    }
}

/// How a command takes part, as the agent's if there is one.
fn turn(command: &Command, agent: Option<&Attached>) -> Turn {
    match (agent, command.turn) {
        (None, turn) => turn,
        // The agent must have it in order, but is at nobody else's disposal for that long.
        (Some(_), Turn::AtOnce) => Turn::Stop,
        (Some(_), Turn::Beside) => Turn::Message,
        (Some(_), Turn::Change) if command.name == "compact" => Turn::Message,
        (Some(_), turn) => turn,
    }
}

/// What of a client's requests is not answered yet.
#[derive(Default)]
pub(crate) struct Open {
    counts: Mutex<Counts>,
    moved: Condvar,
}

#[derive(Default)]
struct Counts {
    /// How many were read and have not begun, and how long they are.
    waiting: usize,
    waiting_bytes: usize,
    /// How many ever waited, and how many of them work and shell commands are stopped in.
    taken: u64,
    work_stopped: u64,
    shells_stopped: u64,
    /// The step at which the client was told that too many wait.
    full_since: Option<u64>,
    /// Those that read the session, and those that read other sessions.
    reads: usize,
    store_reads: usize,
    /// Long reads that have a thread.
    long_reads: usize,
    /// Messages that the agent has not taken yet.
    prompts: usize,
    /// Counts what has begun and what was answered.
    steps: u64,
    is_over: bool,
}

/// Which count a request is in.
#[derive(Clone, Copy)]
enum Kind {
    Read,
    StoreRead,
    LongRead,
    Prompt,
}

/// What a request stops.
#[derive(Clone, Copy)]
enum Stop {
    Work,
    Shells,
}

/// The place of a request among those of its client.
#[derive(Clone)]
pub(crate) struct Place {
    open: Arc<Open>,
    number: u64,
}

impl Place {
    /// Whether its client has asked since to stop long work. To be asked when it is noted as
    /// running, so that either this is true or whoever stops it finds it.
    pub(crate) fn is_work_stopped(&self) -> bool {
        self.number <= self.open.counts().work_stopped
    }

    /// The same for shell commands.
    fn is_shell_stopped(&self) -> bool {
        self.number <= self.open.counts().shells_stopped
    }
}

impl Counts {
    /// Notes that all that was sent up to now is stopped.
    fn note_stop(&mut self, stop: Stop) {
        match stop {
            Stop::Work => self.work_stopped = self.taken,
            Stop::Shells => self.shells_stopped = self.taken,
        }
    }

    fn of(&mut self, kind: Kind) -> &mut usize {
        match kind {
            Kind::Read => &mut self.reads,
            Kind::StoreRead => &mut self.store_reads,
            Kind::LongRead => &mut self.long_reads,
            Kind::Prompt => &mut self.prompts,
        }
    }

    fn has_room(&self, bytes: usize) -> bool {
        // One that nothing waits before is taken however long it is.
        self.waiting == 0
            || (self.waiting < MOST_WAITING && self.waiting_bytes + bytes <= MOST_WAITING_BYTES)
    }
}

/// A request that is not answered yet. It is when the value goes.
pub(crate) struct OpenRequest {
    open: Arc<Open>,
    kind: Kind,
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        *self.open.counts().of(self.kind) -= 1;
        self.open.note_step();
    }
}

impl Open {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(self: &Arc<Self>, kind: Kind) -> OpenRequest {
        *self.counts().of(kind) += 1;
        OpenRequest { open: Arc::clone(self), kind }
    }

    fn note_step(&self) {
        self.counts().steps += 1;
        self.moved.notify_all();
    }

    fn wait(&self, go_on: impl Fn(&Counts) -> bool) {
        drop(self.moved.wait_while(self.counts(), |counts| !go_on(counts)));
    }

    fn wait_within(&self, limit: Duration, go_on: impl Fn(&Counts) -> bool) -> bool {
        let waited = self.moved.wait_timeout_while(self.counts(), limit, |open| !go_on(open));
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Whether all requests that were read have begun, and the agent has taken all messages.
    fn nothing_waits(&self) -> bool {
        let counts = self.counts();
        counts.waiting + counts.prompts == 0
    }

    /// Notes that a request waits; `None` if there is no room for it. Room is waited for only
    /// while requests begin: one that stops what they wait for may be the next to be read.
    fn admit(self: &Arc<Self>, bytes: usize, is_stop: bool) -> Option<Place> {
        let mut counts = self.counts();
        while !counts.has_room(bytes) {
            let is_short = bytes <= MOST_WAITING_BYTES / MOST_WAITING;
            if is_stop && is_short && counts.waiting < MOST_WAITING + MOST_WAITING_STOPS {
                break;
            }
            let now = counts.steps;
            if is_stop || counts.full_since == Some(now) {
                return None;
            }
            let waited = self.moved.wait_timeout_while(counts, LONGEST_WAIT_FOR_ROOM, |counts| {
                counts.steps == now && !counts.has_room(bytes)
            });
            let (held, result) = waited.unwrap_or_else(PoisonError::into_inner);
            counts = held;
            if result.timed_out() {
                counts.full_since = Some(now);
            }
        }
        counts.waiting += 1;
        counts.waiting_bytes += bytes;
        counts.taken += 1;
        Some(Place { open: Arc::clone(self), number: counts.taken })
    }

    /// Notes that a request has begun, or needs not. `is_step` is false if that is no sign of
    /// life.
    fn begun(&self, bytes: usize, is_step: bool) {
        let mut counts = self.counts();
        counts.waiting -= 1;
        counts.waiting_bytes -= bytes;
        counts.steps += u64::from(is_step);
        self.moved.notify_all();
    }
}

/// Carries out the requests of a client, in order.
struct Lane {
    server: Arc<Server>,
    client: Arc<Client>,
    open: Arc<Open>,
    last_change: Ticket,
    /// Long reads.
    threads: Vec<JoinHandle<()>>,
    /// What runs beside.
    shells: Vec<JoinHandle<()>>,
    /// The agent did not take a message in time. What goes to it behind that is no sign of life.
    is_stalled: bool,
}

impl Lane {
    fn work(mut self, waiting: &Receiver<Waiting>) {
        for Waiting { command, request, bytes, place } in waiting {
            self.client.wait_for_room();
            // What was asked to be done is done, even if nobody hears of it.
            if !self.client.is_gone() || matches!(command.turn, Turn::Change | Turn::Message) {
                self.begin(command, request, place);
            }
            self.open.begun(bytes, !self.is_stalled);
        }
        for thread in self.threads.drain(..).chain(self.shells.drain(..)) {
            let _ = thread.join();
        }
        self.server.changes.complete(self.last_change);
        self.open.counts().is_over = true;
        self.open.note_step();
    }

    /// Begins a request, as soon as those before it allow.
    fn begin(&mut self, command: &'static Command, request: Request, place: Place) {
        let server = Arc::clone(&self.server);
        let agent = server.attached().filter(|_| is_for_agent(command));
        match turn(command, agent) {
            Turn::AtOnce | Turn::Stop => match agent {
                Some(agent) => {
                    self.wait_for_prompts();
                    agent.pass_on(request, &self.client, None);
                }
                None => server.answer(command, &request, &self.client, None),
            },
            Turn::Read | Turn::QuickRead | Turn::LongRead | Turn::StoreRead if agent.is_some() => {
                self.open.wait(|open| open.reads < MOST_AT_AGENT);
                let read = self.open.begin(Kind::Read);
                if let Some(agent) = agent {
                    server.read_of_agent(agent, command, request, &self.client, read);
                }
            }
            Turn::Read | Turn::QuickRead => server.answer(command, &request, &self.client, None),
            Turn::LongRead => self.spawn(command, request, Kind::Read),
            Turn::Beside => self.spawn_shell(command, request, &place),
            Turn::StoreRead => self.spawn(command, request, Kind::StoreRead),
            Turn::Message => {
                server.changes.complete(self.last_change);
                self.open.wait(|open| open.reads == 0);
                self.wait_for_prompts();
                match agent {
                    Some(agent) => {
                        let is_taken_soon = command.turn == Turn::Message;
                        let prompt = is_taken_soon.then(|| self.open.begin(Kind::Prompt));
                        agent.say(request, &self.client, prompt);
                    }
                    None => server.answer(command, &request, &self.client, None),
                }
            }
            Turn::Change => self.change(command, request, agent.is_some(), place),
        }
    }

    fn change(
        &mut self,
        command: &'static Command,
        request: Request,
        is_for_agent: bool,
        place: Place,
    ) {
        self.open.wait(|open| open.reads + open.store_reads == 0);
        if is_for_agent {
            self.wait_for_prompts();
        }
        let (server, client) = (Arc::clone(&self.server), Arc::clone(&self.client));
        self.last_change =
            self.server.changes.push(move || match server.attached().filter(|_| is_for_agent) {
                Some(agent) => agent.make(&request, &client),
                None => {
                    let call = Call::new(&server, &client, &request, None).at(place);
                    server.carry_out(command, &call);
                }
            });
        self.server.changes.settle(self.last_change);
    }

    fn wait_for_prompts(&mut self) {
        self.is_stalled = !self.open.wait_within(LONGEST_TAKING, |open| open.prompts == 0);
    }

    fn spawn(&mut self, command: &'static Command, request: Request, kind: Kind) {
        self.open.wait(|open| open.long_reads < MOST_LONG_READS);
        self.threads.retain(|thread| !thread.is_finished());
        let (server, client) = (Arc::clone(&self.server), Arc::clone(&self.client));
        let (open, long_read) = (Some(self.open.begin(kind)), self.open.begin(Kind::LongRead));
        self.threads.push(thread::spawn(move || {
            server.answer(command, &request, &client, open);
            drop(long_read);
        }));
    }

    fn spawn_shell(&mut self, command: &'static Command, request: Request, place: &Place) {
        self.shells.retain(|thread| !thread.is_finished());
        if self.shells.len() >= MOST_SHELLS {
            let reason = format!(
                "{MOST_SHELLS} shell commands are running; wait for one to end, or send abort_bash"
            );
            return self.server.refuse(&request, &self.client, reason);
        }
        let (server, client) = (Arc::clone(&self.server), Arc::clone(&self.client));
        let open = Some(self.open.begin(Kind::Read));
        // Noted here and not on its thread, since what stops it may be next.
        let shell = self.server.process.begin_shell();
        if place.is_shell_stopped() {
            shell.cancel();
        }
        self.shells.push(thread::spawn(move || {
            let call = Call::new(&server, &client, &request, open).with_shell(shell);
            server.carry_out(command, &call);
        }));
    }
}
