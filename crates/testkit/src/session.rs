//! Whole session files from a seed.

use crate::generate::conversation::grow;
use crate::generate::framing::{frame, header};
use crate::generate::old::{version_1, version_2};
use crate::generate::tree::Tree;
use crate::generate::working;
use crate::histogram::CaseFacts;
use crate::json::Object;
use crate::rng::Rng;

/// A generated session file and what is in it.
#[derive(Clone, Debug)]
pub struct GeneratedSession {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// What the generator knows about them.
    pub facts: CaseFacts,
}

/// A random session of version 3.
pub fn session(seed: u64) -> GeneratedSession {
    let mut rng = Rng::new(seed);
    let tree = grow(&mut rng);
    let header = header(&mut rng, tree.now());
    finish(rng, header, tree)
}

/// A random session of version 3 in which files are read and written, outputs are large and
/// answers fail: what compactions and branch summaries are made from.
pub fn working_session(seed: u64) -> GeneratedSession {
    let mut rng = Rng::new(seed ^ 0x0303_0303_0303_0303);
    let tree = working::grow(&mut rng);
    let header = header(&mut rng, tree.now());
    finish(rng, header, tree)
}

/// A random session of version 1: linear, without ids.
pub fn session_v1(seed: u64) -> GeneratedSession {
    // Another stream than that of `session`, so that equal seeds give unlike conversations.
    let mut rng = Rng::new(seed ^ 0x0101_0101_0101_0101);
    let (header, tree) = version_1(&mut rng);
    finish(rng, header, tree)
}

/// A random session of version 2: a tree in which extensions still wrote `hookMessage`.
pub fn session_v2(seed: u64) -> GeneratedSession {
    let mut rng = Rng::new(seed ^ 0x0202_0202_0202_0202);
    let tree = grow(&mut rng);
    let (header, tree) = version_2(&mut rng, tree);
    finish(rng, header, tree)
}

fn finish(mut rng: Rng, header: Object, mut tree: Tree) -> GeneratedSession {
    let mut facts = tree.facts();
    let (bytes, oddities) = frame(&mut rng, header, tree.lines);
    facts.oddities = oddities;
    GeneratedSession { bytes, facts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Histogram;

    #[test]
    fn same_seed_same_bytes() {
        for make in [session, session_v1, session_v2, working_session] {
            for seed in 0..50 {
                assert_eq!(make(seed).bytes, make(seed).bytes);
            }
            assert_ne!(make(1).bytes, make(2).bytes);
        }
    }

    #[test]
    fn a_thousand_sessions_reach_every_floor() {
        let mut histogram = Histogram::default();
        (0..1000).for_each(|seed| histogram.add(&session(seed).facts));
        println!("{histogram}");
        assert_eq!(histogram.shortfalls(), Vec::<String>::new());
    }

    #[test]
    fn old_sessions_hold_the_old_roles() {
        let mut histogram = Histogram::default();
        (0..300).for_each(|seed| histogram.add(&session_v2(seed).facts));
        assert!(histogram.percent_with_role("hookMessage") >= 8.0, "{histogram}");
        let first = session_v1(3);
        assert!(!first.bytes.windows(10).any(|bytes| bytes == b"\"parentId\""));
    }
}
