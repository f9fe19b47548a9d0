//! `pitree extract`: many sessions as training data.

mod args;
mod guard;
mod relatives;
mod sources;

use std::path::Path;
use std::sync::Arc;

use pitree_extract::request::{CacheRetention, RequestSettings};
use pitree_extract::tables::Counted;
use pitree_extract::{
    Context, ExtractError, ExtractOptions, FormatName, FormatOptions, LeftOut, Quality, Report,
    Selection, Unit, run as extract, run_to,
};
use pitree_format::Object;
use pitree_host::models::{Model, Models};
use pitree_host::settings::Settings;
use pitree_session::{Environment, paths};

use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::progress;
use crate::target::Place;
use crate::text::clean_line;
use crate::verbs::export::Standard;

pub(crate) use args::ExtractArgs;

pub(crate) fn run(
    args: &ExtractArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let outcomes = sources::outcomes(args, place)?;
    let sources = sources::chosen(args, place, &outcomes, output)?;
    for remark in outcomes.remarks(sources.iter().map(|source| &*source.about.session_id)) {
        output.remark(&remark)?;
    }
    if sources.is_empty() {
        output.remark("no session was chosen")?;
        return Ok(Exit::Nothing);
    }
    let format = args.format.0;
    if is_output(args) && !format.is_lines() {
        let message = format!("{format} is not lines but files: name a folder by --out");
        return Err(CommandError::usage(message));
    }
    let options = options(args, place, output)?;
    let Some(form) = format.prepare(&options.form) else {
        return Err(CommandError::usage(format!("the form {format} is not built in")));
    };
    let report = if is_output(args) {
        run_to(&sources, &*form, &options, &mut Standard(output), &place.environment)?
    } else {
        let out = paths::resolve(&args.out, &place.environment);
        let report = extract(&sources, &*form, &options, &out, &place.environment)?;
        print(&report, &out, output)?;
        report
    };
    remark_odd(&report, output)?;
    Ok(if report.has_leaks() { Exit::BadData } else { Exit::Ok })
}

/// Whether the lines are printed instead of written to a folder.
fn is_output(args: &ExtractArgs) -> bool {
    args.out == Path::new("-")
}

fn options(
    args: &ExtractArgs,
    place: &Place,
    output: &mut Output,
) -> Result<ExtractOptions, CommandError> {
    let quality = &args.quality;
    let quality = Quality {
        dedupe: quality.dedupe.into(),
        validation: quality.split,
        tool_limit: (args.text.tool_limit > 0).then_some(args.text.tool_limit),
        count_tokens: quality.count_tokens || quality.max_tokens.is_some(),
        max_tokens: quality.max_tokens,
        cap: quality.cap,
    };
    let cache = (!place.without_index)
        .then(|| pitree_store::cache::cache_directory(&place.environment).join("extract"));
    Ok(ExtractOptions {
        form: format_options(args, place)?,
        quality,
        guard: guard::of(args, place, output)?,
        jobs: args.jobs.map_or_else(available_jobs, usize::from),
        cache,
        temporary: std::env::temp_dir(),
        progress: progress::bar().map(|bar| bar as _),
        command: command_line(),
    })
}

/// The command as it was typed, for the card.
fn command_line() -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let quoted = |word: String| match word.chars().all(is_plain) && !word.is_empty() {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("pitree".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

fn available_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the session files do not say of requests: the user's models and settings of today.
fn request_settings(environment: &Environment) -> Result<RequestSettings, CommandError> {
    let models = Models::load(environment)?;
    let mut settings = RequestSettings::new(models.all().iter().map(Model::to_value));
    settings.block_images = Settings::load(environment, environment.cwd())?.block_images()?;
    if environment.var("PI_CACHE_RETENTION") == Some("long") {
        settings.cache_retention = CacheRetention::Long;
    }
    Ok(settings)
}

fn format_options(args: &ExtractArgs, place: &Place) -> Result<FormatOptions, CommandError> {
    let format = args.format.0;
    // lora_forge has no way to say that a reply is there for context only, and a compacted
    // conversation repeats replies.
    let usual = match format {
        FormatName::LoraForge => Context::Raw,
        _ => Context::AsSent,
    };
    let selection = Selection {
        paths: args.text.paths.into(),
        context: args.text.context.map_or(usual, Context::from),
        unit: args.text.unit.into(),
    };
    let settings = match selection.unit {
        Unit::Request => request_settings(&place.environment)?,
        Unit::Path | Unit::Turn => RequestSettings::default(),
    };
    let counted = match format {
        FormatName::Parquet => Counted::new(&place.store().ledger(), args.is_whole_store()),
        _ => Counted::default(),
    };
    Ok(FormatOptions {
        selection,
        reasoning: args.text.reasoning.into(),
        settings,
        tool_text: args.text.tool_text.into(),
        locations: place.locations.clone(),
        counted: Arc::new(counted),
    })
}

/// Says which sessions are not in the data set, and what else is odd about it.
fn remark_odd(report: &Report, output: &mut Output) -> Result<(), CommandError> {
    for (path, why) in &report.left_out {
        let why = match why {
            LeftOut::Unreadable(why) => why.clone(),
            LeftOut::Leak(hit) => format!(
                "{} still found {} at {} in what was to be written; report this, or hide it by \
                 hand",
                hit.rule, hit.masked, hit.place
            ),
        };
        output.remark(&clean_line(&format!("left out: {}: {why}", path.display())))?;
    }
    for warning in &report.warnings {
        output.remark(warning)?;
    }
    Ok(())
}

fn print(report: &Report, out: &Path, output: &mut Output) -> Result<(), CommandError> {
    if output.json {
        let files = report.files.iter().map(|file| file.to_string_lossy().into_owned().into());
        let value = Object::new()
            .with("out", out.to_string_lossy().as_ref())
            .with("sessions", report.sessions)
            .with("fromCache", report.cached)
            .with("samples", report.samples)
            .with("leftOut", report.left_out.len())
            .with("files", files.collect::<Vec<_>>());
        return output.value(&value.into());
    }
    let (sessions, samples) = (report.sessions, report.samples);
    output.line(&format!("{samples} samples of {sessions} sessions in {}", out.display()))
}

impl From<ExtractError> for CommandError {
    fn from(error: ExtractError) -> Self {
        let message = error.to_string();
        match error {
            ExtractError::Session(error) => error.into(),
            ExtractError::OutputTaken { .. } => Self::Refused {
                message,
                hint: Some("nothing was written; name a new folder by --out".to_owned()),
            },
            _ => Self::BadData { message, hint: None },
        }
    }
}
