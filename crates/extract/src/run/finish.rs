//! Putting what all sessions gave into the files of a data set.

use std::io::Write;
use std::path::Path;

use super::work::Outcome;
use super::{ExtractOptions, Made, SessionFormat};
use crate::error::{ExtractError, IoContext};
use crate::output::spool::{Piece, Spool};
use crate::output::{OutputFolder, Placement, Scratch, Split, Target};
use crate::quality::Verdict;
use crate::report::Report;

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
    let files = assembler.finish()?;
    let names: Vec<&str> = files.iter().filter_map(|file| file.to_str()).collect();
    for (name, text) in format.side_files(&names) {
        output.write(name, &text)?;
    }
    let report = Report { files, ..report(made) };
    output.publish(scratch)?;
    Ok(report)
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
    report
}

impl Made<'_> {
    /// The id of a sample by its session and number.
    fn sample_id(&self, (session, number): (usize, usize)) -> Option<&str> {
        let summary = self.outcomes.get(session)?.summary()?;
        Some(&summary.samples.get(number)?.id)
    }
}
