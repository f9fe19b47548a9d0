//! What was decided, session by session.

use std::collections::BTreeMap;
use std::ops::Range;

use super::comparison::Comparison;
use super::sorter::Sorter;
use super::tape::{Disk, Reader, Record, Tape};
use crate::error::ExtractError;
use crate::quality::Split;
use crate::reason::DropReason;

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// The reasons for which a sample is left out here, by their code.
const REASONS: [DropReason; 3] =
    [DropReason::Duplicate, DropReason::NearDuplicate, DropReason::Capped];

/// Which sample of which session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SamplePlace {
    /// The number of the session.
    pub session: u32,
    /// The number of the sample in it.
    pub sample: u32,
}

impl SamplePlace {
    pub(super) fn to_word(self) -> u64 {
        u64::from(self.session) << 32 | u64::from(self.sample)
    }

    pub(super) fn of_word(word: u64) -> Self {
        Self { session: (word >> 32) as u32, sample: word as u32 }
    }
}

/// What was decided on a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionDecision {
    /// Its number.
    pub session: u32,
    /// The oldest session of its family.
    pub oldest: u32,
    /// The part of the split that its family is in.
    pub split: Split,
    /// For each of its samples, in order.
    pub samples: Vec<SampleDecision>,
}

/// What was decided on a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleDecision {
    /// Why it is left out.
    pub dropped: Option<DropReason>,
    /// The sample that it is a near duplicate of; itself if that is the one that was kept first.
    pub cluster: Option<SamplePlace>,
}

impl SampleDecision {
    /// Its words, of the sample at this place.
    pub(super) fn to_words(self, place: u64) -> Record<3> {
        let code = REASONS.iter().position(|reason| Some(*reason) == self.dropped);
        let code = code.map_or(0, |code| code as u64 + 1);
        let cluster = self.cluster.map_or(0, SamplePlace::to_word);
        [place, code << 1 | u64::from(self.cluster.is_some()), cluster]
    }

    fn of_words([_, code, cluster]: Record<3>) -> Self {
        let reason = (code >> 1).checked_sub(1);
        Self {
            dropped: reason.and_then(|code| REASONS.get(code as usize)).copied(),
            cluster: (code & 1 == 1).then(|| SamplePlace::of_word(cluster)),
        }
    }
}

/// What was decided on all sessions.
#[derive(Debug)]
pub struct Decisions {
    /// Of each session how many samples it has, with its oldest relative, and its split.
    sessions: Tape<2>,
    /// The samples of which there is something to say, by their places.
    samples: Tape<3>,
    dropped: BTreeMap<DropReason, u64>,
    families: u64,
    largest_family: u64,
    disk: Disk,
}

impl Decisions {
    /// Of what was decided on samples, and what is known of the sessions.
    pub(super) fn of(comparison: Comparison, samples: Sorter<3>) -> Result<Self, ExtractError> {
        let Comparison { settings, disk, mut union, in_validation, counts, .. } = comparison;
        let mut sessions = Tape::new(&disk, settings.part(32));
        let mut families = Sorter::new(&disk, settings.part(32));
        let (mut counts, mut session) = (counts.reader(), 0);
        while let Some([count]) = counts.next()? {
            let oldest = union.first(session) as u64;
            families.push([oldest])?;
            let split = match settings.validation {
                None => Split::All,
                Some(_) if in_validation.has(oldest) => Split::Validation,
                Some(_) => Split::Train,
            };
            sessions.push([count << 32 | oldest, split as u64])?;
            session += 1;
        }
        let (families, largest_family) = sizes(families)?;
        let samples = samples.finish()?.into_tape()?;
        let dropped = dropped(&samples)?;
        Ok(Self { sessions, samples, dropped, families, largest_family, disk })
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> u32 {
        self.sessions.len() as u32
    }

    /// Samples that are left out, by reason.
    pub fn dropped(&self) -> &BTreeMap<DropReason, u64> {
        &self.dropped
    }

    /// How many families there are.
    pub fn families(&self) -> u64 {
        self.families
    }

    /// How many sessions the largest family has.
    pub fn largest_family(&self) -> u64 {
        self.largest_family
    }

    /// How many bytes were written to temporary files so far, and how many of them were there at the
    /// same time. Nothing is written as long as all fits into memory.
    pub fn written_and_most(&self) -> (u64, u64) {
        self.disk.written_and_most()
    }

    /// What was decided on all sessions, in order.
    pub fn iter(&self) -> Result<SessionDecisions<'_>, ExtractError> {
        self.range(0..self.sessions())
    }

    /// What was decided on some of them. Nothing else is read.
    pub fn range(&self, sessions: Range<u32>) -> Result<SessionDecisions<'_>, ExtractError> {
        let end = sessions.end.min(self.sessions());
        let start = sessions.start.min(end);
        let first = u64::from(start) << 32;
        let from = self.samples.partition_point(|record| record[0] < first)?;
        let mut samples = self.samples.range(from..self.samples.len(), CHUNK_BYTES);
        let next = samples.next()?;
        let sessions = self.sessions.range(u64::from(start)..u64::from(end), CHUNK_BYTES);
        Ok(SessionDecisions { sessions, session: start, samples, next })
    }
}

/// How many families there are, and how many sessions the largest of them has.
fn sizes(families: Sorter<1>) -> Result<(u64, u64), ExtractError> {
    let families = families.finish()?;
    let mut all = families.iter()?;
    let (mut count, mut largest) = (0, 0);
    let (mut last, mut size) = (None, 0);
    while let Some(family) = all.next()? {
        let is_same = last == Some(family);
        count += u64::from(!is_same);
        size = if is_same { size + 1 } else { 1 };
        largest = largest.max(size);
        last = Some(family);
    }
    Ok((count, largest))
}

fn dropped(samples: &Tape<3>) -> Result<BTreeMap<DropReason, u64>, ExtractError> {
    let mut counts = BTreeMap::new();
    let mut samples = samples.reader();
    while let Some(record) = samples.next()? {
        if let Some(reason) = SampleDecision::of_words(record).dropped {
            *counts.entry(reason).or_default() += 1;
        }
    }
    Ok(counts)
}

/// What was decided on sessions, in order. See [`Decisions::range`].
pub struct SessionDecisions<'d> {
    sessions: Reader<'d, 2>,
    session: u32,
    samples: Reader<'d, 3>,
    next: Option<Record<3>>,
}

impl SessionDecisions<'_> {
    fn session(&mut self) -> Result<Option<SessionDecision>, ExtractError> {
        let Some([about, split]) = self.sessions.next()? else { return Ok(None) };
        let session = self.session;
        let mut samples = Vec::new();
        for sample in 0..(about >> 32) as u32 {
            let place = SamplePlace { session, sample }.to_word();
            let decision = match self.next.filter(|next| next[0] == place) {
                Some(words) => {
                    self.next = self.samples.next()?;
                    SampleDecision::of_words(words)
                }
                None => SampleDecision::default(),
            };
            samples.push(decision);
        }
        self.session += 1;
        let splits = [Split::All, Split::Train, Split::Validation];
        let split = splits.into_iter().find(|it| *it as u64 == split).unwrap_or_default();
        Ok(Some(SessionDecision { session, oldest: about as u32, split, samples }))
    }
}

impl Iterator for SessionDecisions<'_> {
    type Item = Result<SessionDecision, ExtractError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.session().transpose()
    }
}
