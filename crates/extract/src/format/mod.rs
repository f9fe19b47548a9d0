//! The formats in which samples are written, one module each.
//!
//! Each is one row of the `table`: its name, what it can hold, what changes nothing in it, and what
//! prints it. To add one, write its module, add its row, and describe it in the docs.

pub mod atif;
mod axolotl;
mod cells;
mod chat;
mod choice;
mod conversation;
mod exchange;
pub mod hf_traces;
mod json;
mod lines;
mod llama_factory;
pub mod lora_forge;
mod messages;
mod ms_swift;
mod openai;
mod parquet;
mod preference;
mod sharegpt;
mod table;

use std::path::Path;
use std::sync::Arc;

pub use axolotl::Axolotl;
pub use chat::Chat;
pub use choice::Choice;
pub use lines::Lines;
pub use llama_factory::LlamaFactory;
pub use ms_swift::MsSwift;
pub use openai::{OpenAi, OpenAiRequests};
pub use parquet::{Tables, sample_row};
pub use preference::Preference;
pub use sharegpt::ShareGpt;
pub use table::{FORMATS, FormatName, FormatSpec, Hub};

use pitree_format::js::Members;
use pitree_sample::Sample;

use crate::error::ExtractError;
use crate::guard::Guard;
pub use crate::options::FormatOptions;
use crate::output::{Assembler, FileAssembler, Line, LineAssembler, Output, OutputShard, Printed};
use crate::reason::DropReason;
use crate::task::SessionTask;

pub(crate) use cells::ChatCells;

/// A form of one line for each sample.
pub trait Format: Send + Sync {
    /// Prints the members of a sample's line; or says why there is none, which the card counts.
    /// What stands in earlier lines of the session may be repeated from there.
    fn row(
        &self,
        sample: &Sample,
        printed: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason>;

    /// The line of a sample, without its line feed.
    fn line(&self, sample: &Sample, printed: &mut Printed) -> Result<Line, DropReason> {
        let mut line = String::new();
        let mut row = Members::open(&mut line);
        self.row(sample, printed, &mut row)?;
        row.close();
        Ok(printed.line(line))
    }

    /// The line of a sample by itself.
    fn whole_line(&self, sample: &Sample) -> Result<String, DropReason> {
        // There is no earlier line that it could repeat.
        self.line(sample, &mut Printed::default()).map(|line| line.text)
    }

    /// Files that lie beside the data, by name and text. `files` are the names of the data files.
    fn side_files(&self, _files: &[&str]) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The members of a row, for readers that would else guess their types from the first rows.
    fn features(&self) -> &'static [Feature] {
        &[]
    }

    /// How a trainer loads the data in `file`, as Markdown for the card.
    fn loading(&self, _file: &str) -> Option<String> {
        None
    }
}

/// A member of a row, and what is in it.
pub type Feature = (&'static str, FeatureKind);

/// What is in a member of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// A text.
    Text,
    /// Any value.
    Json,
    /// A list of values that need not be alike.
    JsonList,
}

impl FeatureKind {
    /// How the `datasets` of Hugging Face names it in the head of a card.
    pub(crate) fn in_card(self) -> &'static str {
        match self {
            Self::Text => "dtype: string",
            Self::Json => "dtype: json",
            Self::JsonList => "list: json",
        }
    }
}

/// Makes pieces of output of one session.
pub trait SessionFormat: Send + Sync {
    /// Which form it is. What it gives depends on this, on the session and on the options only.
    fn name(&self) -> FormatName;

    /// Writes what the session gives.
    fn session(&self, task: &SessionTask<'_>, out: &mut dyn Output) -> Result<(), ExtractError>;

    /// What puts the pieces of sessions together in this folder: those of a shard.
    fn assembler(
        &self,
        folder: &Path,
        shard: &OutputShard,
        _guard: &Arc<dyn Guard>,
    ) -> Result<Box<dyn Assembler>, ExtractError> {
        match self.name().is_lines() {
            true => Ok(Box::new(LineAssembler::new(folder, shard)?)),
            false => Ok(Box::new(FileAssembler::new(folder))),
        }
    }

    /// Files that lie beside the data, by name and text. `files` are the names of the data files.
    fn side_files(&self, _files: &[&str]) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The members of a row, for readers that would else guess their types from the first rows.
    fn features(&self) -> &'static [Feature] {
        &[]
    }

    /// How a trainer loads the data in `file`, as Markdown for the card.
    fn loading(&self, _file: &str) -> Option<String> {
        None
    }
}
