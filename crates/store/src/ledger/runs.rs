//! Runs of sub-agents as their parents tell them.

use memchr::memmem;

use pitree_format::js::parse;
use pitree_format::usage::Usage;
use pitree_format::{JsString, Value};

use super::ModelName;
use super::file::FileRun;
use super::money::{Price, Sum, Tokens, cost_of};
use super::reader::{ModelList, said_key, usage_key};
use crate::hash::Mixer;
use crate::subagents::{SubagentCall, SubagentRun, named_paths};

/// How deep sub-agents of sub-agents are looked for inside one tool result.
const MOST_DEPTH: usize = 16;

/// A number for a tool call.
pub(crate) fn call_key(id: &JsString) -> u64 {
    Mixer::new(6).bytes(id.as_bytes()).finish()
}

/// The runs that the `details` of a tool result tell, and the runs that those tell inline.
pub(crate) fn runs_of(
    details: &[u8],
    time_ms: Option<i64>,
    call_key: u64,
    models: &mut ModelList,
) -> ToldRuns {
    let mut told = ToldRuns::default();
    if let Some(details) = decode(details) {
        told.direct = SubagentCall::decode(&details).map_or(0, |call| call.runs.len());
        add_runs(&details, (time_ms, call_key), MOST_DEPTH, models, &mut told.runs);
    }
    told
}

/// How many runs the `details` of a tool result tell that the tool sent out itself.
pub(crate) fn direct_runs(details: &[u8]) -> usize {
    let call = decode(details).and_then(|details| SubagentCall::decode(&details));
    call.map_or(0, |call| call.runs.len())
}

/// The details, if they may tell runs. Most are of other tools and need no decoding.
fn decode(details: &[u8]) -> Option<Value> {
    let has = |name: &[u8]| memmem::find(details, name).is_some();
    (has(b"\"results\"") && has(b"\"agent\"")).then(|| parse(details).ok()).flatten()
}

/// The runs that a tool result tells.
#[derive(Default)]
pub(crate) struct ToldRuns {
    pub(crate) runs: Vec<FileRun>,
    /// How many of them the tool sent out itself.
    pub(crate) direct: usize,
}

fn add_runs(
    details: &Value,
    (time_ms, call): (Option<i64>, u64),
    depth: usize,
    models: &mut ModelList,
    runs: &mut Vec<FileRun>,
) {
    let Some(decoded) = SubagentCall::decode(details) else { return };
    for (number, run) in decoded.runs.iter().enumerate() {
        let paths = named_paths(&decoded, number).into_iter().map(|(_, path)| path).collect();
        runs.push(file_run(run, paths, (time_ms, call, number), models));
        for message in run.messages.iter().filter(|_| depth > 0) {
            let message = message.get("message").unwrap_or(message);
            if let Some(details) = message.get("details") {
                let id = message.get_string("toolCallId");
                let call = id.map_or(Mixer::new(7).number(call).finish(), call_key);
                add_runs(details, (time_ms, call), depth - 1, models, runs);
            }
        }
    }
}

fn file_run(
    run: &SubagentRun,
    paths: Vec<String>,
    (time_ms, call_key, number): (Option<i64>, u64, usize),
    models: &mut ModelList,
) -> FileRun {
    let (inline, said) = inline_usage(&run.messages);
    let (told, cost) = match &run.usage {
        Some(usage) => {
            let mut told = Sum::default();
            told.add(&Tokens::of(&usage.usage), cost_of(&usage.usage));
            (told, cost_of(&usage.usage))
        }
        None if inline.unknown_costs > 0 || inline.count == 0 => (inline, None),
        None => (inline, Price::from_dollars(inline.cost.dollars())),
    };
    // A run is known by the records it names, else by its messages, else by who tells it.
    let mixer = Mixer::new(5).number(usage_key(&told.tokens, cost));
    let task = run.task.as_ref().map(JsString::as_bytes).unwrap_or_default();
    let mixer = mixer.bytes(run.agent.as_bytes()).bytes(task);
    let key = match (paths.first(), &said[..]) {
        (Some(path), _) => mixer.bytes(path.as_bytes()),
        (None, [_, ..]) => said.iter().fold(mixer, |mixer, key| mixer.number(*key)),
        (None, []) => mixer.number(call_key).number(number as u64),
    };
    let text = |text: &JsString| text.to_text().into_owned();
    let model = ModelName { provider: None, model: run.model.as_ref().map(text) };
    let tokens = told.tokens;
    FileRun {
        key: key.finish(),
        time_ms,
        model: models.place(model),
        tokens: [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write],
        cost: cost.map(Price::units),
        is_told: told.count > 0,
        paths,
        said,
    }
}

/// The usage of the messages that a run keeps inline, and the keys of those with a time.
fn inline_usage(messages: &[Value]) -> (Sum, Vec<u64>) {
    let mut sum = Sum::default();
    let mut said = Vec::new();
    for message in messages {
        // Some tools keep whole entries here.
        let message = message.get("message").unwrap_or(message);
        let Some(usage) = message.get("usage").and_then(Usage::decode) else { continue };
        let (tokens, cost) = (Tokens::of(&usage), cost_of(&usage));
        sum.add(&tokens, cost);
        if let Some(time) = message.get_number("timestamp") {
            said.push(said_key(time as i64, usage_key(&tokens, cost)));
        }
    }
    (sum, said)
}

/// Whether the usage of a tool result is the sum of the runs that it tells.
pub(crate) fn told_by_runs(usage: &Usage, runs: &[FileRun]) -> bool {
    if runs.is_empty() || runs.iter().any(|run| !run.is_told) {
        return false;
    }
    let (own, cost) = (Tokens::of(usage), cost_of(usage));
    let sum = |at: usize| runs.iter().fold(0, |sum: u64, run| sum.saturating_add(run.tokens[at]));
    let told = Tokens { input: sum(0), output: sum(1), cache_read: sum(2), cache_write: sum(3) };
    let told_cost: i128 = runs.iter().map(|run| i128::from(run.cost.unwrap_or(0))).sum();
    // The tool adds binary fractions, which may be off by a little.
    let near = cost.is_none_or(|cost| (i128::from(cost.units()) - told_cost).abs() <= 1000);
    own == told && near
}
