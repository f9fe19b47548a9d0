//! What is shown of the selected session beside the list: its last messages and the shape of its
//! tree. Read by a thread; knows no terminal.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pitree_export::numbers::count;
use pitree_format::Value;
use pitree_format::entry::Body;
use pitree_format::js::parse;
use pitree_format::message::Message;
use pitree_session::{EntryRef, Environment, Session, SessionError, Tree, outline_of, read_tail};

use crate::text;

/// So many messages are read at most, before a hit and after it, or at the end.
const MOST_MESSAGES: usize = 40;

/// Of one message no more than this is kept.
const MOST_TEXT: usize = 2000;

/// Larger files are not read as a whole for a preview.
const MOST_BYTES: u64 = 64 << 20;

/// Of a larger file so many entries are read from its end.
const TAIL_ENTRIES: usize = 60;

/// More branches are counted, not drawn.
const MOST_BRANCHES: usize = 8;

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Assistant,
    Summary,
    Tool,
}

impl Speaker {
    fn name(self) -> &'static str {
        match self {
            Self::User => "you",
            Self::Assistant => "pi",
            Self::Summary => "summary",
            Self::Tool => "found",
        }
    }
}

/// A row of the messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PreviewRow {
    /// The message that it is of.
    pub(super) message: usize,
    /// The speaker's name or an indent, and none in a row that goes on with a line.
    pub(super) who: String,
    pub(super) text: String,
}

/// What the preview is to show.
#[derive(Clone, Debug)]
pub(super) struct PreviewRequest {
    pub(super) path: PathBuf,
    pub(super) size: u64,
    /// The line of the entry that matches best.
    pub(super) line: Option<u64>,
}

/// What is shown of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Preview {
    pub(super) path: PathBuf,
    /// Messages of a branch, oldest first: those around the hit, else the last ones.
    pub(super) messages: Vec<(Speaker, String)>,
    /// Which of them is the hit.
    pub(super) hit: Option<usize>,
    /// The tree, a line for each stretch between branch points.
    pub(super) shape: Vec<String>,
    /// Why there is no more.
    pub(super) problem: Option<String>,
    /// The messages as rows of a width; zero before they are wrapped.
    wrapped: (usize, Vec<PreviewRow>),
}

impl Preview {
    /// The messages as rows. They are wrapped again only for another width.
    pub(super) fn rows(&mut self, width: usize) -> &[PreviewRow] {
        let width = width.max(1);
        if self.wrapped.0 != width {
            let messages = self.messages.iter().enumerate();
            let rows =
                messages.flat_map(|(at, (speaker, said))| wrapped(at, *speaker, said, width));
            self.wrapped = (width, rows.collect());
        }
        &self.wrapped.1
    }
}

fn wrapped(message: usize, speaker: Speaker, said: &str, width: usize) -> Vec<PreviewRow> {
    let said = text::block(said).replace('\t', "  ");
    let mut rows = Vec::new();
    for (at, line) in said.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let who = if at == 0 { format!("{}: ", speaker.name()) } else { "  ".to_owned() };
        for (at, part) in text::wrap(&format!("{who}{line}"), width).iter().enumerate() {
            let who = if at == 0 { who.as_str() } else { "" };
            let (who, text) = part.split_at_checked(who.len()).unwrap_or(("", part));
            rows.push(PreviewRow { message, who: who.to_owned(), text: text.to_owned() });
        }
    }
    rows
}

/// Reads the preview of a session; for a thread.
pub(super) fn read(request: &PreviewRequest, environment: &Environment) -> Preview {
    let PreviewRequest { path, size, line } = request;
    let read = match *size > MOST_BYTES {
        true => from_tail(path),
        false => from_session(path, *line, environment),
    };
    let (text, problem) = match read {
        Ok(text) => (text, None),
        Err(error) => (PreviewText::default(), Some(error.to_string())),
    };
    let PreviewText { messages, hit, shape } = text;
    Preview { path: path.clone(), messages, hit, shape, problem, ..Preview::default() }
}

#[derive(Default)]
struct PreviewText {
    messages: Vec<(Speaker, String)>,
    hit: Option<usize>,
    shape: Vec<String>,
}

fn from_session(
    path: &Path,
    line: Option<u64>,
    environment: &Environment,
) -> Result<PreviewText, SessionError> {
    let session = Session::open(path, environment)?;
    let active = session.active_path();
    let on_active: HashSet<usize> = active.iter().map(EntryRef::index).collect();
    let tree = session.tree();
    let found = line.and_then(|line| session.entries().find(|entry| entry.line() == line));
    let branch = match found {
        Some(entry) if !on_active.contains(&entry.index()) => {
            session.path_to(session.end_below(entry).unwrap_or(entry))
        }
        _ => active,
    };
    let place = found.and_then(|found| branch.iter().position(|it| it.index() == found.index()));
    let (before, after) = branch.split_at(place.unwrap_or(branch.len()));
    let mut messages = Vec::new();
    for entry in before.iter().rev() {
        messages.extend(said(&entry.value()?));
        if messages.len() == MOST_MESSAGES {
            break;
        }
    }
    messages.reverse();
    let mut hit = None;
    for entry in after.iter().take(2 * MOST_MESSAGES) {
        // A hit may be something that is not shown otherwise.
        let is_hit = found.is_some_and(|found| found.index() == entry.index());
        let value = entry.value()?;
        let text = said(&value).or_else(|| is_hit.then(|| outlined(&value)));
        if is_hit && text.is_some() {
            hit = Some(messages.len());
        }
        messages.extend(text);
    }
    Ok(PreviewText { messages, hit, shape: shape(&tree, &on_active) })
}

/// What a tool said, or whatever else was found.
fn outlined(entry: &Value) -> (Speaker, String) {
    let text = match Body::decode(entry) {
        Body::Message(Message::ToolResult(result)) => result.content.to_text("\n"),
        _ => outline_of(entry),
    };
    (Speaker::Tool, text[..text.floor_char_boundary(MOST_TEXT)].to_owned())
}

/// The end of a very large file, in the order of its lines.
fn from_tail(path: &Path) -> Result<PreviewText, SessionError> {
    let tail = read_tail(path, TAIL_ENTRIES)?;
    let entries = tail.lines.iter().filter_map(|line| parse(&line.raw).ok());
    let mut messages: Vec<_> = entries.filter_map(|entry| said(&entry)).collect();
    let more = messages.len().saturating_sub(MOST_MESSAGES);
    messages.drain(..more);
    Ok(PreviewText { messages, ..PreviewText::default() })
}

/// What a person would read of an entry.
fn said(entry: &Value) -> Option<(Speaker, String)> {
    let (speaker, text) = match Body::decode(entry) {
        Body::Message(Message::User(user)) => (Speaker::User, user.content.to_text("\n")),
        Body::Message(Message::Assistant(assistant)) => {
            (Speaker::Assistant, assistant.content.to_text("\n"))
        }
        Body::Compaction(compaction) => (Speaker::Summary, text_of(&compaction.summary)),
        Body::BranchSummary(summary) => (Speaker::Summary, text_of(&summary.summary)),
        _ => return None,
    };
    let text = text.trim();
    let text = &text[..text.floor_char_boundary(MOST_TEXT)];
    (!text.is_empty()).then(|| (speaker, text.to_owned()))
}

fn text_of(text: &pitree_format::JsString) -> String {
    text.to_text().into_owned()
}

/// A stretch of the tree without branches that waits to be drawn.
struct Stretch {
    first: usize,
    /// What stands before it.
    guides: String,
    /// How its own line begins, and those below it.
    joint: (&'static str, &'static str),
}

/// Draws the tree, a line for each stretch: how many entries it has, and where the leaf is.
fn shape(tree: &Tree, active: &HashSet<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut more = 0;
    let roots: Vec<usize> = tree.roots().collect();
    let mut waiting = stretches(&roots, "", roots.len() > 1);
    while let Some(stretch) = waiting.pop() {
        let mut last = stretch.first;
        let mut entries = 1;
        while tree.children(last).len() == 1 {
            last = tree.children(last).next().unwrap_or(last);
            entries += 1;
        }
        if lines.len() < MOST_BRANCHES {
            let mark = if active.contains(&stretch.first) { "●" } else { "○" };
            let is_leaf = tree.children(last).len() == 0 && active.contains(&last);
            let leaf = if is_leaf { " ◂ current" } else { "" };
            let Stretch { guides, joint, .. } = &stretch;
            lines.push(format!("{guides}{}{mark} {entries}{leaf}", joint.0));
        } else if tree.children(last).len() == 0 {
            more += 1;
        }
        let children: Vec<usize> = tree.children(last).collect();
        let guides = if lines.len() < MOST_BRANCHES {
            format!("{}{}", stretch.guides, stretch.joint.1)
        } else {
            // Nobody sees them, and a deep tree would make them long.
            String::new()
        };
        waiting.extend(stretches(&children, &guides, true));
    }
    if more > 0 {
        lines.push(format!("… and {}", count(more, "more branch", "more branches")));
    }
    lines
}

/// Stretches that begin side by side, the last one first.
fn stretches(firsts: &[usize], guides: &str, joined: bool) -> Vec<Stretch> {
    let last = firsts.len().saturating_sub(1);
    let stretch = |(at, &first): (usize, &usize)| {
        let joint = match (joined, at == last) {
            (false, _) => ("", ""),
            (true, true) => ("└─", "  "),
            (true, false) => ("├─", "│ "),
        };
        Stretch { first, guides: guides.to_owned(), joint }
    };
    let mut stretches: Vec<Stretch> = firsts.iter().enumerate().map(stretch).collect();
    stretches.reverse();
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_wrapped_once_for_a_width() {
        let said = "one two three\n\nfour".to_owned();
        let messages = vec![(Speaker::User, said), (Speaker::Assistant, "five".to_owned())];
        let mut preview = Preview { messages, ..Preview::default() };
        let shown = |rows: &[PreviewRow]| {
            let row = |row: &PreviewRow| (row.message, format!("{}{}", row.who, row.text));
            rows.iter().map(row).collect::<Vec<(usize, String)>>()
        };
        let expected = [(0, "you: one two "), (0, "three"), (0, "  four"), (1, "pi: five")];
        let expected = expected.map(|(message, text)| (message, text.to_owned()));
        assert_eq!(shown(preview.rows(13)), expected);
        preview.messages.clear();
        assert_eq!(shown(preview.rows(13)), expected, "nothing is wrapped again");
        assert!(preview.rows(14).is_empty());
    }
}
