//! What the page says of a file that is damaged.

use pitree_web::PageFile;
use serde_json::json;

use crate::common::{BRANCHED, Served};
use crate::page_file::Page;

const ID: &str = "0198aaaa-0000-7000-8000-000000000001";

/// What `pitree check` says of a damaged file stands in the head of its session, and in its page.
#[test]
fn a_damaged_file_says_so() {
    let mut lines: Vec<&str> = BRANCHED.lines().collect();
    lines.insert(4, r#"{"type":"message","id"#);
    let damaged = lines.join("\n") + "\n";
    let served = Served::new(&[("a.jsonl", damaged.as_bytes())]);
    let key = served.key(ID);
    let head = served.ask(&format!("/api/sessions/{key}"));
    let problems = head["problems"].as_array().unwrap();
    assert_eq!(problems[0]["line"], 5, "{problems:?}");
    let text = problems[0]["text"].as_str().unwrap();
    assert!(text.contains("an unterminated string"), "{text}");
    assert!(!problems[0]["advice"].as_str().unwrap().is_empty());
    let page = Page::of(damaged.as_bytes(), &PageFile::new());
    assert_eq!(page.data("pitree-index").unwrap()["session"]["problems"], head["problems"]);
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key(ID);
    assert_eq!(served.ask(&format!("/api/sessions/{key}"))["problems"], json!([]));
}
