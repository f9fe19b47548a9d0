//! A sample as the text forms print it: what all of them do first.
//!
//! - Nothing after the last reply that is trained: it teaches nothing, and most trainers want a
//!   conversation to end with a reply.
//! - Thoughts go where the form has a place for them.
//! - Replies that say nothing are left out, as Pi leaves them out when it sends.
//! - An image becomes the text `[image]`, except where a form can hold images.

use std::borrow::Cow;
use std::sync::Arc;

use pitree_sample::{ChatMessage, ChatRole, Part, Sample, ToolCall, ToolResult, in_text};

use super::json::is_deep;
use crate::reason::DropReason;

/// Where a form writes the thoughts that are to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thoughts {
    /// In a member of their own.
    Beside,
    /// Before the text, between `<think>` and `</think>`.
    InText,
    /// Nowhere: the form has no place for them.
    Nowhere,
}

/// One message.
#[derive(Clone, Debug)]
pub(super) struct Turn<'a> {
    /// The message that it is made of.
    pub(super) message: &'a Arc<ChatMessage>,
    pub(super) role: ChatRole,
    pub(super) text: Cow<'a, str>,
    /// The text and the images apart, for forms that can hold images.
    pub(super) parts: &'a [Part],
    pub(super) reasoning: Option<&'a str>,
    pub(super) calls: &'a [ToolCall],
    pub(super) result: Option<&'a ToolResult>,
    pub(super) trained: bool,
}

impl<'a> Turn<'a> {
    fn new(message: &'a Arc<ChatMessage>, trained: bool, thoughts: Thoughts) -> Self {
        let mut turn = Self {
            message,
            role: message.role,
            text: message.written_text(),
            parts: &message.content,
            reasoning: message.thought(),
            calls: &message.tool_calls,
            result: message.result.as_ref(),
            trained: trained && message.role == ChatRole::Assistant,
        };
        match thoughts {
            Thoughts::Beside => {}
            Thoughts::Nowhere => turn.reasoning = None,
            Thoughts::InText => {
                if let Some(thought) = turn.reasoning.take() {
                    turn.text = (in_text(thought) + &turn.text).into();
                }
            }
        }
        turn
    }

    pub(super) fn is_reply(&self) -> bool {
        self.role == ChatRole::Assistant
    }

    fn says_nothing(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_none() && self.calls.is_empty()
    }
}

/// The messages of a sample up to the last reply that is trained; or why there are none.
pub(super) fn turns(sample: &Sample, thoughts: Thoughts) -> Result<Vec<Turn<'_>>, DropReason> {
    let mut turns: Vec<Turn<'_>> = sample
        .turns()
        .map(|(message, trained)| Turn::new(message, trained, thoughts))
        .filter(|turn| !(turn.is_reply() && turn.says_nothing()))
        .collect();
    let end = turns.iter().rposition(|turn| turn.trained).ok_or(DropReason::NoTarget)? + 1;
    turns.truncate(end);
    let mut calls = turns.iter().flat_map(|turn| turn.calls);
    if calls.any(|call| is_deep(&call.arguments)) || tools(sample).iter().any(is_deep) {
        return Err(DropReason::TooDeep);
    }
    Ok(turns)
}

/// The tools of a sample; none where it does not say.
pub(super) fn tools(sample: &Sample) -> &[pitree_format::Value] {
    sample.tools.as_deref().map_or(&[], Vec::as_slice)
}

/// How many messages come before the first reply that is trained, so that all before it is only
/// context; none if a reply after it is not trained.
pub(super) fn context_length(turns: &[Turn<'_>]) -> Option<usize> {
    let first = turns.iter().position(|turn| turn.trained)?;
    turns[first..].iter().all(|turn| turn.trained || !turn.is_reply()).then_some(first)
}
