//! What was found once is a secret wherever else it stands in the session.

use pitree_format::js::{parse, stringify};
use pitree_redact::{
    Context, Finding, Finished, FoundSecrets, Likely, Links, Redactor, Report, SessionMemory,
};

use crate::redactor;

/// An entry with a call of a tool.
fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"type":"message","id":"c{id}","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"{id}","name":"{tool}","arguments":{arguments}}}]}}}}"#
    )
}

/// An entry with the result of a call.
fn result(id: &str, tool: &str, text: &str) -> String {
    format!(
        r#"{{"type":"message","id":"r{id}","message":{{"role":"toolResult","toolCallId":"{id}","toolName":"{tool}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

fn said(text: &str) -> String {
    format!(r#"{{"type":"message","id":"s","message":{{"role":"assistant","content":"{text}"}}}}"#)
}

fn found_in(lines: &[String]) -> FoundSecrets {
    let (redactor, mut memory) = (redactor(), SessionMemory::default());
    for line in lines {
        let mut value = parse(line.as_bytes()).unwrap();
        redactor.session_entry(&mut value, Links::Keep, &mut memory, &mut Report::default());
    }
    memory.into_found()
}

/// The session, redacted with all that was found in it.
fn redacted(lines: &[String]) -> String {
    let found = found_in(lines);
    let redactor = redactor().knowing(&found);
    let mut memory = SessionMemory::default();
    let mut clean = String::new();
    for line in lines {
        let mut value = parse(line.as_bytes()).unwrap();
        redactor.session_entry(&mut value, Links::Keep, &mut memory, &mut Report::default());
        let once = stringify(&value);
        redactor.session_entry(&mut value, Links::Keep, &mut memory, &mut Report::default());
        assert_eq!(stringify(&value), once);
        clean.push_str(&once);
        clean.push('\n');
    }
    assert_eq!(redactor.scan_finished(clean.as_bytes(), Finished::JsonLines), []);
    clean
}

#[test]
fn a_password_is_hidden_where_its_name_is_missing() {
    let lines = [
        call("1", "bash", r#"{"command":"env"}"#),
        result("1", "bash", r"HOME=/srv\nDB_PASSWORD=lemontree\nAPI_SECRET=q7Zk\/2mPx9LwT\n"),
        said("I used lemontree for it, and q7Zk/2mPx9LwT or q7Zk%2F2mPx9LwT as the secret."),
        said("Basic YW5hOmxlbW9udHJlZQ== and {\\\"x\\\":\\\"lemontree\\\"}"),
        said("lemontrees are trees"),
    ];
    let clean = redacted(&lines);
    for secret in ["lemontree ", "lemontree\\", "2mPx9LwT", "xlbW9udHJlZ"] {
        assert!(!clean.contains(secret), "{secret}: {clean}");
    }
    assert!(clean.contains("lemontrees are trees"), "{clean}");
    // The same secret has the same digits, however it was found.
    let digits: Vec<&str> = clean
        .match_indices("[REDACTED:")
        .map(|(at, _)| {
            let (placeholder, _) = clean[at..].split_once(']').unwrap();
            &placeholder[placeholder.len() - 8..]
        })
        .collect();
    let different: std::collections::BTreeSet<&&str> = digits.iter().collect();
    assert_eq!(different.len(), 2, "{clean}");
}

#[test]
fn common_values_are_hidden_only_where_they_were_found() {
    let values = ["postgres", "changeme", "production", "short7", "12345678", "development"];
    for value in values {
        let lines = [
            call("1", "bash", r#"{"command":"env"}"#),
            result("1", "bash", &format!(r"HOME=/srv\nDB_PASSWORD={value}\n")),
        ];
        assert!(found_in(&lines).is_empty(), "{value}");
    }
}

/// What a tool read or wrote is judged by the path of the file.
#[test]
fn files_are_read_as_what_they_are() {
    let settings = r"db:\n  password: lemontree\n";
    for path in ["config/database.yml", "/srv/app/.env", "app.properties", "~/.netrc"] {
        let arguments = format!(r#"{{"path":"{path}"}}"#);
        let lines = [call("1", "read", &arguments), result("1", "read", settings)];
        assert!(!redacted(&lines).contains("lemontree"), "{path}");
        let arguments = format!(r#"{{"path":"{path}","content":"{settings}"}}"#);
        assert!(!redacted(&[call("1", "write", &arguments)]).contains("lemontree"), "{path}");
        let edit =
            format!(r#"{{"path":"{path}","edits":[{{"oldText":"x","newText":"{settings}"}}]}}"#);
        assert!(!redacted(&[call("1", "edit", &edit)]).contains("lemontree"), "{path}");
    }
    let lines = [call("1", "read", r#"{"path":"src/main.rs"}"#), result("1", "read", settings)];
    assert!(redacted(&lines).contains("lemontree"));
    let key = "3f786850e387550fdab836ed7e6dc881";
    for (tool, arguments) in [
        ("read", r#"{"path":"config/master.key"}"#),
        ("bash", r#"{"command":"cat config/master.key"}"#),
    ] {
        let lines = [call("1", tool, arguments), result("1", tool, &format!("{key}\\n"))];
        assert!(!redacted(&lines).contains(key), "{tool}");
    }
}

/// A file that is full of secrets does not fill the memory, and what is not remembered is counted.
#[test]
fn what_is_remembered_is_bounded() {
    let lines: Vec<String> = (0..4000)
        .map(|number| {
            let text = format!("HOME=/srv\\nDB_PASSWORD=lemon{number:06}tree\\n");
            result("1", "bash", &text)
        })
        .collect();
    let found = found_in(&lines);
    assert!(found.len() < 4000 && found.dropped() > 0);
    assert_eq!(found.len() as u64 + found.dropped(), 4000);
}

#[test]
fn only_lines_that_may_hold_a_secret_are_decoded() {
    let found = found_in(&[result("1", "bash", r"A=1\nDB_PASSWORD=lemon-tree-7\nB=2")]);
    let knowing = redactor().knowing(&found);
    for text in ["lemon-tree-7", "lemon\\u002dtree-7", "\\u006cemon-tree-7"] {
        assert!(knowing.may_repeat(said(text).as_bytes()), "{text}");
        let line = parse(said(text).as_bytes()).unwrap();
        let text = line.get("message").unwrap().get_string("content").unwrap().to_text();
        let clean = knowing.text(&text, Context::Text, &mut Report::default());
        assert!(clean.starts_with("[REDACTED:repeated-secret:"), "{clean}");
    }
    assert!(!knowing.may_repeat(said("a fruit and its plant").as_bytes()));
}

/// What is escaped in an address is the same password where it is not.
#[test]
fn an_escaped_password_is_hidden_as_it_is_meant() {
    let (redactor, mut memory) = (redactor(), SessionMemory::default());
    let texts = ["mongodb+srv://svc:kd83jf%40hs72kdpw@m.corp.net", "I used kd83jf@hs72kdpw."];
    texts.iter().for_each(|text| {
        redactor.session_text(text, &mut memory, &mut Report::default());
    });
    let knowing = redactor.knowing(memory.found());
    let clean = texts.map(|text| {
        let clean = knowing.text(text, Context::Text, &mut Report::default()).into_owned();
        assert!(!clean.contains("hs72kdpw"), "{clean}");
        let end = clean.find(']').unwrap();
        clean[end - 8..end].to_owned()
    });
    assert_eq!(clean[0], clean[1], "the digits are those of the same password");
}

/// Who shares a session replaces what is only likely, too, and then all of it.
#[test]
fn a_likely_secret_that_is_replaced_is_replaced_wherever_it_stands() {
    let lines = [said("my password is Zebra!Moon42"), said("log in with Zebra!Moon42 then")];
    assert_eq!(redacted(&lines).matches("Zebra!Moon42").count(), 2);
    let sharing = redactor().with_likely(Likely::Replace);
    let mut memory = SessionMemory::default();
    let mut pass = |redactor: &Redactor| {
        let (mut clean, mut report) = (String::new(), Report::default());
        for line in &lines {
            let mut value = parse(line.as_bytes()).unwrap();
            redactor.session_entry(&mut value, Links::Keep, &mut memory, &mut report);
            clean += &stringify(&value);
        }
        (clean, report, memory.found().clone())
    };
    let (_, _, found) = pass(&sharing);
    let (clean, report, _) = pass(&sharing.knowing(&found));
    assert_eq!(clean.matches("Zebra").count(), 0, "{clean}");
    assert_eq!(report.findings.len(), 2);
    assert!(report.findings.iter().all(Finding::is_likely), "{report:?}");
    assert_eq!(report.findings[1].rule, "repeated-secret");
    // Left in place it is counted.
    let mut memory = SessionMemory::default();
    for line in &lines {
        let mut value = parse(line.as_bytes()).unwrap();
        redactor().session_entry(&mut value, Links::Keep, &mut memory, &mut Report::default());
    }
    assert_eq!((memory.likely_left(), memory.found().len()), (1, 0));
}
