//! The view as a reader: moving, finding, copying, and that nothing is written.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pitree_tui::app::Step;
use pitree_tui::screen::{Event, MouseAction};
use pitree_tui::state::OpenAt;
use pitree_tui::theme::{Rgb, TerminalAnswer, ThemeChoice};
use proptest::prelude::*;

use super::{Home, answer, answer_of, line, reader_of, user};
use crate::screens::harness::{Driven, SMALL};

fn failed(text: &str) -> String {
    format!(
        r#""type":"message","message":{{"role":"toolResult","toolCallId":"c","toolName":"bash","isError":true,"content":[{{"type":"text","text":"{text}"}}]}}"#
    )
}

/// A conversation that is longer than the screen.
fn conversation() -> Vec<String> {
    let call = r#"{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"make"}}"#;
    vec![
        user("the first question"),
        answer(&"a long answer\n\n".repeat(20)),
        user("the second question"),
        answer_of(call),
        failed("no rule to make target\\nneedle in the output"),
        answer("Use `make all`:\n\n```sh\nmake all\n```\n\nor\n\n```sh\nmake clean\n```"),
        user("the last question"),
        answer("done at last, with a needle"),
    ]
}

fn reader(home: &Home) -> Driven {
    reader_of(home.state(), SMALL)
}

/// The row with the cursor.
fn cursor(driven: &Driven) -> String {
    let screen = driven.text();
    let row = screen.lines().find(|row| row.starts_with('›'));
    row.unwrap_or_else(|| panic!("no cursor\n{screen}")).to_owned()
}

#[test]
fn it_opens_as_a_reader_at_the_end() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    driven.wait_for("of 200k");
    driven.wait_for("$0.0492");
    driven.snapshot("reader");
    driven.press("?");
    driven.snapshot("reader-help");
    driven.press("q");
    assert!(!driven.text().contains("┌ Keys"), "q closes the help, and no more");
    assert_eq!(driven.step, Step::Draw);
}

#[test]
fn the_cursor_moves_by_rows_messages_and_errors() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    assert!(cursor(&driven).contains("done at last"));
    for (keys, row) in [
        ("[", "the last question"),
        ("[", "the second question"),
        ("{", "› "),
        ("]", "the last question"),
        ("[", "the second question"),
        ("}", "no rule to make target"),
        ("g", "the first question"),
        ("j j", "a long answer"),
        ("k k", "the first question"),
        ("Shift+G", "done at last"),
        ("{", "no rule to make target"),
        ("Down", "›"),
        ("End", "done at last"),
    ] {
        driven.press(keys);
        assert!(cursor(&driven).contains(row), "{keys}: {row}\n{}", driven.text());
    }
    driven.press("}");
    assert!(driven.text().contains("No error below."), "{}", driven.text());
    // What the user stopped is not an error.
    home.append(8, &answer("stopped").replace("\"stop\"", "\"aborted\""));
    driven.wait_for("(aborted)");
    driven.press("g } }");
    assert!(driven.text().contains("No error below."), "{}", driven.text());
}

#[test]
fn pages_end_at_the_ends() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    driven.press("Ctrl+b Ctrl+b Ctrl+b Ctrl+b Ctrl+b");
    assert!(cursor(&driven).contains("the first question"), "{}", driven.text());
    driven.press("Ctrl+f Space Ctrl+f Ctrl+f Ctrl+f");
    assert!(cursor(&driven).contains("done at last"), "{}", driven.text());
}

#[test]
fn words_are_found_with_a_count_also_where_they_are_folded() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    driven.press("g /");
    driven.type_text("NEEDLE");
    driven.press("Enter");
    assert!(driven.text().contains("Nothing here matches “NEEDLE”"), "{}", driven.text());
    driven.press("/");
    driven.type_text("needle");
    driven.press("Enter");
    assert!(driven.text().contains("/needle 1/2"), "{}", driven.text());
    assert!(cursor(&driven).contains("needle in the output"), "{}", driven.text());
    driven.press("n");
    assert!(driven.text().contains("/needle 2/2"), "{}", driven.text());
    assert!(cursor(&driven).contains("with a needle"), "{}", driven.text());
    driven.press("n");
    assert!(driven.text().contains("/needle 1/2"), "{}", driven.text());
    assert!(driven.text().contains("Continued from the top."), "{}", driven.text());
    driven.press("Shift+N");
    assert!(driven.text().contains("/needle 2/2"), "{}", driven.text());
    driven.snapshot("reader-find");
    // What is appended counts, and the cursor at the end stays there.
    home.append(8, &answer("one more needle"));
    driven.wait_for("/needle 3/3");
    driven.press("Esc");
    assert!(!driven.text().contains("/needle"), "{}", driven.text());
    for (query, count) in
        [("re:n[aeiou]{2}dl?e", "1/3"), ("needle role:tool", "1/1"), ("\"a needle\"", "1/1")]
    {
        driven.press("g /");
        driven.type_text(query);
        driven.press("Enter");
        driven.wait_for(&format!("/{query} {count}"));
        assert!(cursor(&driven).contains("needle"), "{query}\n{}", driven.text());
    }
    driven.press("/");
    driven.type_text("re:(");
    driven.press("Enter");
    assert!(driven.text().contains("after `re:` is not valid"), "{}", driven.text());
    driven.press("/ z z z Enter");
    assert!(driven.text().contains("Nothing here matches “zzz”"), "{}", driven.text());
    assert!(driven.text().contains("/zzz –/0"), "{}", driven.text());
}

#[test]
fn one_message_unfolds_without_the_others() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    driven.press("{");
    assert!(!driven.text().contains("needle in the output"));
    driven.press("o");
    assert!(driven.text().contains("needle in the output"), "{}", driven.text());
    assert!(driven.text().contains("▸ bash"), "the call is still folded\n{}", driven.text());
    driven.press("Enter");
    assert!(!driven.text().contains("needle in the output"), "{}", driven.text());
}

#[test]
fn the_tree_and_the_fork_list_begin_where_one_reads() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    driven.press("[ [ t");
    assert!(cursor(&driven).contains("user: the second question"), "{}", driven.text());
    assert!(driven.text().contains("Enter read"), "{}", driven.text());
    driven.press("Esc f");
    assert!(cursor(&driven).contains("the second question"), "{}", driven.text());
    driven.press("Esc");
    // A reply is after a message, and the tree has no row for a result.
    driven.press("g j j t");
    assert!(cursor(&driven).contains("assistant: a long answer"), "{}", driven.text());
    driven.press("Esc f");
    assert!(cursor(&driven).contains("the first question"), "{}", driven.text());
    driven.press("Esc i");
    driven.type_text("/tree");
    driven.press("Enter");
    assert!(cursor(&driven).contains("done at last"), "while writing, at the leaf");
}

#[test]
fn the_command_at_the_cursor_is_copied() {
    let call = |id: &str, command: &str| {
        format!(
            r#"{{"type":"toolCall","id":"{id}","name":"bash","arguments":{{"command":"{command}"}}}}"#
        )
    };
    let done = |id: &str, text: &str| failed(text).replace(r#""c""#, &format!(r#""{id}""#));
    let home = Home::with(&[
        user("make it"),
        answer_of(&call("c", "make -j4\\nmake check")),
        failed("    indented, and no code"),
        answer_of(&format!("{},{}", call("d", "make clean"), call("e", "make all"))),
        done("d", "cleaned"),
        done("e", "made"),
        r#""type":"message","message":{"role":"bashExecution","command":"make install","output":"","exitCode":0}"#.to_owned(),
    ]);
    let mut driven = reader(&home);
    for (row, command) in [
        ("indented", "make -j4\nmake check"),
        ("▸ bash make -j4", "make -j4\nmake check"),
        ("made", "make all"),
        ("cleaned", "make clean"),
        ("command: make all", "make all"),
        ("make install", "make install"),
    ] {
        driven.click(row);
        driven.press("Shift+Y");
        let copied = driven.app.state.copied.take();
        assert_eq!(copied.as_deref(), Some(command), "{row}\n{}", driven.text());
        assert!(driven.text().contains("The command was sent to"), "{}", driven.text());
    }
}

#[test]
fn messages_and_their_code_are_copied() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    let mut copied = |keys: &str| {
        driven.press(keys);
        driven.app.state.copied.take().unwrap_or_default()
    };
    assert_eq!(copied("y"), "done at last, with a needle");
    assert_eq!(copied("Shift+Y"), "", "there is no code");
    assert_eq!(
        copied("[ k k y"),
        "Use `make all`:\n\n```sh\nmake all\n```\n\nor\n\n```sh\nmake clean\n```"
    );
    assert_eq!(copied("Shift+Y"), "make clean\n", "the one at the cursor");
    assert_eq!(copied("k k Shift+Y"), "make all\n", "else one after the other");
    assert_eq!(copied("Shift+Y"), "make clean\n");
}

#[test]
fn a_message_opens_in_the_editor_of_the_user() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    driven.press("e");
    assert!(driven.text().contains("Set VISUAL or EDITOR"), "{}", driven.text());
    let tmp = home.path().join("tmp");
    fs_err::create_dir(&tmp).unwrap();
    let environment = driven.app.state.environment.clone();
    driven.app.state.environment =
        environment.with_var("EDITOR", "vi").with_var("TMPDIR", tmp.to_str().unwrap());
    driven.press("e");
    let Step::Run(program) = &driven.step else { panic!("{:?}", driven.step) };
    let file = std::path::PathBuf::from(program.arguments.last().unwrap());
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "done at last, with a needle");
    driven.event(&Event::Returned(Err(std::io::ErrorKind::NotFound.into())));
    assert!(driven.text().contains("The editor could not be started"), "{}", driven.text());
    assert!(!file.exists());
}

#[test]
fn the_composer_opens_and_closes() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    driven.type_text("i");
    assert!(driven.text().contains("Say something"), "{}", driven.text());
    driven.press("Esc");
    assert!(!driven.text().contains("Say something"), "{}", driven.text());
    driven.type_text("ihello");
    driven.press("Enter");
    driven.wait_for("Saved.");
    assert_eq!(home.lines().len(), 10);
}

#[test]
fn commands_follow_a_colon_and_those_that_write_ask_for_it() {
    let home = Home::with(&conversation());
    let before = fs_err::read(&home.file).unwrap();
    let mut driven = reader(&home);
    driven.type_text(":na");
    assert!(driven.text().contains(":name [NAME]"), "{}", driven.text());
    driven.press("Tab");
    driven.type_text("Make it");
    driven.press("Enter");
    assert!(driven.text().contains("This changes the session"), "{}", driven.text());
    driven.press("y");
    assert!(driven.text().contains("Nothing was changed."), "{}", driven.text());
    assert_eq!(fs_err::read(&home.file).unwrap(), before);
    driven.type_text(":name Make it");
    driven.press("Enter i");
    driven.wait_for("The session is now named Make it.");
    assert_eq!(home.lines().last().unwrap()["name"], "Make it");
    driven.type_text(":usr/bin/env");
    driven.press("Enter");
    assert!(driven.text().contains("Unknown command :usr/bin/env"), "{}", driven.text());
    driven.type_text(":tre");
    driven.press("Enter");
    assert!(driven.text().contains("Session tree"), "{}", driven.text());
}

#[test]
fn a_fork_ends_in_the_composer_with_the_message() {
    let home = Home::with(&conversation());
    let before = fs_err::read(&home.file).unwrap();
    let mut driven = reader(&home);
    driven.press("f Enter");
    driven.wait_for("Forked to a new session");
    assert!(driven.text().contains("› the last question"), "{}", driven.text());
    driven.type_text("!");
    assert!(driven.text().contains("› the last question!"), "{}", driven.text());
    assert_eq!(fs_err::read(&home.file).unwrap(), before);
}

/// A session with an abandoned branch, which begins at entry 8.
fn branched() -> Home {
    let home = Home::with(&conversation());
    let abandoned = |at: usize, parent: usize, text: &str| {
        line(at, &answer(text)).replace(
            &format!("\"parentId\":\"{:08x}\"", at - 1),
            &format!("\"parentId\":\"{parent:08x}\""),
        )
    };
    home.append_line(&abandoned(8, 2, "first words, abandoned"));
    home.append_line(&abandoned(9, 8, "the end of the abandoned branch"));
    home.append_line(&abandoned(10, 7, "the end of the active branch"));
    home
}

#[test]
fn a_session_is_opened_at_an_entry_with_words() {
    let home = branched();
    let before = fs_err::read(&home.file).unwrap();
    let open = |entry: &str, query: &str| {
        let mut state = home.state();
        state.open_at =
            Some(OpenAt { entry: Some(entry.to_owned()), offset: None, query: query.to_owned() });
        let mut driven = reader_of(state, SMALL);
        driven.event(&Event::ThreadMessages);
        driven
    };
    assert!(cursor(&open("00000002", "")).contains("the second question"));
    let driven = open("00000004", "needle output");
    assert!(cursor(&driven).contains("needle in the output"), "{}", driven.text());
    assert!(driven.text().contains("/needle output 1/1"), "{}", driven.text());
    let driven = open("00000008", "");
    assert!(cursor(&driven).contains("first words, abandoned"), "{}", driven.text());
    assert!(driven.text().contains("the end of the abandoned branch"), "{}", driven.text());
    assert!(driven.text().contains("not at the saved position"), "{}", driven.text());
    let driven = open("ffff", "");
    assert!(driven.text().contains("ffff"), "{}", driven.text());
    assert_eq!(fs_err::read(&home.file).unwrap(), before, "reading writes nothing");
}

#[test]
fn a_session_is_opened_at_words_that_are_folded_away() {
    let home = branched();
    let mut state = home.state();
    let entry = Some("00000004".to_owned());
    state.open_at = Some(OpenAt { entry, offset: None, query: "needle".to_owned() });
    let mut driven = reader_of(state, SMALL);
    assert!(!driven.text().contains("needle in the output"), "{}", driven.text());
    driven.event(&Event::ThreadMessages);
    assert!(cursor(&driven).contains("needle in the output"), "{}", driven.text());
    assert!(driven.text().contains("/needle 1/"), "{}", driven.text());
}

#[test]
fn the_tree_shows_an_entry_in_the_reader_and_writes_nothing() {
    let home = branched();
    let before = fs_err::read(&home.file).unwrap();
    let mut driven = reader(&home);
    driven.press("t");
    driven.press("Shift+L");
    assert!(driven.text().contains("open for reading"), "{}", driven.text());
    driven.press("Ctrl+s");
    assert!(driven.text().contains("open for reading"), "{}", driven.text());
    driven.type_text("second");
    driven.press("Enter");
    assert!(cursor(&driven).contains("the second question"), "{}", driven.text());
    driven.press("t");
    driven.type_text("words");
    driven.press("Enter");
    assert!(cursor(&driven).contains("first words, abandoned"), "{}", driven.text());
    assert_eq!(fs_err::read(&home.file).unwrap(), before);
}

#[test]
fn a_click_selects_and_folds() {
    let home = Home::with(&conversation());
    let mut driven = reader(&home);
    driven.click("or");
    driven.click("the second question");
    assert!(cursor(&driven).contains("the second question"), "{}", driven.text());
    driven.click("└ no rule");
    assert!(driven.text().contains("needle in the output"), "{}", driven.text());
    assert!(cursor(&driven).contains("no rule"), "{}", driven.text());
    // Twice at one place: the second click is the one that folds what has no mark.
    driven.click("needle in the output");
    driven.click("needle in the output");
    assert!(!driven.text().contains("needle in the output"), "{}", driven.text());
    // Outside of the conversation nothing happens.
    driven.click("session 0190aaaa");
    driven.mouse(MouseAction::Wheel(-3), 5, 5);
    assert!(driven.text().contains("entries from here to the end"), "{}", driven.text());
}

#[test]
fn the_theme_follows_the_background() {
    let home = Home::with(&conversation());
    let environment =
        home.environment.clone().with_var("TERM", "xterm").with_var("COLORTERM", "truecolor");
    let mut state = home.state();
    let choice = ThemeChoice::load(&environment, true);
    (state.theme, state.theme_choice) = (choice.now, Some(choice));
    let mut driven = reader_of(state, SMALL);
    let cursor_color = |driven: &Driven| {
        let screen = driven.screen();
        let row = (0..24).find(|row| screen.cell(*row, 0).is_some_and(|it| it.contents() == "›"));
        screen.cell(row.unwrap(), 0).unwrap().fgcolor()
    };
    assert_eq!(cursor_color(&driven), vt100::Color::Idx(6), "the terminal's own cyan");
    let mut on = |color| {
        driven.event(&Event::Answer(TerminalAnswer::Background(color)));
        cursor_color(&driven)
    };
    let (dark, light) = (on(Rgb(0, 0, 0)), on(Rgb(255, 255, 255)));
    assert!(matches!((dark, light), (vt100::Color::Rgb(..), vt100::Color::Rgb(..))));
    assert_ne!(dark, light);
}

#[test]
fn a_theme_that_is_not_there_is_said_once() {
    let home = Home::with(&conversation());
    let settings = home.path().join(".pi/agent/settings.json");
    fs_err::create_dir_all(settings.parent().unwrap()).unwrap();
    fs_err::write(settings, r#"{"theme": "missing"}"#).unwrap();
    let mut state = home.state();
    let choice = ThemeChoice::load(&home.environment, true);
    (state.theme, state.theme_choice) = (choice.now, Some(choice));
    let mut driven = reader_of(state, SMALL);
    let problem = "Theme “missing”: there is no such theme. Using the system theme.";
    assert!(driven.text().contains(problem), "{}", driven.text());
    driven.press("j");
    assert!(!driven.text().contains("Theme"), "{}", driven.text());
}

/// Keys that somebody presses by habit: whatever can be typed but the key that opens the composer,
/// Enter, and what moves.
fn habit() -> impl Strategy<Value = KeyEvent> {
    let typed: Vec<char> = (' '..='~').filter(|c| *c != 'i').collect();
    let keys = [KeyCode::Enter, KeyCode::Esc, KeyCode::Up, KeyCode::Backspace, KeyCode::Tab];
    prop_oneof![
        6 => proptest::sample::select(typed).prop_map(|c| KeyEvent::from(KeyCode::Char(c))),
        3 => Just(KeyEvent::from(KeyCode::Enter)),
        1 => proptest::sample::select(keys.to_vec()).prop_map(KeyEvent::from),
        1 => proptest::sample::select(vec!['s', 'g', 't', 'x', 'n', 'j'])
            .prop_map(|c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)),
    ]
}

/// Lines that somebody may type by habit, each before the keys.
const LINES: [&str; 12] = [
    "hello\r",
    "/name x\r",
    ":name x\r",
    ":label x\ry",
    ":goto\r\r",
    ":compact\ry",
    ":delete\ry\ry",
    ":new\rhello\r",
    "!rm\r",
    ":!rm\r",
    ": hello\r",
    "tLabel\r\r",
];

fn press_all(driven: &mut Driven, keys: &[KeyEvent]) {
    for key in keys {
        if matches!(driven.step, Step::End(_)) {
            return;
        }
        driven.event(&Event::Key(*key));
    }
}

proptest! {
    #![proptest_config(pitree_testkit::properties(24))]

    #[test]
    fn nothing_typed_in_the_reader_reaches_the_file(
        first in proptest::sample::select(LINES.to_vec()),
        keys in proptest::collection::vec(habit(), 0..40),
    ) {
        let home = Home::with(&conversation());
        let before = fs_err::read(&home.file).unwrap();
        let mut driven = reader(&home);
        let typed: Vec<KeyEvent> = first.chars().map(|c| KeyEvent::from(match c {
            '\r' => KeyCode::Enter,
            c => KeyCode::Char(c),
        })).collect();
        press_all(&mut driven, &typed);
        press_all(&mut driven, &keys);
        driven.event(&Event::Paste("pasted\rtext\r".to_owned()));
        drop(driven);
        prop_assert_eq!(fs_err::read(&home.file).unwrap(), before);
    }
}
