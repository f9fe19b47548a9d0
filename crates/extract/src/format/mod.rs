//! The forms in which samples are written, one module each.

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
pub(crate) mod openai;
mod preference;
mod sharegpt;

use std::fmt;
use std::sync::Arc;

pub use axolotl::Axolotl;
pub use chat::Chat;
pub use choice::Choice;
pub use lines::Lines;
pub use llama_factory::LlamaFactory;
pub use ms_swift::MsSwift;
pub use openai::{OpenAi, OpenAiRequests};
pub use preference::Preference;
pub use sharegpt::ShareGpt;

use pitree_sample::{ChatRole, Reasoning, Sample, SampleOptions};
use pitree_session::location::Location;

use crate::output::{Line, Printed};
use crate::reason::DropReason;
use crate::run::SessionFormat;
use crate::tables::{Counted, Tables};

use atif::Atif;
pub(crate) use cells::ChatCells;
use hf_traces::HfTraces;
use lora_forge::{LoraForge, ToolText};

/// A form of one line for each sample.
pub trait Format: Send + Sync {
    /// The line of a sample, without its line feed; or why there is none. What stands in earlier
    /// lines of the session may be repeated from there.
    fn row(&self, sample: &Sample, printed: &mut Printed) -> Row;

    /// The line of a sample by itself; or why there is none.
    fn whole_line(&self, sample: &Sample) -> Result<String, DropReason> {
        match self.row(sample, &mut Printed::default()) {
            // There is no earlier line that it could repeat.
            Row::Line(line) => Ok(line.text),
            Row::LeftOut(reason) => Err(reason),
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

/// What a sample became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A line of JSON.
    Line(Line),
    /// The form cannot hold the sample. The reason is counted in the card.
    LeftOut(DropReason),
}

impl<L: Into<Line>> From<Result<L, DropReason>> for Row {
    fn from(line: Result<L, DropReason>) -> Self {
        line.map_or_else(Self::LeftOut, |line| Self::Line(line.into()))
    }
}

/// The names of the forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatName {
    /// One `ExtractedSession` a line.
    LoraForge,
    /// Conversations with `tools`, as TRL and Hugging Face take them.
    Chat,
    /// OpenAI's fine-tuning.
    OpenAi,
    /// `conversations` with `from` and `value`.
    ShareGpt,
    /// axolotl's `chat_template`.
    Axolotl,
    /// LLaMA-Factory's `sharegpt`, with its `dataset_info.json`.
    LlamaFactory,
    /// ms-swift.
    MsSwift,
    /// Harbor's trajectories, version 1.8.
    Atif,
    /// Redacted session files.
    HfTraces,
    /// Pairs of a chosen and a rejected reply.
    Preference,
    /// Tables.
    Parquet,
}

/// Every form, in the order of the help.
pub const FORMATS: [FormatName; 11] = [
    FormatName::LoraForge,
    FormatName::Chat,
    FormatName::OpenAi,
    FormatName::ShareGpt,
    FormatName::Axolotl,
    FormatName::LlamaFactory,
    FormatName::MsSwift,
    FormatName::Atif,
    FormatName::HfTraces,
    FormatName::Preference,
    FormatName::Parquet,
];

impl FormatName {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::LoraForge => "lora-forge",
            Self::Chat => "chat",
            Self::OpenAi => "openai",
            Self::ShareGpt => "sharegpt",
            Self::Axolotl => "axolotl",
            Self::LlamaFactory => "llama-factory",
            Self::MsSwift => "ms-swift",
            Self::Atif => "atif",
            Self::HfTraces => "hf-traces",
            Self::Preference => "preference",
            Self::Parquet => "parquet",
        }
    }

    /// Whether nothing is written after the last reply that is learned.
    pub(crate) fn ends_with_target(self) -> bool {
        !matches!(self, Self::Atif | Self::HfTraces)
    }

    /// Whether replies that say nothing are written too.
    pub(crate) fn writes_empty_replies(self) -> bool {
        matches!(self, Self::Atif | Self::HfTraces)
    }

    /// Whether it has a place for thoughts apart from what is said.
    pub(crate) fn has_thoughts(self) -> bool {
        !matches!(self, Self::LoraForge | Self::OpenAi)
    }

    /// Whether an image in a message of this role is written, and not only a word in its place. A
    /// body of a request has all that was sent.
    pub(crate) fn holds_images(self, role: ChatRole, has_body: bool) -> bool {
        match self {
            Self::OpenAi => has_body || role == ChatRole::User,
            Self::Atif | Self::HfTraces => true,
            _ => false,
        }
    }

    /// Whether it is one stream of lines, and not files that have a meaning of their own.
    pub fn is_lines(self) -> bool {
        !matches!(self, Self::Atif | Self::HfTraces | Self::Parquet)
    }
}

/// What all forms are asked for.
#[derive(Clone, Debug, Default)]
pub struct FormatOptions {
    /// Which text is taken, and what is known of the models besides the session.
    pub samples: SampleOptions,
    /// What becomes of thoughts.
    pub reasoning: Reasoning,
    /// Whether calls and results stand in the text too.
    pub tool_text: ToolText,
    /// Where the records of sub-agents may be read.
    pub locations: Vec<Location>,
    /// Which usages count, for the tables.
    pub counted: Arc<Counted>,
}

impl FormatName {
    /// The form, ready for a run.
    pub fn prepare(self, options: &FormatOptions) -> Box<dyn SessionFormat> {
        let tool_text = options.tool_text;
        let lines = |format: Box<dyn Format>| -> Box<dyn SessionFormat> {
            Box::new(Lines { format, name: self })
        };
        match self {
            Self::LoraForge => lines(Box::new(LoraForge { tool_text })),
            Self::Chat => lines(Box::new(Chat { unit: options.samples.selection.unit })),
            Self::OpenAi if options.samples.selection.has_bodies() => {
                lines(Box::new(OpenAiRequests))
            }
            Self::OpenAi => lines(Box::new(OpenAi)),
            Self::ShareGpt => lines(Box::new(ShareGpt)),
            Self::Axolotl => lines(Box::new(Axolotl)),
            Self::LlamaFactory => lines(Box::new(LlamaFactory)),
            Self::MsSwift => lines(Box::new(MsSwift)),
            Self::Preference => Box::new(Preference),
            Self::Atif => Box::new(Atif),
            Self::HfTraces => Box::new(HfTraces),
            Self::Parquet => Box::new(Tables::new(Arc::clone(&options.counted))),
        }
    }
}

impl FormatName {
    /// What the form is, in a line of help.
    pub fn help(self) -> &'static str {
        match self {
            Self::LoraForge => "One ExtractedSession of lora_forge a line",
            Self::Chat => "Conversations with tools, as TRL and Hugging Face take them",
            Self::OpenAi => "OpenAI's fine-tuning",
            Self::ShareGpt => "Conversations of `from` and `value`",
            Self::Axolotl => "axolotl's chat_template",
            Self::LlamaFactory => "LLaMA-Factory",
            Self::MsSwift => "ms-swift",
            Self::Atif => "Harbor's trajectories, one file each",
            Self::HfTraces => "Session files without secrets, as Hugging Face shows them",
            Self::Preference => "Pairs of a chosen and a rejected reply",
            Self::Parquet => "Tables",
        }
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
