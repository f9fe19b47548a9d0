//! What happens with the sessions that are chosen: one is read or resumed, marked ones are changed.

use pitree_store::Scope;
use pitree_tui::app::Step;
use pitree_tui::picker::Picker;
use pitree_tui::screen::Ending;
use pitree_tui::view::go_on_with;

use super::{on_choice, picker, picker_with, picker_with_trash};
use crate::screens::harness::{Driven, LARGE, SMALL};
use crate::screens::shop::shop;

#[test]
fn a_session_in_use_is_said_to_be_so_and_takes_a_second_yes() {
    let home = shop();
    let path = home.session("dddd4444");
    let held = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
    held.file().lock().unwrap();
    let mut driven = picker_with_trash(&home, true);
    driven.press("Ctrl+d");
    driven.wait_for("in use");
    driven.wait_for("the broom is lost");
    driven.snapshot("picker-in-use");
    driven.press("y");
    assert!(driven.text().contains("is in use. Delete it anyway?"), "{}", driven.text());
    driven.press("n");
    assert!(path.exists());
    driven.press("Ctrl+d");
    driven.wait_for("in use");
    driven.press("n Home Space Space Ctrl+d");
    driven.wait_for("is in use: ");
    let question = driven.text().replace('\n', " ");
    assert!(question.contains("Delete 2 sessions? “Who swept the floor"), "{question}");
    assert!(question.contains("y to go on, n to cancel"), "{question}");
    driven.press("y");
    let question = driven.text().replace('\n', " ");
    assert!(question.contains("One of these 2 sessions is in use (“Who swept"), "{question}");
    assert!(question.contains("Delete all 2 anyway?"), "{question}");
    driven.press("n Esc Home Ctrl+d");
    driven.wait_for("in use");
    driven.press("y y");
    driven.wait_for("moved to the trash");
    assert!(!path.exists());
}

#[test]
fn a_range_of_sessions_is_marked_at_once() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.press("Alt+Space");
    assert!(driven.text().contains("1 marked"), "{}", driven.text());
    driven.press("End Alt+m");
    assert!(driven.text().contains("4 marked"), "{}", driven.text());
    // A mark that is gone begins no range.
    driven.press("Esc Up Alt+Space");
    assert!(driven.text().contains("1 marked"), "{}", driven.text());
}

/// What `pitree list` says too.
#[test]
fn a_new_fork_of_an_old_session_is_new() {
    let home = shop();
    let old = home.session("aaaa1111");
    let text = fs_err::read_to_string(&old).unwrap();
    let (header, entries) = text.split_once('\n').unwrap();
    let mut header: serde_json::Value = serde_json::from_str(header).unwrap();
    let now = pitree_format::js::date::format_iso(crate::screens::harness::NOW_MS);
    (header["id"], header["timestamp"]) = ("abcd7777".into(), now.into());
    header["parentSession"] = old.to_str().unwrap().into();
    fs_err::write(home.session("abcd7777"), format!("{header}\n{entries}")).unwrap();
    crate::screens::shop::age(&home.session("abcd7777"));
    let mut driven = picker_with(home.state(), LARGE);
    driven.press("Ctrl+s");
    let text = driven.text();
    let first = text.lines().nth(2).unwrap();
    let row = first.split("│").next().unwrap();
    assert!(row.contains("Write a price list") && row.contains(" now"), "{text}");
}

#[test]
fn marked_sessions_are_deleted_named_and_exported_at_once() {
    let home = shop();
    let mut driven = picker_with_trash(&home, true);
    fs_err::create_dir(home.path().join("trashed")).unwrap();
    driven.press("Space Space");
    assert!(driven.text().contains("2 marked"), "{}", driven.text());
    driven.press("Ctrl+r");
    assert!(driven.text().contains("New name (1 and 2 will be added):"), "{}", driven.text());
    driven.type_text("Till");
    driven.press("Enter");
    driven.wait_until("renamed", |screen| {
        screen.contains("Till 1") && screen.contains("Till 2") && !screen.contains("loading")
    });
    driven.press("Home Space Space Ctrl+x");
    assert!(driven.text().contains("Export 2 sessions to HTML in ~/shop?"), "{}", driven.text());
    driven.press("y");
    driven.wait_for("2 sessions exported");
    let files = fs_err::read_dir(home.path().join("shop")).unwrap().count();
    assert_eq!(files, 2);
    for id in ["dddd4444", "aaaa1111", "bbbb2222", "cccc3333"] {
        if home.session(id).exists() {
            crate::screens::shop::age(&home.session(id));
        }
    }
    driven.press("Home Space Space Ctrl+d");
    assert!(driven.text().contains("Delete 2 sessions? y moves them"), "{}", driven.text());
    driven.press("y");
    driven.wait_for("2 sessions moved to the trash");
    assert_eq!(fs_err::read_dir(home.path().join("trashed")).unwrap().count(), 2);
    driven.press("Space Esc");
    assert!(!driven.text().contains("marked"), "{}", driven.text());
    assert_eq!(driven.step, Step::Draw);
}

#[test]
fn a_session_whose_directory_is_gone_is_read_and_only_its_composer_asks() {
    let home = shop();
    fs_err::remove_dir(home.path().join("garden")).unwrap();
    let state = home.state();
    let picker = Picker::new(&state, Scope::All, "", go_on_with);
    let mut driven = Driven::new(state, Box::new(picker), SMALL);
    driven.wait_for("Water the roses");
    driven.press("End Enter");
    driven.wait_for("In the morning.");
    assert!(!driven.text().contains("does not exist"), "{}", driven.text());
    driven.press("i");
    driven.wait_for("garden does not exist. Continue in");
}

#[test]
fn enter_chooses_and_only_resuming_asks_about_a_missing_directory() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.press("Enter");
    let Step::End(Ending::Chosen(chosen)) = &driven.step else { panic!("{:?}", driven.step) };
    assert_eq!(chosen.id, "dddd4444");
    assert_eq!(chosen.cwd, home.path().join("shop"));

    fs_err::remove_dir(home.path().join("garden")).unwrap();
    let mut driven = picker(&home, SMALL);
    driven.press("Tab");
    driven.wait_for("Water the roses");
    driven.press("End Enter");
    let Step::End(Ending::Chosen(chosen)) = &driven.step else { panic!("{:?}", driven.step) };
    assert_eq!((chosen.id.as_str(), &chosen.cwd), ("eeee5555", &home.path().join("garden")));

    let state = home.state();
    let picker = Picker::new(&state, Scope::All, "", on_choice).for_resuming();
    let mut driven = Driven::new(state, Box::new(picker), SMALL);
    driven.wait_for("Water the roses");
    driven.press("End Enter");
    assert!(
        driven.text().contains("~/garden does not exist. Continue in ~/shop?"),
        "{}",
        driven.text()
    );
    driven.press("n");
    assert_eq!(driven.step, Step::Draw);
    driven.press("Enter y");
    let Step::End(Ending::Chosen(chosen)) = &driven.step else { panic!("{:?}", driven.step) };
    assert_eq!((chosen.id.as_str(), &chosen.cwd), ("eeee5555", &home.path().join("shop")));
}
