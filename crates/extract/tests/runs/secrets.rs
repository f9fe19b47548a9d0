//! Secrets are hidden, and what is not hidden is not written.

use std::sync::Arc;

use pitree_extract::{
    ExtractError, ExtractOptions, FormatName, Guard, Hit, LeftOut, Seen, Unguarded, run,
};
use pitree_testkit::{Rng, planted_secrets};

use crate::runs::common::{Store, environment, guard, options, rubbish, session_text, sources};

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
    fn leak(&self, finished: &[u8], _: &mut Seen) -> Option<Hit> {
        let text = String::from_utf8_lossy(finished);
        text.contains("wombat").then(|| Hit { rule: "wombat".to_owned(), ..Hit::default() })
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

/// The listing in which a password is found by its name.
const LISTING: &str = "HOME=/srv\nDB_PASSWORD=lemontree\nLANG=C\n";

/// A session and relatives of it. A password is found in one of them; all repeat it.
fn family() -> (Store, ExtractOptions) {
    let store = Store::empty();
    let agents = store.root().join("agents");
    fs_err::create_dir(&agents).unwrap();
    let parent =
        session_text("p1", &[("a1", "user", LISTING), ("a2", "assistant", "It is lemontree.")]);
    store.write("parent.jsonl", parent.as_bytes());
    let fork =
        session_text("f1", &[("b1", "user", "Which?"), ("b2", "assistant", "Take lemontree!")]);
    let from = store.root().join("sessions/parent.jsonl");
    let fork = fork.replacen("\"cwd\"", &format!("\"parentSession\":{from:?},\"cwd\""), 1);
    store.write("fork.jsonl", fork.as_bytes());
    let quiet = session_text("q1", &[("c1", "user", "Hm?"), ("c2", "assistant", "Nothing.")]);
    store.write(
        "quiet.jsonl",
        quiet.replacen("\"cwd\"", "\"parentSession\":\"p\",\"cwd\"", 1).as_bytes(),
    );
    let stranger =
        session_text("x1", &[("d1", "user", "Trees?"), ("d2", "assistant", "A lemontree.")]);
    store.write("stranger.jsonl", stranger.as_bytes());
    let cache = Some(store.root().join("cache"));
    let options = ExtractOptions { cache, ..options(store.root()) };
    (store, options)
}

/// The sources of that family: the headers alone do not tell which sessions belong together.
fn related(store: &Store) -> Vec<pitree_extract::Source> {
    let mut all = sources(store.root());
    for source in &mut all {
        let about = Arc::make_mut(&mut source.about);
        if about.session_id != "x1" {
            about.family_id = "p1".to_owned();
        }
    }
    all
}

/// What was found in one session of a family is hidden in all of it, and nowhere else; with any
/// number of threads, and with what was kept of earlier runs.
#[test]
fn what_was_found_once_is_hidden_in_the_whole_family() {
    let (store, cached) = family();
    let extract = |options: &ExtractOptions| {
        let form = FormatName::Chat.prepare(&options.form);
        let report = run(&related(&store), &*form, options, &store.out(), &environment()).unwrap();
        assert!(report.left_out.is_empty(), "{report:?}");
        (report.cached, store.written())
    };
    let bare = ExtractOptions { cache: None, ..cached.clone() };
    let (_, first) = extract(&bare);
    let data = String::from_utf8(first["data.jsonl"].clone()).unwrap();
    assert_eq!(data.matches("lemontree").count(), 1, "only the stranger's: {data}");
    assert!(data.contains("A lemontree."));
    assert_eq!(data.matches("[REDACTED:repeated-secret:").count(), 2, "{data}");
    for jobs in [1, 3] {
        assert_eq!(extract(&ExtractOptions { jobs, ..bare.clone() }).1, first);
    }
    assert_eq!(extract(&cached), (0, first.clone()));
    assert_eq!(extract(&cached), (4, first.clone()));
    // A new relative changes what is known of the others, whose own work was kept.
    let more = LISTING.replace("lemontree", "appletree");
    let said = "We had appletree and Take lemontree.";
    let text = session_text("n1", &[("e1", "user", &more), ("e2", "assistant", said)]);
    store.write("new.jsonl", text.as_bytes());
    let fork = fs_err::read_to_string(store.root().join("sessions/fork.jsonl")).unwrap();
    store.write("fork.jsonl", fork.replace("Take", "Not appletree, but").as_bytes());
    let (count, with_new) = extract(&cached);
    assert!(count > 0);
    assert_eq!(with_new, extract(&bare).1);
    let data = String::from_utf8(with_new["data.jsonl"].clone()).unwrap();
    assert!(!data.contains("appletree"), "{data}");
    assert_eq!(data.matches("lemontree").count(), 1, "{data}");
    // And without it, all is as it would have been.
    fs_err::remove_file(store.root().join("sessions/new.jsonl")).unwrap();
    assert_eq!(extract(&cached).1, extract(&bare).1);
}

/// Names are replaced in addresses whether or not the session holds a secret, and a secret is
/// recognized although a name in it is replaced.
#[test]
fn names_and_secrets_are_hidden_wherever_they_are_repeated() {
    use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
    let pseudonyms = Pseudonyms {
        homes: true,
        emails: true,
        users: vec!["annabelle".to_owned()],
        hosts: Vec::new(),
    };
    let redactor = Redactor::new(Key::new([7; 32]), Literals::default(), pseudonyms);
    let guard: Arc<dyn Guard> = Arc::new(pitree_extract::Redacting::new(redactor));
    for (said, answer, hidden) in [
        ("cd /home/bobby/x", "See https://github.com/bobby/x.", "bobby"),
        ("cd /home/bobby/x", "It is git@github.com:bobby/x, by bobby@host.", "bobby"),
        ("postgres://bob:kd83jfhs72kdpw@db.corp.net/x", "I used kd83jfhs72kdpw.", "kd83"),
        ("redis://:kd83jfhs72kdpw@db.corp.net", "I used kd83jfhs72kdpw.", "kd83"),
        ("export DB_PASSWORD=annabelle-q7Zk2mPx9", "I used annabelle-q7Zk2mPx9.", "q7Zk"),
        ("export DB_PASSWORD=q7Zk@mPx9.net", "I used q7Zk@mPx9.net.", "mPx9"),
    ] {
        let store = Store::empty();
        let text = session_text("s1", &[("a1", "user", said), ("a2", "assistant", answer)]);
        store.write("s.jsonl", text.as_bytes());
        let options = ExtractOptions { guard: Arc::clone(&guard), ..options(store.root()) };
        let report = store.run(&options);
        assert_eq!((report.samples, report.left_out.len()), (1, 0), "{report:?}");
        let data = String::from_utf8(store.written()["data.jsonl"].clone()).unwrap();
        assert!(!data.contains(hidden), "{data}");
    }
}
