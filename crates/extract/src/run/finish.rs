//! Putting what all sessions gave into the files of a data set.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_format::Object;

use super::redactions::RedactionsFile;
use super::work::Outcome;
use super::{ExtractOptions, Made, SessionFormat};
use crate::card::{Card, FileTotal, Totals};
use crate::error::{ExtractError, IoContext};
use crate::guard::Guard;
use crate::output::spool::Piece;
use crate::output::{OutputFolder, Placement, Scratch, Split, Target};
use crate::quality::{Dedupe, Verdict};
use crate::report::Report;

/// Names near duplicates that are all kept.
const DUPLICATES: &str = "duplicates.jsonl";

/// Writes the folder of a data set with its card.
pub(super) fn into_folder(
    made: &Made<'_>,
    format: &dyn SessionFormat,
    options: &ExtractOptions,
    folder: &Path,
    scratch: &Scratch,
) -> Result<Report, ExtractError> {
    let output = OutputFolder::new(folder, scratch)?;
    let redactions = RedactionsFile::of(made, options)?;
    let guard = &*options.guard;
    let parts: &[Split] = match options.quality.validation {
        Some(_) => &[Split::Train, Split::Validation],
        None => &[Split::All],
    };
    let mut assembler = format.assembler(output.path(), parts)?;
    each_piece(made, |piece, placement| assembler.piece(piece.to, placement, piece.bytes))?;
    let mut files = assembler.finish()?;
    let names: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (name, text) in format.side_files(&names) {
        write_beside(&output, name, &text, guard)?;
        files.push(name.into());
    }
    if options.quality.dedupe == Dedupe::Mark {
        write_beside(&output, DUPLICATES, &duplicates(made), guard)?;
        files.push(DUPLICATES.into());
    }
    let totals = totals(made, &files, output.path())?;
    let note = names.first().and_then(|first| format.loading(first));
    let features = format.features();
    let command = guard.redact_text(&options.command);
    let command = command.as_deref().unwrap_or(&options.command);
    let card = Card { format: format.name(), options, command, totals: &totals, features, note };
    for (name, text) in card.files() {
        write_beside(&output, name, &text, guard)?;
    }
    let warnings = warnings(&totals, parts);
    let report = Report { files, warnings, ..report(made) };
    output.publish(scratch)?;
    redactions.publish()?;
    Ok(report)
}

/// Writes a file that lies beside the data, if nothing in it should be hidden. What comes from
/// sessions was looked at before; this is the rest.
fn write_beside(
    output: &OutputFolder,
    name: &str,
    text: &str,
    guard: &dyn Guard,
) -> Result<(), ExtractError> {
    let leak = |text: &str| guard.leak_beside(text);
    let is_lines = name.ends_with(".jsonl");
    match if is_lines { text.lines().find_map(leak) } else { leak(text) } {
        Some(hit) => Err(ExtractError::Leak { name: name.to_owned(), hit }),
        None => output.write(name, text),
    }
}

/// All sums for the card.
fn totals(made: &Made<'_>, files: &[PathBuf], folder: &Path) -> Result<Totals, ExtractError> {
    let decisions = &made.decisions;
    let (families, largest_family) = (decisions.families, decisions.largest_family);
    let mut totals = Totals { families, largest_family, ..Totals::default() };
    // The file of a sub-agent may be a session of the data set, or belong to several of them.
    let mut told: HashSet<&Path> = made.sources.iter().map(|source| &*source.path).collect();
    for (at, outcome) in made.outcomes.iter().enumerate() {
        let Outcome::Done { summary, .. } = outcome else {
            totals.sessions_left_out += 1;
            continue;
        };
        let decision = &decisions.sessions[at];
        let kept = summary.samples.iter().zip(&decision.samples);
        let kept = kept.filter(|(_, verdict)| verdict.dropped.is_none()).map(|(facts, _)| facts);
        let about = &made.sources[at].about;
        totals.add_session(about, &summary.counts, decision.split, kept);
        for (path, redactions) in &summary.other_redactions {
            if told.insert(path) {
                totals.add_redactions(redactions);
            }
        }
    }
    for (&reason, count) in &decisions.dropped {
        *totals.left_out.entry(reason.to_owned()).or_default() += count;
    }
    for file in files {
        let path = folder.join(file);
        let mut hasher = blake3::Hasher::new();
        let mut open = fs_err::File::open(&path).on("read", &path)?;
        let bytes = std::io::copy(&mut open, &mut hasher).on("read", &path)?;
        let hash = hasher.finalize().to_hex().to_string();
        totals.files.push(FileTotal { path: file.clone(), bytes, hash });
    }
    Ok(totals)
}

/// What makes a split of little use.
fn warnings(totals: &Totals, parts: &[Split]) -> Vec<String> {
    let mut warnings = Vec::new();
    if parts.len() < 2 {
        return warnings;
    }
    for part in parts {
        if totals.samples.get(part).is_none_or(|count| *count == 0) {
            let name = part.file_name();
            warnings.push(format!("nothing is in {name}: there are too few families to split"));
        }
    }
    if totals.largest_family as u64 * 2 > totals.sessions && totals.sessions > 2 {
        let (largest, sessions) = (totals.largest_family, totals.sessions);
        warnings.push(format!(
            "{largest} of {sessions} sessions are one family and stay together, so the parts are \
             not of the size that was asked for"
        ));
    }
    warnings
}

/// The groups of near duplicates, one sample a line.
fn duplicates(made: &Made<'_>) -> String {
    let mut lines = String::new();
    for (session, decision) in made.decisions.sessions.iter().enumerate() {
        for (number, verdict) in decision.samples.iter().enumerate() {
            let Some(cluster) = verdict.cluster else { continue };
            let line = Object::new()
                .with("cluster", made.sample_id(cluster).unwrap_or_default())
                .with("id", made.sample_id((session, number)).unwrap_or_default());
            pitree_format::js::print(&line.into(), &mut lines);
            lines.push('\n');
        }
    }
    lines
}

/// Writes the lines of a data set.
pub(super) fn into_stream(
    made: &Made<'_>,
    options: &ExtractOptions,
    out: &mut dyn Write,
) -> Result<Report, ExtractError> {
    let redactions = RedactionsFile::of(made, options)?;
    each_piece(made, |piece, _| {
        if piece.to != Target::Data {
            return Ok(());
        }
        let written = out.write_all(piece.bytes).and_then(|()| out.write_all(b"\n"));
        written.on("write to", Path::new("standard output"))
    })?;
    redactions.publish()?;
    Ok(report(made))
}

/// Goes through all pieces that are kept, in order.
fn each_piece(
    made: &Made<'_>,
    mut take: impl FnMut(Piece<'_>, &Placement<'_>) -> Result<(), ExtractError>,
) -> Result<(), ExtractError> {
    for (outcome, decision) in made.outcomes.iter().zip(&made.decisions.sessions) {
        let Some(mut spool) = outcome.spool()? else { continue };
        spool.each(|piece| {
            let verdict = match piece.sample {
                Some(number) => decision.samples.get(number).copied().unwrap_or_default(),
                None => Verdict::default(),
            };
            if verdict.dropped.is_some() {
                return Ok(());
            }
            let cluster = verdict.cluster.and_then(|place| made.sample_id(place));
            take(piece, &Placement { split: decision.split, cluster })
        })?;
    }
    Ok(())
}

fn report(made: &Made<'_>) -> Report {
    let mut report = Report { cached: made.cached, ..Report::default() };
    for (at, outcome) in made.outcomes.iter().enumerate() {
        match outcome {
            Outcome::Done { .. } => report.sessions += 1,
            Outcome::LeftOut(why) => {
                report.left_out.push((made.sources[at].path.clone(), why.clone()));
            }
        }
    }
    let verdicts = made.decisions.sessions.iter().flat_map(|session| &session.samples);
    report.samples = verdicts.filter(|verdict| verdict.dropped.is_none()).count();
    report
}

impl Made<'_> {
    /// The id of a sample by its session and number.
    fn sample_id(&self, (session, number): (usize, usize)) -> Option<&str> {
        let summary = self.outcomes.get(session)?.summary()?;
        Some(&summary.samples.get(number)?.id)
    }
}
