//! What a user mistypes, forgets or may not read: each is said in words, with what to do.

use std::os::unix::fs::symlink;

use crate::common::{BRANCHED, Sandbox, VERSION_1, files_below};
use crate::screens::tmux::Terminal;

/// A sandbox whose sessions root cannot be looked into, whoever runs the tests, and its name.
fn unreadable_root() -> (Sandbox, &'static str) {
    let sandbox = Sandbox::new();
    symlink("root", sandbox.path("root")).unwrap();
    (sandbox, "../root")
}

#[test]
fn a_folder_that_cannot_be_read_is_not_a_folder_without_secrets() {
    let (sandbox, root) = unreadable_root();
    let run = sandbox.run(["secrets", "scan", "--all", "--sessions-root", root]).exits(3);
    assert!(run.stderr.starts_with("error: Cannot read "), "{run:?}");
    assert!(run.stderr.ends_with("hint: nothing was scanned\n"), "{run:?}");
    let run = sandbox.run(["check", "--all", "--sessions-root", root]).exits(3);
    assert!(run.stderr.contains("error: Cannot read "), "{run:?}");
    assert_eq!(run.stdout, "checked 1 session: 1 not found or not readable\n");
    // Others are scanned nevertheless.
    let _ = sandbox.write("some/--a--/s.jsonl", BRANCHED);
    symlink("--loop--", sandbox.path("some/--loop--")).unwrap();
    symlink("loop.jsonl", sandbox.path("some/--a--/loop.jsonl")).unwrap();
    let some = ["--all", "--sessions-root", "../some"];
    let run = sandbox.run([&["secrets", "scan"], &some[..]].concat()).exits(3);
    assert_eq!(run.stderr.matches("Cannot read ").count(), 2, "{run:?}");
    assert!(!run.stderr.contains("nothing was scanned"), "{run:?}");
    assert!(!run.stderr.contains("no secrets"), "{run:?}");
    let run = sandbox.run([&["check"], &some[..]].concat()).exits(3);
    assert_eq!(run.stdout, "checked 3 sessions: 2 not found or not readable\n");
    for verb in [&["secrets", "scan"][..], &["check"]] {
        let typo = [verb, &["--all", "--session-dir", "/typo"]].concat();
        let run = sandbox.run(typo).exits(2);
        assert!(run.stderr.contains("The folder /typo does not exist"), "{run:?}");
    }
}

#[test]
fn a_session_that_is_not_found_may_be_one_that_cannot_be_read() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("some/--a--/s.jsonl", BRANCHED);
    let not_found = |verb: &str| {
        let run = sandbox.run([verb, "019cadd3", "--sessions-root", "../some"]).exits(1);
        assert!(run.stderr.starts_with("error: No session found matching '019cadd3'\n"), "{run:?}");
        run.stderr
    };
    for verb in ["show", "resume"] {
        assert_eq!(not_found(verb).lines().count(), 2, "the error and a hint");
    }
    symlink("--loop--", sandbox.path("some/--loop--")).unwrap();
    for verb in ["show", "resume"] {
        let said = not_found(verb);
        assert!(said.contains("\n  1 file or folder could not be read:\n"), "{said}");
        assert!(said.contains("--loop-- (") && said.contains("symbolic link"), "{said}");
    }
}

#[test]
fn a_copy_is_not_made_for_a_directory_that_is_missing() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let fork = |cwd: &str| sandbox.run(["fork", "../s.jsonl", "--whole", "--cwd", cwd]);
    let run = fork("/missing").exits(2);
    let hint = "hint: create it, or pass another --cwd; nothing was written\n";
    assert_eq!(run.stderr, format!("error: /missing does not exist\n{hint}"));
    let run = fork("../s.jsonl").exits(2);
    assert!(run.stderr.contains("s.jsonl is not a directory\n"), "{run:?}");
    // It would have no effect without `--whole`.
    let _ = sandbox.run(["fork", "../s.jsonl", "--at", "a", "--cwd", "."]).exits(2);
    assert_eq!(files_below(&sandbox.home()), Vec::<String>::new());
    let _ = fork(".").ok();
}

#[test]
fn a_scan_says_once_what_failed() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    for (path, code) in [("../missing.jsonl", 1), ("../tmp", 3)] {
        let run = sandbox.run(["secrets", "scan", path]).exits(code);
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{run:?}");
    }
    let run = sandbox.run(["secrets", "scan", "../missing.jsonl", "nobody", "../s.jsonl"]);
    assert_eq!(run.stderr.matches("error: ").count(), 2, "{run:?}");
    assert!(run.stdout.ends_with("s.jsonl: nothing found\n"), "{run:?}");
}

#[test]
fn problems_are_not_counted_as_lines() {
    let sandbox = Sandbox::new();
    let old: Vec<&str> = VERSION_1.lines().collect();
    let _ = sandbox.write("old.jsonl", &format!("{}\n{{\"type\":\n", old[0]));
    let said = sandbox.run(["check", "../old.jsonl"]).exits(3).stdout;
    let said = said.replace("\n    ", " ");
    assert!(said.contains("rejects this file or opens it read-only (2 problems).\n"), "{said}");
    assert!(
        said.contains("Pi skips this line and reads the others; no repair is needed"),
        "{said}"
    );
}

#[test]
fn a_text_file_is_not_a_damaged_session() {
    let sandbox = Sandbox::new();
    let notes = sandbox.write("notes.txt", "buy milk\nand bread");
    let run = sandbox.run(["check", "../notes.txt"]).exits(3);
    let name = notes.display();
    let verdict = "not a Pi session (it contains no JSON). Check the path.";
    assert_eq!(run.stdout.replace("\n    ", " "), format!("{name}: {verdict}\n"));
    let all = sandbox.run(["check", "--details", "../notes.txt"]).exits(3).stdout;
    assert!(!all.contains("Pi skips"), "Pi refuses the file: {all}");
    let json = sandbox.run(["check", "--json", "../notes.txt"]).exits(3).json();
    assert_eq!(json["damaged"], true);
    let _ = sandbox.write("many/notes.jsonl", "buy milk\n");
    let _ = sandbox.write("many/s.jsonl", BRANCHED);
    let many = sandbox.run(["check", "--all", "--session-dir", "../many"]).exits(3).stdout;
    assert!(many.ends_with("\nchecked 2 sessions: 1 not a session\n"), "{many}");
    // A session that has lost its header and a line is one all the same.
    let entries = BRANCHED.split_once('\n').unwrap().1;
    for (name, text) in [
        ("first.jsonl", format!("garbage\n{entries}")),
        ("last.jsonl", format!("{entries}{{\"type\":\"mess\n")),
    ] {
        let _ = sandbox.write(name, &text);
        let run = sandbox.run(["check", &format!("../{name}")]).exits(3);
        let said = run.stdout.replace("\n    ", " ");
        assert!(said.contains("it looks like a Pi session without its header"), "{said}");
        assert!(said.contains("`pitree export --lenient "), "{said}");
        assert!(said.contains(" writes a complete copy with a new header"), "{said}");
    }
    // A line of JSON is a reason to look closer.
    let _ = sandbox.write("torn.jsonl", "{\"type\":\n{\"type\":\"message\"}\n");
    let torn = sandbox.run(["check", "../torn.jsonl"]).exits(3).stdout;
    assert!(torn.contains("malformed-line"), "{torn}");
}

#[test]
fn numbers_that_do_not_fit_are_refused_in_words() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let one = "give a whole number of at least 1";
    let any = "give a whole number of at least 0\n";
    let real = "give a number such as 1 or 0.5\n";
    for (args, said) in [
        ("list --limit 0", one),
        ("list --limit abc", one),
        ("list --limit -1", one),
        ("search x --limit -1", any),
        ("search x --context many", any),
        ("show ../s.jsonl --limit 0", one),
        ("show ../s.jsonl --offset=-1", any),
        ("show ../s.jsonl --max-content many", any),
        ("copy ../s.jsonl --code 0", one),
        ("subagents ../s.jsonl 0", one),
        ("resume --pick 0", one),
        ("entries ../s.jsonl --last abc", one),
        ("entries ../s.jsonl --last 0", one),
        ("list --limit 99999999999999999999999", "the number is too large"),
        ("stats --top abc", any),
        ("compact ../s.jsonl --reserve abc", any),
        ("compact ../s.jsonl --context-window 0", one),
        ("compact ../s.jsonl --summarizer-timeout 0", one),
        ("index --shared --wait abc", "give a duration such as 500ms, 30s or 2m\n"),
        ("extract -o d --jobs 0", "give a whole number from 1 to 256"),
        ("extract -o d --jobs 257", "give a whole number from 1 to 256"),
        ("extract -o d --max-tokens 0", one),
        ("extract -o d --max-similar 0", one),
        ("extract -o d --max-tool-chars 1.5", any),
        ("extract -o d --outcomes o --min-outcome nan", real),
        ("extract -o d --outcomes o --min-outcome inf", real),
        ("extract -o d --outcomes o --min-outcome=-1e999", real),
        ("extract -o d --outcomes o --min-outcome high", real),
        ("watch --for=-1", "give a number of seconds, such as 30 or 0.5"),
        ("append ../s.jsonl --wait 99999999999999999999h", "give a shorter duration"),
    ] {
        let run = sandbox.run(args.split(' ')).exits(2);
        assert!(run.stderr.contains(said), "{args}: {run:?}");
    }
    let _ = sandbox.run(["show", "../s.jsonl", "--max-content", "0"]).ok();
    let _ = sandbox.run(["copy", "../s.jsonl", "--code", "1"]).exits(1);
}

/// Each error says what is wrong and what helps, in the words of the command that failed.
#[test]
fn errors_say_what_helps_here() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    for (args, code, said) in [
        ("view", 2, "error: The picker needs a terminal\nhint: name a session; `pitree list "),
        (
            "rpc --agent=nopi",
            2,
            "error: `nopi` was not found on PATH\nhint: correct `--agent`, or ",
        ),
        ("rpc --agent", 2, "hint: install Pi, or set PITREE_PI to its path\n"),
        (
            "rpc --listen /no/where",
            3,
            "error: Cannot listen at /no/where: No such file or directory",
        ),
        ("show --session-dir ../gone x", 2, "/gone does not exist\nhint: correct `--session-dir`"),
        ("subagents ../s.jsonl 3", 1, "there is no run 3: this session has no sub-agent runs\n"),
        (
            "compact ../s.jsonl --keep-recent 1 --summarizer-url ftp://x --summarizer-model m",
            2,
            "error: The summarizer URL ftp://x must begin with http:// or https://\n",
        ),
        (
            "compact ../s.jsonl --keep-recent 1 --summarizer-url http://localhost:1",
            2,
            "error: A summarizer URL needs a model\nhint: pass `--summarizer-model MODEL`\n",
        ),
        (
            "compact ../s.jsonl --keep-recent 1 --summarizer-model no/such",
            2,
            "error: Unknown model: no/such\nhint: pass a model that Pi has as `--summarizer-model ",
        ),
        ("compact ../s.jsonl", 1, ": the last 20000 tokens are kept (change with `--keep-recent`)"),
        ("undo ../s.jsonl", 4, "`undo` only reverts a migration, and does not remove appended "),
        ("export ../s.jsonl -o x.foo", 2, "error: The extension of x.foo is not a known format\n"),
        ("extract -o d --max-output 1 ../s.jsonl", 4, "the --max-output limit of 1 byte\n"),
    ] {
        let run = sandbox.run(args.split(' ')).exits(code);
        assert!(run.stderr.contains(said), "{args}: {}", run.stderr);
        assert!(!run.stderr.contains("--print") && !run.stderr.contains(".p"), "{}", run.stderr);
    }
    let verified = sandbox.run(["index", "--verify", "--session-dir", ".."]).ok().stdout;
    assert!(verified.ends_with(", and is correct\n"), "{verified}");
}

/// An id that begins with a dash is not an option of the commands that are printed.
#[test]
fn what_begins_with_a_dash_stays_an_argument() {
    let sandbox = Sandbox::new();
    let dashed = BRANCHED
        .replace("01a00000-0000-7000-8000-00000000000a", "-x000000")
        .replace("aaaa0001", "-aaa0001")
        .replace("dddd0002", "-ddd0002");
    let _ = sandbox.write("home/.pi/agent/sessions/--home-ana-projects-weather--/x.jsonl", &dashed);
    let _ = sandbox.write("project/-s.jsonl", &dashed);
    let fork = sandbox.run(["fork", "--at=-ddd0002", "--", "-s.jsonl"]).exits(4);
    let list = "`pitree fork -- -s.jsonl` lists";
    let keep = "`pitree clone --at=-ddd0002 -- -s.jsonl` keeps";
    assert!(fork.stderr.contains(list) && fork.stderr.contains(keep), "{fork:?}");
    let _ = sandbox.run(["clone", "--at=-ddd0002", "--", "-s.jsonl"]).ok();
    let found = sandbox.run(["search", "first", "--json", "--no-index"]).ok().stdout;
    let path = sandbox.home().join(".pi/agent/sessions/--home-ana-projects-weather--/x.jsonl");
    let view = format!("pitree view {} --at=-aaa0001", path.display());
    assert!(found.contains(&view), "{found}");
    let _ = sandbox.run(["view", path.to_str().unwrap(), "--at=-aaa0001"]).ok();
}

#[test]
fn a_pager_that_fails_at_once_hides_nothing() {
    let sandbox = Sandbox::new();
    let many: Vec<String> = (0..80).map(|number| format!("row {number}")).collect();
    let _ = sandbox.write("s.jsonl", &BRANCHED.replace("second answer", &many.join("\\n")));
    let test = "a pager that fails at once";
    let Some(terminal) = Terminal::open(test, &sandbox.home(), &sandbox.project()) else { return };
    let program = env!("CARGO_BIN_EXE_pitree");
    let paged = |pager: &str, number: usize| {
        let show = format!("'{program}' show --mode full ../s.jsonl");
        terminal.run("clear");
        terminal.run(&format!("PAGER=\"{pager}\" {show}; echo ended {number}: $?"));
        let end = format!("ended {number}: 0");
        terminal.wait_until("the end", |screen| screen.lines().any(|line| line == end));
        terminal.screen()
    };
    for (number, pager) in ["false", "sleep 0.3; exit 2"].into_iter().enumerate() {
        let screen = paged(pager, number);
        assert!(screen.contains("row 79"), "{pager}: {screen}");
    }
    // One that has read something has shown what its user wanted to see.
    let screen = paged("head -n 1; exit 3", 9);
    assert!(screen.contains("turn 1") && !screen.contains("row 79"), "{screen}");
}

#[test]
fn an_editor_opens_no_file_that_is_missing() {
    let sandbox = Sandbox::new();
    for path in ["./nosuch.jsonl", "/dev/null", "."] {
        let run = sandbox.run(["open", path]);
        assert!(run.code != Some(0) && run.stdout.is_empty(), "{path}: {run:?}");
    }
}

#[test]
fn what_keeps_screens_from_opening_is_said_with_the_settings() {
    let sandbox = Sandbox::new();
    for (config, wrong) in [
        (r#"{"keys":{"reader.foo":"x"}}"#, "reader.foo"),
        (r#"{"keys":{"picker.up":["ctrl+bogus"]}}"#, "ctrl+bogus"),
        (r#"{"picker":{"start":"sideways"}}"#, "picker"),
    ] {
        sandbox.write("home/.config/pitree/config.json", config);
        let run = sandbox.run(["config"]).exits(3);
        assert!(run.stderr.contains(wrong), "{config}: {run:?}");
    }
}

#[test]
fn without_a_session_all_are_offered() {
    let sandbox = Sandbox::new();
    for verb in [&["check"][..], &["secrets", "scan"]] {
        let run = sandbox.run(verb).exits(2);
        let said = "error: Name a session, or pass `--scope all` for all of them\n";
        assert!(run.stderr.starts_with(said), "{run:?}");
    }
}

#[test]
fn without_a_terminal_the_help_ends_with_the_reason() {
    let run = Sandbox::new().run([""; 0]).exits(2);
    let reason = "The picker needs a terminal; `pitree list` prints the sessions.\n";
    assert!(run.stderr.ends_with(reason), "{run:?}");
}

#[test]
fn an_editor_that_fails_is_named_with_the_file() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    let test = "an editor that fails";
    let Some(terminal) = Terminal::open(test, &sandbox.home(), &sandbox.project()) else { return };
    let program = env!("CARGO_BIN_EXE_pitree");
    let open = |editor: &str, number: usize| {
        terminal.run("clear");
        let open = format!("EDITOR=\"{editor}\" '{program}' open ../s.jsonl");
        terminal.run(&format!("{open}; echo ended {number}: $?"));
        // The command that is typed says the same, with its variable.
        let begin = format!("ended {number}: ");
        let is_end = |line: &str| line.strip_prefix(&begin).is_some_and(|code| code != "$?");
        terminal.wait_until("the end", |screen| screen.lines().any(is_end));
        terminal.screen().replace('\n', "")
    };
    let missing = open("/x/ed -w", 1);
    assert!(missing.contains("error: Cannot start the editor `/x/ed -w`"), "{missing}");
    assert!(missing.contains("hint: set VISUAL or EDITOR; the file is "), "{missing}");
    assert!(missing.contains("ended 1: 127"), "{missing}");
    let failed = open("sh -c 'exit 3'", 2);
    assert!(
        failed.contains("error: The editor `sh -c 'exit 3'` failed with exit code 3"),
        "{failed}"
    );
    let fine = open("echo edited", 3);
    assert!(fine.contains("edited /") && fine.contains("ended 3: 0"), "{fine}");
    assert!(!fine.contains("error: "), "{fine}");
    assert_eq!(fs_err::read_to_string(path).unwrap(), BRANCHED);
}

#[test]
fn the_sample_is_kept_on_demand() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["demo", "--keep", "new/sample"]).ok();
    assert!(run.stderr.contains("pitree list --scope all --session-dir "), "{run:?}");
    let list = ["list", "--scope", "all", "--session-dir", "new/sample"];
    assert_eq!(sandbox.run(list).ok().stdout.lines().count(), 2);
    let again = sandbox.run(["demo", "--keep", "new/sample"]).exits(4);
    assert!(again.stderr.contains("is not empty\nhint: nothing was written"), "{again:?}");
    assert_eq!(files_below(&sandbox.project()).len(), 2);
}
