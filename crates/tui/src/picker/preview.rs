//! What is shown of the selected session beside the list: its last messages and the shape of its
//! tree. Read by a thread; knows no terminal.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_format::entry::Body;
use pitree_format::js::parse;
use pitree_format::message::Message;
use pitree_session::{EntryRef, Environment, Session, SessionError, Tree, read_tail};

/// So many messages are shown at most.
const MOST_MESSAGES: usize = 12;

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
}

/// What is shown of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Preview {
    pub(super) path: PathBuf,
    /// The last messages of the active branch, oldest first.
    pub(super) messages: Vec<(Speaker, String)>,
    /// The tree, a line for each stretch between branch points.
    pub(super) shape: Vec<String>,
    /// Why there is no more.
    pub(super) problem: Option<String>,
}

/// Reads the preview of a session; for a thread.
pub(super) fn read(path: &Path, size: u64, environment: &Environment) -> Preview {
    let read = if size > MOST_BYTES { from_tail(path) } else { from_session(path, environment) };
    let (messages, shape, problem) = match read {
        Ok((messages, shape)) => (messages, shape, None),
        Err(error) => (Vec::new(), Vec::new(), Some(error.to_string())),
    };
    Preview { path: path.to_owned(), messages, shape, problem }
}

type PreviewText = (Vec<(Speaker, String)>, Vec<String>);

fn from_session(path: &Path, environment: &Environment) -> Result<PreviewText, SessionError> {
    let session = Session::open(path, environment)?;
    let active = session.active_path();
    let mut messages = Vec::new();
    for entry in active.iter().rev() {
        messages.extend(said(&entry.value()?));
        if messages.len() == MOST_MESSAGES {
            break;
        }
    }
    messages.reverse();
    let active = active.iter().map(EntryRef::index).collect();
    Ok((messages, shape(&session.tree(), &active)))
}

/// The end of a very large file, in the order of its lines.
fn from_tail(path: &Path) -> Result<PreviewText, SessionError> {
    let tail = read_tail(path, TAIL_ENTRIES)?;
    let entries = tail.lines.iter().filter_map(|line| parse(&line.raw).ok());
    let mut messages: Vec<_> = entries.filter_map(|entry| said(&entry)).collect();
    let more = messages.len().saturating_sub(MOST_MESSAGES);
    messages.drain(..more);
    Ok((messages, Vec::new()))
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
        let mut count = 1;
        while tree.children(last).len() == 1 {
            last = tree.children(last).next().unwrap_or(last);
            count += 1;
        }
        if lines.len() < MOST_BRANCHES {
            let mark = if active.contains(&stretch.first) { "●" } else { "○" };
            let is_leaf = tree.children(last).len() == 0 && active.contains(&last);
            let leaf = if is_leaf { " ◂ here" } else { "" };
            let Stretch { guides, joint, .. } = &stretch;
            lines.push(format!("{guides}{}{mark} {count}{leaf}", joint.0));
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
        lines.push(format!("… and {more} more branches"));
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
