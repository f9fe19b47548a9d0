//! Queries, filters, ranking.

use std::collections::BTreeSet;

use pitree_store::search::{HitRole, Nearness};

use crate::search::{Sessions, fields, search, user};

#[test]
fn every_field_is_found_and_the_weightier_first() {
    let sessions = fields();
    let ids = sessions.ids("plum");
    assert_eq!(ids[..4], ["a-8", "a-7", "a-0", "a-1"]);
    assert_eq!(ids[ids.len() - 1], "a-2");
    assert_eq!(ids.len(), 8);
    for (query, id) in [
        ("cherry", "a-1"),
        ("pear deep", "a-1"),
        ("grape", "a-3"),
        ("quince", "a-5"),
        ("\"fig rule\"", "a-9"),
        ("detailplum", "a-2"),
    ] {
        assert_eq!(sessions.ids(query), [id], "{query}");
    }
}

#[test]
fn images_ids_signatures_and_state_are_not_looked_at() {
    let sessions = fields();
    for query in ["QUJDplum", "SIGplum", "plumcallid", "statefruit", "unknownfruit"] {
        let fuzzy = sessions.search(query).hits.iter().all(|hit| hit.nearness == Nearness::Fuzzy);
        assert!(fuzzy, "{query}");
    }
}

#[test]
fn kinds_of_terms() {
    let sessions = Sessions::new();
    sessions.write(
        "a",
        "/p",
        &[
            &user("fn foo(x) calls std::fs in a/b-c.rs with --flag"),
            &user("我们先写解析器的测试"),
            &user("The Quick\\n  brown fox; foobar"),
            &user("quick QUICK quickly"),
        ],
    );
    for (query, expected) in [
        ("fn foo(", vec!["a-0"]),
        ("a/b-c.rs", vec!["a-0"]),
        ("std::fs", vec!["a-0"]),
        ("解析器", vec!["a-1"]),
        ("\"quick brown fox\"", vec!["a-2"]),
        ("fox quick", vec!["a-2"]),
        ("quic* fo*", vec!["a-2"]),
        ("oo*", vec![]),
        ("re:qu.ck\\s+brown", vec!["a-2"]),
        ("re:^fn .*flag$", vec!["a-0"]),
        ("re:(解析|nothing)器", vec!["a-1"]),
        ("re:[x-z]\\)", vec!["a-0"]),
        ("QUICKL", vec!["a-3"]),
    ] {
        let mut ids = sessions.ids(query);
        ids.retain(|id| {
            sessions
                .search(query)
                .hits
                .iter()
                .any(|hit| hit.entry_id == *id && hit.nearness != Nearness::Fuzzy)
        });
        assert_eq!(ids, expected, "{query}");
    }
    assert_eq!(sessions.ids("\"--flag\""), ["a-0"]);
    // A capital letter is meant; where nothing has it, any case will do.
    assert_eq!(sessions.ids("Quick"), ["a-2"]);
    assert_eq!(sessions.ids("quick")[0], "a-3");
    assert_eq!(sessions.ids("QUICKL"), ["a-3"]);
    assert_eq!(sessions.ids("\"The Quick\" fox"), ["a-2"]);
}

#[test]
fn whole_words_come_before_parts_and_titles_before_noise() {
    let sessions = Sessions::new();
    let output = |text: &str| {
        format!(
            r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
        )
    };
    let telegram = "telegram ".repeat(30);
    let name = |name: &str| format!(r#"{{"type":"session_info","name":"{name}"}}"#);
    sessions
        .write("old", "/p", &[&user("a bot"), &name("Telegram alerts")])
        .write("part", "/p", &[&user("dispatch, dispatch, dispatch"), &name("Dispatch")])
        .write("whole", "/p", &[&user("x"), &user("y"), &output("patch build")])
        .write("noise", "/p", &[&user("x"), &user("y"), &user("z"), &output(&telegram)]);
    let first = |query: &str| sessions.search(query).hits[0].session.id.clone();
    assert_eq!(first("telegram"), "old");
    assert_eq!(first("patch"), "whole");
    assert_eq!(first("dispat"), "part");
    let found = sessions.search("patch").hits;
    let nearness: Vec<Nearness> = found.iter().map(|hit| hit.nearness).collect();
    assert_eq!(nearness, [Nearness::Words, Nearness::Parts, Nearness::Parts]);
}

#[test]
fn each_hit_says_why_it_was_found() {
    let sessions = Sessions::new();
    sessions.write(
        "a",
        "/p",
        &[
            &user("make a bot"),
            &user("the token is in the vault, and the Tokenizer too"),
            r#"{"type":"session_info","name":"Telegram alerts"}"#,
        ],
    );
    let why = |query: &str| {
        let hit = sessions.search(query).hits.remove(0);
        let why = hit.why.into_iter().map(|why| (why.term, why.place.name(), why.is_whole));
        (hit.entry_id, why.collect::<Vec<_>>())
    };
    let one = |term: &str, place, whole| (term.to_owned(), place, whole);
    assert_eq!(why("bot"), ("a-0".into(), vec![one("bot", "first message", true)]));
    assert_eq!(why("Token"), ("a-1".into(), vec![one("Token", "user message", false)]));
    assert_eq!(why("telegram"), ("a-2".into(), vec![one("telegram", "title", true)]));
    // The words stand apart: the best message is shown, with where each of them is.
    let apart = vec![one("telegram", "title", true), one("\"the vault\"", "user message", true)];
    assert_eq!(why("telegram \"the vault\""), ("a-1".into(), apart));
    let most = vec![one("bot", "first message", true), one("make", "first message", true)];
    assert_eq!(why("bot make zzz"), ("a-0".into(), most));
    let typo = vec![one("telegram", "title", true)];
    assert_eq!(why("telegarm"), ("a-2".into(), typo));
}

#[test]
fn filters_narrow() {
    let sessions = fields();
    sessions.write("b", "/home/u/Other dir", &[&user("plum elsewhere")]);
    for (query, expected) in [
        ("plum role:user", "a-0 b-0"),
        ("plum role:assistant", "a-1"),
        ("plum role:tool", "a-2"),
        ("plum role:bash", "a-3"),
        ("plum role:summary", "a-4"),
        ("plum role:custom", "a-6"),
        ("fig role:system", "a-9"),
        ("tool:bash", "a-1 a-2"),
        ("tool:bash plum", "a-2"),
        ("tool:read plum", ""),
        ("model:BIG plum", "a-1"),
        ("model:prov/big", "a-1"),
        ("cwd:other plum", "b-0"),
        ("cwd:\"other dir\" plum", "b-0"),
        ("is:error", "a-2 a-3"),
        ("plum after:2026-01-09", "a-8"),
        ("plum before:2026-01-02", "a-0 b-0"),
        ("plum after:2026-01-03 before:2026-01-05T00:00:00Z", "a-2 a-3"),
        ("after:1w plum", ""),
    ] {
        let ids: BTreeSet<String> = sessions.ids(query).into_iter().collect();
        let ids: Vec<String> = ids.into_iter().collect();
        assert_eq!(ids.join(" "), expected, "{query}");
    }
}

#[test]
fn needles_with_escapes() {
    let sessions = Sessions::new();
    sessions.write(
        "a",
        "/p",
        &[
            &user(r#"say \"hi\" to C:\\temp\\x"#),
            &user(r"one\ntwo\tthree"),
            &user(r"\u0073pelled \u89e3\u6790 a\/b \ud83d\ude00"),
            &user(r"half \ud83d done"),
        ],
    );
    for (query, id) in [
        (r#"say "hi""#, "a-0"),
        (r#"re:say "hi""#, "a-0"),
        (r"C:\temp\x", "a-0"),
        ("\"one two three\"", "a-1"),
        (r"re:one\ntwo\tthree", "a-1"),
        ("spelled", "a-2"),
        ("解析", "a-2"),
        ("a/b", "a-2"),
        ("😀", "a-2"),
        ("half \u{FFFD}", "a-3"),
    ] {
        assert_eq!(sessions.ids(query), [id], "{query}");
    }
}

#[test]
fn copies_in_forks_are_one_hit() {
    let sessions = Sessions::new();
    let copy =
        r#"{"type":"message","id":"same","message":{"role":"user","content":"shared apple"}}"#;
    let other =
        r#"{"type":"message","id":"same","message":{"role":"user","content":"other apple"}}"#;
    sessions.write("1", "/p", &[copy]).write("2", "/p", &[copy, &user("own apple")]);
    sessions.write("3", "/p", &[other]);
    let found = sessions.search("apple");
    assert_eq!(found.total, 3);
    let hit = found.hits.iter().find(|hit| hit.snippet.text.starts_with("shared")).unwrap();
    assert_eq!(hit.session.id, "1");
    let places: Vec<&str> = hit.places.iter().map(|place| &*place.id).collect();
    assert_eq!(places, ["1", "2"]);
}

#[test]
fn entries_with_one_id_and_text_but_two_times_are_two_hits() {
    let sessions = Sessions::new();
    let yes = r#"{"type":"message","id":"same","message":{"role":"user","content":"yes apple"}}"#;
    sessions.write("1", "/p", &[yes]).write("2", "/p", &[&user("pear"), yes]);
    assert_eq!(sessions.search("apple").total, 2);
    let cache = tempfile::tempdir().unwrap();
    let store = sessions.store().with_cache(cache.path().to_owned());
    assert_eq!(search(&store, "apple", true).total, 2);
}

#[test]
fn details_of_tool_results_are_looked_at() {
    let sessions = Sessions::new();
    let deep = format!("{}\"deepfig\"{}", "[".repeat(100), "]".repeat(100));
    let result = |details: &str| {
        format!(
            r#"{{"type":"message","message":{{"role":"toolResult","toolName":"task","content":"done","details":{details}}}}}"#
        )
    };
    let run = r#"{"mode":"single","results":[{"agent":"scout","task":"find the quince","messages":[{"role":"assistant","content":[{"type":"text","text":"it is a medlar"},{"type":"toolCall","id":"callsloe","name":"read","arguments":{"path":"damson.rs"}},{"type":"thinking","thinking":"hm","thinkingSignature":"sigsloe"}]},{"role":"toolResult","toolCallId":"callsloe","content":[{"type":"image","mimeType":"image/png","data":"datasloe"},{"type":"text","text":"a greengage"}]}]}]}"#;
    sessions.write("a", "/p", &[&result(r#"{"diff":"- old\n+ newfig"}"#), &result(run)]);
    sessions.write("b", "/p", &[&result(&deep)]);
    let near = |query: &str| -> Vec<String> {
        let hits = sessions.search(query).hits.into_iter();
        hits.filter(|hit| hit.nearness != Nearness::Fuzzy).map(|hit| hit.entry_id).collect()
    };
    for query in ["quince", "medlar", "damson", "greengage", "tool:task scout"] {
        assert_eq!(near(query), ["a-1"], "{query}");
    }
    assert_eq!(near("newfig"), ["a-0"]);
    assert_eq!(near("deepfig"), ["b-0"]);
    for query in ["callsloe", "sigsloe", "datasloe"] {
        assert!(near(query).is_empty(), "{query}");
    }
}

#[test]
fn branches_are_told_apart() {
    let sessions = Sessions::new();
    let below = |parent: &str, text: &str| {
        let entry = user(text);
        format!("{},\"parentId\":\"{parent}\"}}", entry.strip_suffix('}').unwrap())
    };
    sessions.write(
        "a",
        "/p",
        &[&user("kiwi root"), &user("kiwi left"), &user("end"), &below("a-0", "kiwi right")],
    );
    let ids = |query: &str| {
        let mut ids = sessions.ids(query);
        ids.sort();
        ids
    };
    assert_eq!(ids("kiwi on:active"), ["a-0", "a-3"]);
    assert_eq!(ids("kiwi on:abandoned"), ["a-1"]);
    let found = sessions.search("left");
    let hit = &found.hits[0];
    assert!(!hit.active);
    assert_eq!((&*hit.leaf_id, hit.turn), ("a-2", 2));
    let found = sessions.search("root");
    assert!(found.hits[0].active);
    assert_eq!((&*found.hits[0].leaf_id, found.hits[0].turn), ("a-3", 1));
    // A branch ends where it was last continued, which is not below its newest entry.
    sessions.write(
        "b",
        "/p",
        &[
            &user("mango root"),
            &user("mango fork"),
            &user("old"),
            &below("b-1", "new"),
            &below("b-2", "continued"),
            &below("b-0", "end"),
        ],
    );
    assert_eq!(sessions.search("mango fork").hits[0].leaf_id, "b-4");
}

#[test]
fn fuzzy_only_when_nothing_else_is_there() {
    let sessions = fields();
    let found = sessions.search("plnm");
    assert_eq!(found.hits[0].nearness, Nearness::Fuzzy);
    assert_eq!(found.hits[0].role, HitRole::Name);
    assert_eq!(sessions.search("plnm role:user").total, 0);
    assert_eq!(sessions.search("zzz").total, 0);
}

#[test]
fn snippets_mark_the_hit() {
    let sessions = fields();
    let found = sessions.search("PLUM OUTP");
    let snippet = &found.hits[0].snippet;
    let marked: Vec<&str> = snippet.marks.iter().map(|mark| &snippet.text[mark.clone()]).collect();
    assert_eq!(marked, ["plum", "outp"]);
    assert_eq!(snippet.text, "plum output");
}

/// The best message of a session is read again for its text alone.
#[test]
fn a_session_tells_its_best_message_without_its_file() {
    let sessions = Sessions::new();
    let said = r#"{"type":"message","message":{"role":"user","content":"a ripe Plum"}}"#;
    sessions.write("s", "/home/u/p", &[said]);
    let query = pitree_store::search::Query::parse("plum", crate::search::NOW).unwrap();
    let scope = pitree_store::Scope::All;
    let search = pitree_store::search::SessionSearch { scope, is_wanted: &|| true };
    let found = sessions.store().search_sessions(&query, &search).unwrap().remove(0);
    let entry = found.entry.as_ref().unwrap();
    assert_eq!((&*entry.id, entry.line, entry.role.name()), ("s-0", 2, "user"));
    let snippet = found.snippet().unwrap();
    assert_eq!(&snippet.text[snippet.marks[0].clone()], "Plum");
    fs_err::remove_file(&found.path).unwrap();
    assert!(found.snippet().is_none());
}

#[test]
fn files_that_are_no_sessions_are_left_out() {
    let sessions = Sessions::new();
    fs_err::write(sessions.path("x"), user("lime") + "\n").unwrap();
    fs_err::write(sessions.path("y"), "lime\n[1]\n\n").unwrap();
    fs_err::write(sessions.path("z"), "").unwrap();
    assert_eq!(sessions.search("lime").total, 0);
}

#[test]
fn the_index_knows_the_sessions_with_a_text() {
    let sessions = Sessions::new();
    let said = |text: &str| {
        format!(r#"{{"type":"message","message":{{"role":"user","content":"{text}"}}}}"#)
    };
    for at in 0..40 {
        let text = if at % 2 == 0 { "the weather in Ulm, again" } else { "weathering steel" };
        sessions.write(&format!("s{at}"), "/home/u/p", &[&said("hello"), &said(text), &said(text)]);
    }
    let cache = tempfile::tempdir().unwrap();
    let indexed = sessions.store().with_cache(cache.path().to_owned());
    let scope = pitree_store::Scope::All;
    let search = pitree_store::search::SessionSearch { scope, is_wanted: &|| true };
    for (typed, count) in [("ulm", 20), ("weather", 40), ("\"weather in\"", 20), ("xyz", 0)] {
        let query = pitree_store::search::Query::parse(typed, crate::search::NOW).unwrap();
        let paths = |found: Option<Vec<pitree_store::search::SessionMatch>>| {
            let mut paths: Vec<_> = found.unwrap().into_iter().map(|found| found.path).collect();
            paths.sort();
            paths
        };
        let found = paths(indexed.search_indexed_sessions(&query, &search));
        assert_eq!(found.len(), count, "{typed}");
        assert_eq!(found, paths(sessions.store().search_sessions(&query, &search)), "{typed}");
    }
}
