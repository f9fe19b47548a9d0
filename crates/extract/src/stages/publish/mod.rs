//! A data set becomes whole: what lies beside its files, the card, and its name.

mod redactions;
mod warnings;

use std::path::Path;

use crate::card::Card;
use crate::error::ExtractError;
use crate::format::SessionFormat;
use crate::guard::Guard;
use crate::options::ExtractOptions;
use crate::output::{OutputFile, OutputFolder, WrittenFile};
use crate::quality::Dedupe;
use crate::report::Report;
use crate::stages::decided::{Outcome, parts};
use crate::warning::DatasetWarning;

pub(crate) use redactions::{RedactionsFile, check as check_redactions};

/// Names near duplicates that are all kept.
const DUPLICATES: &str = "duplicates.jsonl";

/// Shows lines one by one.
pub(crate) type EachLine<'l> =
    dyn Fn(&mut dyn FnMut(&str) -> Result<(), ExtractError>) -> Result<(), ExtractError> + 'l;

/// Writes what lies beside the files of a data set, with the near duplicates if they are wanted, and
/// the card last.
pub(crate) fn complete(
    output: &OutputFolder,
    outcome: Outcome,
    mut files: Vec<WrittenFile>,
    each_duplicate: &EachLine<'_>,
    format: &dyn SessionFormat,
    options: &ExtractOptions,
) -> Result<Report, ExtractError> {
    let guard = &*options.guard;
    let name = |file: &WrittenFile| file.path.to_string_lossy().into_owned();
    let names: Vec<String> = files.iter().map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (name, text) in format.side_files(&names) {
        files.push(write_beside(output, name, &text, guard)?);
    }
    if options.quality.dedupe == Dedupe::Mark {
        files.push(write_lines(output, DUPLICATES, each_duplicate, guard)?);
    }
    let mut totals = outcome.totals.clone();
    totals.files = files;
    totals.warnings = warnings::warnings(&totals, parts(options), options, format.name());
    let more = warnings::about_samples(&totals, format.name());
    totals.warnings.extend(more);
    let note = names.first().and_then(|first| format.loading(first));
    let features = format.features();
    let command = guard.redact_text(&options.command);
    let command = command.as_deref().unwrap_or(&options.command);
    let card = Card { format: format.name(), options, command, totals: &totals, features, note };
    for (name, text) in card.files() {
        write_beside(output, name, &text, guard)?;
    }
    let files = totals.files.iter().map(|file| file.path.clone()).collect();
    Ok(Report { files, ..report(Outcome { totals, ..outcome }, format, options) })
}

/// Writes a file that lies beside the data, if nothing in it should be hidden. What comes from
/// sessions was looked at before; this is the rest.
fn write_beside(
    output: &OutputFolder,
    name: &str,
    text: &str,
    guard: &dyn Guard,
) -> Result<WrittenFile, ExtractError> {
    check_beside(name, text, guard)?;
    output.write(name, text)
}

/// The same for lines, which may be more than memory holds.
fn write_lines(
    output: &OutputFolder,
    name: &str,
    each_line: &EachLine<'_>,
    guard: &dyn Guard,
) -> Result<WrittenFile, ExtractError> {
    let mut file = OutputFile::create(output.path(), Path::new(name))?;
    each_line(&mut |line| {
        check_beside(name, line, guard)?;
        file.put(&[line.as_bytes(), b"\n"])
    })?;
    file.finish()
}

fn check_beside(name: &str, text: &str, guard: &dyn Guard) -> Result<(), ExtractError> {
    match guard.leak_beside(text) {
        Some(hit) => Err(ExtractError::Leak { name: name.to_owned(), hit }),
        None => Ok(()),
    }
}

/// What is told of a data set when it is done.
pub(crate) fn report(
    outcome: Outcome,
    format: &dyn SessionFormat,
    options: &ExtractOptions,
) -> Report {
    let (totals, parts) = (outcome.totals, parts(options));
    let mut warnings = warnings::warnings(&totals, parts, options, format.name());
    let unknown = outcome.unknown_entries;
    warnings.extend((unknown > 0).then_some(DatasetWarning::UnknownEntries(unknown)));
    Report {
        files: Vec::new(),
        sessions: outcome.sessions,
        cached: outcome.cached,
        samples: outcome.size.samples,
        parts: match parts {
            [_] => Vec::new(),
            _ => totals.samples.iter().map(|(part, count)| (part.file_name(), *count)).collect(),
        },
        warnings,
        skipped: options.skipped.clone(),
        left_out: outcome.left_out,
        damaged: outcome.damaged,
        samples_left_out: totals.left_out,
        replies: totals.replies,
    }
}
