//! What becomes of the samples of more sessions than memory holds.
//!
//! The facts of all sessions go in, oldest session first. What comes out for each session: which of
//! its samples are left out and why, which part of the split it is in, and which of its targets an
//! older session has too. Facts are sorted and joined on disk; while they fit into the memory that
//! is allowed, no file is written.
//!
//! `quality` decides the same, in memory. A run on one machine holds all facts anyway and asks
//! `quality`; the stage `reduce` reads facts from files and asks this module. The tests hold them to
//! the same answers, so a rule is changed in both.
//!
//! In memory is, besides the buffers that [`Reducer::new`] gets its limit for:
//!
//! - four bytes and a bit for each session, for the families;
//! - three bits for each sample while it is decided, and four bytes for each beginning that too many
//!   sessions have, if there is a cap;
//! - the samples of one session.
//!
//! How the parts work together:
//!
//! 1. [`Reducer::push`] takes the facts apart into records of a fixed size (`tape`), each with the
//!    key by which it is joined: ids, hashes of samples, targets, bands of sketches.
//! 2. [`Reducer::compare`] sorts them by these keys (`sorter`). What has a key in common stands
//!    together then, so families and repeated targets come out of one pass over each.
//! 3. [`Comparison::decide`] puts the samples into the order in which they are decided. A rule that
//!    asks for an earlier sample asks for one that shares a key, so sorting tells which one that is,
//!    and a bit for each sample tells what became of it. Near duplicates ask for more: see
//!    `twin_search`.

mod bits;
mod candidate;
mod comparison;
mod copies;
mod decide;
mod decisions;
mod marks;
mod order;
mod queue;
mod sample_ids;
mod sorter;
mod tape;
#[cfg(test)]
mod tests;
mod twin_search;

use std::path::Path;

use pitree_sample::About;
use pitree_session::summary::Cancel;

use crate::error::ExtractError;
use crate::quality::{Dedupe, Quality, SampleFacts, Split, Union, split_of};
use crate::reply_keys::{ReplyKey, first_half};
use bits::Bits;
use candidate::{Candidate, WORDS};
pub use comparison::{Comparison, RepeatedInSession, RepeatedTargets};
use copies::Copies;
pub use decisions::{Decisions, SampleDecision, SamplePlace, SessionDecision, SessionDecisions};
pub(crate) use marks::CommonMarks;
use order::OrderRecord;
pub(crate) use sample_ids::SampleIds;
use sorter::Sorter;
use tape::{Disk, Tape};
use twin_search::{in_band, key_words};

/// How many sorted runs are merged at a time.
const FAN_IN: usize = 128;

/// What is known of a session, by which it is compared with others.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComparedSession<'a> {
    /// Its id.
    pub session_id: &'a str,
    /// The session at the top of its forks and sub-agents; may be empty.
    pub family_id: &'a str,
    /// The session that it was forked from, or that sent it out.
    pub parent_session_id: Option<&'a str>,
    /// Whether it is the session of a sub-agent.
    pub is_subagent: bool,
    /// The role of its agent.
    pub role: Option<&'a str>,
    /// What is known of its samples; none if the session is left out.
    pub samples: &'a [SampleFacts],
    /// Its replies that are context only, because an older session has them.
    pub copies: &'a [ReplyKey],
}

impl<'a> ComparedSession<'a> {
    /// The facts of a session.
    pub fn new(about: &'a About, samples: &'a [SampleFacts]) -> Self {
        Self {
            session_id: &about.session_id,
            family_id: &about.family_id,
            parent_session_id: about.parent_session_id.as_deref(),
            is_subagent: about.is_subagent,
            role: about.role.as_ref().map(|found| found.role.as_str()),
            samples,
            copies: &[],
        }
    }

    /// The same with the replies that are context only, because an older session has them.
    #[must_use]
    pub fn with_copies(self, copies: &'a [ReplyKey]) -> Self {
        Self { copies, ..self }
    }

    /// Sessions of which only so many may begin in the same way count as one if this is equal. A
    /// sub-agent is in the family of who sent it out, and there may be many that begin alike.
    fn conversation(&self) -> &'a str {
        let is_alone = self.is_subagent || self.family_id.is_empty();
        if is_alone { self.session_id } else { self.family_id }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
struct Settings {
    dedupe: Dedupe,
    validation: Option<f64>,
    cap: Option<usize>,
    /// The bytes of all buffers.
    memory: usize,
}

impl Settings {
    /// One of so many parts of the memory.
    fn part(&self, of: usize) -> usize {
        self.memory / of
    }

    /// Whether any sample may be left out.
    fn decides(&self) -> bool {
        self.dedupe != Dedupe::Off || self.cap.is_some()
    }
}

/// Takes the facts of all sessions.
///
/// ```
/// use pitree_extract::{Dedupe, Quality, SampleFacts};
/// use pitree_extract::reduce::{ComparedSession, Reducer};
/// use pitree_session::summary::Cancel;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let quality = Quality { dedupe: Dedupe::Exact, ..Quality::default() };
/// let mut reducer = Reducer::new(&quality, 64 << 20, folder.path(), &Cancel::new());
/// let sample = SampleFacts { exact: [7; 16], ..SampleFacts::default() };
/// for session_id in ["first", "second"] {
///     reducer.push(&ComparedSession {
///         session_id,
///         samples: std::slice::from_ref(&sample),
///         ..ComparedSession::default()
///     })?;
/// }
/// let decisions = reducer.compare()?.decide()?;
/// assert_eq!((decisions.sessions(), decisions.families()), (2, 1));
/// let second = decisions.range(1..2)?.next().transpose()?.ok_or("no second session")?;
/// assert!(second.samples[0].dropped.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reducer {
    settings: Settings,
    disk: Disk,
    union: Union,
    /// Which sessions are in the part to measure with if they decide for their family.
    in_validation: Bits,
    /// How many samples each session has.
    counts: Tape<1>,
    /// Ids with their sessions.
    ids: Sorter<3>,
    /// Hashes of samples with their sessions.
    exact: Sorter<3>,
    /// Keys of targets with their places, and the paths of these targets.
    targets: Sorter<5>,
    copies: Copies,
    /// The keys of sketches with the numbers of their targets.
    bands: Sorter<3>,
    /// The targets by these numbers.
    sketches: Tape<WORDS>,
    /// What is needed to decide on each sample.
    order: Sorter<{ order::WORDS }>,
}

impl Reducer {
    /// For this quality, with so many bytes of memory for its buffers. What does not fit is written
    /// to files in this folder; they have no names, and nothing is left of them in the end. When
    /// somebody asks to stop, what is under way ends with [`ExtractError::Cancelled`].
    pub fn new(quality: &Quality, memory: usize, folder: &Path, cancel: &Cancel) -> Self {
        Self::with_disk(quality, memory, Disk::new(folder, FAN_IN, memory / 16).until(cancel))
    }

    fn with_disk(quality: &Quality, memory: usize, disk: Disk) -> Self {
        let Quality { dedupe, validation, cap, .. } = *quality;
        let settings = Settings { dedupe, validation, cap, memory };
        Self {
            settings,
            union: Union::default(),
            in_validation: Bits::default(),
            counts: Tape::new(&disk, settings.part(64)),
            ids: Sorter::new(&disk, settings.part(32)),
            exact: Sorter::new(&disk, settings.part(16)),
            targets: Sorter::new(&disk, settings.part(8)),
            copies: Copies::new(&disk, settings.part(32)),
            bands: Sorter::new(&disk, settings.part(4)),
            sketches: Tape::new(&disk, settings.part(16)),
            order: Sorter::new(&disk, settings.part(8)),
            disk,
        }
    }

    /// Takes the facts of the next session and gives its number. Sessions come in their final
    /// order: what two have in common is the older one's.
    pub fn push(&mut self, facts: &ComparedSession<'_>) -> Result<u32, ExtractError> {
        let too_many = || ExtractError::Unexpected("there are more than 2^32 sessions or samples");
        let session = u32::try_from(self.union.len()).map_err(|_| too_many())?;
        let samples = u32::try_from(facts.samples.len()).map_err(|_| too_many())?;
        self.union.grow();
        self.counts.push([u64::from(samples)])?;
        if let Some(part) = self.settings.validation
            && split_of(facts.session_id, part) == Split::Validation
        {
            self.in_validation.set(u64::from(session));
        }
        self.push_ids(session, facts)?;
        for copy in facts.copies {
            self.copies.push(session, *copy)?;
        }
        let group = facts.role.map_or_else(|| hash(b"none", ""), |role| hash(b"role", role));
        let conversation = hash(b"", facts.conversation());
        let mut ordinal = 0;
        for (number, sample) in (0..samples).zip(facts.samples) {
            let place = SamplePlace { session, sample: number };
            let [high, low] = words(&sample.exact);
            self.exact.push([high, low, u64::from(session)])?;
            self.push_targets(place, sample)?;
            self.push_sketches(place, sample, &mut ordinal)?;
            if self.settings.decides() {
                let is_near = self.settings.dedupe.is_near();
                let record = OrderRecord::of(place, sample, group, conversation, is_near);
                self.order.push(record.to_words())?;
            }
        }
        Ok(session)
    }

    /// Says that two sessions belong together for a reason that is not in their facts, such as what
    /// they had in common in an earlier round. Both were pushed before.
    pub fn join(&mut self, one: u32, other: u32) -> Result<(), ExtractError> {
        if one.max(other) as usize >= self.union.len() {
            return Err(ExtractError::Unexpected("a session was joined before it was there"));
        }
        self.union.join(one as usize, other as usize);
        Ok(())
    }

    fn push_ids(&mut self, session: u32, facts: &ComparedSession<'_>) -> Result<(), ExtractError> {
        let ids = [facts.session_id, facts.family_id, facts.parent_session_id.unwrap_or_default()];
        for (at, id) in ids.iter().enumerate() {
            if !id.is_empty() && !ids[..at].contains(id) {
                let [high, low] = hash(b"", id);
                self.ids.push([high, low, u64::from(session)])?;
            }
        }
        Ok(())
    }

    fn push_targets(
        &mut self,
        place: SamplePlace,
        sample: &SampleFacts,
    ) -> Result<(), ExtractError> {
        for target in &sample.targets {
            let [path, own] = target.both().map(|key| words(&key));
            // Only marks are known, or it has no id: one key says all.
            let keys = if path == own { &[path][..] } else { &[path, own] };
            for [high, low] in keys {
                self.targets.push([*high, *low, place.to_word(), path[0], path[1]])?;
            }
        }
        Ok(())
    }

    fn push_sketches(
        &mut self,
        place: SamplePlace,
        sample: &SampleFacts,
        ordinal: &mut u32,
    ) -> Result<(), ExtractError> {
        for sketch in &sample.sketches {
            let number = self.sketches.len();
            for (band, key) in sketch.keys().enumerate() {
                let [high, low] = key_words(key);
                self.bands.push([high, low, in_band(number, band)])?;
            }
            let (unit, place, sketch) = (u64::from(place.session), place.to_word(), sketch.clone());
            let target = Candidate { unit, ordinal: *ordinal, bands: 0, place, sketch };
            self.sketches.push(target.to_words())?;
            *ordinal += 1;
        }
        Ok(())
    }

    /// Compares all sessions: which belong together, and which targets they have in common.
    pub fn compare(mut self) -> Result<Comparison, ExtractError> {
        let held = [
            self.ids.held(),
            self.exact.held(),
            self.targets.held(),
            self.bands.held(),
            self.sketches.held(),
            self.order.held(),
        ];
        // What is made of them needs room, too.
        if held.iter().sum::<usize>() > self.settings.part(4) {
            self.ids.spill()?;
            self.exact.spill()?;
            self.targets.spill()?;
            self.bands.spill()?;
            self.sketches.release()?;
            self.order.spill()?;
        }
        Comparison::of(self)
    }
}

/// A text, hashed. The hash is a cryptographic one, since anybody may have written a session.
fn hash(kind: &[u8], text: &str) -> [u64; 2] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind).update(b"\0").update(text.as_bytes());
    words(&first_half(&hasher.finalize()))
}

/// Bytes as words. Which order they have does not matter.
fn words(bytes: &[u8; 16]) -> [u64; 2] {
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|at| u64::from_le_bytes(words[at]))
}
