//! What is known about entries beyond their texts.

use pitree_format::js::{parse, stringify};
use pitree_redact::{Context, Links, Report, SIGNATURE_MARK, SessionMemory};

use crate::redactor;

fn entry(text: &str) -> (String, Report) {
    let mut value = parse(text.as_bytes()).unwrap();
    let mut report = Report::default();
    redactor().entry(&mut value, Links::Keep, &mut report);
    (stringify(&value), report)
}

fn value(text: &str) -> (String, Report) {
    let mut value = parse(text.as_bytes()).unwrap();
    let mut report = Report::default();
    redactor().value(&mut value, Context::Text, &mut report);
    (stringify(&value), report)
}

#[test]
fn the_name_of_a_member_tells_what_its_value_is() {
    for text in [
        r#"{"client_secret":"q7Zk2mPx9L"}"#,
        r#"{"config":{"apiKey":"q7Zk2mPx9L"}}"#,
        r#"{"env":[{"name":"API_KEY","value":"q7Zk2mPx9L"}]}"#,
        r#"{"env":[{"value":"q7Zk2mPx9L","key":"DB_PASSWORD"}]}"#,
        r#"{"smtp_pass":"q7Zk2mPx9L"}"#,
        r#"{"passwords":{"password":["q7Zk2mPx9L"]}}"#,
    ] {
        let (clean, report) = value(text);
        assert!(!clean.contains("q7Zk2mPx9L"), "{clean}");
        assert_eq!(report.redacted(), 1);
    }
    for text in [
        r#"{"key":"q7Zk2mPx9L","token":"q7Zk2mPx9L"}"#,
        r#"{"api_key":"the key of the api","password":"string"}"#,
        r#"{"key_id":"q7Zk2mPx9LwTaB3dE5","max_tokens":"4096000000"}"#,
        r#"{"name":"colour","value":"q7Zk2mPx9L"}"#,
    ] {
        assert_eq!(value(text).0, text);
    }
}

#[test]
fn lines_of_a_key_are_joined_only_if_they_are_one() {
    let line = "MIIEpAIBAAKCAQEA7q7Zk2mPx9LwTaB3dE5q7Zk2mPx9LwTaB3dE5q7Zk2mPx9Lw";
    let begin = "-----BEGIN PRIVATE KEY-----";
    let end = "-----END PRIVATE KEY-----";
    let key = format!(r#"["a","{begin}","{line}","{line}","{end}","b"]"#);
    let (clean, report) = value(&key);
    assert!(clean.starts_with(r#"["a","[REDACTED:private-key:"#), "{clean}");
    assert!(clean.ends_with(r#"]","","","","b"]"#), "{clean}");
    assert_eq!(report.redacted(), 1);
    for (cut, left) in [
        (format!(r#"["a","{begin}","{line}","{line}","b c"]"#), r#"]","","","b c"]"#),
        (format!(r#"["a b","{line}","{line}","{end}","b"]"#), r#"]","","","b"]"#),
    ] {
        let (clean, report) = value(&cut);
        assert!(!clean.contains(line) && clean.ends_with(left), "{clean}");
        assert_eq!(report.redacted(), 1);
    }
    let code = format!(r#"["begin = {begin}","key = read()","end = {end}"]"#);
    assert_eq!(value(&code).0, code);
    let (clean, _) = value(&format!(r#"{{"pem":"{begin}\\n{line}\\n{line}"}}"#));
    assert!(!clean.contains(line), "{clean}");
}

#[test]
fn signatures_are_removed() {
    let text = format!(
        r#"{{"type":"message","id":"a","message":{{"role":"assistant","content":[{}]}}}}"#,
        [
            r#"{"type":"thinking","thinking":"t","thinkingSignature":"c2ln"}"#,
            r#"{"type":"text","text":"t","textSignature":"c2ln"}"#,
            r#"{"type":"toolCall","id":"c","name":"n","arguments":{},"thoughtSignature":"c2ln"}"#,
            r#"{"type":"redacted_thinking","data":"c2ln"}"#,
            r#"{"type":"text","text":"t","textSignature":""}"#,
        ]
        .join(",")
    );
    let (clean, report) = entry(&text);
    assert_eq!(clean, text.replace("c2ln", SIGNATURE_MARK));
    assert!(report.findings.is_empty());
}

#[test]
fn shells_are_known_by_role_and_tool() {
    // In a text it would be too short to be certain.
    let assigned = "apiKey: q7Zk2mPx9LwT";
    let result = |tool: &str| {
        format!(
            r#"{{"type":"message","id":"a","message":{{"role":"toolResult","toolName":"{tool}","content":[{{"type":"text","text":"{assigned}"}}]}}}}"#
        )
    };
    assert!(!entry(&result("bash")).0.contains(assigned));
    assert_eq!(entry(&result("read")).0, result("read"));
    let user = format!(
        r#"{{"type":"message","id":"a","message":{{"role":"bashExecution","command":"cat x","output":"{assigned}"}}}}"#
    );
    assert!(!entry(&user).0.contains(assigned));
}

/// What lies too deep to be decoded is redacted as text.
#[test]
fn depth_hides_nothing() {
    let secret = ["ghp_", "q7Zk2mPxFw9LwTaB3dE5q7Zk2mPxFw9LwTaB"].concat();
    let text = format!("{}\"{secret}\"{}", "[".repeat(5000), "]".repeat(5000));
    let (clean, report) = value(&text);
    assert!(!clean.contains(&secret));
    assert_eq!(report.redacted(), 1);
}

/// The same where it is written with escapes: each string is decoded before it is looked at, and
/// the value stays one.
#[test]
fn depth_and_escapes_hide_nothing() {
    let rest = "q7Zk2mPxFw9LwTaB3dE5q7Zk2mPxFw9LwTaB";
    let inner = format!(r#"{{"a\n":["\u0067hp_{rest}",1,"b"],"client_secr\u0065t":"q7Zk2mPx9L"}}"#);
    let text = format!("{}{inner}{}", "[".repeat(300), "]".repeat(300));
    let (clean, report) = value(&text);
    assert!(!clean.contains(rest) && !clean.contains("q7Zk2mPx9L"), "{clean}");
    assert_eq!(report.redacted(), 2);
    assert!(clean.contains(r#"{"a\n":["[REDACTED:github-pat:"#), "{clean}");
    assert!(parse(clean.as_bytes()).is_ok());
    assert_eq!(value(&clean).0, clean);
}

/// The messages of a sub-agent lie in the details of a result, or in the data of an extension.
#[test]
fn messages_are_known_wherever_they_lie() {
    let assigned = "apiKey: q7Zk2mPx9LwT";
    let image = "iVBORw0KGgoAAAANSUhEUg+ana/==";
    let messages = [
        format!(
            r#"{{"role":"toolResult","toolName":"bash","content":[{{"type":"text","text":"{assigned}"}}]}}"#
        ),
        format!(r#"{{"role":"bashExecution","command":"x","output":"{assigned}"}}"#),
        format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"bash","arguments":{{"command":"{assigned}"}}}}]}}"#
        ),
        r#"{"role":"assistant","content":[{"type":"redacted_thinking","data":"c2ln"}]}"#.to_owned(),
        format!(
            r#"{{"role":"user","content":[{{"type":"image","data":"{image}","mimeType":"image/png"}}]}}"#
        ),
    ];
    let list = messages.join(",");
    for text in [
        format!(
            r#"{{"type":"message","id":"a","message":{{"role":"toolResult","toolName":"subagent","content":[],"details":{{"results":[{{"messages":[{list}]}}]}}}}}}"#
        ),
        format!(r#"{{"type":"custom","id":"a","customType":"x","data":{{"said":[{list}]}}}}"#),
    ] {
        let (clean, report) = entry(&text);
        assert!(!clean.contains(assigned) && !clean.contains("c2ln"), "{clean}");
        assert!(clean.contains(image), "{clean}");
        assert_eq!(report.redacted(), 3);
    }
    let talk = format!(r#"{{"role":"user","content":"{assigned}"}}"#);
    assert_eq!(value(&talk).0, talk);
}

#[test]
fn a_member_that_stands_twice_and_a_damaged_line_are_looked_at_too() {
    let secret = |end: &str| ["ghp_", "q7Zk2mPxFw9LwTaB3dE5q7Zk2mPxFw9Lw", end].concat();
    let found = |line: &str| {
        let (memory, report) = (&mut SessionMemory::default(), &mut Report::default());
        redactor().session_line(line.as_bytes(), Links::Keep, memory, report);
        report.findings.len()
    };
    let [one, other] = ["xaB", "yaB"].map(secret);
    let entry = format!(r#"{{"type":"custom","id":"a","data":"{one}"}}"#);
    assert_eq!(found(&entry), 1);
    assert_eq!(found(&entry[..entry.len() - 1]), 1);
    assert_eq!(found(&entry.replace("\"data\"", &format!("\"data\":\"{other}\",\"data\""))), 2);
    assert_eq!(found(&entry.replace("\"data\"", "\"data\":1,\"data\"")), 1);
}
