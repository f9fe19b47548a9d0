//! `pitree extract`: many sessions as training data.

mod args;
mod buckets;
mod command;
mod guard;
mod left_out;
mod plan;
mod rows;
mod selected;
mod sources;
mod unused;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_export::numbers::minute_on_clock;
use pitree_extract::format::Choice;
use pitree_extract::remote::{Destination, Mirrors};
use pitree_extract::request::{CacheRetention, RequestSettings};
use pitree_extract::tables::Counted;
use pitree_extract::{
    Context, Dedupe, ExtractError, ExtractOptions, FolderConflict, FormatOptions, LeftOut, Plan,
    Quality, Report, SampleOptions, Selection, Source, Tokenizer, Unit, run as extract, run_to,
};
use pitree_format::js::parse;
use pitree_format::{Object, Value};
use pitree_host::models::{Model, Models};
use pitree_host::settings::Settings;
use pitree_session::{Environment, paths};
use pitree_store::{FileStamp, Store};
use signal_hook::consts::SIGINT;

use crate::caller::Caller;
use crate::error::{CommandError, Exit, Result};
use crate::hints;
use crate::output::Output;
use crate::target::Workspace;
use crate::text::counted;
use crate::verbs::export::Standard;
use crate::verbs::list::remark_none;
use crate::verbs::show::plain;

pub(crate) use args::ExtractArgs;
use args::noise_set;
use buckets::Buckets;
pub(crate) use buckets::options as remote_options;
pub(crate) use left_out::remark_all;
pub(crate) use plan::{plan, publication};
pub(crate) use rows::run_rows;
use selected::Selected;

pub(crate) fn run(args: &ExtractArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let cancel = workspace.caller.cancel()?;
    let selected = match Selected::find(args, &cancel, workspace, output) {
        Err(_) if cancel.is_cancelled() => return interrupted(output),
        other => other?,
    };
    let Selected { buckets, sources, no_sessions, skipped } = &selected;
    if sources.is_empty() {
        if !workspace.caller.ends_with_verb() && !is_output(args) {
            return Err(selected.nothing_left());
        }
        left_out::remark_files(no_sessions, workspace, output)?;
        left_out::remark_skipped(skipped, output)?;
        if !skipped.is_empty() {
            output.remark("no session is left; remove a filter")?;
        } else if no_sessions.is_empty() && args.sessions.is_empty() && !args.which.shared_index {
            remark_none(args.which.scope, workspace, output)?;
        } else {
            output.remark(nothing_chosen(no_sessions))?;
        }
        return Ok(Exit::Nothing);
    }
    let format = args.format;
    if is_output(args) && !format.is_lines() {
        let message = format!("{format} writes files, not lines; pass a folder with --output");
        return Err(CommandError::usage(message));
    }
    unused::tell(args, output)?;
    let out = buckets::output_path(args, workspace)?;
    let is_bucket = buckets::bucket_of(&args.output)?.is_some();
    if !is_output(args) && !is_bucket {
        guard::outside_of_sessions("--output", &out, workspace)?;
    }
    let options = selected.options(args, workspace, output)?;
    let form = format.prepare(&options.form);
    let destination = match buckets.destination(args) {
        Err(_) if cancel.is_cancelled() => return interrupted(output),
        other => other?,
    };
    let earlier = match &destination {
        Some(place) => place.earlier().map(|earlier| buckets::in_words(earlier, workspace)),
        None => (!is_output(args)).then(|| earlier_data_set(&out, workspace)).flatten(),
    };
    let folder = destination.as_ref().map_or(&*out, Destination::folder).to_owned();
    let report = if is_output(args) {
        run_to(sources, &*form, &options, &mut Standard(output), &workspace.environment)
    } else {
        extract(sources, &*form, &options, &folder, &workspace.environment)
    };
    let report = report.and_then(|report| {
        destination.map_or(Ok(()), Destination::publish)?;
        Ok(report)
    });
    if matches!(report, Err(ExtractError::Cancelled)) {
        return interrupted(output);
    }
    let report = report?;
    if is_output(args) {
        // There is no card that tells it.
        for (reason, count) in &report.samples_left_out {
            let why = hints::of_drop_reason(*reason);
            output.remark(&format!("{count} samples are left out: {why}"))?;
        }
    } else {
        print(&report, &out, output)?;
        earlier.iter().try_for_each(|earlier| output.remark(&format!("replaced {earlier}")))?;
    }
    left_out::remark_replies(&report, format, output)?;
    remark_all(&report, workspace, output)?;
    Ok(match report.sessions {
        _ if report.has_leaks() => Exit::BadData,
        0 => Exit::Nothing,
        _ => Exit::Ok,
    })
}

fn interrupted(output: &mut Output) -> Result<Exit> {
    output.remark("interrupted")?;
    Ok(Exit::Signal(SIGINT))
}

/// That there is nothing to extract; which files were left out was said before.
fn nothing_chosen(no_sessions: &[(PathBuf, LeftOut)]) -> &'static str {
    let is_other = |(_, why): &(PathBuf, LeftOut)| matches!(why, LeftOut::NotASession(_));
    match no_sessions.iter().any(is_other) {
        true => "nothing was extracted; `pitree check FILE` says what is wrong with a file",
        false => "nothing was extracted: there are no sessions",
    }
}

/// The data set that is in a folder, in words. Whether it may be replaced is decided elsewhere.
fn earlier_data_set(out: &Path, workspace: &Workspace) -> Option<String> {
    let card = out.join("card.json");
    if !fs_err::symlink_metadata(&card).ok()?.is_file() {
        return None;
    }
    let written_ms = FileStamp::of(&card)?.modified_ms();
    let value = parse(&fs_err::read(&card).ok()?).ok()?;
    let samples = value.get("samples")?.get_number("total")?;
    Some(data_set_of(written_ms, samples as usize, workspace))
}

/// A data set of this time, in words.
fn data_set_of(written_ms: i64, samples: usize, workspace: &Workspace) -> String {
    let date = minute_on_clock(workspace.environment.local_ms(written_ms));
    format!("the data set of {date}: {}", counted(samples, "sample", "samples"))
}

/// Whether the lines are printed instead of written to a folder.
fn is_output(args: &ExtractArgs) -> bool {
    args.output == Path::new("-")
}

fn options(
    args: &ExtractArgs,
    sources: &[Source],
    buckets: &Buckets,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<ExtractOptions> {
    let (quality, format) = (&args.quality, args.format);
    let is_cut = format.uses(Choice::ToolLimit) && !unused::gives_requests(args);
    let tokenizer = tokenizer(args, workspace)?;
    let max_tokens = quality.max_tokens.filter(|_| format.uses(Choice::MaxTokens));
    let quality = Quality {
        dedupe: quality.dedupe.filter(|_| format.uses(Choice::Dedupe)).unwrap_or(Dedupe::Off),
        validation: quality.split,
        tool_limit: args.text.max_tool_chars.filter(|limit| is_cut && *limit > 0),
        mask_altered: quality.mask_altered && format.uses(Choice::MaskAltered),
        count_tokens: quality.count_tokens || max_tokens.is_some() || tokenizer.is_some(),
        tokenizer,
        max_tokens,
        cap: quality.max_similar.filter(|_| format.uses(Choice::Cap)),
    };
    // What is kept under a key that is forgotten is never found again.
    let cache = (!workspace.without_index && !guard::forgets_key(args, workspace))
        .then(|| pitree_store::cache::cache_directory(&workspace.environment).join("extract"));
    let redactions = redactions(args, workspace)?;
    Ok(ExtractOptions {
        form: format_options(args, sources, buckets, workspace)?,
        quality,
        jobs: args.jobs.map_or_else(available_jobs, usize::from),
        cache,
        progress: workspace.caller.progress(),
        cancel: buckets.cancel.clone(),
        mirrors: buckets.mirrors.clone(),
        output: args.files.layout(),
        command: command::told(workspace.caller.words().iter().cloned()),
        redactions,
        drop_noise: noise_set(&args.quality.drop_noise),
        replace_edited: args.force,
        max_output: args.max_output,
        plan: Some(Arc::new(plan_teller(args, &workspace.caller))),
        ..ExtractOptions::new(guard::of(args, workspace, output)?, std::env::temp_dir())
    })
}

/// The tokenizer that was named.
fn tokenizer(args: &ExtractArgs, workspace: &Workspace) -> Result<Option<Arc<Tokenizer>>> {
    let Some(path) = &args.quality.tokenizer else { return Ok(None) };
    let path = paths::resolve(path, &workspace.environment);
    Ok(Some(Arc::new(Tokenizer::read(&path)?)))
}

/// Says before it is written if a data set is much larger than its sessions.
fn plan_teller(args: &ExtractArgs, caller: &Caller) -> impl Fn(&Plan) + Send + Sync + use<> {
    let (advice, caller) = (size_advice(args), caller.clone());
    move |plan| {
        if plan.is_much_larger() {
            let [output, input] = [plan.output_bytes, plan.input_bytes].map(size);
            caller.say(&format!(
                "writing {output} for sessions of {input}: samples repeat their context{advice}\n"
            ));
        }
    }
}

/// What helps against a large data set and was not chosen yet.
fn size_advice(args: &ExtractArgs) -> String {
    let is_path = args.text.unit.unwrap_or_default() == Unit::Path;
    let advice = [
        (!is_path && args.format.uses(Choice::Unit), "; `--unit path` repeats the least"),
        (args.max_output.is_none(), "; `--max-output SIZE` sets a limit"),
    ];
    advice.iter().filter(|(helps, _)| *helps).map(|(_, text)| *text).collect()
}

fn size(bytes: u64) -> String {
    plain::size(bytes as f64)
}

/// The file for what was redacted. It tells where secrets stand, so it must not get into the data
/// set.
fn redactions(args: &ExtractArgs, workspace: &Workspace) -> Result<Option<PathBuf>> {
    let Some(path) = &args.secrets.redaction_log else { return Ok(None) };
    if path == Path::new("-") {
        return Err(CommandError::Usage {
            message: "--redaction-log does not print to standard output".to_owned(),
            hint: Some("pass a file that only you can read: --redaction-log FILE".to_owned()),
        });
    }
    let path = paths::resolve(path, &workspace.environment);
    guard::outside_of_sessions("--redaction-log", &path, workspace)?;
    let out = buckets::output_path(args, workspace)?;
    let real = |path: &Path| fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().map(real).unwrap_or_default();
    if !is_output(args) && (path.starts_with(&out) || folder.starts_with(real(&out))) {
        let message =
            "--redaction-log must be outside the dataset, because you may share the dataset"
                .to_owned();
        let hint = Some("pass a file elsewhere: the log says where the secrets are".to_owned());
        return Err(CommandError::Usage { message, hint });
    }
    Ok(Some(path))
}

fn available_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the session files do not say of requests: the user's models and settings of today.
fn request_settings(environment: &Environment) -> Result<RequestSettings> {
    let models = Models::load(environment)?;
    let mut settings = RequestSettings::new(models.all().iter().map(Model::to_value));
    settings.block_images = Settings::load(environment, environment.cwd())?.block_images()?;
    if environment.var("PI_CACHE_RETENTION") == Some("long") {
        settings.cache_retention = CacheRetention::Long;
    }
    Ok(settings)
}

fn format_options(
    args: &ExtractArgs,
    sources: &[Source],
    buckets: &Buckets,
    workspace: &Workspace,
) -> Result<FormatOptions> {
    let selection = Selection {
        paths: args.text.branches.unwrap_or_default(),
        context: context_of(args),
        unit: args.text.unit.unwrap_or_default(),
    };
    let settings = match selection.unit {
        Unit::Request => request_settings(&workspace.environment)?,
        Unit::Path | Unit::Turn => RequestSettings::default(),
    };
    let counted = match args.format.spec().needs_ledger {
        true => count_with(args, sources, &buckets.mirrors, &buckets.store(workspace)),
        false => Counted::default(),
    };
    Ok(FormatOptions {
        samples: SampleOptions { selection, settings },
        reasoning: args.text.reasoning.unwrap_or_default(),
        tool_text: args.text.tool_text.unwrap_or_default(),
        locations: buckets.locations(workspace),
        counted: Arc::new(counted),
    })
}

/// The context that was asked for, or that is usual for the form.
fn context_of(args: &ExtractArgs) -> Context {
    args.text.context.unwrap_or(args.format.spec().usual_context)
}

/// Which usages count where, in the store and the chosen files together.
fn count_with(args: &ExtractArgs, sources: &[Source], mirrors: &Mirrors, store: &Store) -> Counted {
    let files: Vec<PathBuf> = sources.iter().map(|source| source.path.clone()).collect();
    let ledger = store.ledger_and(&files);
    Counted::new(&ledger, files.iter().map(PathBuf::as_path), mirrors, args.is_whole_store())
}

/// What `--json` says of a data set.
pub(crate) fn report_value(report: &Report, out: &Path) -> Value {
    let files = report.files.iter().map(|file| file.to_string_lossy().into_owned().into());
    let parts = report.parts.iter();
    let parts = parts.fold(Object::new(), |object, (name, count)| object.with(name, *count as f64));
    let filtered = report
        .skipped
        .iter()
        .fold(Object::new(), |object, (reason, count)| object.with(reason.name(), *count as f64));
    Object::new()
        .with("output", out.to_string_lossy().as_ref())
        .with("sessions", report.sessions)
        .with("fromCache", report.cached)
        .with("samples", report.samples)
        .with("parts", parts)
        .with("leftOut", report.left_out.len())
        .with("filtered", filtered)
        .with("samplesLeftOut", report.samples_left_out.values().sum::<u64>() as f64)
        .with("replies", report.replies.to_object())
        .with("damagedLines", damaged_lines(report) as f64)
        .with("files", files.collect::<Vec<_>>())
        .into()
}

fn print(report: &Report, out: &Path, output: &mut Output) -> Result<()> {
    if output.json {
        return output.value(&report_value(report, out));
    }
    let sessions = counted(report.sessions, "session", "sessions");
    let samples = counted(report.samples, "sample", "samples");
    let parts: Vec<String> =
        report.parts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    output.line(&format!("{samples} from {sessions} in {}{parts}", out.display()))
}

fn damaged_lines(report: &Report) -> u64 {
    report.damaged.iter().map(|(_, lines)| lines).sum()
}

impl From<ExtractError> for CommandError {
    fn from(error: ExtractError) -> Self {
        let message = error.to_string();
        match error {
            ExtractError::Session(error) => error.into(),
            ExtractError::Remote(error) => error.into(),
            ExtractError::Io { source, .. } if source.kind() == ErrorKind::BrokenPipe => {
                Self::Output(source)
            }
            ExtractError::OutputUnwritable { .. } => Self::BadData {
                message,
                hint: Some("nothing was written; pass another folder with --output".to_owned()),
            },
            ExtractError::OutputTaken { why, .. } => {
                let advice = match why {
                    FolderConflict::Link => "pass the folder that it points to",
                    FolderConflict::Stranger(_) => {
                        "move that elsewhere, or pass a new folder with --output"
                    }
                    FolderConflict::NotAFolder | FolderConflict::NoDataSet => {
                        "pass a new folder with --output"
                    }
                    FolderConflict::Edited(_) => {
                        "pass --force to replace it anyway, or a new folder with --output"
                    }
                };
                let hint = Some(format!("nothing was written; {advice}"));
                Self::Refused { message, hint }
            }
            ExtractError::TooLarge { plan, limit } => {
                let [output, limit] = [plan.output_bytes, limit].map(size);
                let message = format!(
                    "The dataset would be {output}, over the --max-output limit of {limit}"
                );
                let hint = "nothing was written; raise --max-output or select fewer sessions";
                Self::Refused { message, hint: Some(hint.to_owned()) }
            }
            ExtractError::FileTaken { .. } => Self::Refused {
                message,
                hint: Some("nothing was written; pass a new file with --redaction-log".to_owned()),
            },
            ExtractError::Tokenizer { .. } => Self::Usage {
                message,
                hint: Some("name the `tokenizer.json` of the model".to_owned()),
            },
            ExtractError::NoTokenizers { .. } => Self::Usage {
                message,
                hint: Some(
                    "build it with `--features tokenizer`, or count with --count-tokens".to_owned(),
                ),
            },
            ExtractError::Leak { .. } => Self::BadData {
                message,
                hint: Some(
                    "nothing was written; please report this, or remove the secret by hand"
                        .to_owned(),
                ),
            },
            _ => Self::BadData { message, hint: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::{Arguments, Verb};

    #[test]
    fn advice_on_the_size_is_what_was_not_chosen() {
        let of = |more: &[&str]| {
            let words = ["pitree", "extract", "-o", "d"].iter().chain(more);
            match Arguments::try_parse_from(words).unwrap().verb {
                Some(Verb::Extract(args)) => size_advice(&args),
                other => panic!("{other:?}"),
            }
        };
        let (unit, limit) =
            ("; `--unit path` repeats the least", "; `--max-output SIZE` sets a limit");
        assert_eq!(of(&[]), limit);
        assert_eq!(of(&["--unit", "turn"]), [unit, limit].concat());
        assert_eq!(of(&["--unit", "request", "--max-output", "1GB"]), unit);
        assert_eq!(of(&["--unit", "path", "--max-output", "1GB"]), "");
    }
}
