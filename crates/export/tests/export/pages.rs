//! Random and damaged sessions: every format takes them all.

use pitree_export::{Branch, Format};
use pitree_session::Session;
use pitree_testkit::{damaged_files, session, session_v1, session_v2};

use crate::export::common::{Folder, cases, exported, said, seed, with_header};
use crate::export::{html, markdown};

/// Exports to every format; whole pages must be sound.
fn check_all(session: &Session, name: &str) {
    let last = session.len().checked_sub(1).map(|last| Branch::To(last / 2));
    for branch in [Branch::Active, Branch::All].into_iter().chain(last) {
        let page = exported(session, Format::Html, branch);
        html::check(&page).unwrap_or_else(|wrong| panic!("{name}, {branch:?}: {wrong}\n{page}"));
        let page = exported(session, Format::Markdown, branch);
        markdown::check(&page)
            .unwrap_or_else(|wrong| panic!("{name}, {branch:?}: {wrong}\n{page}"));
        let page = exported(session, Format::Text, branch);
        let wild = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!page.contains(wild), "{name}, {branch:?}: {page:?}");
    }
}

#[test]
fn random_sessions_make_sound_pages() {
    let folder = Folder::new();
    for seed in (0..cases(40)).map(|case| seed().wrapping_add(case)) {
        for (make, version) in [(session as fn(u64) -> _, 3), (session_v1, 1), (session_v2, 2)] {
            let made = make(seed);
            let session = folder.session(&made.bytes).unwrap();
            check_all(&session, &format!("seed {seed}, version {version}"));
        }
    }
}

#[test]
fn damaged_files_make_sound_pages() {
    let folder = Folder::new();
    let mut opened = 0;
    for file in damaged_files() {
        let Some(session) = folder.session(&file.bytes) else { continue };
        opened += 1;
        check_all(&session, file.name);
    }
    assert!(opened > 30, "only {opened} were opened");
}

#[test]
fn every_entry_is_on_the_page_once() {
    let folder = Folder::new();
    for seed in (0..cases(100)).map(|case| seed().wrapping_add(case)) {
        let session = folder.session(session(seed).bytes).unwrap();
        let page = exported(&session, Format::Html, Branch::All);
        for entry in session.entries() {
            let anchor = format!("<article id=\"e{}\"", entry.index());
            assert_eq!(page.matches(&anchor).count(), 1, "seed {seed}, line {}", entry.line());
        }
        let path = session.active_path().len();
        let page = exported(&session, Format::Html, Branch::Active);
        let damaged = page.matches("class=\"damage\"").count();
        assert_eq!(page.matches("<article ").count(), path + damaged, "seed {seed}");
    }
}

#[test]
fn damaged_lines_are_shown() {
    let folder = Folder::new();
    let first = said("aaaaaaa1", None, "hello");
    let text = with_header(&["{\"torn\": <b>", &first, "[1,2]", "null"]);
    let session = folder.session(&text).unwrap();
    let page = html::check(&exported(&session, Format::Html, Branch::Active)).unwrap();
    let other = markdown::check(&exported(&session, Format::Markdown, Branch::Active)).unwrap();
    let plain = exported(&session, Format::Text, Branch::Active);
    for page in [page, other, plain] {
        for part in ["Line 2", "{\"torn\": <b>", "Line 4", "[1,2]", "Line 5", "null"] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}

/// The active branch comes first, then what was left, and the outline shows where.
#[test]
fn branches_stand_in_order() {
    let folder = Folder::new();
    let lines = [
        said("a", None, "root"),
        said("b", Some("a"), "left one"),
        said("c", Some("b"), "left two"),
        said("d", Some("a"), "active one"),
        said("e", Some("d"), "active two"),
    ];
    let text = with_header(&lines.each_ref().map(String::as_str));
    let session = folder.session(&text).unwrap();
    let page = exported(&session, Format::Text, Branch::All);
    let places: Vec<usize> = [
        "Conversation",
        "  root",
        "  active one",
        "  active two",
        "Abandoned branch after a",
        "  left one",
        "  left two",
    ]
    .iter()
    .map(|part| page.rfind(part).unwrap_or_else(|| panic!("no {part}: {page}")))
    .collect();
    assert!(places.is_sorted(), "{page}");
    let page = exported(&session, Format::Html, Branch::All);
    let outline = page.split("<ol>").nth(1).unwrap().split("</ol>").next().unwrap();
    let rows: Vec<&str> = outline.lines().filter(|line| !line.is_empty()).collect();
    let classes: Vec<&str> = rows.iter().map(|row| row.split('"').nth(1).unwrap()).collect();
    assert_eq!(classes, ["d0 active", "d1", "d1", "d0 active", "d0 active"], "{outline}");
    assert!(rows[4].ends_with("← current</li>"), "{outline}");
    assert!(!exported(&session, Format::Text, Branch::Active).contains("left one"));
    assert!(exported(&session, Format::Text, Branch::To(2)).contains("left two"));
}

/// A chain of branches far deeper than a browser nests elements.
#[test]
fn a_deep_tree_makes_a_flat_page() {
    let folder = Folder::new();
    let mut lines = vec![said("n0", None, "root")];
    for at in 1..3000 {
        let parent = format!("n{}", at - 1);
        lines.push(said(&format!("s{at}"), Some(&parent), "side"));
        lines.push(said(&format!("n{at}"), Some(&parent), "main"));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let session = folder.session(with_header(&lines)).unwrap();
    html::check(&exported(&session, Format::Html, Branch::All)).unwrap();
}

#[test]
fn images_are_embedded_only_if_they_are_safe() {
    let folder = Folder::new();
    let image = |id: &str, mime: &str, data: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"user","content":[{{"type":"image","mimeType":"{mime}","data":"{data}"}}]}}}}"#
        )
    };
    let lines = [
        image("a", "image/png", "iVBORw0KGgo="),
        image("b", "image/svg+xml", "PHN2Zz4="),
        image("c", "image/png", "x\\\" onerror=\\\"y"),
        image("d", "text/html", "AAAA"),
        image("e", "image/png", ""),
    ];
    let session = folder.session(with_header(&lines.each_ref().map(String::as_str))).unwrap();
    let page = exported(&session, Format::Html, Branch::All);
    html::check(&page).unwrap();
    assert_eq!(page.matches("<img ").count(), 1, "{page}");
    assert!(page.contains("data:image/png;base64,iVBORw0KGgo="), "{page}");
    assert_eq!(page.matches("<p class=\"note\"").count(), 4, "{page}");
}
