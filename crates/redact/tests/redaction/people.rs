//! Other names for people and machines in entries.

use pitree_format::js::{parse, stringify};
use pitree_redact::{Finished, Key, Links, Literals, Pseudonyms, Redactor, Report};

fn of_user(user: &str) -> Redactor {
    let pseudonyms = Pseudonyms {
        homes: true,
        emails: true,
        users: vec![user.to_owned()],
        hosts: vec!["lemon".to_owned()],
    };
    Redactor::new(Key::new([9; Key::LEN]), Literals::default(), pseudonyms)
}

fn entry(user: &str, text: &str) -> String {
    let mut value = parse(text.as_bytes()).unwrap();
    of_user(user).entry(&mut value, Links::Keep, &mut Report::default());
    stringify(&value)
}

#[test]
fn tools_and_kinds_of_entries_keep_their_names() {
    let tool = r#"{"name":"ana","description":"d","parameters":{"type":"object"}}"#;
    for text in [
        r#"{"type":"custom","id":"a","customType":"ana","data":{}}"#.to_owned(),
        r#"{"type":"message","id":"a","message":{"role":"toolResult","toolName":"ana","content":[]}}"#
            .to_owned(),
        r#"{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ana_look","arguments":{}}]}}"#
            .to_owned(),
        format!(r#"{{"type":"message","id":"a","message":{{"role":"system","content":"","toolsAdded":[{tool}]}}}}"#),
    ] {
        assert_eq!(entry("ana", &text), text);
        // What was left on purpose does not keep a session back.
        assert_eq!(of_user("ana").scan_finished(text.as_bytes(), Finished::JsonLines), []);
    }
    for member in ["by", "toolName"] {
        let said = r#"{"type":"custom","id":"a","customType":"x","data":{"@":"for ana"}}"#;
        let said = entry("ana", &said.replace('@', member));
        assert!(said.contains(r#"":"for user-"#), "{said}");
    }
}

#[test]
fn no_member_is_lost_where_two_names_become_one() {
    let text = r#"{"type":"custom","id":"a","data":{"Ana@corp.io":1,"ana@corp.io":2,"x":3}}"#;
    let clean = entry("zoe", text);
    let value = parse(clean.as_bytes()).unwrap();
    let data = value.get("data").unwrap().as_object().unwrap();
    assert_eq!(data.len(), 3, "{clean}");
    assert!(!clean.to_lowercase().contains("ana@"), "{clean}");
    assert_eq!(entry("zoe", &clean), clean);
}

#[test]
fn images_are_left_alone_by_both_scans() {
    let data = "iVBORw0KGgoAAAANSUhEUg+ana/AAA==";
    let text = format!(
        r#"{{"type":"message","id":"a","message":{{"role":"user","content":[{{"type":"image","data":"{data}","mimeType":"image/png"}}]}}}}"#
    );
    assert_eq!(entry("ana", &text), text);
    let address = format!(r#"{{"url":"data:image/png;base64,{data}"}}"#);
    for finished in [text, address] {
        assert_eq!(of_user("ana").scan_finished(finished.as_bytes(), Finished::JsonLines), []);
    }
    let no_image = r#"{"url":"data:image/png;base64,see +ana/"}"#;
    assert_eq!(of_user("ana").scan_finished(no_image.as_bytes(), Finished::JsonLines).len(), 1);
}
