//! Every key does what the help says: for each action of the keymap, on every screen, a table says
//! what is seen after one of its keys is pressed. An action without a row fails the test, and so
//! does one whose effect was there before. Each action is then given another key, which has the
//! same effect.

use std::collections::BTreeSet;

use pitree_session::Session;
use pitree_store::Scope;
use pitree_tui::app::Step;
use pitree_tui::fork::ForkScreen;
use pitree_tui::keymap::{BoundRow, Key, Keymap};
use pitree_tui::picker::Picker;
use pitree_tui::screen::{Ending, Event, Screen, Transition};
use pitree_tui::tree::{Purpose, TreeScreen};

use crate::screens::harness::{Driven, SMALL, environment, state};
use crate::screens::shop::{shop, shop_with_long_message};
use crate::screens::view::{Home, answer, answer_of, reader_of, user, view_of};

/// The keys that Pi has by default in its picker and in its tree.
const PI_PICKER: &str = "up down pageUp pageDown enter escape ctrl+c tab ctrl+s ctrl+n ctrl+p \
                         ctrl+r ctrl+d ctrl+backspace";
const PI_TREE: &str = "up down left right pageUp pageDown ctrl+left alt+left ctrl+right alt+right \
                       enter ctrl+x shift+l shift+t backspace escape ctrl+c ctrl+d ctrl+t ctrl+u \
                       ctrl+l ctrl+a ctrl+o ctrl+shift+o";

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
    /// Pi, or an editor, gets the terminal.
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
                driven.app.state.copied.as_ref().is_some_and(|copied| copied.contains(text))
            }
            Ends => matches!(driven.step, Step::End(_)),
            RunsPi => matches!(driven.step, Step::Run(_)),
        }
    }
}

/// What is done by which action, on which screen, after and before which keys, and what is seen.
/// Behind a slash stands what does it besides keys, and which key of the test that is.
struct Check(&'static str, &'static str, &'static str, &'static str, Effect);

const LISTS: &[Check] = &[
    Check("picker.up", "picker", "Down", "", Cursor("Who swept")),
    Check("picker.down", "picker", "", "", Cursor("Write a price list")),
    Check("picker.down/Wheel", "picker", "", "", Cursor("Now plums")),
    Check("picker.pageUp", "picker", "End", "", Cursor("Who swept")),
    Check("picker.pageDown", "picker", "", "", Cursor("Now plums")),
    Check("picker.first", "picker", "End", "", Cursor("Who swept")),
    Check("picker.last", "picker", "", "", Cursor("Now plums")),
    Check("picker.unfold", "picker", "Down Left", "", Shows("Prices with pears")),
    Check("picker.fold", "picker", "Down", "", Hides("Prices with pears")),
    Check("picker.open", "picker", "", "", Ends),
    Check("picker.openInPi", "picker", "", "", RunsPi),
    Check("picker.search", "picker", "", "", Hides("to search names")),
    Check("picker.mark", "picker", "", "", Shows("1 marked")),
    Check("picker.markRange", "picker", "Space Down", "", Shows("3 marked")),
    Check("picker.export", "picker", "", "", Shows("Export it to HTML")),
    Check("picker.previewUp", "preview", "", "", Shows("number 32")),
    Check("picker.previewDown", "preview", "Shift+Up", "", Hides("number 32")),
    Check("picker.search/p", "picker", "", "", Shows("/ p")),
    Check("picker.back", "picker", "", "", Ends),
    Check("picker.back", "picker", "p Esc", "", Hides("/ p")),
    Check("picker.nextScope", "picker", "", "", Shows("Water the roses")),
    Check("picker.previousScope", "picker", "", "", Shows("Water the roses")),
    Check("picker.sort", "picker", "", "", Shows("recent ·")),
    Check("picker.namedOnly", "picker", "", "", Hides("Who swept the floor?")),
    Check("picker.paths", "picker", "", "", Shows(".jsonl")),
    Check("picker.rename", "picker", "", "", Shows("Name")),
    Check("picker.delete", "picker", "", "", Shows("Delete “Who swept")),
    Check("picker.deleteIfEmpty", "picker", "", "", Shows("Delete “Who swept")),
    Check("picker.close", "picker", "p", "", Ends),
    Check("tree.up", "tree", "", "", Cursor("[bash]: cat main.rs")),
    Check("tree.down", "tree", "", "", Cursor("Yes, with a stream")),
    Check("tree.down/Wheel", "tree", "", "", Cursor("429 too many requests")),
    Check("tree.pageUp", "tree", "", "", Cursor("How do I read a file?")),
    Check("tree.pageDown", "tree", "Home PgDn", "", Cursor("use tokio::fs")),
    Check("tree.first", "tree", "", "", Cursor("How do I read a file?")),
    Check("tree.last", "tree", "Home", "", Cursor("use tokio::fs")),
    Check("tree.fold", "tree", "Up Up Up Up Up", "", Hides("Then use the file API")),
    Check("tree.unfold", "tree", "Up Up Up Up Up Ctrl+Left", "", Shows("Then use the file API")),
    Check("tree.go", "tree", "Home", "", Shows("Summarize the branch you leave?")),
    Check("tree.save", "tree", "Home", "", Ends),
    Check("tree.label", "tree", "", "", Shows("Label (empty to remove)")),
    Check("tree.nextLabel", "tree", "Home", "", Cursor("[simple] user: No, sync")),
    Check("tree.previousLabel", "tree", "Home", "", Cursor("[async] assistant: ")),
    Check("tree.labelTimes", "tree", "", "", Shows("[+label time]")),
    Check("tree.copy", "tree", "", "", Copies("Then use the file API")),
    Check("tree.filter.default", "tree", "Ctrl+u", "", Shows("assistant: Then use")),
    Check("tree.filter.noTools", "tree", "", "", Hides("[read: ~/project")),
    Check("tree.filter.userOnly", "tree", "", "", Hides("assistant: Then use")),
    Check("tree.filter.labeledOnly", "tree", "Home", "", Hides("How do I read a file?")),
    Check("tree.filter.all", "tree", "", "", Shows("[all]")),
    Check("tree.filter.next", "tree", "", "", Shows("[no-tools]")),
    Check("tree.filter.previous", "tree", "", "", Shows("[all]")),
    Check("tree.search/x", "tree", "", "", Shows("Type to search: x")),
    Check("tree.erase", "tree", "x y", "", Shows("Type to search: x\n")),
    Check("tree.back", "tree", "z z", "", Hides("Type to search: zz")),
    Check("tree.back", "tree", "", "", Ends),
    Check("fork.up", "fork", "", "", Cursor("Yes, with a stream")),
    Check("fork.down", "fork", "", "", Cursor("How do I read a file?")),
    Check("fork.down/Wheel", "fork", "Home", "", Cursor("No, synchronous please")),
    Check("fork.pageUp", "fork", "", "", Cursor("How do I read a file?")),
    Check("fork.pageDown", "fork", "Home", "", Cursor("No, synchronous please")),
    Check("fork.first", "fork", "", "", Cursor("How do I read a file?")),
    Check("fork.last", "fork", "Home", "", Cursor("No, synchronous please")),
    Check("fork.fork", "fork", "", "", Ends),
    Check("fork.clone", "fork", "", "", Ends),
    Check("fork.close", "fork", "", "", Ends),
    Check("sheet.up", "view", "? Down", "", Shows("send the message")),
    Check("sheet.down", "view", "?", "", Hides("send the message")),
    Check("sheet.down/Wheel", "view", "?", "", Hides("send the message")),
    Check("sheet.pageUp", "view", "? Down", "", Shows("send the message")),
    Check("sheet.pageDown", "view", "?", "", Hides("send the message")),
    Check("sheet.close/Esc", "view", "?", "", Hides("send the message")),
    Check("sheet.close/x", "view", "?", "", Shows("› x")),
    Check("global.help", "picker", "", "", Shows("┌ Keys")),
    Check("global.help", "tree", "", "", Shows("┌ Keys")),
    Check("global.help", "fork", "", "", Shows("┌ Keys")),
    Check("global.help", "view", "", "", Shows("┌ Keys")),
];

const READING: &[Check] = &[
    Check("read.down", "reader", "k", "", Cursor("done at last")),
    Check("read.up", "reader", "", "", Hides("› done at last")),
    Check("read.pageDown", "reader", "g Ctrl+f Ctrl+f", "", Cursor("done at last")),
    Check("read.pageUp", "reader", "", "", Shows("entries from here to the end")),
    Check("read.first", "reader", "", "", Cursor("the first question")),
    Check("read.last", "reader", "g", "", Cursor("done at last")),
    Check("read.nextPrompt", "reader", "g", "", Cursor("the last question")),
    Check("read.previousPrompt", "reader", "", "", Cursor("the last question")),
    Check("read.nextError", "reader", "g", "", Cursor("went wrong")),
    Check("read.previousError", "reader", "", "", Cursor("went wrong")),
    Check("read.find", "reader", "", "x Enter", Shows("/x ")),
    Check("read.findNext", "reader", "/ q u e s t Enter", "", Shows("/quest 2/2")),
    Check("read.findPrevious", "reader", "g / q u e s t Enter n", "", Shows("/quest 1/2")),
    Check("read.fold", "reader", "{ k", "", Shows("all that the tool wrote, line 2")),
    Check("read.copy", "reader", "", "", Copies("done at last")),
    Check("read.copyCode", "reader", "", "", Copies("code of it")),
    Check("read.edit", "reader", "", "", RunsPi),
    Check("read.tree", "reader", "", "", Shows("Session tree")),
    Check("read.fork", "reader", "", "", Shows("Message 2 of 2")),
    Check("read.command", "reader", "", "c o s t Enter", Shows("┌ Cost")),
    Check("read.write", "reader", "", "", Shows("Say something")),
    Check("read.quit", "reader", "", "", Ends),
    Check("view.pageUp", "reader", "", "", Shows("entries from here to the end")),
    Check("view.tools", "reader", "", "", Shows("all that the tool wrote, line 30")),
    Check("view.tree", "reader", "", "", Shows("Session tree")),
    Check("view.exit", "reader", "", "", Ends),
    Check("global.help", "reader", "", "", Shows("┌ Keys")),
];

const TYPING: &[Check] = &[
    Check("input.submit", "view", "h i", "", Shows("Saved.")),
    Check("input.newLine", "view", "a", "b", Shows("› a\n  b")),
    Check("input.newLine/Enter", "view", "a \\", "b", Shows("› a\n  b")),
    Check("view.pageUp", "view", "", "", Shows("entries from here to the end")),
    Check("view.pageDown", "view", "Shift+Up", "", Hides("entries from here to the end")),
    Check("view.pageDown/Wheel", "view", "Shift+Up", "", Hides("entries from here to the end")),
    Check("view.lineUp", "view", "", "", Shows("entries from here to the end")),
    Check("view.lineDown", "view", "Shift+Up", "", Hides("entries from here to the end")),
    Check("view.previousPrompt", "view", "", "", Shows("entries from here to the end")),
    Check("view.nextPrompt", "view", "Shift+Up", "", Hides("entries from here to the end")),
    Check("view.top", "view", "", "", Shows("the first question")),
    Check("view.bottom", "view", "Ctrl+Home", "", Hides("entries from here to the end")),
    Check("view.tools", "view", "", "", Shows("all that the tool wrote, line 30")),
    Check("view.thinking", "view", "", "", Shows("that is long")),
    Check("view.savePosition", "view", "", "", Shows("The position is saved already.")),
    Check("view.openInPi", "view", "", "", RunsPi),
    Check("view.copy", "view", "", "", Copies("done at last")),
    Check("view.interrupt", "view", "Esc", "", Shows("Session tree")),
    Check("view.clear", "view", "a b c", "", Hides("› abc")),
    Check("view.clear", "view", "", "", Ends),
    Check("view.exit", "view", "", "", Ends),
    Check("view.complete", "view", "/ c o m", "", Shows("› /compact\nsession")),
    Check("view.new", "view", "", "", Shows("A new session.")),
    Check("view.tree", "view", "", "", Shows("Session tree")),
    Check("view.fork", "view", "", "", Shows("Message 2 of 2")),
    Check("view.resume", "view", "", "", Shows("Sessions  ")),
    Check("edit.up", "view", "", "", Shows("› the last question")),
    Check("edit.up", "view", "a Ctrl+j b", "x", Shows("› ax\n  b")),
    Check("edit.down", "view", "Up", "", Hides("› the last question")),
    Check("edit.down", "view", "a Ctrl+j b Up", "x", Shows("› a\n  bx")),
    Check("edit.left", "view", "a b", "x", Shows("› axb")),
    Check("edit.right", "view", "a b Home", "x", Shows("› axb")),
    Check("edit.wordLeft", "view", "a Space b c", "x", Shows("› a xbc")),
    Check("edit.wordRight", "view", "a Space b c Home", "x", Shows("› a xbc")),
    Check("edit.lineStart", "view", "a b", "x", Shows("› xab")),
    Check("edit.lineEnd", "view", "a b Home", "x", Shows("› abx")),
    Check("edit.pageUp", "long text", "", "", Shows("the first line")),
    Check("edit.pageDown", "long text", "PgUp", "", Hides("the first line")),
    Check("edit.deleteBefore", "view", "a b c", "", Shows("› ab\n")),
    Check("edit.deleteAfter", "view", "a b c Home", "", Shows("› bc")),
    Check("edit.deleteWordBefore", "view", "a Space b c", "x", Shows("› a x\n")),
    Check("edit.deleteWordAfter", "view", "a Space b c Home", "x", Shows("› x bc")),
    Check("edit.deleteToStart", "view", "a b c Left", "", Shows("› c")),
    Check("edit.deleteToEnd", "view", "a b c Home Right", "x", Shows("› ax\n")),
    Check("edit.yank", "view", "a b Ctrl+w", "", Shows("› ab")),
    Check("edit.undo", "view", "a b Ctrl+w", "", Shows("› ab")),
    Check("edit.redo", "view", "a b Ctrl+w Ctrl+-", "", Hides("› ab")),
    Check("dialog.up", "tree", "Home Enter", "", Shows("› Write the summary")),
    Check("dialog.down", "tree", "Home Enter", "", Shows("› Write the summary")),
    Check("dialog.first", "tree", "Home Enter Down", "", Shows("› No summary")),
    Check("dialog.last", "tree", "Home Enter", "", Shows("› Write the summary")),
    Check("dialog.accept", "tree", "Home Enter Down", "", Shows("What should the model know")),
    Check("dialog.cancel", "tree", "Home Enter", "", Hides("Summarize the branch")),
    Check("dialog.cancel", "picker", "Ctrl+r", "", Hides("Name")),
    Check("dialog.yes", "view", "/delete", "", Hides("Move this session to the trash")),
    Check("dialog.yes", "picker", "Ctrl+d", "", Hides("Delete “Who swept")),
    Check("dialog.no", "view", "/delete", "", Shows("Nothing was changed.")),
    Check("dialog.no", "picker", "Ctrl+d", "", Hides("Delete “Who swept")),
];

/// What is seen after the commands of the view.
const COMMANDS: &[(&str, Effect)] = &[
    ("/resume", Shows("Sessions  ")),
    ("/tree", Shows("Session tree")),
    ("/fork", Shows("Message 2 of 2")),
    ("/clone", Shows("This is the clone.")),
    ("/new", Shows("A new session.")),
    ("/name", Shows("The session has no name")),
    ("/label", Shows("The last message has no label: /label TEXT")),
    ("/goto", Shows("The position is saved already.")),
    ("/model", Shows("The model is anthropic/claude-sonnet-4-5")),
    ("/thinking", Shows("No thinking level is set")),
    ("/session", Shows("Directory")),
    ("/cost", Shows("┌ Cost")),
    ("/compact", Shows("Nothing to compact")),
    ("/export", Shows("Exported to")),
    ("/import", Shows("Which file?")),
    ("/copy", Copies("done at last")),
    ("/search", Shows("Sessions  ")),
    ("/delete", Shows("Move this session to the trash")),
    ("/help", Shows("┌ Keys")),
    ("/quit", Ends),
];

/// Actions of the loop around the screens, and the test that presses their keys.
const ELSEWHERE: &[(&str, &str, &str)] =
    &[("global.suspend", "../cli/tests/screens/endings.rs", "C-z")];

/// A screen, with what its files lie in.
struct Stage {
    driven: Driven,
    _home: Box<dyn std::any::Any>,
}

/// A picker with a long message in its preview.
fn preview_stage() -> Stage {
    let home = shop_with_long_message();
    let state = home.state();
    let picker = Picker::new(&state, Scope::Directory, "", |_, _| Transition::End(Ending::Quit));
    let mut driven = Driven::new(state, Box::new(picker), SMALL);
    driven.wait_for("number 40");
    Stage { driven, _home: Box::new(home) }
}

fn stage(screen: &str) -> Stage {
    match screen {
        "tree" | "fork" | "long text" => {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("session.jsonl");
            fs_err::write(&path, include_str!("fixtures/branches.jsonl")).unwrap();
            let environment = environment("/home/ana".as_ref(), "/srv/project".as_ref());
            let mut state = state(&environment, folder.path());
            state.begin(Session::open(&path, &environment).unwrap()).unwrap();
            let driven = match screen {
                "fork" => {
                    let fork = ForkScreen::open(&state, Purpose::Alone).unwrap();
                    Driven::new(state, Box::new(fork), SMALL)
                }
                _ => {
                    let tree = TreeScreen::open(&state, Purpose::Alone).unwrap().unwrap();
                    Driven::new(state, Box::new(tree), SMALL)
                }
            };
            let mut driven = driven;
            if screen == "long text" {
                driven.press("Home Enter Down Enter");
                // In parts, since a long paste is a marker.
                let half = "line\n".repeat(5);
                for part in ["the first line\n", &half, &half] {
                    driven.event(&Event::Paste(part.to_owned()));
                }
            }
            Stage { driven, _home: Box::new(folder) }
        }
        "preview" => preview_stage(),
        "picker" => {
            let home = shop();
            let mut state = home.state();
            state.allowed.pi = Some("/usr/bin/pi".into());
            let picker =
                Picker::new(&state, Scope::Directory, "", |_, _| Transition::End(Ending::Quit));
            let mut driven = Driven::new(state, Box::new(picker), SMALL);
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
            let result = |text: &serde_json::Value, is_error: bool| {
                format!(
                    r#""type":"message","message":{{"role":"toolResult","toolCallId":"c","toolName":"bash","isError":{is_error},"content":[{{"type":"text","text":{text}}}]}}"#
                )
            };
            let home = Home::with(&[
                user("the first question"),
                answer(&"a long answer\n\n".repeat(20)),
                user("the last question"),
                answer_of(&format!("{thought},{call}")),
                result(&text, false),
                result(&"it went wrong".into(), true),
                answer("```\ncode of it\n```\n\ndone at last"),
            ]);
            let mut state = home.state();
            state.allowed.pi = Some("/usr/bin/pi".into());
            if screen == "reader" {
                let tmp = home.path().to_str().unwrap();
                state.environment =
                    state.environment.with_var("EDITOR", "vi").with_var("TMPDIR", tmp);
                return Stage { driven: reader_of(state, SMALL), _home: Box::new(home) };
            }
            Stage { driven: view_of(state, SMALL), _home: Box::new(home) }
        }
    }
}

/// Presses keys, or types a command and runs it.
fn press(driven: &mut Driven, keys: &str) {
    match keys {
        "" => {}
        command if command.starts_with('/') && command.len() > 1 && !command.contains(' ') => {
            driven.type_text(command);
            driven.press("Esc Enter");
        }
        "Wheel" => driven.event(&Event::Wheel(3)),
        keys => driven.press(keys),
    }
}

/// What is pressed.
#[derive(Clone, Copy)]
enum Pressed<'k> {
    Key(Key),
    Words(&'k str),
}

/// Presses something and waits for what is to be seen then.
fn check(check: &Check, pressed: Pressed<'_>, keymap: &Keymap) -> Result<(), String> {
    let Check(name, screen, before, after, effect) = check;
    let Stage { mut driven, _home } = stage(screen);
    press(&mut driven, before);
    driven.app.state.copied = None;
    if effect.is_there(&driven) {
        return Err(format!("{screen}: {name}: its effect was there before\n{}", driven.text()));
    }
    driven.app.state.keymap = keymap.clone();
    let label = match pressed {
        Pressed::Key(key) => {
            driven.event(&Event::Key(key.event()));
            key.label()
        }
        Pressed::Words(words) => {
            press(&mut driven, words);
            words.to_owned()
        }
    };
    press(&mut driven, after);
    // Some effects come from threads.
    for _ in 0..2_500 {
        if effect.is_there(&driven) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
        driven.event(&Event::ThreadMessages);
    }
    Err(format!("{screen}: {name}: {label} does not do it\n{}", driven.text()))
}

/// The keymap of a user who has given F9 to an action.
fn with_f9(name: &str) -> Keymap {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/pitree");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("config.json"), format!(r#"{{"keys": {{"{name}": "f9"}}}}"#))
        .unwrap();
    Keymap::load(&environment(home.path(), "/srv".as_ref())).unwrap()
}

/// Checks a row of the keymap: by each of its keys, by a key that the user gives it, and by what
/// the help names besides.
fn check_row(row: &BoundRow, wrong: &mut Vec<String>) {
    let checks = || LISTS.iter().chain(READING).chain(TYPING);
    let by_key: Vec<&Check> = checks().filter(|check| check.0 == row.name).collect();
    if let Some((_, file, keys)) = ELSEWHERE.iter().find(|(name, ..)| *name == row.name) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        assert!(fs_err::read_to_string(path).unwrap().contains(keys), "{file} presses no {keys}");
    } else if by_key.is_empty() && row.is_action {
        wrong.push(format!("nobody checks {}", row.name));
    }
    let f9 = Pressed::Key(Key::parse("f9").unwrap());
    for one in by_key {
        for key in &row.keys {
            wrong.extend(check(one, Pressed::Key(*key), &Keymap::default()).err());
        }
        wrong.extend(check(one, f9, &with_f9(row.name)).err());
    }
    if row.words.is_empty() {
        return;
    }
    let prefix = format!("{}/", row.name);
    let mut is_checked = false;
    for one in checks().filter(|check| check.0.starts_with(&prefix)) {
        let words = Pressed::Words(&one.0[prefix.len()..]);
        wrong.extend(check(one, words, &Keymap::default()).err());
        is_checked = true;
    }
    if !is_checked {
        wrong.push(format!("{}: nobody checks {}", row.name, row.words));
    }
}

#[test]
fn every_key_does_what_it_should() {
    let mut wrong = Vec::new();
    let rows = Keymap::default().sections().into_iter().flat_map(|section| section.rows);
    rows.for_each(|row| check_row(&row, &mut wrong));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_binding_without_a_case_fails() {
    let sections = Keymap::default().sections();
    let mut row = sections[0].rows[0].clone();
    row.name = "picker.brandNew";
    let mut wrong = Vec::new();
    check_row(&row, &mut wrong);
    assert_eq!(wrong, ["nobody checks picker.brandNew"]);
    row.words = "a wink";
    wrong.clear();
    check_row(&row, &mut wrong);
    assert_eq!(wrong.last().unwrap(), "picker.brandNew: nobody checks a wink");
    // And a case without a binding is one that nobody runs.
    let rows = || sections.iter().flat_map(|section| &section.rows);
    for Check(name, ..) in LISTS.iter().chain(READING).chain(TYPING) {
        let name = name.split('/').next().unwrap();
        assert!(rows().any(|row| row.name == name), "there is no {name}");
    }
}

#[test]
fn every_command_does_what_it_should() {
    let home = Home::with(&[user("hello")]);
    let mut state = home.state();
    state.opens_writing = true;
    let view = pitree_tui::view::SessionView::new(&state);
    let help = view.help(&Keymap::default());
    let mut unchecked: BTreeSet<&str> = help
        .iter()
        .filter_map(|line| line.keys.split_whitespace().next())
        .filter(|word| word.starts_with('/'))
        .collect();
    let mut wrong = Vec::new();
    for (command, effect) in COMMANDS {
        unchecked.remove(command);
        let Stage { mut driven, _home } = stage("view");
        press(&mut driven, command);
        for _ in 0..2_500 {
            if effect.is_there(&driven) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
            driven.event(&Event::ThreadMessages);
        }
        if !effect.is_there(&driven) {
            wrong.push(format!("{command} does not do it\n{}", driven.text()));
        }
    }
    wrong.extend(unchecked.into_iter().map(|command| format!("nobody checks {command}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_question_takes_no_key_that_was_pressed_before_it_was_seen() {
    for (screen, question, words) in [
        ("picker", "Ctrl+d", "Delete “Who swept"),
        ("view", "/ d e l e t e Esc Enter", "Move this session to the trash"),
    ] {
        for blind in ["y", "n", "Enter", "Esc", "y e s Enter"] {
            let Stage { mut driven, _home } = stage(screen);
            driven.press_ahead(&format!("{question} {blind}"));
            assert!(driven.text().contains(words), "{screen}, {blind}\n{}", driven.text());
            driven.press("n");
            assert!(!driven.text().contains(words), "{screen}, {blind}\n{}", driven.text());
        }
    }
}

#[test]
fn enter_answers_no_question() {
    for (screen, question, words) in [
        ("picker", "Ctrl+d", "Delete “Who swept"),
        ("picker", "Ctrl+x", "Export it to HTML"),
        ("view", "/delete", "Move this session to the trash"),
    ] {
        let Stage { mut driven, _home } = stage(screen);
        press(&mut driven, question);
        driven.press("Enter Enter");
        assert!(driven.text().contains(words), "{screen}\n{}", driven.text());
        driven.press("n");
        assert!(!driven.text().contains(words), "{screen}\n{}", driven.text());
    }
}

#[test]
fn the_default_keys_of_pi_are_bound() {
    let keymap = Keymap::default();
    let key = |text| Key::parse(text).unwrap();
    let unbound: Vec<&str> = PI_PICKER
        .split_whitespace()
        .filter(|text| keymap.picker.action(key(text)).is_none())
        .chain(PI_TREE.split_whitespace().filter(|text| keymap.tree.action(key(text)).is_none()))
        .collect();
    assert!(unbound.is_empty(), "{unbound:?}");
}
