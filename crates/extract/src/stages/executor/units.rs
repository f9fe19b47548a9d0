//! The sessions of each output shard, as they lie in the work folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{DecidedPlan, Executor, missing};
use crate::error::ExtractError;
use crate::output::spool::Extent;
use crate::quality::Split;
use crate::stages::assemble::KeptSessions;
use crate::stages::decided::{DecidedSessions, KeptSession, SampleFate, Unit};
use crate::stages::record_file::{RecordReader, RecordWriter};
use crate::stages::session::SpoolPlace;

/// The ending of their files.
const UNIT: &str = "unit";

/// A session of an output shard.
#[derive(Serialize, Deserialize)]
struct UnitSession {
    number: usize,
    /// The file of its spool, below the work folder, which may have another path for others.
    pack: PathBuf,
    extent: Extent,
    split: Split,
    samples: Vec<SampleFate>,
}

/// The files of units in the making.
struct UnitWriters<'e> {
    executor: &'e Executor,
    id: &'e str,
    /// Those that are begun, with the number of sessions that are still to come.
    open: HashMap<usize, (RecordWriter<UnitSession>, usize)>,
}

impl Executor {
    /// Writes the sessions of all output shards, in one pass over what was decided. No more files
    /// are open than a data set has parts.
    pub(super) fn write_units(
        &self,
        id: &str,
        units: &[Unit],
        decided: &dyn DecidedSessions,
    ) -> Result<(), ExtractError> {
        let mut unit_of = vec![None; self.sources.len()];
        let mut writers = UnitWriters { executor: self, id, open: HashMap::new() };
        for (number, unit) in units.iter().enumerate() {
            unit.sessions.iter().for_each(|at| unit_of[*at] = Some(number));
            if unit.sessions.is_empty() {
                writers.begin(number)?.finish()?;
            }
        }
        decided.each(&mut |session| {
            let Some(unit) = unit_of[session.number] else { return Ok(()) };
            match session.kept(|place| decided.leader_id(place))? {
                Some(kept) => writers.add(unit, units[unit].sessions.len(), kept),
                None => Ok(()),
            }
        })
    }

    fn unit_path(&self, id: &str, number: usize) -> PathBuf {
        self.folder.reduced(&format!("{id}-{number}"), UNIT)
    }

    /// The sessions of an output shard, read one by one.
    pub(super) fn unit(
        &self,
        decided: &DecidedPlan,
        number: usize,
    ) -> Result<KeptSessions<'_>, ExtractError> {
        let path = self.unit_path(&decided.id, number);
        let sessions = RecordReader::<UnitSession>::open_sound(&path)?;
        let sessions = sessions.ok_or_else(|| missing(&path, "reduce the plan"))?;
        let mut packs: HashMap<PathBuf, Arc<Path>> = HashMap::new();
        Ok(Box::new(sessions.map(move |session| {
            let UnitSession { number, pack, extent, split, samples } = session?;
            if number >= self.sources.len() {
                let problem = "it has a session that the plan does not have";
                return Err(ExtractError::Damaged { path: path.clone(), problem });
            }
            let whole = self.folder.path().join(&pack);
            let file = Arc::clone(packs.entry(pack).or_insert_with(|| whole.into()));
            let place = SpoolPlace { file, extent, is_kept: true, is_alone: false };
            Ok(KeptSession { number, place, split, samples })
        })))
    }
}

impl UnitWriters<'_> {
    fn begin(&self, unit: usize) -> Result<RecordWriter<UnitSession>, ExtractError> {
        RecordWriter::new(&self.executor.unit_path(self.id, unit))
    }

    /// Adds the next session of a unit that has so many.
    fn add(&mut self, unit: usize, of: usize, kept: KeptSession) -> Result<(), ExtractError> {
        let (mut writer, left) = match self.open.remove(&unit) {
            Some(open) => open,
            None => (self.begin(unit)?, of),
        };
        let KeptSession { number, place, split, samples } = kept;
        let below = place.file.strip_prefix(self.executor.folder.path()).unwrap_or(&place.file);
        let (pack, extent) = (below.to_owned(), place.extent);
        writer.add(&UnitSession { number, pack, extent, split, samples })?;
        match left {
            0 | 1 => writer.finish(),
            _ => {
                self.open.insert(unit, (writer, left - 1));
                Ok(())
            }
        }
    }
}
