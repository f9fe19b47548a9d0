//! One session and those who ask about it.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::{self, JoinHandle};

use pitree_session::{Environment, Session};

use crate::answer::{Failure, Spool, failure_line, success_line, unreadable_line};
use crate::changes::Changes;
use crate::client::Client;
use crate::frame::{Frame, Frames, MAX_REQUEST_BYTES};
use crate::protocol::{self, Command, Turn};
use crate::request::Request;

/// As many long reads of one client run at a time; further ones wait.
const MOST_LONG_READS: usize = 4;

/// Answers requests about a session.
pub struct Server {
    session: RwLock<Session>,
    changes: Arc<Changes>,
    /// Where long answers wait.
    temporary: PathBuf,
    environment: Environment,
}

impl Server {
    /// A server for this session.
    pub fn new(session: Session, environment: Environment) -> Arc<Self> {
        let temporary = PathBuf::from(environment.var("TMPDIR").unwrap_or("/tmp"));
        let session = RwLock::new(session);
        Arc::new(Self { session, changes: Arc::default(), temporary, environment })
    }

    /// Answers one client until its input ends or it takes no more answers. All that was asked
    /// before the end is answered.
    pub fn serve(
        self: &Arc<Self>,
        input: impl BufRead,
        output: impl Write + Send + 'static,
    ) -> io::Result<()> {
        let worker = thread::spawn({
            let changes = Arc::clone(&self.changes);
            move || changes.work()
        });
        let client = Arc::new(Client::new(Box::new(output)));
        let result = self.listen(input, &client);
        self.changes.finish();
        self.changes.close();
        let _ = worker.join();
        result
    }

    fn listen(self: &Arc<Self>, input: impl BufRead, client: &Arc<Client>) -> io::Result<()> {
        let mut frames = Frames::new(input, MAX_REQUEST_BYTES);
        let mut long_reads = LongReads::default();
        while !client.is_gone() {
            match frames.next()? {
                None => break,
                Some(Frame::TooLong(bytes)) => client.send(unreadable_line(&too_long(bytes))),
                Some(Frame::Line(line)) => match Request::read(line) {
                    Err(failure) => client.send(unreadable_line(&failure)),
                    Ok(request) => self.take(request, client, &mut long_reads),
                },
            }
        }
        long_reads.finish();
        Ok(())
    }

    /// Sees to it that a request is answered, now or later.
    fn take(self: &Arc<Self>, request: Request, client: &Arc<Client>, long_reads: &mut LongReads) {
        let name = request.command.as_ref().and_then(|command| command.as_string());
        let Some(command) = name.and_then(|name| protocol::find(&name.to_text())) else {
            let failure = Failure::new(format!("Unknown command: {}", request.command_text()));
            return client.send(failure_line(&request, &failure));
        };
        if matches!(command.turn, Turn::Read | Turn::LongRead) {
            self.changes.settle();
        }
        let server = Arc::clone(self);
        let client = Arc::clone(client);
        let job = move || server.answer(command, &request, &client);
        match command.turn {
            Turn::AtOnce | Turn::Read => job(),
            Turn::LongRead => long_reads.start(job),
            Turn::Change => self.changes.push(job),
        }
    }

    fn answer(self: &Arc<Self>, command: &Command, request: &Request, client: &Arc<Client>) {
        let call = Call { server: self, client, request };
        match (command.run)(&call) {
            Ok(answer) => {
                if let Some(line) = success_line(request, answer) {
                    client.send(line);
                }
            }
            Err(failure) => client.send(failure_line(request, &failure)),
        }
    }

    /// How many tokens the model takes, if that is known.
    pub(crate) fn context_window(&self) -> Option<f64> {
        None
    }
}

fn too_long(bytes: u64) -> Failure {
    Failure::new(format!(
        "Failed to parse command: the line has {bytes} bytes, and {MAX_REQUEST_BYTES} is the limit"
    ))
}

/// A command that is being carried out.
pub(crate) struct Call<'a> {
    pub(crate) server: &'a Arc<Server>,
    pub(crate) client: &'a Arc<Client>,
    pub(crate) request: &'a Request,
}

impl Call<'_> {
    /// The session, to read it.
    pub(crate) fn session(&self) -> RwLockReadGuard<'_, Session> {
        self.server.session.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a long answer is written.
    pub(crate) fn spool(&self) -> Spool {
        Spool::new(&self.server.temporary)
    }
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
