//! `pitree context`: what the model is given.

use clap::Args;
use pitree_format::message::{Block, Content, Message};
use pitree_format::{Object, Value};
use pitree_session::OpenOptions;
use pitree_session::context::{ModelChoice, estimate_context, to_llm};

use crate::error::{CommandError, Exit};
use crate::output::{Output, Style};
use crate::target::{Place, ReadTarget};
use crate::text::{clean_block, clean_line};

#[derive(Args, Debug)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// Stand at this entry; `header` follows the header's leafId, as the Rust port does
    #[arg(long, value_name = "ENTRY|header")]
    leaf: Option<String>,

    /// The messages as they go to the model: summaries and shell commands become user messages
    #[arg(long)]
    llm: bool,
}

pub(crate) fn run(
    args: &ContextArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let follow_header = args.leaf.as_deref() == Some("header");
    let session = place.open_with(&args.target, OpenOptions::new().header_leaf(follow_header))?;
    let leaf = match &args.leaf {
        Some(id) if !follow_header => Some(session.entry_by_prefix(id)?.index()),
        _ => session.leaf().map(|leaf| leaf.index()),
    };
    let context = session.context_at(leaf)?;
    let messages = if args.llm { to_llm(&context.messages) } else { context.messages.clone() };
    if output.json {
        let value = if args.llm { Value::from(messages) } else { json(&session, &context)? };
        output.value(&value)?;
        return Ok(Exit::Ok);
    }
    let tokens = estimate_context(&context.messages).tokens;
    output.line(&format!(
        "{} messages, about {tokens} tokens; model {}; thinking {}",
        messages.len(),
        model_name(context.model.as_ref()),
        plain(context.thinking_level.as_ref()),
    ))?;
    for message in &messages {
        print_message(message, output)?;
    }
    Ok(Exit::Ok)
}

/// Pi's `SessionContext`, with what a resumed session should use beside it.
fn json(
    session: &pitree_session::Session,
    context: &pitree_session::context::Context,
) -> Result<Value, CommandError> {
    let restored = session.restored()?;
    let model = restored.model.map(|model| {
        Object::new().with_some("provider", model.provider).with_some("modelId", model.model_id)
    });
    let restored =
        Object::new().with("model", model).with("thinkingLevel", restored.thinking_level);
    let mut value = context.to_value();
    if let Some(object) = value.as_object_mut() {
        object.set("restored", restored.into());
    }
    Ok(value)
}

fn model_name(model: Option<&ModelChoice>) -> String {
    match model {
        Some(model) => {
            format!("{}/{}", plain(model.provider.as_ref()), plain(model.model_id.as_ref()))
        }
        None => "unknown".to_owned(),
    }
}

fn plain(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => clean_line(&text.to_text()),
        Some(other) => pitree_format::js::stringify(other),
        None => "unknown".to_owned(),
    }
}

fn print_message(message: &Value, output: &mut Output) -> Result<(), CommandError> {
    let role = plain(message.get("role"));
    output.line("")?;
    output.line(&output.paint(Style::Bold, &format!("── {role}")))?;
    match Message::decode(message) {
        Message::BashExecution(bash) => {
            output.line(&clean_block(&format!("$ {}\n{}", bash.command, bash.output)))
        }
        Message::BranchSummary { summary, .. } | Message::CompactionSummary { summary, .. } => {
            output.line(&clean_block(&summary.to_text()))
        }
        Message::System(system) => {
            for (name, part) in &system.sections {
                let part = part.as_ref().map_or("(removed)".to_owned(), ToString::to_string);
                output.line(&format!("[{}]", clean_line(&name.to_text())))?;
                output.line(&clean_block(&part))?;
            }
            output.line(&format!("({} tools added)", system.tools_added.len()))
        }
        _ => print_content(&Content::decode(message.get("content")), output),
    }
}

fn print_content(content: &Content, output: &mut Output) -> Result<(), CommandError> {
    if let Content::Text(text) = content {
        return output.line(&clean_block(&text.to_text()));
    }
    for block in content.blocks() {
        match block {
            Block::Text { text, .. } => output.line(&clean_block(&text.to_text()))?,
            Block::Thinking { thinking, .. } => {
                output.line(&output.paint(Style::Dim, &clean_block(&thinking.to_text())))?;
            }
            Block::ToolCall { name, arguments, .. } => {
                let name = name.as_ref().map(ToString::to_string).unwrap_or_default();
                let arguments =
                    pitree_format::js::stringify(arguments.as_ref().unwrap_or(&Value::Null));
                output.line(&clean_line(&format!("→ {name} {arguments}")))?;
            }
            Block::Image { mime_type, .. } => {
                output.line(&format!(
                    "[image {}]",
                    plain(mime_type.clone().map(Value::String).as_ref())
                ))?;
            }
            Block::Unknown { kind } => {
                output.line(&format!("[{}]", plain(kind.clone().map(Value::String).as_ref())))?;
            }
        }
    }
    Ok(())
}
