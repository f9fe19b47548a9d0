//! What others append can be read without writing anything.

use std::sync::atomic::{AtomicU32, Ordering};

use pitree_format::{Object, Value};
use pitree_session::{Environment, NewSession, OpenOptions, Session, SessionError};

fn environment(home: &std::path::Path) -> Environment {
    let next = AtomicU32::new(1);
    let random = move |bytes: &mut [u8]| {
        for chunk in bytes.chunks_mut(4) {
            let number = next.fetch_add(1, Ordering::Relaxed).to_be_bytes();
            chunk.copy_from_slice(&number[..chunk.len()]);
        }
    };
    Environment::new(home, home, || 1_770_159_126_410, random)
}

fn said(text: &str) -> Value {
    Object::new().with("role", "user").with("content", text).into()
}

#[test]
fn what_others_append_is_read_and_the_leaf_stays() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path());
    let new = NewSession::default();
    let mut ours =
        Session::create_in(folder.path(), folder.path().to_owned(), &new, &environment).unwrap();
    assert_eq!(ours.refresh().unwrap(), 0, "there is no file yet");
    let first = ours.append_message(said("first")).unwrap().id;
    let path = ours.path().unwrap().to_owned();
    assert!(!ours.has_grown().unwrap());

    let mut theirs = Session::open(&path, &environment).unwrap();
    let second = theirs.append_message(said("second")).unwrap().id;
    theirs.append_label(&first, Some("begin")).unwrap();
    let bytes = fs_err::read(&path).unwrap();
    assert!(ours.has_grown().unwrap());
    assert_eq!(ours.refresh().unwrap(), 2);
    assert_eq!(ours.refresh().unwrap(), 0);
    assert_eq!(ours.leaf_id(), Some(first.as_str()));
    assert_eq!(ours.entry(&second).unwrap().outline().unwrap(), "user: second");
    assert_eq!(ours.label(&first).unwrap(), Some("begin".into()));
    assert_eq!(fs_err::read(&path).unwrap(), bytes, "reading does not write");

    // A program that rewrites by rename, as the Rust port does.
    let copy = folder.path().join("copy");
    let more = r#"{"type":"custom","customType":"x","id":"ffffffff","parentId":null,"timestamp":"2026-02-03T22:53:00.000Z"}"#;
    fs_err::write(&copy, [&bytes, more.as_bytes(), b"\n"].concat()).unwrap();
    fs_err::rename(&copy, &path).unwrap();
    assert_eq!(ours.refresh().unwrap(), 1);
    assert_eq!(ours.leaf_id(), Some(first.as_str()));
}

#[test]
fn a_file_that_got_shorter_is_told_and_one_that_is_gone_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path());
    let new = NewSession::default();
    let mut session =
        Session::create_in(folder.path(), folder.path().to_owned(), &new, &environment).unwrap();
    session.append_message(said("first")).unwrap();
    let path = session.path().unwrap().to_owned();
    let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(20).unwrap();
    assert!(matches!(session.refresh(), Err(SessionError::Changed { .. })));
    fs_err::remove_file(&path).unwrap();
    assert_eq!(session.refresh().unwrap(), 0);
    assert!(!path.exists(), "a look does not bring it back");
}

#[test]
fn a_private_copy_is_never_exchanged_for_the_file_it_was_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path());
    let new = NewSession::default();
    let mut original =
        Session::create_in(folder.path(), folder.path().to_owned(), &new, &environment).unwrap();
    original.append_message(said("the password is lemontree")).unwrap();
    let path = original.path().unwrap().to_owned();
    let redacted = fs_err::read_to_string(&path).unwrap().replace("lemontree", "[redacted]");
    let hidden = folder.path().join("copy");
    fs_err::write(&hidden, redacted).unwrap();
    let file = fs_err::File::open(&hidden).unwrap().into_parts().0;
    let mut copy = OpenOptions::new().open_copy(file, &path, &environment).unwrap();
    original.append_message(said("more")).unwrap();

    assert!(!copy.has_grown().unwrap());
    for error in [copy.refresh().unwrap_err(), copy.append_message(said("no")).unwrap_err()] {
        assert!(matches!(error, SessionError::NotASession { .. }), "{error}");
        assert!(error.to_string().contains("is a copy for reading only"), "{error}");
    }
    assert_eq!(copy.len(), 1);
    let text = String::from_utf8(copy.at(0).unwrap().raw().unwrap().into_owned()).unwrap();
    assert!(text.contains("[redacted]") && !text.contains("lemontree"), "{text}");
}
