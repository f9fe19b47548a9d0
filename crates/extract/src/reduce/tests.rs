//! What is decided out of core is what is decided in memory.

use std::collections::{BTreeMap, HashSet};

use pitree_sample::{About, AgentRole};
use pitree_session::summary::Cancel;
use pitree_testkit::{Rng, properties};
use proptest::prelude::*;

use super::tape::Disk;
use super::{
    ComparedSession, Decisions, Reducer, RepeatedInSession, SampleDecision, SamplePlace, words,
};
use crate::ExtractError;
use crate::quality::{BANDS, Dedupe, Families, Judged, Quality, SampleFacts, TargetSketch, decide};
use crate::reply_keys::{ReplyKey, TargetKey};

/// How alike everything is.
#[derive(Clone, Copy, Debug)]
struct Likeness {
    /// So many ids, hashes and keys there are for each kind.
    space: usize,
    /// So many keys there are for a band of a sketch.
    band_space: usize,
    /// The most samples of a session, and the most targets of a sample.
    most: usize,
}

fn made_sessions(seed: u64, count: usize, likeness: Likeness) -> Vec<(About, Vec<SampleFacts>)> {
    let rng = &mut Rng::new(seed);
    // Sketches of which others are variations: that makes twins, and chains of them.
    let patterns: Vec<TargetSketch> = (0..3).map(|_| sketch(rng, likeness)).collect();
    (0..count)
        .map(|_| {
            let about = about(rng, likeness);
            let samples = rng.below(likeness.most + 1);
            (about, (0..samples).map(|_| sample(rng, likeness, &patterns)).collect())
        })
        .collect()
}

fn about(rng: &mut Rng, likeness: Likeness) -> About {
    let id = |rng: &mut Rng| match rng.below(4 * likeness.space) {
        0 => String::new(),
        number => format!("id {number}"),
    };
    let role = |rng: &mut Rng| AgentRole { role: id(rng), ..AgentRole::default() };
    About {
        session_id: id(rng),
        family_id: id(rng),
        parent_session_id: rng.chance(20).then(|| id(rng)),
        is_subagent: rng.chance(20),
        role: rng.chance(70).then(|| role(rng)),
        ..About::default()
    }
}

fn sample(rng: &mut Rng, likeness: Likeness, patterns: &[TargetSketch]) -> SampleFacts {
    let Likeness { space, most, .. } = likeness;
    let key = |rng: &mut Rng| [rng.below(50 * space) as u8; 16];
    let target = |rng: &mut Rng| {
        let path = key(rng);
        let own = if rng.chance(30) { path } else { key(rng) };
        ReplyKey { mark: 0, path, own }
    };
    let targets = rng.below(most + 1);
    let near = |rng: &mut Rng| match rng.below(patterns.len() + 1) {
        0 => sketch(rng, likeness),
        pattern => varied(rng, likeness, &patterns[pattern - 1]),
    };
    SampleFacts {
        exact: [rng.below(8 * space) as u8; 16],
        template: rng.below(space) as u64,
        targets: (0..rng.below(most + 1)).map(|_| target(rng)).collect(),
        sketches: (0..targets).map(|_| near(rng)).collect(),
        chars: rng.below(space) as u64,
        target_chars: rng.below(2) as u64,
        ..SampleFacts::default()
    }
}

fn sketch(rng: &mut Rng, likeness: Likeness) -> TargetSketch {
    let mut keys = || std::array::from_fn(|_| rng.below(likeness.band_space) as u32);
    let (reply, prompt, rejected) = (keys(), keys(), keys());
    TargetSketch { reply, prompt, rejected: rng.chance(10).then(|| Box::new(rejected)) }
}

/// The same sketch with other keys in some bands, so that it shares a few, or too few, with others.
fn varied(rng: &mut Rng, likeness: Likeness, pattern: &TargetSketch) -> TargetSketch {
    let mut varied = pattern.clone();
    let other = sketch(rng, Likeness { band_space: 50 * likeness.band_space, ..likeness });
    let percent = 10 * rng.below(11);
    for band in 0..BANDS {
        if rng.chance(percent) {
            varied.reply[band] = other.reply[band];
            varied.prompt[band] = other.prompt[band];
        }
    }
    varied
}

/// What is compared.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    repeated: Vec<(u32, HashSet<TargetKey>)>,
    oldest: Vec<u32>,
    splits: Vec<crate::quality::Split>,
    samples: Vec<Vec<SampleDecision>>,
    dropped: BTreeMap<crate::reason::DropReason, u64>,
    families: u64,
    largest_family: u64,
}

fn in_memory(sessions: &[(About, Vec<SampleFacts>)], quality: &Quality) -> Outcome {
    let judged: Vec<_> =
        sessions.iter().map(|(about, samples)| Judged { about, samples }).collect();
    let mut families = Families::of(&judged);
    let repeated = families.compare(&judged).into_iter().enumerate();
    let repeated = repeated.filter(|(_, keys)| !keys.is_empty());
    let mut outcome = Outcome {
        repeated: repeated.map(|(session, keys)| (session as u32, keys)).collect(),
        oldest: (0..sessions.len()).map(|at| families.oldest(at) as u32).collect(),
        ..Outcome::default()
    };
    let decisions = decide(&judged, families, quality);
    for session in decisions.sessions {
        outcome.splits.push(session.split);
        let samples = session.samples.into_iter().map(|verdict| SampleDecision {
            dropped: verdict.dropped,
            cluster: verdict.cluster.map(|(session, sample)| SamplePlace {
                session: session as u32,
                sample: sample as u32,
            }),
        });
        outcome.samples.push(samples.collect());
    }
    outcome.dropped = decisions.dropped;
    outcome.families = decisions.families as u64;
    outcome.largest_family = decisions.largest_family as u64;
    outcome
}

fn out_of_core(
    sessions: &[(About, Vec<SampleFacts>)],
    quality: &Quality,
    memory: usize,
    fan_in: usize,
) -> Result<(Outcome, Decisions), ExtractError> {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::new(folder.path(), fan_in, memory / 16);
    let mut reducer = Reducer::with_disk(quality, memory, disk);
    for (number, (about, samples)) in sessions.iter().enumerate() {
        assert_eq!(reducer.push(&ComparedSession::new(about, samples))?, number as u32);
    }
    let mut comparison = reducer.compare()?;
    let mut outcome = Outcome::default();
    for repeated in comparison.repeated()? {
        let RepeatedInSession { session, paths } = repeated?;
        assert!(paths.is_sorted_by(|one, other| words(one) < words(other)), "each once");
        outcome.repeated.push((session, paths.into_iter().collect()));
    }
    outcome.oldest = (0..comparison.sessions()).map(|at| comparison.oldest(at)).collect();
    let decisions = comparison.decide()?;
    for (number, session) in decisions.iter()?.enumerate() {
        let session = session?;
        assert_eq!(session.session, number as u32);
        assert_eq!(session.oldest, outcome.oldest[number]);
        outcome.splits.push(session.split);
        outcome.samples.push(session.samples);
    }
    outcome.dropped = decisions.dropped().clone();
    (outcome.families, outcome.largest_family) = (decisions.families(), decisions.largest_family());
    Ok((outcome, decisions))
}

/// What a session is worked on again for, as it was found in memory before.
fn orphans_in_memory(
    sessions: &[(About, Vec<SampleFacts>)],
    copies: &[Vec<ReplyKey>],
    released: &mut HashSet<(u32, TargetKey)>,
) -> Vec<(u32, TargetKey)> {
    let samples = sessions.iter().flat_map(|(_, samples)| samples);
    let trained = samples.flat_map(|sample| &sample.targets).flat_map(|target| target.both());
    let mut trained: HashSet<TargetKey> = trained.collect();
    let mut orphans = Vec::new();
    for (session, copies) in (0..).zip(copies) {
        for copy in copies {
            let is_trained = copy.both().iter().any(|key| trained.contains(key));
            if !is_trained && released.insert((session, copy.path)) {
                trained.extend(copy.both());
                orphans.push((session, copy.path));
            }
        }
    }
    orphans
}

fn quality() -> impl Strategy<Value = Quality> {
    let dedupe = prop_oneof![
        Just(Dedupe::Off),
        Just(Dedupe::Exact),
        Just(Dedupe::Mark),
        Just(Dedupe::Drop),
        Just(Dedupe::Drop)
    ];
    let cap = prop_oneof![Just(None), (0..4_usize).prop_map(Some)];
    let validation = prop_oneof![Just(None), (0.0..1.0).prop_map(Some)];
    (dedupe, cap, validation).prop_map(|(dedupe, cap, validation)| Quality {
        dedupe,
        cap,
        validation,
        ..Quality::default()
    })
}

proptest! {
    #![proptest_config(properties(100))]
    #[test]
    fn copies_without_an_original_are_the_same_as_in_memory(
        seed in any::<u64>(),
        count in 0..30_usize,
        space in 1..6_usize,
        memory in prop_oneof![0..10_000_usize, Just(1 << 24)],
    ) {
        let sessions = made_sessions(seed, count, Likeness { space, band_space: 2, most: 2 });
        let rng = &mut Rng::new(seed);
        let mut reply = || {
            let [path, own] = [0; 2].map(|_| [rng.below(60 * space) as u8; 16]);
            ReplyKey { mark: 0, path, own: if rng.chance(20) { path } else { own } }
        };
        let copies: Vec<Vec<_>> =
            (0..count).map(|at| (0..at % 5).map(|_| reply()).collect()).collect();
        // Some were released before.
        let before = copies.iter().enumerate().skip(seed as usize % 3).step_by(3);
        let before = before.flat_map(|(at, copies)| copies.first().map(|it| (at as u32, it.path)));
        let mut released: HashSet<_> = before.collect();
        let mut released_in_memory = released.clone();
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(folder.path(), 2, memory / 16);
        let mut reducer = Reducer::with_disk(&Quality::default(), memory, disk);
        for ((about, samples), copies) in sessions.iter().zip(&copies) {
            reducer.push(&ComparedSession::new(about, samples).with_copies(copies)).unwrap();
        }
        let mut orphans = Vec::new();
        let take = |session, path| {
            let is_new = released.insert((session, path));
            orphans.extend(is_new.then_some((session, path)));
            is_new
        };
        reducer.compare().unwrap().each_orphan(take).unwrap();
        let expected = orphans_in_memory(&sessions, &copies, &mut released_in_memory);
        prop_assert_eq!(orphans, expected);
    }

    #[test]
    fn the_same_comes_out_as_in_memory(
        quality in quality(),
        seed in any::<u64>(),
        count in 0..60_usize,
        space in 1..8_usize,
        band_space in 1..4_usize,
        most in 1..5_usize,
        // From one record in memory to all of them.
        memory in prop_oneof![0..20_000_usize, Just(1 << 24)],
        fan_in in 2..5_usize,
    ) {
        let sessions = made_sessions(seed, count, Likeness { space, band_space, most });
        let (outcome, decisions) = out_of_core(&sessions, &quality, memory, fan_in).unwrap();
        prop_assert_eq!(&outcome, &in_memory(&sessions, &quality));
        let (start, end) = (count as u32 / 3, count as u32 / 2);
        let some: Vec<_> = decisions.range(start..end).unwrap().map(|it| it.unwrap().samples).collect();
        prop_assert_eq!(&some, &outcome.samples[start as usize..end as usize]);
    }
}

/// The sessions that are made up are alike in all ways that matter.
#[test]
fn all_rules_are_met_by_what_is_compared() {
    let (mut dropped, mut clusters, mut written) = (BTreeMap::new(), 0, 0);
    let (mut joined, mut repeated, mut crowded_keys) = (0, 0, 0);
    let dedupe = Dedupe::Drop;
    let quality = Quality { dedupe, cap: Some(1), validation: Some(0.5), ..Quality::default() };
    for seed in 0..20 {
        let likeness = Likeness { space: 6, band_space: 2, most: 3 };
        let sessions = made_sessions(seed, 50, likeness);
        let (outcome, decisions) = out_of_core(&sessions, &quality, 4_000, 3).unwrap();
        outcome.dropped.iter().for_each(|(why, count)| *dropped.entry(*why).or_insert(0) += count);
        clusters += outcome.samples.iter().flatten().filter(|it| it.cluster.is_some()).count();
        joined += (0..50).filter(|at| outcome.oldest[*at] != *at as u32).count();
        repeated += outcome.repeated.len();
        written += decisions.written_and_most().0;
        // Keys that more targets have than are looked at for one.
        let samples = sessions.iter().flat_map(|(_, samples)| samples);
        let mut keys: Vec<_> =
            samples.flat_map(|it| &it.sketches).flat_map(TargetSketch::keys).collect();
        keys.sort_unstable();
        crowded_keys += keys.chunk_by(|one, other| one == other).filter(|it| it.len() > 8).count();
    }
    assert!(dropped.len() == 3 && dropped.values().all(|count| *count > 20), "{dropped:?}");
    let counts = [clusters as u64, joined as u64, repeated as u64, crowded_keys as u64, written];
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error_and_so_is_a_stop() {
    let sessions = made_sessions(1, 50, Likeness { space: 6, band_space: 2, most: 3 });
    let folder = tempfile::tempdir().unwrap();
    let quality = Quality { dedupe: Dedupe::Drop, ..Quality::default() };
    let decided = |reducer: Reducer| {
        let mut reducer = reducer;
        for (about, samples) in &sessions {
            reducer.push(&ComparedSession::new(about, samples))?;
        }
        reducer.compare()?.decide()
    };
    let gone = folder.path().join("gone");
    let new = |memory, folder| Reducer::new(&quality, memory, folder, &Cancel::new());
    let error = decided(new(1_000, &gone)).unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
    let in_memory = decided(new(1 << 24, &gone)).unwrap();
    assert_eq!(in_memory.written_and_most(), (0, 0));
    let cancel = Cancel::new();
    let reducer = Reducer::new(&quality, 1_000, folder.path(), &cancel);
    cancel.cancel();
    assert!(matches!(decided(reducer), Err(ExtractError::Cancelled)));
}
