//! `sharegpt`: `conversations` with `from` and `value`, which has nothing but texts.
//!
//! Tools are described at the end of the system prompt; calls and results stand in the texts
//! between `<tool_call>` and `<tool_response>` marks, as is common for this form.

use pitree_format::js::Members;
use pitree_sample::{ChatRole, Sample};

use super::conversation::{Thoughts, tools, turns};
use super::exchange::{Exchange, Pair, print_said};
use super::messages::{print_metadata_text, print_plain_call, print_tools};
use super::{Feature, FeatureKind, Format, FormatName, FormatOptions, Lines, SessionFormat};
use crate::output::Printed;
use crate::reason::DropReason;

/// The format, ready for a run.
pub(super) fn prepare(_: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Lines { name: FormatName::ShareGpt, format: Box::new(ShareGpt) })
}

/// The form `sharegpt`.
#[derive(Clone, Copy, Debug)]
pub struct ShareGpt;

impl Format for ShareGpt {
    fn row(
        &self,
        sample: &Sample,
        _: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason> {
        let turns = turns(sample, Thoughts::InText)?;
        let exchange = Exchange::new(&turns, sample.kind)?;
        let mut said = Vec::new();
        said.extend(system(&exchange, sample).map(|system| ("system", system)));
        for pair in &exchange.pairs {
            said.extend([("human", asked(pair)), ("gpt", answered(pair))]);
        }
        print_said(&said, row.key("conversations"));
        print_metadata_text(sample, row);
        Ok(())
    }

    fn features(&self) -> &'static [Feature] {
        &[("conversations", FeatureKind::JsonList), ("metadata", FeatureKind::Text)]
    }

    fn loading(&self, file: &str) -> Option<String> {
        Some(format!(
            "```python\n\
             from datasets import load_dataset\n\n\
             data = load_dataset(\"json\", data_files=\"{file}\", split=\"train\")\n\
             ```\n\n\
             Train on every `gpt` turn; in a dataset of single requests only on the last one of \
             each row.\n"
        ))
    }
}

fn system(exchange: &Exchange<'_, '_>, sample: &Sample) -> Option<String> {
    let tools = tools(sample);
    if tools.is_empty() {
        return exchange.system.clone();
    }
    let mut text = exchange.system.clone().unwrap_or_default();
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str("You can call these tools:\n<tools>\n");
    print_tools(tools, &mut text);
    text.push_str(
        "\n</tools>\nTo call one, write <tool_call>, a JSON object with \"name\" and \
         \"arguments\", and </tool_call>.",
    );
    Some(text)
}

fn asked(pair: &Pair<'_, '_>) -> String {
    let texts = pair.asked.iter().map(|turn| match turn.role {
        ChatRole::Tool => format!("<tool_response>\n{}\n</tool_response>", turn.text),
        ChatRole::System | ChatRole::User | ChatRole::Assistant => turn.text.to_string(),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn answered(pair: &Pair<'_, '_>) -> String {
    let (mut text, calls) = pair.answer();
    for call in calls {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("<tool_call>\n");
        print_plain_call(call, &mut text);
        text.push_str("\n</tool_call>");
    }
    text
}
