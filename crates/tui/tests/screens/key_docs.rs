//! The key tables of the documentation are those of the keymap. `PITREE_BLESS=1` writes them.

use std::path::Path;

use pitree_tui::keymap::{BoundRow, KeyHelp, Keymap, Section};

/// Pages with tables of what keys do, between `<!-- keys: SECTION, SECTION -->` and the end mark.
const PAGES: [&str; 2] = ["view.md", "tree.md"];
/// The page with all actions and their names.
const REFERENCE: &str = "keys.md";
const BEGIN: &str = "<!-- keys: ";
const END: &str = "<!-- end of keys -->";

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// What keys do, as the help says it.
fn short(lines: &[KeyHelp]) -> String {
    let rows =
        lines.iter().map(|line| format!("| {} | {} |\n", escaped(&line.keys), escaped(&line.does)));
    format!("| key | does |\n|---|---|\n{}", rows.collect::<String>())
}

/// What an action does by itself: two keys of the help share the words `a page down or up`, and each
/// of them does one of the two.
fn own_meaning(row: &BoundRow, rows: &[BoundRow]) -> String {
    let sharing: Vec<&BoundRow> = rows.iter().filter(|other| other.does == row.does).collect();
    let [first, _] = sharing[..] else { return row.does.to_owned() };
    let words: Vec<&str> = row.does.split(' ').collect();
    let Some(or) = words.iter().position(|word| *word == "or") else { return row.does.to_owned() };
    let second = or + 1 + usize::from(words.get(or + 1) == Some(&"the"));
    let mut own = words[..or - 1].to_vec();
    // What follows the second word belongs to both.
    let is_first = std::ptr::eq(first, row);
    let ending = words[second].trim_start_matches(char::is_alphanumeric);
    let one = format!("{}{ending}", words[or - 1]);
    own.push(if is_first { one.as_str() } else { words[second] });
    own.extend(&words[second + 1..]);
    own.join(" ")
}

/// All actions with their names.
fn long(section: &Section) -> String {
    let name = |name: &str| format!("`{name}`");
    let row = |row: &BoundRow| {
        let keys: Vec<String> = row.keys.iter().map(|key| key.label()).collect();
        let words = Some(row.words.to_owned()).filter(|words| !words.is_empty());
        let keys = keys.into_iter().chain(words).collect::<Vec<_>>().join(", ");
        let keys = if keys.is_empty() { "none".to_owned() } else { escaped(&keys) };
        let own = if row.is_action { name(row.name) } else { String::new() };
        let pi = row.pi.map(name).unwrap_or_default();
        format!("| {keys} | {} | {own} | {pi} |\n", escaped(&own_meaning(row, &section.rows)))
    };
    let rows = section.rows.iter().map(row).collect::<String>();
    format!("| key | does | action | in Pi |\n|---|---|---|---|\n{rows}")
}

/// A page with its tables made again.
fn remade(page: &str, table: impl Fn(&[&Section]) -> String) -> String {
    let sections = Keymap::default().sections();
    let (mut out, mut rest) = (String::new(), page);
    while let Some(at) = rest.find(BEGIN) {
        let titles_end = at + rest[at..].find(" -->").expect("the mark ends");
        let titles = rest[at + BEGIN.len()..titles_end].split(", ");
        let of = |title: &str| {
            let found = sections.iter().find(|section| section.title == title);
            found.unwrap_or_else(|| panic!("there is no section {title}"))
        };
        let named: Vec<&Section> = titles.map(of).collect();
        out.push_str(&rest[..titles_end]);
        out.push_str(&format!(" -->\n{}", table(&named)));
        rest = &rest[titles_end..];
        rest = &rest[rest.find(END).expect("the table ends")..];
    }
    out + rest
}

#[test]
fn the_tables_are_those_of_the_keymap() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let of_help = |sections: &[&Section]| {
        short(&sections.iter().flat_map(|section| section.help.clone()).collect::<Vec<_>>())
    };
    let of_all = |sections: &[&Section]| sections.iter().map(|section| long(section)).collect();
    for page in PAGES.into_iter().chain([REFERENCE]) {
        let path = docs.join(page);
        let now = fs_err::read_to_string(&path).unwrap();
        let wanted = if page == REFERENCE { remade(&now, of_all) } else { remade(&now, of_help) };
        if std::env::var_os("PITREE_BLESS").is_some() {
            fs_err::write(&path, &wanted).unwrap();
        } else {
            assert!(now == wanted, "docs/{page} is not up to date (PITREE_BLESS=1 writes it)");
        }
    }
    let reference = fs_err::read_to_string(docs.join(REFERENCE)).unwrap();
    for section in Keymap::default().sections() {
        let mark = format!("{BEGIN}{} -->", section.title);
        assert!(reference.contains(&mark), "docs/{REFERENCE} has no {mark}");
    }
}
