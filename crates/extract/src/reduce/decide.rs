//! What becomes of each sample: one step for each, in an order that is fixed.
//!
//! A step needs to know of samples before it whether one that says the same was kept, and whether
//! its conversation was let in where too many begin alike. Sorting tells which sample before it is
//! the last one that knows; one bit of that sample says the rest.

use super::bits::Bits;
use super::candidate::{Candidate, WORDS};
use super::comparison::Comparison;
use super::decisions::{Decisions, SampleDecision, SamplePlace};
use super::order::{self, OrderRecord};
use super::sorter::{Merge, Sorted, Sorter};
use super::tape::{Disk, Record};
use super::twin_search::{SharedTargets, TwinSearch, links, push_keys};
use crate::error::ExtractError;
use crate::quality::Dedupe;
use crate::reason::DropReason;

/// Decides on all samples.
pub(super) fn decide(mut comparison: Comparison) -> Result<Decisions, ExtractError> {
    let (settings, disk) = (comparison.settings, comparison.disk.clone());
    let empty = Sorter::new(&disk, 0);
    let order = std::mem::replace(&mut comparison.order, empty).finish()?;
    let keys = Keys::of(&order, &comparison)?;
    let equal = previous_equal(keys.exact, &disk, settings.part(16))?;
    let most = settings.cap.unwrap_or(usize::MAX);
    let (crowded, groups) = crowded(keys.beginnings, most as u64, &disk, settings.part(16))?;
    let near = Near::of(keys.places, &comparison)?;
    let mut judge = Judge {
        dedupe: settings.dedupe,
        most: most as u64,
        has_equal: Bits::default(),
        is_let_in: Bits::default(),
        let_in: vec![0; groups],
        leads: Bits::default(),
        decided: Sorter::new(&disk, settings.part(16)),
    };
    let (mut order, mut equal, mut crowded) = (order.iter()?, equal.iter()?, crowded.iter()?);
    let mut targets = near.targets.iter()?;
    let mut search = TwinSearch::new(&near.links, &disk, settings.part(8))?;
    let mut position = 0;
    while let Some(words) = order.next()? {
        let record = OrderRecord::of_words(words);
        let sample = Sample {
            position,
            place: record.place(),
            equal: equal.next_of(position)?.map(|[_, previous]| previous),
            crowd: crowded.next_of(position)?.map(Crowd::of_words),
        };
        let own = own_targets(&mut targets, position)?;
        let are_all = own.len() == record.sketches();
        let step = search.visit(own, |twins, all, first_own| {
            let own = &all[first_own..];
            let find = || twins.find_all(own.iter().map(|target| &target.sketch));
            let leads =
                judge.step(&sample, || find().filter(|_| are_all).map(|owner| &all[owner]))?;
            if leads {
                let own = all.iter().enumerate().skip(first_own);
                own.for_each(|(owner, target)| twins.add(&target.sketch, owner));
            }
            Ok(())
        })?;
        if step.is_none() {
            judge.step(&sample, || None)?;
        }
        position += 1;
    }
    let decided = judge.decided;
    Decisions::of(comparison, decided)
}

/// The targets of the sample at this position that share keys with others.
fn own_targets(
    targets: &mut Merge<'_, WORDS>,
    position: u64,
) -> Result<Vec<Candidate>, ExtractError> {
    let mut own = Vec::new();
    while let Some(words) = targets.next_of(position)? {
        own.push(Candidate::of_words(&words));
    }
    Ok(own)
}

/// The keys by which samples are joined with others, each with a position.
struct Keys {
    exact: Sorter<3>,
    beginnings: Sorter<5>,
    /// The positions of the samples by their places.
    places: Sorter<2>,
}

impl Keys {
    fn of(order: &Sorted<{ order::WORDS }>, about: &Comparison) -> Result<Self, ExtractError> {
        let (settings, disk) = (about.settings, &about.disk);
        let mut keys = Self {
            exact: Sorter::new(disk, settings.part(16)),
            beginnings: Sorter::new(disk, settings.part(16)),
            places: Sorter::new(disk, settings.part(16)),
        };
        let (mut order, mut position) = (order.iter()?, 0);
        while let Some(words) = order.next()? {
            let record = OrderRecord::of_words(words);
            if settings.dedupe != Dedupe::Off {
                keys.exact.push(record.exact(position))?;
            }
            if settings.cap.is_some() {
                keys.beginnings.push(record.beginning(position))?;
            }
            if record.sketches() > 0 {
                keys.places.push([record.place(), position])?;
            }
            position += 1;
        }
        Ok(keys)
    }
}

/// By position: the position of the sample before it that says the same.
fn previous_equal(exact: Sorter<3>, disk: &Disk, bytes: usize) -> Result<Sorted<2>, ExtractError> {
    let exact = exact.finish()?;
    let mut all = exact.iter()?;
    let mut previous = Sorter::new(disk, bytes);
    let mut last: Option<Record<3>> = None;
    while let Some(record) = all.next()? {
        if let Some([.., before]) = last.filter(|last| last[..2] == record[..2]) {
            previous.push([record[2], before])?;
        }
        last = Some(record);
    }
    previous.finish()
}

/// By position: the samples that begin as more conversations do than may. And how many beginnings
/// that are.
fn crowded(
    beginnings: Sorter<5>,
    most: u64,
    disk: &Disk,
    bytes: usize,
) -> Result<(Sorted<3>, usize), ExtractError> {
    let beginnings = beginnings.finish()?;
    // One that counts the conversations of a beginning, and one that follows when they are known.
    let (mut ahead, mut behind) = (beginnings.iter()?, beginnings.iter()?);
    let mut crowded = Sorter::new(disk, bytes);
    let mut groups = 0;
    while let Some(first) = ahead.peek().copied() {
        let is_same = |record: &Record<5>| record[..2] == first[..2];
        let (mut conversations, mut last) = (0, None);
        while ahead.peek().is_some_and(is_same) {
            let conversation = ahead.next()?.map(|record| [record[2], record[3]]);
            conversations += u64::from(conversation != last);
            last = conversation;
        }
        let is_crowded = conversations > most;
        let mut previous: Option<Record<5>> = None;
        while behind.peek().is_some_and(is_same) {
            let Some(record) = behind.next()? else { break };
            if is_crowded {
                let before = previous.filter(|previous| previous[..4] == record[..4]);
                let crowd = Crowd { group: groups, previous: before.map(|before| before[4]) };
                crowded.push(crowd.to_words(record[4]))?;
            }
            previous = Some(record);
        }
        groups += usize::from(is_crowded);
    }
    Ok((crowded.finish()?, groups))
}

/// Targets that may have twins, and which positions they tie.
struct Near {
    targets: Sorted<WORDS>,
    links: Sorted<4>,
}

impl Near {
    fn of(places: Sorter<2>, about: &Comparison) -> Result<Self, ExtractError> {
        let (settings, disk) = (about.settings, &about.disk);
        let mut by_position = Sorter::new(disk, settings.part(8));
        let mut keys = Sorter::new(disk, settings.part(8));
        let places = places.finish()?;
        let mut places = places.iter()?;
        if places.peek().is_some() {
            let mut targets = SharedTargets::of(&about.sketches, &about.shared)?;
            while let Some(mut target) = targets.next()? {
                while places.peek().is_some_and(|[place, _]| *place < target.place) {
                    places.next()?;
                }
                if let Some([_, position]) = places.peek() {
                    target.unit = *position;
                    push_keys(&mut keys, &target)?;
                    by_position.push(target.to_words())?;
                }
            }
        }
        let links = links(keys, disk, settings.part(8))?;
        Ok(Self { targets: by_position.finish()?, links })
    }
}

/// A sample on its turn.
struct Sample {
    position: u64,
    place: u64,
    /// The position of the last one that says the same.
    equal: Option<u64>,
    /// If too many begin as it does.
    crowd: Option<Crowd>,
}

/// Conversations that begin alike, of which not all may stay.
#[derive(Clone, Copy)]
struct Crowd {
    group: usize,
    /// The position of the last sample of the same conversation.
    previous: Option<u64>,
}

impl Crowd {
    fn to_words(self, position: u64) -> Record<3> {
        [position, self.group as u64, self.previous.map_or(0, |previous| previous + 1)]
    }

    fn of_words([_, group, previous]: Record<3>) -> Self {
        Self { group: group as usize, previous: previous.checked_sub(1) }
    }
}

/// What is known of all samples that were decided.
struct Judge {
    dedupe: Dedupe,
    /// How many conversations may begin alike.
    most: u64,
    /// Of each position whether what is said there was kept by then.
    has_equal: Bits,
    /// Of each position whether its conversation was let in by then.
    is_let_in: Bits,
    /// How many conversations were let in, of each crowd.
    let_in: Vec<u32>,
    /// Which positions others are near duplicates of.
    leads: Bits,
    decided: Sorter<3>,
}

impl Judge {
    /// Decides on the next sample. Whether others may be near duplicates of it.
    fn step<'c>(
        &mut self,
        sample: &Sample,
        find_twin: impl FnOnce() -> Option<&'c Candidate>,
    ) -> Result<bool, ExtractError> {
        let previous = sample.crowd.and_then(|crowd| crowd.previous);
        if previous.is_some_and(|previous| self.is_let_in.has(previous)) {
            self.is_let_in.set(sample.position);
        }
        let decision = self.decision(sample, find_twin)?;
        if matches!(decision.dropped, None | Some(DropReason::Duplicate)) {
            self.has_equal.set(sample.position);
        }
        if decision != SampleDecision::default() {
            self.decided.push(decision.to_words(sample.place))?;
        }
        Ok(decision == SampleDecision::default())
    }

    fn decision<'c>(
        &mut self,
        sample: &Sample,
        find_twin: impl FnOnce() -> Option<&'c Candidate>,
    ) -> Result<SampleDecision, ExtractError> {
        let mut decision = SampleDecision::default();
        if sample.equal.is_some_and(|equal| self.has_equal.has(equal)) {
            decision.dropped = Some(DropReason::Duplicate);
            return Ok(decision);
        }
        if let Some(twin) = find_twin() {
            let cluster = SamplePlace::of_word(twin.place);
            decision.cluster = Some(cluster);
            if self.leads.set(twin.unit) {
                let leader = SampleDecision { dropped: None, cluster: Some(cluster) };
                self.decided.push(leader.to_words(twin.place))?;
            }
            if self.dedupe == Dedupe::Drop {
                decision.dropped = Some(DropReason::NearDuplicate);
                return Ok(decision);
            }
        }
        if sample.crowd.is_some_and(|crowd| !self.lets_in(sample.position, crowd)) {
            decision.dropped = Some(DropReason::Capped);
        }
        Ok(decision)
    }

    /// Whether a sample of this crowd may stay.
    fn lets_in(&mut self, position: u64, crowd: Crowd) -> bool {
        if self.is_let_in.has(position) {
            return true;
        }
        let let_in = &mut self.let_in[crowd.group];
        if u64::from(*let_in) < self.most {
            *let_in += 1;
            self.is_let_in.set(position);
            return true;
        }
        false
    }
}
