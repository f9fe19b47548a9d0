//! The stage `publish`: all files take their places, the card is written, and the folder takes its
//! name.

use std::path::{Path, PathBuf};

use pitree_session::location::sessions_folder_around;
use pitree_session::make_private_directory;

use super::{DecidedPlan, Executor, missing};
use crate::error::{ExtractError, IoContext};
use crate::output::{OutputFolder, Scratch, WrittenFile, replaceable};
use crate::remote::{Destination, ObjectUrl, RemoteOptions};
use crate::report::Report;
use crate::stages::decided::KeptSession;
use crate::stages::publish::{RedactionsFile, check_redactions, complete};

/// Where a data set goes.
#[derive(Clone, Debug, Default)]
pub struct Publish {
    /// The folder of the data set, which appears whole, or a URL.
    pub folder: PathBuf,
    /// Whether one is replaced even if somebody has edited its files.
    pub replace_edited: bool,
    /// A file for whoever makes the data set: what was redacted, and where.
    pub redactions: Option<PathBuf>,
}

impl Executor {
    /// Makes the data set of the files of all output shards.
    ///
    /// # Errors
    /// Fails if an output shard is not assembled yet, or if the folder cannot be written or holds
    /// something else. Then nothing of it is there; for buckets see [`Destination::publish`].
    pub fn publish(
        &self,
        decided: &DecidedPlan,
        publish: &Publish,
    ) -> Result<Report, ExtractError> {
        let url = publish.folder.to_str().filter(|folder| ObjectUrl::is_url(folder));
        let Some(url) = url else { return self.publish_folder(decided, publish) };
        let remote = self.remote.clone();
        let remote = remote.unwrap_or_else(|| RemoteOptions::new(self.options.temporary.clone()));
        let url = ObjectUrl::parse(url)?;
        let destination = Destination::prepare(&url, publish.replace_edited, &remote)?;
        let folder = destination.folder().to_owned();
        let report = self.publish_folder(decided, &Publish { folder, ..publish.clone() })?;
        destination.publish()?;
        Ok(report)
    }

    fn publish_folder(
        &self,
        decided: &DecidedPlan,
        publish: &Publish,
    ) -> Result<Report, ExtractError> {
        let Publish { folder, replace_edited, redactions } = publish;
        self.outside_of_sessions(folder)?;
        redactions.as_deref().map_or(Ok(()), |path| self.outside_of_sessions(path))?;
        replaceable::check(folder, *replace_edited)?;
        redactions.as_deref().map_or(Ok(()), check_redactions)?;
        let parts = self.decided(decided)?;
        let scratch = Scratch::beside(folder)?;
        let is_redacted = self.options.guard.fingerprint().is_some();
        let output = OutputFolder::new(folder, &scratch, !is_redacted, *replace_edited)?;
        let mut files = Vec::new();
        for shard in 0..parts.shards.len() {
            self.options.go_on()?;
            let assembled = self.assembled(decided, shard)?.ok_or_else(|| {
                missing(Path::new(&format!("Output shard {shard}")), "assemble it")
            })?;
            for file in assembled.files {
                take(&assembled.folder, &file, output.path())?;
                files.push(file);
            }
        }
        let redactions = self.redactions(decided, parts.shards.len(), redactions.clone())?;
        let duplicates = |show: &mut dyn FnMut(&str) -> _| self.each_duplicate(decided, show);
        let (format, options) = (&*self.format, &self.options);
        let report = complete(&output, parts.outcome, files, &duplicates, format, options)?;
        self.options.go_on()?;
        output.publish(&scratch)?;
        redactions.publish()?;
        Ok(report)
    }

    /// Refuses to write where Pi keeps sessions.
    fn outside_of_sessions(&self, path: &Path) -> Result<(), ExtractError> {
        let locations = &self.options.form.locations;
        let Some(root) = sessions_folder_around(path, locations, &self.environment) else {
            return Ok(());
        };
        let (path, root) = (path.display(), root.display());
        let message = format!("{path} is in the sessions folder {root}; choose a place outside it");
        Err(ExtractError::Plan(message))
    }

    /// The list of what was redacted in all sessions.
    fn redactions(
        &self,
        decided: &DecidedPlan,
        shards: usize,
        path: Option<PathBuf>,
    ) -> Result<RedactionsFile, ExtractError> {
        let options = crate::ExtractOptions { redactions: path, ..self.options.clone() };
        let mut sessions = Vec::new();
        if options.redactions.is_some() {
            for shard in 0..shards {
                for session in self.unit(decided, shard)? {
                    // What becomes of its samples does not matter here.
                    sessions.push(KeptSession { samples: Vec::new(), ..session? });
                }
            }
            sessions.sort_by_key(|session| session.number);
        }
        RedactionsFile::of(&self.sources, Box::new(sessions.into_iter().map(Ok)), &options)
    }
}

/// Copies a file into the data set. A second name would not do: whoever edits the data set would
/// edit the work folder with it, and what is published from there later.
fn take(from: &Path, file: &WrittenFile, to: &Path) -> Result<(), ExtractError> {
    let (source, place) = (from.join(&file.path), to.join(&file.path));
    if let Some(parent) = place.parent() {
        make_private_directory(parent)?;
    }
    fs_err::copy(&source, &place).on("write", &place)?;
    let copy = fs_err::File::open(&place).on("write", &place)?;
    copy.sync_data().on("write", &place)?;
    if replaceable::is_edited(&place, &file.hash) {
        let problem = "it is not as it was written";
        return Err(ExtractError::Damaged { path: source, problem });
    }
    Ok(())
}
