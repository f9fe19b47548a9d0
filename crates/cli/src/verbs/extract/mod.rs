//! `pitree extract`: many sessions as training data.

mod args;
mod sources;

use std::path::Path;
use std::sync::Arc;

use pitree_extract::request::RequestSettings;
use pitree_extract::{
    Context, ExtractError, FormatName, FormatOptions, LeftOut, Report, RunOptions, Selection,
    Unguarded, run as extract,
};
use pitree_format::Object;
use pitree_session::paths;

use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::progress;
use crate::target::Place;

pub(crate) use args::ExtractArgs;

pub(crate) fn run(
    args: &ExtractArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let sources = sources::chosen(args, place, output)?;
    if sources.is_empty() {
        output.remark("no session was chosen")?;
        return Ok(Exit::Nothing);
    }
    let format = args.format.0;
    let Some(form) = format.prepare(&format_options(args)) else {
        return Err(CommandError::usage(format!("the form {format} is not built in")));
    };
    let jobs = args.jobs.map_or_else(available_jobs, usize::from);
    let options = RunOptions {
        out: paths::resolve(&args.out, &place.environment),
        guard: Arc::new(Unguarded),
        jobs,
        progress: progress::bar().map(|bar| bar as _),
    };
    let report = extract(&sources, &*form, &options, &place.environment)?;
    print(&report, &options.out, output)?;
    let is_complete = report.left_out.is_empty();
    Ok(if is_complete { Exit::Ok } else { Exit::BadData })
}

fn available_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn format_options(args: &ExtractArgs) -> FormatOptions {
    // lora_forge has no way to say that a reply is there for context only, and a compacted
    // conversation repeats replies.
    let usual = match args.format.0 {
        FormatName::LoraForge => Context::Raw,
        _ => Context::AsSent,
    };
    FormatOptions {
        selection: Selection {
            paths: args.text.paths.into(),
            context: args.text.context.map_or(usual, Context::from),
            unit: args.text.unit.into(),
        },
        reasoning: args.text.reasoning.into(),
        settings: RequestSettings::default(),
        tool_text: args.text.tool_text.into(),
    }
}

fn print(report: &Report, out: &Path, output: &mut Output) -> Result<(), CommandError> {
    for (path, why) in &report.left_out {
        let why = match why {
            LeftOut::Unreadable(why) => why.clone(),
            LeftOut::Leak(hit) => format!("{} was found in what was to be written", hit.rule),
        };
        output.remark(&format!("left out: {}: {why}", path.display()))?;
    }
    if output.json {
        let files = report.files.iter().map(|file| file.to_string_lossy().into_owned().into());
        let value = Object::new()
            .with("out", out.to_string_lossy().as_ref())
            .with("sessions", report.sessions)
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
