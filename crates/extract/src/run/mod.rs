//! A run: many sessions in, one data set out.

mod work;

use std::path::PathBuf;
use std::sync::Arc;

use pitree_session::{Environment, Session};
use pitree_store::Progress;

use crate::error::ExtractError;
use crate::guard::{Guard, Hit};
use crate::output::{Assembler, LineAssembler, Output, OutputFolder, Scratch, Split};
use crate::report::{LeftOut, Report};
use crate::sample::About;

/// A session to extract.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its file.
    pub path: PathBuf,
    /// What is known of it.
    pub about: Arc<About>,
}

/// A session that is being extracted.
pub struct Extracted<'a> {
    /// The private copy of the session.
    pub session: &'a Session,
    /// What is known of it.
    pub about: &'a Arc<About>,
    /// What was redacted in it.
    pub hits: &'a [Hit],
    /// How many bytes its file has.
    pub bytes: u64,
    /// The hash of those bytes.
    pub content: blake3::Hash,
}

/// Makes pieces of output of one session.
pub trait SessionFormat: Send + Sync {
    /// Writes what the session gives.
    fn session(&self, extracted: &Extracted<'_>, out: &mut dyn Output) -> Result<(), ExtractError>;

    /// What puts the pieces of all sessions together in this folder.
    fn assembler(
        &self,
        folder: &std::path::Path,
        parts: &[Split],
    ) -> Result<Box<dyn Assembler>, ExtractError> {
        Ok(Box::new(LineAssembler::new(folder, parts)?))
    }
}

/// How a data set is made.
#[derive(Clone)]
pub struct RunOptions {
    /// The folder to write.
    pub out: PathBuf,
    /// Who hides secrets.
    pub guard: Arc<dyn Guard>,
    /// How many threads work.
    pub jobs: usize,
    /// Who is told how far it has come.
    pub progress: Option<Arc<dyn Progress>>,
}

/// Extracts the sessions.
pub fn run(
    sources: &[Source],
    format: &dyn SessionFormat,
    options: &RunOptions,
    environment: &Environment,
) -> Result<Report, ExtractError> {
    OutputFolder::check(&options.out)?;
    let scratch = Scratch::beside(&options.out)?;
    let done = work::all(sources, format, options, &scratch, environment)?;
    let folder = OutputFolder::new(&options.out, &scratch)?;
    let mut report = Report::default();
    let mut assembler = format.assembler(folder.path(), &[Split::All])?;
    for (source, outcome) in sources.iter().zip(done) {
        match outcome {
            work::Outcome::Done(mut spool) => {
                report.sessions += 1;
                report.samples += spool.summary.samples.len();
                spool.each(|piece| assembler.piece(piece.to, &Default::default(), piece.bytes))?;
            }
            work::Outcome::LeftOut(why) => report.left_out.push((source.path.clone(), why)),
        }
    }
    report.files = assembler.finish()?;
    folder.publish(&scratch)?;
    Ok(report)
}

impl From<Hit> for LeftOut {
    fn from(hit: Hit) -> Self {
        Self::Leak(hit)
    }
}
