//! One client: its requests are read, and answered now or later.
//!
//! Each client has a thread that reads its requests and never waits for the session, so that an
//! answer to a question always gets through, one that carries them out in [order](crate::order),
//! and one that writes what it is sent ([`Outbox`](crate::outbox::Outbox)).

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::answer::{Failure, failure_line, unreadable_line};
use crate::attached::Attached;
use crate::client::Client;
use crate::frame::{Frame, Frames, MAX_REQUEST_BYTES};
use crate::order::Order;
use crate::outbox::LONGEST_STALL;
use crate::protocol;
use crate::request::Request;
use crate::server::{Server, ServerError};

/// How long an agent or a command may keep the process from ending when the input has ended. It
/// may still be starting then.
const LONGEST_LAST_ANSWER: Duration = Duration::from_secs(10);
/// How long a client that has gone may take to read the reason.
const LONGEST_LAST_LINE: Duration = Duration::from_secs(1);

/// The answer to a question of an agent's extension.
const UI_RESPONSE: &str = "extension_ui_response";

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
        let client = Client::connect(output, move || drop(gone.send(Ok(()))), || ());
        self.clients.add(&client);
        self.start()?;
        let worker = self.start_changes();
        // On a thread of its own, since a client that has gone may leave its input open for ever.
        let (server, served) = (Arc::clone(self), Arc::clone(&client));
        let reader = thread::spawn(move || {
            // An agent that does not answer is not waited for: it ends with this process anyway.
            let end_agent = || server.attached().into_iter().for_each(Attached::end);
            drop(ended.send(server.serve(input, &served, end_agent)));
        });
        let result = end.recv().unwrap_or(Ok(()));
        if client.is_gone() {
            // Nobody is left to hear what an agent answers.
            self.attached().into_iter().for_each(Attached::end);
        } else {
            let _ = reader.join();
        }
        self.process.stop_work();
        self.changes.finish();
        self.changes.close();
        let _ = worker.join();
        self.close();
        // Until here it hears what happens.
        client.drain(if client.is_gone() { LONGEST_LAST_LINE } else { LONGEST_STALL });
        Ok(result)
    }

    /// Starts the thread that makes changes.
    pub(crate) fn start_changes(self: &Arc<Self>) -> JoinHandle<()> {
        let server = Arc::clone(self);
        thread::spawn(move || server.changes.work())
    }

    /// Answers one client. `on_stall` is called if its last answers do not come.
    pub(crate) fn serve(
        self: &Arc<Self>,
        input: impl BufRead,
        client: &Arc<Client>,
        on_stall: impl FnOnce(),
    ) -> io::Result<()> {
        let order = Order::start(self, client);
        let mut frames = Frames::new(input, MAX_REQUEST_BYTES);
        let result = loop {
            // A client that reads nothing asks for nothing more.
            client.wait_for_room();
            if client.is_gone() {
                break Ok(());
            }
            match frames.next() {
                Err(error) => break Err(error),
                Ok(None) => break Ok(()),
                Ok(Some(Frame::TooLong(bytes))) => client.send(unreadable_line(&too_long(bytes))),
                Ok(Some(Frame::Line(line))) => match Request::read(line) {
                    Err(failure) => client.send(unreadable_line(&failure)),
                    Ok(request) => self.take(request, line.len(), client, &order),
                },
            }
        };
        // Nobody is left to hear the end of long work, or to answer a question.
        client.stop_work();
        order.finish(LONGEST_LAST_ANSWER, || {
            // A command that was asked for right before the end has begun only now.
            client.end_work();
            on_stall();
        });
        result
    }

    /// Sees to it that a request is answered, now or later.
    fn take(self: &Arc<Self>, request: Request, bytes: usize, client: &Arc<Client>, order: &Order) {
        let name = request.command.as_ref().and_then(|command| command.as_string());
        if name.is_some_and(|name| *name == UI_RESPONSE) {
            // As in Pi there is no answer to an answer that was passed on.
            return self
                .attached()
                .into_iter()
                .for_each(|attached| attached.tell(&request, client));
        }
        let Some(command) = name.and_then(|name| protocol::find(&name.to_text())) else {
            let failure = Failure::new(format!("Unknown command: {}", request.command_text()));
            return client.send(failure_line(&request, &failure));
        };
        order.take(command, request, bytes);
    }
}

fn too_long(bytes: u64) -> Failure {
    Failure::new(format!(
        "Failed to parse command: the line has {bytes} bytes, and {MAX_REQUEST_BYTES} is the limit"
    ))
}
