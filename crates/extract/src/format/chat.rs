//! `chat`: conversations with `tools`, as TRL and Hugging Face take them.
//!
//! A branch is one line with `messages`; a reply that is not to be learned has `"train":false`. A
//! turn or a request, where all that is learned comes last, is TRL's `prompt` and `completion`.

use super::conversation::{Thoughts, Turn, context_length, turns};
use super::json::Members;
use super::messages::{HUGGING_FACE, print_metadata_member, print_tools_member};
use super::{Format, Row};
use crate::sample::{Sample, SampleKind};

const INTERRUPTED: &str = "a reply that must not be learned stands between those that are";

/// The form `chat`.
#[derive(Clone, Copy, Debug)]
pub struct Chat;

impl Chat {
    fn line(sample: &Sample) -> Result<String, &'static str> {
        let turns = turns(sample, Thoughts::Beside)?;
        let mut line = String::new();
        let mut row = Members::open(&mut line);
        print_turns(sample.kind, &turns, &mut row)?;
        print_tools_member(sample, &mut row);
        print_metadata_member(sample, &mut row);
        row.close();
        Ok(line)
    }
}

impl Format for Chat {
    fn row(&self, sample: &Sample) -> Row {
        Self::line(sample).into()
    }

    fn loading(&self, file: &str) -> Option<String> {
        Some(format!(
            "```python\n\
             from datasets import load_dataset\n\
             from trl import SFTConfig, SFTTrainer\n\n\n\
             {}\n\n\
             data = load_dataset(\"json\", data_files=\"{file}\", split=\"train\")\n\
             if \"messages\" in data.column_names:\n    \
                 data = data.map(trl_rows, batched=True, remove_columns=data.column_names)\n\
             trainer = SFTTrainer(model, SFTConfig(assistant_only_loss=True), train_dataset=data)\n\
             ```\n",
            include_str!("trl_rows.py")
        ))
    }
}

/// All rows of one file must have the same members, so the kind of the sample decides alone.
fn print_turns(
    kind: SampleKind,
    turns: &[Turn<'_>],
    row: &mut Members<'_>,
) -> Result<(), &'static str> {
    if kind == SampleKind::Path {
        HUGGING_FACE.print(turns, row.key("messages"));
        return Ok(());
    }
    let (prompt, completion) = turns.split_at(context_length(turns).ok_or(INTERRUPTED)?);
    HUGGING_FACE.print(prompt, row.key("prompt"));
    HUGGING_FACE.print(completion, row.key("completion"));
    Ok(())
}
