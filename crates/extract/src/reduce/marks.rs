//! Marks that several sessions have.

use std::path::Path;

use pitree_session::summary::Cancel;

use super::FAN_IN;
use super::sorter::Sorter;
use super::tape::Disk;
use crate::error::ExtractError;

/// Takes the marks of all sessions.
pub(crate) struct CommonMarks {
    /// Marks with the numbers of their sessions.
    marks: Sorter<2>,
}

impl CommonMarks {
    /// With so many bytes of memory. What does not fit is written to files without names in this
    /// folder.
    pub(crate) fn new(memory: usize, folder: &Path, cancel: &Cancel) -> Self {
        let disk = Disk::new(folder, FAN_IN, memory / 2).until(cancel);
        Self { marks: Sorter::new(&disk, memory / 2) }
    }

    pub(crate) fn push(&mut self, mark: u64, session: usize) -> Result<(), ExtractError> {
        self.marks.push([mark, session as u64])
    }

    /// Shows the sessions that have a mark which another one has too, once for each such mark or
    /// more often.
    pub(crate) fn each(self, mut show: impl FnMut(usize)) -> Result<(), ExtractError> {
        let marks = self.marks.finish()?;
        let mut all = marks.iter()?;
        let Some(mut last) = all.next()? else { return Ok(()) };
        while let Some(next) = all.next()? {
            if next[0] == last[0] && next[1] != last[1] {
                show(last[1] as usize);
                show(next[1] as usize);
            }
            last = next;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn only_sessions_with_a_mark_of_another_one_are_shown_however_little_fits() {
        let folder = tempfile::tempdir().unwrap();
        let marks = [(5, 6), (1, 0), (2, 1), (3, 3), (2, 2), (3, 2), (4, 4), (4, 4), (5, 5)];
        for memory in [0, 100, 1 << 20] {
            let mut common = CommonMarks::new(memory, folder.path(), &Cancel::new());
            marks.iter().for_each(|(mark, session)| common.push(*mark, *session).unwrap());
            let mut shown = BTreeSet::new();
            let show = |session| {
                shown.insert(session);
            };
            common.each(show).unwrap();
            assert_eq!(shown, BTreeSet::from([1, 2, 3, 5, 6]), "{memory} bytes");
        }
    }
}
