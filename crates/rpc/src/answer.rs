//! What goes back to a client: answers and refusals, each one line.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_format::js::{print, stringify};
use pitree_format::{Object, Value};
use thiserror::Error;

use crate::request::Request;

/// As much of a long answer is held in memory; the rest waits in a file without a name.
const MOST_HELD_BYTES: usize = 4 << 20;

/// Why a command was not carried out, in words for the client.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub(crate) struct Failure {
    message: String,
    need: Option<Need>,
}

/// What a refused request needs. Only whoever started the server can see to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// An agent that answers prompts.
    Agent,
    /// Leave to run shell commands.
    Shell,
    /// Leave to migrate this file of an old version.
    Migration(PathBuf),
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), need: None }
    }

    /// The refusal of a request that needs something.
    pub(crate) fn needing(need: Need, message: impl Into<String>) -> Self {
        Self { message: message.into(), need: Some(need) }
    }

    /// Adds what whoever started the server says of how to get what is needed.
    pub(crate) fn with_hint(mut self, hint: impl FnOnce(&Need) -> String) -> Self {
        if let Some(need) = self.need.take() {
            self.message = format!("{}: {}", self.message, hint(&need));
        }
        self
    }
}

impl From<pitree_session::SessionError> for Failure {
    fn from(error: pitree_session::SessionError) -> Self {
        match &error {
            pitree_session::SessionError::NeedsMigration { path, .. } => {
                Self::needing(Need::Migration(path.clone()), error.to_string())
            }
            _ => Self::new(error.to_string()),
        }
    }
}

impl From<pitree_host::live::LiveError> for Failure {
    fn from(error: pitree_host::live::LiveError) -> Self {
        match error {
            pitree_host::live::LiveError::Session(error) => error.into(),
            other => Self::new(other.to_string()),
        }
    }
}

impl From<pitree_host::HostError> for Failure {
    fn from(error: pitree_host::HostError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<pitree_host::models::SelectionError> for Failure {
    fn from(error: pitree_host::models::SelectionError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(pitree_session::cause(&error).to_string())
    }
}

/// What a command answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Success, and nothing to tell.
    Done,
    /// A value.
    Data(Value),
    /// A value that was written as text, because it may be large.
    Text(Spool),
}

impl From<Object> for Answer {
    fn from(object: Object) -> Self {
        Self::Data(object.into())
    }
}

/// The beginning of an answer: what comes before its data or its error.
fn opening(request: &Request, success: bool) -> String {
    let mut text = String::from("{");
    if let Some(id) = &request.id {
        text.push_str("\"id\":");
        print(id, &mut text);
        text.push(',');
    }
    text.push_str("\"type\":\"response\"");
    if let Some(command) = &request.command {
        text.push_str(",\"command\":");
        print(command, &mut text);
    }
    text.push_str(if success { ",\"success\":true" } else { ",\"success\":false" });
    text
}

/// The line of an answer.
pub(crate) fn success_line(request: &Request, answer: Answer) -> Line {
    let mut text = opening(request, true);
    match answer {
        Answer::Done => {}
        Answer::Data(value) => {
            text.push_str(",\"data\":");
            print(&value, &mut text);
        }
        Answer::Text(spool) => {
            text.push_str(",\"data\":");
            return Line::Long { head: text, body: spool, tail: "}\n" };
        }
    }
    text.push_str("}\n");
    Line::Short(text)
}

/// The line of a refusal.
pub(crate) fn failure_line(request: &Request, failure: &Failure) -> Line {
    let mut text = opening(request, false);
    text.push_str(",\"error\":");
    print(&failure.message.as_str().into(), &mut text);
    text.push_str("}\n");
    Line::Short(text)
}

/// The refusal of a line that is no request: there is no id to give back.
pub(crate) fn unreadable_line(failure: &Failure) -> Line {
    failure_line(&Request::named("parse"), failure)
}

/// The line of an event.
pub(crate) fn event_line(event: &Value) -> Line {
    Line::Event((stringify(event) + "\n").into())
}

/// One line on its way out.
#[derive(Debug)]
pub(crate) enum Line {
    /// An answer.
    Short(String),
    /// An answer with data that may be large.
    Long { head: String, body: Spool, tail: &'static str },
    /// An event; its text is the same for all clients.
    Event(Arc<str>),
}

impl Line {
    /// The line once more, if it is an event.
    pub(crate) fn share(&self) -> Option<Self> {
        match self {
            Self::Event(text) => Some(Self::Event(Arc::clone(text))),
            Self::Short(_) | Self::Long { .. } => None,
        }
    }

    /// How much memory it takes while it waits.
    pub(crate) fn cost(&self) -> usize {
        let text = match self {
            Self::Short(text) => text.len(),
            Self::Long { head, body, .. } => head.len() + body.text.len(),
            Self::Event(text) => text.len(),
        };
        text + size_of::<Self>()
    }

    /// Writes the line as a whole.
    pub(crate) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Short(text) => out.write_all(text.as_bytes())?,
            Self::Event(text) => out.write_all(text.as_bytes())?,
            Self::Long { head, body, tail } => {
                out.write_all(head.as_bytes())?;
                body.copy_to(out)?;
                out.write_all(tail.as_bytes())?;
            }
        }
        out.flush()
    }
}

/// Text that may grow large: its beginning goes to a file without a name when it does. So an
/// answer is complete before its first byte is sent, whatever its size.
#[derive(Debug)]
pub(crate) struct Spool {
    text: String,
    folder: PathBuf,
    file: Option<File>,
}

impl Spool {
    /// An empty one that puts its file, if it needs one, into this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { text: String::new(), folder: folder.to_owned(), file: None }
    }

    pub(crate) fn push(&mut self, text: &str) -> io::Result<()> {
        self.text.push_str(text);
        self.settle()
    }

    pub(crate) fn push_value(&mut self, value: &Value) -> io::Result<()> {
        print(value, &mut self.text);
        self.settle()
    }

    fn settle(&mut self) -> io::Result<()> {
        if self.text.len() < MOST_HELD_BYTES {
            return Ok(());
        }
        let mut file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile_in(&self.folder)?,
        };
        file.write_all(self.text.as_bytes())?;
        self.text.clear();
        self.file = Some(file);
        Ok(())
    }

    fn copy_to(mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.rewind()?;
            io::copy(file, out)?;
        }
        out.write_all(self.text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: Line) -> String {
        let mut out = Vec::new();
        line.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_id_of_any_kind_is_given_back_and_none_if_there_was_none() {
        for (line, id) in [
            (r#"{"type":"x","id":null}"#, r#""id":null,"#),
            (r#"{"type":"x","id":[1,{"a":"\ud800"}]}"#, r#""id":[1,{"a":"\ud800"}],"#),
            (r#"{"type":"x"}"#, ""),
        ] {
            let request = Request::read(line.as_bytes()).unwrap();
            let answer = text(success_line(&request, Answer::Done));
            let expected =
                format!("{{{id}\"type\":\"response\",\"command\":\"x\",\"success\":true}}\n");
            assert_eq!(answer, expected);
        }
    }

    #[test]
    fn a_long_answer_arrives_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path());
        let mut expected = String::new();
        for at in 0..400 {
            let piece = format!("{at} {}", "x".repeat(40_000));
            spool.push(&piece).unwrap();
            expected.push_str(&piece);
        }
        assert!(spool.file.is_some(), "the test is about what does not fit into memory");
        let mut out = Vec::new();
        spool.copy_to(&mut out).unwrap();
        assert_eq!(out, expected.as_bytes());
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 0);
    }
}
