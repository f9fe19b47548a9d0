//! The card tells what is in the files.

use std::collections::BTreeMap;

use pitree_extract::{
    Context, Dedupe, ExtractOptions, FormatName, Noise, Paths, Quality, Unit, run,
};
use pitree_testkit::Rng;
use serde_json::Value;

use crate::runs::common::{Store, entry_text, environment, options, session_text, sources};

#[test]
fn the_card_adds_up() {
    let store = Store::random(60);
    let quality = Quality { count_tokens: true, validation: Some(0.4), ..Quality::default() };
    let report = store.run(&ExtractOptions { quality, ..options(store.root()) });
    let text = fs_err::read_to_string(store.out().join("card.json")).unwrap();
    let card: Value = serde_json::from_str(&text).unwrap();
    let (train, validation) = (store.lines("train.jsonl"), store.lines("validation.jsonl"));
    assert_eq!(card["samples"]["total"], report.samples);
    assert_eq!(card["samples"]["train"], train.len());
    assert_eq!(card["samples"]["validation"], validation.len());
    let of_role = |role: &str| {
        let messages = train.iter().chain(&validation).flat_map(|line| {
            line["messages"].as_array().unwrap().iter().filter(|it| it["role"] == role)
        });
        messages.count()
    };
    for role in ["user", "assistant", "tool"] {
        assert_eq!(card["messages"][role], of_role(role), "{role}");
    }
    assert_eq!(card["sessions"]["used"], report.sessions);
    assert_eq!(card["tokens"]["counted"], "o200k_base");
    for file in card["files"].as_array().unwrap() {
        let bytes = fs_err::read(store.out().join(file["path"].as_str().unwrap())).unwrap();
        assert_eq!(file["bytes"], bytes.len());
        assert_eq!(file["blake3"], blake3::hash(&bytes).to_hex().as_str());
    }
    let page = fs_err::read_to_string(store.out().join("README.md")).unwrap();
    for plot in ["messages-by-role.svg", "samples-by-tokens.svg", "spend-by-model.svg"] {
        assert!(page.contains(plot));
        let svg = fs_err::read_to_string(store.out().join(plot)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }
    assert!(page.starts_with("---\nconfigs:\n"));
}

#[test]
fn parts_without_samples_have_a_count_and_half_a_line_is_no_damage() {
    let store = Store::empty();
    let card = || -> Value {
        let text = fs_err::read_to_string(store.out().join("card.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let asked = session_text("s1", &[("a1", "user", "hello")]);
    let half = entry_text("a2", "\"a1\"", "assistant", "hi");
    let half = &half[..half.len() / 2];
    for (text, damaged) in [
        (format!("{asked}{half}"), 0),
        (format!("{asked}{half}\n"), 1),
        (format!("{asked}no JSON\n{half}"), 1),
        (format!("{asked}{half}\n{half}\n"), 2),
    ] {
        store.write("s.jsonl", text.as_bytes());
        store.run(&options(store.root()));
        assert_eq!(card()["sessions"]["damagedLines"], damaged, "{text}");
        assert_eq!(card()["samples"], serde_json::json!({"total": 0, "data": 0}));
    }
    let quality = Quality { validation: Some(0.4), ..Quality::default() };
    store.run(&ExtractOptions { quality, ..options(store.root()) });
    let none = serde_json::json!({"total": 0, "train": 0, "validation": 0});
    assert_eq!(card()["samples"], none);
}

/// What stands in the lines of a data set.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    roles: BTreeMap<String, u64>,
    trained: u64,
    characters: u64,
    tokens: u64,
}

impl Counted {
    fn add(&mut self, message: &Value) {
        let role = message["role"].as_str().unwrap();
        *self.roles.entry(role.to_owned()).or_default() += 1;
        self.trained += u64::from(role == "assistant" && message["train"] != false);
        let text = message["content"].as_str().unwrap();
        self.characters += text.len() as u64;
        // Short words are one token each, and each message has four for its marks.
        self.tokens += text.split_whitespace().count() as u64 + 4;
    }
}

/// Sessions with forks, failed replies anywhere, and empty ones; words of one token each.
fn troubled(rng: &mut Rng) -> Store {
    let store = Store::empty();
    let mut known: Vec<Vec<String>> = Vec::new();
    for session in 0..rng.between(4, 8) {
        let mut lines = match known.is_empty() || rng.chance(50) {
            true => Vec::new(),
            false => {
                let from = rng.pick(&known);
                let mut copied = from[..rng.between(from.len() / 2, from.len())].to_vec();
                // Somebody has put other words into replies, and those after them are the same.
                let word = rng.pick(&["go", "yes", "one"]);
                copied.iter_mut().for_each(|line| *line = line.replace(word, "here"));
                copied
            }
        };
        let (least, most) = if lines.is_empty() { (4, 10) } else { (0, 3) };
        for at in 0..rng.between(least, most) {
            let id = format!("{session}{at}{}", rng.hex(6));
            let parent = lines.last().map(|line: &String| {
                let line: Value = serde_json::from_str(line).unwrap();
                line["id"].to_string()
            });
            let parent = parent.unwrap_or_else(|| "null".to_owned());
            let said = ["go on then", "go on then", "yes", "no not that one", ""];
            let role = rng.pick(&["user", "assistant", "assistant"]);
            let said = if role == "user" { "what now" } else { rng.pick(&said) };
            let end = rng.pick(&["stop", "stop", "stop", "error", "length"]);
            let line = entry_text(&id, &parent, role, said);
            lines.push(line.replace("\"stop\"", &format!("{end:?}")));
        }
        let text = session_text(&format!("s{session}"), &[]) + &lines.concat();
        store.write(&format!("{session}.jsonl"), text.as_bytes());
        known.push(lines);
    }
    store
}

#[test]
fn the_card_counts_what_is_written() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let store = troubled(&mut rng);
        let quality = Quality {
            count_tokens: true,
            dedupe: rng.pick(&[Dedupe::Off, Dedupe::Exact]),
            max_tokens: rng.pick(&[None, None, Some(20), Some(40)]),
            ..Quality::default()
        };
        let mut options = ExtractOptions { quality, ..options(store.root()) };
        options.form.samples.selection.paths = rng.pick(&[Paths::Active, Paths::All]);
        options.form.samples.selection.context = rng.pick(&[Context::AsSent, Context::Raw]);
        options.form.samples.selection.unit = rng.pick(&[Unit::Path, Unit::Turn]);
        let _ = store.run(&options);
        let mut counted = Counted::default();
        for line in store.lines("data.jsonl") {
            for list in ["messages", "prompt"] {
                let messages = line[list].as_array().into_iter().flatten();
                let mut prompt = messages.cloned().collect::<Vec<Value>>();
                if list == "prompt" {
                    prompt.iter_mut().for_each(|message| message["train"] = false.into());
                }
                prompt.iter().for_each(|message| counted.add(message));
            }
            line["completion"].as_array().into_iter().flatten().for_each(|it| counted.add(it));
        }
        let card: Value =
            serde_json::from_slice(&fs_err::read(store.out().join("card.json")).unwrap()).unwrap();
        let mut roles = BTreeMap::new();
        for role in ["system", "user", "assistant", "tool"] {
            let count = card["messages"][role].as_u64().unwrap();
            roles.extend((count > 0).then(|| (role.to_owned(), count)));
        }
        let of = |value: &Value| value.as_u64().unwrap();
        let told = Counted {
            roles,
            trained: of(&card["messages"]["trained"]),
            characters: of(&card["tokens"]["characters"]),
            tokens: of(&card["tokens"]["total"]),
        };
        assert_eq!(told, counted, "seed {seed}: {:?}", options.form.samples.selection);
        // Each reply has cost three cents.
        let spend = card["spendUsd"].as_f64().unwrap();
        assert!((spend - counted.trained as f64 * 0.03).abs() < 1e-9, "seed {seed}: {spend}");
    }
}

#[test]
fn what_follows_the_last_reply_to_learn_is_not_counted() {
    let store = Store::empty();
    for (name, first) in [("a", "one"), ("b", "two")] {
        let said = [
            ("e1", "user", "say a number"),
            ("e2", "assistant", first),
            ("e3", "user", "and another"),
            ("e4", "assistant", "three"),
        ];
        let text = session_text(name, &said);
        // The last reply of the second one was cut off.
        let (begin, last) = text.rsplit_once("\"stopReason\":\"stop\"").unwrap();
        let end = if name == "a" { "stop" } else { "length" };
        let text = format!("{begin}\"stopReason\":\"{end}\"{last}");
        store.write(&format!("{name}.jsonl"), text.as_bytes());
    }
    let report = store.run(&options(store.root()));
    assert_eq!(report.samples, 2);
    assert_eq!(store.lines("data.jsonl")[1]["messages"].as_array().unwrap().len(), 2);
    let card: Value =
        serde_json::from_slice(&fs_err::read(store.out().join("card.json")).unwrap()).unwrap();
    assert_eq!((&card["messages"]["user"], &card["messages"]["assistant"]), (&3.into(), &3.into()));
}

fn card_of(store: &Store) -> Value {
    serde_json::from_slice(&fs_err::read(store.out().join("card.json")).unwrap()).unwrap()
}

#[test]
fn the_card_says_what_to_know_before_training() {
    let store = Store::empty();
    let long = "word ".repeat(40_000);
    let said = [
        ("a1", "user", "Read HEARTBEAT.md"),
        ("a2", "assistant", "HEARTBEAT_OK"),
        ("a3", "user", &*long),
        ("a4", "assistant", "done"),
    ];
    store.write("s.jsonl", session_text("s1", &said).as_bytes());
    let report = store.run(&options(store.root()));
    let page = fs_err::read_to_string(store.out().join("README.md")).unwrap();
    let before = ["## Before you train", "have no system prompt", "1 more than 32768"];
    assert!(page.contains("have no list of the tools that were offered"), "{page}");
    for text in before.into_iter().chain(["## How to load it", "## Noise", "heartbeat"]) {
        assert!(page.contains(text), "no {text:?} in {page}");
    }
    assert!(!page.contains("Gas Town"), "nobody has a role: {page}");
    let plot = fs_err::read_to_string(store.out().join("messages-by-role.svg")).unwrap();
    assert!(plot.contains(">user</text>") && plot.contains(">assistant</text>"), "{plot}");
    let card = card_of(&store);
    assert_eq!(card["noise"], serde_json::json!({"heartbeat": 2}));
    assert_eq!((card["warnings"].as_array().unwrap().len(), report.warnings.len()), (3, 0));
    assert_eq!(card["messages"]["trained"], 2);
    let drop_noise = Noise::ALL.into_iter().collect();
    store.run(&ExtractOptions { drop_noise, ..options(store.root()) });
    assert_eq!(card_of(&store)["messages"]["trained"], 1);
    let options = options(store.root());
    let form = FormatName::Preference.prepare(&options.form);
    let report = run(&sources(store.root()), &*form, &options, &store.out(), &environment());
    let warnings = report.unwrap().warnings;
    assert!(
        warnings.iter().any(|it| it.to_string().contains("there are no pairs: no session has"))
    );
}

#[test]
fn the_card_counts_the_messages_of_requests_as_they_are_written() {
    let store = Store::random(60);
    let mut options = options(store.root());
    options.form.samples.selection.unit = Unit::Request;
    options.form.samples.selection.paths = Paths::All;
    let form = FormatName::OpenAi.prepare(&options.form);
    run(&sources(store.root()), &*form, &options, &store.out(), &environment()).unwrap();
    let mut roles = BTreeMap::<String, u64>::new();
    for line in store.lines("data.jsonl") {
        for message in line["messages"].as_array().unwrap() {
            let role = message["role"].as_str().unwrap().replace("developer", "system");
            *roles.entry(role).or_default() += 1;
        }
    }
    let card = card_of(&store);
    for role in ["system", "user", "assistant", "tool"] {
        let written = roles.get(role).copied().unwrap_or(0);
        assert_eq!(card["messages"][role], written, "{role}");
    }
}
