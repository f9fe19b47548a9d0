//! Every option keeps the count: whatever is asked for, each reply that can be trained is trained
//! once, or is a copy or a twin of one that is, or is counted with its reason.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use pitree_extract::{
    Context, Dedupe, DropReason, ExtractOptions, FormatName, Noise, Paths, Quality, ReplyCounts,
    Selection, Unit, run,
};
use pitree_testkit::Rng;
use serde_json::{Value, json};

use crate::runs::common::{Store, environment, options, sources};

/// What a tool says in color.
const COLORED: &str = "\u{1b}[1m";

/// Who speaks, and what. Replies have a word of their own at their end, by which they are known in
/// all copies.
#[derive(Clone)]
struct Said {
    role: &'static str,
    text: String,
    calls: bool,
    time: u64,
}

/// A session: entries with their parents, in the order of the file.
#[derive(Clone)]
struct Tree {
    entries: Vec<(Option<usize>, Said)>,
}

/// Sessions of all kinds in which replies stand more than once.
pub(super) struct Forest {
    rng: Rng,
    pub(super) store: Store,
    /// What each reply says, and the words that it answers, by its own word.
    replies: BTreeMap<String, (String, String)>,
    /// Replies that nobody asked for.
    unasked: BTreeSet<String>,
    /// Replies to noise.
    noisy: BTreeSet<String>,
    /// How many there are on active branches, and on all.
    found: [u64; 2],
    files: usize,
    clock: u64,
}

impl Forest {
    pub(super) fn grow(seed: u64) -> Self {
        let mut forest = Self {
            rng: Rng::new(seed),
            store: Store::empty(),
            replies: BTreeMap::new(),
            unasked: BTreeSet::new(),
            noisy: BTreeSet::new(),
            found: [0; 2],
            files: 0,
            clock: 1_790_000_000_000,
        };
        for number in 0..3 {
            let topic = forest.words(40);
            let mut tree = Tree { entries: Vec::new() };
            if number == 1 {
                forest.say(&mut tree, None, "assistant", "welcome", false);
            }
            let leaf = forest.talk(&mut tree, &topic, 3);
            forest.write(&format!("s{number}"), &tree, true);
            // A copy made earlier, which has less of it.
            let part = tree.entries.len() - forest.rng.between(1, 3);
            forest.write(
                &format!("s{number}"),
                &Tree { entries: tree.entries[..part].to_vec() },
                true,
            );
            // A fork with ids of its own that goes on.
            let mut fork = tree.clone();
            forest.talk_on(&mut fork, leaf, &topic, 2);
            forest.write(&format!("f{number}"), &fork, true);
            // Second branches, of which the last one is the active one.
            let mut branched = tree.clone();
            let at = forest.rng.below(tree.entries.len());
            forest.talk_on(&mut branched, Some(at), &topic, 1);
            forest.talk_on(&mut branched, Some(at), &topic, 1);
            forest.write(&format!("b{number}"), &branched, true);
        }
        // A file of version 1 beside its own migration.
        let (topic, mut old) = (forest.words(40), Tree { entries: Vec::new() });
        forest.talk(&mut old, &topic, 2);
        forest.write("old", &old, false);
        forest.write("old", &old, true);
        // The same round again and again.
        let [topic, round, quiet] = [40, 30, 20].map(|count| forest.words(count));
        for number in 0..4 {
            let mut patrol = Tree { entries: Vec::new() };
            let asked = forest.say(&mut patrol, None, "user", &format!("{topic} {number}"), false);
            let called = forest.say(&mut patrol, Some(asked), "assistant", &round, true);
            let result = forest.say(&mut patrol, Some(called), "toolResult", "nothing", false);
            let last = forest.say(&mut patrol, Some(result), "assistant", &quiet, false);
            // Two of them are asked something else at the end.
            if number % 2 == 0 {
                let other = forest.words(30);
                forest.talk_on(&mut patrol, Some(last), &other, 1);
            }
            // And once a reply is tried again.
            if number == 3 {
                let again = forest.words(20);
                forest.say(&mut patrol, Some(result), "assistant", &again, false);
            }
            forest.write(&format!("p{number}"), &patrol, true);
        }
        forest
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.rng.hex(5)).collect::<Vec<_>>().join(" ")
    }

    fn say(
        &mut self,
        tree: &mut Tree,
        parent: Option<usize>,
        role: &'static str,
        text: &str,
        calls: bool,
    ) -> usize {
        self.clock += 1000;
        let own = self.rng.hex(10);
        let text = if role == "assistant" { format!("{text} w{own}") } else { text.to_owned() };
        if role == "assistant" {
            let asked = prompt(tree, parent);
            if asked.is_empty() {
                self.unasked.insert(format!("w{own}"));
            }
            let before = parent.map_or("", |at| &tree.entries[at].1.text);
            if before.contains(COLORED) {
                self.noisy.insert(format!("w{own}"));
            }
            self.replies.insert(format!("w{own}"), (text.clone(), asked));
        }
        tree.entries.push((parent, Said { role, text, calls, time: self.clock }));
        tree.entries.len() - 1
    }

    fn talk(&mut self, tree: &mut Tree, topic: &str, turns: usize) -> Option<usize> {
        let leaf = tree.entries.len().checked_sub(1);
        self.talk_on(tree, leaf, topic, turns)
    }

    /// Turns in which a tool is called once or twice.
    fn talk_on(
        &mut self,
        tree: &mut Tree,
        mut leaf: Option<usize>,
        topic: &str,
        turns: usize,
    ) -> Option<usize> {
        for _ in 0..turns {
            let asked = format!("{topic} {}", self.words(3));
            leaf = Some(self.say(tree, leaf, "user", &asked, false));
            for _ in 0..self.rng.between(1, 2) {
                let reply = self.words(8);
                leaf = Some(self.say(tree, leaf, "assistant", &reply, true));
                let color = if self.clock.is_multiple_of(3000) { COLORED } else { "" };
                let output = format!("{color}{}{}", self.words(6), "=".repeat(120));
                leaf = Some(self.say(tree, leaf, "toolResult", &output, false));
            }
            let reply = self.words(25);
            leaf = Some(self.say(tree, leaf, "assistant", &reply, false));
        }
        leaf
    }

    fn write(&mut self, id: &str, tree: &Tree, has_ids: bool) {
        let mut header = json!({
            "type": "session", "id": id, "timestamp": "2026-11-15T06:53:14.778Z", "cwd": "/srv/p"
        });
        if has_ids {
            header["version"] = json!(3);
        }
        let mut text = format!("{header}\n");
        // Ids are never those of another file.
        let ids: Vec<String> = tree.entries.iter().map(|_| self.rng.hex(8)).collect();
        for (at, (parent, said)) in tree.entries.iter().enumerate() {
            let mut entry = json!({"type": "message", "timestamp": "2026-11-15T06:53:15.000Z"});
            if has_ids {
                entry["id"] = json!(ids[at]);
                entry["parentId"] = json!(parent.map(|parent| &ids[parent]));
            }
            entry["message"] = message(said, at);
            text.push_str(&format!("{entry}\n"));
        }
        self.files += 1;
        self.store.write(&format!("{:02}.jsonl", self.files), text.as_bytes());
        let replies = |places: &mut dyn Iterator<Item = usize>| -> u64 {
            places.filter(|at| tree.entries[*at].1.role == "assistant").count() as u64
        };
        let last = tree.entries.len() - 1;
        let mut active = std::iter::successors(Some(last), |at| tree.entries[*at].0);
        self.found[0] += replies(&mut active);
        self.found[1] += replies(&mut (0..tree.entries.len()));
    }
}

fn message(said: &Said, at: usize) -> Value {
    let mut content = vec![json!({"type": "text", "text": said.text})];
    if said.calls {
        content.push(json!({
            "type": "toolCall", "id": format!("c{at}"), "name": "bash", "arguments": {}
        }));
    }
    let mut message = json!({"role": said.role, "content": content, "timestamp": said.time});
    match said.role {
        "assistant" => {
            for (name, value) in [("api", "anthropic-messages"), ("provider", "p"), ("model", "m")]
            {
                message[name] = json!(value);
            }
            message["stopReason"] = json!(if said.calls { "toolUse" } else { "stop" });
        }
        "toolResult" => {
            message["toolCallId"] = json!(format!("c{}", at - 1));
            message["toolName"] = json!("bash");
            message["isError"] = json!(false);
        }
        _ => {}
    }
    message
}

/// All that a reply behind this entry answers: since the reply before, and the last user message.
fn prompt(tree: &Tree, parent: Option<usize>) -> String {
    let above = || std::iter::successors(parent, |at| tree.entries[*at].0);
    let said = |at: usize| tree.entries[at].1.text.clone();
    let since = above().take_while(|at| tree.entries[*at].1.role != "assistant");
    let user = above().find(|at| tree.entries[*at].1.role == "user");
    let mut places: BTreeSet<usize> = since.collect();
    places.extend(user);
    if user.is_none() {
        String::new()
    } else {
        places.into_iter().map(said).collect::<Vec<_>>().join("\n")
    }
}

/// Whether two texts are nearly the same, worked out in full.
fn are_near(one: &str, other: &str) -> bool {
    let runs = |text: &str| -> HashSet<Vec<String>> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if words.len() < 5 {
            return HashSet::from([words]);
        }
        words.windows(5).map(<[String]>::to_vec).collect()
    };
    let (one, other) = (runs(one), runs(other));
    let shared = one.intersection(&other).count() as f64;
    shared / (one.len() + other.len()) as f64 * 2.0 > 0.5
}

/// The words of the replies that a row trains.
fn trained(row: &Value) -> impl Iterator<Item = String> {
    let messages = row.get("completion").unwrap_or(&row["messages"]).as_array().unwrap();
    let is_trained = |it: &&Value| it["role"] == "assistant" && it["train"] != false;
    messages.iter().filter(is_trained).map(own_word)
}

fn own_word(message: &Value) -> String {
    message["content"].as_str().unwrap().split(' ').next_back().unwrap().to_owned()
}

fn add_up(replies: &ReplyCounts, told: &str) {
    let left_out: u64 = replies.left_out.values().sum();
    let sum = replies.trained + replies.copies + replies.twins + left_out;
    assert_eq!(replies.found, sum, "{told}: {replies:?}");
}

fn check(forest: &Forest, selection: Selection, quality: Quality) {
    let store = &forest.store;
    let mut options = ExtractOptions { quality, ..options(store.root()) };
    options.form.samples.selection = selection;
    let told = format!("{selection:?} {:?}", options.quality);
    let report = store.run(&options);
    let replies = &report.replies;
    add_up(replies, &told);
    let card: Value =
        serde_json::from_slice(&fs_err::read(store.out().join("card.json")).unwrap()).unwrap();
    assert_eq!(card["replies"]["found"], json!(replies.found), "{told}");
    assert_eq!(card["replies"]["trained"], card["messages"]["trained"], "{told}");
    let rows = store.lines("data.jsonl");
    let written: Vec<String> = rows.iter().flat_map(trained).collect();
    let once: BTreeSet<&String> = written.iter().collect();
    assert_eq!(written.len() as u64, replies.trained, "{told}");
    assert_eq!(written.len(), once.len(), "{told}: a reply is trained twice");
    assert!(forest.unasked.iter().all(|own| !once.contains(own)), "{told}");
    match selection.paths {
        Paths::Active => assert_eq!(replies.found, forest.found[0], "{told}"),
        Paths::All => assert_eq!(replies.found, forest.found[1], "{told}"),
        Paths::Leaves => {}
    }
    let Quality { dedupe, cap, max_tokens, .. } = options.quality;
    if cap.is_some() || max_tokens.is_some() || selection.paths != Paths::All {
        return;
    }
    let reasons: Vec<DropReason> = replies.left_out.keys().copied().collect();
    assert_eq!(reasons, [DropReason::NoPrompt], "{told}");
    for (own, (said, asked)) in &forest.replies {
        if once.contains(own) || forest.unasked.contains(own) {
            continue;
        }
        assert_eq!(dedupe, Dedupe::Drop, "{told}: {own} is trained nowhere");
        let is_twin = |other: &&String| {
            let (text, prompt) = &forest.replies[*other];
            are_near(said, text) && are_near(asked, prompt)
        };
        assert!(once.iter().any(is_twin), "{told}: {own} has no twin");
    }
    assert_eq!(dedupe == Dedupe::Drop, replies.twins > 0, "{told}: {replies:?}");
}

#[test]
fn every_option_keeps_the_count() {
    let forest = Forest::grow(1);
    for unit in [Unit::Path, Unit::Turn, Unit::Request] {
        for paths in [Paths::Active, Paths::Leaves, Paths::All] {
            // Nothing was compacted here: the other context gives the same, in other pieces.
            let contexts: &[Context] = match (unit, paths) {
                (Unit::Path, Paths::All) => &[Context::AsSent, Context::Raw],
                _ => &[Context::AsSent],
            };
            for &context in contexts {
                let selection = Selection { paths, context, unit };
                let dedupes: &[Dedupe] = match paths {
                    Paths::Active => &[Dedupe::Off, Dedupe::Drop],
                    Paths::Leaves => &[Dedupe::Drop],
                    Paths::All => &[Dedupe::Off, Dedupe::Exact, Dedupe::Drop],
                };
                for &dedupe in dedupes {
                    for (cap, max_tokens) in
                        [(None, None), (Some(2), None), (None, Some(300)), (Some(1), Some(600))]
                    {
                        let quality = Quality { dedupe, cap, max_tokens, ..Quality::default() };
                        check(&forest, selection, quality);
                    }
                }
            }
        }
    }
}

#[test]
fn replies_that_are_not_wanted_keep_the_count() {
    let forest = Forest::grow(9);
    assert!(forest.noisy.len() > 3, "{:?}", forest.noisy);
    let store = &forest.store;
    for unit in [Unit::Path, Unit::Turn, Unit::Request] {
        for dedupe in [Dedupe::Off, Dedupe::Drop] {
            for (drops_noise, masks_altered) in [(true, false), (false, true), (true, true)] {
                let mut options = options(store.root());
                let tool_limit = masks_altered.then_some(20);
                options.quality =
                    Quality { dedupe, tool_limit, mask_altered: masks_altered, ..options.quality };
                options.drop_noise = drops_noise.then_some(Noise::AnsiCodes).into_iter().collect();
                options.form.samples.selection =
                    Selection { paths: Paths::All, unit, ..Selection::default() };
                let told = format!("{unit:?} {dedupe:?} {drops_noise} {masks_altered}");
                let replies = store.run(&options).replies;
                add_up(&replies, &told);
                assert_eq!(replies.found, forest.found[1], "{told}");
                let rows = store.lines("data.jsonl");
                let written: Vec<String> = rows.iter().flat_map(trained).collect();
                assert_eq!(written.len() as u64, replies.trained, "{told}");
                let is_noisy = |own: &String| forest.noisy.contains(own);
                assert!(!drops_noise || !written.iter().any(is_noisy), "{told}");
                assert_eq!(
                    replies.left_out.contains_key(&DropReason::Noise),
                    drops_noise,
                    "{told}"
                );
                // A request is written as it was sent.
                let alters = masks_altered && unit != Unit::Request;
                assert_eq!(
                    replies.left_out.contains_key(&DropReason::ContextAltered),
                    alters,
                    "{told}"
                );
                if !masks_altered && dedupe == Dedupe::Off {
                    let unwanted = forest.noisy.union(&forest.unasked).count();
                    assert_eq!(written.len(), forest.replies.len() - unwanted, "{told}");
                }
            }
        }
    }
}

#[test]
fn a_form_that_cannot_mask_keeps_the_count_too() {
    for seed in 2..5 {
        let forest = Forest::grow(seed);
        for unit in [Unit::Path, Unit::Turn, Unit::Request] {
            let mut options = options(forest.store.root());
            options.quality.dedupe = Dedupe::Drop;
            options.form.samples.selection =
                Selection { paths: Paths::All, unit, ..Selection::default() };
            let form = FormatName::ShareGpt.prepare(&options.form);
            let out = forest.store.out();
            let sources = sources(forest.store.root());
            let report = run(&sources, &*form, &options, &out, &environment()).unwrap();
            add_up(&report.replies, &format!("seed {seed} {unit:?}"));
            assert_eq!(report.replies.found, forest.found[1], "seed {seed}");
            if unit == Unit::Request {
                // One session begins with a reply, which this form cannot say.
                let reasons: Vec<_> = report.replies.left_out.keys().copied().collect();
                assert_eq!(
                    reasons,
                    [DropReason::NoPrompt, DropReason::BeginsWithReply],
                    "seed {seed}"
                );
            }
        }
    }
}

#[test]
fn every_pair_has_a_prompt_and_keeps_the_count() {
    let mut pairs = 0;
    for seed in 5..9 {
        let forest = Forest::grow(seed);
        let with = |dedupe| {
            let mut options = options(forest.store.root());
            options.quality.dedupe = dedupe;
            let form = FormatName::Preference.prepare(&options.form);
            let out = forest.store.out();
            let sources = sources(forest.store.root());
            let report = run(&sources, &*form, &options, &out, &environment()).unwrap();
            add_up(&report.replies, &format!("seed {seed} {dedupe:?}"));
            let rows = forest.store.lines("data.jsonl");
            assert_eq!(rows.len() as u64, report.replies.trained);
            let pair = |row: &Value| {
                let prompt = row["prompt"].as_array().unwrap();
                assert!(prompt.iter().any(|message| message["role"] == "user"), "{row}");
                [own_word(&row["chosen"][0]), own_word(&row["rejected"][0])]
            };
            rows.iter().map(pair).collect::<BTreeSet<_>>()
        };
        let (all, kept) = (with(Dedupe::Off), with(Dedupe::Drop));
        pairs += all.len();
        for pair in all.difference(&kept) {
            let is_twin = |other: &[String; 2]| {
                pair.iter()
                    .zip(other)
                    .all(|(one, other)| are_near(&forest.replies[one].0, &forest.replies[other].0))
            };
            assert!(kept.iter().any(is_twin), "seed {seed}: {pair:?} has no twin");
        }
    }
    assert!(pairs >= 4, "{pairs} pairs");
}

/// Without parents every entry is a root, and answers to different questions seem to be answers to
/// the same empty prompt.
#[test]
fn answers_without_a_prompt_are_no_pair() {
    let store = Store::empty();
    let mut text = String::from(
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\
         \"timestamp\":\"2026-11-15T06:53:14.778Z\",\"cwd\":\"/srv/project\"}\n",
    );
    for (id, role, said) in [
        ("q", "user", "two?"),
        ("a", "assistant", "2"),
        ("r", "user", "six?"),
        ("b", "assistant", "6"),
    ] {
        text.push_str(&crate::runs::common::entry_text(id, "null", role, said));
    }
    store.write("s.jsonl", text.replace(",\"parentId\":null", "").as_bytes());
    for form in [FormatName::Preference, FormatName::Chat, FormatName::LoraForge] {
        let mut options = options(store.root());
        options.form.samples.selection.paths = Paths::All;
        let prepared = form.prepare(&options.form);
        let sources = sources(store.root());
        let report = run(&sources, &*prepared, &options, &store.out(), &environment()).unwrap();
        add_up(&report.replies, form.name());
        assert_eq!(report.samples, 0, "{form}");
        assert!(report.replies.left_out.contains_key(&DropReason::NoPrompt), "{form}: {report:?}");
    }
}
