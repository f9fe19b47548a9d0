//! `openai`: OpenAI's fine-tuning.
//!
//! Only `messages` and `tools`, since the service refuses other members. Arguments are texts. A
//! reply that is not to be learned has `"weight":0`. There is no place for
//! thoughts; `--reasoning inline` puts them into the text.
//!
//! Where a sample is a request whose body is known, its messages and tools are printed as they
//! were sent, without any change and so without weights, and the reply after them.

use pitree_format::js::{Members, print_list};
use pitree_sample::{Sample, Wire};

use super::conversation::{Thoughts, Turn, tools, turns};
use super::json::{is_deep, print_value};
use super::messages::{Dialect, print_tools};
use super::{Feature, FeatureKind, Format, FormatName, FormatOptions, Lines, SessionFormat};
use crate::output::{Item, Printed, SharedList};
use crate::reason::DropReason;

const DIALECT: Dialect = Dialect { untrained: Some(("weight", "0")), openai: true };
const LONGEST_NAME: usize = 64;

/// The format, ready for a run.
pub(super) fn prepare(options: &FormatOptions) -> Box<dyn SessionFormat> {
    let format: Box<dyn Format> = match options.samples.selection.has_bodies() {
        true => Box::new(OpenAiRequests),
        false => Box::new(OpenAi),
    };
    Box::new(Lines { name: FormatName::OpenAi, format })
}

/// The form `openai`.
#[derive(Clone, Copy, Debug)]
pub struct OpenAi;

impl Format for OpenAi {
    fn row(
        &self,
        sample: &Sample,
        printed: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason> {
        let turns = turns(sample, Thoughts::Nowhere)?;
        match &sample.wire {
            Some(wire) => print_wire(wire, &turns, printed, row)?,
            None => {
                check_names(sample, &turns)?;
                DIALECT.print(&turns, printed, row.key("messages"));
                if !tools(sample).is_empty() {
                    print_tools(tools(sample), row.key("tools"));
                }
            }
        }
        Ok(())
    }

    fn features(&self) -> &'static [Feature] {
        &[("messages", FeatureKind::JsonList), ("tools", FeatureKind::JsonList)]
    }

    fn loading(&self, file: &str) -> Option<String> {
        Some(format!(
            "```python\n\
             from openai import OpenAI\n\n\
             OpenAI().files.create(file=open(\"{file}\", \"rb\"), purpose=\"fine-tune\")\n\
             ```\n"
        ))
    }
}

/// The form `openai` of single requests. It is printed in the same way; but bodies of requests
/// have no weights.
#[derive(Clone, Copy, Debug)]
pub struct OpenAiRequests;

impl Format for OpenAiRequests {
    fn row(
        &self,
        sample: &Sample,
        printed: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason> {
        OpenAi.row(sample, printed, row)
    }

    fn features(&self) -> &'static [Feature] {
        OpenAi.features()
    }

    fn loading(&self, _file: &str) -> Option<String> {
        Some(
            "Each row is a request as it was sent, and the reply. For replaying and measuring, not \
             for OpenAI's fine-tuning: a body has no weights, so the service would learn every \
             reply in it, once for each row that repeats it. To learn from single requests, \
             extract them in the `chat` format.\n"
                .to_owned(),
        )
    }
}

fn print_wire(
    wire: &Wire,
    turns: &[Turn<'_>],
    printed: &mut Printed,
    row: &mut Members<'_>,
) -> Result<(), DropReason> {
    if wire_is_deep(wire) {
        return Err(DropReason::TooDeep);
    }
    let mut messages = SharedList::open(printed, row.key("messages"));
    for message in &wire.messages {
        messages.item(Item::Wire(message), |out| print_value(message, out));
    }
    // What is learned is the reply, which may have been split in two.
    let reply = turns.iter().filter(|turn| turn.trained);
    reply.for_each(|turn| DIALECT.print_item(turn, &mut messages));
    messages.close();
    if let Some(tools) = &wire.tools {
        print_list(tools.as_slice(), row.key("tools"), print_value);
    }
    Ok(())
}

fn wire_is_deep(wire: &Wire) -> bool {
    let tools = wire.tools.as_deref().map_or(&[][..], Vec::as_slice);
    wire.messages.iter().any(|message| is_deep(message)) || tools.iter().any(is_deep)
}

/// The service refuses a file with other names.
fn check_names(sample: &Sample, turns: &[Turn<'_>]) -> Result<(), DropReason> {
    let called = turns.iter().flat_map(|turn| turn.calls).map(|call| Some(call.name.as_str()));
    let offered = tools(sample).iter().map(|tool| tool.get_string("name")?.as_str());
    if called.chain(offered).all(|name| name.is_some_and(is_name)) {
        Ok(())
    } else {
        Err(DropReason::ToolName)
    }
}

fn is_name(name: &str) -> bool {
    let is_character = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_character)
}
