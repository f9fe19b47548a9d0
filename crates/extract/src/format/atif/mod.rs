//! Harbor's trajectories, ATIF version 1.8: one file for each sample.
//!
//! ```text
//! Trajectory  schema_version, session_id, trajectory_id, agent, steps, notes, final_metrics,
//!             subagent_trajectories, extra
//! Step        step_id, timestamp, source (system, user or agent), message; of an agent also
//!             model_name, reasoning_effort, reasoning_content, tool_calls, observation, metrics,
//!             llm_call_count; is_copied_context for what is not to be learned; extra
//! ```
//!
//! The results of a reply's calls stand in its own step. A sub-agent is a trajectory inside that
//! of its parent, to which the result of the call refers. `final_metrics` is about the whole file:
//! what was spent on other branches and on summaries too.

mod images;
mod steps;
mod totals;
mod trailing;

use pitree_format::js::stringify;
use pitree_format::{Object, Value};
use pitree_sample::{About, ChatMessage, Sample, SubagentRun};

use crate::error::ExtractError;
use crate::format::conversation::tools;
use crate::format::json::is_deep;
use crate::format::lora_forge::{context_altered, request_notes};
use crate::format::{FormatName, FormatOptions, SessionFormat};
use crate::output::{Output, Target, short_id};
use crate::quality::tool_output::{is_long, shorten};
use crate::reason::DropReason;
use crate::task::SessionTask;
use images::Images;
use steps::Steps;
use totals::UsageTotals;
use trailing::trailing_results;

const VERSION: &str = "ATIF-v1.8";

/// Sessions do not say which Pi wrote them.
const AGENT_VERSION: &str = "unknown";

/// Sub-agents of sub-agents are looked for so deep.
const MOST_DEPTH: usize = 16;

const NOTES: &str = "final_metrics counts every usage that the session file records, on all \
                     branches and for summaries; steps marked is_copied_context are not to be \
                     learned";

/// The format, ready for a run.
pub(super) fn prepare(_: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Atif)
}

/// The form.
#[derive(Clone, Copy, Debug, Default)]
pub struct Atif;

impl SessionFormat for Atif {
    fn name(&self) -> FormatName {
        FormatName::Atif
    }

    fn session(&self, task: &SessionTask<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let totals = UsageTotals::of(task.session, task.about)?;
        task.samples(out, &mut |mut sample, out| {
            let context = task.options.form.samples.selection.context;
            for mut result in trailing_results(task.session, &sample, context)? {
                let limit = task.options.quality.tool_limit;
                if let Some(limit) = limit.filter(|limit| is_long(&result, *limit)) {
                    result = shorten(&result, limit, task.guard);
                }
                sample.messages.push(result);
                sample.trained.push(false);
            }
            if is_too_deep(&sample) {
                out.left_out(DropReason::TooDeep, sample.target_count());
                return Ok(());
            }
            let mut images = Images::of(&sample.id);
            let trajectory = stringify(&trajectory(&sample, &totals, &mut images).into());
            out.sample(task.facts(&sample));
            let name = format!("{}.json", short_id(&sample.id));
            out.piece(Target::File(&name), trajectory.as_bytes())?;
            for (name, bytes) in images.files() {
                out.piece(Target::File(name), bytes)?;
            }
            Ok(())
        })
    }
}

/// The trajectory of a sample.
fn trajectory(sample: &Sample, totals: &UsageTotals, images: &mut Images<'_>) -> Object {
    let about = &*sample.about;
    let mut children = Vec::new();
    let mut steps = Steps::default();
    for (message, trained) in sample.turns() {
        let runs = runs_of(message, about);
        let mut inside = Inside { parent: &sample.id, depth: MOST_DEPTH, children: &mut children };
        let references = inside.embed(message, runs, images);
        steps.add(message, trained, references, images);
    }
    let steps = steps.finish();
    let tools = sample.tools.as_ref().map(|tools| tools.iter().map(tool_definition).collect());
    let metrics = totals.metrics(steps.len());
    Object::new()
        .with("schema_version", VERSION)
        .with("session_id", about.session_id.as_str())
        .with("trajectory_id", sample.id.as_str())
        .with("agent", agent("pi", about, tools))
        .with("steps", steps)
        .with("notes", NOTES)
        .with("final_metrics", metrics)
        .with_some("subagent_trajectories", (!children.is_empty()).then_some(children))
        .with("extra", extra(sample))
}

/// The runs that the result of a call tells.
fn runs_of<'a>(message: &ChatMessage, about: &'a About) -> &'a [SubagentRun] {
    let runs = message.entry_id.as_ref().and_then(|id| about.subagents.get(id));
    runs.map(Vec::as_slice).unwrap_or_default()
}

/// The trajectories inside another one.
struct Inside<'a> {
    /// The id of the other one.
    parent: &'a str,
    /// How deep there may still be others inside these.
    depth: usize,
    children: &'a mut Vec<Value>,
}

impl Inside<'_> {
    /// Adds the trajectories of runs, and gives the references to them.
    fn embed(
        &mut self,
        message: &ChatMessage,
        runs: &[SubagentRun],
        images: &mut Images<'_>,
    ) -> Vec<Value> {
        let entry = message.entry_id.as_deref().unwrap_or_default();
        let mut references = Vec::new();
        for (number, run) in runs.iter().enumerate() {
            let id = format!("{}/{entry}/{number}", self.parent);
            let Some(child) = run_trajectory(run, &id, self.depth, images) else { continue };
            self.children.push(child.into());
            let extra = Object::new()
                .with("agent", run.agent.as_str())
                .with_some("exit_code", run.exit_code)
                .with_some("source", run.source);
            let reference = Object::new()
                .with("trajectory_id", id)
                .with_some("session_id", session_id(&run.about))
                .with("extra", extra);
            references.push(reference.into());
        }
        references
    }
}

/// The trajectory of a sub-agent's run; none if nothing is left of it. Its replies are learned
/// from its own session, if that is in the data, and not here.
fn run_trajectory(
    run: &SubagentRun,
    id: &str,
    depth: usize,
    images: &mut Images<'_>,
) -> Option<Object> {
    let depth = depth.checked_sub(1)?;
    let mut children = Vec::new();
    let mut steps = Steps::default();
    for message in &run.messages {
        let mut inside = Inside { parent: id, depth, children: &mut children };
        let references = inside.embed(message, runs_of(message, &run.about), images);
        steps.add(message, false, references, images);
    }
    let mut steps = steps.finish();
    if steps.is_empty() {
        steps.push(Steps::only_task(run.task.as_deref()?));
    }
    Some(
        Object::new()
            .with("schema_version", VERSION)
            .with_some("session_id", session_id(&run.about))
            .with("trajectory_id", id)
            .with("agent", agent(&run.agent, &run.about, None))
            .with("steps", steps)
            .with_some("final_metrics", run.usage.as_ref().map(totals::of_run))
            .with_some("subagent_trajectories", (!children.is_empty()).then_some(children))
            .with("extra", Object::new().with_some("task", run.task.as_deref())),
    )
}

/// The id of a session, if it is known.
fn session_id(about: &About) -> Option<&str> {
    Some(about.session_id.as_str()).filter(|id| !id.is_empty())
}

/// Whether something nests so deeply that readers refuse it.
fn is_too_deep(sample: &Sample) -> bool {
    let is_deep_call =
        |message: &ChatMessage| message.tool_calls.iter().any(|call| is_deep(&call.arguments));
    tools(sample).iter().any(is_deep)
        || sample.messages.iter().any(|message| {
            is_deep_call(message)
                || runs_of(message, &sample.about)
                    .iter()
                    .any(|run| run.messages.iter().any(|message| is_deep_call(message)))
        })
}

fn agent(name: &str, about: &About, tools: Option<Vec<Value>>) -> Object {
    let role = about.role.as_ref();
    let extra = Object::new()
        .with_some("gt_role", role.map(|role| role.role.clone()))
        .with_some("gt_rig", role.and_then(|role| role.rig.clone()))
        .with_some("gt_name", role.and_then(|role| role.name.clone()))
        .with_some("role_source", role.map(|role| role.source))
        .with_some("role_confidence", role.map(|role| role.confidence))
        .with_some("role_conflict", role.map(|role| role.conflict))
        .with_some("thinking_level", about.thinking_level.clone());
    Object::new()
        .with("name", name)
        .with("version", AGENT_VERSION)
        .with_some("model_name", model_name(about.provider.as_deref(), about.model.as_deref()))
        .with_some("tool_definitions", tools)
        .with_some("extra", (!extra.is_empty()).then_some(extra))
}

/// A model with its provider, as Harbor writes it.
fn model_name(provider: Option<&str>, model: Option<&str>) -> Option<String> {
    match (provider, model) {
        (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
        (_, model) => model.map(str::to_owned),
    }
}

/// A tool as a session records it, in OpenAI's form.
fn tool_definition(tool: &Value) -> Value {
    Object::new().with("type", "function").with("function", tool.clone()).into()
}

fn extra(sample: &Sample) -> Object {
    let about = &*sample.about;
    Object::new()
        .with("leaf_id", sample.leaf_id.as_str())
        .with("segment", f64::from(sample.segment))
        .with("source_path", about.source_path.as_str())
        .with("cwd", about.cwd.as_str())
        .with_some("created_at", about.created_at.clone())
        .with_some("name", about.name.clone())
        .with("family_id", about.family_id.as_str())
        .with_some("parent_session_id", about.parent_session_id.clone())
        .with("is_subagent", about.is_subagent)
        .with_some("outcome", about.outcome.clone())
        .with("context_altered", context_altered(sample))
        .with_some("request_notes", request_notes(sample))
}
