//! Exports as files.

use std::os::unix::fs::MetadataExt;

use pitree_export::{
    Branch, ExportError, ExportOptions, Format, Overwrite, default_name, export_to_file,
};
use pitree_session::location::{Layout, Location, Origin};

use crate::export::common::{Folder, exported_bytes, said, with_header};

fn sample(folder: &Folder) -> pitree_session::Session {
    folder.session(with_header(&[&said("a", None, "hello"), "{torn"])).unwrap()
}

#[test]
fn a_file_is_never_overwritten_unless_told() {
    let folder = Folder::new();
    let session = sample(&folder);
    let path = folder.path("new/folder/page.html");
    let options = ExportOptions::default();
    export_to_file(&session, Format::Html, &options, &path, Overwrite::Never).unwrap();
    assert_eq!(fs_err::metadata(&path).unwrap().mode() & 0o777, 0o600);
    fs_err::write(&path, "mine").unwrap();
    let refused = export_to_file(&session, Format::Html, &options, &path, Overwrite::Never);
    assert!(matches!(refused, Err(ExportError::Exists { .. })), "{refused:?}");
    assert_eq!(fs_err::read(&path).unwrap(), b"mine");
    export_to_file(&session, Format::Html, &options, &path, Overwrite::OutsideOf(&[])).unwrap();
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
        let overwrite = Overwrite::OutsideOf(&[]);
        let options = ExportOptions::default();
        let result = export_to_file(&session, Format::Html, &options, &path, overwrite);
        assert!(matches!(result, Err(ExportError::OntoItself { .. })), "{result:?}");
    }
    assert_eq!(fs_err::read(&own).unwrap(), before);
}

/// Whatever is allowed: only a regular file that is not a session and lies elsewhere is replaced.
#[test]
fn what_would_be_missed_is_never_replaced() {
    let folder = Folder::new();
    let session = sample(&folder);
    let store = folder.path("store");
    let write = |name: &str, text: &str| {
        let path = folder.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, text).unwrap();
        path
    };
    let header = with_header(&[]);
    let entry = said("a", None, "hello");
    let page = write("page.html", "<!DOCTYPE html>");
    let link = folder.path("link.html");
    fs_err::os::unix::fs::symlink(&page, &link).unwrap();
    let dangling = folder.path("dangling.html");
    fs_err::os::unix::fs::symlink(folder.path("nowhere"), &dangling).unwrap();
    let inside = folder.path("inside");
    write("store/--p--/notes.html", "mine");
    fs_err::os::unix::fs::symlink(store.join("--p--"), &inside).unwrap();
    let pipe = folder.path("pipe.html");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let location =
        Location { path: store.clone(), layout: Layout::PerDirectory, origin: Origin::Setting };
    let known = [location];
    for (path, error) in [
        (write("store/--p--/other.jsonl", &header), "is in a sessions folder"),
        (write("store/damaged.jsonl", "{torn"), "is in a sessions folder"),
        (inside.join("notes.html"), "is in a sessions folder"),
        (write("elsewhere.jsonl", &header), "is a session"),
        (write("elsewhere.html", &format!("\n{{torn\n{header}")), "is a session"),
        (write("headless.jsonl", &entry), "is a session"),
        (link, "is not a regular file"),
        (dangling, "is not a regular file"),
        (pipe, "is not a regular file"),
        (store, "is not a regular file"),
    ] {
        let before = fs_err::symlink_metadata(&path).unwrap();
        for format in [Format::Html, Format::Jsonl] {
            let options = ExportOptions::default();
            let overwrite = Overwrite::OutsideOf(&known);
            let refused = export_to_file(&session, format, &options, &path, overwrite);
            let words = refused.map(|_| path.clone()).unwrap_err().to_string();
            assert!(words.contains(error), "{}: {words}", path.display());
        }
        let after = fs_err::symlink_metadata(&path).unwrap();
        assert_eq!((before.ino(), before.len()), (after.ino(), after.len()), "{}", path.display());
    }
    let overwrite = Overwrite::OutsideOf(&known);
    export_to_file(&session, Format::Html, &ExportOptions::default(), &page, overwrite).unwrap();
}

#[test]
fn names_are_those_of_pi() {
    let folder = Folder::new();
    let session = sample(&folder);
    assert_eq!(default_name(&session, Format::Html), "pi-session-session.html");
    assert_eq!(default_name(&session, Format::Markdown), "pi-session-session.md");
    assert_eq!(default_name(&session, Format::Jsonl), "session-2026-02-02T02-40-00-000Z.jsonl");
}

/// The whole file, whatever is in it; one without a header gets one, and one whose header comes late
/// begins with it. A byte order mark is left out.
#[test]
fn everything_as_jsonl_is_the_file() {
    let folder = Folder::new();
    let options = ExportOptions::new().branch(Branch::All);
    let generated = (0..100).map(|seed| pitree_testkit::session(seed).bytes);
    let damaged = pitree_testkit::damaged_files().into_iter().map(|file| file.bytes);
    for bytes in generated.chain(damaged) {
        let Some(session) = folder.session(&bytes) else { continue };
        let exported = exported_bytes(&session, Format::Jsonl, &options);
        if let Some(late) = session.late_header() {
            let (start, end) = (late.offset as usize, (late.offset + late.len) as usize);
            let rest = bytes.get(end + 1..).unwrap_or_default();
            assert_eq!(exported, [&bytes[start..end], b"\n", &bytes[..start], rest].concat());
            continue;
        }
        if !session.is_headerless() {
            assert_eq!(exported, bytes[session.text_start() as usize..]);
            continue;
        }
        let end = exported.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let (header, rest) = exported.split_at(end);
        assert!(header.starts_with(br#"{"type":"session","#), "{}", header.escape_ascii());
        assert_eq!(rest, bytes);
    }
}
