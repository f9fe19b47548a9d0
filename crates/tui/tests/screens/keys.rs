//! Every key does what the help says: for each key that the help of a screen names, and for those
//! that Pi has in its picker and its tree, a table says what is seen after it is pressed. A key
//! without a row fails the test, and so does one whose effect was there before.

use std::collections::BTreeSet;

use pitree_session::Session;
use pitree_store::Scope;
use pitree_tui::app::Step;
use pitree_tui::fork::ForkScreen;
use pitree_tui::picker::Picker;
use pitree_tui::screen::{Ending, Event, Outcome};
use pitree_tui::tree::{Purpose, TreeScreen};

use crate::harness::{Driven, SMALL, desk, environment};
use crate::shop::shop;
use crate::view::{Home, answer, answer_of, user, view_of};

/// The keys of Pi's picker, with `y`, `n`, `j` and `k`, and with those that leave.
const PICKER: &str = "Up Down PgUp PgDn Home End j k / Esc Enter Tab Ctrl+s Ctrl+n Ctrl+p Ctrl+r \
                      Ctrl+o Ctrl+d Ctrl+Backspace Ctrl+c y n ?";
/// The keys of Pi's tree.
const TREE: &str = "Up Down Left Right PgUp PgDn Ctrl+Left Alt+Left Ctrl+Right Alt+Right Enter \
                    Ctrl+x L T Backspace Esc Ctrl+d Ctrl+t Ctrl+u Ctrl+l Ctrl+a Ctrl+o \
                    Ctrl+Shift+o Ctrl+c ?";
const FORK: &str = "Up Down j k Enter Esc Ctrl+c ?";
const VIEW: &str = "Enter Alt+Enter Shift+Enter Up Down PgUp PgDn Esc Ctrl+c Ctrl+d Tab y n ?";

/// What is there after a key and was not before.
enum Effect {
    /// This is on the screen.
    Shows(&'static str),
    /// This is not on the screen any more.
    Hides(&'static str),
    /// The row with the cursor has this.
    Cursor(&'static str),
    /// This lies in the clipboard.
    Copies(&'static str),
    /// The interface ends.
    Ends,
    /// Pi gets the terminal.
    RunsPi,
}
use Effect::{Copies, Cursor, Ends, Hides, RunsPi, Shows};

impl Effect {
    fn is_there(&self, driven: &Driven) -> bool {
        let screen = driven.text();
        match self {
            Shows(text) => screen.contains(text),
            Hides(text) => !screen.contains(text),
            Cursor(text) => screen.lines().any(|row| row.starts_with('›') && row.contains(text)),
            Copies(text) => {
                driven.app.desk.copied.as_ref().is_some_and(|copied| copied.contains(text))
            }
            Ends => matches!(driven.step, Step::End(_)),
            RunsPi => matches!(driven.step, Step::Run(_)),
        }
    }
}

/// Keys that do the same, what is pressed before, and what is seen then.
type Row = (&'static str, &'static str, Effect);

const FORK_ROWS: &[Row] = &[
    ("Up k", "", Cursor("Yes, with a stream")),
    ("Down j", "", Cursor("How do I read a file?")),
    ("Left PgUp Home", "", Cursor("How do I read a file?")),
    ("Right PgDn End", "Home", Cursor("No, synchronous please")),
    ("Enter c Esc q Ctrl+c", "", Ends),
    ("?", "", Shows("Keys")),
];

const TREE_ROWS: &[Row] = &[
    ("Up", "", Cursor("[bash]: cat main.rs")),
    ("Down", "", Cursor("Yes, with a stream")),
    ("Left PgUp Home", "", Cursor("How do I read a file?")),
    ("Right PgDn End", "Home", Cursor("use tokio::fs")),
    ("Ctrl+Left Alt+Left", "Up Up Up Up Up", Hides("Then use the file API")),
    ("Ctrl+Right Alt+Right", "Up Up Up Up Up Ctrl+Left", Shows("Then use the file API")),
    ("Enter", "Home", Shows("Summarize the branch you leave?")),
    ("Ctrl+s", "Home", Ends),
    ("L", "", Shows("Label (empty to remove)")),
    ("T", "", Shows("[+label time]")),
    ("Ctrl+x", "", Copies("Then use the file API")),
    ("Ctrl+d", "Ctrl+u", Shows("assistant: Then use")),
    ("Ctrl+t", "", Hides("[read: ~/project")),
    ("Ctrl+u", "", Hides("assistant: Then use")),
    ("Ctrl+l", "", Hides("How do I read a file?")),
    ("Ctrl+a", "", Shows("[all]")),
    ("Ctrl+o", "", Shows("[no-tools]")),
    ("Alt+o Ctrl+Shift+o", "", Shows("[all]")),
    ("x", "", Shows("Type to search: x")),
    ("Backspace", "x y", Shows("Type to search: x\n")),
    ("Esc", "z z", Hides("Type to search: zz")),
    ("Ctrl+c", "", Ends),
    ("?", "", Shows("Keys")),
];

const PICKER_ROWS: &[Row] = &[
    ("Down j", "", Cursor("Write a price list")),
    ("Up k", "Down", Cursor("Who swept")),
    ("PgDn End", "", Cursor("Now plums")),
    ("PgUp Home", "End", Cursor("Who swept")),
    ("Right", "Down Left", Shows("Prices with pears")),
    ("Left", "Down", Hides("Prices with pears")),
    ("Enter Ctrl+c", "", Ends),
    ("/", "", Hides("type to search names")),
    ("p", "", Shows("/ p")),
    ("Esc", "", Ends),
    ("Tab Shift+Tab", "", Shows("Water the roses")),
    ("Ctrl+s", "", Shows("recent ·")),
    ("Ctrl+n", "", Hides("Who swept the floor?")),
    ("Ctrl+p", "", Shows(".jsonl")),
    ("Ctrl+r", "", Shows("Name")),
    ("Ctrl+o", "", RunsPi),
    ("Ctrl+d Ctrl+Backspace", "", Shows("Delete “Who swept")),
    ("y", "Ctrl+d", Hides("Delete “Who swept")),
    ("n", "Ctrl+d", Hides("Delete “Who swept")),
    ("?", "", Shows("Keys")),
];

const VIEW_ROWS: &[Row] = &[
    ("Enter", "h i", Shows("Saved.")),
    ("Shift+Enter Alt+Enter Ctrl+j", "a", Shows("› a\n\nsession")),
    ("Up", "", Shows("› the last question")),
    ("Down", "Up", Hides("› the last question")),
    ("PgUp Shift+Up Alt+Up Ctrl+Home", "", Shows("entries from here to the end")),
    ("PgDn Shift+Down Alt+Down Ctrl+End", "Shift+Up", Hides("entries from here to the end")),
    ("Alt+o Ctrl+g", "", Shows("all that the tool wrote, line 30")),
    ("Ctrl+t", "", Shows("that is long")),
    ("Ctrl+s", "", Shows("The position is saved already.")),
    ("Ctrl+o", "", RunsPi),
    ("Esc", "Esc", Shows("Session tree")),
    ("Ctrl+c", "a b c", Hides("› abc")),
    ("Ctrl+d", "", Ends),
    ("Tab", "/ c o m", Shows("› /compact\nsession")),
    ("y", "/ d e l e t e Esc Enter", Hides("Move this session to the trash")),
    ("n", "/ d e l e t e Esc Enter", Shows("Nothing was changed.")),
    ("?", "", Shows("Keys")),
    ("/resume", "", Shows("Resume a session")),
    ("/tree", "", Shows("Session tree")),
    ("/fork", "", Shows("Message 2 of 2")),
    ("/clone", "", Shows("This is the clone.")),
    ("/new", "", Shows("A new session.")),
    ("/name", "", Shows("The session has no name")),
    ("/label", "", Shows("The last message has no label now.")),
    ("/goto", "", Shows("The position is saved already.")),
    ("/session", "", Shows("Directory")),
    ("/cost", "", Shows("┌ Cost")),
    ("/compact", "", Shows("Nothing to compact")),
    ("/export", "", Shows("Exported to")),
    ("/import", "", Shows("Which file?")),
    ("/copy", "", Copies("done at last")),
    ("/search", "", Shows("Resume a session")),
    ("/delete", "", Shows("Move this session to the trash")),
    ("/help", "", Shows("Keys")),
    ("/quit", "", Ends),
];

/// A screen, with what its files lie in.
struct Stage {
    driven: Driven,
    _home: Box<dyn std::any::Any>,
}

fn stage(screen: &str) -> Stage {
    match screen {
        "tree" | "fork" => {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("session.jsonl");
            fs_err::write(&path, include_str!("fixtures/branches.jsonl")).unwrap();
            let environment = environment("/home/ana".as_ref(), "/srv/project".as_ref());
            let mut desk = desk(&environment, folder.path());
            desk.begin(Session::open(&path, &environment).unwrap()).unwrap();
            let driven = match screen {
                "tree" => {
                    let tree = TreeScreen::open(&desk, Purpose::Alone).unwrap().unwrap();
                    Driven::new(desk, Box::new(tree), SMALL)
                }
                _ => {
                    let fork = ForkScreen::open(&desk, Purpose::Alone).unwrap();
                    Driven::new(desk, Box::new(fork), SMALL)
                }
            };
            Stage { driven, _home: Box::new(folder) }
        }
        "picker" => {
            let home = shop();
            let mut desk = home.desk();
            desk.allowed.pi = Some("/usr/bin/pi".into());
            let picker =
                Picker::new(&desk, Scope::Directory, "", |_, _| Outcome::End(Ending::Quit));
            let mut driven = Driven::new(desk, Box::new(picker), SMALL);
            driven.wait_until("loaded", |screen| {
                !screen.contains("loading") && screen.contains("broom")
            });
            Stage { driven, _home: Box::new(home) }
        }
        _ => {
            let thought = r#"{"type":"thinking","thinking":"a thought\nthat is long"}"#;
            let call = r#"{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"x"}}"#;
            let lines: Vec<String> =
                (1..=30).map(|at| format!("all that the tool wrote, line {at}")).collect();
            let text = serde_json::Value::from(lines.join("\n"));
            let result = format!(
                r#""type":"message","message":{{"role":"toolResult","toolCallId":"c","toolName":"bash","isError":false,"content":[{{"type":"text","text":{text}}}]}}"#
            );
            let home = Home::with(&[
                user("the first question"),
                answer(&"a long answer\n\n".repeat(20)),
                user("the last question"),
                answer_of(&format!("{thought},{call}")),
                result,
                answer("done at last"),
            ]);
            let mut desk = home.desk();
            desk.allowed.pi = Some("/usr/bin/pi".into());
            Stage { driven: view_of(desk, SMALL), _home: Box::new(home) }
        }
    }
}

fn press(driven: &mut Driven, keys: &str) {
    match keys {
        "" => {}
        command if command.starts_with('/') && command.len() > 1 && !command.contains(' ') => {
            driven.type_text(command);
            driven.press("Esc Enter");
        }
        keys => driven.press(keys),
    }
}

/// Presses a key and waits for what is to be seen then.
fn check(screen: &str, key: &str, before: &str, effect: &Effect) -> Result<(), String> {
    let Stage { mut driven, _home } = stage(screen);
    press(&mut driven, before);
    driven.app.desk.copied = None;
    if effect.is_there(&driven) {
        return Err(format!("{screen}: {key}: its effect was there before\n{}", driven.text()));
    }
    press(&mut driven, key);
    // Some effects come from threads.
    for _ in 0..2_500 {
        if effect.is_there(&driven) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
        driven.event(&Event::News);
    }
    Err(format!("{screen}: {key} does not do it\n{}", driven.text()))
}

/// What the help of a screen names.
fn keys_of_help(screen: &str) -> Vec<String> {
    let help = match screen {
        "view" => {
            let home = Home::with(&[user("hello")]);
            let desk = home.desk();
            pitree_tui::screen::Screen::keys(&pitree_tui::view::SessionView::new(&desk))
        }
        "picker" => {
            let home = shop();
            let desk = home.desk();
            let picker =
                Picker::new(&desk, Scope::Directory, "", |_, _| Outcome::End(Ending::Quit));
            pitree_tui::screen::Screen::keys(&picker)
        }
        screen => {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("session.jsonl");
            fs_err::write(&path, include_str!("fixtures/branches.jsonl")).unwrap();
            let environment = environment("/home/ana".as_ref(), "/srv/project".as_ref());
            let mut desk = desk(&environment, folder.path());
            desk.begin(Session::open(&path, &environment).unwrap()).unwrap();
            match screen {
                "tree" => {
                    let tree = TreeScreen::open(&desk, Purpose::Alone).unwrap().unwrap();
                    pitree_tui::screen::Screen::keys(&tree)
                }
                _ => {
                    let fork = ForkScreen::open(&desk, Purpose::Alone).unwrap();
                    pitree_tui::screen::Screen::keys(&fork)
                }
            }
        }
    };
    help.iter().flat_map(|(keys, _)| keys_in(keys)).collect()
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

#[test]
fn every_key_does_what_it_should() {
    let mut wrong = Vec::new();
    for (screen, keys, rows) in [
        ("picker", PICKER, PICKER_ROWS),
        ("tree", TREE, TREE_ROWS),
        ("fork", FORK, FORK_ROWS),
        ("view", VIEW, VIEW_ROWS),
    ] {
        let mut unchecked: BTreeSet<String> = keys.split_whitespace().map(str::to_owned).collect();
        unchecked.extend(keys_of_help(screen));
        for (keys, before, effect) in rows {
            for key in keys.split(' ') {
                unchecked.remove(key);
                wrong.extend(check(screen, key, before, effect).err());
            }
        }
        wrong.extend(unchecked.into_iter().map(|key| format!("{screen}: nobody checks {key}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
