//! The pages about the library show the examples as they are. After a change of one: `PITREE_BLESS=1`.

use std::path::Path;

/// The pages, and how many examples each shows.
const PAGES: [(&str, usize); 2] = [("docs/sdk.md", 11), ("docs/guides/embed.md", 1)];
const BEGIN: &str = "<!-- example: ";
const END: &str = "<!-- end of example -->";

#[test]
fn the_pages_show_the_examples() {
    for (page, count) in PAGES {
        assert_eq!(shown_examples(page), count, "{page}");
    }
}

/// Compares the examples on a page with those that are run, and counts them.
fn shown_examples(name: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs_err::read_to_string(root.join(name)).unwrap();
    let mut made = String::new();
    let mut lines = page.lines();
    let mut shown = 0;
    while let Some(line) = lines.next() {
        made.push_str(line);
        made.push('\n');
        let Some(file) = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        shown += 1;
        let code = excerpt(&fs_err::read_to_string(root.join(file)).unwrap());
        made.push_str(&format!("```rust\n{code}```\n{END}\n"));
        assert!(lines.by_ref().any(|line| line == END), "{file}: no end");
    }
    if std::env::var_os("PITREE_BLESS").is_some() {
        fs_err::write(root.join(name), &made).unwrap();
    }
    let differs = page.lines().zip(made.lines()).find(|(page, made)| page != made);
    assert!(
        page == made || std::env::var_os("PITREE_BLESS").is_some(),
        "{name} is not what the examples are; run this test with PITREE_BLESS=1: {differs:?}"
    );
    // Nothing else on the page is Rust, so all of it is compiled and run.
    assert_eq!(made.matches("```rust").count(), shown);
    shown
}

/// What stands between the marks, for readers.
fn excerpt(source: &str) -> String {
    let inner = source.lines().skip_while(|line| *line != "// [cookbook]").skip(1);
    let lines = inner.take_while(|line| *line != "// [end]");
    lines.map(|line| format!("{}\n", line.replace("pub(crate) fn", "fn"))).collect()
}
