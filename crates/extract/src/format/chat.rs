//! `chat`: conversations with `tools`, as TRL and Hugging Face take them.
//!
//! A branch is one line with `messages`; a reply that is not to be learned has `"train":false`. A
//! turn or a request, where all that is learned comes last, is TRL's `prompt` and `completion`.

use pitree_format::js::Members;
use pitree_sample::{Sample, Unit};

use super::conversation::{Thoughts, Turn, context_length, turns};
use super::messages::{HUGGING_FACE, PROMPT, print_metadata_member, print_tools_member};
use super::{Feature, FeatureKind, Format, FormatName, FormatOptions, Lines, SessionFormat};
use crate::output::Printed;
use crate::reason::DropReason;

/// Makes rows of TRL out of messages.
const MAP: &str = "\
names = [\"prompt\", \"completion\", \"tools\"]
features = Features({name: List(Json()) for name in names})
data = data.map(trl_rows, batched=True, remove_columns=data.column_names, features=features)
";

/// The format, ready for a run.
pub(super) fn prepare(options: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Lines {
        name: FormatName::Chat,
        format: Box::new(Chat { unit: options.samples.selection.unit }),
    })
}

/// The form `chat`.
#[derive(Clone, Copy, Debug)]
pub struct Chat {
    /// What one sample is.
    pub unit: Unit,
}

impl Format for Chat {
    fn row(
        &self,
        sample: &Sample,
        printed: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason> {
        let turns = turns(sample, Thoughts::Beside)?;
        print_turns(self.unit, &turns, printed, row)?;
        print_tools_member(sample, row);
        print_metadata_member(sample, row);
        Ok(())
    }

    fn features(&self) -> &'static [Feature] {
        use FeatureKind::{Json, JsonList};
        match self.unit {
            Unit::Path => &[("messages", JsonList), ("tools", JsonList), ("metadata", Json)],
            Unit::Turn | Unit::Request => &[
                ("prompt", JsonList),
                ("completion", JsonList),
                ("tools", JsonList),
                ("metadata", Json),
            ],
        }
    }

    fn loading(&self, _file: &str) -> Option<String> {
        let [function, call] = match self.unit {
            Unit::Path => [include_str!("trl_rows.py"), MAP],
            Unit::Turn | Unit::Request => ["", ""],
        };
        Some(format!(
            "```python\n\
             from datasets import Features, Json, List, load_dataset\n\
             from trl import SFTConfig, SFTTrainer\n\n\n\
             {function}\n\n\
             data = load_dataset(\"FOLDER\", split=\"train\")  # the folder of this card\n\
             {call}\
             trainer = SFTTrainer(model, SFTConfig(assistant_only_loss=True), train_dataset=data)\n\
             ```\n"
        ))
    }
}

/// All rows of one file must have the same members, so the unit decides alone.
fn print_turns(
    unit: Unit,
    turns: &[Turn<'_>],
    printed: &mut Printed,
    row: &mut Members<'_>,
) -> Result<(), DropReason> {
    if unit == Unit::Path {
        HUGGING_FACE.print(turns, printed, row.key("messages"));
        return Ok(());
    }
    let (prompt, completion) =
        turns.split_at(context_length(turns).ok_or(DropReason::Interrupted)?);
    PROMPT.print(prompt, printed, row.key("prompt"));
    HUGGING_FACE.print(completion, printed, row.key("completion"));
    Ok(())
}
