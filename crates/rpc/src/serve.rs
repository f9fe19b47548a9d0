//! One client: its requests are read, and answered now or later.
//!
//! Each client has a thread that reads its requests and never waits for the session, so that an
//! answer to a question always gets through, and a thread that answers its reads in order. Changes
//! of all clients go through one queue, [`Changes`](crate::changes::Changes).

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::thread::{self, JoinHandle};

use crate::answer::{Failure, failure_line, unreadable_line};
use crate::attached::is_for_agent;
use crate::changes::Ticket;
use crate::client::Client;
use crate::frame::{Frame, Frames, MAX_REQUEST_BYTES};
use crate::protocol::{self, Command, Turn};
use crate::request::Request;
use crate::server::{Server, ServerError};

/// As many long reads of one client run at a time; further ones wait.
const MOST_LONG_READS: usize = 4;
/// As many reads of one client wait; then its requests are not read for a while.
const MOST_WAITING_READS: usize = 1024;

/// The answer to a question of an agent's extension.
const UI_RESPONSE: &str = "extension_ui_response";

/// A read that waits for its turn.
struct Read {
    command: &'static Command,
    request: Request,
    after: Ticket,
}

impl Server {
    /// Answers one client until its input ends or it takes no more answers; then the session is
    /// closed. All that was asked before the end is answered.
    pub fn run(
        self: &Arc<Self>,
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Result<io::Result<()>, ServerError> {
        let (ended, end) = channel();
        let gone = ended.clone();
        // Nobody listens any more when both ends come at once.
        let client = Arc::new(Client::new(output, move || drop(gone.send(Ok(())))));
        self.clients.add(&client);
        self.start()?;
        let worker = self.start_changes();
        // On a thread of its own, since a client that has gone may leave its input open for ever.
        let (server, served) = (Arc::clone(self), Arc::clone(&client));
        thread::spawn(move || drop(ended.send(server.serve(input, &served))));
        let result = end.recv().unwrap_or(Ok(()));
        self.process.stop_work();
        self.changes.finish();
        self.changes.close();
        let _ = worker.join();
        self.close();
        // Until here it hears what happens.
        drop(client);
        Ok(result)
    }

    /// Starts the thread that makes changes.
    pub(crate) fn start_changes(self: &Arc<Self>) -> JoinHandle<()> {
        let server = Arc::clone(self);
        thread::spawn(move || server.changes.work())
    }

    /// Answers one client.
    pub(crate) fn serve(
        self: &Arc<Self>,
        input: impl BufRead,
        client: &Arc<Client>,
    ) -> io::Result<()> {
        let (reads, waiting) = sync_channel::<Read>(MOST_WAITING_READS);
        let reader = thread::spawn({
            let (server, client) = (Arc::clone(self), Arc::clone(client));
            move || server.answer_reads(&waiting, &client)
        });
        let mut frames = Frames::new(input, MAX_REQUEST_BYTES);
        let result = loop {
            if client.is_gone() {
                break Ok(());
            }
            match frames.next() {
                Err(error) => break Err(error),
                Ok(None) => break Ok(()),
                Ok(Some(Frame::TooLong(bytes))) => client.send(unreadable_line(&too_long(bytes))),
                Ok(Some(Frame::Line(line))) => match Request::read(line) {
                    Err(failure) => client.send(unreadable_line(&failure)),
                    Ok(request) => self.take(request, client, |read| drop(reads.send(read))),
                },
            }
        };
        // Nobody is left to hear the end of long work, or to answer a question.
        client.stop_work();
        drop(reads);
        let _ = reader.join();
        result
    }

    /// Sees to it that a request is answered, now or later.
    fn take(
        self: &Arc<Self>,
        request: Request,
        client: &Arc<Client>,
        read_later: impl FnOnce(Read),
    ) {
        let name = request.command.as_ref().and_then(|command| command.as_string());
        if name.is_some_and(|name| *name == UI_RESPONSE) {
            // As in Pi there is no answer to an answer.
            return self.attached().into_iter().for_each(|attached| attached.tell(&request));
        }
        let Some(command) = name.and_then(|name| protocol::find(&name.to_text())) else {
            let failure = Failure::new(format!("Unknown command: {}", request.command_text()));
            return client.send(failure_line(&request, &failure));
        };
        if let Some(attached) = self.attached().filter(|_| is_for_agent(command)) {
            return attached.pass_on(request, client);
        }
        match command.turn {
            Turn::AtOnce => self.answer(command, &request, client),
            Turn::Read | Turn::LongRead => {
                read_later(Read { command, request, after: self.changes.ticket() });
            }
            Turn::Change => {
                let (server, client) = (Arc::clone(self), Arc::clone(client));
                self.changes.push(move || server.answer(command, &request, &client));
            }
        }
    }

    /// Answers the reads of a client in order; long ones on threads of their own.
    fn answer_reads(self: &Arc<Self>, waiting: &Receiver<Read>, client: &Arc<Client>) {
        let mut long_reads = LongReads::default();
        for read in waiting {
            self.changes.settle(read.after);
            if read.command.turn == Turn::Read {
                self.answer(read.command, &read.request, client);
                continue;
            }
            let (server, client) = (Arc::clone(self), Arc::clone(client));
            long_reads.start(move || server.answer(read.command, &read.request, &client));
        }
        long_reads.finish();
    }
}

fn too_long(bytes: u64) -> Failure {
    Failure::new(format!(
        "Failed to parse command: the line has {bytes} bytes, and {MAX_REQUEST_BYTES} is the limit"
    ))
}

/// The long reads of a client that are under way.
#[derive(Default)]
struct LongReads(Vec<JoinHandle<()>>);

impl LongReads {
    fn start(&mut self, job: impl FnOnce() + Send + 'static) {
        self.0.retain(|thread| !thread.is_finished());
        if self.0.len() >= MOST_LONG_READS {
            let _ = self.0.remove(0).join();
        }
        self.0.push(thread::spawn(job));
    }

    fn finish(self) {
        for thread in self.0 {
            let _ = thread.join();
        }
    }
}
