//! Files that are damaged: what is said about them, and how they are repaired.

use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::{BRANCHED, Run, Sandbox, lines};

/// The session without its first line.
fn headerless() -> &'static str {
    BRANCHED.split_once('\n').unwrap().1
}

/// The line that answered the first question, cut in half.
fn torn() -> String {
    let mut lines: Vec<String> = BRANCHED.lines().map(str::to_owned).collect();
    lines[2].truncate(60);
    lines.join("\n") + "\n"
}

#[test]
fn every_verb_names_the_command_that_repairs_a_file_without_a_header() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("it's broken.jsonl", headerless());
    let quoted = format!("'{}'", file.to_str().unwrap().replace('\'', r"'\''"));
    let command = format!("`pitree export --lenient {quoted} --branches all -o fixed.jsonl`");
    let file = file.to_str().unwrap();
    for args in [
        &["show", file][..],
        &["import", file],
        &["resume", file, "--print"],
        &["fork", file],
        &["tree", file],
        &["append", file],
        &["view", file],
        &["export", file],
        &["migrate", file],
    ] {
        let run = sandbox.run(args).exits(3);
        assert!(run.stderr.contains(&command), "{args:?}: {run:#?}");
    }
    let check = sandbox.run(["check", file]).exits(3);
    assert!(check.stdout.contains(&command), "{check:#?}");
    let check = sandbox.run(["check", file, "--json"]).exits(3).json();
    assert!(check["findings"][0]["advice"].as_str().unwrap().contains(&command), "{check}");
    // The command as it is printed, in a shell.
    let shell = format!("export --lenient {quoted} --branches all -o fixed.jsonl");
    let program = ["/bin/sh", "-c", &format!("exec \"$0\" {shell}")];
    let _ = sandbox.call([""; 0]).within(&program).run().ok();
    let _ = sandbox.run(["check", "fixed.jsonl"]).ok();
    // Others look like sessions, but have no conversation to repair.
    let other = sandbox.write("other.jsonl", "not JSON\n");
    let run = sandbox.run(["show", other.to_str().unwrap()]).exits(3);
    assert!(run.stderr.contains("hint: check the path; ") && !run.stderr.contains("--lenient"));
}

/// The words of a command that a text proposes in backticks, without the program's name.
fn proposed<'t>(text: &'t str, begin: &str) -> &'t str {
    let command = text.split('`').find(|part| part.starts_with(begin)).expect(begin);
    command.strip_prefix("pitree ").unwrap()
}

/// Runs a command as it is printed, in a shell.
fn run_printed(sandbox: &Sandbox, shell: &str, words: &str) -> Run {
    let fish = if shell == "fish" { &["--no-config"][..] } else { &[] };
    let script = format!("\"$PITREE\" {words}");
    let program = [&[shell], fish, &["-c", &script, "--"]].concat();
    let call = sandbox.call([""; 0]).within(&program);
    call.env("PITREE", env!("CARGO_BIN_EXE_pitree")).env("PATH", "/usr/bin:/bin").run()
}

#[test]
fn what_a_check_proposes_for_a_file_that_pi_refuses_runs_as_printed() {
    let sandbox = Sandbox::new();
    let (header, rest) =
        torn().split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let (first, rest) = rest.split_once('\n').unwrap();
    for (name, text) in [
        ("lost.jsonl", format!("{first}\n{rest}")),
        ("late.jsonl", format!("{first}\n{header}\n{rest}")),
    ] {
        let file = sandbox.write(name, &text);
        let _ = fs_err::remove_file(sandbox.project().join("all.jsonl"));
        let check = sandbox.run(["check", file.to_str().unwrap()]).exits(3).stdout;
        let export = proposed(&check, "pitree export /");
        assert!(export.contains(" --lenient "), "{export}");
        let _ = run_printed(&sandbox, "/bin/sh", export).ok();
        let _ = run_printed(&sandbox, "/bin/sh", proposed(&check, "pitree goto ")).ok();
        let copy = sandbox.run(["check", "all.jsonl"]).exits(3).stdout;
        assert!(copy.contains("Pi can open it"), "{copy}");
    }
}

#[test]
fn a_header_that_comes_late_is_used() {
    let sandbox = Sandbox::new();
    let (header, rest) = BRANCHED.split_once('\n').unwrap();
    let (first, others) = rest.split_once('\n').unwrap();
    let late = format!("{first}\nnull\n{header}\n{others}");
    let file = sandbox.write("late.jsonl", &late);
    let file = file.to_str().unwrap();
    let run = sandbox.run(["show", file]).exits(3);
    let said = "line 1 comes before the header, which is on line 3; it looks like";
    assert!(run.stderr.contains(said) && !run.stderr.contains("without its header"), "{run:#?}");
    assert!(run.stderr.contains("writes a complete copy with its header first"), "{run:#?}");
    let check = sandbox.run(["check", file]).exits(3).stdout;
    assert!(check.contains("late-header: the header is on line 3, not on line 1"), "{check}");
    let shown = sandbox.run(["show", file, "--lenient", "--json"]).ok().json();
    assert_eq!(shown["id"], "01a00000-0000-7000-8000-00000000000a", "{shown}");
    for (more, expected) in [
        (
            &["-o", "all.jsonl", "--branches", "all"][..],
            format!("{header}\n{first}\nnull\n{others}"),
        ),
        (&["-o", "-", "--branches", "all"], format!("{header}\n{first}\nnull\n{others}")),
    ] {
        let args = ["export", "--lenient", file, "--format", "jsonl"];
        let run = sandbox.run([&args, more].concat()).ok();
        assert!(
            run.stderr.contains("its header is on line 3; the copy has all of them"),
            "{run:?}"
        );
        let written = match more[1] {
            "-" => run.stdout,
            name => fs_err::read_to_string(sandbox.project().join(name)).unwrap(),
        };
        assert_eq!(written, expected);
    }
    let _ = sandbox.run(["check", "all.jsonl"]).ok();
    let args = ["export", "--lenient", file, "-o", "b.jsonl", "--redact", "--branches", "all"];
    let _ = sandbox.run(args).ok();
    let branch = ["export", "--lenient", file, "-o", "c.jsonl"];
    let _ = sandbox.run(branch).ok();
    for name in ["b.jsonl", "c.jsonl"] {
        let written = lines(&sandbox.project().join(name));
        assert_eq!(written[0]["id"], "01a00000-0000-7000-8000-00000000000a", "{name}");
        assert_eq!(written[0]["cwd"], "/home/ana/projects/weather", "{name}");
        assert!(written[1..].iter().all(|line| line["type"] != "session"), "{name}");
    }
    // A stray line is no reason to lose the header either.
    let stray = sandbox.write("stray.jsonl", &format!("42\n{BRANCHED}"));
    let shown = sandbox.run(["show", stray.to_str().unwrap(), "--lenient", "--json"]).ok().json();
    assert_eq!(shown["cwd"], "/home/ana/projects/weather", "{shown}");
}

#[test]
fn printed_words_are_read_alike_by_every_shell() {
    let sandbox = Sandbox::new();
    let names: [&[u8]; 9] = [
        b"it's a\\b\\ $(x) `y` !1 \"q\".jsonl",
        b"\x1b[2J\nnew\tline.jsonl",
        b"not text \xff.jsonl",
        b"50%\x01'\\!$`\".jsonl",
        "\u{202e}caf\u{e9} \u{1f600}.jsonl".as_bytes(),
        b"~a.jsonl",
        b"=a*?[b]{c,d}#.jsonl",
        b"-x.jsonl",
        b"ends with a line feed\n",
    ];
    let entry = |name: &[u8]| BRANCHED.replace("\"aaaa0001\"", &format!("\"{}\"", name.len()));
    for name in names {
        let folder = sandbox.project().join(OsStr::from_bytes(&name[..1]));
        let _ = fs_err::create_dir_all(&folder);
        let file = folder.join(OsStr::from_bytes(name));
        fs_err::write(&file, entry(name)).unwrap();
        let not_there = "does not exist\nhint: pass `--cwd DIR`";
        let run = sandbox.run([OsStr::new("resume"), file.as_os_str()]).exits(4);
        assert!(run.stderr.contains(not_there), "{run:#?}");
        let fork = proposed_to_end(&run.stderr);
        for shell in ["sh", "dash", "bash", "zsh", "fish"] {
            if std::process::Command::new(shell).arg("-c").arg("true").output().is_err() {
                pitree_testkit::tell(&format!("skipped printed words in {shell}: it is missing"));
                continue;
            }
            let listed = run_printed(&sandbox, shell, &fork);
            assert!(
                listed.stderr.starts_with("choose a message: `pitree fork "),
                "{shell}: {fork}: {}",
                listed.stderr
            );
            assert!(listed.stdout.starts_with(&name.len().to_string()), "{shell}: {fork}");
        }
    }
}

/// The command `fork FILE` that a hint proposes. A name may hold backticks.
fn proposed_to_end(said: &str) -> String {
    let (_, fork) = said.split_once("`pitree fork ").unwrap();
    let (file, _) = fork.split_once(" --whole ").unwrap();
    format!("fork {file}")
}

#[test]
fn a_new_header_says_where_its_directory_comes_from() {
    let sandbox = Sandbox::new();
    let cwd_of = |name: &str| lines(&sandbox.project().join(name))[0]["cwd"].clone();
    let _ = sandbox.write("lost.jsonl", headerless());
    let run = sandbox.run(["export", "--lenient", "../lost.jsonl", "-o", "a.jsonl"]).ok();
    assert!(run.stderr.contains("lost.jsonl has 5 entries and no header"), "{run:#?}");
    assert!(run.stderr.contains("4 of them, the current branch"), "{run:#?}");
    assert!(run.stderr.contains(": the current directory, since"), "{run:#?}");
    assert_eq!(cwd_of("a.jsonl"), sandbox.project().to_str().unwrap());

    // The folder is named after the directory, which is there.
    let other = sandbox.path("other-place");
    fs_err::create_dir(&other).unwrap();
    let folder = other.to_str().unwrap().replace('/', "-");
    let lost = format!("home/.pi/agent/sessions/-{folder}--/lost.jsonl");
    let lost = sandbox.write(&lost, headerless());
    let lost = lost.to_str().unwrap();
    let args = ["export", "--lenient", lost, "-o", "b.jsonl", "--branches", "all"];
    let run = sandbox.run(args).ok();
    assert!(run.stderr.contains("as the name of the file's folder says"), "{run:#?}");
    assert!(run.stderr.contains("the copy has all of them"), "{run:#?}");
    assert_eq!(cwd_of("b.jsonl"), other.to_str().unwrap());
    assert_eq!(lines(&sandbox.project().join("b.jsonl")).len(), 6);
    let _ = sandbox.run(["check", "b.jsonl"]).ok();
    let _ = sandbox.run(["import", "b.jsonl"]).ok();

    // Two directories fit, so neither is taken.
    fs_err::create_dir_all(sandbox.path("other/place")).unwrap();
    let run = sandbox.run(["export", "--lenient", lost, "-o", "c.jsonl"]).ok();
    assert!(run.stderr.contains(": the current directory, since"), "{run:#?}");
    assert_eq!(cwd_of("c.jsonl"), sandbox.project().to_str().unwrap());
    // A session with a header gets no such note.
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.run(["export", "../s.jsonl", "-o", "d.jsonl"]).ok();
    assert!(!run.stderr.contains("header"), "{run:#?}");
}

#[test]
fn an_option_of_another_verb_is_not_proposed_as_a_value() {
    let sandbox = Sandbox::new();
    for verb in ["resume", "check", "import", "fork"] {
        let run = sandbox.run([verb, "--lenient", "x"]).exits(2);
        assert!(!run.stderr.contains("-- --lenient"), "{run:#?}");
        assert!(run.stderr.contains("hint: `pitree export --lenient FILE"), "{run:#?}");
    }
}

#[test]
fn entries_before_a_damaged_line_are_said_to_be_cut_off() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("torn.jsonl", &torn());
    let path = path.to_str().unwrap();
    let check = sandbox.run(["check", path]).exits(3).stdout;
    assert!(check.contains("cut-off: 1 entry before line 3 is no longer on the current branch"));
    assert!(check.contains(&format!("`pitree goto {path} aaaa0001`")), "{check}");
    assert!(check.contains(&format!("`pitree export {path} --branches all ")), "{check}");
    for (format, name) in [("jsonl", "a.jsonl"), ("markdown", "a.md")] {
        let args = ["export", path, "--format", format, "-o", name];
        let said = sandbox.run(args).ok().stderr;
        let expected = "warning: left out 1 entry before line 3: line 3 is damaged, \
                        and the current branch begins after it; \
                        `--branches all` keeps everything\n";
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(said.contains("1 damaged or repeated line is not part"), format == "jsonl");
    }
    let all = sandbox.run(["export", path, "--branches", "all", "-o", "all.jsonl"]).ok();
    assert_eq!(all.stderr, "");
    assert_eq!(fs_err::read_to_string(sandbox.project().join("all.jsonl")).unwrap(), torn());
    // The whole line may be missing.
    let gone: Vec<&str> =
        BRANCHED.lines().enumerate().filter(|(at, _)| *at != 2).map(|(_, line)| line).collect();
    let gone = sandbox.write("gone.jsonl", &(gone.join("\n") + "\n"));
    let said = sandbox.run(["export", gone.to_str().unwrap(), "-o", "b.jsonl"]).ok().stderr;
    assert!(said.contains("before line 3: an entry is missing, and"), "{said}");
    // A sound file has nothing to say.
    let sound = sandbox.write("s.jsonl", BRANCHED);
    let sound = sandbox.run(["check", sound.to_str().unwrap(), "--json"]).ok().json();
    assert_eq!(sound["findings"].as_array().unwrap().len(), 0);
}

#[test]
fn a_clone_says_what_a_damaged_line_cuts_off() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("torn.jsonl", &torn());
    let path = path.to_str().unwrap();
    let entry = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    let is_user = |entry: &serde_json::Value| entry["message"]["role"] == "user";
    let last_user = BRANCHED.lines().map(entry).rfind(is_user).unwrap();
    let at = last_user["id"].as_str().unwrap();
    let warning = format!(
        "warning: left out 1 entry before line 3: line 3 is damaged, and the current branch begins \
         after it; `pitree fork {path} --whole` keeps everything\n"
    );
    for args in [&["clone", path][..], &["fork", path, "--at", at]] {
        let run = sandbox.run(args).ok();
        assert!(run.stderr.contains(&warning), "{run:?}");
        let json = sandbox.run([args, &["--json"]].concat()).ok();
        assert_eq!(json.stderr, "");
        assert_eq!(json.json()["cutOff"], 1, "{json:?}");
    }
    let export = ["export", path, "-o", "a.jsonl", "--json"];
    assert_eq!(sandbox.run(export).ok().json()["cutOff"], 1);
    // Nothing is lost: every branch, one that ends before the damaged line, a sound file.
    let sound = sandbox.write("sound.jsonl", BRANCHED);
    for args in [
        &["fork", path, "--whole"][..],
        &["clone", path, "--at", "aaaa0001"],
        &["clone", sound.to_str().unwrap()],
    ] {
        let run = sandbox.run([args, &["--json"]].concat()).ok();
        assert!(run.json()["cutOff"].is_null(), "{run:?}");
        let run = sandbox.run(args).ok();
        assert!(!run.stderr.contains("left out"), "{run:?}");
    }
    let all = ["export", path, "--branches", "all", "-o", "all.jsonl", "--json"];
    assert!(sandbox.run(all).ok().json()["cutOff"].is_null());
}

#[test]
fn the_verdict_comes_first_and_what_concerns_others_is_counted() {
    let sandbox = Sandbox::new();
    let system = |at: usize| {
        let parent = if at == 0 { "null".to_owned() } else { format!("\"s{}\"", at - 1) };
        format!(
            r#"{{"type":"message","id":"s{at}","parentId":{parent},"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"system","content":"x","timestamp":1}}}}"#
        )
    };
    let header = BRANCHED.lines().next().unwrap();
    let many: Vec<String> = (0..30).map(system).collect();
    let sound = format!("{header}\n{}\n", many.join("\n"));
    let torn = format!("{sound}{{\"type\":\n{header}\n");
    let (sound, torn) = (sandbox.write("sound.jsonl", &sound), sandbox.write("torn.jsonl", &torn));
    let (sound, torn) = (sound.to_str().unwrap(), torn.to_str().unwrap());

    let text = sandbox.run(["check", sound]).ok().stdout;
    assert!(text.starts_with(&format!("{sound}: healthy: 30 entries\n")), "{text}");
    assert!(!text.contains("unknown-to-port"), "{text}");
    assert!(text.contains("read-only (30 problems; --details lists them).\n"), "{text}");
    let text = sandbox.run(["check", torn]).exits(3).stdout;
    // Every line that is listed is counted.
    let first = format!("{torn}: damaged, Pi can open it: 1 problem, 1 warning, 30 entries\n");
    assert!(text.starts_with(&format!("{first}line 32: malformed-line: ")), "{text}");
    assert!(text.contains("line 33: second-header: ") && text.lines().count() < 9, "{text}");

    let text = sandbox.run(["check", "--details", torn]).exits(3).stdout;
    assert_eq!(text.matches("unknown-to-port").count(), 30, "{text}");
    assert!(text.starts_with(&format!("{first}line 32: malformed-line: ")), "{text}");
    assert!(!text.contains("--details"), "{text}");
    let json = sandbox.run(["check", "--json", torn]).exits(3).json();
    assert_eq!(json["findings"].as_array().unwrap().len(), 32);
}

#[test]
fn a_scope_shows_only_files_with_problems_and_ends_in_a_summary() {
    let sandbox = Sandbox::new();
    let named = |id: &str, text: &str| {
        sandbox.write(&format!("sessions/{id}.jsonl"), &text.replace("00000000000a", id))
    };
    let check = |code: i32| {
        let args = ["check", "--all", "--session-dir", "../sessions"];
        sandbox.run(args).exits(code).stdout
    };
    let _ = named("000000000001", BRANCHED);
    assert_eq!(check(0), "checked 1 session: healthy\n");
    let _ = named("000000000002", BRANCHED);
    assert_eq!(check(0), "checked 2 sessions: all healthy\n");
    let _ = named("000000000003", &torn());
    let _ = named("000000000004", BRANCHED.trim_end());
    let text = check(3);
    let counts = "1 damaged, 1 with warnings (`--details` shows them)";
    assert!(text.ends_with(&format!("\nchecked 4 sessions: {counts}\n")), "{text}");
    assert!(text.contains("3.jsonl: damaged, Pi can open it: "), "{text}");
    for healthy in ["1.jsonl", "2.jsonl", "4.jsonl"] {
        assert!(!text.contains(healthy), "{text}");
    }
    let args = ["check", "--all", "--details", "--session-dir", "../sessions"];
    let text = sandbox.run(args).exits(3).stdout;
    assert!(text.contains("4.jsonl: healthy: 5 entries, 1 warning\n"), "{text}");
    assert!(text.ends_with(": 1 damaged, 1 with warnings\n"), "{text}");
}

#[test]
fn the_version_of_a_file_without_a_header_is_unknown() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("lost.jsonl", headerless());
    let shown = sandbox.run(["show", "--lenient", "../lost.jsonl"]).ok().stdout;
    assert!(shown.contains("version         unknown (no header)\n"), "{shown}");
}

#[test]
fn a_path_that_is_not_text_is_a_path() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"not text \xff.jsonl");
    let here = BRANCHED.replace("/home/ana/projects/weather", sandbox.project().to_str().unwrap());
    fs_err::write(sandbox.project().join(name), here).unwrap();
    let args = |words: &[&str]| -> Vec<OsString> {
        let words = words.iter().map(OsString::from);
        words.chain([name.to_owned()]).collect()
    };
    let run = sandbox.run(args(&["resume", "--print"])).ok();
    assert!(run.stdout.ends_with("/not text \\377.jsonl')\"\n"), "{run:#?}");
    for words in [
        &["show"][..],
        &["check"],
        &["tree"],
        &["migrate"],
        &["view"],
        &["view", "--at", "aaaa0001"],
        &["watch", "--for", "0"],
        &["rpc", "--session"],
        &["rpc", "--fork"],
        &["extract", "-o", "-"],
        &["extract", "-o", "data"],
        &["delete", "--permanent", "--force"],
    ] {
        let run = sandbox.run(args(words));
        assert_eq!(run.code, Some(0), "{words:?}: {run:?}");
    }
    assert!(!sandbox.project().join(name).exists());
    let card = fs_err::read_to_string(sandbox.project().join("data/card.json")).unwrap();
    assert!(card.contains("printf 'not text \\\\377.jsonl'"), "{card}");
    let gone = OsStr::from_bytes(b"gone \xff.jsonl");
    let run = sandbox.run([OsStr::new("resume"), gone]).exits(1);
    assert!(run.stderr.starts_with("error: There is no file "), "{run:#?}");
}

#[test]
fn errors_are_sentences_with_what_to_do() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let said = |args: &[&str]| sandbox.run(args).stderr;
    let no_entry = said(&["path", "../s.jsonl", "zzz"]);
    assert!(no_entry.starts_with("error: No entry of this session has the id `zzz`\nhint: "));
    let gone = "error: The session's working directory /home/ana/projects/weather does not exist\n";
    let resume = said(&["resume", "../s.jsonl"]);
    assert!(resume.starts_with(gone) && resume.contains("`--cwd DIR`"), "{resume}");
    let fork = said(&["fork", "../s.jsonl", "--at", "bbbb0001"]);
    assert!(fork.starts_with("error: Entry bbbb0001 is not a user message; "), "{fork}");
    let here = ["resume", "--session-dir", "..", "--scope", "all", "--pick", "7"];
    assert!(said(&here).contains("7 is not in the list, which has 1 session\n"));
}

#[test]
fn a_program_that_cannot_be_run_is_named_with_its_variable() {
    let sandbox = Sandbox::new();
    let plain = sandbox.write("plain", "");
    let find = |name: &str| {
        let call = sandbox.call(["rpc", "--agent"]).env("PITREE_PI", name);
        call.run().exits(2).stderr
    };
    let said = find(plain.to_str().unwrap());
    assert!(said.contains("plain is not executable (named by the variable PITREE_PI)"), "{said}");
    assert!(said.contains("hint: correct or unset PITREE_PI"), "{said}");
    let said = find("/no/such/program");
    assert!(said.contains("/no/such/program cannot be run: No such file"), "{said}");
    let said = find("no-such-program");
    assert!(said.contains("`no-such-program` was not found on PATH (named by"), "{said}");
    let said = find(sandbox.home().to_str().unwrap());
    assert!(said.contains(" is a directory, not a program"), "{said}");
}

#[test]
fn a_time_zone_that_is_unknown_is_said_once() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let show = |zone: &str| sandbox.call(["show", "../s.jsonl"]).env("TZ", zone).run().ok();
    let warning = "warning: the time zone TZ=Foo/Bar is unknown; times are UTC\n";
    assert_eq!(show("Foo/Bar").stderr, warning);
    assert_eq!(show("CET-1CEST").stderr, "");
    let search = sandbox.call(["search", "after:2020-01-01", "q", "--json"]).env("TZ", "Foo/Bar");
    assert!(search.run().stderr.starts_with(warning), "a query has times, too");
}

/// What cannot be written is named by its folder, and not by a temporary file.
#[test]
fn a_folder_that_takes_no_file_is_named() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let closed = sandbox.path("closed");
    fs_err::create_dir(&closed).unwrap();
    fs_err::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
    let is_root = fs_err::read_dir(&closed).is_ok();
    let folder = if is_root { Path::new("/proc") } else { closed.as_path() };
    let output = folder.join("a.html");
    let run = sandbox.run(["export", "../s.jsonl", "-o", output.to_str().unwrap()]).exits(3);
    assert!(run.stderr.contains(&format!("file in {}: ", folder.display())), "{run:#?}");
    assert!(!run.stderr.contains(".tmp"), "{run:#?}");
    fs_err::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
}
