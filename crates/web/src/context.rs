//! What fills the context of the model, at any point of a branch.

use std::collections::BTreeMap;

use pitree_export::harmless::{clean_beginning, clean_line};
use pitree_export::nodes::output_beginning;
use pitree_format::js::stringify;
use pitree_format::message::{Block, Content, Message};
use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_session::{EntryRef, Session};

use crate::ModelWindows;
use crate::answer::{Problem, list};
use crate::left_out::LeftOut;

/// So many of the largest things are listed.
const LARGEST: usize = 40;

/// The length of the text of one of them.
const CHARS: usize = 120;

/// The chart has no more points than this: of a longer branch, those in between are left out.
const MOST_TURNS: usize = 600;

/// Pi estimates a token for so many characters, and counts an image as so many.
const CHARS_PER_TOKEN: f64 = 4.0;
const IMAGE_CHARS: usize = 4800;

/// The part of a context that the file does not have.
const UNRECORDED: &str = "Not in the file";

/// Characters by what they belong to. The order is that of the chart.
type Parts = BTreeMap<String, usize>;

/// A thing in the context.
struct Item {
    at: usize,
    what: String,
    chars: usize,
}

/// The largest things, the largest first; of two that are as large, the first one.
#[derive(Default)]
struct Largest(Vec<Item>);

impl Largest {
    fn push(&mut self, at: usize, chars: usize, what: impl FnOnce() -> String) {
        let place = self.0.partition_point(|item| item.chars >= chars);
        if place < LARGEST && chars > 0 {
            self.0.insert(place, Item { at, what: what(), chars });
            self.0.truncate(LARGEST);
        }
    }
}

/// A point of the chart.
struct Turn {
    at: usize,
    /// How many replies there are up to here.
    reply: usize,
    parts: Parts,
    /// What the provider reported of the request.
    reported: Option<f64>,
    is_compaction: bool,
}

/// What is in the context at an entry, how it came to that, and what is largest.
///
/// `left_out` is not in what is said of the things.
pub(crate) fn at(
    session: &Session,
    leaf: Option<usize>,
    windows: &ModelWindows,
    left_out: Option<LeftOut>,
) -> Result<Object, Problem> {
    let (mut parts, items) = projected(session, leaf, left_out)?;
    let turns = turns(session, leaf)?;
    let estimate = session.context_estimate_at(leaf)?;
    add_unrecorded(&mut parts, estimate.tokens);
    let compactions = turns.iter().filter(|turn| turn.is_compaction).count();
    let replies = turns.len() - compactions;
    let largest = list(items.0, |item| {
        Object::new()
            .with("at", item.at)
            .with("what", item.what)
            .with("tokens", tokens(item.chars))
            .into()
    });
    let step = turns.len().div_ceil(MOST_TURNS).max(1);
    let last = turns.len().saturating_sub(1);
    let kept = turns
        .iter()
        .enumerate()
        .filter(|(number, turn)| number % step == 0 || *number == last || turn.is_compaction);
    let turns = list(kept, |(_, turn)| {
        Object::new()
            .with("at", turn.at)
            .with("reply", turn.reply)
            .with("total", tokens(turn.parts.values().sum()))
            .with("reported", turn.reported)
            .with("parts", by_name(&turn.parts))
            .with("compaction", turn.is_compaction)
            .into()
    });
    let object = Object::new()
        .with("leaf", leaf)
        .with("total", estimate.tokens)
        // How much fits is not in the file, and is known of some models only.
        .with("window", windows.of(session, leaf)?.map(|window| window as f64))
        .with("reported", estimate.usage_tokens)
        .with("parts", described(&parts))
        .with("turns", turns)
        .with("replies", replies)
        .with("compactions", compactions)
        .with("largest", largest);
    Ok(object)
}

fn tokens(chars: usize) -> f64 {
    (chars as f64 / CHARS_PER_TOKEN).ceil()
}

/// Adds what the provider counted and the file does not have: a system prompt and tools that were
/// not recorded, say.
fn add_unrecorded(parts: &mut Parts, reported: f64) {
    let missing = reported * CHARS_PER_TOKEN - parts.values().sum::<usize>() as f64;
    if missing >= CHARS_PER_TOKEN {
        parts.insert(UNRECORDED.to_owned(), missing as usize);
    }
}

/// The largest first.
fn described(parts: &Parts) -> Value {
    let mut parts: Vec<(&String, &usize)> = parts.iter().collect();
    parts.sort_by_key(|(name, chars)| (std::cmp::Reverse(**chars), *name));
    list(parts, |(name, chars)| {
        Object::new().with("name", name.as_str()).with("tokens", tokens(*chars)).into()
    })
}

fn by_name(parts: &Parts) -> Object {
    let named = parts.iter().map(|(name, chars)| (name.as_str(), tokens(*chars)));
    named.fold(Object::new(), |object, (name, tokens)| object.with(name, tokens))
}

/// The parts of the context at a leaf, and each thing in it.
fn projected(
    session: &Session,
    leaf: Option<usize>,
    left_out: Option<LeftOut>,
) -> Result<(Parts, Largest), Problem> {
    let (mut parts, mut items) = (Parts::new(), Largest::default());
    session.each_projected_at(leaf, |projected| {
        for message in &projected.messages {
            let weights = weigh(message);
            let chars = weights.iter().map(|(_, chars)| chars).sum();
            weights.into_iter().for_each(|(part, chars)| *parts.entry(part).or_default() += chars);
            items.push(projected.entry.index(), chars, || match left_out {
                Some(left_out) => what(&left_out.message(message)),
                None => what(message),
            });
        }
        Ok::<_, pitree_session::SessionError>(())
    })?;
    Ok((parts, items))
}

/// How the context grew along a branch. Between compactions it only grows, so the whole context is
/// built at compactions alone.
fn turns(session: &Session, leaf: Option<usize>) -> Result<Vec<Turn>, Problem> {
    let (mut turns, mut reply) = (Vec::new(), 0);
    let mut parts = Parts::new();
    let path = leaf.map(|leaf| session.path_to(leaf)).unwrap_or_default();
    for entry in path {
        let is_compaction = entry.kind() == EntryKind::Compaction;
        if is_compaction || entry.kind() == EntryKind::ContextEdit {
            parts = projected(session, Some(entry.index()), None)?.0;
        } else {
            for message in session.messages_of(entry)? {
                for (part, chars) in weigh(&message) {
                    *parts.entry(part).or_default() += chars;
                }
            }
        }
        if is_compaction || entry.is_message(Role::Assistant) {
            let (at, mut parts) = (entry.index(), parts.clone());
            let reported = reported(entry)?;
            add_unrecorded(&mut parts, reported.unwrap_or_default());
            reply += usize::from(!is_compaction);
            turns.push(Turn { at, reply, parts, reported, is_compaction });
        }
    }
    Ok(turns)
}

/// The tokens of the request behind a reply, as its provider counted them.
fn reported(entry: EntryRef<'_>) -> Result<Option<f64>, Problem> {
    let usage = entry.usage()?;
    let usage = usage.filter(|_| entry.is_message(Role::Assistant));
    Ok(usage.map(|usage| usage.counted().iter().sum::<f64>()).filter(|sum| *sum > 0.0))
}

/// The characters of a message, by what they belong to.
fn weigh(message: &Value) -> Vec<(String, usize)> {
    match Message::decode(message) {
        Message::System(system) => {
            let mut weights = content(&system.content, "System prompt");
            for (name, text) in &system.sections {
                let chars = text.as_ref().map_or(0, JsString::utf16_len);
                weights.push((format!("System: {}", clean_beginning(&name.to_text(), 40)), chars));
            }
            let tools = system.tools_added.iter().map(|tool| stringify(tool).len()).sum();
            weights.push(("Tool definitions".to_owned(), tools));
            weights
        }
        Message::User(user) => content(&user.content, "User"),
        Message::Assistant(reply) => content(&reply.content, "Assistant"),
        Message::ToolResult(result) => {
            let tool = result.tool_name.as_ref().map(JsString::to_text);
            let tool = tool.map_or_else(|| "unknown".to_owned(), |it| clean_beginning(&it, 40));
            content(&result.content, &format!("Output of {tool}"))
        }
        Message::BashExecution(bash) => {
            let chars = bash.command.utf16_len() + bash.output.utf16_len();
            vec![("Your shell commands".to_owned(), chars)]
        }
        Message::Custom(custom) => content(&custom.content, "Extensions"),
        Message::BranchSummary { summary, .. } | Message::CompactionSummary { summary, .. } => {
            vec![("Summaries".to_owned(), summary.utf16_len())]
        }
        _ => Vec::new(),
    }
}

fn content(content: &Content, part: &str) -> Vec<(String, usize)> {
    match content {
        Content::Text(text) => vec![(part.to_owned(), text.utf16_len())],
        Content::Blocks(blocks) => blocks.iter().map(|it| block(it, part)).collect(),
        _ => Vec::new(),
    }
}

fn block(block: &Block, part: &str) -> (String, usize) {
    match block {
        Block::Text { text, .. } => (part.to_owned(), text.utf16_len()),
        Block::Thinking { thinking, .. } => ("Reasoning".to_owned(), thinking.utf16_len()),
        Block::ToolCall { name, arguments, .. } => {
            let arguments = arguments.as_ref().map_or(0, |it| stringify(it).encode_utf16().count());
            let name = name.as_ref().map_or(0, JsString::utf16_len);
            ("Tool calls".to_owned(), name + arguments)
        }
        Block::Image { .. } => ("Images".to_owned(), IMAGE_CHARS),
        _ => (part.to_owned(), 0),
    }
}

/// A message in a few words.
fn what(message: &Value) -> String {
    let (kind, text) = match Message::decode(message) {
        Message::System(_) => return "System prompt and tools".to_owned(),
        Message::User(user) => ("User", user.content.to_text(" ")),
        Message::Assistant(reply) => ("Assistant", reply.content.to_text(" ")),
        Message::ToolResult(result) => {
            let tool = result.tool_name.as_ref().map(JsString::to_text).unwrap_or_default();
            let text = result.content.to_text(" ");
            return format!("{}: {}", clean_line(&tool), output_beginning(&text, CHARS));
        }
        Message::BashExecution(bash) => ("Shell", bash.command.to_text().into_owned()),
        Message::Custom(custom) => ("Extension", custom.content.to_text(" ")),
        Message::BranchSummary { summary, .. } => {
            ("Branch summary", summary.to_text().into_owned())
        }
        Message::CompactionSummary { summary, .. } => {
            ("Compaction", summary.to_text().into_owned())
        }
        _ => ("Message", String::new()),
    };
    format!("{kind}: {}", clean_beginning(&text, CHARS))
}
