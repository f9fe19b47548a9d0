use proptest::prelude::*;

use super::*;

fn rendered(text: &str, width: usize) -> String {
    let rows: Vec<String> = render(text, LineEnds::Spaces, width)
        .iter()
        .map(|row| row.text().trim_end().to_owned())
        .collect();
    rows.join("\n")
}

#[test]
fn blocks_are_set_apart_and_wrapped() {
    let text = "# Title\n\nA *short* text that is\nbroken **anew**.\n\n> said by\n> another\n\nend";
    assert_eq!(
        rendered(text, 20),
        "Title\n\nA short text that is\nbroken anew.\n\n│ said by another\n\nend"
    );
}

#[test]
fn line_ends_that_people_typed_stay() {
    let rows = render("one\ntwo\n\nthree", LineEnds::Kept, 20);
    assert_eq!(rows.iter().map(Line::text).collect::<Vec<_>>(), ["one", "two", "", "three"]);
}

#[test]
fn lists_keep_their_indentation() {
    let text = "1. one is long enough to wrap\n2. two\n   - in `it`\n   - [x] done\n\nafter";
    assert_eq!(
        rendered(text, 16),
        "1. one is long\n   enough to\n   wrap\n2. two\n   • in it\n   • ☑ done\n\nafter"
    );
}

#[test]
fn loose_lists_have_room_between_paragraphs_of_an_item() {
    let text = "- one\n\n  more of it\n\n- two";
    assert_eq!(rendered(text, 30), "• one\n\n  more of it\n• two");
}

#[test]
fn code_keeps_its_spaces_and_is_not_wrapped_at_words() {
    let text = "before\n```rust\nfn main() {\n\tlet x = 1;\n}\n```\nafter";
    assert_eq!(rendered(text, 40), "before\n\n  fn main() {\n      let x = 1;\n  }\n\nafter");
    assert_eq!(render(text, LineEnds::Spaces, 40)[2].pieces[1].look.tone, Tone::Keyword);
}

#[test]
fn a_table_has_columns() {
    let text = "| name | n |\n|:--|--:|\n| one | 1 |\n| a longer one | 22 |";
    assert_eq!(
        rendered(text, 40),
        "name         │  n\n─────────────┼───\none          │  1\na longer one │ 22"
    );
    assert_eq!(rendered(text, 6), "name\nn\none\n1\na\nlonger\none\n22");
}

#[test]
fn links_show_where_they_lead() {
    assert_eq!(rendered("[here](https://a.example)", 60), "here (https://a.example)");
    assert_eq!(rendered("<https://a.example>", 60), "https://a.example");
    assert_eq!(rendered("![alt](x.png)", 60), "[image: alt]");
}

#[test]
fn markup_and_escapes_are_text() {
    assert_eq!(rendered("<script>alert(1)</script>", 60), "<script>alert(1)</script>");
    assert_eq!(rendered("a\u{1b}[31mb", 60), "a\u{FFFD}[31mb");
    assert_eq!(rendered("```\na\u{1b}]0;t\u{7}b\n```", 60), "  a\u{FFFD}]0;t\u{FFFD}b");
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = format!("{} deep", ">".repeat(5_000));
    assert!(rendered(&deep, 80).contains("deep"));
    let lists: String = (0..500).map(|depth| format!("{}- x\n", " ".repeat(depth * 2))).collect();
    assert!(render(&lists, LineEnds::Spaces, 80).len() >= 500);
}

proptest! {
    #![proptest_config(pitree_testkit::properties(256))]

    #[test]
    fn every_row_fits(text in "[ a-c*_`#>|\\-\n\\[\\]()1.漢é\u{1b}]{0,200}", width in 4usize..60) {
        for row in render(&text, LineEnds::Kept, width) {
            prop_assert!(row.width() <= width, "{:?} is wider than {}", row.text(), width);
            prop_assert!(!row.text().chars().any(char::is_control));
        }
    }
}
