//! What is known of the sessions of a shard once they are worked on, in their final order.

use serde::{Deserialize, Serialize};

use super::record_file::{RecordReader, RecordWriter};
use crate::output::spool::{Extent, Summary};
use crate::report::LeftOut;

/// Writes the facts of a shard.
pub(crate) type FactsWriter = RecordWriter<SessionFacts>;

/// Reads them.
pub(crate) type FactsReader = RecordReader<SessionFacts>;

/// What is known of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionFacts {
    /// Its place in the final order.
    pub(crate) session: usize,
    pub(crate) what: Fact,
}

/// What came of the work on a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Fact {
    /// What it gives is there in the pack of the shard.
    Done(Extent, Box<Summary>),
    /// It is not in the data set.
    LeftOut(LeftOut),
    /// Nothing was to be done again.
    Unchanged,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_back_and_every_damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.facts");
        let all: Vec<SessionFacts> = (0..20)
            .map(|session| {
                let what = match session % 3 {
                    0 => Fact::Unchanged,
                    1 => Fact::LeftOut(LeftOut::Unreadable("gone".to_owned())),
                    _ => Fact::Done(Extent::default(), Box::default()),
                };
                SessionFacts { session, what }
            })
            .collect();
        let mut writer = FactsWriter::new(&path).unwrap();
        all.iter().for_each(|facts| writer.add(facts).unwrap());
        assert!(!path.exists(), "it has no name before it is whole");
        writer.finish().unwrap();
        let read = || FactsReader::open(&path).unwrap().unwrap().collect::<Result<Vec<_>, _>>();
        assert_eq!(read().unwrap(), all);
        let whole = fs_err::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            for bytes in [&flipped, &whole[..at]] {
                fs_err::write(&path, bytes).unwrap();
                let error = read().unwrap_err().to_string();
                assert!(error.contains("x.facts") && error.contains("run its stage again"), "{at}");
            }
        }
        fs_err::remove_file(&path).unwrap();
        assert!(FactsReader::open(&path).unwrap().is_none());
    }
}
