//! The resume picker, each of its keys pressed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};

use pitree_session::Environment;
use pitree_store::Scope;
use pitree_tui::app::Step;
use pitree_tui::picker::Picker;
use pitree_tui::screen::{ChosenSession, Ending, Event, Program, Transition};
use pitree_tui::state::{AppState, OpenAt};

use crate::screens::harness::{Driven, LARGE, SMALL, patient};
use crate::screens::shop::{Home, Written, shop};

mod chosen;
mod mouse;

fn on_choice(chosen: ChosenSession, _desk: &mut AppState) -> Transition {
    Transition::End(Ending::Chosen(chosen))
}

fn picker_with(state: AppState, size: (u16, u16)) -> Driven {
    let picker = Picker::new(&state, Scope::Directory, "", on_choice);
    let mut driven = Driven::new(state, Box::new(picker), size);
    driven.wait_until("loaded", |screen| !screen.contains("loading"));
    driven
}

fn picker(home: &Home, size: (u16, u16)) -> Driven {
    let mut driven = picker_with(home.state(), size);
    driven.wait_for("broom");
    driven
}

/// The row with the cursor.
fn selected(driven: &Driven) -> String {
    let text = driven.text();
    let row = text.lines().find(|line| line.starts_with('›'));
    row.unwrap_or_default().trim_start_matches("› ").to_owned()
}

#[track_caller]
fn assert_selected(driven: &Driven, title: &str) {
    let row = selected(driven);
    assert!(row.contains(title), "selected is {row:?}\n{}", driven.text());
}

/// The rows of the list, as far as their titles go.
fn titles(driven: &Driven) -> Vec<String> {
    let text = driven.text();
    let rows = text.lines().skip(2).take_while(|line| !line.starts_with(['─', 'E']));
    let left = rows.map(|line| line.chars().take(100).collect::<String>());
    let words = left.map(|line| line.trim_start_matches(['›', ' ', '│', '├', '└', '─']).to_owned());
    words.filter(|row| !row.is_empty()).map(|row| row.chars().take(9).collect()).collect()
}

#[test]
fn the_list_is_threaded_and_has_a_preview() {
    let home = shop();
    picker(&home, SMALL).snapshot("picker-80x24");
    let mut driven = picker(&home, LARGE);
    driven.press("Down");
    driven.wait_for("Apples are on it now.");
    driven.snapshot("picker-200x60");
}

#[test]
fn arrows_pages_and_letters_move() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    assert_selected(&driven, "Who swept");
    driven.press("Down");
    assert_selected(&driven, "Write a price list");
    driven.press("j");
    assert_selected(&driven, "Prices with pears");
    driven.press("k");
    assert_selected(&driven, "Write a price list");
    driven.press("Up Up Up");
    assert_selected(&driven, "Who swept");
    driven.press("PgDn");
    assert_selected(&driven, "Now plums");
    driven.press("Down");
    assert_selected(&driven, "Now plums");
    driven.press("PgUp");
    assert_selected(&driven, "Who swept");
    driven.press("End");
    assert_selected(&driven, "Now plums");
    driven.press("Home");
    assert_selected(&driven, "Who swept");
    driven.event(&Event::Wheel(3));
    assert_selected(&driven, "Now plums");
    driven.event(&Event::Wheel(-3));
    assert_selected(&driven, "Who swept");
}

#[test]
fn letters_search_and_escape_goes_back_step_by_step() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.press("/");
    driven.type_text("jk");
    assert!(driven.text().contains("/ jk"), "in the field they are letters");
    driven.press("Ctrl+u");
    driven.type_text("pears");
    assert_eq!(titles(&driven), ["Prices wi"]);
    driven.wait_until("the preview, and the end of the search", |screen| {
        screen.contains("Pears cost two.") && !screen.contains("searching")
    });
    driven.snapshot("picker-search");
    driven.press("Esc");
    driven.press("j");
    assert!(driven.text().contains("/ pears"), "the list has the focus again");
    driven.press("Esc");
    assert_eq!(titles(&driven).len(), 4);
    driven.press("Esc");
    assert_eq!(driven.step, Step::End(Ending::Quit));

    let mut driven = picker(&home, SMALL);
    driven.press("w");
    assert!(driven.text().contains("/ w"), "any other letter searches at once");
    driven.press("Backspace Ctrl+c");
    assert_eq!(driven.step, Step::End(Ending::Quit));
}

#[test]
fn what_was_said_meanwhile_is_found() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.type_text("room");
    driven.wait_until("found", |screen| screen.contains("relevance · 1/1"));
    home.write(&Written {
        id: "ffff6666",
        cwd: "shop",
        name: None,
        said: &["Where is it?", "The mushrooms are in the cellar."],
        parent: None,
        hours_ago: 1,
    });
    // As when Pi has ended, or the view above.
    driven.event(&Event::Uncovered);
    driven.wait_until("found too", |screen| screen.contains("relevance · 1/2"));
}

#[test]
fn messages_are_searched_too() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.type_text("broo");
    driven.wait_until("found", |screen| screen.contains("1/1"));
    assert_selected(&driven, "Who swept");
    driven.press("Ctrl+u");
    driven.type_text("\"he broo\" rOOm"); // anywhere in a word, as in Pi
    driven.wait_until("found", |screen| screen.contains("1/1"));
    assert_selected(&driven, "Who swept");
    driven.press("Ctrl+u");
    driven.type_text("\"sold out\" now");
    driven.wait_until("found", |screen| screen.contains("1/1"));
    assert_selected(&driven, "Now plums");
    driven.press("Ctrl+u");
    driven.type_text("re:BR.OM");
    driven.wait_until("found", |screen| screen.contains("1/1"));
    assert_selected(&driven, "Who swept");
    driven.press("Ctrl+u");
    driven.type_text("re:(");
    assert!(driven.text().contains("is not valid: unclosed group"), "{}", driven.text());
}

#[test]
fn what_fits_only_letter_by_letter_is_marked() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.type_text("pears");
    driven.wait_until("found", |screen| screen.contains("relevance · 1/1"));
    assert!(!driven.text().contains("fuzzy"), "{}", driven.text());
    driven.press("Ctrl+u");
    driven.type_text("prcspr");
    driven.wait_until("found", |screen| screen.contains("relevance · 1/1"));
    assert_selected(&driven, "Prices with pears");
    assert!(selected(&driven).contains(" fuzzy "), "{}", driven.text());
}

#[test]
fn enter_right_after_typing_means_what_the_search_finds() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.type_text("broo");
    driven.press("Enter");
    for _ in 0..500 {
        if driven.step != Step::Draw {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        driven.event(&Event::ThreadMessages);
    }
    let Step::End(Ending::Chosen(chosen)) = &driven.step else { panic!("{:?}", driven.step) };
    assert_eq!(chosen.id, "dddd4444");
}

#[test]
fn scopes_sorts_names_and_paths() {
    let home = shop();
    let mut driven = picker(&home, LARGE);
    driven.press("Ctrl+n");
    assert_eq!(titles(&driven), ["Prices wi"]);
    driven.press("Ctrl+n Ctrl+s");
    assert!(driven.text().contains("recent"));
    assert_eq!(titles(&driven), ["Who swept", "Now plums", "Prices wi", "Write a p"]);
    driven.press("Ctrl+s");
    assert!(driven.text().contains("oldest"));
    assert_eq!(titles(&driven), ["Write a p", "Prices wi", "Now plums", "Who swept"]);
    driven.press("Ctrl+s");
    assert!(driven.text().contains("relevance"));
    driven.press("Ctrl+s Tab");
    driven.wait_for("Water the roses");
    assert!(driven.text().contains("~/garden"), "{}", driven.text());
    driven.press("Ctrl+p");
    assert!(driven.text().contains("eeee5555.jsonl"), "{}", driven.text());
    driven.press("Shift+Tab");
    driven.wait_until("back", |screen| !screen.contains("roses") && screen.contains("plums"));
}

#[test]
fn a_repository_is_a_scope_of_its_own() {
    let home = shop();
    fs_err::create_dir(home.path().join("shop/.git")).unwrap();
    fs_err::create_dir(home.path().join("shop/till")).unwrap();
    home.write(&Written {
        id: "ffff6666",
        cwd: "shop/till",
        name: None,
        said: &["Count the till"],
        parent: None,
        hours_ago: 9,
    });
    let mut driven = picker(&home, SMALL);
    driven.press("Tab");
    driven.wait_for("Count the till");
    assert!(driven.text().contains("[repository]"));
    assert!(!driven.text().contains("roses"));
}

#[test]
fn forks_fold() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.press("Down Left");
    assert_eq!(titles(&driven).len(), 2);
    assert!(selected(&driven).contains("+2"), "{}", driven.text());
    driven.press("Right");
    assert_eq!(titles(&driven).len(), 4);
    driven.press("End Left");
    assert_selected(&driven, "Prices with pears");
}

#[test]
fn control_o_opens_pi() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.press("Ctrl+o");
    assert!(driven.text().contains("install Pi"), "{}", driven.text());
    let mut state = home.state();
    state.allowed.pi = Some(PathBuf::from("/srv/bin/pi"));
    let mut driven = picker_with(state, SMALL);
    driven.press("Ctrl+o");
    let path = home.session("dddd4444");
    let expected = Program {
        program: PathBuf::from("/srv/bin/pi"),
        arguments: vec!["--session".into(), path.into()],
        directory: home.path().join("shop"),
    };
    assert_eq!(driven.step, Step::Run(expected));
}

#[test]
fn rename_appends_a_name() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.press("Ctrl+r");
    driven.type_text("The broom");
    driven.press("Esc");
    driven.press("Ctrl+r Enter");
    let path = home.session("dddd4444");
    let before = fs_err::read_to_string(&path).unwrap();
    driven.press("Ctrl+r");
    driven.type_text("The broom");
    driven.press("Enter");
    driven.wait_until("renamed", |screen| screen.contains("› The broom"));
    let after = fs_err::read_to_string(&path).unwrap();
    let added = after.strip_prefix(&before).unwrap();
    assert_eq!(added.lines().count(), 1, "{added}");
    assert!(added.contains("\"type\":\"session_info\"") && added.contains("\"The broom\""));
}

#[test]
fn renaming_a_file_of_an_old_version_asks_first() {
    let home = shop();
    let path = home.session("dddd4444");
    let text = fs_err::read_to_string(&path).unwrap().replace("\"version\":3", "\"version\":2");
    for (key, version) in [("n", 2), ("y", 3)] {
        fs_err::write(&path, &text).unwrap();
        crate::screens::shop::age(&path);
        let mut driven = picker(&home, SMALL);
        driven.press("Ctrl+r");
        driven.type_text("The broom");
        driven.press("Enter");
        driven.wait_for("It is in format version 2. Rewrite it");
        assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
        driven.press(key);
        if key == "y" {
            driven.wait_until("renamed", |screen| screen.contains("› The broom"));
        }
        let after = fs_err::read_to_string(&path).unwrap();
        assert!(after.contains(&format!("\"version\":{version}")), "{after}");
    }
}

#[test]
fn an_id_is_as_long_as_it_takes_to_name_the_session() {
    let home = shop();
    // The other one is of another directory, and could be meant as well.
    for (id, cwd, hours_ago) in [("eeee0000-1111-a", "shop", 3), ("eeee0000-1111-b", "garden", 9)] {
        let said = &["Count the till", "It is right."];
        home.write(&Written { id, cwd, name: None, said, parent: None, hours_ago });
    }
    let mut driven = picker(&home, SMALL);
    driven.wait_for("dddd4444 · 2 entries");
    driven.press("Down");
    driven.wait_for("eeee0000-1111-a · 2 entries");
}

#[test]
fn a_file_of_an_old_version_goes_to_pi_only_after_a_question() {
    let home = shop();
    let path = home.session("dddd4444");
    let text = fs_err::read_to_string(&path).unwrap().replace("\"version\":3", "\"version\":2");
    for (key, version) in [("n", 2), ("y", 3)] {
        fs_err::write(&path, &text).unwrap();
        crate::screens::shop::age(&path);
        let mut state = home.state();
        state.allowed.pi = Some(PathBuf::from("/srv/bin/pi"));
        let mut driven = picker_with(state, SMALL);
        driven.press("Ctrl+o");
        assert_eq!(driven.step, Step::Draw, "Pi would rewrite it");
        driven.wait_for("It is in format version 2. Rewrite it");
        driven.press(key);
        if key == "y" {
            driven.wait_until_step(|step| matches!(step, Step::Run(_)));
        }
        assert_eq!(matches!(driven.step, Step::Run(_)), key == "y");
        let after = fs_err::read_to_string(&path).unwrap();
        assert!(after.contains(&format!("\"version\":{version}")), "{after}");
    }
}

/// A picker whose `trash` command moves files into the home directory, or none.
fn picker_with_trash(home: &Home, works: bool) -> Driven {
    let mut state = home.state();
    if works {
        let script = home.path().join("trash.sh");
        let text = format!("#!/bin/sh\nmv \"$1\" {}/trashed\n", home.path().display());
        fs_err::write(&script, text).unwrap();
        use std::os::unix::fs::PermissionsExt;
        fs_err::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        state.allowed.trash_command = Some(script);
    }
    picker_with(state, SMALL)
}

#[test]
fn delete_asks_first_and_goes_to_the_trash() {
    let home = shop();
    let mut driven = picker_with_trash(&home, true);
    let path = home.session("dddd4444");
    for keys in ["Ctrl+d n", "Ctrl+d Esc", "Ctrl+d x Down n", "Ctrl+Backspace n"] {
        driven.press(keys);
        assert!(path.exists(), "{keys}");
        assert_selected(&driven, "Who swept");
        assert!(!driven.text().contains("Delete “"), "{}", driven.text());
    }
    driven.press("Ctrl+d");
    driven.wait_for("broom");
    driven.snapshot("picker-delete");
    driven.event(&Event::Wheel(3));
    assert_selected(&driven, "Who swept");
    driven.press("y");
    driven.wait_for("moved to the trash");
    assert!(!path.exists() && home.path().join("trashed").exists());
    assert_selected(&driven, "Write a price list");
    // Enter, which opens sessions all the time, deletes none.
    driven.press("End Ctrl+d Enter");
    assert!(driven.text().contains("Delete “Now plums"), "{}", driven.text());
    driven.press("y");
    driven.wait_until("gone", |screen| !screen.contains("Now plums"));
    assert_selected(&driven, "Prices with pears");
}

#[test]
fn without_a_trash_it_is_asked_again() {
    let home = shop();
    let mut driven = picker_with_trash(&home, false);
    let path = home.session("dddd4444");
    driven.press("Ctrl+d y");
    driven.wait_for("permanently");
    assert!(path.exists());
    driven.press("Enter");
    driven.press("Esc");
    assert!(path.exists());
    // Who goes on typing is not asked in between.
    driven.press("Ctrl+d y /");
    driven.wait_for("Ctrl+D asks again");
    driven.press("y");
    assert!(path.exists());
    driven.press("Backspace Esc");
    driven.press("Ctrl+d y");
    driven.wait_for("permanently");
    driven.press("y");
    driven.wait_for("deleted permanently");
    assert!(!path.exists());
}

#[test]
fn the_open_session_cannot_be_deleted() {
    let home = shop();
    let path = home.session("dddd4444");
    let mut state = home.state();
    let session = pitree_session::Session::open(&path, &home.environment()).unwrap();
    state.begin(session).unwrap();
    let mut driven = picker_with(state, SMALL);
    driven.press("Ctrl+d y");
    assert!(path.exists());
    driven.press("Backspace Ctrl+d");
    assert!(driven.text().contains("Cannot delete the currently active session"));
}

#[test]
fn letters_that_come_at_once_are_one_word() {
    let home = shop();
    static CLOCK: AtomicI64 = AtomicI64::new(0);
    CLOCK.store(crate::screens::harness::NOW_MS, Ordering::Relaxed);
    let environment = Environment::new(
        home.path(),
        home.path().join("shop"),
        || CLOCK.load(Ordering::Relaxed),
        |bytes| bytes.fill(7),
    );
    let state = home.state();
    let state = patient(AppState::new(&environment, state.store, state.allowed));
    let mut driven = picker_with(state, SMALL);
    let wait = |ms| CLOCK.fetch_add(ms, Ordering::Relaxed);
    driven.press("j");
    assert_selected(&driven, "Write a price list");
    wait(100);
    driven.type_text("son");
    assert!(driven.text().contains("/ json"), "{}", driven.text());
    driven.press("Ctrl+u Esc");
    assert_selected(&driven, "Who swept");
    driven.press("j j");
    wait(501);
    driven.type_text("w");
    assert!(driven.text().contains("/ w"), "{}", driven.text());
    assert!(!driven.text().contains("/ jjw"), "{}", driven.text());
}

#[test]
fn it_may_open_in_the_search_field() {
    let home = shop();
    let mut state = home.state();
    state.picker_starts_in_search = true;
    let mut driven = picker_with(state, SMALL);
    driven.type_text("jk");
    assert!(driven.text().contains("/ jk"), "{}", driven.text());
}

#[test]
fn enter_reads_at_the_hit_and_control_o_resumes_or_the_other_way_round() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    assert!(driven.text().contains("Enter read · ^O resume in Pi"), "{}", driven.text());
    driven.type_text("broo");
    driven.wait_until("found", |screen| screen.contains("relevance · 1/1"));
    assert!(selected(&driven).contains(" in reply "), "{}", driven.text());
    driven.press("Enter");
    assert!(matches!(driven.step, Step::End(Ending::Chosen(_))), "{:?}", driven.step);
    let OpenAt { entry, offset, query } = driven.app.state.open_at.clone().unwrap();
    assert_eq!((entry.as_deref(), query.as_str()), (Some("dddd4444-1"), "broo"));
    let Step::End(Ending::Chosen(chosen)) = &driven.step else { unreachable!() };
    let text = fs_err::read_to_string(&chosen.path).unwrap();
    let line = text[offset.unwrap() as usize..].lines().next().unwrap();
    assert!(line.contains("\"id\":\"dddd4444-1\""), "{line}");

    let state = home.state();
    let picker = Picker::new(&state, Scope::Directory, "", on_choice).for_resuming();
    let mut driven = Driven::new(state, Box::new(picker), SMALL);
    driven.wait_for("Who swept");
    assert!(driven.text().contains("Enter resume in Pi · ^O read"), "{}", driven.text());
    driven.press("Enter");
    assert!(matches!(driven.step, Step::End(Ending::Chosen(_))), "{:?}", driven.step);
}

#[test]
fn the_preview_stands_at_the_hit() {
    let home = shop();
    let filler: Vec<String> = (0..60).map(|at| format!("answer {at}")).collect();
    let mut said: Vec<&str> = filler.iter().map(String::as_str).collect();
    said[10] = "where is the zeppelin?";
    home.write(&Written {
        id: "abcd0001",
        cwd: "shop",
        name: None,
        said: &said,
        parent: None,
        hours_ago: 1,
    });
    let mut driven = picker_with(home.state(), SMALL);
    driven.type_text("zeppelin");
    driven.wait_for("you: where is the zeppelin?");
    driven.wait_until("searched", |screen| !screen.contains("searching"));
    driven.snapshot("picker-hit");
    driven.press("Shift+Down");
    driven.press("Shift+Down");
    assert!(!driven.text().contains("you: where is the zeppelin?"), "{}", driven.text());
    driven.press("Shift+Up Shift+Up");
    assert!(driven.text().contains("you: where is the zeppelin?"), "{}", driven.text());
}

#[test]
fn the_preview_highlights_what_is_typed_by_now() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    for letter in "pears".chars() {
        driven.type_text(&letter.to_string());
        driven.wait_until("settled", |screen| !screen.contains("searching"));
    }
    driven.wait_for("Pears cost two.");
    let colors = crate::screens::colors::in_words(&driven.screen());
    let row = driven.text().lines().position(|line| line.contains("Pears cost two.")).unwrap();
    let row = colors.lines().find(|line| line.starts_with(&format!("{}:", row + 1))).unwrap();
    assert!(row.contains("5-9 bold magenta"), "{row}\n{}", driven.text());
}

#[test]
fn hostile_text_changes_nothing_but_text() {
    let home = Home::new();
    let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}]52;c;AAAA\u{7}\u{1b}]8;;http://x\u{1b}\\\u{8}\u{8}\
                   \u{9b}31m\u{1b}P+q\u{1b}\\\u{202e}abc\u{2066}\r\nsecond\u{85}";
    home.write(&Written {
        id: "abcd0000",
        cwd: "shop",
        name: Some(hostile),
        said: &[hostile, hostile],
        parent: None,
        hours_ago: 1,
    });
    for size in [SMALL, LARGE] {
        let mut driven = picker_with(home.state(), size);
        driven.wait_for("you:");
        driven.press("Ctrl+p Tab");
        driven.wait_until("loaded", |screen| !screen.contains("loading"));
        driven.press("Ctrl+r Esc Ctrl+d n");
        driven.event(&Event::Paste(hostile.to_owned()));
        driven.assert_harmless();
        assert!(driven.text().contains("owned"), "{}", driven.text());
    }
}

#[test]
fn the_help_names_the_keys() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.press("?");
    driven.snapshot("picker-help");
    driven.press("Esc");
    driven.press("/ ?");
    assert!(driven.text().contains("/ ?"), "in the field it is a question mark");
}

/// A tool result that sent out two sub-agents, one with a session of its own.
fn with_subagents(home: &Home) {
    let run = home.write(&Written {
        id: "abba7777",
        cwd: "shop",
        name: None,
        said: &["Scout the market"],
        parent: None,
        hours_ago: 50,
    });
    let path = home.session("dddd4444");
    let text = fs_err::read_to_string(&path).unwrap();
    let own = crate::screens::shop::quoted(&run.to_string_lossy());
    let details = format!(
        r#"{{"mode":"parallel","results":[{{"agent":"scout","task":"look around","exitCode":0,"model":"m2","usage":{{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cost":0.5,"turns":1}},"sessionFile":{own}}},{{"agent":"cook","task":"boil","exitCode":1,"messages":[{{"role":"user","content":"boil"}},{{"role":"assistant","content":[{{"type":"text","text":"The soup is ready."}}]}}]}}]}}"#
    );
    let line = format!(
        r#"{{"type":"message","id":"tool0001","parentId":"dddd4444-1","timestamp":"2026-02-03T21:00:00.000Z","message":{{"role":"toolResult","toolCallId":"c","toolName":"subagent","content":[],"isError":false,"details":{details}}}}}"#
    );
    fs_err::write(&path, format!("{text}{line}\n")).unwrap();
    crate::screens::shop::age(&path);
}

#[test]
fn subagents_unfold_below_their_session() {
    let home = shop();
    with_subagents(&home);
    let mut driven = picker(&home, SMALL);
    assert!(selected(&driven).starts_with('⊞'), "{}", driven.text());
    driven.press("Right");
    driven.wait_for("scout: look around");
    driven.snapshot("picker-subagents");
    driven.press("Down Down Ctrl+o");
    assert!(driven.text().contains("no session of its own"), "{}", driven.text());
    // What is kept in the session above is read there.
    driven.press("Enter");
    assert!(driven.text().contains("The soup is ready."), "{}", driven.text());
    driven.press("Esc Up Enter");
    let Step::End(Ending::Chosen(chosen)) = &driven.step else { panic!("{:?}", driven.step) };
    assert_eq!(chosen.path, home.session("abba7777"));
    driven.press("Left");
    assert!(!driven.text().contains("scout: look around"), "{}", driven.text());
    assert_selected(&driven, "Who swept");
}

#[test]
fn the_shape_of_the_tree_is_drawn() {
    let home = shop();
    let path = home.session("dddd4444");
    let mut text = fs_err::read_to_string(&path).unwrap();
    for (id, parent) in [("x1", "dddd4444-1"), ("x2", "x1"), ("y1", "dddd4444-1"), ("y2", "y1")] {
        text.push_str(&format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-02-03T21:00:00.000Z","message":{{"role":"user","content":"again, {id}"}}}}"#
        ));
        text.push('\n');
    }
    fs_err::write(&path, text).unwrap();
    crate::screens::shop::age(&path);
    let mut driven = picker_with(home.state(), LARGE);
    driven.wait_for("again, y2");
    driven.snapshot("picker-shape");
}

#[test]
fn no_color_means_no_colours() {
    let home = shop();
    assert!(picker(&home, SMALL).has_colours());
    let state = home.state();
    let environment = state.environment.clone().with_var("NO_COLOR", "1");
    let plain = AppState::new(&environment, state.store, state.allowed);
    let mut driven = picker_with(plain, SMALL);
    driven.press("Down Ctrl+d n Ctrl+r Esc ?");
    assert!(!driven.has_colours());
}

#[test]
fn no_terminal_is_too_small() {
    let home = shop();
    for size in [(1, 1), (2, 3), (7, 4), (20, 5), (40, 12), (119, 19), (130, 3)] {
        let state = home.state();
        let picker = Picker::new(&state, Scope::Directory, "", on_choice);
        let mut driven = Driven::new(state, Box::new(picker), size);
        for keys in ["Down", "w x Home End", "Esc", "Esc", "Ctrl+d", "n", "Ctrl+r", "Esc", "?"] {
            driven.press(keys);
            driven.event(&Event::ThreadMessages);
        }
    }
}

#[test]
fn who_has_not_moved_stays_at_the_top_while_sessions_stream_in() {
    let home = Home::new();
    // By the time of their files the oldest comes first, so the first screen has another order
    // than the whole list.
    for at in 0..100 {
        let id = format!("abcd{at:04}");
        let said = format!("question {at}");
        let path = home.write(&Written {
            id: &id,
            cwd: "shop",
            name: None,
            said: &[&said],
            parent: None,
            hours_ago: at,
        });
        crate::screens::shop::set_time(&path, at as u64);
    }
    let mut driven = picker_with(home.state(), SMALL);
    driven.wait_for("1/100");
    assert_selected(&driven, "question 0 ");
    driven.press("Down Ctrl+s");
    assert_selected(&driven, "question 1 ");
}

#[test]
fn a_long_directory_leaves_the_numbers_in_sight() {
    let home = shop();
    home.write(&Written {
        id: "ffff6666",
        cwd: "garden/behind/the/house/where/nobody/ever/goes/but/the/cat",
        name: Some("Feed the cat"),
        said: &["Feed the cat", "Fed."],
        parent: None,
        hours_ago: 3,
    });
    let mut driven = picker(&home, SMALL);
    driven.press("Tab");
    driven.wait_for("Feed the cat");
    let text = driven.text();
    let row = text.lines().find(|line| line.contains("Feed the cat")).unwrap();
    assert!(row.trim_end().ends_with("but/the/cat    2   2h"), "{row}");
}
