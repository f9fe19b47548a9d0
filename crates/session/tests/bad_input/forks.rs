//! Forks and appends on every damaged file of the test kit: nothing that was there is lost.

use std::collections::HashMap;
use std::path::Path;

use pitree_session::{ForkOptions, OpenOptions, Session, SessionError};
use pitree_testkit::damaged_files;

use crate::bad_input::common::{TestFolder, ask_everything, ids, said};

/// The lines of a file with their number, without line feeds and without blank ones.
fn counted_lines(bytes: &[u8]) -> HashMap<&[u8], usize> {
    let mut lines = HashMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        if !line.is_empty() {
            *lines.entry(line).or_default() += 1;
        }
    }
    lines
}

#[test]
fn an_append_to_a_damaged_file_keeps_every_old_byte() {
    for file in damaged_files() {
        let place = TestFolder::new();
        let path = place.file(&file.bytes);
        let Ok(mut session) = place.open_migrating(&path) else { continue };
        let old = session.source_version() != pitree_format::migrate::SourceVersion::Current;
        let len = session.len();
        let id = session.append_message(said("more")).expect(file.name).id;
        let after = fs_err::read(&path).unwrap();
        if !old {
            assert!(after.starts_with(&file.bytes), "{}", file.name);
        }
        assert!(after.ends_with(b"}\n"));
        let fresh = place.open(&path).expect(file.name);
        assert_eq!(ids(&fresh), ids(&session), "{}", file.name);
        assert_eq!((fresh.len(), fresh.leaf_id()), (len + 1, Some(&*id)), "{}", file.name);
        let parents = |session: &Session| -> Vec<Option<String>> {
            session.entries().map(|entry| entry.parent_id().map(str::to_owned)).collect()
        };
        assert_eq!(parents(&fresh), parents(&session), "{}", file.name);
        ask_everything(&fresh).expect(file.name);
    }
}

#[test]
fn a_whole_fork_of_a_damaged_file_has_every_old_line() {
    for file in damaged_files() {
        let place = TestFolder::new();
        let path = place.file(&file.bytes);
        let Ok(source) = place.open(&path) else { continue };
        if source.source_version() != pitree_format::migrate::SourceVersion::Current {
            continue;
        }
        let fork = Session::fork_from(
            &path,
            Path::new("/elsewhere"),
            place.root().join("forks"),
            &ForkOptions::default(),
            &place.environment,
        )
        .expect(file.name);
        let bytes = fs_err::read(fork.path().unwrap()).unwrap();
        let lines = counted_lines(&bytes);
        let headers: Vec<_> = source
            .odd_lines()
            .iter()
            .filter(|odd| odd.what == pitree_session::LineProblem::Header)
            .map(|odd| &file.bytes[odd.offset as usize..(odd.offset + odd.len) as usize])
            .collect();
        for (line, count) in counted_lines(&file.bytes) {
            if !headers.contains(&line) {
                assert_eq!(lines.get(line), Some(&count), "{}: {:?}", file.name, lossy(line));
            }
        }
        assert_eq!(fork.len(), source.len(), "{}", file.name);
        ask_everything(&fork).expect(file.name);
        assert_eq!(fs_err::read(&path).unwrap(), file.bytes, "{}: the source changed", file.name);
    }
}

#[test]
fn a_fork_at_every_entry_of_a_damaged_file_has_the_way_to_it() {
    for file in damaged_files() {
        let place = TestFolder::new();
        let path = place.file(&file.bytes);
        let options = OpenOptions::new().lenient(true);
        let Ok(source) = options.open(&path, &place.environment) else { continue };
        for entry in source.entries() {
            // Of equal ids the last one is found.
            let entry = source.require(entry.id()).unwrap();
            let way = source.path_to(entry.index());
            let fork = source.create_branched_session(entry.id(), &ForkOptions::default());
            // Events are no entries, whatever header stands before them.
            if let Err(SessionError::NotASession { looks_like: Some(_), .. }) = fork {
                assert!(place.open(&path).is_err(), "{}", file.name);
                break;
            }
            let fork = fork.expect(file.name);
            let is_label = |entry: &pitree_session::EntryRef<'_>| {
                entry.kind() == pitree_format::EntryKind::Label
            };
            let kept: Vec<_> = way.iter().filter(|entry| !is_label(entry)).collect();
            let copied: Vec<_> = fork.entries().filter(|entry| !is_label(entry)).collect();
            assert_eq!(copied.len(), kept.len(), "{}", file.name);
            ask_everything(&fork).expect(file.name);
            if fork.has_conversation() {
                let fresh = place.open(fork.path().unwrap()).expect(file.name);
                assert_eq!(ids(&fresh), ids(&fork), "{}", file.name);
                let roots = fresh.tree().roots().count();
                assert!(roots <= 1, "{}: a fork is one way, but has {roots} roots", file.name);
            }
        }
        assert_eq!(fs_err::read(&path).unwrap(), file.bytes, "{}: the source changed", file.name);
    }
}

fn lossy(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned()
}
