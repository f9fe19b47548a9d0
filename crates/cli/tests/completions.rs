//! Completion scripts and manual pages name every verb, and the shells take them.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use crate::common::{BRANCHED, Sandbox};
use crate::screens::tmux::Terminal;

#[test]
fn the_scripts_name_every_verb() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.run(["completions", shell]).ok().stdout;
        for verb in sandbox.verbs() {
            assert!(script.contains(&verb), "{shell}: no {verb}");
        }
        assert!(script.contains("session-dir"), "{shell}");
    }
    let _ = sandbox.run(["completions", "csh"]).exits(2);
}

#[test]
fn the_shells_take_their_scripts() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.run(["completions", shell]).ok().stdout;
        let path = sandbox.write(&format!("completion.{shell}"), &script);
        match Command::new(shell).arg("-n").arg(&path).stdin(Stdio::null()).output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(error) => pitree_testkit::tell(&format!(
                "skipped the_shells_take_their_scripts for {shell}: {error}"
            )),
        }
    }
}

/// In zsh's script a colon ends the name of a value, and what completes it follows.
#[test]
fn no_name_of_a_value_breaks_the_script_of_zsh() {
    let script = Sandbox::new().run(["completions", "zsh"]).ok().stdout;
    let options = script.lines().filter(|line| line.starts_with('\''));
    let values: Vec<&str> = options.filter_map(|line| Some(line.rsplit_once("]:")?.1)).collect();
    assert!(values.len() > 50, "{}", values.len());
    for value in values {
        // A value that may be left out has one more colon.
        let (_, action) = value.trim_start_matches(':').split_once(':').expect("an action");
        assert!(action.starts_with(['_', '(']), "{value}");
    }
}

#[test]
fn bash_completes_a_verb() {
    let sandbox = Sandbox::new();
    let script = sandbox.run(["completions", "bash"]).ok().stdout;
    let path = sandbox.write("completion.bash", &script);
    let test = format!(
        "source '{}'; COMP_WORDS=(pitree resu); COMP_CWORD=1; _pitree pitree resu pitree; echo \"${{COMPREPLY[@]}}\"",
        path.display()
    );
    let output = Command::new("bash").args(["--norc", "-c", &test]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "resume");
}

/// A sandbox with three sessions of other directories, the last of which is hostile.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let name = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        format!(
            "{{\"type\":\"session_info\",\"id\":\"n\",\"parentId\":\"dddd0002\",\"name\":{text}}}\n"
        )
    };
    let sessions = [
        ("01a00000-0000-7000-8000-00000000000a", "The first"),
        ("01b00000-0000-7000-8000-00000000000b", "one\u{1b}]0;x\u{7}\ttwo\nthree"),
        ("$(touch bad)", "hostile"),
    ];
    for (number, (id, title)) in sessions.iter().enumerate() {
        let text = BRANCHED.replace("01a00000-0000-7000-8000-00000000000a", id);
        // Each is older than the one before.
        let text = text.replace(":17701591", &format!(":1770159{}", 1 - number.min(1)));
        let path = format!("home/.pi/agent/sessions/--home-ana-projects-weather--/{number}.jsonl");
        let _ = sandbox.write(&path, &(text + &name(title)));
    }
    sandbox
}

/// What the scripts are told.
fn words(sandbox: &Sandbox, words: &[&str]) -> String {
    let run = sandbox.run(["complete-words", "--", "pitree"].iter().chain(words)).ok();
    assert_eq!(run.stderr, "", "{words:?}");
    run.stdout
}

#[test]
fn sessions_entries_and_models_are_offered() {
    let sandbox = sandbox();
    let both = "01a00000\tThe first\n01b00000\tone\u{FFFD}]0;x\u{FFFD} two three\n";
    assert_eq!(words(&sandbox, &["show", ""]), both);
    assert_eq!(words(&sandbox, &["secrets", "scan", "01a"]), "01a00000\tThe first\n");
    let long = "01a00000-0000-7000";
    let whole = "01a00000-0000-7000-8000-00000000000a\tThe first\n";
    assert_eq!(words(&sandbox, &["resume", long]), whole);
    assert_eq!(
        words(&sandbox, &["goto", "01a", ""]),
        "dddd0002\tassistant: second answer\ndddd0001\tuser: second question\n\
         cccc0001\tuser: left behind\nbbbb0001\tassistant: first answer\n\
         aaaa0001\tuser: first question\n"
    );
    assert_eq!(words(&sandbox, &["fork", "01a", "--at", "d"]), "dddd0001\tuser: second question\n");
    assert_eq!(words(&sandbox, &["export", "01a", "--branches", "a"]).lines().count(), 3);
    assert_eq!(words(&sandbox, &["list", "--model", ""]), "p/m\t3 sessions\n");
    assert_eq!(words(&sandbox, &["list", "--model", "m"]), "m\t3 sessions\n");
    assert!(words(&sandbox, &["rpc", "--model", "claude-"]).lines().count() > 1);
    let session = sandbox.write("s.jsonl", BRANCHED);
    let session = session.to_string_lossy();
    assert_eq!(words(&sandbox, &["path", &session, "a"]), "aaaa0001\tuser: first question\n");
}

/// The id of two files means neither of them; their paths do.
#[test]
fn files_with_the_same_id_are_told_apart() {
    let sandbox = sandbox();
    let folder = sandbox.home().join(".pi/agent/sessions/--home-ana-projects-weather--");
    let [one, two] = ["0.jsonl", "copy.jsonl"].map(|name| folder.join(name));
    fs_err::copy(&one, &two).unwrap();
    let said = words(&sandbox, &["show", "01a"]);
    let offered: BTreeSet<&str> = said.lines().collect();
    let expected = [&one, &two].map(|path| format!("{}\tThe first", path.display()));
    assert_eq!(offered, expected.iter().map(String::as_str).collect());
    let path = one.to_str().unwrap();
    assert_eq!(words(&sandbox, &["path", path, "aaa"]), "aaaa0001\tuser: first question\n");
    let Some(mut zsh) = shell(&sandbox, "zsh") else { return };
    let typed = "pitree show 01a00000-0000";
    let _ = sandbox.write("home/.zshrc", ZSHRC);
    let said = output(zsh.args(["-f", "-c", TYPE_INTO_ZSH, "zsh", typed, "copy.jsonl"]));
    let begin = format!("pitree show {}/", folder.display());
    assert_eq!(said.trim_end_matches('\n'), begin);
}

#[test]
fn where_nothing_fits_nothing_is_said() {
    let sandbox = sandbox();
    for nothing in [
        &["show", "x"][..],
        &["show", "./"],
        &["show", "-"],
        &["goto", "no such session", ""],
        &["--session-dir", "/nowhere", "show", ""],
        &["list", ""],
        &[],
    ] {
        assert_eq!(words(&sandbox, nothing), "", "{nothing:?}");
    }
    let damaged = sandbox.path("home/.cache/pitree");
    let _ = fs_err::remove_dir_all(&damaged);
    fs_err::write(&damaged, "not a folder").unwrap();
    assert_eq!(words(&sandbox, &["show", "01a"]), "01a00000\tThe first\n");
    let run = sandbox.run(["complete-words", "--nonsense"]).ok();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn sessions_of_this_directory_come_first() {
    let sandbox = sandbox();
    let here = sandbox.run(["new", "--id", "here-1"]).ok();
    assert!(here.printed_path().is_file());
    assert_eq!(words(&sandbox, &["show", ""]), "here-1\t(no messages)\n");
    assert_eq!(words(&sandbox, &["show", "01a"]), "01a00000\tThe first\n");
}

/// A shell that has the command and the script; `None` if there is no such shell.
fn shell(sandbox: &Sandbox, name: &str) -> Option<Command> {
    let script = sandbox.run(["completions", name]).ok().stdout;
    let script = sandbox.write(&format!("completion.{name}"), &script);
    if Command::new(name).arg("--version").output().is_err() {
        pitree_testkit::tell(&format!("skipped the completion of words in {name}: it is missing"));
        return None;
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_pitree"));
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", program.parent().unwrap().display());
    let mut command = Command::new(name);
    command
        .env_clear()
        .env("HOME", sandbox.home())
        .env("PATH", path)
        .env("TERM", "xterm")
        .env("LC_ALL", "C.UTF-8")
        .env("SCRIPT", script)
        .current_dir(sandbox.project())
        .stdin(Stdio::null());
    Some(command)
}

#[track_caller]
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn bash_completes_words() {
    let sandbox = sandbox();
    let Some(mut bash) = shell(&sandbox, "bash") else { return };
    let ask = r#"
        source "$SCRIPT"
        ask() {
            COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=${2-9} COMPREPLY=()
            read -ra COMP_WORDS <<< "$1"
            [[ "$1" == *' ' ]] && COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _pitree_words pitree "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            (IFS='|'; echo "${COMPREPLY[*]}")
        }
        complete -p pitree
        ask "pitree show "
        ask "pitree show " 37
        ask "pitree show 01a"
        ask "pitree goto '01a' aa"
        ask "pitree fork 01a --at=dd"
        ask "pitree show --mode cos"
        ask "pitree resu"
    "#;
    let said = output(bash.args(["--norc", "-c", ask]));
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains("-F _pitree_words"), "{said}");
    let listed = "01a00000  The first|01b00000  one\u{FFFD}]0;x\u{FFFD} two three";
    let others = ["01a00000|01b00000", "01a00000", "aaaa0001", "dddd0001", "costs", "resume"];
    assert_eq!(lines[1..], [&[listed], &others[..]].concat());
}

#[test]
fn bash_replaces_only_what_is_behind_its_last_cut() {
    let sandbox = Sandbox::new();
    let text = BRANCHED.replace("\"model\":\"m\"", "\"model\":\"qwen3:8b\"");
    let _ = sandbox.write("home/.pi/agent/sessions/--home-ana--/s.jsonl", &text);
    let ask = |line: &str, breaks: &str| {
        sandbox.run(["complete-words", "--line", line, breaks]).ok().stdout
    };
    assert_eq!(ask("pitree list --model qwen3:", " :="), "8b\t1 session\n");
    assert_eq!(ask("pitree list --model qwen3:", " "), "qwen3:8b\t1 session\n");
    assert_eq!(ask("pitree list --model=qwen3:8", " :="), "8b\t1 session\n");
    assert_eq!(ask("pitree list --model=q", " :="), "qwen3:8b\t1 session\n");
}

#[test]
fn fish_completes_words() {
    let sandbox = sandbox();
    let Some(mut fish) = shell(&sandbox, "fish") else { return };
    let ask = r#"
        source $SCRIPT
        for line in "pitree show " "pitree goto 01a aa" "pitree fork 01a --at d" "pitree list --model " "pitree show ../comp" "pitree resu"
            complete -C $line
        end
    "#;
    let said = output(fish.args(["--no-config", "-c", ask]));
    let lines: Vec<&str> = said.lines().collect();
    let expected = [
        "01a00000\tThe first",
        "01b00000\tone\u{FFFD}]0;x\u{FFFD} two three",
        "aaaa0001\tuser: first question",
        "dddd0001\tuser: second question",
        "p/m\t3 sessions",
        "../completion.fish",
        "resume\tResume a session in Pi",
    ];
    assert_eq!(lines, expected);
}

/// A zsh that says what is on its line when Ctrl+X is typed.
const ZSHRC: &str = "PS1='ready> '\nautoload -Uz compinit\ncompinit -D -u\nsetopt no_list_ambiguous\nsource \"$SCRIPT\"\n\
     report() { print -rn -- \"line=<$BUFFER>end\" }\nzle -N report\nbindkey '^X' report\n";

/// Types into a zsh on a terminal of its own, presses Tab, and gives what is on the line then.
const TYPE_INTO_ZSH: &str = r#"
    zmodload zsh/zpty
    zpty shell zsh -i
    seen=
    wait_for() {
        local -i tries=0
        while (( tries++ < 600 )); do
            zpty -rt shell chunk && seen+=$chunk
            [[ $seen == *$1* ]] && return
            sleep 0.05
        done
        print -r -- "never: $1 in $seen"
        exit 1
    }
    wait_for 'ready>'
    zpty -wn shell "$1"$'\t'
    wait_for "$2"
    zpty -wn shell $'\x18'
    wait_for '>end'
    print -r -- "${${seen##*line=<}%%>end*}"
"#;

#[test]
fn zsh_completes_words() {
    let sandbox = sandbox();
    let _ = sandbox.write("home/.zshrc", ZSHRC);
    for (typed, seen, line) in [
        ("pitree show ", "The first", "pitree show 01"),
        ("pitree show 01a", "01a00000", "pitree show 01a00000 "),
        ("pitree goto 01a aa", "aaaa0001", "pitree goto 01a aaaa0001 "),
        ("pitree fork 01a --at=d", "dddd0001", "pitree fork 01a --at=dddd0001 "),
        ("pitree list --model ", "p/m", "pitree list --model p/m "),
        ("pitree show ../completion.z", "completion.zsh", "pitree show ../completion.zsh "),
    ] {
        let Some(mut zsh) = shell(&sandbox, "zsh") else { return };
        let said = output(zsh.args(["-f", "-c", TYPE_INTO_ZSH, "zsh", typed, seen]));
        assert_eq!(said.trim_end_matches('\n'), line, "{typed}");
    }
}

#[test]
fn the_manual_page_names_every_verb_and_has_a_page_for_each() {
    let sandbox = Sandbox::new();
    let page = sandbox.run(["man"]).ok().stdout;
    assert!(page.contains(".TH pitree 1"), "{page}");
    for verb in sandbox.verbs() {
        assert!(page.contains(&format!("pitree\\-{verb}(1)")), "no {verb} in {page}");
        let own = sandbox.run(["man", &verb]).ok().stdout;
        assert!(own.contains(&format!(".TH pitree-{verb} 1")), "{own}");
    }
    let _ = sandbox.run(["man", "nonsense"]).exits(2);
}

/// The key itself, in an interactive bash on a terminal.
#[test]
fn tab_completes_in_bash() {
    let sandbox = sandbox();
    let Some(bash) = shell(&sandbox, "bash") else { return };
    let Some(terminal) =
        Terminal::open("tab_completes_in_bash", &sandbox.home(), &sandbox.project())
    else {
        return;
    };
    let variable = |name: &str| {
        let found = bash.get_envs().find(|(key, _)| *key == name);
        found.unwrap().1.unwrap().to_str().unwrap().to_owned()
    };
    terminal.run(&format!("PATH='{}' exec bash --norc --noprofile", variable("PATH")));
    terminal.run(&format!("PS1='% '; source '{}'; clear", variable("SCRIPT")));
    terminal.wait_until("a prompt", |screen| screen.trim_end() == "%");
    for (typed, completed) in [
        ("pitree resu", "% pitree resume "),
        ("pitree show 01b", "% pitree show 01b00000 "),
        ("pitree export 01a --form", "% pitree export 01a --format "),
        ("pitree goto 01a d", "% pitree goto 01a dddd000"),
    ] {
        terminal.type_text(typed);
        terminal.wait_for(typed);
        terminal.press("Tab");
        // What is typed next shows where the cursor is by then.
        terminal.type_text("|");
        terminal.wait_for(&format!("{completed}|"));
        terminal.press("C-u");
        terminal.wait_until("an empty line", |screen| screen.trim_end().ends_with('%'));
    }
    assert!(!sandbox.project().join("bad").exists());
}
