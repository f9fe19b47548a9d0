//! What is seen of a session, and how one moves in it.

use pitree_tui::screen::Event;

use super::{Home, answer, answer_of, line, user};
use crate::screens::harness::{Driven, LARGE, SMALL};

/// One of everything.
fn everything() -> Vec<String> {
    let call = r#"{"type":"thinking","thinking":"The file first.\nThen the test."},{"type":"text","text":"I look at it."},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls -l src","timeout":5}}"#;
    let result = |content: &str, more: &str| {
        format!(
            r#""type":"message","message":{{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{content}],"isError":false{more},"timestamp":3}}"#
        )
    };
    vec![
        r#""type":"model_change","provider":"anthropic","modelId":"claude-sonnet-4-5""#.to_owned(),
        r#""type":"thinking_level_change","thinkingLevel":"high""#.to_owned(),
        user("Please fix the *parser*.\n\nIt is slow."),
        answer_of(call),
        result(r#"{"type":"text","text":"total 8\n-rw-r--r-- 1 ana ana 12 main.rs\n-rw-r--r-- 1 ana ana 99 lib.rs"}"#, ""),
        result(r#"{"type":"text","text":"Successfully edited"},{"type":"image","data":"aGVsbG8gd29ybGQ=","mimeType":"image/png"}"#, r#","details":{"diff":"-old line\n+new line"}"#),
        answer("## Done\n\n1. It reads **once**.\n2. See `parse`:\n\n```rust\nfn parse(text: &str) -> usize {\n\ttext.len() // all\n}\n```\n\n| part | ms |\n|---|--:|\n| read | 12 |"),
        r#""type":"label","targetId":"00000006","label":"works""#.to_owned(),
        r#""type":"message","message":{"role":"bashExecution","command":"cargo test","output":"one\ntwo\nthree\nfour\nfive\nsix\nseven\n","exitCode":1,"cancelled":false,"truncated":false,"timestamp":4}"#.to_owned(),
        r#""type":"custom_message","customType":"notes","content":"An extension speaks.","display":true"#.to_owned(),
        r#""type":"custom_message","customType":"secret","content":"Nobody sees this.","display":false"#.to_owned(),
        r#""type":"branch_summary","fromId":"00000003","summary":"Tried a lexer.\n\nIt was slower.\n\nLeft it.\n\nSee the notes.""#.to_owned(),
        r#""type":"compaction","summary":"The parser was fixed.","firstKeptEntryId":"00000006","tokensBefore":51234"#.to_owned(),
        r#""type":"session_info","name":"Parser""#.to_owned(),
        user("And the printer?"),
        r#""type":"message","message":{"role":"assistant","content":[],"provider":"p","model":"m","stopReason":"error","errorMessage":"overloaded","timestamp":5}"#.to_owned(),
    ]
}

fn opened(home: &Home, size: (u16, u16)) -> Driven {
    let mut driven = home.view(size);
    driven.wait_for("in context");
    driven.wait_for("$0.02");
    driven
}

#[test]
fn a_session_with_everything() {
    let home = Home::with(&everything());
    let before = fs_err::read(&home.file).unwrap();
    let mut driven = opened(&home, LARGE);
    driven.snapshot("view-large");
    driven.press("Alt+o Ctrl+t");
    driven.press("Ctrl+Home");
    driven.snapshot("view-large-unfolded");
    let mut driven = opened(&home, SMALL);
    driven.snapshot("view-small");
    driven.press("PgUp");
    driven.snapshot("view-small-page-up");
    assert_eq!(fs_err::read(&home.file).unwrap(), before, "reading writes nothing");
}

/// Calls that were made together, and results in another order.
fn batch() -> Vec<String> {
    let call = |id: &str, name: &str, arguments: &str| {
        format!(r#"{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{arguments}}}"#)
    };
    let result = |id: &str, text: &str| {
        format!(
            r#""type":"message","message":{{"role":"toolResult","toolCallId":"{id}","toolName":"x","content":[{{"type":"text","text":"{text}"}}],"isError":false,"timestamp":3}}"#
        )
    };
    let blocks = [
        r#"{"type":"text","text":"I look in three places."}"#.to_owned(),
        call("c1", "grep", r#"{"path":"src","pattern":"fn parse","ignoreCase":true}"#),
        call("c2", "grep", r#"{"path":"src","pattern":"fn print"}"#),
        call("c3", "read", r#"{"path":"src/main.rs","offset":100,"limit":20}"#),
        call("c4", "edit", r#"{"path":"a.rs","edits":[{"oldText":"x","newText":"y"}]}"#),
    ];
    vec![
        user("Where?"),
        answer_of(&blocks.join(",")),
        result("c2", "src/print.rs:1"),
        result("c1", "src/parse.rs:7\\nsrc/parse.rs:9"),
        result("c3", "fn main() {}"),
        answer("There."),
    ]
}

#[test]
fn calls_that_were_made_together_are_drawn_with_their_results() {
    let home = Home::with(&batch());
    let mut driven = home.view(SMALL);
    driven.wait_for("of 200k");
    driven.wait_for("$0.02");
    driven.snapshot("view-batch");
    driven.press("Alt+o");
    driven.snapshot("view-batch-unfolded");
}

#[test]
fn tools_unfold_and_fold_with_two_keys() {
    let home = Home::with(&everything());
    let mut driven = opened(&home, LARGE);
    let folded = driven.text();
    for key in ["Alt+o", "Ctrl+g"] {
        driven.press(key);
        assert_ne!(driven.text(), folded, "{key} unfolds");
        driven.press(key);
        assert_eq!(driven.text(), folded, "{key} folds");
    }
}

#[test]
fn an_empty_session_and_a_tiny_screen() {
    let home = Home::with(&[]);
    let driven = home.view(SMALL);
    assert!(driven.text().contains("Say something, or / for commands"), "{}", driven.text());
    for size in [(1, 1), (2, 3), (10, 4), (20, 6)] {
        let home = Home::with(&everything());
        let mut driven = home.view(size);
        driven.press("Alt+o PgUp PgDn / Up Esc x");
    }
}

/// A conversation whose rows can be told apart.
fn long() -> Vec<String> {
    (0..40)
        .map(
            |at| {
                if at % 4 == 0 { user(&format!("ask {at}")) } else { answer(&format!("say {at}")) }
            },
        )
        .collect()
}

fn first_row(driven: &Driven) -> String {
    let screen = driven.text();
    screen.lines().find(|row| !row.is_empty()).unwrap_or_default().trim_start().to_owned()
}

#[test]
fn keys_and_the_wheel_scroll() {
    let home = Home::with(&long());
    let mut driven = home.view(SMALL);
    assert!(driven.text().contains("say 39"));
    let end = first_row(&driven);
    driven.press("PgUp");
    assert!(!driven.text().contains("say 39"));
    assert!(driven.text().contains("entries from here to the end"));
    driven.press("PgDn");
    assert_eq!(first_row(&driven), end);
    driven.press("Ctrl+Home");
    assert_eq!(first_row(&driven), "▌ ask 0");
    driven.press("Shift+Down Shift+Down");
    assert_eq!(first_row(&driven), "say 1");
    driven.press("Shift+Up Shift+Up");
    assert_eq!(first_row(&driven), "▌ ask 0");
    driven.press("Alt+Down");
    assert_eq!(first_row(&driven), "▌ ask 4");
    driven.press("Alt+Down Alt+Up");
    assert_eq!(first_row(&driven), "▌ ask 4");
    driven.press("Ctrl+End");
    assert_eq!(first_row(&driven), end);
    driven.event(&Event::Wheel(-3));
    assert_ne!(first_row(&driven), end);
    driven.event(&Event::Wheel(3));
    assert_eq!(first_row(&driven), end);
}

#[test]
fn what_another_program_writes_is_seen() {
    let home = Home::with(&[user("Hello?")]);
    let mut driven = home.view(SMALL);
    home.append(1, &answer("I am here."));
    driven.wait_for("I am here.");
    driven.wait_for("2 entries");
    // Something that follows from an earlier entry is another branch.
    home.append_line(&line(1, &answer("Or there.")).replacen("00000001", "0000000f", 1));
    driven.wait_for("Another program continued on another branch");
    assert!(!driven.text().contains("Or there."));
}

#[test]
fn the_help_is_on_a_question_mark_unless_it_is_typed() {
    let home = Home::with(&[user("Hello?")]);
    let mut driven = home.view(LARGE);
    driven.press("?");
    driven.snapshot("view-help");
    driven.press("Esc");
    driven.type_text("what?");
    assert!(driven.text().contains("› what?"), "{}", driven.text());
    driven.press("Ctrl+c");
    driven.type_text("/help");
    driven.press("Enter");
    assert!(driven.text().contains("Ctrl+O"), "{}", driven.text());
}

#[test]
fn a_file_that_another_program_rewrites_is_shown_as_it_is() {
    let home = Home::with(&[user("first question"), answer("an answer"), user("the end")]);
    let mut driven = home.view(SMALL);
    driven.wait_for("3 entries · 1.2k tokens");
    let text = fs_err::read_to_string(&home.file).unwrap();
    let replace = |text: &str| {
        let other = home.path().join("other");
        fs_err::write(&other, text).unwrap();
        fs_err::rename(&other, &home.file).unwrap();
    };
    // Of the same size, and with the same end.
    replace(&text.replace("first", "worst"));
    driven.wait_for("worst question");
    driven.wait_for("3 entries · 1.2k tokens");
    // Without the entry that was the last one.
    replace(&text.lines().take(3).map(|line| format!("{line}\n")).collect::<String>());
    driven.wait_until("two entries", |screen| !screen.contains("the end"));
    driven.wait_for("2 entries · 1.2k tokens");
    assert!(driven.text().contains("Another program rewrote the file"));
    // Cut off where it is.
    let header = text.lines().next().unwrap().len() as u64 + 1;
    let question = text.lines().nth(1).unwrap().len() as u64 + 1;
    let file = fs_err::OpenOptions::new().write(true).open(&home.file).unwrap();
    file.set_len(header + question).unwrap();
    driven.wait_until("one entry", |screen| !screen.contains("an answer"));
    driven.wait_for("1 entry · 0 tokens");
    assert!(driven.text().contains("first question"), "{}", driven.text());
    // No session at all: what was read stays, without sums of something else.
    replace("nonsense\n");
    driven.wait_for("1 entry · the file was changed");
    assert!(driven.text().contains("first question"), "{}", driven.text());
    replace(&text);
    driven.wait_for("3 entries · 1.2k tokens");
}

#[test]
fn flags_of_regions_are_shown() {
    let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
    let home = Home::with(&[user(&format!("from {flag} with \u{E0061}love"))]);
    let written = home.view(SMALL).written();
    assert!(written.contains(flag), "{written:?}");
    assert!(written.contains("\u{FFFD}love"), "{written:?}");
}
