//! `ms-swift`: its standard messages.
//!
//! Reasoning stands in the text, because ms-swift throws away members that it does not know. A
//! reply that is not to be learned has `"loss":false`.

use super::conversation::{Thoughts, tools, turns};
use super::json::Members;
use super::messages::{Dialect, print_metadata_member, print_tools};
use super::{Format, Row};
use crate::sample::Sample;

const DIALECT: Dialect = Dialect { untrained: ("loss", "false"), openai: false };

/// The form `ms-swift`.
#[derive(Clone, Copy, Debug)]
pub struct MsSwift;

impl MsSwift {
    fn line(sample: &Sample) -> Result<String, &'static str> {
        let turns = turns(sample, Thoughts::InText)?;
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
