//! `ms-swift`: its standard messages, in which everything is a text.
//!
//! A call is a message of its own, `tool_call`, after what the reply says; its result is a
//! `tool_response`. Thoughts stand in the text, because ms-swift knows no other place. Each reply
//! says by `loss` whether it is to be learned. Messages of the user that follow one another are one
//! message here: ms-swift would join them itself, without anything between them.
//!
//! Everything is a text because ms-swift loads a file with the types that its first rows have.

use pitree_format::js::{Members, print_list};
use pitree_sample::{ChatRole, Sample, ToolCall};

use super::conversation::{Thoughts, Turn, turns};
use super::messages::{print_metadata_text, print_plain_call, print_tools_text};
use super::{Feature, FeatureKind, Format, FormatName, FormatOptions, Lines, SessionFormat};
use crate::output::Printed;
use crate::reason::DropReason;

/// The format, ready for a run.
pub(super) fn prepare(_: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Lines { name: FormatName::MsSwift, format: Box::new(MsSwift) })
}

/// The form `ms-swift`.
#[derive(Clone, Copy, Debug)]
pub struct MsSwift;

/// One message of ms-swift.
#[derive(Clone, Copy)]
enum Message<'t, 'a> {
    Said(&'t Turn<'a>),
    Call(&'t Turn<'a>, &'a ToolCall),
}

impl Format for MsSwift {
    fn row(
        &self,
        sample: &Sample,
        _: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason> {
        let turns = with_users_joined(turns(sample, Thoughts::InText)?);
        print_list(turns.iter().flat_map(messages), row.key("messages"), print_message);
        print_tools_text(sample, row);
        print_metadata_text(sample, row);
        Ok(())
    }

    fn features(&self) -> &'static [Feature] {
        use FeatureKind::{JsonList, Text};
        &[("messages", JsonList), ("tools", Text), ("metadata", Text)]
    }

    fn loading(&self, file: &str) -> Option<String> {
        Some(format!("```\nswift sft --model MODEL --dataset {file} --loss_scale default\n```\n"))
    }
}

/// What a reply says, if it says anything, and its calls.
fn messages<'t, 'a>(turn: &'t Turn<'a>) -> impl Iterator<Item = Message<'t, 'a>> {
    let says = !turn.text.is_empty() || turn.calls.is_empty();
    let calls = turn.calls.iter().map(move |call| Message::Call(turn, call));
    says.then_some(Message::Said(turn)).into_iter().chain(calls)
}

fn print_message(message: Message<'_, '_>, out: &mut String) {
    let mut members = Members::open(out);
    let turn = match message {
        Message::Said(turn) => {
            members.text("role", role(turn.role));
            members.text("content", &turn.text);
            turn
        }
        Message::Call(turn, call) => {
            members.text("role", "tool_call");
            let mut text = String::new();
            print_plain_call(call, &mut text);
            members.text("content", &text);
            turn
        }
    };
    if turn.is_reply() {
        members.bool("loss", turn.trained);
    }
    members.close();
}

fn role(role: ChatRole) -> &'static str {
    match role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
        ChatRole::Tool => "tool_response",
    }
}

fn with_users_joined(turns: Vec<Turn<'_>>) -> Vec<Turn<'_>> {
    let mut joined: Vec<Turn<'_>> = Vec::with_capacity(turns.len());
    for turn in turns {
        match joined.last_mut() {
            Some(last) if last.role == ChatRole::User && turn.role == ChatRole::User => {
                let text = last.text.to_mut();
                text.push_str("\n\n");
                text.push_str(&turn.text);
            }
            _ => joined.push(turn),
        }
    }
    joined
}
