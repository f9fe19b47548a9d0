//! What the command prints on a terminal: colors, and the pager for what is longer than the screen.

use std::time::Duration;

use crate::common::Sandbox;
use crate::screens::picker::{GO, Home};
use crate::screens::tmux::Terminal;

/// Runs a command where nothing is left of the one before.
fn run_on_clear_screen(terminal: &Terminal, command: &str) {
    terminal.run("clear");
    terminal.wait_until("a prompt and nothing else", |screen| screen.trim() == "$");
    terminal.run(command);
}

/// A session of so many messages.
fn long_session(home: &Home, messages: usize) {
    let mut text =
        "{\"type\":\"session\",\"version\":3,\"id\":\"s-long\",\"cwd\":\"/x\"}\n".to_owned();
    for at in 0..messages {
        let parent = match at {
            0 => "null".to_owned(),
            _ => format!("\"m{}\"", at - 1),
        };
        text.push_str(&format!(
            "{{\"type\":\"message\",\"id\":\"m{at}\",\"parentId\":{parent},\"message\":{{\"role\":\"user\",\"content\":\"message number {at}\",\"timestamp\":1770159127000}}}}\n"
        ));
    }
    fs_err::write(home.session_file("s-long"), text).unwrap();
}

#[test]
fn less_shows_what_is_longer_than_the_screen() {
    if std::process::Command::new("less").arg("-V").output().is_err() {
        pitree_testkit::tell("skipped less_shows_what_is_longer_than_the_screen: no `less`");
        return;
    }
    let home = Home::new();
    long_session(&home, 5000);
    let Some(terminal) = home.terminal("less_shows_what_is_longer") else { return };
    run_on_clear_screen(&terminal, &format!("{GO} path s-long"));
    terminal.wait_for("message number 5");
    // Ctrl+C is for the pager, which stays.
    terminal.press("C-c");
    // It throws away what was typed ahead of that.
    for _ in 0..50 {
        terminal.press("G");
        std::thread::sleep(Duration::from_millis(100));
        if terminal.screen().contains("message number 4999") {
            break;
        }
    }
    terminal.wait_for("message number 4999");
    terminal.press("q");
    terminal.wait_for("ended with 0").wait_for("as it was");
    // The user who leaves early has seen enough.
    run_on_clear_screen(&terminal, &format!("{GO} cat s-long"));
    terminal.wait_for("message number 2");
    terminal.press("q");
    terminal.wait_for("ended with 0");
    assert!(!terminal.screen().contains("4999"), "{}", terminal.screen());
}

#[test]
fn the_users_pager_is_asked_through_the_shell() {
    let home = Home::new();
    long_session(&home, 40);
    home.program("mypager", "echo \"paged $1 LESS=$LESS\"; sed -n '$p'");
    let Some(terminal) = home.terminal("the_users_pager") else { return };
    let ended = |command: &str| {
        run_on_clear_screen(&terminal, command);
        terminal.wait_for("ended with ");
        terminal.screen()
    };
    let paged = ended(&format!("PAGER='mypager \"a b\" | cat' {GO} path s-long"));
    assert!(paged.contains("paged a b LESS=FRX"), "{paged}");
    assert!(paged.contains("message number 39") && !paged.contains("number 38"), "{paged}");
    let own = ended(&format!("PITREE_PAGER='mypager own' PAGER=false LESS=R {GO} path s-long"));
    assert!(own.contains("paged own LESS=R"), "{own}");
    for verb in ["list --scope all", "path s-one", "tree --print s-one", "search login"] {
        let short = ended(&format!("PAGER=mypager {GO} {verb}"));
        assert!(!short.contains("paged"), "{verb} fits the screen: {short}");
    }
    for verb in ["show --mode full", "tree --print", "entries", "cat", "check", "context"] {
        let wanted = verb != "check";
        let screen = ended(&format!("PAGER=mypager {GO} {verb} s-long"));
        assert_eq!(screen.contains("paged"), wanted, "{verb}: {screen}");
    }
    for none in [
        format!("PAGER=mypager {GO} --no-pager path s-long"),
        format!("PAGER=mypager {GO} --json entries s-long"),
        format!("PAGER= {GO} path s-long"),
        format!("PAGER=cat {GO} path s-long"),
        format!("PITREE_PAGER=cat PAGER=mypager {GO} path s-long"),
    ] {
        let screen = ended(&none);
        assert!(screen.contains("message number 39"), "{none}: {screen}");
        assert!(screen.contains("ended with 0") && !screen.contains("paged"), "{none}: {screen}");
    }
}

#[test]
fn a_pager_that_is_not_there_is_left_out() {
    let home = Home::new();
    long_session(&home, 3000);
    let Some(terminal) = home.terminal("a_pager_that_is_not_there") else { return };
    run_on_clear_screen(&terminal, &format!("PAGER='no-such-pager -x' {GO} path s-long"));
    terminal.wait_for("ended with ");
    let screen = terminal.screen();
    assert!(screen.contains("message number 2999"), "{screen}");
    assert!(screen.contains("message number 2985"), "{screen}");
    assert!(screen.contains("ended with 0"), "{screen}");
    // One that fails or reads nothing has been started; what it does is its own affair.
    run_on_clear_screen(&terminal, &format!("PAGER=true {GO} cat s-long"));
    terminal.wait_for("ended with 0");
    assert!(!terminal.screen().contains("message"), "{}", terminal.screen());
}

#[test]
fn remarks_and_errors_come_after_the_pager() {
    let home = Home::new();
    long_session(&home, 40);
    home.program("mypager", "sed -n '$p'; sleep 0.2; echo 'pager done'");
    let Some(terminal) = home.terminal("remarks_and_errors") else { return };
    run_on_clear_screen(&terminal, &format!("PAGER=mypager {GO} search message --limit 20"));
    terminal.wait_for("ended with 0");
    let screen = terminal.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("no {text}: {screen}"));
    assert!(at("pager done") < at("20 of 40 matches"), "{screen}");
    let many = ["s-long"; 12].join(" ");
    run_on_clear_screen(&terminal, &format!("PAGER=mypager {GO} check {many} s-none"));
    terminal.wait_for("ended with 1");
    let screen = terminal.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("no {text}: {screen}"));
    assert!(at("pager done") < at("error: "), "{screen}");
}

#[test]
fn tables_are_as_wide_as_the_terminal() {
    let home = Home::new();
    let (long, cwd) = ("漢字 and a title that goes on ".repeat(8), home.path("project"));
    let encoded = cwd.to_str().unwrap().replace('/', "-");
    let folder = home.path(&format!(".pi/agent/sessions/-{encoded}--"));
    fs_err::create_dir_all(&folder).unwrap();
    for (id, name) in [("1a0000", long.as_str()), ("2b0000", "short")] {
        let usage = r#""usage":{"input":1,"output":2,"cost":{"total":12.5}}"#;
        let cwd = cwd.display();
        let text = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}00-0000-7000-8000-00000000000a\",\"cwd\":\"{cwd}\"}}\n\
             {{\"type\":\"session_info\",\"id\":\"n0000001\",\"parentId\":null,\"name\":\"{name}\"}}\n\
             {{\"type\":\"message\",\"id\":\"m0000001\",\"parentId\":\"n0000001\",\"message\":{{\"role\":\"user\",\"content\":\"{long} needle {long}\",\"timestamp\":1770159127000}}}}\n\
             {{\"type\":\"message\",\"id\":\"m0000002\",\"parentId\":\"m0000001\",\"timestamp\":\"2026-02-03T22:52:08.000Z\",\"message\":{{\"role\":\"assistant\",\"content\":[],\"provider\":\"p\",\"model\":\"a-model-of-{id}\",{usage},\"timestamp\":1770159128000}}}}\n"
        );
        fs_err::write(folder.join(format!("{id}.jsonl")), text).unwrap();
    }
    let Some(terminal) = home.terminal("tables_are_as_wide") else { return };
    let pitree = env!("CARGO_BIN_EXE_pitree");
    for columns in [40, 80, 120] {
        terminal.resize(columns, 40);
        for (verb, seen) in [
            ("list --scope all", "漢字"),
            ("list", "漢字"),
            ("search needle", "needle"),
            ("cost --by session", "漢字 and"),
            ("cost --by session --models", "漢字 and"),
            ("cost --by day --budget 1/day", "2026-02-03"),
            ("cost --by day", "2026-02-03"),
        ] {
            run_on_clear_screen(
                &terminal,
                &format!("{pitree} --no-pager {verb}; echo 'ended' now"),
            );
            terminal.wait_for("ended now");
            // Lines that were wrapped are joined again, and then are wider than the terminal.
            let screen = terminal.joined_screen();
            let (before, _) = screen.rsplit_once("ended now").unwrap();
            let after = before.split_once("ended' now").map_or(before, |(_, after)| after);
            assert!(after.contains(seen), "{columns} {verb}: {screen}");
            for line in after.lines() {
                let wide = pitree_tui::text::width(line);
                assert!(wide <= columns.into(), "{columns} {verb}: {wide}: {line}");
            }
        }
    }
    // Where there is no terminal, nothing is cut.
    for verb in ["list", "search needle", "cost --by session"] {
        run_on_clear_screen(&terminal, &format!("{pitree} {verb} >../out; echo 'ended' now"));
        terminal.wait_for("ended now");
        let text = fs_err::read_to_string(home.path("out")).unwrap();
        assert!(text.contains(long.trim()), "{verb}: {text}");
    }
}

#[test]
fn titles_stay_beside_long_ids() {
    let home = Home::new();
    fs_err::remove_dir_all(home.path("sessions")).unwrap();
    fs_err::create_dir(home.path("sessions")).unwrap();
    // Two files have one id, two ids differ in their last character.
    let ids = [("1a000000", 'a'), ("1a000000", 'a'), ("2b000000", 'a'), ("2b000000", 'b')];
    for (number, (begin, end)) in ids.into_iter().enumerate() {
        let id = format!("{begin}-0000-7000-8000-00000000000{end}");
        let text = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"cwd\":\"/x\"}}\n\
             {{\"type\":\"session_info\",\"id\":\"n\",\"parentId\":null,\"name\":\"Title of file {number}\"}}\n"
        );
        fs_err::write(home.session_file(&format!("{number}")), text).unwrap();
    }
    let Some(terminal) = home.terminal("titles_stay_beside_long_ids") else { return };
    for columns in [40, 60] {
        terminal.resize(columns, 40);
        run_on_clear_screen(&terminal, &format!("{GO} list --scope all"));
        terminal.wait_for("ended with 0");
        let screen = terminal.screen();
        assert_eq!(screen.matches("  Title of fi").count(), 4, "{screen}");
        assert_eq!(screen.matches("  1a000000*  ").count(), 2, "{screen}");
        let ends = screen.lines().filter(|line| line.contains("2b0000"));
        let shown: Vec<&str> = ends.filter_map(|line| line.split_whitespace().nth(1)).collect();
        assert!(shown.len() == 2 && shown[0] != shown[1], "{screen}");
        let joined = terminal.joined_screen();
        assert!(joined.contains("* another file has the same id; use the path: "), "{joined}");
    }
}

#[test]
fn colors_are_decided_in_one_place() {
    let home = Home::new();
    let Some(terminal) = home.terminal("colors_are_decided") else { return };
    for (variables, options, colors) in [
        ("", "", true),
        ("NO_COLOR=1", "", false),
        ("NO_COLOR=", "", true),
        ("TERM=dumb", "", false),
        ("TERM=dumb CLICOLOR_FORCE=1", "", true),
        ("NO_COLOR=1 CLICOLOR_FORCE=1", "", false),
        ("NO_COLOR=1", "--color always", true),
        ("", "--color=never", false),
        ("CLICOLOR_FORCE=1", "--color never", false),
        ("CLICOLOR_FORCE=1", "--json", false),
        ("", "--json --color always", false),
    ] {
        run_on_clear_screen(&terminal, &format!("{variables} {GO} {options} path s-one"));
        terminal.wait_for("as it was");
        let screen = terminal.colored_screen();
        assert_eq!(screen.contains('\u{1b}'), colors, "{variables} {options}: {screen:?}");
    }
}

#[test]
fn links_are_for_terminals_that_take_them() {
    let home = Home::new();
    let hostile = "/x/\u{1b}]8;;http://evil\u{7}\u{1b}\\ y";
    let header = serde_json::json!({
        "type": "session", "version": 3, "id": "s-evil", "cwd": hostile,
        "timestamp": "2026-02-03T22:52:06.410Z",
    });
    let said = serde_json::json!({
        "type": "message", "id": "a", "parentId": null,
        "message": {"role": "user", "content": "evil \u{1b}]8;;http://evil\u{1b}\\click"},
    });
    fs_err::write(home.session_file("s-evil"), format!("{header}\n{said}\n")).unwrap();
    let Some(terminal) = home.terminal("links_are_for_terminals") else { return };
    terminal.resize(200, 40);
    let record = home.path("record");
    let sent = |command: &str| {
        run_on_clear_screen(&terminal, "true");
        terminal.record(&record);
        terminal.run(command);
        terminal.wait_for("ended with ");
        // The pipe is a process of its own.
        let mut text = String::new();
        for _ in 0..200 {
            text = String::from_utf8_lossy(&fs_err::read(&record).unwrap_or_default()).into();
            if text.contains("as it was") {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(text.contains("ended with 0"), "{command}: {text:?}");
        text
    };
    let file = |id: &str| format!("\u{1b}]8;;file://{}\u{1b}\\", home.session_file(id).display());
    let cwd = "\u{1b}]8;;file:///x/%1B%5D8%3B%3Bhttp%3A//evil%07%1B%5C%20y\u{1b}\\";
    for verb in ["list --scope all", "search evil", "show s-evil"] {
        let text = sent(&format!("VTE_VERSION=7600 {GO} {verb}"));
        assert!(text.contains(&format!("{}s-evil", file("s-evil"))), "{verb}: {text:?}");
        assert!(text.contains(cwd), "{verb}: {text:?}");
        assert!(!text.contains("\u{1b}]8;;http"), "{verb}: {text:?}");
        // Every link has an end.
        let links = text.matches("\u{1b}]8;;").count();
        assert_eq!(links, 2 * text.matches("\u{1b}]8;;\u{1b}\\").count(), "{verb}: {text:?}");
    }
    for (variables, options) in [
        ("", ""),
        ("VTE_VERSION=4200", ""),
        ("VTE_VERSION=7600 NO_COLOR=1", ""),
        ("VTE_VERSION=7600 TERM=dumb", ""),
        ("VTE_VERSION=7600", "--color never"),
        ("VTE_VERSION=7600", "--json"),
        ("VTE_VERSION=7600 TERM=dumb", "--color always"),
    ] {
        let text = sent(&format!("{variables} {GO} {options} list --scope all"));
        assert!(!text.contains("\u{1b}]8"), "{variables} {options}: {text:?}");
    }
    // Neither a pipe nor a pager gets them.
    let piped = sent(&format!("VTE_VERSION=7600 {GO} --color always list --scope all | cat"));
    assert!(piped.contains("s-evil") && !piped.contains("\u{1b}]8"), "{piped:?}");
    terminal.resize(200, 4);
    home.program("mypager", "cat -v | grep s-");
    let paged = sent(&format!("VTE_VERSION=7600 PAGER=mypager {GO} list --scope all"));
    assert!(paged.contains("s-evil") && !paged.contains("^[]8"), "{paged:?}");
}

#[test]
fn colors_go_into_a_pipe_only_if_asked() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("s.jsonl", crate::common::BRANCHED);
    let file = file.to_str().unwrap();
    let colored = |options: &[&str], variables: &[(&str, &str)]| {
        let call = sandbox.call(options.iter().copied().chain(["path", file]));
        let call = variables.iter().fold(call, |call, (name, value)| call.env(name, *value));
        call.run().ok().stdout.contains('\u{1b}')
    };
    assert!(!colored(&[], &[]));
    assert!(colored(&["--color", "always"], &[("NO_COLOR", "1"), ("TERM", "dumb")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&["--json", "--color", "always"], &[]));
    let wrong = sandbox.run(["--color", "sometimes", "path", file]).exits(2);
    assert!(wrong.stderr.contains("[possible values: auto, always, never]"), "{}", wrong.stderr);
}

#[test]
fn the_editor_is_asked_through_the_shell() {
    let home = Home::new();
    home.program("edit", "echo \"edits $1 and $2\"; exit 7");
    let Some(terminal) = home.terminal("the_editor_is_asked") else { return };
    run_on_clear_screen(&terminal, &format!("EDITOR='edit -w' {GO} open s-one"));
    terminal.wait_for("ended with 7");
    let screen = terminal.joined_screen();
    assert!(screen.contains("edits -w and /") && screen.contains("s-one.jsonl"), "{screen}");
    run_on_clear_screen(&terminal, &format!("VISUAL=edit EDITOR=false {GO} open s-one"));
    terminal.wait_for("ended with 7");
    run_on_clear_screen(&terminal, &format!("{GO} open s-one"));
    terminal.wait_for("ended with 0");
    let screen = terminal.joined_screen();
    assert!(screen.contains("no editor: set `VISUAL` or `EDITOR`"), "{screen}");
    assert!(screen.contains("/s-one.jsonl\n"), "{screen}");
}

#[test]
fn the_terminal_takes_what_is_copied() {
    let home = Home::new();
    let Some(terminal) = home.terminal("the_terminal_takes") else { return };
    terminal.accept_clipboard();
    run_on_clear_screen(&terminal, &format!("{GO} copy s-one --at a"));
    terminal.wait_for("ended with 0");
    let screen = terminal.screen();
    assert!(screen.contains("sent a to the terminal's clipboard"), "{screen}");
    assert_eq!(terminal.clipboard(), "fix the login page");
}

#[test]
fn tmux_takes_what_is_copied_with_its_default_settings() {
    let home = Home::new();
    let Some(terminal) = home.terminal("tmux_takes") else { return };
    let variable = terminal.tmux_variable();
    run_on_clear_screen(&terminal, &format!("TMUX='{variable}' {GO} copy s-one --at a"));
    terminal.wait_for("ended with 0");
    let screen = terminal.joined_screen();
    assert!(screen.contains("copied a to tmux's buffer and the clipboard"), "{screen}");
    assert_eq!(terminal.clipboard(), "fix the login page");
    // One that cannot do it leaves it to the terminal.
    home.program("tmux", "echo 'unknown flag -w' >&2; exit 1");
    run_on_clear_screen(&terminal, &format!("TMUX='{variable}' {GO} copy s-one --at a"));
    terminal.wait_for("ended with 0");
    let screen = terminal.joined_screen();
    assert!(screen.contains("`tmux` failed with exit code 1: unknown flag -w"), "{screen}");
    assert!(screen.contains("sent a to the terminal's clipboard"), "{screen}");
}

#[test]
fn the_reader_copies_within_tmux_with_its_default_settings() {
    let home = Home::new();
    let Some(terminal) = home.terminal("reader_in_tmux") else { return };
    let variable = terminal.tmux_variable();
    run_on_clear_screen(&terminal, &format!("TMUX='{variable}' {GO} view s-one --at a"));
    terminal.wait_for("› ▌ fix the login page").press("y");
    terminal.wait_for("The message was copied to tmux's buffer and the clipboard");
    assert_eq!(terminal.clipboard(), "fix the login page");
    terminal.press("q").wait_for("ended with 0");
    // One that cannot do it leaves it to the terminal.
    home.program("tmux", "echo 'unknown flag -w' >&2; exit 1");
    run_on_clear_screen(&terminal, &format!("TMUX='{variable}' {GO} view s-one --at a"));
    terminal.wait_for("› ▌ fix the login page").press("y");
    terminal.wait_for("sent to the terminal's clipboard; `tmux` failed with exit code");
    terminal.press("q").wait_for("ended with 0");
}
