//! The way to other screens and back.

use pitree_store::Scope;
use pitree_tui::picker::Picker;
use pitree_tui::screen::Ending;
use pitree_tui::view::go_on_with;

use super::{Home, answer, run, user};
use crate::screens::harness::{Driven, SMALL};

fn home() -> Home {
    let home = Home::with(&[user("first question"), answer("first answer"), user("second one")]);
    let other = Home::with(&[user("another matter"), answer("another answer")]);
    let text = fs_err::read_to_string(&other.file).unwrap();
    let text = text.replace(other.path().to_str().unwrap(), home.path().to_str().unwrap());
    let text = text.replace("0190aaaa", "0190bbbb");
    let file = home.sessions().join("2026-02-03T22-30-00-000Z_0190bbbb.jsonl");
    fs_err::write(file, text).unwrap();
    home
}

#[test]
fn a_move_in_the_tree_brings_the_message_to_the_editor() {
    let home = home();
    let mut driven = home.view(SMALL);
    for way in ["/tree", ""] {
        match way {
            "" => driven.press("Esc Esc"),
            command => run(&mut driven, command),
        }
        driven.press("Up Up Enter Enter");
        assert!(driven.text().contains("› first question"), "{}", driven.text());
        assert!(!driven.text().contains("first answer"), "{}", driven.text());
        assert_eq!(home.lines().len(), 4, "a move stays in memory");
        driven.press("Ctrl+c");
        let live = driven.app.state.live.as_mut().unwrap();
        live.session_mut().branch("00000002").unwrap();
    }
}

#[test]
fn a_message_after_a_move_begins_a_branch() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/tree");
    driven.press("Up Enter Enter");
    driven.type_text("said anew");
    driven.press("Enter");
    let lines = home.lines();
    assert_eq!(lines.len(), 5, "{}", driven.text());
    assert_eq!(lines[4]["parentId"], "00000001");
}

#[test]
fn a_fork_brings_the_message_to_the_editor() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/fork");
    assert!(driven.text().contains("Message 2 of 2"), "{}", driven.text());
    driven.press("Enter");
    assert!(driven.text().contains("Forked to a new session"), "{}", driven.text());
    assert!(driven.text().contains("› second one"), "{}", driven.text());
    assert!(!driven.text().contains("session 0190aaaa"), "{}", driven.text());
    assert_eq!(home.lines().len(), 4, "the source stays as it is");
}

#[test]
fn another_session_is_opened_from_the_view() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/resume");
    driven.wait_for("another matter");
    driven.press("/");
    driven.type_text("another");
    driven.press("Enter");
    assert!(driven.text().contains("another answer"), "{}", driven.text());
    assert!(driven.text().contains("session 0190bbbb"), "{}", driven.text());
    run(&mut driven, "/search \"first answer\"");
    driven.wait_until("the found session", |screen| {
        screen.contains("first question") && !screen.contains("another matter")
    });
    driven.press("Enter");
    assert!(driven.text().contains("session 0190aaaa"), "{}", driven.text());
}

#[test]
fn the_view_follows_the_picker() {
    let home = home();
    let mut state = home.state();
    state.end();
    let picker = Picker::new(&state, Scope::Directory, "", go_on_with);
    let mut driven = Driven::new(state, Box::new(picker), SMALL);
    driven.wait_for("another matter");
    driven.press("Enter");
    assert!(driven.text().contains("reading · i write"), "{}", driven.text());
    driven.press("Ctrl+d");
    assert_eq!(driven.step, pitree_tui::app::Step::End(Ending::Quit));
}
