//! The stage `assemble`: the files of one output shard.

use std::path::{Path, PathBuf};

use pitree_session::make_private_directory;
use serde::{Deserialize, Serialize};

use super::{DecidedPlan, Executor};
use crate::error::{ExtractError, IoContext};
use crate::output::WrittenFile;
use crate::stages::assemble::{self, Reading};
use crate::stages::work_folder;

/// Tells of the files that are beside it. Its name is none that a data set has.
const WRITTEN: &str = ".written";

/// The files of an output shard in the work folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssembledShard {
    /// The shard.
    pub shard: usize,
    /// The folder in which they are.
    pub folder: PathBuf,
    /// They, with their paths in the data set.
    pub files: Vec<WrittenFile>,
    /// Whether they were there before, and were found again.
    pub was_done: bool,
}

impl Executor {
    /// Writes the files of an output shard into the work folder. If they are there they are found
    /// again.
    ///
    /// # Errors
    /// Fails if there is no such shard, or if something in the work folder is damaged or cannot be
    /// written.
    pub fn assemble(
        &self,
        decided: &DecidedPlan,
        shard: usize,
    ) -> Result<AssembledShard, ExtractError> {
        if let Some(files) = self.assembled(decided, shard)? {
            return Ok(AssembledShard { was_done: true, ..files });
        }
        let shards = self.decided(decided)?.shards;
        let own = shards.get(shard).ok_or_else(|| {
            let count = shards.len();
            ExtractError::Plan(format!(
                "There is no output shard {shard}: there are {count}, from 0"
            ))
        })?;
        let sessions = self.unit(decided, shard)?;
        let folder = self.output_folder(decided, shard);
        let parent = folder.parent().unwrap_or(Path::new("."));
        let making = tempfile::Builder::new().prefix(".making-").tempdir_in(parent);
        let making = making.on("make a folder in", parent)?;
        // The folder itself gets the mode that all folders of a data set have.
        let inner = making.path().join("files");
        make_private_directory(&inner)?;
        let (format, options) = (&*self.format, &self.options);
        let files = assemble::write(own, sessions, Reading::Shared, &inner, format, options)?;
        work_folder::write(&inner.join(WRITTEN), &files)?;
        if fs_err::rename(&inner, &folder).is_err() {
            // Somebody else was faster, or has left half of it; then it is made way for.
            if let Some(files) = self.assembled(decided, shard)? {
                return Ok(AssembledShard { was_done: true, ..files });
            }
            let _ = fs_err::remove_dir_all(&folder);
            fs_err::rename(&inner, &folder).on("write", &folder)?;
        }
        Ok(AssembledShard { shard, folder, files, was_done: false })
    }

    /// The files of an output shard, if they are there as they were written.
    pub(super) fn assembled(
        &self,
        decided: &DecidedPlan,
        shard: usize,
    ) -> Result<Option<AssembledShard>, ExtractError> {
        let folder = self.output_folder(decided, shard);
        let files = work_folder::read::<Vec<WrittenFile>>(&folder.join(WRITTEN));
        // Damage is as good as nothing: it is made anew.
        let Ok(Some(files)) = files else { return Ok(None) };
        let is_whole = |file: &WrittenFile| {
            let metadata = fs_err::symlink_metadata(folder.join(&file.path));
            metadata.is_ok_and(|it| it.is_file() && it.len() == file.bytes)
        };
        let is_whole = files.iter().all(is_whole);
        Ok(is_whole.then_some(AssembledShard { shard, folder, files, was_done: true }))
    }

    fn output_folder(&self, decided: &DecidedPlan, shard: usize) -> PathBuf {
        let address = self.folder.address("assemble", &[&decided.id, &shard.to_string()]);
        self.folder.output(&address)
    }
}
