//! Exports as files.

use std::os::unix::fs::MetadataExt;

use pitree_export::{Branch, ExportError, ExportOptions, Format, default_name, export_to_file};

use crate::common::{Folder, exported_bytes, said, with_header};

fn sample(folder: &Folder) -> pitree_session::Session {
    folder.session(with_header(&[&said("a", None, "hello"), "{torn"])).unwrap()
}

#[test]
fn a_file_is_never_overwritten_unless_told() {
    let folder = Folder::new();
    let session = sample(&folder);
    let path = folder.path("new/folder/page.html");
    let options = ExportOptions::default();
    export_to_file(&session, Format::Html, &options, &path, false).unwrap();
    assert_eq!(fs_err::metadata(&path).unwrap().mode() & 0o777, 0o600);
    fs_err::write(&path, "mine").unwrap();
    let refused = export_to_file(&session, Format::Html, &options, &path, false);
    assert!(matches!(refused, Err(ExportError::Exists { .. })), "{refused:?}");
    assert_eq!(fs_err::read(&path).unwrap(), b"mine");
    export_to_file(&session, Format::Html, &options, &path, true).unwrap();
    assert!(fs_err::read_to_string(&path).unwrap().starts_with("<!DOCTYPE html>"));
    // Nothing else is left in the folder.
    assert_eq!(fs_err::read_dir(folder.path("new/folder")).unwrap().count(), 1);
}

#[test]
fn a_session_is_not_exported_onto_itself() {
    let folder = Folder::new();
    let session = sample(&folder);
    let own = session.path().unwrap().to_owned();
    let before = fs_err::read(&own).unwrap();
    let link = folder.path("link.html");
    fs_err::os::unix::fs::symlink(&own, &link).unwrap();
    for path in [own.clone(), link] {
        let result = export_to_file(&session, Format::Html, &ExportOptions::default(), &path, true);
        assert!(matches!(result, Err(ExportError::OntoItself { .. })), "{result:?}");
    }
    assert_eq!(fs_err::read(&own).unwrap(), before);
}

#[test]
fn names_are_those_of_pi() {
    let folder = Folder::new();
    let session = sample(&folder);
    assert_eq!(default_name(&session, Format::Html), "pi-session-session.html");
    assert_eq!(default_name(&session, Format::Markdown), "pi-session-session.md");
    assert_eq!(default_name(&session, Format::Jsonl), "session-2026-02-02T02-40-00-000Z.jsonl");
}

/// The whole file, whatever is in it.
#[test]
fn everything_as_jsonl_is_the_file() {
    let folder = Folder::new();
    let options = ExportOptions { branch: Some(Branch::All), ..ExportOptions::default() };
    let generated = (0..100).map(|seed| pitree_testkit::session(seed).bytes);
    let damaged = pitree_testkit::damaged_files().into_iter().map(|file| file.bytes);
    for bytes in generated.chain(damaged) {
        let Some(session) = folder.session(&bytes) else { continue };
        assert_eq!(exported_bytes(&session, Format::Jsonl, &options), bytes);
    }
}
