//! Entries as lists and as a tree. Long answers are written entry by entry.

use std::ops::Range;

use pitree_format::entry::Body;
use pitree_format::js::stringify;
use pitree_format::message::Message;
use pitree_format::{Object, Role, Value};
use pitree_session::{EntryRef, Labels, Session, Tree};

use crate::answer::{Answer, Failure, Spool};
use crate::request::{Request, sentence_text};
use crate::server::Call;

/// The part of a list that a request asks for.
#[derive(Clone, Copy)]
struct Window {
    offset: usize,
    limit: usize,
    /// Whether the request names one.
    is_named: bool,
}

impl Window {
    fn of(request: &Request) -> Result<Self, Failure> {
        let (offset, limit) = (request.optional_count("offset")?, request.optional_count("limit")?);
        Ok(Self {
            offset: offset.unwrap_or(0),
            limit: limit.unwrap_or(usize::MAX),
            is_named: offset.is_some() || limit.is_some(),
        })
    }

    fn range(self, len: usize) -> Range<usize> {
        let start = self.offset.min(len);
        start..start.saturating_add(self.limit).min(len)
    }
}

pub(crate) fn get_entries(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let first = match call.request.get("since") {
        None => 0,
        Some(since) => {
            let found = since.as_string().and_then(|id| session.entry(id.to_text()));
            let missing =
                || Failure::new(format!("Entry not found: {}", sentence_text(Some(since))));
            found.ok_or_else(missing)?.index() + 1
        }
    };
    let window = Window::of(call.request)?;
    let total = session.len() - first;
    let range = window.range(total);
    let entries = session.entries().skip(first + range.start).take(range.len());
    list(call, &session, entries, window.is_named.then_some(total))
}

pub(crate) fn get_branch(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let path = match call.request.optional_text("entryId")? {
        Some(id) => session.path_to(session.require(id.to_text())?.index()),
        None => session.active_path(),
    };
    windowed(call, &session, &path)
}

pub(crate) fn get_children(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let children = match call.request.optional_text("entryId")? {
        Some(id) => session.children(session.require(id.to_text())?),
        None => session.roots(),
    };
    windowed(call, &session, &children)
}

fn windowed(
    call: &Call<'_>,
    session: &Session,
    entries: &[EntryRef<'_>],
) -> Result<Answer, Failure> {
    let window = Window::of(call.request)?;
    let shown = entries[window.range(entries.len())].iter().copied();
    list(call, session, shown, window.is_named.then_some(entries.len()))
}

/// `{entries, leafId}`, with the number of all if a window was asked for.
fn list<'s>(
    call: &Call<'_>,
    session: &Session,
    entries: impl Iterator<Item = EntryRef<'s>>,
    total: Option<usize>,
) -> Result<Answer, Failure> {
    let mut text = call.spool();
    text.push("{\"entries\":[")?;
    for (at, entry) in entries.enumerate() {
        if at > 0 {
            text.push(",")?;
        }
        text.push_value(&entry.value()?)?;
    }
    text.push("]")?;
    close(session, total, text)
}

/// The members after the list.
fn close(session: &Session, total: Option<usize>, mut text: Spool) -> Result<Answer, Failure> {
    text.push(&format!(",\"leafId\":{}", stringify(&session.leaf_id().into())))?;
    if let Some(total) = total {
        text.push(&format!(",\"total\":{total}"))?;
    }
    text.push("}")?;
    Ok(Answer::Text(text))
}

pub(crate) fn get_tree(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let tree = session.tree();
    let window = Window::of(call.request)?;
    let depth = call.request.optional_count("depth")?.unwrap_or(usize::MAX);
    let top: Vec<usize> = match call.request.optional_text("entryId")? {
        Some(id) => tree.children(session.require(id.to_text())?.index()).collect(),
        None => tree.roots().collect(),
    };
    let shown = &top[window.range(top.len())];
    let mut text = call.spool();
    text.push("{\"tree\":[")?;
    let writer = TreeWriter { session: &session, tree: &tree, labels: session.labels()?, depth };
    writer.write(shown, &mut text)?;
    text.push("]")?;
    close(&session, window.is_named.then_some(top.len()), text)
}

/// Writes nodes one by one: a chain of 100,000 entries is nested as deep.
struct TreeWriter<'s> {
    session: &'s Session,
    tree: &'s Tree,
    labels: &'s Labels,
    /// How many levels are shown.
    depth: usize,
}

impl TreeWriter<'_> {
    fn write(&self, top: &[usize], text: &mut Spool) -> Result<(), Failure> {
        if self.depth == 0 {
            return Ok(());
        }
        // What is left to do, the last first: begin a node, or end one.
        enum Step {
            Begin { entry: usize, level: usize, is_first: bool },
            End(usize),
        }
        let begin =
            |level: usize| move |(at, entry)| Step::Begin { entry, level, is_first: at == 0 };
        let mut steps: Vec<Step> = top.iter().copied().enumerate().map(begin(1)).collect();
        steps.reverse();
        while let Some(step) = steps.pop() {
            match step {
                Step::Begin { entry, level, is_first } => {
                    if !is_first {
                        text.push(",")?;
                    }
                    self.open(entry, text)?;
                    steps.push(Step::End(entry));
                    if level < self.depth {
                        let first = steps.len();
                        let children = self.tree.children(entry);
                        steps.extend(children.enumerate().map(begin(level + 1)));
                        steps[first..].reverse();
                    } else {
                        steps.pop();
                        self.end(entry, Some(self.tree.children(entry).len()), text)?;
                    }
                }
                Step::End(entry) => self.end(entry, None, text)?,
            }
        }
        Ok(())
    }

    fn open(&self, entry: usize, text: &mut Spool) -> Result<(), Failure> {
        let entry = self.session.at(entry).ok_or_else(|| Failure::new("the tree has changed"))?;
        text.push("{\"entry\":")?;
        text.push_value(&entry.value()?)?;
        Ok(text.push(",\"children\":[")?)
    }

    fn end(&self, entry: usize, left_out: Option<usize>, text: &mut Spool) -> Result<(), Failure> {
        text.push("]")?;
        let label = self.session.at(entry).and_then(|entry| self.labels.get(entry.id()));
        if let Some(label) = label {
            text.push(",\"label\":")?;
            text.push_value(&label.text.clone().into())?;
            if let Some(timestamp) = &label.timestamp {
                text.push(",\"labelTimestamp\":")?;
                text.push_value(&timestamp.clone().into())?;
            }
        }
        if let Some(count) = left_out.filter(|count| *count > 0) {
            text.push(&format!(",\"childCount\":{count}"))?;
        }
        Ok(text.push("}")?)
    }
}

pub(crate) fn get_fork_messages(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let mut messages: Vec<Value> = Vec::new();
    for entry in session.entries().filter(|entry| entry.is_message(Role::User)) {
        let Body::Message(Message::User(message)) = entry.body()? else { continue };
        let text = message.content.to_js_text();
        if !text.is_empty() {
            messages.push(Object::new().with("entryId", entry.id()).with("text", text).into());
        }
    }
    Ok(Object::new().with("messages", messages).into())
}

pub(crate) fn get_labels(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let labels = session.labels()?.iter().map(|label| {
        Object::new()
            .with("entryId", label.target_id.as_str())
            .with("label", label.text.clone())
            .with_some("timestamp", label.timestamp.clone())
            .into()
    });
    let labels: Vec<Value> = labels.collect();
    Ok(Object::new().with("labels", labels).into())
}
