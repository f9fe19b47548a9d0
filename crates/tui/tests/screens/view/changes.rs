//! What changes the session: messages, shell commands, new sessions, deletion, Pi.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use pitree_tui::app::Step;
use pitree_tui::screen::{Ending, Event};
use pitree_tui::state::AppState;

use super::{Home, answer, lines_of, run, user, view_of};
use crate::screens::harness::{Driven, NOW_MS, SMALL};

fn home() -> Home {
    Home::with(&[user("first question"), answer("first answer")])
}

fn sessions(home: &Home) -> Vec<PathBuf> {
    let folder = fs_err::read_dir(home.sessions()).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_message_is_saved_once_and_the_view_says_what_next() {
    let home = home();
    let mut driven = home.view(SMALL);
    driven.type_text("go");
    driven.press("Alt+Enter");
    driven.type_text("on");
    driven.wait_for("$0.01");
    driven.press("Enter");
    driven.wait_for("3 entries");
    driven.snapshot("view-saved");
    let lines = home.lines();
    assert_eq!(lines.len(), 4);
    let message = &lines[3]["message"];
    assert_eq!(message["role"], "user");
    assert_eq!(message["content"][0]["text"], "go\non");
    assert_eq!(lines[3]["parentId"], lines[2]["id"]);
}

#[test]
fn there_are_four_ways_to_a_new_line() {
    let home = home();
    let mut driven = home.view(SMALL);
    for (at, keys) in ["Shift+Enter", "Alt+Enter", "Ctrl+j", "\\ Enter"].iter().enumerate() {
        driven.type_text(&at.to_string());
        driven.press(keys);
    }
    driven.type_text("4");
    driven.press("Enter");
    assert_eq!(home.lines()[3]["message"]["content"][0]["text"], "0\n1\n2\n3\n4");
}

#[test]
fn a_file_that_cannot_be_written_keeps_the_message_in_the_editor() {
    let home = home();
    let mut driven = home.view(SMALL);
    // Somebody has put another file there.
    fs_err::write(&home.file, "no session\n").unwrap();
    driven.type_text("precious words");
    driven.press("Enter");
    assert!(driven.text().contains("› precious words"), "{}", driven.text());
}

#[test]
fn the_reason_of_an_error_is_seen_behind_a_long_path() {
    let home = home();
    let mut driven = home.view(SMALL);
    fs_err::write(&home.file, "no session\n").unwrap();
    driven.type_text("precious words");
    driven.press("Enter");
    driven.wait_until("the reason", |screen| {
        let words: String = screen.split_whitespace().collect();
        words.contains(".jsonlchangedinanunexpectedway:")
    });
}

#[test]
fn the_footer_names_the_session_by_what_is_its_own() {
    let home = home();
    let text = fs_err::read_to_string(&home.file).unwrap();
    for (id, file) in [
        ("0190aaaa-1111", home.file.clone()),
        ("0190aaaa-1112", home.sessions().join("2026-02-03T22-00-00-000Z_0190aaaa-1112.jsonl")),
    ] {
        fs_err::write(file, text.replace("\"0190aaaa\"", &format!("\"{id}\""))).unwrap();
    }
    let mut driven = home.view(SMALL);
    driven.wait_for("session 0190aaaa-1111 ");
}

#[test]
fn shell_commands_need_leave() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "!echo hi");
    assert!(driven.text().contains("Shell commands are turned off"), "{}", driven.text());
    assert!(driven.text().contains("› !echo hi"));
    assert_eq!(home.lines().len(), 3);
}

#[test]
fn shell_commands_are_stored() {
    let home = home();
    let mut state = home.state();
    state.allowed.bash = true;
    let mut driven = view_of(state, SMALL);
    run(&mut driven, "!echo hi; exit 3");
    driven.wait_for("exit code 3");
    run(&mut driven, "!!pwd");
    driven.wait_for("kept from the model");
    let lines = home.lines();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[3]["message"]["output"], "hi\n");
    assert_eq!(lines[3]["message"]["exitCode"], 3);
    assert!(lines[3]["message"].get("excludeFromContext").is_none());
    assert_eq!(lines[4]["message"]["excludeFromContext"], true);
    run(&mut driven, "!echo begun; sleep 60");
    driven.wait_for("begun");
    driven.type_text("meanwhile");
    driven.press("Enter");
    assert!(driven.text().contains("Wait: running"), "{}", driven.text());
    driven.press("Esc");
    driven.wait_for("cancelled");
    assert_eq!(home.lines()[5]["message"]["cancelled"], true);
}

#[test]
fn a_new_session_and_a_clone() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/clone");
    assert!(driven.text().contains("This is the clone."), "{}", driven.text());
    assert!(driven.text().contains("first answer"));
    let files = sessions(&home);
    assert_eq!(files.len(), 2);
    let clone = files.iter().find(|file| **file != home.file).unwrap();
    assert_eq!(lines_of(clone)[0]["parentSession"], home.file.to_str().unwrap());
    run(&mut driven, "/new");
    assert!(!driven.text().contains("first answer"), "{}", driven.text());
    assert_eq!(sessions(&home).len(), 2, "no file before the first message");
    driven.type_text("hello");
    driven.press("Enter");
    assert_eq!(sessions(&home).len(), 3);
}

#[test]
fn imports_are_asked_about() {
    let home = home();
    let other = Home::with(&[user("from elsewhere")]);
    let text = fs_err::read_to_string(&other.file).unwrap();
    let cwd = home.path().join("project");
    let text = text.replace(other.path().join("project").to_str().unwrap(), cwd.to_str().unwrap());
    let source = cwd.join("other.jsonl");
    fs_err::write(&source, &text).unwrap();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/import nowhere.jsonl");
    assert!(driven.text().contains("File not found: "), "{}", driven.text());
    run(&mut driven, "/import other.jsonl");
    driven.press("x n");
    assert_eq!(sessions(&home).len(), 1);
    run(&mut driven, "/import other.jsonl");
    driven.press("y");
    assert!(driven.text().contains("from elsewhere"), "{}", driven.text());
    assert_eq!(sessions(&home).len(), 2);
    assert_eq!(fs_err::read_to_string(&source).unwrap(), text);
    // A session whose directory is gone is asked about once more.
    fs_err::write(&source, text.replace(cwd.to_str().unwrap(), "/home/ana/gone")).unwrap();
    run(&mut driven, "/import other.jsonl");
    driven.press("y");
    assert!(driven.text().contains("Its directory does not exist."), "{}", driven.text());
    driven.press("y");
    assert!(driven.text().contains("Imported to"), "{}", driven.text());
    assert_eq!(sessions(&home).len(), 3);
}

/// A `trash` command that moves files to a folder.
fn with_trash(home: &Home) -> Driven {
    let (script, trash) = (home.path().join("trash.sh"), home.path().join("trash"));
    fs_err::create_dir(&trash).unwrap();
    fs_err::write(&script, format!("#!/bin/sh\nmv \"$@\" '{}'\n", trash.display())).unwrap();
    fs_err::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let mut state = home.state();
    state.allowed.trash_command = Some(script);
    view_of(state, SMALL)
}

#[test]
fn a_session_is_deleted_with_y_and_not_with_n_or_esc() {
    let home = home();
    let mut driven = with_trash(&home);
    for key in ["n", "Esc", "Ctrl+c"] {
        run(&mut driven, "/delete");
        assert!(driven.text().contains("to the trash"), "{}", driven.text());
        driven.press(key);
        assert!(driven.text().contains("Nothing was changed."), "{}", driven.text());
        assert!(home.file.exists());
    }
    run(&mut driven, "/delete");
    driven.press("Enter");
    assert!(driven.text().contains("to the trash"), "{}", driven.text());
    assert!(home.file.exists(), "Enter does not confirm a deletion");
    driven.press("y");
    driven.wait_for("Deleted. This is a new session.");
    assert!(!home.file.exists());
    assert!(home.path().join("trash").join(home.file.file_name().unwrap()).exists());
    assert!(!driven.text().contains("first answer"));
}

#[test]
fn what_cannot_be_undone_needs_the_key_for_yes() {
    let home = home();
    let mut driven = view_of(home.state(), SMALL);
    run(&mut driven, "/delete");
    driven.press("y");
    driven.wait_for("permanently?");
    driven.press("Enter");
    assert!(driven.text().contains("permanently?"), "{}", driven.text());
    driven.press("y");
    driven.wait_for("Deleted. This is a new session.");
    assert!(!home.file.exists());
}

#[test]
fn a_file_that_another_program_deletes_or_spoils_is_reported_until_it_is_back() {
    let home = home();
    let mut driven = home.view(SMALL);
    fs_err::remove_file(&home.file).unwrap();
    driven.wait_for("file deleted; saving writes it again");
    driven.type_text("once more");
    driven.press("Enter");
    driven.wait_for("Saved.");
    driven.wait_until("back", |screen| !screen.contains("file deleted"));
    assert_eq!(lines_of(&home.file).len(), 4);
    fs_err::write(&home.file, "spoilt\n").unwrap();
    driven.wait_for("the file was changed and cannot be read");
    fs_err::remove_file(&home.file).unwrap();
    for _ in 0..200 {
        std::thread::sleep(std::time::Duration::from_millis(2));
        driven.event(&Event::ThreadMessages);
        assert!(driven.text().contains("the file was changed and cannot be read"));
    }
}

#[test]
fn a_session_that_changed_just_now_is_asked_about_again() {
    let home = home();
    let file = fs_err::File::options().append(true).open(&home.file).unwrap();
    let now = std::time::UNIX_EPOCH + std::time::Duration::from_millis(NOW_MS as u64);
    file.set_modified(now).unwrap();
    let mut driven = with_trash(&home);
    run(&mut driven, "/delete");
    driven.press("y");
    driven.wait_for("It changed within the last minute.");
    driven.press("n");
    assert!(driven.text().contains("first answer"), "back in the session: {}", driven.text());
    assert!(home.file.exists());
    run(&mut driven, "/delete");
    driven.press("y");
    driven.wait_for("It changed within the last minute.");
    driven.press("y");
    driven.wait_for("Deleted.");
    assert!(!home.file.exists());
}

#[test]
fn pi_gets_the_session_and_the_view_goes_on_where_it_stood() {
    let home = home();
    let mut driven = home.view(SMALL);
    driven.press("Ctrl+o");
    assert!(driven.text().contains("`pi` was not found on PATH"), "{}", driven.text());
    let mut state = home.state();
    state.allowed.pi = Some("/usr/bin/pi".into());
    // A move that only this process knows of.
    let first = "00000000";
    state.live.as_mut().unwrap().session_mut().branch(first).unwrap();
    let mut driven = view_of(state, SMALL);
    assert!(driven.text().contains("not at the saved position"), "{}", driven.text());
    driven.press("Ctrl+o");
    let Step::Run(program) = &driven.step else { panic!("{:?}", driven.step) };
    assert_eq!(program.arguments, ["--session".as_ref(), home.file.as_os_str()]);
    assert_eq!(program.directory, home.path().join("project"));
    let marker = home.lines().pop().unwrap();
    assert_eq!(marker["customType"], "pitree.leaf");
    assert_eq!(marker["parentId"], first);
    // Pi is replying elsewhere.
    home.append(1, &answer("Pi was here."));
    driven.event(&Event::Returned(Ok(std::process::ExitStatus::default())));
    assert!(driven.text().contains("Pi was here."), "{}", driven.text());
    assert!(driven.text().contains("The position was saved for Pi."), "{}", driven.text());
}

/// Pi 1.5.0 answers the message with which it is started, and does not answer one that the session
/// ends with.
#[test]
fn what_is_typed_goes_to_pi_and_stays_here_unless_pi_took_it() {
    let home = home();
    let mut state = home.state();
    state.allowed.pi = Some("/usr/bin/pi".into());
    let mut driven = view_of(state, SMALL);
    assert!(driven.text().contains("Ctrl+O sends it to Pi, Enter only saves it"));
    let hands = |driven: &mut Driven, typed: &str, expected: Option<&str>| {
        driven.type_text("x");
        driven.press("Ctrl+c");
        driven.type_text(typed);
        driven.press("Esc Ctrl+o");
        driven.wait_until_step(|step| matches!(step, Step::Run(_)));
        let Step::Run(program) = &driven.step else { panic!("{:?}", driven.step) };
        let draft = program.arguments.get(2).map(|draft| draft.to_str().unwrap());
        assert_eq!(draft, expected);
    };
    hands(&mut driven, "go on", Some("go on"));
    // Pi was left before it could say anything.
    driven.event(&Event::Returned(Ok(std::process::ExitStatus::default())));
    assert!(driven.text().contains("› go on"), "{}", driven.text());
    // Neither an option nor a file of Pi's, and no command of ours.
    hands(&mut driven, "--help", Some(" --help"));
    hands(&mut driven, "@notes", Some(" @notes"));
    hands(&mut driven, "/tree", None);
    driven.event(&Event::Returned(Ok(std::process::ExitStatus::default())));
    assert!(driven.text().contains("› /tree"), "{}", driven.text());
    hands(&mut driven, "go on", Some("go on"));
    home.append(2, &user("go on"));
    home.append(3, &answer("Pi went on."));
    driven.event(&Event::Returned(Ok(std::process::ExitStatus::default())));
    assert!(driven.text().contains("Pi went on."), "{}", driven.text());
    assert!(driven.text().contains("›  Say something"), "{}", driven.text());
}

/// Systems limit the length of an argument.
#[test]
fn a_draft_that_is_too_long_for_pi_stays_and_that_is_said() {
    let home = home();
    let mut state = home.state();
    state.allowed.pi = Some("/usr/bin/pi".into());
    let mut driven = view_of(state, SMALL);
    for (typed, is_said) in [("word ".repeat(30_000), true), ("short".to_owned(), false)] {
        driven.type_text("x");
        driven.press("Ctrl+c");
        driven.event(&Event::Paste(typed));
        driven.press("Ctrl+o");
        driven.wait_until_step(|step| matches!(step, Step::Run(_)));
        let Step::Run(program) = &driven.step else { panic!("{:?}", driven.step) };
        assert_eq!(program.arguments.len(), if is_said { 2 } else { 3 });
        driven.event(&Event::Returned(Ok(std::process::ExitStatus::default())));
        let said = driven.text().contains("Pi did not get it: it is longer than 100 kB.");
        assert_eq!(said, is_said, "{}", driven.text());
    }
}

/// Going back puts the old message into the composer, and Ctrl+O is pressed by habit.
#[test]
fn a_message_that_was_gone_back_to_is_sent_unchanged_only_after_a_yes() {
    let question = "send it this message unchanged?";
    let home = home();
    let gone_back = || {
        let mut state = home.state();
        state.allowed.pi = Some("/usr/bin/pi".into());
        let mut driven = view_of(state, SMALL);
        run(&mut driven, "/tree");
        driven.press("Home Enter Enter");
        driven
    };
    let sent = |driven: &mut Driven| {
        driven.wait_until_step(|step| matches!(step, Step::Run(_)));
        let Step::Run(program) = &driven.step else { panic!("{:?}", driven.step) };
        program.arguments.get(2).map(|draft| draft.to_str().unwrap().to_owned())
    };
    let mut driven = gone_back();
    driven.press("Ctrl+o");
    assert!(driven.text().replace('\n', " ").contains(question), "{}", driven.text());
    driven.press("n");
    assert!(!matches!(driven.step, Step::Run(_)), "{:?}", driven.step);
    driven.press("Ctrl+o y");
    let given = sent(&mut driven).unwrap();
    let mut driven = gone_back();
    driven.type_text("!");
    driven.press("Ctrl+o");
    assert!(!driven.text().replace('\n', " ").contains(question), "{}", driven.text());
    assert_eq!(sent(&mut driven), Some(format!("{given}!")));
    let mut driven = gone_back();
    driven.press("Ctrl+c Ctrl+o");
    assert_eq!(sent(&mut driven), None);
}

/// A view whose position was moved in memory, and the file before that.
fn moved(home: &Home, prepare: impl FnOnce(&mut AppState)) -> (Driven, String) {
    let before = fs_err::read_to_string(&home.file).unwrap();
    let mut state = home.state();
    prepare(&mut state);
    let mut driven = view_of(state, SMALL);
    run(&mut driven, "/tree");
    driven.press("Home Enter Enter");
    assert!(driven.text().contains("Moved to the beginning; not saved"), "{}", driven.text());
    driven.press("Ctrl+c");
    (driven, before)
}

#[test]
fn leaving_after_a_mere_move_writes_nothing() {
    for way in ["Ctrl+d", "Ctrl+c", "/quit", "/new", "/clone", "/fork", "/delete", "a signal"] {
        let home = home();
        let (mut driven, before) = moved(&home, |_| {});
        match way {
            "a signal" => driven.app.state.end(),
            "/fork" => {
                run(&mut driven, way);
                driven.press("Enter");
            }
            "/delete" => {
                run(&mut driven, way);
                driven.press("n");
            }
            command if command.starts_with('/') => run(&mut driven, command),
            key => driven.press(key),
        }
        assert!(!driven.text().contains("Save"), "{way}: nothing is asked: {}", driven.text());
        assert_eq!(fs_err::read_to_string(&home.file).unwrap(), before, "{way}");
    }
}

#[test]
fn the_position_is_saved_when_the_user_says_so() {
    for way in ["Ctrl+s", "/goto", "/goto 00000001"] {
        let home = Home::with(&[user("first question"), answer("first answer"), user("second")]);
        let (mut driven, before) = moved(&home, |_| {});
        driven.type_text("a draft");
        match way.starts_with('/') {
            true => {
                driven.press("Ctrl+c");
                run(&mut driven, way);
            }
            false => {
                driven.press(way);
                assert!(driven.text().contains("› a draft"), "{}", driven.text());
            }
        }
        assert!(driven.text().contains("Position saved."), "{way}: {}", driven.text());
        let after = fs_err::read_to_string(&home.file).unwrap();
        let added: serde_json::Value =
            serde_json::from_str(after.strip_prefix(&before).unwrap()).unwrap();
        assert_eq!(added["customType"], "pitree.leaf", "{way}");
        let parent = if way.ends_with('1') { "00000001".into() } else { serde_json::Value::Null };
        assert_eq!(added["parentId"], parent, "{way}");
        driven.press("Ctrl+c Ctrl+s");
        assert!(driven.text().contains("saved already"), "{way}: {}", driven.text());
        assert_eq!(fs_err::read_to_string(&home.file).unwrap(), after, "{way}");
    }
}

/// A session of version 1 or 2: the same entries, in a file that Pi would rewrite.
fn old_home(version: u8) -> Home {
    let home = home();
    let text = fs_err::read_to_string(&home.file).unwrap();
    let text = match version {
        1 => without_ids(&text.replace("\"version\":3,", "")),
        _ => text.replace("\"version\":3", "\"version\":2"),
    };
    fs_err::write(&home.file, text).unwrap();
    home
}

/// Entries of version 1 have neither ids nor parents.
fn without_ids(text: &str) -> String {
    let lines = text.lines().enumerate().map(|(at, line)| match at {
        0 => format!("{line}\n"),
        _ => format!("{{{}\n", &line[line.find("\"timestamp\"").unwrap()..]),
    });
    lines.collect()
}

#[test]
fn a_file_of_an_old_version_is_migrated_only_after_yes() {
    type Way = (&'static str, fn(&mut Driven));
    let ways: [Way; 10] = [
        ("a message", |driven| run(driven, "hello")),
        ("a label", |driven| run(driven, "/label x")),
        ("a name", |driven| run(driven, "/name x")),
        ("a saved position", |driven| {
            run(driven, "/tree");
            driven.press("Home Enter Enter Ctrl+c Ctrl+s");
        }),
        ("a shell command", |driven| run(driven, "!true")),
        ("a compaction", |driven| run(driven, "/compact")),
        ("Pi", |driven| driven.press("Ctrl+o")),
        ("a label in the tree", |driven| {
            run(driven, "/tree");
            driven.press("L x Enter");
        }),
        ("a saved position in the tree", |driven| {
            run(driven, "/tree");
            driven.press("Home Ctrl+s");
        }),
        ("a summary in the tree", |driven| {
            run(driven, "/tree");
            driven.press("Home Enter Down Enter x Enter");
        }),
    ];
    for version in [1, 2] {
        for (what, way) in &ways {
            let home = old_home(version);
            let before = fs_err::read_to_string(&home.file).unwrap();
            let mut state = home.state();
            state.allowed.bash = true;
            state.allowed.pi = Some("/usr/bin/pi".into());
            let mut driven = view_of(state, SMALL);
            for key in ["n", "y"] {
                way(&mut driven);
                let screen = driven.text();
                let asked = format!("This session is in format version {version}.");
                assert!(screen.contains(&asked), "{what}: {screen}");
                assert!(screen.contains("`pitree undo`"), "{what}: {screen}");
                assert_eq!(fs_err::read_to_string(&home.file).unwrap(), before, "{what}");
                driven.press(key);
                if key == "n" {
                    assert_eq!(fs_err::read_to_string(&home.file).unwrap(), before, "{what}");
                    // Back to an empty editor of the view.
                    driven.press("Esc Ctrl+c");
                    if driven.text().contains("reading ·") {
                        driven.press("i");
                    }
                }
            }
            driven.wait_until(what, |_| {
                fs_err::read_to_string(&home.file).unwrap().contains("\"version\":3")
            });
        }
    }
}

#[test]
fn looking_at_a_file_of_an_old_version_and_moving_in_it_asks_nothing() {
    let home = old_home(1);
    let (mut driven, before) = moved(&home, |_| {});
    run(&mut driven, "/export page.html");
    driven.wait_for("Exported to");
    driven.press("Ctrl+d");
    assert_eq!(fs_err::read_to_string(&home.file).unwrap(), before);
}

#[test]
fn a_message_waits_for_a_file_that_another_program_holds_and_the_keys_do_not() {
    let home = home();
    let held = fs_err::File::open(&home.file).unwrap();
    held.file().lock().unwrap();
    let mut state = home.state();
    state.grace = std::time::Duration::ZERO;
    let mut driven = view_of(state, SMALL);
    driven.type_text("hello");
    driven.press("Enter");
    assert!(driven.text().contains("saving…"), "{}", driven.text());
    driven.type_text("typed meanwhile");
    assert!(driven.text().contains("› typed meanwhile"), "{}", driven.text());
    driven.press("Ctrl+c Ctrl+d");
    assert!(driven.text().contains("Wait: saving."), "{}", driven.text());
    assert_eq!(home.lines().len(), 3);
    held.file().unlock().unwrap();
    driven.wait_for("Saved.");
    assert_eq!(home.lines()[3]["message"]["content"][0]["text"], "hello");
    // Who does not want to wait leaves.
    held.file().lock().unwrap();
    driven.type_text("never");
    driven.press("Enter Ctrl+d Ctrl+d");
    assert_eq!(driven.step, Step::End(Ending::Quit), "{}", driven.text());
}

#[test]
fn a_session_whose_directory_is_gone_goes_on_here_if_the_user_likes() {
    for (key, here) in [("y", true), ("n", false)] {
        let home = home();
        let text = fs_err::read_to_string(&home.file).unwrap();
        let cwd = home.path().join("project");
        fs_err::write(&home.file, text.replace(cwd.to_str().unwrap(), "/home/ana/gone")).unwrap();
        let before = fs_err::read(&home.file).unwrap();
        let mut driven = home.view(SMALL);
        assert!(driven.text().contains("/home/ana/gone does not exist."), "{}", driven.text());
        driven.press(key);
        let live = driven.app.state.live.as_ref().unwrap();
        assert_eq!(live.session().cwd() == cwd, here);
        assert!(driven.text().contains("first answer"));
        assert_eq!(fs_err::read(&home.file).unwrap(), before);
    }
}

#[test]
fn the_model_and_the_thinking_level_are_entries_as_pi_writes_them() {
    let home = Home::with(&[user("hello"), answer("hi")]);
    let mut driven = home.view(SMALL);
    run(&mut driven, "/model openai/gpt-4o");
    driven.wait_for("The model is openai/gpt-4o from here on.");
    run(&mut driven, "/thinking high");
    driven.wait_for("The thinking level is high from here on.");
    let lines = home.lines();
    let [model, level] = &lines[lines.len() - 2..] else { panic!("{lines:?}") };
    let members = |line: &serde_json::Value| -> Vec<String> {
        line.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(model["type"], "model_change");
    assert_eq!((&model["provider"], &model["modelId"]), (&"openai".into(), &"gpt-4o".into()));
    assert_eq!(level["type"], "thinking_level_change");
    assert_eq!((&level["thinkingLevel"], &level["parentId"]), (&"high".into(), &model["id"]));
    assert_eq!(members(model).len(), 6, "{model}");
    run(&mut driven, "/model");
    assert!(driven.text().contains("The model is openai/gpt-4o"), "{}", driven.text());
    for (command, problem) in [
        ("/model nobody/knows", "There is no model"),
        ("/model gpt", "Several models match"),
        ("/thinking hard", "is not a thinking level: off, minimal"),
    ] {
        run(&mut driven, command);
        driven.wait_for(problem);
    }
    assert_eq!(home.lines(), lines);
}
