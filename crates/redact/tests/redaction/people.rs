//! Other names for people and machines in entries.

use pitree_format::js::{parse, stringify};
use pitree_redact::{
    Context, Finished, Key, Links, Literals, Pseudonyms, Redactor, Report, SessionMemory,
};

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

/// The second of two texts of a session, with `@` for each name that was replaced.
fn second_text(first: &str, second: &str) -> String {
    let (redactor, mut memory) = (of_user("zoe"), SessionMemory::default());
    for text in [first, second] {
        redactor.session_text(text, &mut memory, &mut Report::default());
    }
    let redactor = redactor.knowing(memory.found());
    let line = stringify(&second.into());
    assert_eq!(redactor.may_repeat(line.as_bytes()), line.to_lowercase().contains("bobby"));
    let (memory, report) = (&mut SessionMemory::default(), &mut Report::default());
    let once = redactor.session_text(second, memory, report).into_owned();
    assert_eq!(redactor.session_text(&once, memory, report), once);
    assert_eq!(redactor.scan_finished(once.as_bytes(), Finished::Text), []);
    let form = regex::Regex::new("user-[0-9a-f]{8}").unwrap();
    form.replace_all(&once, "@").into_owned()
}

#[test]
fn the_name_of_a_home_is_replaced_in_addresses_of_the_session() {
    for found in ["cd /Users/bobby/x", "-rw-r--r-- 1 bobby staff 5 x"] {
        for (said, clean) in [
            ("https://github.com/bobby/x.git", "https://github.com/@/x.git"),
            ("github.com/Bobby, git@github.com:bobby/x", "github.com/@, git@github.com:@/x"),
            ("https://api.github.com/repos/bobby/x", "https://api.github.com/repos/@/x"),
            ("https://huggingface.co/datasets/bobby/x", "https://huggingface.co/datasets/@/x"),
            ("ssh bobby@remote, ssh://bobby@box:22", "ssh @@remote, ssh://@@box:22"),
            (
                "https://bobby.github.io/x https://npm.io/~bobby",
                "https://@.github.io/x https://npm.io/~@",
            ),
        ] {
            assert_eq!(second_text(found, said), clean);
        }
        for said in [
            "Bobby is a word, bobby-pin, src/bobby/x.rs, ./a.com/bobby.md, --user bobby",
            "https://github.com/bobbys/x github.com/x/y bobby: 1, @bobby/pkg",
        ] {
            assert_eq!(second_text(found, said), said);
        }
    }
    // Names that are words, or nobody's, are not remembered.
    for found in ["/home/mark/x", "/home/node/x", "-rw-r--r-- 1 root wheel 5 x"] {
        let said = "github.com/mark/x github.com/node/x github.com/root/x github.com/wheel/x";
        assert_eq!(second_text(found, said), said);
    }
}

#[test]
fn owners_and_accounts_do_not_hold_a_finished_text_back_but_secrets_do() {
    let (redactor, mut memory) = (of_user("zoe"), SessionMemory::default());
    redactor.session_text("cd /home/bobby/x", &mut memory, &mut Report::default());
    let redactor = redactor.knowing(memory.found());
    let people = ["-rw-r--r-- 1 bobby staff 5 x", "uid=501(bobby)", "https://github.com/bobby/x"];
    let secret = ["ghp_", "q7Zk2mPxFw9LwTaB3dE5q7Zk2mPxFw9LwTaB"].concat();
    let rules = |finished: &str, form| {
        let left = redactor.scan_finished(finished.as_bytes(), form);
        left.into_iter().map(|left| left.finding.rule).collect::<Vec<_>>()
    };
    let string = |text: &str| stringify(&text.into());
    for person in people {
        // The first pass does replace them.
        let first = redactor.text(person, Context::Text, &mut Report::default()).into_owned();
        assert!(!first.contains("bobby"), "{first}");
        for (more, expected) in [
            ("nothing else", &[][..]),
            (&secret, &["github-pat"]),
            ("a home: /home/anselm/x", &["home-path"]),
            ("a known name: zoe", &["user-name"]),
        ] {
            let text = format!("{person}\n{more}");
            let (one, two) = (string(person), string(more));
            for (finished, form) in [
                (text.clone(), Finished::Text),
                // JSON, a damaged line, and a member that stands twice.
                (format!(r#"{{"text":{}}}"#, string(&text)), Finished::JsonLines),
                (text.clone(), Finished::JsonLines),
                (format!(r#"{{"text":{two},"text":{one}}}"#), Finished::JsonLines),
            ] {
                assert_eq!(rules(&finished, form), expected, "{finished}");
            }
        }
    }
}
