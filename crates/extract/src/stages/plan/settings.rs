//! How a data set is made, as data that another machine can read.
//!
//! Everything that changes what is written is in it, and no secret: keys and known secrets are
//! told by the files and variables that hold them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_sample::request::RequestSettings;
use pitree_sample::{Context, Paths, Reasoning, SampleOptions, Selection, Unit};
use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use serde::{Deserialize, Serialize};

use super::redaction::Redaction;
use crate::error::ExtractError;
use crate::format::{FORMATS, FormatName};
use crate::guard::{Guard, Unguarded};
use crate::options::{ExtractOptions, FormatOptions, ToolText};
use crate::output::OutputLayout;
use crate::quality::{Dedupe, Noise, Quality, Tokenizer};
use crate::reason::FilteredBy;
use crate::report::LeftOut;
use crate::tables::Counted;

/// How a data set is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The name of the format.
    pub format: String,
    /// Which branches are taken.
    pub branches: String,
    /// Which context replies get.
    pub context: String,
    /// What makes one sample.
    pub unit: String,
    /// What becomes of thoughts.
    pub reasoning: String,
    /// Whether calls and results stand in the text, too.
    pub tool_text: String,
    /// What the sessions do not say of requests.
    pub requests: RequestSettings,
    /// Where the records of sub-agents may be read.
    pub locations: Vec<PlannedLocation>,
    /// The home directory that `~` in a session means.
    pub home: PathBuf,
    /// The folder in which sub-agents leave temporary files.
    pub temporary: String,
    /// What is done for the quality of the data.
    pub quality: PlannedQuality,
    /// Kinds of noise that are not trained.
    pub drop_noise: Vec<String>,
    /// How secrets are hidden; `None` if they are not.
    pub redaction: Option<Redaction>,
    /// Into which files the data is written.
    pub output: OutputLayout,
    /// The command, for the card.
    pub command: String,
    /// The most bytes that are written.
    pub max_output: Option<u64>,
    /// Files that were chosen and are no sessions.
    pub no_sessions: Vec<(PathBuf, LeftOut)>,
    /// How many sessions each filter has left out.
    pub skipped: BTreeMap<String, u64>,
    /// The hash of the file in the work folder that tells which usages count, if the format needs
    /// it.
    pub spend: Option<String>,
}

/// A place with sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedLocation {
    /// The folder.
    pub path: PathBuf,
    /// Whether the files lie directly in it.
    pub is_flat: bool,
}

/// What is done for the quality of the data; see [`Quality`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "they are those of `Quality`")]
pub struct PlannedQuality {
    pub dedupe: String,
    pub validation: Option<f64>,
    pub tool_limit: Option<usize>,
    pub mask_altered: bool,
    pub count_tokens: bool,
    pub tokenizer: Option<PlannedTokenizer>,
    pub max_tokens: Option<u64>,
    pub cap: Option<usize>,
}

/// A tokenizer in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTokenizer {
    /// The file.
    pub path: PathBuf,
    /// What the card calls it, the beginning of its hash included.
    pub name: String,
}

impl Settings {
    /// The settings of these options. The guard is told by `redaction`, which is `None` if nothing
    /// is hidden; a tokenizer by the file that it was read from.
    ///
    /// # Errors
    /// Fails if the options have a guard or a tokenizer that is not told.
    pub fn of(
        options: &ExtractOptions,
        format: FormatName,
        redaction: Option<Redaction>,
        tokenizer: Option<&Path>,
        environment: &Environment,
    ) -> Result<Self, ExtractError> {
        let told = redaction.as_ref().map(|redaction| redaction.fingerprint.clone());
        if told != options.guard.fingerprint().map(|it| blake3::Hash::from(it).to_hex().to_string())
        {
            let message = "The redaction of a plan is not that of its options";
            return Err(ExtractError::Plan(message.to_owned()));
        }
        let form = &options.form;
        let selection = &form.samples.selection;
        let name = |names: &BTreeMap<FilteredBy, u64>| {
            names.iter().map(|(by, count)| (by.name().to_owned(), *count)).collect()
        };
        let left_out = |(path, why): &(PathBuf, LeftOut)| {
            (options.mirrors.shown(path), options.mirrors.shown_why(path, why.clone()))
        };
        let is_dropped = |noise: &Noise| options.drop_noise.has(*noise);
        Ok(Self {
            format: format.name().to_owned(),
            branches: selection.paths.name().to_owned(),
            context: selection.context.name().to_owned(),
            unit: selection.unit.name().to_owned(),
            reasoning: form.reasoning.name().to_owned(),
            tool_text: form.tool_text.name().to_owned(),
            requests: form.samples.settings.clone(),
            locations: form.locations.iter().map(PlannedLocation::of).collect(),
            home: environment.home().to_owned(),
            temporary: temporary(environment).to_owned(),
            quality: PlannedQuality::of(&options.quality, tokenizer)?,
            drop_noise: Noise::ALL
                .iter()
                .filter(|it| is_dropped(it))
                .map(|it| it.name().to_owned())
                .collect(),
            redaction,
            output: options.output,
            // Somebody may have typed a secret.
            command: shown_command(options),
            max_output: options.max_output,
            no_sessions: options.no_sessions.iter().map(left_out).collect(),
            skipped: name(&options.skipped),
            spend: format.spec().needs_ledger.then(|| form.counted.hash()),
        })
    }

    /// The format.
    ///
    /// # Errors
    /// Fails if there is none of this name.
    pub fn format(&self) -> Result<FormatName, ExtractError> {
        let named = FORMATS.into_iter().find(|format| format.name() == self.format);
        named.ok_or_else(|| unknown("format", &self.format))
    }

    /// The options for one who works on the plan.
    pub(crate) fn options(
        &self,
        counted: Counted,
        environment: &Environment,
    ) -> Result<ExtractOptions, ExtractError> {
        let guard: Arc<dyn Guard> = match &self.redaction {
            Some(redaction) => redaction.guard(environment)?,
            None => Arc::new(Unguarded),
        };
        let selection = Selection {
            paths: named("branches", &self.branches, Paths::from_name)?,
            context: named("context", &self.context, Context::from_name)?,
            unit: named("unit", &self.unit, Unit::from_name)?,
        };
        let noise = |name: &String| named("noise", name, Noise::from_name);
        let filter = |(name, count): (&String, &u64)| {
            Ok::<_, ExtractError>((named("filter", name, FilteredBy::from_name)?, *count))
        };
        Ok(ExtractOptions {
            form: FormatOptions {
                samples: SampleOptions { selection, settings: self.requests.clone() },
                reasoning: named("reasoning", &self.reasoning, Reasoning::from_name)?,
                tool_text: named("tool text", &self.tool_text, ToolText::from_name)?,
                locations: self.locations.iter().map(PlannedLocation::to_location).collect(),
                counted: Arc::new(counted),
            },
            quality: self.quality.to_quality()?,
            output: self.output,
            command: self.command.clone(),
            no_sessions: self.no_sessions.clone(),
            skipped: self.skipped.iter().map(filter).collect::<Result<_, _>>()?,
            drop_noise: self.drop_noise.iter().map(noise).collect::<Result<_, _>>()?,
            max_output: self.max_output,
            ..ExtractOptions::new(guard, temporary(environment).into())
        })
    }

    /// The environment in which sessions are read: what they say of the home directory and of
    /// temporary files means the same everywhere.
    pub(crate) fn environment(&self, own: &Environment) -> Environment {
        own.clone().with_home(&self.home).with_var("TMPDIR", &self.temporary)
    }
}

fn shown_command(options: &ExtractOptions) -> String {
    let command = &options.command;
    options.guard.redact_text(command).unwrap_or_else(|| command.clone())
}

/// Where temporary files are.
fn temporary(environment: &Environment) -> &str {
    environment.var("TMPDIR").unwrap_or("/tmp")
}

fn named<T>(
    what: &str,
    name: &str,
    from_name: impl FnOnce(&str) -> Option<T>,
) -> Result<T, ExtractError> {
    from_name(name).ok_or_else(|| unknown(what, name))
}

fn unknown(what: &str, name: &str) -> ExtractError {
    ExtractError::Plan(format!("The plan names a {what} that does not exist: {name:?}"))
}

impl PlannedLocation {
    fn of(location: &Location) -> Self {
        Self { path: location.path.clone(), is_flat: location.layout == Layout::Flat }
    }

    fn to_location(&self) -> Location {
        let layout = if self.is_flat { Layout::Flat } else { Layout::PerDirectory };
        // Nobody asks any more what named it.
        Location { path: self.path.clone(), layout, origin: Origin::SessionDirFlag }
    }
}

impl PlannedQuality {
    fn of(quality: &Quality, tokenizer: Option<&Path>) -> Result<Self, ExtractError> {
        let tokenizer = match (&quality.tokenizer, tokenizer) {
            (None, _) => None,
            (Some(tokenizer), Some(path)) => {
                Some(PlannedTokenizer { path: path.to_owned(), name: tokenizer.name().to_owned() })
            }
            (Some(_), None) => {
                let message = "A plan with a tokenizer names the file of it";
                return Err(ExtractError::Plan(message.to_owned()));
            }
        };
        Ok(Self {
            dedupe: quality.dedupe.name().to_owned(),
            validation: quality.validation,
            tool_limit: quality.tool_limit,
            mask_altered: quality.mask_altered,
            count_tokens: quality.count_tokens,
            tokenizer,
            max_tokens: quality.max_tokens,
            cap: quality.cap,
        })
    }

    fn to_quality(&self) -> Result<Quality, ExtractError> {
        let read = |planned: &PlannedTokenizer| {
            let tokenizer = Tokenizer::read(&planned.path)?;
            match tokenizer.name() == planned.name {
                true => Ok(Arc::new(tokenizer)),
                false => Err(ExtractError::Plan(format!(
                    "{} is not the tokenizer of the plan, which is {}; plan again",
                    planned.path.display(),
                    planned.name
                ))),
            }
        };
        Ok(Quality {
            dedupe: named("way to treat duplicates", &self.dedupe, Dedupe::from_name)?,
            validation: self.validation,
            tool_limit: self.tool_limit,
            mask_altered: self.mask_altered,
            count_tokens: self.count_tokens,
            tokenizer: self.tokenizer.as_ref().map(read).transpose()?,
            max_tokens: self.max_tokens,
            cap: self.cap,
        })
    }
}
