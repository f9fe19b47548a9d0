//! What a data set shows beside what was said: commands, outcomes, roles, names, hashes.

use pitree_testkit::Consumers;

use crate::common::data_sets::{FORMS, text_of};
use crate::common::{BRANCHED, Sandbox, lines, mode};

/// A secret, put together here so that no scanner takes this file for a leak.
fn token() -> String {
    ["gh", "p_", "R8xK2mQ5vT9wZ3nB6cJ1hL4dF7gS0pYaUeIo"].concat()
}

/// Runs `extract` as ana and insists that no session is left out.
fn extract(sandbox: &Sandbox, form: &str, out: &str, more: &[&str]) {
    let mut args = vec!["extract", "--format", form, "--output", out, "--branches", "all"];
    args.extend(more);
    let run = sandbox.call(args).env("USER", "ana").run().ok();
    assert!(!run.stderr.contains("left out"), "{form}: {run:?}");
}

#[test]
fn no_form_shows_a_secret_of_the_command_or_of_outcomes() {
    let consumers = Consumers::find("rows of tables");
    let sandbox = Sandbox::new();
    sandbox.write("project/s.jsonl", BRANCHED);
    let token = token();
    let id = "01a00000-0000-7000-8000-00000000000a";
    let outcomes = format!("outcomes-{token}.jsonl");
    let told = [
        serde_json::json!({"session_id": id, "outcome": {"note": token, &token: 1, "ok": true}}),
        serde_json::json!({"session_id": id, "entry_id": "dddd0002", "outcome": token}),
    ];
    let told: String = told.iter().map(|line| format!("{line}\n")).collect();
    sandbox.write(&format!("project/{outcomes}"), &told);
    for form in FORMS {
        extract(&sandbox, form, form, &["--outcomes", &outcomes, "s.jsonl"]);
        let text = text_of(&sandbox, form, consumers.as_ref());
        assert!(!text.contains(&token[4..]), "{form}");
        assert!(text.contains("outcomes-[REDACTED:github-pat:"), "{form}: {text}");
    }
}

#[test]
fn no_form_shows_a_name_that_gets_another_one() {
    let consumers = Consumers::find("rows of tables");
    let sandbox = Sandbox::new();
    let image = format!("iVBORw0KGgo{}+ana/{}", "A".repeat(40), "B".repeat(40));
    let question = r#"[{"type":"text","text":"first question"}]"#;
    let seen = format!(
        r#"[{{"type":"text","text":"ANA at C:\\Users\\Ana Maria"}},{{"type":"image","mimeType":"image/png","data":"{image}"}}]"#
    );
    let session = BRANCHED
        .replace("/home/ana/projects/weather", "/home/ana/gt/rig1/crew/ana")
        .replace(question, &seen);
    assert!(session.contains("Ana Maria"));
    let folder = "home/.pi/agent/sessions/--home-ana-gt-rig1-crew-ana--";
    sandbox.write(&format!("{folder}/2026-02-03T22-52-06-410Z_s.jsonl"), &session);
    for form in FORMS {
        let out = format!("{}/{form}-of-ana", sandbox.project().display());
        extract(&sandbox, form, &out, &["--pseudonyms"]);
        let text = text_of(&sandbox, &out, consumers.as_ref());
        let text = text.replace(&image, "");
        for name in ["/ana", "-ana", "Ana Maria", "ANA", "\"ana\""] {
            let at = text.find(name);
            let near = at.map(|at| text[..at].chars().rev().take(80).collect::<String>());
            assert!(at.is_none(), "{name} in {form} after (reversed) {near:?}");
        }
    }
}

#[test]
fn the_home_is_in_no_data_set_unless_it_is_asked_for() {
    let sandbox = Sandbox::new();
    let session = BRANCHED.replace("first question", "Look at /home/ana/x and C:\\\\Users\\\\ana.");
    let folder = "home/.pi/agent/sessions/--home-ana-projects-weather--";
    sandbox.write(&format!("{folder}/2026-02-03T22-52-06-410Z_s.jsonl"), &session);
    for form in FORMS {
        extract(&sandbox, form, form, &[]);
        let text = text_of(&sandbox, form, None);
        for name in ["/ana", "-ana-", "\\ana"] {
            assert!(!text.contains(name), "{name} in {form}: {text}");
        }
        if !["parquet", "preference"].contains(&form) {
            assert!(text.contains("/home/user-"), "{form}: {text}");
        }
    }
    extract(&sandbox, "chat", "kept", &["--keep-home-paths"]);
    assert!(text_of(&sandbox, "kept", None).contains("/home/ana/x"));
    for other in ["--pseudonyms", "--no-redact"] {
        let args = ["extract", "--output", "x", "--keep-home-paths", other];
        let _ = sandbox.run(args).exits(2);
    }
}

/// A user may be called like a word that stands in every card, or like a member.
#[test]
fn a_user_with_the_name_of_a_word_can_make_data_sets() {
    let sandbox = Sandbox::new();
    sandbox.write("project/s.jsonl", BRANCHED);
    for user in ["pitree", "samples", "metadata", "trained"] {
        for form in ["chat", "ms-swift", "atif", "parquet", "lora-forge"] {
            let args = ["extract", "--format", form, "--output", form, "--pseudonyms", "s.jsonl"];
            let run = sandbox.call(args).env("USER", user).run().ok();
            assert!(!run.stderr.contains("left out"), "{user} {form}: {run:?}");
        }
    }
}

#[test]
fn of_members_with_one_name_none_is_written_unseen() {
    let sandbox = Sandbox::new();
    let token = token();
    let twice = format!(r#""id":"dddd0001","note":"{token}","note":"x","#);
    let inner = format!(r#""content":"{token}","content":"second question""#);
    let session = BRANCHED
        .replace(r#""id":"dddd0001","#, &twice)
        .replace(r#""content":"second question""#, &inner);
    assert_eq!(session.matches(&token).count(), 2);
    sandbox.write("project/s.jsonl", &session);
    for form in ["hf-traces", "chat"] {
        extract(&sandbox, form, form, &["s.jsonl"]);
        let text = text_of(&sandbox, form, None);
        assert!(!text.contains(&token) && text.contains("second question"), "{form}: {text}");
    }
    let args =
        ["export", "s.jsonl", "-o", "-", "--format", "jsonl", "--branches", "all", "--redact"];
    assert!(!sandbox.run(args).ok().stdout.contains(&token));
}

/// The ids of files come from what they hold, by the key: equal copies in other places have the
/// same ones, and without the key nobody can try out what was in a file.
#[test]
fn ids_of_files_are_the_same_in_another_place_and_tell_nothing() {
    let names = |places: &[&str], key: &str| {
        let sandbox = Sandbox::new();
        let paths = places.iter().map(|place| format!("project/{place}/s.jsonl"));
        let paths: Vec<String> =
            paths.map(|path| sandbox.write(&path, BRANCHED).display().to_string()).collect();
        sandbox.write("project/k.key", &format!("{}\n", key.repeat(64)));
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs_err::set_permissions(sandbox.path("project/k.key"), private).unwrap();
        let mut more = vec!["--key", "k.key"];
        more.extend(paths.iter().map(String::as_str));
        extract(&sandbox, "hf-traces", "out", &more);
        let names = crate::common::files_below(&sandbox.project().join("out/data"));
        names.into_iter().collect::<std::collections::BTreeSet<String>>()
    };
    let one = names(&["a"], "1");
    assert_eq!(one.len(), 1);
    assert_eq!(one, names(&["elsewhere/b"], "1"));
    assert_ne!(one, names(&["a"], "2"));
    let two = names(&["a", "b"], "1");
    assert_eq!(two.len(), 2);
    assert!(two.is_superset(&one), "{two:?} {one:?}");
    assert_eq!(two, names(&["c", "x"], "1"));
}

#[test]
fn a_list_tells_what_was_redacted_and_never_the_value() {
    let sandbox = Sandbox::new();
    let token = token();
    let session = BRANCHED.replace("second question", &format!("my token is {token}"));
    let path = sandbox.write("project/s.jsonl", &session);
    let list = |file: &str| {
        let args =
            ["extract", "--format", "chat", "--output", "out", "--redaction-log", file, "s.jsonl"];
        sandbox.run(args.into_iter().chain(["--keep-home-paths"]))
    };
    let expected = serde_json::json!({"file": path, "line": 5, "rule": "github-pat",
        "place": "message.content", "masked": "ghp_… (40 characters)"});
    // The second time from the cache.
    for _ in 0..2 {
        let _ = list("list.jsonl").ok();
        let file = sandbox.project().join("list.jsonl");
        assert_eq!(lines(&file), std::slice::from_ref(&expected));
        assert_eq!(mode(&file), 0o600);
    }
    let inside = list("out/list.jsonl").exits(2);
    assert!(inside.stderr.contains("--redaction-log must be outside the dataset"), "{inside:?}");
    let other = list("s.jsonl").exits(4);
    assert!(other.stderr.contains("exists and is not a redaction log"), "{other:?}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), session);
    let args = ["extract", "--output", "x", "--redaction-log", "l", "--no-redact", "s.jsonl"];
    let _ = sandbox.run(args).exits(2);
}
