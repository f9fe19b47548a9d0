//! The page as one file: what it holds, read as a browser reads it.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use pitree_export::Branch;
use pitree_session::{Environment, Session};
use pitree_testkit::{session, working_session};
use pitree_web::{PageFile, ToolDetail};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common::BRANCHED;

struct Page {
    html: String,
}

impl Page {
    fn of(bytes: &[u8], options: &PageFile) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        fs_err::write(&path, bytes).unwrap();
        let environment = Environment::new("/home/ana", "/srv/shop", || 0, |_| {});
        let session = Session::open(&path, &environment).unwrap();
        let mut html = Vec::new();
        options.write(session, &mut html).unwrap();
        Self { html: String::from_utf8(html).unwrap() }
    }

    /// The text between two marks.
    fn between(&self, begin: &str, end: &str) -> Option<&str> {
        let (_, rest) = self.html.split_once(begin)?;
        Some(rest.split_once(end)?.0)
    }

    fn data(&self, id: &str) -> Option<Value> {
        let mark = format!("<script type=\"application/octet-stream\" id=\"{id}\">");
        let packed = STANDARD.decode(self.between(&mark, "</script>")?).unwrap();
        let mut text = String::new();
        DeflateDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        Some(serde_json::from_str(&text).unwrap())
    }

    fn rows(&self) -> Vec<Value> {
        let blocks = (0..).map_while(|number| self.data(&format!("pitree-rows-{number}")));
        blocks.flat_map(|block| block.as_array().unwrap().clone()).collect()
    }
}

#[test]
fn all_branches_with_what_trees_and_lanes_need() {
    let page = Page::of(BRANCHED.as_bytes(), &PageFile::new());
    let index = page.data("pitree-index").unwrap();
    assert_eq!(index["format"], 1);
    assert_eq!(index["session"]["entries"], 11);
    assert_eq!(index["session"]["title"], "Why is the *forecast* slow?");
    assert_eq!(index["session"]["lanes"].as_array().unwrap().len(), 3);
    let light = &index["light"];
    assert_eq!(light["ids"][4], "aaaa0005");
    assert_eq!(light["parents"][6], 4);
    assert_eq!(light["labels"], json!([[4, "no cache"]]));
    let flags: Vec<u64> =
        light["flags"].as_array().unwrap().iter().map(|flags| flags.as_u64().unwrap()).collect();
    assert_eq!(flags[2] & 2, 2, "a tool failed");
    assert_eq!((flags[5] & 4, flags[0] & 4), (4, 0), "a label is bookkeeping");
    assert_eq!((flags[7] & 1, flags[10] & 1), (0, 1), "the branch that was left");
    assert_eq!((flags[3] & 8, flags[0] & 16), (8, 16));
    let rows = page.rows();
    assert_eq!(rows.len(), 11);
    assert_eq!(rows[1]["calls"][1]["resultAt"], 3);
    assert!(index["context"]["total"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_part_counts_from_its_own_beginning() {
    let page = Page::of(BRANCHED.as_bytes(), &PageFile::new().branch(Branch::To(7)));
    let index = page.data("pitree-index").unwrap();
    assert_eq!(index["light"]["ids"][6], "aaaa0008");
    assert_eq!(index["light"]["parents"], json!([null, 0, 1, 2, 3, 4, 5]));
    assert_eq!(index["session"]["leaf"], 6);
    assert!(!page.html.contains("JSON file"));
    assert!(!index.to_string().contains("JSON file"), "a branch that is not exported");
}

#[test]
fn what_is_not_wanted_is_not_there() {
    let rows = |options| json!(Page::of(BRANCHED.as_bytes(), &options).rows()).to_string();
    let all = rows(PageFile::new());
    assert!(all.contains("Look at the cache first") && all.contains("\"return\""));
    assert!(!rows(PageFile::new().thinking(false)).contains("Look at the cache first"));
    let brief = rows(PageFile::new().tools(ToolDetail::Summary));
    assert!(!brief.contains("\"return\"") && brief.contains("resultAt"));
    assert!(!rows(PageFile::new().tools(ToolDetail::None)).contains("resultAt"));
}

#[test]
fn the_last_requests_are_in_the_file() {
    let page = Page::of(BRANCHED.as_bytes(), &PageFile::new());
    let index = page.data("pitree-index").unwrap();
    assert_eq!(index["requests"], json!({"shown": 3, "replies": 3}));
    let requests = page.data("pitree-requests").unwrap();
    let second = &requests[1];
    assert_eq!(
        (&second["at"], &second["previous"], &second["shared"]),
        (&json!(4), &json!(1), &json!(1))
    );
    assert!(second["difference"].to_string().contains("3 new messages"), "{second}");
    // Places are those of the page, and another branch is not on it.
    let page = Page::of(BRANCHED.as_bytes(), &PageFile::new().branch(Branch::To(7)));
    let requests = page.data("pitree-requests").unwrap();
    assert_eq!((&requests[2]["at"], &requests[2]["previous"]), (&json!(6), &json!(4)));
    assert!(!requests.to_string().contains("JSON file"));
    // A page that leaves something out has none.
    for options in [
        PageFile::new().thinking(false),
        PageFile::new().images(false),
        PageFile::new().tools(ToolDetail::Summary),
    ] {
        let page = Page::of(BRANCHED.as_bytes(), &options);
        assert_eq!(page.data("pitree-requests"), None);
        let index = page.data("pitree-index").unwrap();
        assert_eq!(index["requests"], Value::Null);
        assert_eq!(index["session"]["facts"][1][0], "Requests", "the page says it");
    }
}

#[test]
fn of_a_long_session_the_last_hundred() {
    use std::fmt::Write as _;
    let mut lines: String = BRANCHED.lines().take(2).map(|line| format!("{line}\n")).collect();
    let mut parent = "aaaa0001".to_owned();
    for number in 0..150 {
        let id = format!("cc{number:06}");
        let message = r#"{"role":"assistant","content":[{"type":"text","text":"yes"}],"api":"openai-completions","provider":"local","model":"small","stopReason":"stop"}"#;
        writeln!(lines, r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-02-03T22:00:09.000Z","message":{message}}}"#).unwrap();
        parent = id;
    }
    let page = Page::of(lines.as_bytes(), &PageFile::new());
    assert_eq!(
        page.data("pitree-index").unwrap()["requests"],
        json!({"shown": 100, "replies": 150})
    );
    let requests = page.data("pitree-requests").unwrap();
    assert_eq!((&requests[0]["at"], &requests[99]["at"]), (&json!(51), &json!(150)));
}

#[test]
fn requests_that_would_take_too_much_memory_are_left_out() {
    // What a provider counted says nothing about how long the file is.
    let long = format!("Why is the *forecast* slow? {}", "word ".repeat(7 << 20));
    let text = BRANCHED.replace("Why is the *forecast* slow?", &long);
    let page = Page::of(text.as_bytes(), &PageFile::new());
    assert_eq!(page.data("pitree-requests"), None);
    assert_eq!(page.data("pitree-index").unwrap()["requests"], json!({"shown": 0, "replies": 3}));
}

#[test]
fn only_its_own_script_and_style_may_run() {
    let page = Page::of(BRANCHED.as_bytes(), &PageFile::new());
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let script = page.between("<script type=\"module\">", "</script>").unwrap();
    let style = page.between("<style>", "</style>").unwrap();
    let policy = page.between("Content-Security-Policy\" content=\"", "\"").unwrap();
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(policy.contains(&format!("script-src {};", hash(script))), "{policy}");
    assert!(policy.contains(&format!("style-src {};", hash(style))), "{policy}");
    assert!(!policy.contains("connect-src") && !policy.contains("unsafe"), "{policy}");
}

#[test]
fn hostile_text_ends_no_element() {
    let hostile = "</script><script>alert(1)</script></title><img src=x onerror=alert(1)>";
    let escaped = serde_json::to_string(hostile).unwrap();
    let escaped = &escaped[1..escaped.len() - 1];
    let text =
        BRANCHED.replace("Why is the *forecast* slow?", escaped).replace("no cache", escaped);
    let page = Page::of(text.as_bytes(), &PageFile::new());
    assert_eq!(page.html.matches("<script").count(), 4, "index, one block, requests, the page");
    assert!(!page.html.contains("<img src=x"));
    let index = page.data("pitree-index").unwrap();
    assert_eq!(index["session"]["title"], hostile);
    assert!(json!(page.rows()).to_string().contains("alert(1)"), "it is shown as text");
}

#[test]
fn random_sessions_keep_every_entry() {
    for seed in pitree_testkit::seed()..pitree_testkit::seed() + 10 {
        let made = if seed % 2 == 0 { session(seed) } else { working_session(seed) };
        let page = Page::of(&made.bytes, &PageFile::new());
        let index = page.data("pitree-index").unwrap();
        let entries = index["session"]["entries"].as_u64().unwrap();
        assert_eq!(page.rows().len() as u64, entries, "seed {seed}");
        for column in ["ids", "parents", "kinds", "flags", "summaries"] {
            let length = index["light"][column].as_array().unwrap().len() as u64;
            assert_eq!(length, entries, "seed {seed}: {column}");
        }
    }
}
