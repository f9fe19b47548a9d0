//! The table of formats: one row each.

use std::fmt;

use pitree_sample::Context;

use super::choice::CHOICES;
use super::{
    Choice, FormatOptions, SessionFormat, atif, axolotl, chat, hf_traces, llama_factory,
    lora_forge, ms_swift, openai, parquet, preference, sharegpt,
};
use crate::capabilities::{Capabilities, Images};

/// A row of the table: what a format is.
pub struct FormatSpec {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a line of help.
    pub help: &'static str,
    /// What it can hold.
    pub holds: Capabilities,
    /// Choices that change nothing in it.
    pub ignores: &'static [Choice],
    /// What replies answer in it, unless something else is asked for.
    pub usual_context: Context,
    /// Whether pairs of replies are trained, and not single ones.
    pub is_pairs: bool,
    /// Whether it needs to know which usages count, in all sessions together.
    pub needs_ledger: bool,
    /// How the Hugging Face hub finds its data.
    pub hub: Hub,
    /// Makes what prints it. This also tells the members of its rows, and how they are loaded.
    pub prepare: fn(&FormatOptions) -> Box<dyn SessionFormat>,
}

/// How the Hugging Face hub finds the data of a format, as the head of the card says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hub {
    /// One file of lines for each part.
    Lines,
    /// A folder of session files for each part.
    Traces,
    /// A file for each table.
    Tables,
    /// Not at all.
    Nothing,
}

/// Conversations as text.
const TEXT: Capabilities =
    Capabilities { writes_all: false, reasoning: true, images: Images::None, bodies: false };

/// Sessions with all that is in them.
const WHOLE: Capabilities =
    Capabilities { writes_all: true, reasoning: true, images: Images::All, bodies: false };

/// What most formats have in common.
const USUAL: FormatSpec = FormatSpec {
    name: "",
    help: "",
    holds: TEXT,
    ignores: &[Choice::ToolText],
    usual_context: Context::AsSent,
    is_pairs: false,
    needs_ledger: false,
    hub: Hub::Lines,
    prepare: chat::prepare,
};

/// Makes the names of the formats and their table of one list.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident = $row:expr,)*) => {
        /// The names of the formats.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FormatName {
            $($(#[$doc])* $name,)*
        }

        /// Every format, in the order of the help.
        pub const FORMATS: [FormatName; TABLE.len()] = [$(FormatName::$name),*];

        const TABLE: &[FormatSpec] = &[$($row),*];
    };
}

formats! {
    /// One `ExtractedSession` a line.
    LoraForge = FormatSpec {
        name: "lora-forge",
        help: "One lora_forge `ExtractedSession` per line",
        holds: Capabilities { reasoning: false, ..TEXT },
        ignores: &[],
        // It has no way to say that a reply is there for context only, and a compacted
        // conversation repeats replies.
        usual_context: Context::Raw,
        prepare: lora_forge::prepare,
        ..USUAL
    },
    /// Conversations with `tools`, as TRL and Hugging Face take them.
    Chat = FormatSpec {
        name: "chat",
        help: "Conversations with tools, for TRL and Hugging Face",
        prepare: chat::prepare,
        ..USUAL
    },
    /// OpenAI's fine-tuning.
    OpenAi = FormatSpec {
        name: "openai",
        help: "OpenAI fine-tuning format",
        holds: Capabilities { reasoning: false, images: Images::OfUser, bodies: true, ..TEXT },
        prepare: openai::prepare,
        ..USUAL
    },
    /// `conversations` with `from` and `value`.
    ShareGpt = FormatSpec {
        name: "sharegpt",
        help: "Conversations of `from` and `value`",
        prepare: sharegpt::prepare,
        ..USUAL
    },
    /// axolotl's `chat_template`.
    Axolotl = FormatSpec {
        name: "axolotl",
        help: "axolotl's chat_template",
        prepare: axolotl::prepare,
        ..USUAL
    },
    /// LLaMA-Factory's `sharegpt`, with its `dataset_info.json`.
    LlamaFactory = FormatSpec {
        name: "llama-factory",
        help: "LLaMA-Factory",
        prepare: llama_factory::prepare,
        ..USUAL
    },
    /// ms-swift.
    MsSwift = FormatSpec {
        name: "ms-swift",
        help: "ms-swift",
        prepare: ms_swift::prepare,
        ..USUAL
    },
    /// Harbor's trajectories, version 1.8.
    Atif = FormatSpec {
        name: "atif",
        help: "Harbor trajectories (ATIF), one file per sample",
        holds: WHOLE,
        hub: Hub::Nothing,
        prepare: atif::prepare,
        ..USUAL
    },
    /// Redacted session files.
    HfTraces = FormatSpec {
        name: "hf-traces",
        help: "Session files without secrets, for the trace viewer of Hugging Face",
        holds: WHOLE,
        // Session files as they are: nothing is chosen in them.
        ignores: CHOICES,
        hub: Hub::Traces,
        prepare: hf_traces::prepare,
        ..USUAL
    },
    /// Pairs of a chosen and a rejected reply.
    Preference = FormatSpec {
        name: "preference",
        help: "Pairs of a chosen and a rejected reply",
        // Pairs are looked for on all branches, and each has one reply on either side.
        ignores: &[Choice::Paths, Choice::Unit, Choice::ToolText],
        is_pairs: true,
        prepare: preference::prepare,
        ..USUAL
    },
    /// Tables.
    Parquet = FormatSpec {
        name: "parquet",
        help: "Tables",
        needs_ledger: true,
        hub: Hub::Tables,
        prepare: parquet::prepare,
        ..USUAL
    },
}

impl FormatName {
    /// Its row in the table.
    pub fn spec(self) -> &'static FormatSpec {
        &TABLE[self as usize]
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// What it is, in a line of help.
    pub fn help(self) -> &'static str {
        self.spec().help
    }

    /// Whether it is one stream of lines, and not files that have a meaning of their own.
    pub fn is_lines(self) -> bool {
        self.spec().hub == Hub::Lines
    }

    /// Whether its files can be cut into several: not if each of them is a session or a sample.
    pub fn is_sharded(self) -> bool {
        matches!(self.spec().hub, Hub::Lines | Hub::Tables)
    }

    /// Whether a choice changes anything in it.
    pub fn uses(self, choice: Choice) -> bool {
        !self.spec().ignores.contains(&choice)
    }

    /// The format, ready for a run.
    pub fn prepare(self, options: &FormatOptions) -> Box<dyn SessionFormat> {
        (self.spec().prepare)(options)
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_that_of_its_name() {
        let options = FormatOptions::default();
        for format in FORMATS {
            assert_eq!(format.prepare(&options).name(), format);
            let same = FORMATS.into_iter().filter(|other| other.name() == format.name());
            assert_eq!(same.count(), 1, "{format}");
        }
    }
}
