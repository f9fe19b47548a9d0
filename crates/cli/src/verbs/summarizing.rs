//! Who writes a summary, for which model, in how large a window. Shared by `compact` and `goto`.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pitree_format::{JsString, Value};
use pitree_host::auth::ApiKey;
use pitree_host::live::{BySession, CompactionPolicy};
use pitree_host::models::{Model, Models, ThinkingLevel};
use pitree_host::settings::{Config, Settings};
use pitree_host::summarizer::{
    Api, ModelName, SummarizerChoice, SummarizerOptions, VARIABLES, select,
};
use pitree_session::context::ModelChoice;
use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};
use pitree_session::{Environment, Session};

use crate::error::{CommandError, Result};
use crate::option_values::at_least_one;
use crate::output::Output;
use crate::target::Workspace;

#[derive(Args, Debug, Default)]
pub(crate) struct SummarizerArgs {
    /// Use a shell command: it reads the prompt on standard input and prints the summary
    #[arg(long, value_name = "COMMAND", help_heading = "Summarizer",
        conflicts_with_all = ["summarizer_model", "summarizer_url"])]
    summarizer_command: Option<String>,

    /// Use a model: provider/id with Pi's keys, or an id at --summarizer-url
    #[arg(long, value_name = "MODEL", help_heading = "Summarizer")]
    summarizer_model: Option<String>,

    /// The URL of an endpoint, such as http://localhost:8080/v1
    #[arg(long, value_name = "URL", help_heading = "Summarizer")]
    summarizer_url: Option<String>,

    /// The API of the endpoint: `openai` (chat completions) or `anthropic`
    #[arg(long, value_name = "API", value_parser = parse_api, help_heading = "Summarizer")]
    summarizer_api: Option<Api>,

    /// The API key, or where to get it: `$NAME` for a variable, `!command` for a program's output
    #[arg(long, value_name = "KEY", help_heading = "Summarizer")]
    summarizer_key: Option<String>,

    /// Timeout for one summary, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = at_least_one::<u64>,
        help_heading = "Summarizer")]
    summarizer_timeout: Option<u64>,

    /// The model's context window in tokens, if pitree does not know it
    #[arg(long, value_name = "TOKENS", value_parser = at_least_one::<u64>)]
    context_window: Option<u64>,
}

fn parse_api(text: &str) -> Result<Api, String> {
    text.parse().map_err(|error: pitree_host::HostError| error.to_string())
}

/// What a summary has to do with, apart from the session.
pub(crate) struct SummaryContext {
    /// The model that the session would go on with.
    pub(crate) model: Option<ModelName>,
    pub(crate) settings: Settings,
    /// The context window of the session's model, if it is known.
    pub(crate) context_window: Option<u64>,
    /// How much the session's model thinks; a summary is made with the same, as in Pi.
    thinking_level: Option<ThinkingLevel>,
}

impl SummarizerArgs {
    /// Reads the settings and looks up the session's model. What is wrong with files that only
    /// have a say in it is told to `remark`.
    pub(crate) fn summary_context(
        &self,
        session: &Session,
        workspace: &Workspace,
        mut remark: impl FnMut(&str) -> Result<()>,
    ) -> Result<SummaryContext> {
        let around = summary_context(session, self.context_window, &workspace.environment)?;
        if let Some(problem) = around.settings.problem() {
            remark(problem)?;
        }
        Ok(around)
    }

    /// The context window of the model that writes.
    pub(crate) fn window_of_writer(
        &self,
        around: &SummaryContext,
        workspace: &Workspace,
    ) -> Result<Option<u64>> {
        let named = self.summarizer_model.as_deref().and_then(|name| name.split_once('/'));
        match named {
            Some((provider, id)) if self.context_window.is_none() => {
                known_window(&ModelName::new(provider, id), &workspace.environment)
            }
            _ => Ok(around.context_window),
        }
    }

    /// What the user says about the summarizer.
    pub(crate) fn options(&self) -> SummarizerOptions {
        SummarizerOptions {
            command: self.summarizer_command.clone(),
            url: self.summarizer_url.clone(),
            api: self.summarizer_api,
            model: self.summarizer_model.clone(),
            key: self.summarizer_key.clone().map(ApiKey::new),
            time_limit: self.summarizer_timeout.map(Duration::from_secs),
            thinking_level: None,
        }
    }

    /// Decides who writes, or says how to name somebody. People are told who it is.
    pub(crate) fn choose(
        &self,
        around: &SummaryContext,
        workspace: &Workspace,
        output: &mut Output,
    ) -> Result<Box<dyn Summarizer>> {
        // Before anything fails: a misspelled key may be the reason.
        warn_of_unknown_keys(workspace, output)?;
        let options = SummarizerOptions { thinking_level: around.thinking_level, ..self.options() };
        let choice = select(&options, &workspace.environment, around.model.as_ref())?;
        let choice = choice.ok_or_else(nobody_is_named)?.with_notice(say_while_waiting);
        if output.is_terminal() {
            output.remark(&format!("{choice} writes the summary; Ctrl+C stops it"))?;
        }
        Ok(SummarizerChoice::into_summarizer(choice))
    }
}

/// The settings, and the model of a session with what is known about it.
fn summary_context(
    session: &Session,
    context_window: Option<u64>,
    environment: &Environment,
) -> Result<SummaryContext> {
    // The working directory that the session names is not trusted; where the user stands is.
    let settings = Settings::load(environment, environment.cwd())?;
    let restored = session.restored()?;
    let thinking_level =
        text_of(restored.thinking_level.as_ref()).and_then(|level| level.parse().ok());
    let model = model_name(restored.model.as_ref());
    let context_window = match (context_window, &model) {
        (Some(window), _) => Some(window),
        (None, Some(model)) => known_window(model, environment)?,
        (None, None) => None,
    };
    Ok(SummaryContext { model, settings, context_window, thinking_level })
}

/// Who writes the summaries of whatever session is at hand, by its own model, and when it is
/// compacted. Keys are looked up when the first summary is wanted: only then may one cost a
/// command, or a question to the user.
pub(crate) fn by_session(args: &SummarizerArgs, workspace: &Workspace) -> Arc<BySession> {
    let (options, window) = (args.options(), args.context_window);
    let environment = workspace.environment.clone();
    Arc::new(move |session: &Session| {
        // What is wrong with a file is told when a summary is wanted.
        let Ok(around) = summary_context(session, window, &environment) else {
            return (None, CompactionPolicy::default());
        };
        let settings = around.settings.compaction(around.model.as_ref()).unwrap_or_default();
        let policy = CompactionPolicy { settings, context_window: around.context_window };
        let is_named = options.command.is_some()
            || options.url.is_some()
            || options.model.is_some()
            || around.model.is_some()
            || VARIABLES.iter().any(|(name, _)| environment.var(name).is_some())
            || Config::load(&environment).is_ok_and(|it| it.get("summarizer").is_some())
            || around.settings.default_model().is_ok_and(|model| model.is_some());
        let summarizer = is_named.then(|| {
            let thinking_level = around.thinking_level;
            let options = SummarizerOptions { thinking_level, ..options.clone() };
            let environment = environment.clone();
            Arc::new(OnDemand { environment, options, model: around.model.clone() })
                as Arc<dyn Summarizer>
        });
        (summarizer, policy)
    })
}

/// Tells the user of members of pitree's own settings that mean nothing.
pub(crate) fn warn_of_unknown_keys(workspace: &Workspace, output: &mut Output) -> Result<()> {
    let warnings = Config::load(&workspace.environment)?.warnings();
    warnings.iter().try_for_each(|warning| output.remark(&format!("warning: {warning}")))
}

/// Another thread waits, and people wonder why. Nobody may be there to read it any more.
fn say_while_waiting(words: &str) {
    crate::output::say(&format!("{}\n", crate::text::clean_line(words)));
}

struct OnDemand {
    environment: Environment,
    options: SummarizerOptions,
    model: Option<ModelName>,
}

impl Summarizer for OnDemand {
    fn summarize(
        &self,
        request: &SummaryRequest,
        cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        let failed = |problem: String| SummaryError::Failed(problem);
        let choice = select(&self.options, &self.environment, self.model.as_ref())
            .map_err(|error| failed(error.to_string()))?
            .ok_or_else(|| failed("no summarizer is configured".to_owned()))?;
        choice.into_summarizer().summarize(request, cancel)
    }
}

fn nobody_is_named() -> CommandError {
    CommandError::Usage {
        message: "no summarizer is configured".to_owned(),
        hint: Some(
            "give `--summarizer-command COMMAND`, or `--summarizer-model PROVIDER/ID`, or \
             `--summarizer-url URL` with `--summarizer-model ID`"
                .to_owned(),
        ),
    }
}

fn model_name(model: Option<&ModelChoice>) -> Option<ModelName> {
    let provider = text_of(model?.provider.as_ref())?;
    Some(ModelName::new(provider, text_of(model?.model_id.as_ref())?))
}

fn text_of(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_string).map(JsString::to_string)
}

fn known_window(model: &ModelName, environment: &Environment) -> Result<Option<u64>> {
    let models = Models::load(environment)?;
    let known = models.find(&model.provider, &model.id).map(Model::context_window);
    Ok(known.filter(|window| *window >= 1.0).map(|window| window as u64))
}
