//! `pitree secrets scan` and `pitree export --redact` as a user runs them.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use pitree_testkit::{Consumers, Planted, planted_secrets, planted_session};

use crate::common::data_sets::{FORMS, text_of};
use crate::common::{BRANCHED, Print, Sandbox, mode};

fn planted(kind: &str) -> Planted {
    planted_secrets(1).into_iter().find(|planted| planted.kind == kind).unwrap()
}

/// A sandbox with a session that holds secrets of two kinds.
fn sandbox() -> (Sandbox, [Planted; 2]) {
    let sandbox = Sandbox::new();
    let secrets = [planted("github-pat"), planted("private-key")];
    let texts = secrets.clone().map(|planted| planted.text);
    sandbox.write("s.jsonl", &planted_session(&texts));
    (sandbox, secrets)
}

/// The part of a secret that no output may show: a key has several lines.
fn part(planted: &Planted) -> &str {
    planted.secret.lines().max_by_key(|line| line.len()).unwrap()
}

#[test]
fn a_scan_names_rule_and_place_and_never_the_value() {
    let (sandbox, secrets) = sandbox();
    let before = Print::of(&sandbox.path("s.jsonl"));
    let run = sandbox.run(["secrets", "scan", "../s.jsonl"]).exits(3);
    assert!(run.stdout.contains("github-pat  line 2, 00000001, message.content: ghp_… (40"));
    assert!(run.stdout.contains("private-key") && run.stdout.contains("message.details.diff"));
    let json = sandbox.run(["secrets", "scan", "../s.jsonl", "--json"]).exits(3);
    let found = json.json();
    let mut found = found["found"].as_array().unwrap().iter();
    let first = found.find(|it| it["entry"] == "00000001").unwrap();
    assert_eq!((&first["rule"], &first["line"]), (&"github-pat".into(), &2.into()));
    assert_eq!((&first["path"], &first["likely"]), (&"message.content".into(), &false.into()));
    for planted in &secrets {
        for output in [&run.stdout, &run.stderr, &json.stdout, &json.stderr] {
            assert!(!output.contains(part(planted)), "{output}");
        }
    }
    assert_eq!(Print::of(&sandbox.path("s.jsonl")), before);
}

/// What a rule finds in a path or an id is masked in a report; the user is told the plain path apart.
#[test]
fn a_report_masks_secrets_in_names() {
    let sandbox = Sandbox::new();
    let token = &planted("github-pat").secret;
    let text = planted_session(&[planted("private-key").text]);
    let _ = sandbox.write(&format!("many/{token}/s.jsonl"), &text);
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let id = header["id"].as_str().unwrap();
    let _ = sandbox.write("many/plain/s.jsonl", &text.replace(id, token));
    let _ = sandbox.write(&format!("many/{token}.jsonl"), &format!("not JSON: {token}\n"));
    let root = sandbox.path("many").to_string_lossy().into_owned();
    let (begin, remark) = (&token[..8], "a secret is in the path or the id of this file: ");
    for place in ["--sessions-root", "--session-dir"] {
        for more in [&[][..], &["--json"], &["--likely"]] {
            let args = ["secrets", "scan", "--all", place, &root];
            let run = sandbox.run([&args, more].concat());
            assert!(!run.stdout.contains(begin), "{place} {more:?}: {run:?}");
            assert_eq!(run.stderr.matches(remark).count(), 1, "{place} {more:?}: {run:?}");
            if more == ["--json"] {
                let rows = run
                    .stdout
                    .lines()
                    .map(|line| -> serde_json::Value { serde_json::from_str(line).unwrap() });
                let masked = rows.filter(|row| row["pathMasked"] == true).count();
                assert!(masked == 1 && run.stderr.contains(token), "{run:?}");
            }
        }
    }
    let file = format!("../many/{token}/s.jsonl");
    let run = sandbox.run(["secrets", "scan", &file]).exits(3);
    assert!(!run.stdout.contains(begin) && run.stdout.contains("private-key"), "{run:?}");
    assert!(run.stderr.contains(remark) && run.stderr.contains(token), "{run:?}");
}

#[test]
fn exit_codes_tell_whether_there_are_secrets() {
    let (sandbox, _) = sandbox();
    let _ = sandbox.write("clean.jsonl", BRANCHED);
    let clean = sandbox.run(["secrets", "scan", "../clean.jsonl"]).ok();
    assert!(clean.stdout.ends_with("clean.jsonl: nothing found\n"), "{clean:?}");
    let _ = sandbox.run(["secrets", "scan", "../clean.jsonl", "../s.jsonl"]).exits(3);
    let _ = sandbox.run(["secrets", "scan"]).exits(2);
    let _ = sandbox.run(["secrets", "scan", "../missing.jsonl"]).exits(1);
    let folder = sandbox.path("").to_string_lossy().into_owned();
    let all = sandbox.run(["secrets", "scan", "--all", "--session-dir", &folder]).exits(3);
    assert_eq!(all.stdout.lines().count(), 2, "a session, and the total: {all:?}");
    assert!(all.stdout.contains(" in 1 of 2 files: "), "{all:?}");
    let scoped =
        sandbox.run(["secrets", "scan", "--scope", "all", "--session-dir", &folder]).exits(3);
    assert_eq!(scoped.stdout, all.stdout);
    let _ = sandbox.run(["secrets", "scan", "--scope", "all", "../s.jsonl"]).exits(2);
}

#[test]
fn a_scope_without_secrets_says_what_was_scanned() {
    let sandbox = Sandbox::new();
    let scan = |more: &[&str]| sandbox.run([&["secrets", "scan", "--scope", "dir"], more].concat());
    let none = scan(&[]).exits(1);
    assert!(none.stderr.contains("no sessions in"), "{none:?}");
    let cwd = sandbox.project();
    let here = BRANCHED.replace("/home/ana/projects/weather", cwd.to_str().unwrap());
    fs_err::create_dir_all(sandbox.default_folder()).unwrap();
    fs_err::write(sandbox.default_folder().join("s.jsonl"), here).unwrap();
    let clean = scan(&[]).ok();
    let place = format!("no secrets in 1 file (the sessions of {}); `--likely`", cwd.display());
    assert!(clean.stderr.starts_with(&place) && clean.stdout.is_empty(), "{clean:?}");
    let likely = scan(&["--likely"]).ok();
    assert!(likely.stderr.ends_with("; `--scope all` scans all sessions\n"), "{likely:?}");
    // A secret of another directory is not of this scope.
    let key = planted("github-pat").text;
    sandbox.write("home/.pi/agent/sessions/--other--/o.jsonl", &planted_session(&[key]));
    let _ = scan(&[]).ok();
    let _ = sandbox.run(["secrets", "scan", "--all"]).exits(3);
}

#[test]
fn many_sessions_are_summed_up_most_secrets_first() {
    let sandbox = Sandbox::new();
    let tokens = ["github-pat", "stripe-webhook-secret"].map(planted);
    let [github, stripe] = [&tokens[0].text, &tokens[1].text];
    let both = BRANCHED.replace("first question", &format!("Use {github} and {github}"));
    let both = both.replace("second answer", stripe);
    let one = BRANCHED.replace("second question", github);
    let folder = "home/.pi/agent/sessions/--srv--";
    for (name, text) in [("few1", &one), ("many", &both), ("none", &BRANCHED.to_owned())] {
        let text = text.replace("01a00000-0000-7000", &format!("{name}0000-0000-7000"));
        let _ = sandbox.write(&format!("{folder}/{name}.jsonl"), &text);
    }
    let run = sandbox.run(["secrets", "scan", "--all"]).exits(3);
    let [first, second, total] = run.stdout.lines().collect::<Vec<_>>()[..] else {
        panic!("{run:?}")
    };
    assert!(first.starts_with("    3  many0000"), "{run:?}");
    assert!(second.starts_with("    1  few10000"), "{run:?}");
    assert!(second.ends_with("  github-pat 1  first question"), "{run:?}");
    assert!(total.starts_with("4 secrets in 2 of 3 files: github-pat 3, "), "{run:?}");
    assert!(run.stderr.contains("`pitree secrets scan ID` shows where they are"), "{run:?}");
    for token in &tokens {
        assert!(!run.stdout.contains(part(token)), "a title shows it: {run:?}");
    }
}

#[test]
fn likely_secrets_are_counted_alike_wherever_they_are_told() {
    let sandbox = Sandbox::new();
    let text = BRANCHED
        .replace("first question", "my password is Zebra!Moon42")
        .replace("first answer", "I log in with Zebra!Moon42, Zebra!Moon42 it is");
    let _ = sandbox.write("s.jsonl", &text);
    let scan = sandbox.run(["secrets", "scan", "../s.jsonl", "--likely"]).ok().stdout;
    assert!(scan.contains("s.jsonl: 1 likely secret, 2 repeats of likely secrets\n"), "{scan}");
    let export = ["export", "../s.jsonl", "--redact", "-o", "-"];
    let shared = sandbox.run(export).ok().stderr;
    assert!(shared.contains("likely secrets replaced: 1, repeats of them: 2;"), "{shared}");
    let kept = sandbox.run(export.into_iter().chain(["--keep-likely"])).ok().stderr;
    assert!(kept.contains("likely secrets left in place: 1;"), "{kept}");
    let data = sandbox.run(["extract", "../s.jsonl", "-o", "-"]).ok().stderr;
    assert!(data.contains("1 likely secret is left in place"), "{data}");
}

#[test]
fn the_id_of_the_session_itself_is_not_a_secret_everywhere() {
    let sandbox = Sandbox::new();
    let id = "01a00000-0000-7000-8000-00000000000a";
    let text = BRANCHED
        .replace("first question", &format!("PASSWORD={id}"))
        .replace("first answer", &format!("the session {id}"));
    let _ = sandbox.write("s.jsonl", &text);
    let run = sandbox.run(["export", "../s.jsonl", "--redact", "--format", "jsonl", "-o", "-"]);
    let exported = run.ok().stdout;
    assert!(exported.contains("PASSWORD=[REDACTED:"), "{exported}");
    assert!(exported.contains(&format!("\"id\":\"{id}\"")), "{exported}");
    let data = sandbox.run(["extract", "../s.jsonl", "-o", "-"]).ok().stdout;
    assert!(data.contains("PASSWORD=[REDACTED:") && data.contains(id), "{data}");
    // Another one is hidden wherever it stands.
    let other = text.replacen(id, "01a00000-0000-7000-8000-00000000000b", 1);
    let _ = sandbox.write("other.jsonl", &other);
    let run = sandbox.run(["export", "../other.jsonl", "--redact", "--format", "jsonl", "-o", "-"]);
    assert!(!run.ok().stdout.contains(id));
    // What the user names is a secret, even if nothing can be written then.
    let _ = sandbox.write("project/env", &format!("DB_PASSWORD={id}\n"));
    let args = ["export", "../s.jsonl", "--redact", "--format", "jsonl", "-o", "-"];
    let run = sandbox.run(args.into_iter().chain(["--env-file", "env"])).exits(3);
    assert!(run.stderr.contains("is also an id or a name that every export needs"), "{run:?}");
}

#[test]
fn what_is_only_likely_is_listed_on_demand() {
    let sandbox = Sandbox::new();
    let code = "const apiKey = 'test-key-for-ci-2024';";
    sandbox.write("s.jsonl", &BRANCHED.replace("first question", code));
    assert!(sandbox.run(["secrets", "scan", "../s.jsonl"]).ok().stdout.contains("nothing found"));
    let likely = sandbox.run(["secrets", "scan", "../s.jsonl", "--likely"]).ok();
    assert!(likely.stdout.contains("generic-api-key") && likely.stdout.contains("(likely)"));
}

/// What a person pasted who wanted to share the session: values that are certain, and what is only
/// likely.
const CERTAIN: [&str; 6] = [
    concat!("q8Zr2LmX0vB7nK4t", "Yw9sHd3fGj6pRc1e"),
    "tr0ub4dor&3xyz",
    "Hippo!Sun43",
    concat!("w8Zr2LmX0vB7nK4t", "Yw9sHd3fGj6pRc1e"),
    concat!("z8Zr2LmX0v", "B7nK4tYw9"),
    concat!("AKIA5FK2Z9", "RI19R0WYOJ"),
];
const LIKELY: [&str; 3] = ["Zebra!Moon42", "orange-Battery-91", "lemontree"];

/// A session with these values, each where it would stand, and one of the likely ones once more.
fn shared_session() -> String {
    let [key, password, setting, token, secret, id] = CERTAIN;
    let [first, second, third] = LIKELY;
    let lines = [
        format!(r#"api_key = \"{key}\""#),
        format!(r#"password = \"{password}\""#),
        format!("password: {setting}"),
        format!(r#"$env:API_TOKEN = \"{token}\""#),
        format!(r#"client_secret\\\": \\\"{secret}\\\""#),
        format!("AWS_ACCESS_KEY_ID={id}"),
        format!("my password is {first}"),
        format!("the admin password is {second}"),
        format!("password: {third}"),
    ];
    let session = BRANCHED.replace("first question", &lines.join(r"\n"));
    session.replace("second question", &format!("use {first} again"))
}

#[test]
fn what_is_shared_holds_no_secret_and_no_likely_one() {
    let sandbox = Sandbox::new();
    sandbox.write("my session.jsonl", &shared_session());
    let file = "../my session.jsonl";
    let scan = sandbox.run(["secrets", "scan", file]).exits(3);
    assert!(scan.stdout.contains(": 6 secrets\n"), "{scan:?}");
    for name in ["a.html", "a.md", "a.txt", "a.jsonl"] {
        let run = sandbox.run(["export", file, "-o", name, "--redact", "--branch", "all"]).ok();
        let told = "secrets replaced: 6, likely secrets replaced: 3, repeats of them: 1; ";
        assert!(run.stderr.contains(told), "{run:?}");
        let text = fs_err::read_to_string(run.printed_path()).unwrap();
        for value in CERTAIN.iter().chain(&LIKELY) {
            assert!(!text.contains(value), "{name} {value}");
        }
    }
    let args = ["export", file, "-o", "b.txt", "--redact", "--keep-likely", "--branch", "all"];
    let run = sandbox.run(args).ok();
    let told = "secrets replaced: 6, likely secrets left in place: 3; ";
    assert!(run.stderr.contains(told), "{run:?}");
    let text = fs_err::read_to_string(run.printed_path()).unwrap();
    assert!(CERTAIN.iter().all(|value| !text.contains(value)), "{text}");
    assert!(LIKELY.iter().all(|value| text.contains(value)), "{text}");
    // The hint runs as it is typed.
    let (_, hint) = run.stderr.split_once('`').unwrap();
    let (hint, _) = hint.split_once('`').unwrap();
    assert_eq!(hint, "pitree secrets scan --likely '../my session.jsonl'");
    let listed = sandbox.run(["secrets", "scan", "--likely", file]).exits(3);
    assert_eq!(listed.stdout.matches("(likely)").count(), 4, "{listed:?}");
    let json = sandbox.run(["export", file, "--redact", "--keep-likely", "--json"]).ok().json();
    let listed = json["redacted"].as_array().unwrap();
    assert_eq!(listed.iter().filter(|it| it["replaced"] == true).count(), 6);
    assert_eq!(listed.iter().filter(|it| it["likely"] == true).count(), 3);
    let _ = sandbox.run(["export", file, "-o", "-", "--keep-likely"]).exits(2);
}

#[test]
fn an_export_that_is_not_redacted_says_what_it_contains() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", &shared_session());
    sandbox.write("clean.jsonl", BRANCHED);
    let note = |file: &str| sandbox.run(["export", file, "-o", "-"]).ok().stderr;
    let expected = "note: this file contains 6 secrets; pass --redact to replace them\n";
    assert_eq!(note("../s.jsonl"), expected);
    assert_eq!(note("../clean.jsonl"), "");
    let one = BRANCHED.replace("first question", &format!("api_key = '{}'", CERTAIN[0]));
    sandbox.write("one.jsonl", &one);
    assert!(note("../one.jsonl").contains("contains 1 secret; pass --redact to replace it\n"));
    // Of a large one not all is read.
    let long = shared_session().replace("first answer", &"tree ".repeat(600_000));
    sandbox.write("large.jsonl", &long);
    assert!(note("../large.jsonl").contains("contains secrets; pass --redact"));
    let json = sandbox.run(["export", "../s.jsonl", "--json"]).ok();
    assert_eq!(json.stderr, "");
}

#[test]
fn a_data_set_tells_how_many_likely_secrets_it_holds() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", &shared_session());
    let read = |name: &str| fs_err::read_to_string(sandbox.path("project").join(name)).unwrap();
    let run = sandbox.run(["extract", "../s.jsonl", "-o", "left"]).ok();
    let told = "likely secrets are left in place; pass `--redact-likely` to replace them";
    assert!(run.stderr.contains(&format!("3 {told}")), "{run:?}");
    let (data, page, card) =
        (read("left/data.jsonl"), read("left/README.md"), read("left/card.json"));
    assert!(CERTAIN.iter().all(|value| !data.contains(value)), "{data}");
    assert!(page.contains("- 3 likely secrets are left in place\n"), "{page}");
    assert!(page.contains("| likely secrets left | 3 |"), "{page}");
    assert!(card.contains("\"likelySecretsLeft\": 3"), "{card}");
    let run = sandbox.run(["extract", "../s.jsonl", "-o", "replaced", "--redact-likely"]).ok();
    assert!(!run.stderr.contains("likely"), "{run:?}");
    let (data, card) = (read("replaced/data.jsonl"), read("replaced/card.json"));
    assert!(LIKELY.iter().all(|value| !data.contains(value)), "{data}");
    assert!(card.contains("\"likelySecretsLeft\": 0"), "{card}");
    let _ = sandbox
        .run(["extract", "../s.jsonl", "-o", "x", "--redact-likely", "--no-redact"])
        .exits(2);
}

#[test]
fn of_very_many_a_part_is_listed() {
    let sandbox = Sandbox::new();
    let secret = planted("gitlab-pat").secret;
    let said = vec![secret.as_str(); 12_000].join(" ");
    sandbox.write("s.jsonl", &BRANCHED.replace("second question", &said));
    let json = sandbox.run(["secrets", "scan", "../s.jsonl", "--json"]).exits(3).json();
    assert_eq!(json["found"].as_array().unwrap().len(), 10_000);
    assert_eq!(json["more"], 2_000);
}

/// What a browser unpacks of a page.
fn unpacked(html: &str) -> String {
    let blocks = html.split("type=\"application/octet-stream\"").skip(1).map(|block| {
        let packed = block.split_once('>').unwrap().1.split_once('<').unwrap().0;
        let mut text = String::new();
        let packed = STANDARD.decode(packed).unwrap();
        DeflateDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        text
    });
    blocks.collect()
}

#[test]
fn a_page_to_share_has_neither_secrets_nor_names() {
    let (sandbox, secrets) = sandbox();
    let said = "It is in /home/greta/shop, ask greta@corp.net.".to_owned();
    let texts = secrets.iter().map(|planted| planted.text.clone()).chain([said]);
    sandbox.write("s.jsonl", &planted_session(&texts.collect::<Vec<_>>()));
    let run = sandbox.run(["export", "../s.jsonl", "-o", "x.html", "--share"]).ok();
    let html = fs_err::read_to_string(run.printed_path()).unwrap();
    let shown = unpacked(&html);
    for planted in &secrets {
        assert!(!shown.contains(part(planted)) && !html.contains(part(planted)));
        assert!(shown.contains(&format!("[REDACTED:{}:", planted.kind)));
    }
    assert!(!shown.contains("greta"), "{shown}");
    let plain = sandbox.run(["export", "../s.jsonl", "-o", "y.html"]).ok();
    assert!(plain.stderr.contains("pass --redact"), "{plain:?}");
    let shown = unpacked(&fs_err::read_to_string(plain.printed_path()).unwrap());
    assert!(shown.contains(part(&secrets[0])), "it is not redacted unasked");
}

#[test]
fn exports_have_placeholders_instead_of_secrets() {
    let (sandbox, secrets) = sandbox();
    for name in ["a.html", "a.md", "a.txt", "a.jsonl"] {
        let mut args = vec!["export", "../s.jsonl", "-o", name, "--redact", "--branches", "all"];
        args.extend(["--plain"].iter().filter(|_| name == "a.html"));
        let run = sandbox.run(args).ok();
        assert!(run.stderr.contains("secrets replaced: "), "{run:?}");
        let text = fs_err::read_to_string(run.printed_path()).unwrap();
        for planted in &secrets {
            assert!(!text.contains(part(planted)), "{name}");
            assert!(text.contains(&format!("[REDACTED:{}:", planted.kind)), "{name}");
        }
        let scan = sandbox.run(["secrets", "scan", name]);
        let _ = if name == "a.jsonl" { scan.ok() } else { scan };
    }
    let run =
        sandbox.run(["export", "../s.jsonl", "-o", "-", "--format", "jsonl", "--redact"]).ok();
    assert!(secrets.iter().all(|planted| !run.stdout.contains(part(planted))));
    let json = sandbox.run(["export", "../s.jsonl", "--redact", "--json"]).ok().json();
    assert_eq!(json["redacted"][0]["rule"], "github-pat");
    let plain = sandbox.run(["export", "../s.jsonl", "-o", "-"]).ok();
    assert!(plain.stdout.contains(part(&secrets[0])));
}

/// Where a key would begin in one message and end in another there is none: both scans look at
/// each text alone.
#[test]
fn what_stands_in_two_messages_is_no_secret_together() {
    let sandbox = Sandbox::new();
    let session = BRANCHED
        .replace("first question", "look for -----BEGIN PRIVATE KEY----- in the repository")
        .replace("first answer", &format!("none at commit {}", "3f786850e387550fdab8".repeat(4)))
        .replace("second question", "and -----END PRIVATE KEY-----");
    sandbox.write("s.jsonl", &session);
    let _ = sandbox.run(["secrets", "scan", "../s.jsonl"]).ok();
    for name in ["a.html", "a.md", "a.txt", "a.jsonl"] {
        let run = sandbox.run(["export", "../s.jsonl", "-o", name, "--redact"]).ok();
        assert!(run.stderr.starts_with("secrets replaced: 0"), "{run:?}");
    }
}

#[test]
fn the_key_is_kept_where_only_the_user_can_read_it() {
    let (sandbox, secrets) = sandbox();
    let export =
        |key: &str| sandbox.run(["export", "../s.jsonl", "-o", "-", "--redact", "--key", key]);
    let first = export("a.key").ok().stdout;
    let key = sandbox.project().join("a.key");
    assert_eq!(mode(&key), 0o600);
    let digits = fs_err::read_to_string(&key).unwrap();
    assert_eq!(digits.trim().len(), 64);
    assert!(!first.contains(digits.trim()) && !first.contains(part(&secrets[0])));
    assert_eq!(export("a.key").ok().stdout, first);
    assert_ne!(export("b.key").ok().stdout, first);
    fs_err::set_permissions(&key, PermissionsExt::from_mode(0o640)).unwrap();
    let refused = export("a.key").exits(4);
    assert!(refused.stderr.contains("chmod 600") && refused.stdout.is_empty(), "{refused:?}");
    fs_err::write(sandbox.project().join("b.key"), "no key\n").unwrap();
    assert!(export("b.key").exits(3).stderr.contains("64 hexadecimal digits"));
    let _ = sandbox.run(["export", "../s.jsonl", "-o", "-", "--key", "c.key"]).exits(2);
}

#[test]
fn known_values_are_found_wherever_they_stand() {
    let sandbox = Sandbox::new();
    let [login, variable] = ["lemon-tree-of-pi", "olive-tree-of-env"];
    let auth = format!(
        r#"{{"p":{{"type":"api_key","key":"{login}"}},"q":{{"type":"api_key","key":"short"}}}}"#
    );
    sandbox.write("home/.pi/agent/auth.json", &auth);
    sandbox.write("project/.env", &format!("MODE=production\nDB_PASSWORD='{variable}'\n"));
    let said = format!("it was {login} and {variable} in production");
    sandbox.write("s.jsonl", &BRANCHED.replace("second question", &said));
    let args = ["export", "../s.jsonl", "-o", "-", "--redact", "--env-file", ".env"];
    let run = sandbox.run(args).ok();
    assert!(!run.stdout.contains(login) && !run.stdout.contains(variable), "{run:?}");
    assert!(run.stdout.contains("in production"));
    assert!(run.stderr.contains("not redacted: `q key` in auth.json (shorter than 8 "), "{run:?}");
    let scan = sandbox.run(["secrets", "scan", "../s.jsonl", "--env-file", ".env"]).exits(3);
    assert!(scan.stdout.contains("literal") && !scan.stdout.contains(variable), "{scan:?}");
    assert!(!scan.stderr.contains("q key"), "Pi's own files are no news: {scan:?}");
    let missing = sandbox.run(["secrets", "scan", "../s.jsonl", "--env-file", "none.env"]);
    assert!(missing.exits(3).stderr.contains("none.env"));
}

#[test]
fn personal_data_gets_other_names() {
    let sandbox = Sandbox::new();
    let said = "mail ana@mail.example.net about /home/ana/plan and /Users/bob/x";
    sandbox.write("s.jsonl", &BRANCHED.replace("second question", said));
    let args = ["export", "../s.jsonl", "-o", "-", "--redact", "--pseudonyms"];
    let run = sandbox.call(args).env("USER", "ana").run().ok();
    for name in ["ana@", "/home/ana", "/Users/bob"] {
        assert!(!run.stdout.contains(name), "{name}: {run:?}");
    }
    let has_others = run.stdout.contains("@example.invalid") && run.stdout.contains("/home/user-");
    assert!(has_others, "{run:?}");
}

/// What is hidden without other names is hidden with them.
#[test]
fn pseudonyms_leave_no_secret_that_is_hidden_without_them() {
    let sandbox = Sandbox::new();
    let said = "DB is postgres://bob:kd83jfhs72kdpw@db.corp.net/x, mongodb+srv://svc:Ab12cd%40Ef34gh@m.corp.net";
    let session = BRANCHED
        .replace("second question", said)
        .replace("first answer", "I logged in with kd83jfhs72kdpw and Ab12cd@Ef34gh");
    sandbox.write("s.jsonl", &session);
    for more in [&[][..], &["--pseudonyms"]] {
        for format in ["text", "markdown", "html", "jsonl"] {
            let mut args = vec!["export", "../s.jsonl", "-o", "-", "--branches", "all", "--redact"];
            args.extend(["--format", format]);
            args.extend(["--plain"].iter().filter(|_| format == "html"));
            args.extend(more);
            let run = sandbox.run(args).ok();
            let (left, shown) = (["kd83jf", "Ef34gh"], &run.stdout);
            assert!(left.iter().all(|left| !shown.contains(left)), "{format} {more:?}: {shown}");
            assert!(shown.contains("db.corp.net"), "{format} {more:?}: {shown}");
        }
    }
}

/// Each time that a secret stands in the session counts, once, whatever is exported of it.
#[test]
fn secrets_are_counted_in_one_way_and_names_apart() {
    let sandbox = Sandbox::new();
    let secret = planted("gitlab-pat").secret;
    let said = format!("{secret} and {secret} in /home/annabelle/x and {secret}");
    let session = BRANCHED.replace("first question", &said);
    sandbox.write("s.jsonl", &session);
    let scan = sandbox.run(["secrets", "scan", "../s.jsonl"]).exits(3);
    assert!(scan.stdout.contains(": 3 secrets"), "{scan:?}");
    for format in ["text", "markdown", "html", "jsonl"] {
        let args = ["export", "../s.jsonl", "-o", "-", "--redact", "--format", format];
        let plain = sandbox.run(args).ok();
        assert!(plain.stderr.starts_with("secrets replaced: 3; "), "{format}: {plain:?}");
        let named = sandbox.run(args.into_iter().chain(["--pseudonyms"])).ok();
        let expected = "secrets replaced: 3, names replaced: 2; ";
        assert!(named.stderr.starts_with(expected), "{format}: {named:?}");
    }
    let args = ["export", "../s.jsonl", "-o", "a.md", "--redact", "--pseudonyms", "--json"];
    let json = sandbox.run(args).ok().json();
    let count = |name: &str| json[name].as_array().unwrap().len();
    assert_eq!((count("redacted"), count("pseudonyms")), (3, 2), "{json}");
}

/// What an independent scanner says about a file.
fn scanned_by(kingfisher: &Path, sandbox: &Sandbox, path: &str) -> Vec<String> {
    let output = Command::new(kingfisher)
        .args(["scan", "--no-update-check", "--no-validate", "--no-dedup", "--format", "json"])
        .args(["--confidence", "low", path])
        .env("HOME", sandbox.home())
        .env("KF_RULE_CACHE_DIR", kingfisher.with_file_name("rule-cache"))
        .current_dir(sandbox.project())
        .output()
        .unwrap();
    // The findings, and then a line with their sums.
    let text = String::from_utf8(output.stdout).unwrap();
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
    let Some(Ok(first)) = values.next() else { panic!("{path}: {text}") };
    let snippet =
        |found: &serde_json::Value| found["finding"]["snippet"].as_str().map(str::to_owned);
    first["findings"].as_array().unwrap().iter().filter_map(snippet).collect()
}

/// What the scanner finds in a file or folder with this text that is no placeholder.
fn left_by(kingfisher: &Path, sandbox: &Sandbox, path: &str, text: &str) -> Vec<String> {
    // In `https://[REDACTED:…]@host` it takes our placeholder for a password.
    let mut left = scanned_by(kingfisher, sandbox, path);
    left.retain(|found| !lies_in_placeholders(found, text));
    left
}

/// Whether what was found stands in the text, and nowhere but in placeholders.
fn lies_in_placeholders(found: &str, text: &str) -> bool {
    let end = |start: usize| text[start..].find(']').map(|length| start + length + 1);
    let placeholders = text.match_indices("[REDACTED:");
    let placeholders: Vec<(usize, usize)> =
        placeholders.filter_map(|(start, _)| Some((start, end(start)?))).collect();
    let is_within = |start: usize| {
        let last = placeholders.partition_point(|(begin, _)| *begin <= start).checked_sub(1);
        last.is_some_and(|last| start + found.len() <= placeholders[last].1)
    };
    let mut places = text.match_indices(found).map(|(start, _)| start).peekable();
    places.peek().is_some() && places.all(is_within)
}

#[test]
fn only_placeholders_are_no_findings() {
    let text = "a [REDACTED:x:01234567] b 01234567 c";
    assert!(lies_in_placeholders("x:0123", text) && lies_in_placeholders("[REDACTED:x", text));
    for found in ["01234567", "a [REDACTED", "67] b", "not there"] {
        assert!(!lies_in_placeholders(found, text), "{found}");
    }
}

/// How many of the planted secrets the scanner finds in a file.
fn found_by(kingfisher: &Path, sandbox: &Sandbox, path: &str, secrets: &[Planted]) -> usize {
    let found = scanned_by(kingfisher, sandbox, path);
    let is_found = |planted: &&Planted| {
        let secret = &planted.secret;
        found
            .iter()
            .any(|found| found.len() >= 8 && (secret.contains(found) || found.contains(secret)))
    };
    secrets.iter().filter(is_found).count()
}

/// A scanner that knows nothing of ours finds most of what was planted, and nothing of it after
/// redaction.
#[test]
fn an_independent_scanner_finds_nothing_in_redacted_exports() {
    let Some(consumers) = Consumers::find("an_independent_scanner_finds_nothing") else { return };
    let kingfisher = consumers.program("kingfisher");
    let sandbox = Sandbox::new();
    let secrets = planted_secrets(1);
    let texts: Vec<String> = secrets.iter().map(|planted| planted.text.clone()).collect();
    sandbox.write("project/s.jsonl", &planted_session(&texts));
    let found = found_by(&kingfisher, &sandbox, "s.jsonl", &secrets);
    assert!(found >= 40, "{found} of {}", secrets.len());
    for name in ["a.html", "a.md", "a.txt", "a.jsonl"] {
        let _ =
            sandbox.run(["export", "s.jsonl", "-o", name, "--redact", "--branches", "all"]).ok();
        let text = fs_err::read_to_string(sandbox.project().join(name)).unwrap();
        assert_eq!(left_by(&kingfisher, &sandbox, name, &text), Vec::<String>::new(), "{name}");
    }
}

/// Sessions with a few of the secrets each: a session with all of them would be compacted a
/// hundred times. Their names come back.
fn plant(sandbox: &Sandbox, secrets: &[Planted]) -> Vec<String> {
    let plant = |(at, some): (usize, &[Planted])| {
        let texts: Vec<String> = some.iter().map(|planted| planted.text.clone()).collect();
        let mut session = planted_session(&texts).replace("00000000000a", &format!("{at:012x}"));
        session.push_str(&two_answers(&texts.join("\n")));
        let name = format!("s{at}.jsonl");
        sandbox.write(&format!("project/{name}"), &session);
        name
    };
    secrets.chunks(8).enumerate().map(plant).collect()
}

/// Entries for a conversation of its own in which one message has two answers.
fn two_answers(text: &str) -> String {
    let entry = |id: &str, parent: Option<&str>, message: serde_json::Value| {
        let time = "2026-02-03T22:53:07.000Z";
        let message = serde_json::json!({"type": "message", "id": id, "parentId": parent,
            "timestamp": time, "message": message});
        format!("{message}\n")
    };
    let answer = |also: &str| {
        serde_json::json!({"role": "assistant", "api": "x", "provider": "x", "model": "x",
            "stopReason": "stop", "content": [{"type": "text", "text": format!("{also} {text}")}]})
    };
    entry("f0000001", None, serde_json::json!({"role": "user", "content": text}))
        + &entry("f0000002", Some("f0000001"), answer("One."))
        + &entry("f0000003", Some("f0000001"), answer("Two."))
}

#[test]
fn no_form_of_training_data_has_a_secret() {
    let consumers = Consumers::find("secrets in Parquet, and an independent scanner");
    let sandbox = Sandbox::new();
    let secrets = planted_secrets(1);
    let sessions = plant(&sandbox, &secrets);
    let extract = |form: &str, folder: &str, more: &[&str]| {
        let mut args = vec!["extract", "--format", form, "--output", folder, "--branches", "all"];
        args.extend(more);
        args.extend(sessions.iter().map(String::as_str));
        sandbox.run(args).ok()
    };
    for form in FORMS {
        let _ = extract(form, form, &[]);
        let text = text_of(&sandbox, form, consumers.as_ref());
        assert!(text.contains("[REDACTED:"), "{form}");
        for planted in &secrets {
            assert!(!text.contains(part(planted)), "{} in {form}", planted.kind);
        }
        if let Some(consumers) = &consumers {
            let left = left_by(&consumers.program("kingfisher"), &sandbox, form, &text);
            assert_eq!(left, Vec::<String>::new(), "{form}");
        }
    }
    let _ = extract("chat", "plain", &["--no-redact"]);
    let plain = fs_err::read_to_string(sandbox.project().join("plain/data.jsonl")).unwrap();
    let there = secrets.iter().filter(|planted| plain.contains(part(planted))).count();
    assert!(there * 10 > secrets.len() * 9, "{there} of {} were planted", secrets.len());
    if let Some(consumers) = &consumers {
        let kingfisher = consumers.program("kingfisher");
        let found = found_by(&kingfisher, &sandbox, "plain/data.jsonl", &secrets);
        assert!(found >= 40, "{found} of {}", secrets.len());
    }
}
