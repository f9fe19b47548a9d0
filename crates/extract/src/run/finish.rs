//! Putting what all sessions gave into the files of a data set.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_format::Object;
use pitree_store::NotListed;

use super::ProcessedSessions;
use super::redactions::RedactionsFile;
use super::spool_reader::each_kept_piece;
use super::worker_pool::SessionResult;
use crate::card::{Card, CardTotals};
use crate::error::{ExtractError, IoContext};
use crate::format::{Choice, FormatName, SessionFormat};
use crate::guard::Guard;
use crate::options::ExtractOptions;
use crate::output::{OutputFolder, Scratch, Target, WrittenFile};
use crate::quality::{Dedupe, Split};
use crate::reason::DropReason;
use crate::reply_keys::TargetKey;
use crate::report::{LeftOut, ReplyCounts, Report};
use crate::warning::DatasetWarning;

/// Names near duplicates that are all kept.
const DUPLICATES: &str = "duplicates.jsonl";

/// Writes the folder of a data set with its card.
pub(super) fn into_folder(
    processed: &ProcessedSessions<'_>,
    format: &dyn SessionFormat,
    options: &ExtractOptions,
    folder: &Path,
    scratch: &Scratch,
) -> Result<Report, ExtractError> {
    let guard = &*options.guard;
    let is_redacted = guard.fingerprint().is_some();
    let output = OutputFolder::new(folder, scratch, !is_redacted, options.replace_edited)?;
    let redactions = RedactionsFile::of(processed, options)?;
    let parts: &[Split] = match options.quality.validation {
        Some(_) => &[Split::Train, Split::Validation],
        None => &[Split::All],
    };
    let mut assembler = format.assembler(output.path(), parts, &options.guard)?;
    each_kept_piece(processed, |to, placement, bytes| {
        options.go_on()?;
        assembler.piece(to, placement, bytes)
    })?;
    let mut files = assembler.finish()?;
    let name = |file: &WrittenFile| file.path.to_string_lossy().into_owned();
    let names: Vec<String> = files.iter().map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (name, text) in format.side_files(&names) {
        files.push(write_beside(&output, name, &text, guard)?);
    }
    if options.quality.dedupe == Dedupe::Mark {
        files.push(write_beside(&output, DUPLICATES, &duplicates(processed), guard)?);
    }
    let mut totals = totals(processed, options, parts);
    totals.files = files;
    totals.warnings = warnings(&totals, parts, options, format.name());
    let more = about_samples(&totals, format.name());
    totals.warnings.extend(more);
    let note = names.first().and_then(|first| format.loading(first));
    let features = format.features();
    let command = guard.redact_text(&options.command);
    let command = command.as_deref().unwrap_or(&options.command);
    let card = Card { format: format.name(), options, command, totals: &totals, features, note };
    for (name, text) in card.files() {
        write_beside(&output, name, &text, guard)?;
    }
    let files = totals.files.iter().map(|file| file.path.clone()).collect();
    let report = Report { files, ..report(processed, options, format.name(), totals, parts) };
    options.go_on()?;
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
) -> Result<WrittenFile, ExtractError> {
    let leak = |text: &str| guard.leak_beside(text);
    let is_lines = name.ends_with(".jsonl");
    match if is_lines { text.lines().find_map(leak) } else { leak(text) } {
        Some(hit) => Err(ExtractError::Leak { name: name.to_owned(), hit }),
        None => output.write(name, text),
    }
}

/// All sums for the card, but for those of its files.
fn totals(
    processed: &ProcessedSessions<'_>,
    options: &ExtractOptions,
    parts: &[Split],
) -> CardTotals {
    let decisions = &processed.decisions;
    let (families, largest_family) = (decisions.families, decisions.largest_family);
    let sessions_left_out = options.no_sessions.len() as u64;
    // A part in which nothing is has a count too.
    let samples = parts.iter().map(|part| (*part, 0)).collect();
    let mut totals = CardTotals {
        samples,
        families,
        largest_family,
        sessions_left_out,
        ..CardTotals::default()
    };
    // The file of a sub-agent may be a session of the data set, or belong to several of them.
    let mut told: HashSet<&Path> = processed.sources.iter().map(|source| &*source.path).collect();
    for (at, result) in processed.results.iter().enumerate() {
        let SessionResult::Done { summary, .. } = result else {
            totals.sessions_left_out += 1;
            continue;
        };
        let decision = &decisions.sessions[at];
        let kept = summary.samples.iter().zip(&decision.samples);
        let kept = kept.filter(|(_, verdict)| verdict.dropped.is_none()).map(|(facts, _)| facts);
        let about = &processed.sources[at].about;
        totals.add_session(about, &summary.counts, decision.split, kept);
        for other in &summary.other_redactions {
            if told.insert(&other.path) {
                totals.add_redactions(&other.by_rule);
                totals.likely_left += other.likely_left;
            }
        }
    }
    for (&reason, count) in &decisions.dropped {
        *totals.left_out.entry(reason).or_default() += count;
    }
    totals.replies = replies(processed);
    totals
}

/// What became of all replies.
fn replies(processed: &ProcessedSessions<'_>) -> ReplyCounts {
    let mut replies = ReplyCounts::default();
    let done = || {
        let sessions = processed.results.iter().zip(&processed.decisions.sessions);
        sessions.filter_map(|(result, decision)| Some((result.summary()?, decision)))
    };
    let copies = || done().flat_map(|(summary, _)| &summary.counts.copies);
    let asked: HashSet<TargetKey> = copies().flat_map(|copy| copy.both()).collect();
    let mut fates: HashMap<TargetKey, Option<DropReason>> = HashMap::new();
    for (summary, decision) in done() {
        replies.found += summary.counts.replies;
        replies.failed += summary.counts.failed;
        replies.cut_off += summary.counts.cut_off;
        for (reason, count) in &summary.counts.replies_left_out {
            replies.leave_out(*reason, *count);
        }
        for (facts, verdict) in summary.samples.iter().zip(&decision.samples) {
            replies.count(verdict.dropped, facts.targets.len() as u64);
            let keys = facts.targets.iter().flat_map(|target| target.both());
            for key in keys.filter(|key| asked.contains(key)) {
                let fate = fates.entry(key).or_insert(verdict.dropped);
                *fate = fate.and(verdict.dropped);
            }
        }
    }
    // A copy shares the fate of its original.
    for copy in copies() {
        let found = copy.both().map(|key| fates.get(&key));
        match found.into_iter().flatten().min() {
            Some(None) => replies.copies += 1,
            Some(reason) => replies.count(*reason, 1),
            None => replies.leave_out(DropReason::NoOriginal, 1),
        }
    }
    replies
}

/// What makes a data set of little use.
fn warnings(
    totals: &CardTotals,
    parts: &[Split],
    options: &ExtractOptions,
    format: FormatName,
) -> Vec<DatasetWarning> {
    let mut warnings = Vec::new();
    if format.spec().is_pairs && totals.all_samples() == 0 {
        warnings.push(DatasetWarning::NoPairs { were_left_out: !totals.left_out.is_empty() });
    }
    let without_mask = totals.left_out.iter().filter(|(reason, _)| reason.is_without_mask());
    let left_out: u64 = without_mask.map(|(_, count)| count).sum();
    let written = totals.all_samples();
    if left_out > written {
        warnings.push(DatasetWarning::NoMask { left_out, written });
    }
    if totals.secrets_not_repeated > 0 {
        warnings.push(DatasetWarning::TooManySecrets(totals.secrets_not_repeated));
    }
    if totals.likely_left > 0 {
        warnings.push(DatasetWarning::LikelySecrets(totals.likely_left));
    }
    if parts.len() > 1 {
        warnings.extend(about_parts(totals, parts, options.quality.validation));
    }
    warnings
}

/// Fewer samples than this say nothing about how well they were split.
const FEWEST_SPLIT: u64 = 20;

/// What is odd about the sizes of the parts.
fn about_parts(totals: &CardTotals, parts: &[Split], wanted: Option<f64>) -> Vec<DatasetWarning> {
    let mut warnings = Vec::new();
    for part in parts {
        if totals.samples.get(part).is_none_or(|count| *count == 0) {
            warnings.push(DatasetWarning::EmptyPart(part.file_name()));
        }
    }
    let [train, validation] = [Split::Train, Split::Validation].map(|part| totals.bytes_of(part));
    if train > 0 && validation > train {
        warnings.push(DatasetWarning::LargeValidation { train, validation });
    }
    if totals.largest_family as u64 * 2 > totals.sessions && totals.sessions > 2 {
        let (largest, sessions) = (totals.largest_family, totals.sessions);
        warnings.push(DatasetWarning::LargeFamily { largest, sessions });
    }
    let (all, wanted) = (totals.all_samples(), wanted.unwrap_or_default());
    let validation = totals.samples.get(&Split::Validation).copied().unwrap_or_default();
    let share = validation as f64 / all.max(1) as f64;
    let is_far_off = share > 2.0 * wanted || share < wanted / 2.0;
    if all >= FEWEST_SPLIT && validation > 0 && is_far_off {
        warnings.push(DatasetWarning::UnevenParts { share, wanted });
    }
    warnings
}

/// Common context sizes of models, in tokens.
const CONTEXT_SIZES: [u64; 3] = [8 << 10, 32 << 10, 128 << 10];

/// What its samples lack, and which are longer than most models can take.
fn about_samples(totals: &CardTotals, format: FormatName) -> Vec<DatasetWarning> {
    let mut warnings = Vec::new();
    let samples = totals.all_samples();
    let lacking = [
        ("system prompt", totals.without_system),
        ("list of the tools that were offered", totals.without_tools),
    ];
    for (what, count) in lacking.into_iter().filter(|_| format.uses(Choice::Unit)) {
        if count > 0 {
            warnings.push(DatasetWarning::NotRecorded { what, count, samples });
        }
    }
    let above = CONTEXT_SIZES.map(|size| (totals.samples_above(size), size));
    let above: Vec<(u64, u64)> = above.into_iter().filter(|(count, _)| *count > 0).collect();
    if !above.is_empty() && format.uses(Choice::MaxTokens) {
        warnings.push(DatasetWarning::LongSamples { samples, above });
    }
    warnings
}

/// The groups of near duplicates, one sample a line.
fn duplicates(processed: &ProcessedSessions<'_>) -> String {
    let mut lines = String::new();
    for (session, decision) in processed.decisions.sessions.iter().enumerate() {
        for (number, verdict) in decision.samples.iter().enumerate() {
            let Some(cluster) = verdict.cluster else { continue };
            let line = Object::new()
                .with("cluster", processed.sample_id(cluster).unwrap_or_default())
                .with("id", processed.sample_id((session, number)).unwrap_or_default());
            pitree_format::js::print(&line.into(), &mut lines);
            lines.push('\n');
        }
    }
    lines
}

/// Writes the lines of a data set.
pub(super) fn into_stream(
    processed: &ProcessedSessions<'_>,
    options: &ExtractOptions,
    format: FormatName,
    out: &mut dyn Write,
) -> Result<Report, ExtractError> {
    let redactions = RedactionsFile::of(processed, options)?;
    each_kept_piece(processed, |to, _, bytes| {
        options.go_on()?;
        if to != Target::Data {
            return Ok(());
        }
        let written = out.write_all(bytes).and_then(|()| out.write_all(b"\n"));
        written.on("write to", Path::new("standard output"))
    })?;
    redactions.publish()?;
    let totals = totals(processed, options, &[Split::All]);
    Ok(report(processed, options, format, totals, &[Split::All]))
}

fn report(
    processed: &ProcessedSessions<'_>,
    options: &ExtractOptions,
    format: FormatName,
    totals: CardTotals,
    parts: &[Split],
) -> Report {
    let no_session = |(path, why): &(PathBuf, NotListed)| (path.clone(), LeftOut::from(why));
    let mut report = Report {
        cached: processed.cached,
        skipped: options.skipped.clone(),
        left_out: options.no_sessions.iter().map(no_session).collect(),
        warnings: warnings(&totals, parts, options, format),
        parts: match parts {
            [_] => Vec::new(),
            _ => totals.samples.iter().map(|(part, count)| (part.file_name(), *count)).collect(),
        },
        replies: totals.replies,
        samples_left_out: totals.left_out,
        ..Report::default()
    };
    for (at, result) in processed.results.iter().enumerate() {
        let path = &processed.sources[at].path;
        match result {
            SessionResult::Done { summary, .. } => {
                report.sessions += 1;
                let damaged = Some(summary.counts.damaged_lines).filter(|lines| *lines > 0);
                report.damaged.extend(damaged.map(|lines| (path.clone(), lines)));
            }
            SessionResult::LeftOut(why) => report.left_out.push((path.clone(), why.clone())),
        }
    }
    let verdicts = processed.decisions.sessions.iter().flat_map(|session| &session.samples);
    report.samples = verdicts.filter(|verdict| verdict.dropped.is_none()).count();
    report.warnings.extend(unknown_entries(processed));
    report
}

/// Says how many outcomes are about entries that no file of their session has.
fn unknown_entries(processed: &ProcessedSessions<'_>) -> Option<DatasetWarning> {
    let mut unknown: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (source, result) in processed.sources.iter().zip(&processed.results) {
        let Some(summary) = result.summary() else { continue };
        let missing = summary.counts.unknown_entries.iter().map(String::as_str);
        let missing: HashSet<&str> = missing.collect();
        let session = unknown.entry(&source.about.session_id);
        session.and_modify(|so_far| so_far.retain(|id| missing.contains(id))).or_insert(missing);
    }
    let count: usize = unknown.values().map(HashSet::len).sum();
    (count > 0).then_some(DatasetWarning::UnknownEntries(count))
}

impl ProcessedSessions<'_> {
    /// The id of a sample by its session and number.
    pub(super) fn sample_id(&self, (session, number): (usize, usize)) -> Option<&str> {
        let summary = self.results.get(session)?.summary()?;
        Some(&summary.samples.get(number)?.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_far_from_what_was_asked_for_are_told() {
        let parts = [Split::Train, Split::Validation];
        let told = |train: u64, validation: u64, wanted: f64| {
            let samples = [(Split::Train, train), (Split::Validation, validation)].into();
            let totals = CardTotals { samples, ..CardTotals::default() };
            let warnings = about_parts(&totals, &parts, Some(wanted));
            warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let far = told(32, 9, 0.05);
        assert!(far.starts_with("validation has 22 % of the samples instead of 5 %"), "{far}");
        assert!(told(38, 2, 0.2).contains("5 % of the samples instead of 20 %"));
        for (train, validation, wanted) in [(36, 4, 0.1), (32, 8, 0.1), (36, 4, 0.2), (9, 9, 0.05)]
        {
            assert_eq!(told(train, validation, wanted), "", "{train} {validation} {wanted}");
        }
        assert!(told(40, 0, 0.05).starts_with("validation is empty"));
        assert!(told(0, 40, 0.05).starts_with("train is empty"));
    }

    #[test]
    fn validation_that_is_larger_than_train_is_told() {
        let told = |train: u64, validation: u64, names: [&str; 2]| {
            let files = names.into_iter().zip([train, validation]);
            let file = |(name, bytes): (&str, u64)| WrittenFile {
                path: name.into(),
                bytes,
                hash: String::new(),
            };
            let samples = [(Split::Train, 5), (Split::Validation, 5)].into();
            let files = files.map(file).collect();
            let totals = CardTotals { samples, files, ..CardTotals::default() };
            about_parts(&totals, &[Split::Train, Split::Validation], Some(0.5))
        };
        for names in [["train.jsonl", "validation.jsonl"], ["train/a.json", "validation/b.json"]] {
            let large = DatasetWarning::LargeValidation { train: 10, validation: 11 };
            assert_eq!(told(10, 11, names), [large]);
            assert_eq!(told(11, 10, names), []);
        }
    }
}
