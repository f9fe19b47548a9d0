//! `ms-swift`: its standard messages.
//!
//! Thoughts stand in the text, because ms-swift throws away members that it does not know. A reply
//! that is not to be learned has `"loss":false`. Messages of the user that follow one another are
//! one message here: ms-swift would join them itself, without anything between them.

use super::conversation::{Thoughts, Turn, tools, turns};
use super::json::Members;
use super::messages::{Dialect, print_metadata_member, print_tools};
use super::{Format, Row};
use crate::sample::{ChatRole, Sample};

const DIALECT: Dialect = Dialect { untrained: Some(("loss", "false")), openai: false };

/// The form `ms-swift`.
#[derive(Clone, Copy, Debug)]
pub struct MsSwift;

impl MsSwift {
    fn line(sample: &Sample) -> Result<String, &'static str> {
        let turns = with_users_joined(turns(sample, Thoughts::InText)?);
        let mut line = String::new();
        let mut row = Members::open(&mut line);
        DIALECT.print(&turns, row.key("messages"));
        if !tools(sample).is_empty() {
            print_tools(tools(sample), row.key("tools"));
        }
        print_metadata_member(sample, &mut row);
        row.close();
        Ok(line)
    }
}

impl Format for MsSwift {
    fn row(&self, sample: &Sample) -> Row {
        Self::line(sample).into()
    }

    fn loading(&self, file: &str) -> Option<String> {
        Some(format!("```\nswift sft --model MODEL --dataset {file} --loss_scale default\n```\n"))
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
