//! Secrets are hidden, and what is not hidden is not written.

use std::sync::Arc;

use pitree_extract::{
    ExtractError, ExtractOptions, FormatName, Guard, Hit, LeftOut, Seen, Unguarded, run,
};
use pitree_testkit::{Rng, planted_secrets};

use crate::common::{Store, environment, guard, options, rubbish, session_text, sources};

/// A secret, put together here so that no scanner takes this file for a leak.
fn token() -> String {
    ["gh", "p_", "R8xK2mQ5vT9wZ3nB6cJ1hL4dF7gS0pYaUeIo"].concat()
}

#[test]
fn a_secret_is_in_no_file() {
    let store = Store::empty();
    let said = format!("my token is {} and that is all", token());
    let text = session_text("s1", &[("a1", "user", &said), ("a2", "assistant", &said)]);
    store.write("s.jsonl", text.as_bytes());
    let report = store.run(&options(store.root()));
    assert_eq!((report.samples, report.left_out.len()), (1, 0));
    for (name, bytes) in store.written() {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(&token()), "{name}");
    }
    let line = &store.lines("data.jsonl")[0];
    let said = line["messages"][0]["content"].as_str().unwrap();
    assert!(said.starts_with("my token is [REDACTED:"), "{said}");
    let card = fs_err::read_to_string(store.out().join("card.json")).unwrap();
    assert!(card.contains("\"redacted\": true"));

    let bare = ExtractOptions { guard: Arc::new(Unguarded), ..options(store.root()) };
    store.run(&bare);
    assert!(store.lines("data.jsonl")[0].to_string().contains(&token()));
    let card = fs_err::read_to_string(store.out().join("card.json")).unwrap();
    assert!(card.contains("\"redacted\": false"));
    let page = fs_err::read_to_string(store.out().join("README.md")).unwrap();
    assert!(page.contains("Not redacted"));
}

/// Overlooks a word in sessions and finds it in what was made of them.
struct Forgetful;

impl Guard for Forgetful {
    fn redact_line(&self, _: &[u8], _: &mut dyn FnMut(Hit)) -> Option<Vec<u8>> {
        None
    }

    fn redact_text(&self, _: &str) -> Option<String> {
        None
    }

    fn leak(&self, finished: &[u8], _: &mut Seen) -> Option<Hit> {
        let text = String::from_utf8_lossy(finished);
        text.contains("wombat").then(|| Hit { rule: "wombat".to_owned(), ..Hit::default() })
    }

    fn shown_hash(&self, content: &blake3::Hash) -> blake3::Hash {
        *content
    }

    fn fingerprint(&self) -> Option<[u8; 32]> {
        Some([1; 32])
    }
}

/// What lies beside the data is looked at too: then nothing is written at all.
#[test]
fn a_card_that_would_show_something_is_not_written() {
    let store = Store::empty();
    let said = [("a1", "user", "hello"), ("a2", "assistant", "a quokka")];
    store.write("good.jsonl", session_text("s1", &said).as_bytes());
    let command = "pitree extract --name wombat".to_owned();
    let options = ExtractOptions { guard: Arc::new(Forgetful), command, ..options(store.root()) };
    let form = FormatName::Chat.prepare(&options.form);
    let made = run(&sources(store.root()), &*form, &options, &store.out(), &environment());
    let error = made.unwrap_err();
    assert!(matches!(&error, ExtractError::Leak { name, .. } if name == "card.json"), "{error}");
    assert!(!store.out().exists());
    assert_eq!(rubbish(store.root()), Vec::<String>::new());
}

#[test]
fn a_session_in_which_something_is_still_found_is_left_out() {
    let store = Store::empty();
    let said = |text| [("a1", "user", "hello"), ("a2", "assistant", text)];
    store.write("good.jsonl", session_text("s1", &said("a quokka")).as_bytes());
    let bad = store.write("bad.jsonl", session_text("s2", &said("a wombat")).as_bytes());
    let cache = Some(store.root().join("cache"));
    let options = ExtractOptions { guard: Arc::new(Forgetful), cache, ..options(store.root()) };
    for round in 0..2 {
        let report = store.run(&options);
        assert!(report.has_leaks());
        let [(path, LeftOut::Leak(hit))] = &report.left_out[..] else { panic!("{report:?}") };
        assert_eq!((path, hit.rule.as_str()), (&bad, "wombat"));
        assert_eq!((report.sessions, report.samples, report.cached), (1, 1, round));
        for (name, bytes) in store.written() {
            assert!(!String::from_utf8_lossy(&bytes).contains("wombat"), "{name}");
        }
    }
}

/// The second scan remembers clean texts of a session. Whatever it has seen, it finds a leak in the
/// same lines as one that has seen nothing.
#[test]
fn what_was_seen_hides_no_leak() {
    let guard = guard();
    let secrets = planted_secrets(1);
    let mut rng = Rng::new(20);
    let filler = "Nothing but words, \"quoted\" and not,\nin two lines. ".repeat(8);
    let mut leaks = 0;
    for _ in 0..60 {
        let texts: Vec<String> = (0..6)
            .map(|at| match rng.below(3) {
                0 => format!("{filler} {at} {}", rng.pick(&secrets).text),
                1 => rng.pick(&secrets).secret,
                _ => format!("{at} {filler}"),
            })
            .collect();
        let mut seen = Seen::default();
        for _ in 0..6 {
            let [a, b, c] = [(); 3].map(|()| rng.pick(&texts));
            let line =
                serde_json::json!({"api_key": a, "lines": [b, c], "deep": {"x": [[{"y": a}]]}});
            let line = line.to_string();
            let is_leak = guard.leak(line.as_bytes(), &mut Seen::default()).is_some();
            assert_eq!(guard.leak(line.as_bytes(), &mut seen).is_some(), is_leak, "{line}");
            leaks += usize::from(is_leak);
        }
    }
    assert!((50..350).contains(&leaks), "{leaks}");
}
