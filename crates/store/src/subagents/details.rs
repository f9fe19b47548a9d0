//! The `details` of a tool result that sent out sub-agents.

use pitree_format::usage::Usage;
use pitree_format::{JsString, Object, Value};

/// The `details` of a tool result that sent out sub-agents.
#[derive(Clone, Debug)]
pub struct SubagentCall {
    /// `single`, `parallel` or `chain`.
    pub mode: Option<JsString>,
    /// One for each agent that ran.
    pub runs: Vec<SubagentRun>,
    /// The files that were kept of all runs.
    pub artifacts: Option<Artifacts>,
    /// Members that nobody here knows.
    pub others: Object,
}

/// What one agent did: an element of `details.results`.
#[derive(Clone, Debug)]
pub struct SubagentRun {
    /// The agent's name.
    pub agent: JsString,
    /// What it was told to do.
    pub task: Option<JsString>,
    /// How its process ended; 0 is success.
    pub exit_code: Option<f64>,
    /// The conversation, if it is kept here.
    pub messages: Vec<Value>,
    /// The model, without the thinking level.
    pub model: Option<JsString>,
    /// The thinking level that was written behind the model.
    pub thinking_level: Option<JsString>,
    /// Tokens, cost and turns.
    pub usage: Option<RunUsage>,
    /// Tool calls, tokens and time.
    pub progress_summary: Option<ProgressSummary>,
    /// The state of the run when it was written.
    pub progress: Option<Value>,
    /// The names of the skills it had.
    pub skills: Vec<JsString>,
    /// Its own session file.
    pub session_file: Option<JsString>,
    /// The files that were kept of it.
    pub artifact_paths: Option<ArtifactPaths>,
    /// Members that nobody here knows, and known ones of an unknown form.
    pub others: Object,
}

/// The `usage` of a run.
#[derive(Clone, Debug)]
pub struct RunUsage {
    /// Tokens and cost.
    pub usage: Usage,
    /// How often the model was called.
    pub turns: Option<f64>,
}

/// The `progressSummary` of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressSummary {
    /// How many tools were called.
    pub tool_count: Option<f64>,
    /// How many tokens were used.
    pub tokens: Option<f64>,
    /// How long it took.
    pub duration_ms: Option<f64>,
}

/// The files that were kept of a run.
#[derive(Clone, Debug, Default)]
pub struct ArtifactPaths {
    /// `_input.md`: what the agent was told.
    pub input: Option<JsString>,
    /// `_output.md`: what it answered.
    pub output: Option<JsString>,
    /// `.jsonl`: its conversation.
    pub jsonl: Option<JsString>,
    /// `_metadata.json`: how it ran.
    pub metadata: Option<JsString>,
    /// Members that nobody here knows.
    pub others: Object,
}

/// The `artifacts` of a call.
#[derive(Clone, Debug)]
pub struct Artifacts {
    /// The folder in which they lie.
    pub directory: Option<JsString>,
    /// The files of each run.
    pub files: Vec<ArtifactPaths>,
    /// Members that nobody here knows.
    pub others: Object,
}

impl SubagentCall {
    /// Reads `details`. It is a sub-agent's only if it has `results` and each of them names an
    /// agent: other tools keep lists of results too.
    pub fn decode(details: &Value) -> Option<Self> {
        let mut rest = details.as_object()?.clone();
        let runs: Option<Vec<SubagentRun>> =
            rest.get("results")?.as_array()?.iter().map(SubagentRun::decode).collect();
        let runs = runs.filter(|runs| !runs.is_empty())?;
        rest.remove("results");
        let artifacts = rest.get("artifacts").and_then(Artifacts::decode);
        if artifacts.is_some() {
            rest.remove("artifacts");
        }
        Some(Self { mode: take_string(&mut rest, "mode"), runs, artifacts, others: rest })
    }
}

impl SubagentRun {
    fn decode(value: &Value) -> Option<Self> {
        let mut rest = value.as_object()?.clone();
        let agent = take_string(&mut rest, "agent")?;
        let (model, thinking_level) = match take_string(&mut rest, "model") {
            Some(model) => {
                let (model, level) = split_model(&model);
                (Some(model), level)
            }
            None => (None, None),
        };
        Some(Self {
            agent,
            task: take_string(&mut rest, "task"),
            exit_code: take(&mut rest, "exitCode", Value::as_number),
            messages: take(&mut rest, "messages", |value| value.as_array().map(<[Value]>::to_vec))
                .unwrap_or_default(),
            model,
            thinking_level,
            usage: take(&mut rest, "usage", RunUsage::decode),
            progress_summary: take(&mut rest, "progressSummary", ProgressSummary::decode),
            progress: rest.remove("progress"),
            skills: take(&mut rest, "skills", strings).unwrap_or_default(),
            session_file: take_string(&mut rest, "sessionFile"),
            artifact_paths: take(&mut rest, "artifactPaths", ArtifactPaths::decode),
            others: rest,
        })
    }
}

impl RunUsage {
    fn decode(value: &Value) -> Option<Self> {
        Some(Self { usage: Usage::decode(value)?, turns: value.get_number("turns") })
    }
}

impl ProgressSummary {
    fn decode(value: &Value) -> Option<Self> {
        value.as_object()?;
        Some(Self {
            tool_count: value.get_number("toolCount"),
            tokens: value.get_number("tokens"),
            duration_ms: value.get_number("durationMs"),
        })
    }
}

impl ArtifactPaths {
    fn decode(value: &Value) -> Option<Self> {
        let mut rest = value.as_object()?.clone();
        Some(Self {
            input: take_string(&mut rest, "inputPath"),
            output: take_string(&mut rest, "outputPath"),
            jsonl: take_string(&mut rest, "jsonlPath"),
            metadata: take_string(&mut rest, "metadataPath"),
            others: rest,
        })
    }

    /// The four paths by the names that the file gives them.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &JsString)> {
        let all = [
            ("inputPath", &self.input),
            ("outputPath", &self.output),
            ("jsonlPath", &self.jsonl),
            ("metadataPath", &self.metadata),
        ];
        all.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?)))
    }
}

impl Artifacts {
    fn decode(value: &Value) -> Option<Self> {
        let mut rest = value.as_object()?.clone();
        let files = take(&mut rest, "files", |files| {
            files.as_array()?.iter().map(ArtifactPaths::decode).collect::<Option<Vec<_>>>()
        });
        Some(Self {
            directory: take_string(&mut rest, "dir"),
            files: files.unwrap_or_default(),
            others: rest,
        })
    }
}

/// Takes a member out if it can be read; otherwise it stays.
fn take<T>(object: &mut Object, name: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
    let value = object.get(name).and_then(read);
    if value.is_some() {
        object.remove(name);
    }
    value
}

fn take_string(object: &mut Object, name: &str) -> Option<JsString> {
    take(object, name, |value| value.as_string().cloned())
}

fn strings(value: &Value) -> Option<Vec<JsString>> {
    value.as_array()?.iter().map(|item| item.as_string().cloned()).collect()
}

/// `claude-sonnet-4-6:minimal`: a model and a thinking level. Other colons belong to the model.
pub fn split_model(model: &JsString) -> (JsString, Option<JsString>) {
    const LEVELS: [&str; 7] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
    match model.as_str().and_then(|text| text.rsplit_once(':')) {
        Some((model, level)) if LEVELS.contains(&level) => (model.into(), Some(level.into())),
        _ => (model.clone(), None),
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::parse;

    use super::*;

    #[test]
    fn only_thinking_levels_are_split_off() {
        let split = |model: &str| {
            let (model, level) = split_model(&model.into());
            (model.to_string(), level.map(|level| level.to_string()))
        };
        assert_eq!(split("claude:minimal"), ("claude".into(), Some("minimal".into())));
        assert_eq!(split("llama3:8b"), ("llama3:8b".into(), None));
        assert_eq!(split("m"), ("m".into(), None));
    }

    #[test]
    fn other_lists_of_results_are_no_subagents() {
        for details in [
            r#"{"results":[]}"#,
            r#"{"results":[{"url":"x"}]}"#,
            r#"{"results":[{"agent":"a"},{"url":"x"}]}"#,
            r#"{"results":[{"agent":7}]}"#,
            r#"{"results":"x"}"#,
            r#"{"mode":"single"}"#,
            "[]",
        ] {
            let value = parse(details.as_bytes()).unwrap();
            assert!(SubagentCall::decode(&value).is_none(), "{details}");
        }
    }

    #[test]
    fn what_has_an_unknown_form_is_kept() {
        let details =
            br#"{"results":[{"agent":"a","usage":7,"exitCode":"x","new":1}],"scope":"user"}"#;
        let call = SubagentCall::decode(&parse(details).unwrap()).unwrap();
        let run = &call.runs[0];
        assert!(run.usage.is_none() && run.exit_code.is_none());
        assert_eq!(run.others.len(), 3);
        assert_eq!(call.others.len(), 1);
    }
}
