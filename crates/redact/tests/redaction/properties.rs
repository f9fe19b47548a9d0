//! What holds for any text.

use proptest::prelude::*;

use pitree_format::{Object, Value};
use pitree_redact::{
    Action, Context, Finished, FoundSecrets, Key, Likely, Literals, Pseudonyms, Redactor, Report,
    SessionMemory,
};
use pitree_testkit::planted_secrets;

use crate::{redactor, seed};

/// Pieces of which nasty texts are made: words of rules, signs, secrets, placeholders.
fn pieces() -> impl Strategy<Value = String> {
    let fixed = [
        "ghp_",
        "sk-",
        "eyJ",
        "://",
        "@",
        ":",
        "=",
        "key",
        "API_KEY=",
        "password: ",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "-----END",
        "[REDACTED:",
        "[REDACTED:github-pat:01234567]",
        "]",
        "\n",
        "\"",
        "\\n",
        " ",
        "Bearer ",
        "Authorization: ",
        "curl -u ",
        "heroku",
        "\u{1b}[31m",
        "ä",
        "🦀",
        "/home/ana/x",
        "ana@mail.example.net",
        "https://u:",
        "user-01234567",
        "lemon-tree-7",
        "\\",
        "'",
        ";",
        "&&",
        "Server=x;Password=",
        "DB_PASSWORD=",
        "?token=",
        "set -gx API_KEY ",
        "-----END PRIVATE KEY-----",
        "q7Zk2mPx9LwTaB3dE5q7Zk2mPx9LwTaB3dE5",
        "Winter2024!",
        "&quot;",
        "\\u0026",
        "password is ",
        " is ",
        "$6$",
        "$env:API_TOKEN = ",
        "client_secret\\\": \\\"",
        "token: ",
        "AWS_ACCESS_KEY_ID=",
        "Hippo!Sun43",
        "tr0ub4dor&3xyz",
        "...",
    ];
    let secrets = planted_secrets(seed());
    prop_oneof![
        4 => proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        2 => proptest::sample::select(secrets).prop_map(|planted| planted.text),
        2 => "[A-Za-z0-9_+/=.-]{1,48}",
        1 => ".{0,8}",
    ]
}

fn texts() -> impl Strategy<Value = String> {
    proptest::collection::vec(pieces(), 0..24).prop_map(|pieces| pieces.concat())
}

/// Names of members, of secrets and others.
fn names() -> impl Strategy<Value = String> {
    let fixed = ["name", "value", "key", "apiKey", "client_secret", "password", "heroku", "text"];
    prop_oneof![proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned), pieces()]
}

/// Texts in which secrets and people stand close together.
fn texts_with_people() -> impl Strategy<Value = String> {
    let fixed = [
        "postgres://bob:kd83jfhs72kdpw@db.corp.net/x ",
        "redis://:kd83jfhs72kdpw@cache.corp.io ",
        "https://ana:kd83jfhs72kdpw@git.corp.net/ana/x ",
        "mongodb+srv://svc:kd83jf%40hs72kdpw@",
        "ana:Winter2024!@lemon ",
        "DB_PASSWORD=ana-q7Zk2mPx9L ",
        "ANA_API_KEY=",
        "--password ana/home/ana/q7Zk ",
        "password: /home/bob/q7Zk2mPx9L\n",
        "curl -u ana:q7Zk2mPx9Lw@lemon.net ",
        "ana",
        "lemon",
        "@",
        ".net",
        "/Users/",
    ];
    let pieces =
        prop_oneof![proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned), pieces(),];
    proptest::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

/// Names of members, some with the name of somebody in them.
fn names_with_people() -> impl Strategy<Value = String> {
    let people = ["ANA_DB_PASSWORD", "LEMON_API_KEY", "ana-token", "x@ana.io password"];
    prop_oneof![proptest::sample::select(people.to_vec()).prop_map(str::to_owned), names()]
}

/// What is found in a text, and what is remembered of it.
fn learned(redactor: &Redactor, text: &str) -> (Report, FoundSecrets) {
    let (mut memory, mut report) = (SessionMemory::default(), Report::default());
    redactor.session_text(text, &mut memory, &mut report);
    (report, memory.into_found())
}

/// The secrets of one report that are not in another.
fn missing(some: &Report, all: &Report) -> Vec<String> {
    let secrets = |report: &Report| {
        let redacted = report.findings.iter().filter(|found| found.action == Action::Redact);
        let secrets = redacted.filter(|found| !found.is_name());
        secrets.map(|found| format!("{} {}", found.rule, found.masked)).collect::<Vec<_>>()
    };
    let (mut missing, all) = (secrets(some), secrets(all));
    for found in all {
        if let Some(at) = missing.iter().position(|other| *other == found) {
            missing.remove(at);
        }
    }
    missing
}

fn contexts() -> impl Strategy<Value = Context> {
    proptest::sample::select(vec![Context::Text, Context::Shell, Context::Member])
}

fn thorough() -> Redactor {
    let pseudonyms = Pseudonyms {
        homes: true,
        emails: true,
        users: vec!["ana".to_owned()],
        hosts: vec!["lemon".to_owned()],
    };
    Redactor::new(Key::new([9; Key::LEN]), Literals::new([("L", "lemon-tree-7")]), pseudonyms)
}

proptest! {
    #![proptest_config(pitree_testkit::properties(200))]

    #[test]
    fn redacting_twice_is_redacting_once(text in texts(), context in contexts()) {
        let sharing = redactor().with_likely(Likely::Replace);
        for redactor in [redactor(), sharing, thorough(), thorough().with_likely(Likely::Replace)] {
            let once = redactor.text(&text, context, &mut Report::default()).into_owned();
            let mut report = Report::default();
            let twice = redactor.text(&once, context, &mut report);
            prop_assert_eq!(&twice, &once, "{:?}", report);
            prop_assert_eq!(report.redacted(), 0);
            prop_assert_eq!(redactor.scan_finished(once.as_bytes(), Finished::Text), []);
        }
    }

    #[test]
    fn pseudonyms_hide_no_secret_from_the_rules(
        members in proptest::collection::vec((names_with_people(), texts_with_people()), 1..5),
        context in contexts(),
    ) {
        let literals = || Literals::new([("L", "lemon-tree-7")]);
        let plain = Redactor::new(Key::new([9; Key::LEN]), literals(), Pseudonyms::default());
        for (_, text) in &members {
            let [without, with] = [&plain, &thorough()].map(|redactor| learned(redactor, text));
            prop_assert!(with.1.contains(&without.1), "{} {:?} {:?}", text, without.0, with.0);
            prop_assert_eq!(missing(&without.0, &with.0), Vec::<String>::new(), "{}", text);
        }
        let mut object = Object::new();
        for (name, text) in &members {
            object.set(name, Value::text(text.as_str()));
        }
        let [without, with] = [&plain, &thorough()].map(|redactor| {
            let mut report = Report::default();
            redactor.value(&mut Value::Object(object.clone()), context, &mut report);
            report
        });
        prop_assert_eq!(missing(&without, &with), Vec::<String>::new(), "{:?}", object);
    }

    #[test]
    fn hits_lie_in_order_within_the_text(text in texts(), context in contexts()) {
        let mut end = 0;
        for hit in thorough().find(&text, context) {
            prop_assert!(hit.range.start >= end && hit.range.start < hit.range.end);
            prop_assert!(text.get(hit.range.clone()).is_some(), "{:?}", hit);
            end = hit.range.end;
        }
    }

    #[test]
    fn a_text_without_secrets_stays_as_it_is(text in texts()) {
        let redactor = redactor();
        let hits = redactor.find(&text, Context::Text);
        let clean = redactor.text(&text, Context::Text, &mut Report::default());
        if hits.iter().all(|hit| hit.action == Action::Report) {
            prop_assert_eq!(&clean, &text);
        }
    }

    #[test]
    fn a_redacted_value_is_clean_and_stays_as_it_is(
        members in proptest::collection::vec((names(), texts()), 1..5),
        context in contexts(),
    ) {
        for likely in [Likely::Keep, Likely::Replace] {
        let redactor = redactor().with_likely(likely);
        let items = members.iter().map(|(_, text)| Value::text(text.as_str()));
        let mut object = Object::new().with("items", items.collect::<Vec<Value>>());
        for (name, text) in &members {
            object.set(name, Value::text(text.as_str()));
        }
        let mut value = Value::Object(object);
        redactor.value(&mut value, context, &mut Report::default());
        let once = value.clone();
        redactor.value(&mut value, context, &mut Report::default());
        prop_assert_eq!(&value, &once);
        let line = pitree_format::js::stringify(&once);
        prop_assert_eq!(redactor.scan_finished(line.as_bytes(), Finished::JsonLines), []);
        }
    }
}

/// What a rule looks at is bounded, what it takes is not.
#[test]
fn long_values_are_taken_whole() {
    let redactor = redactor();
    let long = "q7Zk2mPxFw9LwTaB3dE5".repeat(500);
    let wide = "Zk2ä🦀9".repeat(500);
    for text in [
        format!("SIGNING_KEY={long}"),
        format!("Authorization: Bearer {long}"),
        format!("X-Api-Key: {long}"),
        format!("github_pat_{long}"),
        format!("DB_PASSWORD=\"{wide}\""),
        format!("--password={wide}"),
    ] {
        for context in [Context::Text, Context::Shell] {
            let clean = redactor.text(&text, context, &mut Report::default());
            assert!(clean.len() < 100, "{context:?}: {clean}");
        }
    }
    let text = format!("https://ana:{wide}@host");
    assert_eq!(redactor.text(&text, Context::Text, &mut Report::default()), text);
    let mut member = Value::Object(Object::new().with("client_secret", long.as_str()));
    redactor.value(&mut member, Context::Text, &mut Report::default());
    assert!(pitree_format::js::stringify(&member).len() < 100);
}

/// No text takes more than a multiple of its length. There is no clock here: without a bound this
/// test lasts for an hour.
#[test]
fn texts_made_to_be_slow_are_not() {
    let redactor = redactor();
    let pieces = [
        "eyJ",
        "-eyJ",
        ".eyJ",
        "sk-",
        "key=",
        "KEY=1",
        "\nAPI_KEY=a1",
        "://a:",
        "bearer=1",
        "curl -u ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "Private-Lines: 1\n",
        "API_KEY=a\\ ",
        "://a:b/",
        ";Password=",
        "?token=a1b2",
        "ghp_",
        "pat.",
        "Authorization: a1",
        "heroku=",
        "[REDACTED:",
        ":AA1",
        "0Q~",
        "[REDACTED:x:01234567]",
        "/home/a",
        "a@b.cc",
        "sig=",
        "password=\"",
        "AccountKey=",
        "--token ",
        "--password=a1 ",
        "docker login -p ",
        "mysql -pa1 ",
        "echo a1 | docker login --password-stdin ",
        "Cookie: a=b; ",
        "cookie=",
        "machine a login b password ",
        "<password>",
        "a.bcdefg.",
        ".login('a','b1')",
        "identified by '",
        "auth YW5hO",
        "password abcd efgh ",
        "LS0tLS1CRUdJTiBQUklW",
        "password is a1 ",
        "password for a",
        "$6$a$",
        "$argon2id$",
    ];
    for piece in pieces {
        let text = piece.repeat(100_000 / piece.len());
        redactor.text(&text, Context::Shell, &mut Report::default());
    }
    let lines = vec![Value::text("-----BEGIN PRIVATE KEY-----"); 20_000];
    redactor.value(&mut Value::from(lines), Context::Text, &mut Report::default());
}

#[test]
fn another_key_gives_other_placeholders() {
    let planted = &planted_secrets(seed())[0];
    let with = |byte: u8| {
        let redactor =
            Redactor::new(Key::new([byte; 32]), Literals::default(), Pseudonyms::default());
        redactor.text(&planted.text, Context::Text, &mut Report::default()).into_owned()
    };
    assert_ne!(with(1), with(2));
    assert_eq!(with(1), with(1));
}

/// A text may end in the middle of anything.
#[test]
fn texts_end_anywhere() {
    let redactor = thorough();
    let planted: Vec<String> =
        planted_secrets(1).into_iter().step_by(9).map(|planted| planted.text).collect();
    let fixed = ["GMAIL_APP_PASSWORD=qhtz wkvb xjpl mrfd", "the password is test", "x"];
    for text in planted.iter().map(String::as_str).chain(fixed) {
        for (end, _) in text.char_indices().skip(1) {
            for context in [Context::Text, Context::Settings] {
                redactor.find(&text[..end], context);
            }
        }
    }
}
