//! The picker and the mouse.

use pitree_tui::app::Step;
use pitree_tui::screen::{Ending, MouseAction};

use super::{assert_selected, picker, picker_with, picker_with_trash, with_subagents};
use crate::screens::harness::{Driven, SMALL};
use crate::screens::shop::{shop, shop_with_long_message};

/// The row of the screen that has a text, counted from zero.
#[track_caller]
fn row_of(driven: &Driven, text: &str) -> u16 {
    let screen = driven.text();
    let row = screen.lines().position(|line| line.contains(text));
    row.unwrap_or_else(|| panic!("no {text} on\n{screen}")) as u16
}

#[test]
fn a_click_selects_and_a_double_click_opens() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.click("Prices with pears");
    assert_selected(&driven, "Prices with pears");
    assert_eq!(driven.step, Step::Draw, "one click opens nothing");
    driven.click("Now plums");
    driven.click("Prices with pears");
    assert_eq!(driven.step, Step::Draw, "two clicks at two places open nothing");
    driven.click("Prices with pears");
    let Step::End(Ending::Chosen(chosen)) = &driven.step else { panic!("{:?}", driven.step) };
    assert_eq!(chosen.id, "bbbb2222");

    let mut driven = picker(&home, SMALL);
    for _ in 0..2 {
        driven.mouse(MouseAction::Press, 5, 12);
    }
    assert_eq!(driven.step, Step::Draw, "below the rows is nothing to open");
    assert_selected(&driven, "Who swept");
}

#[test]
fn a_click_takes_the_focus_where_it_is() {
    let home = shop();
    let mut driven = picker(&home, SMALL);
    driven.click("/ to search");
    driven.type_text("jk");
    assert!(driven.text().contains("/ jk"), "{}", driven.text());
    driven.press("Ctrl+u");
    driven.click("Write a price list");
    driven.press("j");
    assert_selected(&driven, "Prices with pears");
}

#[test]
fn the_wheel_scrolls_what_is_under_it() {
    let home = shop_with_long_message();
    for size in [SMALL, (130, 30)] {
        let mut driven = picker_with(home.state(), size);
        driven.wait_for("number 40");
        let (list, preview) = (row_of(&driven, "Who swept"), row_of(&driven, "number 40"));
        let column = size.0 - 2;
        driven.mouse(MouseAction::Wheel(-3), column, preview);
        assert!(!driven.text().contains("number 40"), "{}", driven.text());
        assert_selected(&driven, "Count to forty");
        driven.mouse(MouseAction::Wheel(3), column, preview);
        assert!(driven.text().contains("number 40"), "{}", driven.text());
        driven.mouse(MouseAction::Wheel(1), 3, list);
        assert_selected(&driven, "Who swept");
    }
}

#[test]
fn a_click_on_the_mark_folds() {
    let home = shop();
    with_subagents(&home);
    let mut driven = picker(&home, SMALL);
    driven.click("⊞");
    driven.wait_for("scout: look around");
    driven.click("⊟");
    assert!(!driven.text().contains("scout: look around"), "{}", driven.text());
    assert_eq!(driven.step, Step::Draw);
}

#[test]
fn the_mouse_answers_no_question() {
    let home = shop();
    let mut driven = picker_with_trash(&home, true);
    driven.press("Ctrl+d");
    for _ in 0..2 {
        driven.click("Now plums");
    }
    driven.mouse(MouseAction::Wheel(3), 3, row_of(&driven, "Now plums"));
    assert!(driven.text().contains("Delete “Who swept"), "{}", driven.text());
    assert_selected(&driven, "Who swept");
    driven.press("n Ctrl+r");
    for _ in 0..2 {
        driven.click("Now plums");
    }
    assert!(driven.text().contains("Name:"), "{}", driven.text());
    assert_selected(&driven, "Who swept");
}
