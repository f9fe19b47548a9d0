//! A session that grows while its page is open.

use std::io::Write;

use crate::common::{BRANCHED, Served};

#[test]
fn an_appended_line_is_news_and_is_shown() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key("0198aaaa-0000-7000-8000-000000000001");
    let rows = served.ask(&format!("/api/sessions/{key}/rows"));
    assert_eq!(rows["total"], 8);
    let append = || {
        let line = r#"{"type":"message","id":"aaaa000c","parentId":"aaaa000b","timestamp":"2026-02-03T22:00:12.000Z","message":{"role":"user","content":"Thanks!","timestamp":1770159139000}}"#;
        let mut file =
            fs_err::OpenOptions::new().append(true).open(served.file("a.jsonl")).unwrap();
        writeln!(file, "{line}").unwrap();
    };
    served.follow(append, |news| news["changed"][0] == key.as_str());
    let rows = served.ask(&format!("/api/sessions/{key}/rows?from=8"));
    assert_eq!(rows["total"], 9);
    assert_eq!(rows["rows"][0]["id"], "aaaa000c");
    let head = served.ask(&format!("/api/sessions/{key}"));
    assert_eq!(head["leaf"], 11);
}

/// What was found in the old entries stays, and what the new ones change of it is seen.
#[test]
fn the_marks_follow_what_is_appended() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key("0198aaaa-0000-7000-8000-000000000001");
    let marks = || {
        let marks = served.ask(&format!("/api/sessions/{key}/marks"))["marks"].clone();
        let mark = |mark: &serde_json::Value| format!("{} {}", mark["at"], mark["kind"]);
        marks.as_array().unwrap().iter().map(mark).collect::<Vec<String>>()
    };
    let before = marks();
    let lines = [
        r#"{"type":"message","id":"aaaa000c","parentId":"aaaa0001","timestamp":"2026-02-03T22:00:12.000Z","message":{"role":"bashExecution","command":"false","output":"","exitCode":1,"cancelled":false,"truncated":false,"timestamp":1770159139000}}"#,
        r#"{"type":"label","id":"aaaa000d","parentId":"aaaa000c","timestamp":"2026-02-03T22:00:13.000Z","targetId":"aaaa0002","label":"here"}"#,
    ];
    let path = served.file("a.jsonl");
    let mut file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    writeln!(file, "{}", lines.join("\n")).unwrap();
    let mut expected = before;
    expected.extend(["0 \"branch\"", "1 \"label\"", "11 \"error\""].map(str::to_owned));
    let mut found = marks();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn a_session_that_goes_is_gone() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key("0198aaaa-0000-7000-8000-000000000001");
    let remove = || fs_err::remove_file(served.file("a.jsonl")).unwrap();
    served.follow(remove, |news| news["list"] == true);
    assert_eq!(served.get(&format!("/api/sessions/{key}/rows")).status, 404);
    assert_eq!(served.ask("/api/sessions")["total"], 0);
}

#[test]
fn a_file_that_is_replaced_is_read_again() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key("0198aaaa-0000-7000-8000-000000000001");
    assert_eq!(served.ask(&format!("/api/sessions/{key}/rows"))["total"], 8);
    let shorter: String = BRANCHED.lines().take(3).map(|line| format!("{line}\n")).collect();
    fs_err::write(served.file("a.jsonl"), shorter).unwrap();
    assert_eq!(served.ask(&format!("/api/sessions/{key}/rows"))["total"], 2);
}
