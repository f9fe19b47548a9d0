//! The page and the schema of the protocol are those that the table gives.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::collections::HashSet;
use std::path::Path;

use pitree_format::js::{parse, stringify};
use pitree_rpc::protocol::{commands, page, schema};

/// Compares a generated file, or writes it anew with `PITREE_BLESS=1`.
fn compare(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("PITREE_BLESS").is_some() {
        fs_err::write(&path, expected).unwrap();
    }
    let found = fs_err::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "run with PITREE_BLESS=1 to write docs/{name} anew");
}

#[test]
fn the_page_is_up_to_date() {
    compare("protocol.md", &page());
}

#[test]
fn the_schema_is_up_to_date() {
    let text = stringify(&schema());
    // Readable differences need line ends.
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    compare("protocol.schema.json", &(serde_json::to_string_pretty(&value).unwrap() + "\n"));
}

#[test]
fn the_table_is_well_formed() {
    let mut names = HashSet::new();
    for command in commands() {
        let is_plain = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(command.name.chars().all(is_plain), "{}", command.name);
        assert!(names.insert(command.name), "{} is there twice", command.name);
        assert!(command.about.ends_with('.'), "{}: {}", command.name, command.about);
    }
    assert!(parse(stringify(&schema()).as_bytes()).is_ok());
}
