//! The changes that the page may make if it is allowed to.

use std::path::Path;

use pitree_session::Session;
use pitree_web::WebOptions;
use serde_json::{Value, json};

use crate::common::{BRANCHED, Served, into_folder};

#[test]
fn names_labels_and_positions() {
    let served =
        Served::with(&[("a.jsonl", BRANCHED.as_bytes())], &WebOptions::new().allow_edit(true));
    let key = served.key("0198aaaa-0000-7000-8000-000000000001");
    let change = |part: &str, body: &str| {
        let reply = served.post(&format!("/api/sessions/{key}/{part}"), body);
        assert_eq!(reply.status, 200, "{}", reply.text());
    };
    change("name", r#"{"name":"The cache"}"#);
    change("label", r#"{"at":9,"label":"fast"}"#);
    change("goto", r#"{"at":7}"#);
    let session = Session::open(served.file("a.jsonl"), &served.environment).unwrap();
    assert_eq!(session.name().unwrap().unwrap(), "The cache");
    assert_eq!(session.label("aaaa000a").unwrap().unwrap(), "fast");
    assert_eq!(session.leaf().unwrap().parent_id(), Some("aaaa0008"));
    let text = fs_err::read_to_string(served.file("a.jsonl")).unwrap();
    assert!(text.starts_with(BRANCHED), "only appended to");

    for (part, body, status) in [
        ("name", "no JSON", 400),
        ("name", "[]", 400),
        // Only an empty text clears.
        ("name", "{}", 400),
        ("name", r#"{"name":5}"#, 400),
        ("label", r#"{"at":9}"#, 400),
        ("label", r#"{"at":9,"label":null}"#, 400),
        ("label", r#"{"at":99,"label":"x"}"#, 404),
        ("goto", r#"{"at":-1}"#, 404),
        ("burn", "{}", 404),
    ] {
        assert_eq!(
            served.post(&format!("/api/sessions/{key}/{part}"), body).status,
            status,
            "{body}"
        );
    }
    assert_eq!(fs_err::read_to_string(served.file("a.jsonl")).unwrap(), text);
    let large = served.post(&format!("/api/sessions/{key}/name"), &"x".repeat(1 << 20));
    assert!(matches!(large.status, 0 | 413), "{}", large.status);
}

const ID: &str = "0198aaaa-0000-7000-8000-000000000001";
const FORK: &str = "0198aaaa-0000-7000-8000-000000000002";

/// A session and its fork, on a page that may delete them into a folder.
fn deletable(trash: &Path) -> Served {
    let options = WebOptions::new().allow_edit(true).trash(into_folder(trash));
    let served = Served::with(&[("a.jsonl", BRANCHED.as_bytes())], &options);
    let source = served.file("a.jsonl");
    let header = format!("\"parentSession\":\"{}\",\"cwd\"", source.display());
    let fork = BRANCHED.replacen(ID, FORK, 1).replacen("\"cwd\"", &header, 1);
    fs_err::write(served.file("fork.jsonl"), fork).unwrap();
    served.settle(2);
    served
}

#[test]
fn a_session_goes_to_the_trash_after_its_forks_were_named() {
    let trash = tempfile::tempdir().unwrap();
    let served = deletable(trash.path());
    let key = served.key(ID);
    let asked = served.ask(&format!("/api/sessions/{key}/deletion"));
    assert_eq!((&asked["forkCount"], &asked["refused"]), (&json!(1), &Value::Null));
    assert_eq!(asked["forks"][0]["key"], served.key(FORK));
    assert_eq!(served.ask("/api/sessions")["total"], 2, "looking deletes nothing");

    let reply = served.post(&format!("/api/sessions/{key}/delete"), "{}");
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.json()["sessions"], 1);
    assert!(!served.file("a.jsonl").exists() && trash.path().join("a.jsonl").exists());
    let list = served.ask("/api/sessions");
    assert_eq!((&list["total"], &list["rows"][0]["id"]), (&json!(1), &json!(FORK)));
    assert_eq!(served.post(&format!("/api/sessions/{key}/delete"), "{}").status, 404);
}

#[test]
fn forks_go_too_if_that_is_asked_for() {
    let trash = tempfile::tempdir().unwrap();
    let served = deletable(trash.path());
    let key = served.key(ID);
    let reply = served.post(&format!("/api/sessions/{key}/delete"), r#"{"family":true}"#);
    assert_eq!(reply.json()["sessions"], 2);
    assert_eq!(served.ask("/api/sessions")["total"], 0);
}

#[test]
fn what_is_in_use_stays() {
    let trash = tempfile::tempdir().unwrap();
    let served = deletable(trash.path());
    let key = served.key(ID);
    let file = fs_err::File::open(served.file("a.jsonl")).unwrap();
    file.file().lock().unwrap();
    let asked = served.ask(&format!("/api/sessions/{key}/deletion"));
    assert!(asked["refused"].as_str().unwrap().contains("in use"), "{asked}");
    let reply = served.post(&format!("/api/sessions/{key}/delete"), "{}");
    assert_eq!(reply.status, 409, "{}", reply.text());
    assert!(served.file("a.jsonl").exists());
}
