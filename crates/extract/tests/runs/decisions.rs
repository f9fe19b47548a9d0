//! Random stores of forks and copies, with every way to leave samples out: no reply is learned
//! twice, and no family goes both ways.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pitree_extract::{Dedupe, ExtractOptions, Quality, Unit};
use pitree_testkit::Rng;
use serde_json::Value;

use crate::runs::common::{Store, options, session_text};

/// An entry: its id, who speaks, and what is said.
type Entry = (String, &'static str, String);

/// A store of families, and which replies are in it.
struct Forest {
    store: Store,
    /// What the replies say, each something else.
    replies: BTreeSet<String>,
    sessions: usize,
}

impl Forest {
    fn grow(rng: &mut Rng) -> Self {
        let mut forest = Self { store: Store::empty(), replies: BTreeSet::new(), sessions: 0 };
        for family in 0..rng.between(2, 8) {
            let mut known = vec![forest.talk(rng, family, &[])];
            for _ in 0..rng.below(4) {
                let from = rng.pick(&known);
                let next = match rng.below(3) {
                    // A fork, which goes on or not.
                    0 => {
                        let shared = rng.between(2, from.len());
                        forest.talk(rng, family, &from[..shared])
                    }
                    // A copy of the file.
                    1 => forest.write(from),
                    // A copy with other ids.
                    _ => {
                        let anew = |(_, role, said): &Entry| (rng.hex(8), *role, said.clone());
                        let anew = from.iter().map(anew).collect();
                        forest.write(anew)
                    }
                };
                known.push(next);
            }
        }
        forest
    }

    /// A session that begins with these entries.
    fn talk(&mut self, rng: &mut Rng, family: usize, begin: &[Entry]) -> Vec<Entry> {
        let mut entries = begin.to_vec();
        let least = usize::from(begin.is_empty());
        for _ in 0..rng.between(least, 3) {
            let (asked, said) = (rng.hex(8), rng.hex(8));
            // All begin alike but for numbers.
            let question = format!("patrol {family}");
            let answer = format!("family {family} has seen {said}");
            entries.extend([(asked, "user", question), (said, "assistant", answer)]);
        }
        self.write(entries)
    }

    fn write(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        let replies = entries.iter().filter(|(_, role, _)| *role == "assistant");
        self.replies.extend(replies.map(|(_, _, said)| said.clone()));
        let lines: Vec<(&str, &str, &str)> =
            entries.iter().map(|(id, role, said)| (id.as_str(), *role, said.as_str())).collect();
        let text = session_text(&format!("s{:03}", self.sessions), &lines);
        self.store.write(&format!("{:03}.jsonl", self.sessions), text.as_bytes());
        self.sessions += 1;
        entries
    }
}

/// What a row teaches.
fn taught(row: &Value) -> impl Iterator<Item = String> {
    let messages = row.get("completion").unwrap_or(&row["messages"]).as_array().unwrap();
    let is_taught = |message: &&Value| message["role"] == "assistant" && message["train"] != false;
    messages.iter().filter(is_taught).map(|message| message["content"].as_str().unwrap().to_owned())
}

fn check(seed: u64) {
    let mut rng = Rng::new(seed);
    let forest = Forest::grow(&mut rng);
    let dedupe = rng.pick(&[Dedupe::Off, Dedupe::Exact, Dedupe::Mark, Dedupe::Drop]);
    let cap = rng.pick(&[None, Some(1), Some(2), Some(3)]);
    let validation = rng.pick(&[None, Some(0.5)]);
    let quality = Quality { dedupe, cap, validation, ..Quality::default() };
    let mut options = ExtractOptions { quality, ..options(forest.store.root()) };
    options.form.samples.selection.unit = rng.pick(&[Unit::Path, Unit::Turn, Unit::Request]);
    let _ = forest.store.run(&options);
    let parts: &[&str] = match validation {
        Some(_) => &["train.jsonl", "validation.jsonl"],
        None => &["data.jsonl"],
    };
    let told =
        format!("PITREE_SEED={seed}: {:?} {:?}", options.quality, options.form.samples.selection);
    let mut learned: BTreeMap<String, usize> = BTreeMap::new();
    let mut sides: HashMap<String, &str> = HashMap::new();
    for part in parts {
        for said in forest.store.lines(part).iter().flat_map(taught) {
            let family = said.split(' ').nth(1).unwrap().to_owned();
            let side = *sides.entry(family).or_insert(part);
            assert_eq!(side, *part, "{told}: the family of {said:?} straddles");
            *learned.entry(said).or_default() += 1;
        }
    }
    for said in &forest.replies {
        let times = learned.get(said).copied().unwrap_or(0);
        assert!(times <= 1, "{told}: {said:?} is learned {times} times");
        if dedupe == Dedupe::Off && cap.is_none() {
            assert_eq!(times, 1, "{told}: {said:?}");
        }
    }
}

#[test]
fn every_reply_is_learned_once_and_families_never_straddle() {
    let first = pitree_testkit::seed();
    let is_full = pitree_testkit::is_full();
    (first..first + if is_full { 800 } else { 80 }).for_each(check);
}

#[test]
fn copies_of_a_session_do_not_come_back_under_a_cap() {
    let store = Store::empty();
    for name in ["a", "b", "c"] {
        let said = [("e1", "user", "patrol 1"), ("e2", "assistant", "all is quiet")];
        store.write(&format!("{name}.jsonl"), session_text(name, &said).as_bytes());
    }
    for cap in [None, Some(1), Some(2), Some(3)] {
        let quality = Quality { cap, dedupe: Dedupe::Off, ..Quality::default() };
        let report = store.run(&ExtractOptions { quality, ..options(store.root()) });
        assert_eq!(report.samples, 1, "{cap:?}");
        let card: Value =
            serde_json::from_slice(&fs_err::read(store.out().join("card.json")).unwrap()).unwrap();
        assert_eq!(card["sessions"]["families"], 1, "{cap:?}");
    }
}

#[test]
fn equal_sessions_are_on_one_side_whatever_is_done_about_duplicates() {
    let store = Store::empty();
    for pair in 0..12 {
        for copy in 0..2 {
            let (user, reply) = (format!("{pair:02}{copy}u"), format!("{pair:02}{copy}r"));
            let (asked, said) = (format!("question {pair}"), format!("answer {pair}"));
            let said = [(user.as_str(), "user", &*asked), (reply.as_str(), "assistant", &*said)];
            let text = session_text(&format!("{copy}-{pair}"), &said);
            store.write(&format!("{pair}-{copy}.jsonl"), text.as_bytes());
        }
    }
    for dedupe in [Dedupe::Off, Dedupe::Exact] {
        let quality = Quality { dedupe, validation: Some(0.5), ..Quality::default() };
        let _ = store.run(&ExtractOptions { quality, ..options(store.root()) });
        let asked = |name: &str| -> BTreeSet<String> {
            let lines = store.lines(name);
            lines.iter().map(|line| line["messages"][0]["content"].to_string()).collect()
        };
        let (train, validation) = (asked("train.jsonl"), asked("validation.jsonl"));
        assert_eq!(train.len() + validation.len(), 12, "{dedupe:?}");
        assert!(train.is_disjoint(&validation), "{dedupe:?}: {train:?} {validation:?}");
    }
}
