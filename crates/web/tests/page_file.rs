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

pub(crate) struct Page {
    html: String,
}

impl Page {
    pub(crate) fn of(bytes: &[u8], options: &PageFile) -> Self {
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

    pub(crate) fn data(&self, id: &str) -> Option<Value> {
        let mark = format!("<script type=\"application/octet-stream\" id=\"{id}\">");
        Some(serde_json::from_str(&unpacked(self.between(&mark, "</script>")?)).unwrap())
    }

    /// All that is in the file but its script and style: the frame, and every block unpacked.
    pub(crate) fn everything(&self) -> String {
        let begin = "<script type=\"application/octet-stream\" id=\"";
        let mut parts = self.html.split(begin);
        let head = parts.next().unwrap();
        let style = self.between("<style>", "</style>").unwrap();
        let mut all = head.replace(style, "");
        let mut blocks = 0;
        for part in parts {
            let (id, rest) = part.split_once("\">").unwrap();
            let (packed, _) = rest.split_once("</script>").unwrap();
            all.push_str(id);
            all.push_str(&unpacked(packed));
            blocks += 1;
        }
        assert!(blocks > 1 && all.contains("pitree-index"), "{blocks} blocks");
        all
    }

    pub(crate) fn rows(&self) -> Vec<Value> {
        let blocks = (0..).map_while(|number| self.data(&format!("pitree-rows-{number}")));
        blocks.flat_map(|block| block.as_array().unwrap().clone()).collect()
    }
}

fn unpacked(base64: &str) -> String {
    let packed = STANDARD.decode(base64).unwrap();
    let mut text = String::new();
    DeflateDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn all_branches_with_what_trees_and_lanes_need() {
    let page = Page::of(BRANCHED.as_bytes(), &PageFile::new());
    let index = page.data("pitree-index").unwrap();
    assert_eq!(index["format"], 1);
    assert_eq!(index["session"]["entries"], 11);
    assert_eq!(index["session"]["title"], "Why is the *forecast* slow?");
    assert_eq!(index["session"]["lanes"].as_array().unwrap().len(), 2);
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
}

#[test]
fn each_branch_has_its_context() {
    let page = Page::of(BRANCHED.as_bytes(), &PageFile::new());
    let index = page.data("pitree-index").unwrap();
    assert_eq!(index["contexts"], json!({"shown": 2, "branches": 2}));
    let contexts = page.data("pitree-contexts").unwrap();
    let said = |at: usize, text: &str| contexts[at]["largest"].to_string().contains(text);
    let turns = |at: usize| -> Vec<u64> {
        let turns = contexts[at]["turns"].as_array().unwrap().iter();
        turns.map(|turn| turn["at"].as_u64().unwrap()).collect()
    };
    assert_eq!((&contexts[0]["leaf"], &contexts[1]["leaf"]), (&json!(10), &json!(7)));
    assert!(said(0, "JSON file") && !said(0, "SQLite."), "{contexts}");
    assert!(said(1, "Build one in SQLite.") && !said(1, "JSON file"), "{contexts}");
    assert_eq!((turns(0), turns(1)), (vec![1, 4, 10], vec![1, 4, 7]));
    assert_eq!(contexts[1]["reported"], 300);
    // One branch alone has its own, with the places of the page.
    for (branch, reported, end) in [(Branch::To(7), 300, 6), (Branch::Active, 312, 7)] {
        let page = Page::of(BRANCHED.as_bytes(), &PageFile::new().branch(branch));
        let contexts = page.data("pitree-contexts").unwrap();
        let [context] = &contexts.as_array().unwrap()[..] else { panic!("{contexts}") };
        assert_eq!((&context["leaf"], &context["reported"]), (&json!(end), &json!(reported)));
        assert_eq!(context["turns"].as_array().unwrap().last().unwrap()["at"], end);
    }
}

#[test]
fn of_many_branches_the_newest_have_their_context() {
    use std::fmt::Write as _;
    let mut lines: String = BRANCHED.lines().take(2).map(|line| format!("{line}\n")).collect();
    for number in 0..60 {
        let message = r#"{"role":"user","content":"x"}"#;
        writeln!(lines, r#"{{"type":"message","id":"bb{number:06}","parentId":"aaaa0001","timestamp":"2026-02-03T22:00:09.000Z","message":{message}}}"#).unwrap();
    }
    let page = Page::of(lines.as_bytes(), &PageFile::new());
    let index = page.data("pitree-index").unwrap();
    assert_eq!(index["contexts"], json!({"shown": 40, "branches": 60}));
    let contexts = page.data("pitree-contexts").unwrap();
    assert_eq!((&contexts[0]["leaf"], &contexts[39]["leaf"]), (&json!(60), &json!(21)));
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
    assert_eq!(
        page.html.matches("<script").count(),
        5,
        "index, one block, requests, contexts, the page"
    );
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

/// The tree of a page stands in the order of the server's, with the same lines.
#[test]
fn the_tree_is_that_of_the_server() {
    let served = crate::common::Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key("0198aaaa-0000-7000-8000-000000000001");
    let tree = served.ask(&format!("/api/sessions/{key}/tree?filter=all"));
    let rows = tree["rows"].as_array().unwrap();
    let index = Page::of(BRANCHED.as_bytes(), &PageFile::new()).data("pitree-index").unwrap();
    let order: Vec<&Value> = rows.iter().map(|row| &row["at"]).collect();
    assert_eq!(order, index["order"].as_array().unwrap().iter().collect::<Vec<_>>());
    let light = &index["light"];
    for row in rows {
        let at = row["at"].as_u64().unwrap() as usize;
        let mut lines = light["lines"].as_array().unwrap().iter();
        let line = lines.find(|line| line[0] == at).map_or(&light["summaries"][at], |it| &it[1]);
        assert_eq!(line, &row["text"]);
    }
    let begins: Vec<u64> = rows
        .iter()
        .filter(|row| row["begins"] == true)
        .map(|row| row["at"].as_u64().unwrap())
        .collect();
    assert!(begins.len() > 2 && begins[0] == 0, "{begins:?}");
}
