//! Putting what all sessions gave into the files of a data set.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_format::Object;

use super::work::Outcome;
use super::{ExtractOptions, Made, SessionFormat};
use crate::card::{Card, FileTotal, Totals};
use crate::error::{ExtractError, IoContext};
use crate::output::spool::{Piece, Spool};
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
        output.write(name, &text)?;
        files.push(name.into());
    }
    if options.quality.dedupe == Dedupe::Mark {
        output.write(DUPLICATES, &duplicates(made))?;
        files.push(DUPLICATES.into());
    }
    let totals = totals(made, &files, output.path())?;
    let note = names.first().and_then(|first| format.loading(first));
    let features = format.features();
    Card { format: format.name(), options, totals: &totals, features, note }.write(&output)?;
    let mut report = Report { files, ..report(made) };
    report.warnings.extend(warnings(&totals, parts));
    output.publish(scratch)?;
    Ok(report)
}

/// All sums for the card.
fn totals(made: &Made<'_>, files: &[PathBuf], folder: &Path) -> Result<Totals, ExtractError> {
    let decisions = &made.decisions;
    let (families, largest_family) = (decisions.families, decisions.largest_family);
    let mut totals = Totals { families, largest_family, ..Totals::default() };
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
pub(super) fn into_stream(made: &Made<'_>, out: &mut dyn Write) -> Result<Report, ExtractError> {
    each_piece(made, |piece, _| {
        if piece.to != Target::Data {
            return Ok(());
        }
        let written = out.write_all(piece.bytes).and_then(|()| out.write_all(b"\n"));
        written.on("write to", Path::new("standard output"))
    })?;
    Ok(report(made))
}

/// Goes through all pieces that are kept, in order.
fn each_piece(
    made: &Made<'_>,
    mut take: impl FnMut(Piece<'_>, &Placement<'_>) -> Result<(), ExtractError>,
) -> Result<(), ExtractError> {
    for (outcome, decision) in made.outcomes.iter().zip(&made.decisions.sessions) {
        let Outcome::Done { spool: path, .. } = outcome else { continue };
        let Some(mut spool) = Spool::open(path) else {
            let source = std::io::Error::from(std::io::ErrorKind::InvalidData);
            return Err(ExtractError::Io { doing: "read back", path: path.clone(), source });
        };
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
    report.warnings.extend(unknown_entries(made));
    report
}

/// Says how many outcomes are about entries that no file of their session has.
fn unknown_entries(made: &Made<'_>) -> Option<String> {
    let mut unknown: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (source, outcome) in made.sources.iter().zip(&made.outcomes) {
        let Some(summary) = outcome.summary() else { continue };
        let missing = summary.counts.unknown_entries.iter().map(String::as_str);
        let missing: HashSet<&str> = missing.collect();
        let session = unknown.entry(&source.about.session_id);
        session.and_modify(|so_far| so_far.retain(|id| missing.contains(id))).or_insert(missing);
    }
    let count: usize = unknown.values().map(HashSet::len).sum();
    let entries = if count == 1 { "outcome names an entry" } else { "outcomes name an entry" };
    (count > 0).then(|| format!("{count} {entries} that is not in the session"))
}

impl Made<'_> {
    /// The id of a sample by its session and number.
    fn sample_id(&self, (session, number): (usize, usize)) -> Option<&str> {
        let summary = self.outcomes.get(session)?.summary()?;
        Some(&summary.samples.get(number)?.id)
    }
}
