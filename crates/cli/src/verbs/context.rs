//! `pitree context`: what the model is given.

use clap::Args;
use pitree_format::js::{print, stringify};
use pitree_format::message::{Block, Content, Message};
use pitree_format::{Object, Value};
use pitree_session::context::{ContextSettings, ModelChoice, to_llm};
use pitree_session::{OpenOptions, Session};

use crate::error::{Exit, Result};
use crate::opened::Opened;
use crate::output::{Output, Style};
use crate::target::{ReadTarget, Workspace};
use crate::text::{clean_block, clean_line, counted};

#[derive(Args, Debug)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// Build the context at this entry (default: the leaf); `header` takes the leafId of the
    /// header, as pi_agent_rust does
    #[arg(long, alias = "leaf", value_name = "ENTRY|header")]
    at: Option<String>,

    /// Print the messages as they are sent: summaries and shell commands become user messages
    #[arg(long)]
    llm: bool,
}

pub(crate) fn run(args: &ContextArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let follow_header = args.at.as_deref() == Some("header");
    let session = match follow_header {
        true => {
            Opened::Own(workspace.open_with(&args.target, OpenOptions::new().header_leaf(true))?)
        }
        false => workspace.open_shared(&args.target)?,
    };
    let leaf = match &args.at {
        Some(id) if !follow_header => Some(session.entry_by_prefix(id)?.index()),
        _ => session.leaf().map(|leaf| leaf.index()),
    };
    if output.json {
        print_json(&session, leaf, args.llm, output)?;
        return Ok(Exit::Ok);
    }
    // A large context is read twice rather than held.
    let mut count = 0;
    let settings = each_message(&session, leaf, |message| {
        count += if args.llm { to_llm([&message]).len() } else { 1 };
        Ok(())
    })?;
    output.line(&format!(
        "{}, about {} tokens; model {}; thinking {}",
        counted(count, "message", "messages"),
        session.context_estimate_at(leaf)?.tokens,
        model_name(settings.model.as_ref()),
        plain(settings.thinking_level.as_ref()),
    ))?;
    each_message(&session, leaf, |message| match args.llm {
        true => to_llm([&message]).iter().try_for_each(|message| print_message(message, output)),
        false => print_message(&message, output),
    })?;
    Ok(Exit::Ok)
}

/// The messages of the context, one after the other.
fn each_message(
    session: &Session,
    leaf: Option<usize>,
    mut tell: impl FnMut(Value) -> Result<()>,
) -> Result<ContextSettings> {
    session
        .each_projected_at(leaf, |projected| projected.messages.into_iter().try_for_each(&mut tell))
}

/// Pi's `SessionContext`, with what a resumed session should use beside it; with `--llm` only the
/// messages. Written message by message.
fn print_json(
    session: &Session,
    leaf: Option<usize>,
    llm: bool,
    output: &mut Output,
) -> Result<()> {
    let mut text = String::from(if llm { "[" } else { "{\"messages\":[" });
    let mut comma = "";
    let settings = each_message(session, leaf, |message| {
        let messages = if llm { to_llm([&message]) } else { vec![message] };
        for message in messages {
            text.push_str(std::mem::replace(&mut comma, ","));
            print(&message, &mut text);
            output.bytes(text.as_bytes())?;
            text.clear();
        }
        Ok(())
    })?;
    text.push(']');
    if !llm {
        let restored = session.restored_at(leaf)?;
        let restored = Object::new()
            .with("model", restored.model.map(|model| model.to_value()))
            .with("thinkingLevel", restored.thinking_level);
        let rest = Object::new()
            .with_some("thinkingLevel", settings.thinking_level)
            .with("model", settings.model.map(|model| model.to_value()))
            .with("restored", restored)
            .with("estimatedContextTokens", session.context_estimate_at(leaf)?.tokens);
        let rest = stringify(&rest.into());
        text.push(',');
        text.push_str(rest.trim_start_matches('{'));
    }
    output.line(&text)
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
        Some(other) => stringify(other),
        None => "unknown".to_owned(),
    }
}

fn print_message(message: &Value, output: &mut Output) -> Result<()> {
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

fn print_content(content: &Content, output: &mut Output) -> Result<()> {
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
                let arguments = stringify(arguments.as_ref().unwrap_or(&Value::Null));
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
            _ => output.line("[block]")?,
        }
    }
    Ok(())
}
