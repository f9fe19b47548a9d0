//! A redactor sees every text.

use pitree_export::{Branch, ExportOptions, Format};

use crate::common::{Folder, exported_bytes};
use crate::hostile::planted;

const SECRET: &str = "hunter2-correct-horse";

#[test]
fn no_text_gets_past_a_redactor() {
    let folder = Folder::new();
    let text = planted(SECRET);
    let session = folder.session(&text).unwrap();
    let hide = |text: &str| text.contains(SECRET).then(|| text.replace(SECRET, "[gone]"));
    // Ids and times hold a session file together and are kept from a redactor there.
    let kept = ["id", "toolCallId", "firstKeptEntryId", "fromId", "targetId", "timestamp"];
    let count = |name: &str| text.matches(&format!("\"{name}\":\"{SECRET}")).count();
    let links = kept.iter().map(|name| count(name)).sum::<usize>()
        + text.matches(&format!("\"u{SECRET}\"")).count();
    for branch in [Branch::Active, Branch::All] {
        let options = ExportOptions { branch: Some(branch), redactor: Some(&hide) };
        for format in Format::ALL {
            let bytes = exported_bytes(&session, format, &options);
            let page = String::from_utf8(bytes).unwrap();
            assert!(page.contains("[gone]"), "{format:?}");
            let left = page.matches(SECRET).count();
            match format {
                // The header of a branch has a time of its own.
                Format::Jsonl if branch == Branch::Active => assert_eq!(left, links - 1, "{page}"),
                Format::Jsonl => assert_eq!(left, links, "{page}"),
                _ => assert_eq!(left, 0, "{format:?}: {page}"),
            }
        }
    }
}

/// A redacted file is still the same session.
#[test]
fn a_redacted_file_keeps_its_tree() {
    let folder = Folder::new();
    for seed in 0..50 {
        let session = folder.session(pitree_testkit::session(seed).bytes).unwrap();
        let hide = |text: &str| (!text.is_empty()).then(|| "x".to_owned());
        let options = ExportOptions { branch: Some(Branch::All), redactor: Some(&hide) };
        let bytes = exported_bytes(&session, Format::Jsonl, &options);
        let ids = |session: &pitree_session::Session| -> Vec<(String, Option<String>)> {
            let parent =
                |entry: &pitree_session::EntryRef<'_>| entry.parent_id().map(str::to_owned);
            session.entries().map(|entry| (entry.id().to_owned(), parent(&entry))).collect()
        };
        let before = ids(&session);
        let other = Folder::new();
        let redacted = other.session(&bytes).unwrap();
        assert_eq!(ids(&redacted), before, "seed {seed}");
    }
}
