//! Every key is pressed by a test: those that the help of a screen names, and those that Pi has in
//! its picker and its tree.

use std::collections::BTreeSet;

use pitree_session::Session;
use pitree_store::Scope;
use pitree_tui::fork::ForkScreen;
use pitree_tui::picker::Picker;
use pitree_tui::screen::{Ending, KeyHelp, Outcome, Screen};
use pitree_tui::tree::{Purpose, TreeScreen};
use pitree_tui::view::SessionView;

use crate::harness::{desk, environment};

/// The keys of Pi's picker, with `y`, `n`, `j` and `k`, and with those that leave.
const PICKER: &str = "Up Down PgUp PgDn Home End j k / Esc Enter Tab Ctrl+s Ctrl+n Ctrl+p Ctrl+r \
                      Ctrl+o Ctrl+d Ctrl+Backspace Ctrl+c y n ?";
/// The keys of Pi's tree.
const TREE: &str = "Up Down Left Right PgUp PgDn Ctrl+Left Alt+Left Ctrl+Right Alt+Right Enter \
                    Ctrl+x L T Backspace Esc Ctrl+d Ctrl+t Ctrl+u Ctrl+l Ctrl+a Ctrl+o \
                    Ctrl+Shift+o Ctrl+c ?";
const FORK: &str = "Up Down j k Enter Esc Ctrl+c ?";
const VIEW: &str = "Enter Alt+Enter Shift+Enter Up Down PgUp PgDn Esc Ctrl+c Ctrl+d Tab y n ?";

/// A screen, the keys that it must have, and the tests that press them.
struct Pressed {
    screen: &'static str,
    keys: &'static str,
    sources: &'static [&'static str],
}

const PRESSED: [Pressed; 4] = [
    Pressed { screen: "picker", keys: PICKER, sources: &[include_str!("picker.rs")] },
    Pressed { screen: "tree", keys: TREE, sources: &[include_str!("tree.rs")] },
    Pressed { screen: "fork", keys: FORK, sources: &[include_str!("fork.rs")] },
    Pressed {
        screen: "view",
        keys: VIEW,
        sources: &[
            include_str!("view/changes.rs"),
            include_str!("view/commands.rs"),
            include_str!("view/doors.rs"),
            include_str!("view/reading.rs"),
            include_str!("view/slow.rs"),
        ],
    },
];

/// What the help of a screen says.
fn help(screen: &str) -> &'static [KeyHelp] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs_err::write(&path, include_str!("fixtures/branches.jsonl")).unwrap();
    let environment = environment("/home/ana".as_ref(), "/srv/project".as_ref());
    let mut desk = desk(&environment, folder.path());
    desk.begin(Session::open(&path, &environment).unwrap()).unwrap();
    match screen {
        "picker" => Picker::new(&desk, Scope::All, "", |_, _| Outcome::End(Ending::Quit)).keys(),
        "tree" => TreeScreen::open(&desk, Purpose::Within).unwrap().unwrap().keys(),
        "fork" => ForkScreen::open(&desk, Purpose::Within).unwrap().keys(),
        _ => SessionView::new(&desk).keys(),
    }
}

/// The keys in a line of the help, as tests press them. Commands are told by their names.
fn keys_in(help: &str) -> Vec<String> {
    let words = help.split([' ', ',']).filter(|word| !word.is_empty());
    let is_key = |word: &&str| {
        let is_prose = matches!(*word, "or" | "a" | "letter" | "letters" | "mouse" | "wheel");
        let is_argument =
            word.starts_with(['[', '!']) || word.len() > 1 && word.chars().all(char::is_uppercase);
        !is_prose && !is_argument
    };
    words.filter(is_key).map(as_pressed).collect()
}

fn as_pressed(word: &str) -> String {
    let (modifiers, key) = match word.rfind('+') {
        Some(at) if at + 1 < word.len() => word.split_at(at + 1),
        _ => ("", word),
    };
    match (modifiers, key) {
        (_, "↑") => format!("{modifiers}Up"),
        (_, "↓") => format!("{modifiers}Down"),
        (_, "←") => format!("{modifiers}Left"),
        (_, "→") => format!("{modifiers}Right"),
        // Shift and a letter is the letter that it gives.
        ("Shift+", letter) if letter.len() == 1 => letter.to_owned(),
        (_, letter) if letter.len() == 1 => format!("{modifiers}{}", letter.to_lowercase()),
        _ => word.to_owned(),
    }
}

/// The keys that tests press, and the commands that they type.
fn pressed_in(sources: &[&str]) -> BTreeSet<String> {
    let mut pressed = BTreeSet::new();
    for source in sources {
        // All that stands between quotes and is nothing but keys: they may come from a list.
        for literal in source.split('"').skip(1).step_by(2) {
            if literal.split(' ').all(is_key) {
                pressed.extend(literal.split(' ').map(str::to_owned));
            } else if literal.starts_with('/') {
                pressed.extend(literal.split(' ').next().map(str::to_owned));
            }
        }
    }
    pressed
}

/// Whether a word names a key, and nothing else.
fn is_key(word: &str) -> bool {
    const NAMES: &str =
        "Enter Esc Tab Up Down Left Right PgUp PgDn Home End Backspace Delete Space";
    let modifiers = ["Ctrl+", "Alt+", "Shift+"];
    let key = modifiers.iter().fold(word, |rest, modifier| rest.trim_start_matches(modifier));
    key.chars().count() == 1 || NAMES.split(' ').any(|name| name == key)
}

#[test]
fn every_key_is_pressed_by_a_test() {
    let mut missing = Vec::new();
    for Pressed { screen, keys, sources } in &PRESSED {
        let pressed = pressed_in(sources);
        let of_help = help(screen).iter().flat_map(|(keys, _)| keys_in(keys));
        let all: BTreeSet<String> =
            keys.split_whitespace().map(str::to_owned).chain(of_help).collect();
        let not_pressed = all.difference(&pressed).map(|key| format!("{screen}: {key}"));
        missing.extend(not_pressed);
    }
    assert!(missing.is_empty(), "no test presses {missing:#?}");
}

#[test]
fn keys_are_read_from_the_help() {
    assert_eq!(keys_in("↑ ↓  k j"), ["Up", "Down", "k", "j"]);
    assert_eq!(keys_in("Ctrl+← , Alt+←"), ["Ctrl+Left", "Alt+Left"]);
    assert_eq!(keys_in("Shift+L"), ["L"]);
    assert_eq!(keys_in("Ctrl+S"), ["Ctrl+s"]);
    assert_eq!(keys_in("/  or a letter"), ["/"]);
    assert_eq!(keys_in("/export [FILE], /import FILE"), ["/export", "/import"]);
}
