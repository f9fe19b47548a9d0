//! The tree navigator, the fork list and the view, one after the other. The real Pi reads what they
//! wrote.

use std::path::{Path, PathBuf};

use pitree_testkit::{Oracle, PiVersion};
use serde_json::{Value, json};

use crate::common::{BRANCHED, Sandbox};
use crate::screens::tmux::Terminal;

/// A terminal in which `pitree` runs with these arguments; `None` if there is no tmux.
fn start(sandbox: &Sandbox, arguments: &str) -> Option<Terminal> {
    let terminal = Terminal::open("a walk", &sandbox.home(), &sandbox.project())?;
    let program = env!("CARGO_BIN_EXE_pitree");
    terminal.run(&format!("'{program}' {arguments}; echo \"ended with $?\""));
    Some(terminal)
}

/// What the real Pi makes of a session; `None` if it is not installed.
fn read_by_pi(path: &Path) -> Option<Value> {
    if !pitree_testkit::has_pi("the comparison of walks") {
        return None;
    }
    let mut pi = Oracle::start(PiVersion::Current).unwrap();
    let answer = pi.ask(&json!({"op": "read", "path": path}).to_string()).unwrap();
    Some(serde_json::from_str(&answer).unwrap())
}

fn lines_of(path: &Path) -> Vec<Value> {
    let text = fs_err::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn sandbox() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let path = sandbox.write("project/session.jsonl", BRANCHED);
    (sandbox, path)
}

#[test]
fn walk_the_tree_label_and_move() {
    let (sandbox, path) = sandbox();
    let Some(terminal) = start(&sandbox, "tree session.jsonl") else { return };
    terminal.wait_for("› │     • assistant: second answer");
    terminal.press("C-Left").wait_for("› ├⊟ • user: second question");
    terminal.press("C-Left").wait_for("› ├⊞ • user: second question");
    terminal.press("C-Right").wait_for("• assistant: second answer");
    terminal.press("L").wait_for("Label (empty to remove):");
    terminal.type_text("good").press("Enter").wait_for("[good] user: second question");
    terminal.type_text("behind").wait_for("(1/1)");
    terminal.press("Enter").wait_for("Summarize the branch you leave?");
    terminal.press("Escape").wait_until_gone("Summarize the branch you leave?");
    terminal.press("C-s").wait_for("ended with 0");
    let screen = terminal.screen();
    assert!(screen.contains("Position saved: bbbb0001."), "{screen}");
    assert!(screen.contains("left behind"), "the message can be edited and resent: {screen}");
    let next = format!("next: pitree resume {}", path.display());
    assert!(terminal.joined_screen().contains(&next), "{screen}");

    let lines = lines_of(&path);
    assert!(fs_err::read_to_string(&path).unwrap().starts_with(BRANCHED), "only appended");
    let [label, place] = &lines[lines.len() - 2..] else { panic!("{lines:?}") };
    assert_eq!((&label["label"], &label["targetId"]), (&json!("good"), &json!("dddd0001")));
    assert_eq!(place["parentId"], json!("bbbb0001"));
    let Some(pi) = read_by_pi(&path) else { return };
    assert_eq!(pi["leafId"], place["id"], "{pi}");
    assert_eq!(pi["labels"], json!({"dddd0001": "good"}));
    let messages = pi["contexts"][0]["context"]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2, "{messages:?}");
}

#[test]
fn looking_changes_nothing() {
    let (sandbox, path) = sandbox();
    let Some(terminal) = start(&sandbox, "tree session.jsonl") else { return };
    terminal.wait_for("second answer").press("C-a T Home Enter");
    terminal.wait_for("Summarize the branch").press("Escape");
    terminal.wait_until_gone("Summarize the branch").wait_for("(1/5) [all]");
    terminal.press("?").wait_for("Keys").press("Escape").wait_until_gone("Keys");
    terminal.press("Escape");
    terminal.wait_for("ended with 0");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), BRANCHED);
}

#[test]
fn a_session_is_read_at_an_entry() {
    let (sandbox, path) = sandbox();
    let Some(terminal) = start(&sandbox, "view session.jsonl --at bbbb --find 'first answer'")
    else {
        return;
    };
    terminal.wait_for("/first answer 1/1").wait_for("› first answer");
    // Whatever is typed by habit, nothing is written.
    terminal.type_text("hello").press("Enter");
    terminal.type_text(":name x").press("Enter").wait_for("This changes the session").press("y");
    terminal.wait_for("Nothing was changed.").press("q").wait_for("ended with 0");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), BRANCHED);
    let Some(terminal) = start(&sandbox, "view session.jsonl --at ffff") else { return };
    terminal.wait_for("ended with 1");
}

#[test]
fn fork_before_a_message() {
    let (sandbox, path) = sandbox();
    let Some(terminal) = start(&sandbox, "fork session.jsonl") else { return };
    terminal.wait_for("› • second question").press("Up").wait_for("›   left behind");
    terminal.press("Enter").wait_for("ended with 0");
    assert!(terminal.screen().contains("Forked to"), "{}", terminal.screen());
    assert_eq!(fs_err::read_to_string(&path).unwrap(), BRANCHED, "the source is only read");
    let files = fs_err::read_dir(sandbox.project()).unwrap().map(|file| file.unwrap().path());
    let new: Vec<PathBuf> = files.filter(|file| *file != path).collect();
    assert_eq!(new.len(), 1, "{new:?}");
    let screen = terminal.joined_screen();
    assert!(screen.contains(&format!("next: pitree resume {}", new[0].display())), "{screen}");
    let header = lines_of(&new[0]).remove(0);
    assert_eq!(header["parentSession"], json!(path));
    let Some(pi) = read_by_pi(&new[0]) else { return };
    let messages = pi["contexts"][0]["context"]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2, "{messages:?}");
}

/// From the picker through the view, the tree, a fork and back, as a user goes.
#[test]
fn the_whole_way() {
    let sandbox = Sandbox::new();
    let project = sandbox.project();
    let text = BRANCHED.replace("/home/ana/projects/weather", project.to_str().unwrap());
    let folder = sandbox.default_folder();
    fs_err::create_dir_all(&folder).unwrap();
    let path = folder.join("2026-02-03T22-52-06-410Z_01a00000-0000-7000-8000-00000000000a.jsonl");
    fs_err::write(&path, &text).unwrap();
    let Some(terminal) = start(&sandbox, "") else { return };
    terminal.wait_for("first question").press("/").type_text("second answer");
    terminal.wait_for("1/1").press("Enter").wait_for("── /second answer").press("i");
    terminal.wait_for("Say something");

    // A label, a move to a message, and that message said otherwise.
    terminal.type_text("/tree").press("Enter").wait_for("• assistant: second answer");
    terminal.press("L").wait_for("Label (empty to remove):");
    terminal.type_text("good").press("Enter").wait_for("[good]");
    terminal.type_text("behind").wait_for("(1/1)").press("Enter");
    terminal.wait_for("Summarize the branch you leave?").press("Enter");
    terminal.wait_for("› left behind").type_text(", found").wait_for("found").press("Enter");
    terminal.wait_for("Saved.");
    let lines = lines_of(&path);
    assert!(fs_err::read_to_string(&path).unwrap().starts_with(&text), "only appended");
    let said = &lines[lines.len() - 1];
    assert_eq!(said["parentId"], "bbbb0001");
    assert_eq!(said["message"]["content"][0]["text"], "left behind, found");

    // A fork from that message, said once more.
    terminal.type_text("/fork").press("Enter").wait_for("› • left behind, found");
    terminal.press("Enter").wait_for("› left behind, found");
    terminal.type_text(" again").wait_for("again").press("Enter").wait_for("Saved.");
    terminal.type_text("/name Walked").press("Enter").wait_for("Walked  ");
    let sessions = || fs_err::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let fork = sessions().find(|file| *file != path).unwrap();
    assert_eq!(lines_of(&fork)[0]["parentSession"], json!(path));
    assert_eq!(lines_of(&path).len(), lines.len(), "the source is only read");
    if let Some(pi) = read_by_pi(&fork) {
        let ours = lines_of(&fork);
        assert_eq!((&pi["name"], &pi["leafId"]), (&json!("Walked"), &ours[ours.len() - 1]["id"]));
        let messages = pi["contexts"][0]["context"]["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 3, "{messages:?}");
    }

    // The fork is deleted, at the third time of asking.
    for key in ["n", "Escape"] {
        terminal.type_text("/delete").press("Enter").wait_for("start a new one?");
        terminal.press(key).wait_for("Nothing was changed.");
    }
    terminal.type_text("/delete").press("Enter").wait_for("start a new one?").press("y");
    terminal.wait_for("It changed within the last minute.").press("y");
    terminal.wait_for("Deleted.");
    assert!(sessions().all(|file| file == path));
    assert!(path.exists());
    terminal.press("C-d").wait_for("ended with 0");
    let Some(pi) = read_by_pi(&path) else { return };
    assert_eq!((&pi["leafId"], &pi["labels"]), (&said["id"], &json!({"dddd0002": "good"})));
}
