//! The list of what was redacted, for whoever makes a data set.
//!
//! It names sessions and places, so it is no part of the data set: it lies elsewhere, and only its
//! owner may read it. Each line is one thing that was found, as JSON: `file`, `line`, `rule`,
//! `place` and `masked`, never the value itself.

use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{ExtractError, IoContext};
use crate::options::ExtractOptions;
use crate::output::spool::REDACTION_LINE;
use crate::stages::assemble::{KeptSessions, OpenFiles};
use crate::stages::session::PlannedSource;

/// The file in the making: it takes its name when the data set is complete.
pub(crate) struct RedactionsFile(Option<(NamedTempFile, PathBuf)>);

impl RedactionsFile {
    /// Writes what was redacted in all sessions that are in the data set, if that is wanted.
    pub(crate) fn of(
        sources: &[PlannedSource],
        sessions: KeptSessions<'_>,
        options: &ExtractOptions,
    ) -> Result<Self, ExtractError> {
        let Some(path) = &options.redactions else { return Ok(Self(None)) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // A temporary file is its owner's alone, and so is what it is renamed to.
        let mut file = pitree_session::temporary_file_in(folder).on("write", path)?;
        let mut out = BufWriter::new(&mut file);
        // The file of a sub-agent may be a session too, or belong to several of them.
        let name = |planned: &PlannedSource| options.mirrors.shown(&planned.source.path);
        let mut told: HashSet<PathBuf> = sources.iter().map(name).collect();
        let mut open = OpenFiles::default();
        for session in sessions {
            let session = session?;
            let spool = open.get(&session.place.file)?.spool(&session.place.extent)?;
            let own = name(&sources[session.number]);
            spool.each_redactions(|file, lines| {
                if file == own || told.insert(file.to_owned()) {
                    out.write_all(lines).on("write", path)?;
                }
                Ok(())
            })?;
        }
        out.flush().on("write", path)?;
        drop(out);
        file.as_file().sync_data().on("write", path)?;
        Ok(Self(Some((file, path.clone()))))
    }

    /// Gives the file its name.
    pub(crate) fn publish(self) -> Result<(), ExtractError> {
        let Some((file, path)) = self.0 else { return Ok(()) };
        check(&path)?;
        file.persist(&path).map_err(|error| error.error).on("write", &path)?;
        Ok(())
    }
}

/// Refuses a place that holds something else than such a list.
pub(crate) fn check(path: &Path) -> Result<(), ExtractError> {
    let Ok(metadata) = fs_err::symlink_metadata(path) else { return Ok(()) };
    let is_list = |path: &Path| {
        let mut begin = [0; REDACTION_LINE.len()];
        let mut file = fs_err::File::open(path)?;
        std::io::Read::read_exact(&mut file, &mut begin)?;
        Ok::<_, std::io::Error>(begin == *REDACTION_LINE)
    };
    if metadata.is_file() && (metadata.len() == 0 || is_list(path).unwrap_or(false)) {
        return Ok(());
    }
    Err(ExtractError::FileTaken { path: path.to_owned() })
}
