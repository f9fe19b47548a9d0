//! `pitree subagents`: what sub-agents did, and where their records are.

mod print;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use pitree_format::message::Message;
use pitree_format::{JsString, Object, Role, Value};
use pitree_session::{EntryRef, OpenOptions, Session};
use pitree_store::subagents::{
    Form, PlaceState, Resolution, RunPlace, SubagentCall, SubagentRun, Trust, resolve,
};

use crate::error::{Exit, Result};
use crate::option_values::at_least_one;
use crate::output::Output;
use crate::target::{ReadTarget, Workspace};
use crate::text::{clean_line, counted};
use crate::verbs::show::{conversation_value, print_conversation};

#[derive(Args, Debug)]
pub(crate) struct SubagentsArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// Show the conversation of the run with this number
    #[arg(value_name = "NUMBER", value_parser = at_least_one::<NonZeroUsize>)]
    number: Option<NonZeroUsize>,
}

/// A tool result that sent out sub-agents.
pub(crate) struct Call<'s> {
    entry: EntryRef<'s>,
    tool_name: Option<JsString>,
    tool_call_id: Option<JsString>,
    is_error: bool,
    details: SubagentCall,
}

impl<'s> Call<'s> {
    fn of(entry: EntryRef<'s>) -> Result<Option<Self>> {
        if !entry.is_message(Role::ToolResult) {
            return Ok(None);
        }
        let message = entry.message()?.unwrap_or(Value::Null);
        let Message::ToolResult(result) = Message::decode(&message) else { return Ok(None) };
        let details = result.details.as_ref().and_then(SubagentCall::decode);
        Ok(details.map(|details| Self {
            entry,
            tool_name: result.tool_name,
            tool_call_id: result.tool_call_id,
            is_error: result.is_error,
            details,
        }))
    }
}

/// One run, with where its records are.
pub(crate) struct Found<'c> {
    /// From 1, over all calls of the session.
    number: usize,
    call: &'c Call<'c>,
    /// Its place in the call.
    at: usize,
    run: &'c SubagentRun,
    resolution: Resolution,
    active: bool,
}

impl Found<'_> {
    fn open(&self, used: &RunPlace, workspace: &Workspace) -> Result<Option<Session>> {
        let call = &self.call.details;
        Ok(call.open(self.at, used, self.call.entry, &workspace.environment)?)
    }
}

/// The tools that send out sub-agents, whatever their records look like.
const TOOLS: [&str; 2] = ["subagent", "task"];

/// So many calls of an unknown format are named.
const MOST_NAMED: usize = 5;

/// The calls that look like sub-agents and keep a record that is not understood here, in words.
fn unknown_calls(session: &Session, calls: &[Call<'_>]) -> Result<Option<String>> {
    let mut ids = Vec::new();
    for entry in session.entries().filter(|entry| entry.is_message(Role::ToolResult)) {
        if calls.iter().any(|call| call.entry.index() == entry.index()) {
            continue;
        }
        let message = entry.message()?.unwrap_or(Value::Null);
        let Message::ToolResult(result) = Message::decode(&message) else { continue };
        let tool = result.tool_name.map(|name| name.to_text().to_lowercase()).unwrap_or_default();
        // A call that failed has sent nobody out.
        if TOOLS.contains(&&*tool) && result.details.is_some() && !result.is_error {
            ids.push(clean_line(entry.id()));
        }
    }
    let more = ids.len().saturating_sub(MOST_NAMED);
    let named = ids[..ids.len() - more].join(", ");
    let named = if more == 0 { named } else { format!("{named} and {more} more") };
    Ok((!ids.is_empty()).then(|| {
        let calls = counted(ids.len(), "call", "calls");
        format!("{calls} of `subagent` or `task` kept records in a format that is not supported: {named}")
    }))
}

pub(crate) fn run(
    args: &SubagentsArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let session = workspace.open(&args.target)?;
    let mut calls = Vec::new();
    for entry in session.entries() {
        calls.extend(Call::of(entry)?);
    }
    let trust = Trust::new(&workspace.locations, &workspace.environment);
    let active: Vec<usize> = session.active_path().iter().map(EntryRef::index).collect();
    let found = found_in(&calls, &trust, &active);
    let unknown = unknown_calls(&session, &calls)?;
    match args.number {
        None => list(&session, &found, unknown, workspace, output),
        Some(number) => match found.get(number.get() - 1) {
            Some(found) => show(found, workspace, output),
            None => {
                let runs = match found.len() {
                    0 => "no sub-agent runs".to_owned(),
                    count => format!("only {}", counted(count, "sub-agent run", "sub-agent runs")),
                };
                output.remark(&format!("there is no run {number}: this session has {runs}"))?;
                Ok(Exit::Nothing)
            }
        },
    }
}

/// The files in which the sub-agents of a session, and those that they sent out, keep their records.
pub(crate) fn record_files(session: &Session, workspace: &Workspace) -> Result<BTreeSet<PathBuf>> {
    let trust = Trust::new(&workspace.locations, &workspace.environment);
    let mut files = BTreeSet::new();
    let mut sessions = Vec::new();
    add_record_files(session, &trust, &mut files, &mut sessions)?;
    while let Some(path) = sessions.pop() {
        // A record that is damaged is still read for what it says.
        if let Ok(session) = OpenOptions::new().lenient(true).open(&path, &workspace.environment) {
            add_record_files(&session, &trust, &mut files, &mut sessions)?;
        }
    }
    Ok(files)
}

fn add_record_files(
    session: &Session,
    trust: &Trust,
    files: &mut BTreeSet<PathBuf>,
    sessions: &mut Vec<PathBuf>,
) -> Result<()> {
    for entry in session.entries() {
        let Some(call) = Call::of(entry)? else { continue };
        let runs = 0..call.details.runs.len();
        for found in runs.filter_map(|at| resolve(&call.details, at, trust)) {
            for place in found.places {
                let (Some(path), PlaceState::There(form)) = (place.path, place.state) else {
                    continue;
                };
                if files.insert(path.clone()) && form == Form::Session {
                    sessions.push(path);
                }
            }
        }
    }
    Ok(())
}

fn found_in<'c>(calls: &'c [Call<'c>], trust: &Trust, active: &[usize]) -> Vec<Found<'c>> {
    let mut found = Vec::new();
    for call in calls {
        let active = active.contains(&call.entry.index());
        for (at, run) in call.details.runs.iter().enumerate() {
            let Some(resolution) = resolve(&call.details, at, trust) else { continue };
            found.push(Found { number: found.len() + 1, call, at, run, resolution, active });
        }
    }
    found
}

fn list(
    session: &Session,
    found: &[Found<'_>],
    unknown: Option<String>,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    if output.json {
        let runs: Vec<Value> = found.iter().map(|found| found.to_object().into()).collect();
        let object = Object::new().with("sessionId", session.id()).with("runs", runs);
        output.value(&object.into())?;
    } else {
        for run in found {
            run.print(output)?;
        }
    }
    if let Some(unknown) = unknown {
        output.remark(&unknown)?;
        return Ok(if found.is_empty() { Exit::Nothing } else { Exit::Ok });
    }
    if found.is_empty() {
        let entries = counted(session.len(), "entry", "entries");
        output.remark(&format!(
            "no sub-agent runs in the {entries} of this session; \
             `{} --has subagent` lists the sessions that have some",
            workspace.list_all()
        ))?;
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Ok)
}

/// Shows the conversation of a run from the first of its places that can be read.
fn show(found: &Found<'_>, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let conversation =
        found.resolution.used().map(|used| found.open(used, workspace)).transpose()?.flatten();
    if output.json {
        let value = conversation.as_ref().map(conversation_value).transpose()?;
        output.value(&found.to_object().with("conversation", value).into())?;
    } else {
        found.print(output)?;
        if let Some(session) = &conversation {
            output.line("")?;
            print_conversation(session, output)?;
        }
    }
    if conversation.is_none() {
        output.remark("none of its records can be read")?;
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Ok)
}
