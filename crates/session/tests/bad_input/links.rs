//! Ids and parents that make no tree.

use std::time::{Duration, Instant};

use pitree_session::EntryRef;

use crate::bad_input::common::{
    TestFolder, ask_everything, codes, header, ids, line_of, lines, path_ids, said, sound, user,
};

/// So many that looking at all of them again for each takes longer than anybody waits.
const PAIRS: usize = 20_000;

/// A session of entries with these ids and parents.
fn linked(place: &TestFolder, links: &[(&str, &str)]) -> pitree_session::Session {
    let entries: Vec<_> = links.iter().map(|(id, parent)| user(id, parent, id)).collect();
    let session = place.session(lines(&[header()]) + &lines(&entries));
    ask_everything(&session).unwrap();
    session
}

#[test]
fn entries_without_an_id_get_one_that_stays_the_same() {
    let place = TestFolder::new();
    for id in ["", r#""id":null,"#, r#""id":12,"#, r#""id":["a4"],"#, r#""id":{},"#] {
        let line = user("a4", "a3", "x").replace(r#""id":"a4","#, id);
        let mut session = place.session(sound() + &line + "\n");
        let made_up = session.leaf_id().unwrap().to_owned();
        assert!(session.leaf().unwrap().has_made_up_id());
        assert_eq!(line_of(&session, "missing-id"), Some(5));
        assert_eq!(session.active_path().len(), 4);
        let value = session.leaf().unwrap().value().unwrap();
        assert_eq!(value.get_string("id").map(ToString::to_string), Some(made_up.clone()));
        let names: Vec<String> =
            value.as_object().unwrap().iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names[..2], ["type", "id"], "where Pi has it");
        let before = fs_err::read(session.path().unwrap()).unwrap();
        session.append_message(said("child")).unwrap();
        let path = session.path().unwrap();
        assert!(fs_err::read(path).unwrap().starts_with(&before));
        let fresh = place.open(path).unwrap();
        assert_eq!(fresh.at(3).unwrap().id(), made_up);
        assert_eq!(fresh.active_path().len(), 5, "the child still finds its parent");
    }
}

#[test]
fn parents_are_compared_as_text_and_not_as_bytes() {
    let place = TestFolder::new();
    // The bytes of the second parentId are the text of the first id.
    for (id, parent, is_child) in [
        (r"a\\b", r"a\b", false),
        (r"a\\b", r"a\\b", true),
        (r"\u0061", "a", true),
        ("a", r"\u0061", true),
        (r"a\n", r"a\u000a", true),
    ] {
        let session = linked(&place, &[(id, ""), ("child", parent)]);
        let found = session.at(1).unwrap().parent().map(|parent| parent.index());
        assert_eq!(found, is_child.then_some(0), "{id} {parent}");
    }
}

#[test]
fn a_place_without_an_entry_is_no_panic() {
    let place = TestFolder::new();
    let mut session = linked(&place, &[("a1", ""), ("a2", "a1")]);
    let old = session.tree();
    session.append_message(said("newer")).unwrap();
    assert_eq!(old.children(2).len(), 0, "the tree is older than the entry");
    for place in [3, 4, usize::MAX - 1, usize::MAX] {
        assert!(session.path_to(place).is_empty());
        assert_eq!(session.tree().children(place).len(), 0);
        assert!(session.children(place).is_empty());
        assert!(session.context_at(Some(place)).is_err());
        assert!(session.context_entries_at(Some(place)).is_err());
        assert!(session.projection_at(Some(place)).is_err());
        assert!(session.restored_at(Some(place)).is_err());
    }
}

#[test]
fn of_equal_ids_the_last_is_found_and_none_is_lost() {
    let place = TestFolder::new();
    let session = linked(&place, &[("a1", ""), ("a2", "a1"), ("a2", "a1"), ("a3", "a2")]);
    assert_eq!(codes(&session.findings().unwrap()), [("duplicate-id", 4)]);
    assert_eq!(session.entry("a2").unwrap().line(), 4);
    let path: Vec<u64> = session.active_path().iter().map(EntryRef::line).collect();
    assert_eq!(path, [2, 4, 5]);
}

#[test]
fn equal_ids_that_close_a_circle_are_cut() {
    // Pi's getTree never comes to an end here.
    let place = TestFolder::new();
    let session = linked(&place, &[("a1", ""), ("a2", "a1"), ("a3", "a2"), ("a2", "a3")]);
    let findings = codes(&session.findings().unwrap());
    assert_eq!(findings, [("cycle", 4), ("several-roots", 4), ("duplicate-id", 5)]);
    assert_eq!(session.tree().walk().count(), 4);
    assert_eq!(path_ids(&session, "a2"), ["a3", "a2"]);
}

#[test]
fn an_entry_that_is_its_own_parent_is_a_root() {
    let place = TestFolder::new();
    let session = linked(&place, &[("a1", ""), ("b1", "b1"), ("b2", "b1")]);
    assert_eq!(line_of(&session, "self-parent"), Some(3));
    assert_eq!(path_ids(&session, "b2"), ["b1", "b2"]);
    assert_eq!(session.context().unwrap().messages.len(), 2);
}

#[test]
fn circles_of_parents_are_cut_once_each() {
    let place = TestFolder::new();
    let links = [
        ("a", "c"),
        ("b", "a"),
        ("c", "b"),
        ("tail", "c"),
        ("x", "y"),
        ("y", "x"),
        ("free", ""),
        ("on-free", "free"),
    ];
    let session = linked(&place, &links);
    let cycles: Vec<_> =
        session.findings().unwrap().into_iter().filter(|f| f.code == "cycle").collect();
    assert_eq!(cycles.iter().map(|f| f.line).collect::<Vec<_>>(), [2, 6]);
    assert_eq!(path_ids(&session, "tail"), ["a", "b", "c", "tail"]);
    assert_eq!(path_ids(&session, "on-free"), ["free", "on-free"]);
}

#[test]
fn a_circle_of_100_000_entries_is_cut_in_a_moment() {
    let place = TestFolder::new();
    let count = 100_000;
    let mut text = lines(&[header()]);
    for at in 0..count {
        let parent = format!("e{}", (at + 1) % count);
        let link = format!(r#""id":"e{at}","parentId":"{parent}""#);
        text.push_str(&format!("{{\"type\":\"custom\",\"customType\":\"x\",{link}}}\n"));
    }
    let session = place.session(text);
    assert_eq!(line_of(&session, "cycle"), Some(2));
    assert_eq!(session.tree().walk().count(), count);
    assert_eq!(session.path_to(1).len(), count);
}

#[test]
fn orphans_are_roots_that_remember_their_parents_name() {
    let place = TestFolder::new();
    let session = linked(&place, &[("a1", ""), ("b1", "gone"), ("b2", "b1")]);
    assert_eq!(codes(&session.findings().unwrap()), [("orphan", 3), ("cut-off", 3)]);
    assert_eq!(session.entry("b1").unwrap().parent_id(), Some("gone"));
    assert_eq!(path_ids(&session, "b2"), ["b1", "b2"]);
    assert_eq!(session.tree().roots().count(), 2);
}

#[test]
fn several_roots_are_several_trees() {
    let place = TestFolder::new();
    let session = linked(&place, &[("a", ""), ("b", ""), ("c", ""), ("a2", "a")]);
    assert_eq!(codes(&session.findings().unwrap()), [("several-roots", 3)]);
    assert_eq!(session.tree().roots().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(path_ids(&session, "a2"), ["a", "a2"]);
}

#[test]
fn parents_may_come_later_in_the_file() {
    let place = TestFolder::new();
    let session = linked(&place, &[("a3", "a2"), ("a2", "a1"), ("a1", "")]);
    assert!(session.findings().unwrap().is_empty());
    assert_eq!(path_ids(&session, "a3"), ["a1", "a2", "a3"]);
    assert_eq!(session.leaf_id(), Some("a1"));
}

#[test]
fn a_parent_that_is_no_text_is_none() {
    let place = TestFolder::new();
    for parent in ["7", "true", "[\"a3\"]", "{\"id\":\"a3\"}"] {
        let line = user("a4", "a3", "x").replace("\"a3\"", parent);
        let session = place.session(sound() + &line + "\n");
        ask_everything(&session).unwrap();
        assert_eq!(line_of(&session, "invalid-parent"), Some(5), "{parent}");
        assert_eq!(ids(&session).len(), 4);
    }
}

#[test]
fn a_label_or_compaction_that_names_nothing_hurts_nobody() {
    let place = TestFolder::new();
    let tail = r#""timestamp":"2026-11-15T06:53:16.000Z"}"#;
    for body in [
        r#""type":"label","targetId":"gone","label":"x","#,
        r#""type":"label","targetId":null,"label":7,"#,
        r#""type":"compaction","summary":null,"firstKeptEntryId":"gone","tokensBefore":"x","#,
        r#""type":"compaction","summary":"s","firstKeptEntryId":"a4","tokensBefore":1,"#,
        r#""type":"compaction","systemMessage":7,"#,
        r#""type":"context_edit","targetId":"gone","replacement":null,"#,
        r#""type":"context_edit","targetId":"a1","replacement":7,"#,
        r#""type":"context_edit","targetId":"a1","replacement":{"content":null},"#,
        r#""type":"branch_summary","fromId":7,"summary":[1],"#,
        r#""type":"session_info","name":null,"#,
        r#""type":"model_change","provider":[],"modelId":{},"#,
        r#""type":"thinking_level_change","thinkingLevel":null,"#,
        r#""type":"custom_message","customType":7,"content":7,"display":"x","#,
        r#""type":"message","message":"text","#,
        r#""type":7,"#,
    ] {
        let line = format!(r#"{{"id":"a4","parentId":"a3",{body}{tail}"#);
        let after = user("a5", "a4", "after");
        let session = place.session(sound() + &lines(&[line, after]));
        assert_eq!(session.len(), 5, "{body}");
        ask_everything(&session).unwrap();
        session.create_branched_session("a5", &pitree_session::ForkOptions::default()).unwrap();
    }
}

#[test]
fn what_a_missing_parent_cuts_off_is_counted() {
    let place = TestFolder::new();
    let cut = |links: &[(&str, &str)]| {
        let cut = linked(&place, links).cut_off();
        cut.map(|cut| (cut.line, cut.entries, cut.last))
    };
    assert_eq!(cut(&[("a", ""), ("b", "a"), ("c", "b")]), None);
    assert_eq!(cut(&[("a", "gone"), ("b", "a")]), None, "nothing is above it");
    assert_eq!(cut(&[("a", ""), ("b", "a"), ("x", "a"), ("d", "gone")]), Some((5, 2, 2)));
    // Two branches begin at what is missing: it was above the first of them.
    let two = [("a", ""), ("b", "a"), ("d", "gone"), ("e", "d"), ("f", "gone")];
    assert_eq!(cut(&two), Some((4, 2, 1)));
    // Cut twice.
    let twice = [("a", ""), ("b", "lost"), ("c", "b"), ("d", "gone"), ("e", "d")];
    assert_eq!(cut(&twice), Some((5, 3, 2)));
    // The leaf is on a branch that is whole.
    assert_eq!(cut(&[("a", ""), ("d", "gone"), ("b", "a")]), None);
    // Parents that come later tell nothing about the order.
    assert_eq!(cut(&[("b", "d"), ("d", "gone"), ("e", "d")]), None);
}

#[test]
fn a_file_of_bad_lines_and_orphans_is_checked_in_a_moment() {
    let place = TestFolder::new();
    let pair = |at: usize| format!("{{\n{}\n", user(&format!("a{at}"), &format!("gone{at}"), "x"));
    let pairs: String = (0..PAIRS).map(pair).collect();
    let session = place.session(lines(&[header()]) + &pairs);
    let start = Instant::now();
    let findings = session.findings().unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let count = |code| findings.iter().filter(|finding| finding.code == code).count();
    assert_eq!((count("malformed-line"), count("orphan")), (PAIRS, PAIRS));
    let cut = session.cut_off().unwrap();
    assert_eq!((cut.entries, cut.last, cut.root), (PAIRS - 1, PAIRS - 2, PAIRS - 1));
}
