//! What fuzz targets may reach beyond the public interface.

use std::io::{self, BufReader, Write};
use std::sync::{Arc, Mutex, PoisonError};

use pitree_format::Value;

use crate::client::Client;
use crate::frame::{Frame, Frames};
use crate::outbox::LONGEST_STALL;
use crate::protocol;
use crate::request::Request;
use crate::server::{Server, ServerError};

/// Commands that touch nothing but a session in memory.
const HARMLESS: [&str; 18] = [
    "get_state",
    "get_messages",
    "get_entries",
    "get_tree",
    "get_fork_messages",
    "get_session_stats",
    "get_last_assistant_text",
    "get_branch",
    "get_children",
    "get_context",
    "get_labels",
    "get_available_models",
    "get_available_thinking_levels",
    "get_commands",
    "set_session_name",
    "set_label",
    "list_sessions",
    "search",
];

/// The lines of an input, read in chunks: each line, or how long it was if it is over the limit.
pub fn frames(bytes: &[u8], limit: usize, chunk: usize) -> Vec<Result<Vec<u8>, u64>> {
    let mut frames = Frames::new(BufReader::with_capacity(chunk, bytes), limit);
    let mut all = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        all.push(match frame {
            Frame::Line(line) => Ok(line.to_vec()),
            Frame::TooLong(bytes) => Err(bytes),
        });
    }
    all
}

/// The id that the answer to a line has, which may be none; `None` if the line has no answer, or
/// asks for something that a fuzzer should better not do.
pub fn expected_id(line: &[u8]) -> Option<Option<Value>> {
    let Ok(request) = Request::read(line) else { return Some(None) };
    let name = request.command.as_ref().and_then(|command| command.as_string());
    let name = name.map(|name| name.to_text()).unwrap_or_default();
    let is_known = protocol::find(&name).is_some() || name == "extension_ui_response";
    (!is_known || HARMLESS.contains(&&*name)).then_some(request.id)
}

/// A server that answers one client after another.
pub struct Served(Arc<Server>);

impl Served {
    /// Starts a server.
    pub fn start(server: Arc<Server>) -> Result<Self, ServerError> {
        server.start()?;
        let _worker = server.start_changes();
        Ok(Self(server))
    }

    /// All that a client is sent that says this.
    pub fn answers(&self, input: &[u8]) -> Vec<u8> {
        let sent = Sent::default();
        let client = Client::connect(sent.clone(), || (), || ());
        self.0.clients.add(&client);
        let _ = self.0.serve(input, &client, || ());
        client.drain(LONGEST_STALL);
        client.leave();
        let mut sent = sent.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *sent)
    }
}

#[derive(Clone, Default)]
struct Sent(Arc<Mutex<Vec<u8>>>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
