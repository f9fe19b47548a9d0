//! A run as text, and as JSON.

use std::path::PathBuf;

use pitree_format::{JsString, Object, Value};
use pitree_store::subagents::{ArtifactPaths, PlaceState, ProgressSummary, RunPlace, RunUsage};

use super::Found;
use crate::error::Result;
use crate::output::{Output, Style};
use crate::text::clean_line;
use crate::verbs::show::plain;

/// How much of a task is shown.
const TASK_WIDTH: usize = 90;

impl Found<'_> {
    pub(super) fn print(&self, output: &mut Output) -> Result<()> {
        let run = self.run;
        let exit = match run.exit_code {
            Some(0.0) => "done".to_owned(),
            Some(code) => format!("exit code {}", plain::number(code)),
            None => "exit code unknown".to_owned(),
        };
        let mode = plain::name(self.call.details.mode.as_ref());
        let branch = if self.active { "" } else { "  on another branch" };
        let failed = if self.call.is_error { "  tool failed" } else { "" };
        let agent = plain::name(Some(&run.agent));
        let head = output.paint(Style::Bold, &format!("{}. {agent}", self.number));
        let time = plain::minute(self.call.entry.time());
        let entry = clean_line(self.call.entry.id());
        let rest = format!("{mode}  {exit}{failed}{branch}  {time}  {entry}");
        output.line(&format!("{head}  {}", output.paint(Style::Dim, &rest)))?;
        if let Some(task) = &run.task {
            let task = clean_line(&plain::first_words(&task.to_text(), TASK_WIDTH));
            output.line(&format!("   task: {task}"))?;
        }
        output.line(&format!("   {}", self.spent()))?;
        if !run.skills.is_empty() {
            let skills: Vec<String> = run.skills.iter().map(|s| plain::name(Some(s))).collect();
            output.line(&format!("   skills: {}", skills.join(", ")))?;
        }
        if let Some(status) = run.progress.as_ref().and_then(|p| p.get_string("status")) {
            output.line(&format!("   status: {}", plain::name(Some(status))))?;
        }
        self.print_places(output)
    }

    /// Model, cost and work on one line.
    fn spent(&self) -> String {
        let run = self.run;
        let mut parts = vec![format!("model: {}", plain::name(run.model.as_ref()))];
        parts.extend(run.thinking_level.as_ref().map(|level| format!("thinking {level}")));
        match run.usage.as_ref().and_then(|used| used.usage.counted_cost()) {
            Some(cost) => parts.push(format!("cost {}", plain::dollars(cost))),
            None => parts.push("cost unknown".to_owned()),
        }
        if let Some(used) = &run.usage {
            parts.push(format!("{} tokens", plain::counted(used.usage.counted().iter().sum())));
            parts.extend(used.turns.map(|turns| format!("{} turns", plain::counted(turns))));
        }
        if let Some(summary) = run.progress_summary {
            parts.extend(summary.tool_count.map(|n| format!("{} tool calls", plain::counted(n))));
            parts.extend(summary.duration_ms.map(plain::duration));
        }
        clean_line(&parts.join(", "))
    }

    fn print_places(&self, output: &mut Output) -> Result<()> {
        let used = self.resolution.used();
        if self.resolution.places.is_empty() {
            return output.line("   no record of it is named");
        }
        for place in &self.resolution.places {
            let is_used = used == Some(place);
            let what = format!("   {}: {}", place.kind.name(), state_text(place, is_used));
            let path = place.path.as_ref().map(|path| format!("  {}", path.display()));
            let line = clean_line(&(what + &path.unwrap_or_default()));
            let style = match place.state {
                PlaceState::Refused(_) => Style::Warning,
                PlaceState::There(_) if is_used => Style::Active,
                _ => Style::Dim,
            };
            output.line(&output.paint(style, &line))?;
        }
        Ok(())
    }

    /// All that is known of a run. Messages stand in the conversation.
    pub(super) fn to_object(&self) -> Object {
        let (call, run) = (self.call, self.run);
        let used = self.resolution.used();
        let places: Vec<Value> = self
            .resolution
            .places
            .iter()
            .map(|place| place_value(place, used == Some(place)))
            .collect();
        let details = &call.details;
        Object::new()
            .with("number", self.number)
            .with("entryId", call.entry.id())
            .with("timestamp", plain::iso(call.entry.time()))
            .with("active", self.active)
            .with("toolName", call.tool_name.clone())
            .with("toolCallId", call.tool_call_id.clone())
            .with("isError", call.is_error)
            .with("mode", details.mode.clone())
            .with("index", self.at)
            .with("agent", run.agent.clone())
            .with("task", run.task.clone())
            .with("exitCode", run.exit_code)
            .with("messageCount", run.messages.len())
            .with("model", run.model.clone())
            .with("thinkingLevel", run.thinking_level.clone())
            .with("usage", run.usage.as_ref().map(usage_value))
            .with("progressSummary", run.progress_summary.map(summary_value))
            .with("progress", run.progress.clone())
            .with("skills", strings(&run.skills))
            .with("sessionFile", run.session_file.clone())
            .with("artifactPaths", run.artifact_paths.as_ref().map(paths_value))
            .with("artifacts", self.artifacts_value())
            .with("places", places)
            .with("used", used.map(|place| place.kind.name()))
            .with_some("otherMembers", some_object(&run.others))
            .with_some("otherDetails", some_object(&details.others))
    }

    fn artifacts_value(&self) -> Option<Object> {
        let artifacts = self.call.details.artifacts.as_ref()?;
        let files: Vec<Value> =
            artifacts.files.iter().map(|file| paths_value(file).into()).collect();
        let object = Object::new().with("dir", artifacts.directory.clone()).with("files", files);
        Some(object.with_some("otherMembers", some_object(&artifacts.others)))
    }
}

fn some_object(object: &Object) -> Option<Object> {
    Some(object.clone()).filter(|object| !object.is_empty())
}

fn strings(list: &[JsString]) -> Vec<Value> {
    list.iter().map(|text| text.clone().into()).collect()
}

fn usage_value(used: &RunUsage) -> Object {
    let usage = &used.usage;
    Object::new()
        .with("input", usage.input)
        .with("output", usage.output)
        .with("cacheRead", usage.cache_read)
        .with("cacheWrite", usage.cache_write)
        .with("cost", usage.counted_cost())
        .with("turns", used.turns)
}

fn summary_value(summary: ProgressSummary) -> Object {
    Object::new()
        .with("toolCount", summary.tool_count)
        .with("tokens", summary.tokens)
        .with("durationMs", summary.duration_ms)
}

fn paths_value(paths: &ArtifactPaths) -> Object {
    let mut object = Object::new();
    for (name, path) in paths.named() {
        object.set(name, path.clone().into());
    }
    object.with_some("otherMembers", some_object(&paths.others))
}

fn place_value(place: &RunPlace, is_used: bool) -> Value {
    let (state, reason) = match &place.state {
        PlaceState::There(_) => ("there", None),
        PlaceState::Gone => ("gone", None),
        PlaceState::Refused(refused) => ("refused", Some(refused.to_string())),
        PlaceState::Unusable(reason) => ("unusable", Some(reason.clone())),
    };
    let path = place.path.as_ref().map(|path: &PathBuf| path.to_string_lossy().into_owned());
    Object::new()
        .with("place", place.kind.name())
        .with("path", path)
        .with("state", state)
        .with_some("reason", reason)
        .with("used", is_used)
        .into()
}

fn state_text(place: &RunPlace, is_used: bool) -> String {
    match &place.state {
        PlaceState::There(_) if is_used => "read from here".to_owned(),
        PlaceState::There(_) => "there, but not used".to_owned(),
        PlaceState::Gone => "gone".to_owned(),
        PlaceState::Refused(refused) => format!("refused: {refused}"),
        PlaceState::Unusable(reason) => format!("unusable: {reason}"),
    }
}
