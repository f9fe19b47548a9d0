//! What changes the session: messages, shell commands, new sessions, deletion, Pi.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use pitree_tui::app::Step;
use pitree_tui::screen::Event;

use super::{Home, answer, lines_of, run, user, view_of};
use crate::harness::{Driven, NOW_MS, SMALL};

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
fn shell_commands_need_leave() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "!echo hi");
    assert!(driven.text().contains("--allow-bash"), "{}", driven.text());
    assert!(driven.text().contains("› !echo hi"));
    assert_eq!(home.lines().len(), 3);
}

#[test]
fn shell_commands_are_stored() {
    let home = home();
    let mut desk = home.desk();
    desk.allowed.bash = true;
    let mut driven = view_of(desk, SMALL);
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
    let mut desk = home.desk();
    desk.allowed.trash_command = Some(script);
    view_of(desk, SMALL)
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
    driven.press("y");
    driven.wait_for("Deleted. This is a new session.");
    assert!(!home.file.exists());
    assert!(home.path().join("trash").join(home.file.file_name().unwrap()).exists());
    assert!(!driven.text().contains("first answer"));
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
    assert!(driven.text().contains("Pi is not installed"), "{}", driven.text());
    let mut desk = home.desk();
    desk.allowed.pi = Some("/usr/bin/pi".into());
    // A move that only this process knows of.
    let first = "00000000";
    desk.live.as_mut().unwrap().stand_at(first).unwrap();
    let mut driven = view_of(desk, SMALL);
    assert!(driven.text().contains("moved"), "{}", driven.text());
    driven.press("Ctrl+o");
    let Step::Run(program) = &driven.step else { panic!("{:?}", driven.step) };
    assert_eq!(program.arguments, ["--session".as_ref(), home.file.as_os_str()]);
    assert_eq!(program.directory, home.path().join("project"));
    let marker = home.lines().pop().unwrap();
    assert_eq!(marker["customType"], "pitree.leaf");
    assert_eq!(marker["parentId"], first);
    // Pi answers elsewhere.
    home.append(1, &answer("Pi was here."));
    driven.event(&Event::Returned(Err(std::io::ErrorKind::NotFound.into())));
    assert!(driven.text().contains("Pi was here."), "{}", driven.text());
}

#[test]
fn a_place_that_was_moved_to_is_stored_when_leaving() {
    let home = home();
    let mut desk = home.desk();
    desk.live.as_mut().unwrap().stand_at("00000000").unwrap();
    let mut driven = view_of(desk, SMALL);
    driven.press("Ctrl+d");
    let marker = home.lines().pop().unwrap();
    assert_eq!(
        (&marker["customType"], &marker["parentId"]),
        (&"pitree.leaf".into(), &"00000000".into())
    );
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
        let live = driven.app.desk.live.as_ref().unwrap();
        assert_eq!(live.session().cwd() == cwd, here);
        assert!(driven.text().contains("first answer"));
        assert_eq!(fs_err::read(&home.file).unwrap(), before);
    }
}
