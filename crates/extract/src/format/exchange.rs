//! Conversations in which the two sides take turns, for forms that have nothing else.
//!
//! What one side says in several messages becomes one message, in order: nothing is dropped. Such
//! forms cannot say that a reply is not to be learned. A sample with such a reply is left out,
//! unless it is a single request: then only its last reply counts, and the trainer is to be told.

use pitree_format::js::{Members, print_list};
use pitree_sample::{ChatRole, SampleKind, ToolCall};

use super::conversation::Turn;
use crate::reason::DropReason;

/// The two sides, one after the other.
pub(super) struct Exchange<'t, 'a> {
    pub(super) system: Option<String>,
    pub(super) pairs: Vec<Pair<'t, 'a>>,
}

/// What was asked and what was answered.
pub(super) struct Pair<'t, 'a> {
    /// Messages of users and results of tools; at least one.
    pub(super) asked: &'t [Turn<'a>],
    /// Replies; at least one.
    pub(super) answered: &'t [Turn<'a>],
}

impl<'t, 'a> Exchange<'t, 'a> {
    pub(super) fn new(turns: &'t [Turn<'a>], kind: SampleKind) -> Result<Self, DropReason> {
        let masked = turns.iter().any(|turn| turn.is_reply() && !turn.trained);
        if masked && kind != SampleKind::Request {
            return Err(DropReason::NoMask);
        }
        let begin = turns.iter().position(|turn| turn.role != ChatRole::System);
        let (system, mut rest) = turns.split_at(begin.unwrap_or(turns.len()));
        let mut pairs = Vec::new();
        while !rest.is_empty() {
            let (asked, after) = split_while(rest, |turn| !turn.is_reply());
            let (answered, after) = split_while(after, Turn::is_reply);
            if asked.is_empty() {
                return Err(DropReason::BeginsWithReply);
            }
            pairs.push(Pair { asked, answered });
            rest = after;
        }
        let system = (!system.is_empty()).then(|| joined(system));
        Ok(Self { system, pairs })
    }
}

impl<'a> Pair<'_, 'a> {
    /// What the replies say, and what they call.
    pub(super) fn answer(&self) -> (String, Vec<&'a ToolCall>) {
        let calls = self.answered.iter().flat_map(|turn| turn.calls).collect();
        (joined(self.answered), calls)
    }
}

/// Who says a message, and what.
pub(super) type Said = (&'static str, String);

/// Prints the messages of both sides.
pub(super) fn print_said(said: &[Said], out: &mut String) {
    print_list(said, out, |(from, value), out| {
        let mut turn = Members::open(out);
        turn.text("from", from);
        turn.text("value", value);
        turn.close();
    });
}

fn joined(turns: &[Turn<'_>]) -> String {
    let texts = turns.iter().map(|turn| turn.text.as_ref()).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

fn split_while<T>(items: &[T], holds: impl Fn(&T) -> bool) -> (&[T], &[T]) {
    items.split_at(items.iter().position(|item| !holds(item)).unwrap_or(items.len()))
}
