//! What is decided out of core is what is decided in memory.

use std::collections::{BTreeMap, HashSet};

use pitree_sample::{About, AgentRole};
use pitree_testkit::{Rng, properties};
use proptest::prelude::*;

use super::{Decisions, Reducer, SampleDecision, SamplePlace, SessionFacts};
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
    let mut reducer = Reducer::with_fan_in(quality, memory, folder.path(), fan_in);
    for (number, (about, samples)) in sessions.iter().enumerate() {
        assert_eq!(reducer.push(&SessionFacts::new(about, samples))?, number as u32);
    }
    let mut comparison = reducer.compare()?;
    let mut outcome = Outcome::default();
    for repeated in comparison.repeated()? {
        let (session, keys) = repeated?;
        outcome.repeated.push((session, keys.into_iter().collect()));
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
