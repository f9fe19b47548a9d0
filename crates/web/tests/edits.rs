//! The changes that the page may make if it is allowed to.

use pitree_session::Session;
use pitree_web::WebOptions;

use crate::common::{BRANCHED, Served};

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
