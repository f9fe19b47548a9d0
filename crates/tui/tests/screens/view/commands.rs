//! What is typed: completion, commands, the editor and what was said before.

use std::sync::Arc;

use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};
use pitree_tui::app::Step;
use pitree_tui::screen::{Ending, Event};

use super::{Home, answer, run, user, view_of};
use crate::screens::harness::SMALL;

fn home() -> Home {
    Home::with(&[user("first question"), answer("first answer"), user("second question")])
}

#[test]
fn commands_are_completed() {
    let home = home();
    let mut driven = home.view(SMALL);
    driven.type_text("/co");
    driven.wait_for("$0.01");
    driven.wait_for("% of");
    driven.snapshot("view-completion");
    driven.press("Down Down Down Down Tab");
    assert!(driven.text().contains("› /copy"), "{}", driven.text());
    driven.press("Ctrl+c");
    driven.type_text("/co");
    driven.press("Esc");
    assert!(!driven.text().contains("/compact"));
    driven.press("Ctrl+c");
    driven.type_text("/nam");
    driven.press("Enter");
    assert!(driven.text().contains("› /name\n"), "a command that takes something waits for it");
    driven.press("Ctrl+c");
    driven.type_text("/cos");
    driven.press("Enter");
    assert!(driven.text().contains("┌ Cost "), "{}", driven.text());
}

#[test]
fn a_long_paste_is_a_marker_until_it_is_sent() {
    let home = home();
    let mut driven = home.view(SMALL);
    let pasted = "a line\n".repeat(300_000);
    driven.type_text("see ");
    driven.event(&Event::Paste(pasted.clone()));
    let shown = "› see [paste #1 +300001 lines]";
    assert!(driven.text().contains(shown), "{}", driven.text());
    // It stays one when something earlier is looked at, or a key runs a command.
    driven.press("Up Up Down Down");
    assert!(driven.text().contains(shown), "{}", driven.text());
    driven.press("Ctrl+x");
    assert!(driven.text().contains(shown), "{}", driven.text());
    driven.press("! Enter");
    driven.wait_for("Saved.");
    let said = format!("see {pasted}!");
    assert_eq!(home.lines()[4]["message"]["content"][0]["text"], said.as_str());
    // What is brought back is too long to be edited.
    driven.press("Up");
    assert!(driven.text().contains("› [paste #1 +300001 lines]"), "{}", driven.text());
}

#[test]
fn unknown_commands_are_stored_only_behind_a_space() {
    let home = home();
    let mut driven = home.view(SMALL);
    for typed in ["/resum", "/Nonsense", "/skill:x y", "/nonsense/export /tmp/v.md", "/"] {
        driven.type_text(typed);
        driven.press("Esc Enter");
        assert!(driven.text().contains("Unknown command /"), "{}", driven.text());
        assert!(driven.text().contains("Say something, or"), "{}", driven.text());
    }
    run(&mut driven, "/resum");
    assert!(driven.text().contains("Unknown command /resum: did you mean /resume?"));
    assert_eq!(home.lines().len(), 4);
    // The next command stands alone, and what was refused can be had back.
    run(&mut driven, "/cost");
    assert!(driven.text().contains("┌ Cost "), "{}", driven.text());
    driven.press("Esc Up Up Home Space Enter");
    driven.wait_for("Saved.");
    assert_eq!(home.lines()[4]["message"]["content"][0]["text"], "/resum");
}

#[test]
fn nothing_that_is_typed_over_a_page_is_lost() {
    let home = home();
    let mut driven = home.view(SMALL);
    for (open, typed) in [("?", "kind regards"), ("/cost", "just that"), ("/session", "hello")] {
        driven.type_text(open);
        if open != "?" {
            driven.press("Enter");
        }
        assert!(driven.text().contains("┌ "), "{}", driven.text());
        driven.type_text(typed);
        assert!(driven.text().contains(&format!("› {typed}")), "{}", driven.text());
        driven.press("Ctrl+c");
    }
    driven.press("?");
    driven.event(&Event::Paste("pasted".to_owned()));
    assert!(driven.text().contains("› pasted"), "{}", driven.text());
    driven.press("Ctrl+c");
    for closing in ["Esc", "Enter", "Space", "?", "Ctrl+c"] {
        driven.press("? Down");
        driven.press(closing);
        assert!(!driven.text().contains("┌ "), "{closing}: {}", driven.text());
        assert!(driven.text().contains("Say something, or"), "{}", driven.text());
    }
    run(&mut driven, "/cost");
    run(&mut driven, "/session");
    assert!(driven.text().contains("┌ Session "), "{}", driven.text());
    assert_eq!(home.lines().len(), 4);
}

#[test]
fn what_was_said_before_comes_back() {
    let home = home();
    let mut driven = home.view(SMALL);
    driven.type_text("draft");
    driven.press("Up");
    assert!(driven.text().contains("› second question"));
    driven.press("Up Up Up");
    assert!(driven.text().contains("› first question"));
    driven.press("Down Down");
    assert!(driven.text().contains("› draft"));
}

#[test]
fn the_name_and_labels() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/name");
    assert!(driven.text().contains("The session has no name"));
    run(&mut driven, "/name  Parser work");
    assert!(driven.text().contains("Parser work  0190aaaa"), "{}", driven.text());
    run(&mut driven, "/label start");
    assert!(driven.text().contains("[start]"), "{}", driven.text());
    run(&mut driven, "/label");
    assert!(!driven.text().contains("[start]"));
    let lines = home.lines();
    assert_eq!(lines[4]["name"], "Parser work");
    assert_eq!(lines[5]["label"], "start");
    // The name is not a message.
    assert_eq!(lines[5]["targetId"], lines[3]["id"]);
    assert!(lines[6].get("label").is_none());
}

#[test]
fn facts_and_costs() {
    let home = home();
    let mut driven = home.view(SMALL);
    driven.wait_for("$0.01");
    driven.wait_for("% of");
    run(&mut driven, "/cost");
    driven.snapshot("view-cost");
    driven.press("Esc");
    run(&mut driven, "/session");
    let text = driven.text();
    assert!(text.contains("0190aaaa") && text.contains("~/sessions"), "{text}");
}

#[test]
fn the_last_answer_is_copied() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/copy");
    assert_eq!(driven.app.state.copied.as_deref(), Some("first answer"));
}

/// Writes the same summary each time.
struct Writer;

impl Summarizer for Writer {
    fn summarize(
        &self,
        _request: &SummaryRequest,
        _cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        Ok(SummaryReply { text: "All of it in short.".into(), usage: None })
    }
}

#[test]
fn compaction_needs_somebody_who_writes() {
    let home = home();
    let mut state = home.state();
    let live = state.live.as_mut().unwrap();
    live.options_mut().compaction.settings.keep_recent_tokens = 1;
    let mut driven = view_of(state, SMALL);
    run(&mut driven, "/compact");
    assert!(driven.text().contains("No model available for summarization"), "{}", driven.text());
    assert_eq!(home.lines().len(), 4);
    let live = driven.app.state.live.as_mut().unwrap();
    live.options_mut().summarizer = Some(Arc::new(Writer));
    run(&mut driven, "/compact the names");
    driven.wait_for("Compacted.");
    driven.wait_for("All of it in short.");
    assert_eq!(home.lines()[4]["type"], "compaction");
}

#[test]
fn exports_are_written_and_never_replace_a_file() {
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/export \"my page.html\"");
    driven.wait_for("Exported to ~/project/my page.html");
    let page = fs_err::read_to_string(home.path().join("project/my page.html")).unwrap();
    assert!(page.contains("first answer"));
    run(&mut driven, "/export branch.jsonl");
    driven.wait_for("Exported to ~/project/branch.jsonl");
    assert_eq!(super::lines_of(&home.path().join("project/branch.jsonl")).len(), 4);
    run(&mut driven, "/export branch.jsonl");
    driven.wait_until("a refusal", |screen| {
        screen.contains("branch.jsonl") && !screen.contains("Exported")
    });
    run(&mut driven, "/export");
    driven.wait_for("Exported to ~/project/pi-session-");
}

#[test]
fn there_are_four_ways_to_leave() {
    for keys in ["Ctrl+c", "Ctrl+d", "x Ctrl+c Ctrl+c"] {
        let home = home();
        let mut driven = home.view(SMALL);
        driven.press(keys);
        assert_eq!(driven.step, Step::End(Ending::Quit), "{keys}");
        assert_eq!(home.lines().len(), 4);
    }
    let home = home();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/quit");
    assert_eq!(driven.step, Step::End(Ending::Quit));
}

#[test]
fn a_paste_with_line_ends_is_not_submitted() {
    let home = home();
    let mut driven = home.view(SMALL);
    driven.event(&Event::Paste("one\r\ntwo\u{1b}[31m\n".to_owned()));
    assert_eq!(home.lines().len(), 4);
    driven.press("Enter");
    assert_eq!(home.lines()[4]["message"]["content"][0]["text"], "one\ntwo\u{FFFD}[31m");
}

#[test]
fn a_label_goes_to_the_last_message_and_is_seen_in_the_tree() {
    let home = Home::with(&[user("first question"), answer("first answer")]);
    let mut driven = home.view(SMALL);
    run(&mut driven, "/name Weather");
    run(&mut driven, "/label good");
    assert!(driven.text().contains("The last message is labeled."), "{}", driven.text());
    assert_eq!(home.lines().pop().unwrap()["targetId"], "00000001");
    run(&mut driven, "/tree");
    assert!(driven.text().contains("[good] assistant: first answer"), "{}", driven.text());
}
