//! `llama-factory`: LLaMA-Factory's `sharegpt` data sets, with their `dataset_info.json`.
//!
//! Its other form, `openai`, throws away what a reply says beside its calls and adds words to the
//! system prompt, so it is not used. Here a reply with calls is a `function_call`: its text, then
//! the calls as JSON between `<tool_call>` and `</tool_call>`, which LLaMA-Factory takes apart and
//! writes as the model's own template wants them.

use pitree_format::Value;
use pitree_format::js::{self, Members, Object, print_list};
use pitree_sample::{ChatRole, Sample};

use super::conversation::{Thoughts, turns};
use super::exchange::{Exchange, Pair, Said, print_said};
use super::messages::{print_metadata_text, print_plain_call, print_tools_text};
use super::{Feature, FeatureKind, Format, FormatName, FormatOptions, Lines, SessionFormat};
use crate::output::Printed;
use crate::reason::DropReason;

/// How LLaMA-Factory itself puts the results of several calls into one message.
const BETWEEN_RESULTS: &str = "\n</tool_response>\n<tool_response>\n";

/// The format, ready for a run.
pub(super) fn prepare(_: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Lines { name: FormatName::LlamaFactory, format: Box::new(LlamaFactory) })
}

/// The form `llama-factory`.
#[derive(Clone, Copy, Debug)]
pub struct LlamaFactory;

impl Format for LlamaFactory {
    fn row(
        &self,
        sample: &Sample,
        _: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason> {
        let turns = turns(sample, Thoughts::InText)?;
        let exchange = Exchange::new(&turns, sample.kind)?;
        let mut said = Vec::new();
        for pair in &exchange.pairs {
            said.extend([asked(pair), answered(pair)?]);
        }
        print_said(&said, row.key("conversations"));
        row.text("system", exchange.system.as_deref().unwrap_or_default());
        print_tools_text(sample, row);
        print_metadata_text(sample, row);
        Ok(())
    }

    /// `dataset_info.json`, in which each file is a data set named after it.
    fn side_files(&self, files: &[&str]) -> Vec<(&'static str, String)> {
        let columns = Object::new()
            .with("messages", "conversations")
            .with("system", "system")
            .with("tools", "tools");
        let mut datasets = Object::new();
        for file in files {
            let about = Object::new()
                .with("file_name", *file)
                .with("formatting", "sharegpt")
                .with("columns", columns.clone());
            datasets.set(&dataset_name(file), about.into());
        }
        let mut text = js::stringify(&Value::Object(datasets));
        text.push('\n');
        vec![("dataset_info.json", text)]
    }

    fn features(&self) -> &'static [Feature] {
        use FeatureKind::{JsonList, Text};
        &[("conversations", JsonList), ("system", Text), ("tools", Text), ("metadata", Text)]
    }

    fn loading(&self, file: &str) -> Option<String> {
        Some(format!(
            "```yaml\n\
             dataset_dir: .\n\
             dataset: {}\n\
             ```\n\n\
             Train on every reply; in a dataset of single requests only on the last one of each \
             row: set `mask_history: true`.\n",
            dataset_name(file)
        ))
    }
}

fn dataset_name(file: &str) -> String {
    let stem = file.rsplit('/').next().unwrap_or(file);
    format!("pitree_{}", stem.trim_end_matches(".jsonl").replace('-', "_"))
}

/// Results of tools are an `observation`; what a user says right after them goes there too,
/// because a `human` may not follow one.
fn asked(pair: &Pair<'_, '_>) -> Said {
    let mut text = String::new();
    let mut last = None;
    for turn in pair.asked {
        match last {
            None => {}
            Some(ChatRole::Tool) if turn.role == ChatRole::Tool => text.push_str(BETWEEN_RESULTS),
            Some(_) => text.push_str("\n\n"),
        }
        text.push_str(&turn.text);
        last = Some(turn.role);
    }
    let has_result = pair.asked.iter().any(|turn| turn.role == ChatRole::Tool);
    (if has_result { "observation" } else { "human" }, text)
}

fn answered(pair: &Pair<'_, '_>) -> Result<Said, DropReason> {
    let (mut text, calls) = pair.answer();
    if calls.is_empty() {
        return Ok(("gpt", text));
    }
    if text.contains("<tool_call>") {
        return Err(DropReason::ToolCallMark);
    }
    let mut json = String::new();
    print_list(calls, &mut json, print_plain_call);
    // Marks inside the calls would be taken for marks around them. In JSON a `<` stands only in
    // strings, where it may be written so.
    let json = json.replace('<', "\\u003c");
    text.push_str("<tool_call>");
    text.push_str(&json);
    text.push_str("</tool_call>");
    Ok(("function_call", text))
}
