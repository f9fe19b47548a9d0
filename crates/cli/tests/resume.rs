//! `pitree resume` and `pitree continue`: which session, which command, and starting it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::common::{Call, Sandbox};

struct Store {
    sandbox: Sandbox,
}

impl Store {
    fn new() -> Self {
        Self { sandbox: Sandbox::new() }
    }

    /// A session of a directory, which spoke this many minutes ago.
    fn session(&self, id: &str, cwd: &Path, minutes: u64, (name, said): (&str, &str)) -> PathBuf {
        let time = SystemTime::now() - Duration::from_secs(60 * minutes);
        let ms = time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
        let cwd = cwd.display();
        let mut text = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"cwd\":\"{cwd}\"}}\n{{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{{\"role\":\"user\",\"content\":\"{said}\",\"timestamp\":{ms}}}}}\n"
        );
        if !name.is_empty() {
            text.push_str(&format!("{{\"type\":\"session_info\",\"id\":\"b\",\"parentId\":\"a\",\"name\":\"{name}\"}}\n"));
        }
        let path = self.sandbox.write(&format!("sessions/{id}.jsonl"), &text);
        let file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
        file.file().set_modified(time).unwrap();
        path
    }

    /// Three sessions of the project and one of another directory.
    fn filled() -> Self {
        let store = Self::new();
        let project = store.sandbox.project();
        let other = store.sandbox.home();
        let _ = store.session("s-one", &project, 30, ("", "fix the login page"));
        let _ = store.session("s-two", &project, 10, ("Login", "why does it fail"));
        let _ = store.session("s-three", &project, 20, ("", "write a parser for dates"));
        let _ = store.session("far-four", &other, 5, ("Budget", "sum up the parser work"));
        store
    }

    fn call(&self, verb: &str, args: &[&str]) -> Call {
        let mut all = vec![verb, "--session-dir", "../sessions"];
        all.extend_from_slice(args);
        self.sandbox.call(all)
    }

    fn chosen(&self, args: &[&str]) -> String {
        let mut all = args.to_vec();
        all.push("--json");
        let run = self.call("resume", &all).run().ok();
        run.json()["id"].as_str().unwrap().to_owned()
    }
}

#[test]
fn the_command_is_printed() {
    let store = Store::filled();
    let project = store.sandbox.project();
    let file = store.sandbox.path("sessions/s-one.jsonl");
    let run = store.call("resume", &["s-one"]).run().ok();
    let expected = format!("cd {} && pi --session {}", project.display(), file.display());
    assert_eq!(run.line(), expected);
    // Without a terminal nothing can be started, and that is said.
    for (verb, args) in
        [("resume", &["s-one", "--open", "pi"][..]), ("continue", &["--open", "pi"])]
    {
        let run = store.call(verb, args).run().exits(2);
        assert!(run.stderr.contains("`--open` needs a terminal"), "{run:?}");
        assert_eq!(run.stdout, "");
    }
    let run = store.call("resume", &["s-one", "--open", "pi", "--json"]).run().exits(2);
    assert!(run.stderr.contains("`--open` cannot be used with `--json`"), "{run:?}");
    let json = store.call("resume", &["s-one", "--json"]).run().ok().json();
    assert_eq!(json["command"], expected);
    assert_eq!(json["cwd"], project.to_str().unwrap());
    assert_eq!(json["path"], file.to_str().unwrap());
    assert_eq!(json["argv"][1], "--session");
    let run = store.call("resume", &["s-one"]).env("PITREE_PI", "/opt/my pi").run().ok();
    assert!(run.line().contains("&& '/opt/my pi' --session"), "{run:?}");
}

#[test]
fn words_find_the_best_match() {
    let store = Store::filled();
    // A name is better than a message, the own directory better than others.
    assert_eq!(store.chosen(&["login"]), "s-two");
    assert_eq!(store.chosen(&["login", "page"]), "s-one");
    assert_eq!(store.chosen(&["\"login page\""]), "s-one");
    assert_eq!(store.chosen(&["PARSER"]), "s-three");
    assert_eq!(store.chosen(&["parser", "--scope", "all", "--pick", "1"]), "far-four");
    assert_eq!(store.chosen(&["budget"]), "far-four");
    assert_eq!(store.chosen(&["bdgt"]), "far-four");
    assert_eq!(store.chosen(&["re:b[ud]+get"]), "far-four");
    assert_eq!(store.chosen(&["../sessions/s-one.jsonl"]), "s-one");
    // A phrase is found whole or not at all, as in Pi's picker.
    let _ = store.call("resume", &["\"bdgt\""]).run().exits(1);
    let _ = store.call("resume", &["re:("]).run().exits(2);
    let _ = store.call("resume", &["xyzzy"]).run().exits(1);
    let _ = store.call("resume", &["page", "budget"]).run().exits(1);
}

#[test]
fn words_of_other_messages_lead_to_the_search() {
    let store = Store::filled();
    let file = store.sandbox.path("sessions/s-one.jsonl");
    let answer = r#"{"type":"message","id":"c","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"a xylophone, out of tune"}]}}"#;
    let text = fs_err::read_to_string(&file).unwrap();
    fs_err::write(&file, format!("{text}{answer}\n")).unwrap();
    for (args, scope) in [(&[][..], ""), (&["--scope", "repo"], " --scope repo")] {
        let run = store.call("resume", &[&["xylophone", "tune"], args].concat()).run().exits(1);
        let search = format!("search 'xylophone tune'{scope} --session-dir ../sessions");
        assert!(run.stderr.contains(&format!("`pitree {search}` searches all")), "{run:?}");
    }
    let found = store.call("search", &["xylophone tune", "--json"]).run().ok().json();
    assert_eq!(found["hits"][0]["session"]["id"], "s-one", "{found}");
}

#[test]
fn several_matches_are_listed_with_numbers() {
    let store = Store::filled();
    let run = store.call("resume", &["parser", "--scope", "all"]).run().exits(1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    assert!(lines[0].starts_with("  1 ") && lines[0].contains("far-four"), "{run:?}");
    assert!(lines[1].starts_with("  2 ") && lines[1].contains("s-three"), "{run:?}");
    assert_eq!(store.chosen(&["parser", "--scope", "all", "--pick", "2"]), "s-three");
    let _ = store.call("resume", &["parser", "--pick", "3"]).run().exits(2);
    let _ = store.call("resume", &["parser", "--pick", "0"]).run().exits(2);
}

#[test]
fn without_an_argument_the_sessions_of_the_directory_are_listed() {
    let store = Store::filled();
    let run = store.call("resume", &[]).run().exits(1);
    let ids: Vec<&str> =
        run.stdout.lines().map(|line| line.split_whitespace().nth(2).unwrap()).collect();
    assert_eq!(ids, ["s-two", "s-three", "s-one"]);
    assert_eq!(store.chosen(&["--pick", "3"]), "s-one");
    let json = store.call("resume", &["--json"]).run().exits(1).json();
    assert_eq!(json.as_array().unwrap().len(), 3);
    let empty = Store::new();
    fs_err::create_dir(empty.sandbox.path("sessions")).unwrap();
    for verb in ["resume", "continue", "list"] {
        let run = empty.call(verb, &[]).run().exits(1);
        assert!(run.stderr.contains("no sessions in"), "{run:?}");
        assert!(run.stderr.contains("`pitree demo` shows a sample"), "{run:?}");
    }
}

#[test]
fn sessions_with_one_prefix_are_numbered_and_picked_by_these_numbers() {
    let store = Store::new();
    let (project, other) = (store.sandbox.project(), store.sandbox.home());
    let _ = store.session("abcd-1", &project, 30, ("", "one"));
    let _ = store.session("abcd-2", &project, 20, ("", "two"));
    let _ = store.session("abcd-3", &other, 10, ("", "three"));
    let _ = store.session("other", &project, 5, ("", "abcd is only said here"));
    let run = store.call("resume", &["abcd"]).run().exits(2);
    let shown: Vec<(usize, String)> = run
        .stdout
        .lines()
        .map(|line| {
            let mut words = line.split_whitespace();
            let number = words.next().unwrap().parse().unwrap();
            (number, words.find(|word| word.starts_with("abcd-")).unwrap().to_owned())
        })
        .collect();
    assert_eq!(shown, [(1, "abcd-3".into()), (2, "abcd-2".into()), (3, "abcd-1".into())]);
    for (number, id) in shown {
        assert_eq!(store.chosen(&["abcd", "--pick", &number.to_string()]), id);
    }
    let _ = store.call("resume", &["abcd", "--pick", "4"]).run().exits(2);
    assert_eq!(store.chosen(&["abcd", "--scope", "dir", "--pick", "1"]), "abcd-2");
}

#[test]
fn continue_takes_the_most_recent_of_the_directory() {
    let store = Store::filled();
    let json = store.call("continue", &["--json"]).run().ok().json();
    assert_eq!(json["id"], "s-two");
}

#[test]
fn a_directory_that_is_gone_is_said() {
    let store = Store::new();
    let _ = store.session("lost", Path::new("/nowhere/at all"), 5, ("", "hello"));
    let run = store.call("resume", &["lost"]).run().exits(4);
    assert!(run.stderr.contains("directory /nowhere/at all does not exist"), "{run:?}");
    assert!(run.stderr.contains("--cwd"), "{run:?}");
    let run = store.call("resume", &["lost", "--cwd", "."]).run().ok();
    assert!(run.line().contains("/project && pi --session"), "{run:?}");
    let _ = store.call("resume", &["lost", "--cwd", "gone"]).run().exits(2);
}

#[test]
fn what_is_printed_is_safe_for_a_shell_and_a_terminal() {
    let store = Store::new();
    let odd = store.sandbox.path("it's $(touch pwned) \u{1b}[2J\u{202e}");
    fs_err::create_dir(&odd).unwrap();
    let escaped = odd.to_str().unwrap().replace('\u{1b}', "\\u001b");
    let _ = store.session("odd", Path::new(&escaped), 5, ("", "hello"));
    let run = store.call("resume", &["odd"]).env("PITREE_PI", "/bin/echo").run().ok();
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{run:?}");
    // A shell comes out where the session was.
    let script = format!("{} >&2; pwd", run.line());
    let shell = Command::new("bash").args(["-c", &script]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(
        String::from_utf8(shell.stdout).unwrap().trim_end_matches('\n'),
        odd.to_str().unwrap()
    );
    assert!(!odd.join("pwned").exists());
}

#[test]
fn on_a_terminal_pi_is_started_in_the_directory_of_the_session() {
    if !Path::new("/usr/bin/script").exists() {
        pitree_testkit::tell("skipped on_a_terminal_pi_is_started_…: there is no `script`");
        return;
    }
    let store = Store::filled();
    let fake = store.sandbox.write("fake-pi", "#!/bin/sh\necho \"fake $PWD $*\"\nexit 5\n");
    fs_err::set_permissions(&fake, PermissionsExt::from_mode(0o755)).unwrap();
    let on_a_terminal = |arguments: &str, pi: &Path| {
        let program = env!("CARGO_BIN_EXE_pitree");
        let sessions = store.sandbox.path("sessions");
        let command = format!("{program} --session-dir '{}' {arguments}", sessions.display());
        let output = Command::new("/usr/bin/script")
            .args(["-qec", &command, "/dev/null"])
            .env_clear()
            .env("HOME", store.sandbox.home())
            .env("SHELL", "/bin/sh")
            .env("PITREE_PI", pi)
            .current_dir(store.sandbox.home())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap().trim_end().to_owned(), output.status.code())
    };
    let project = store.sandbox.project();
    let file = store.sandbox.path("sessions/s-one.jsonl");
    let started = format!("fake {} --session {}", project.display(), file.display());
    for arguments in ["resume s-one", "resume s-one --open pi"] {
        assert_eq!(on_a_terminal(arguments, &fake), (started.clone(), Some(5)));
    }
    let (said, code) = on_a_terminal("resume s-one --print", &fake);
    assert!(said.starts_with("cd ") && said.contains(" --session "), "{said}");
    assert_eq!(code, Some(0));
    let (said, code) = on_a_terminal("resume s-one", Path::new("/nowhere/pi"));
    assert!(said.contains("`--print` only prints the command"), "{said}");
    assert_eq!(code, Some(2));
}
