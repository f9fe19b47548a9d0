//! The examples of all crates, run on a store of their own.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_format::usage::Cost;
use pitree_session::location::Location;
use pitree_session::{Environment, Message, NewSession, Session, Usage};

/// Takes in an example; its `main` is for people.
macro_rules! example {
    ($name:ident, $file:literal) => {
        #[expect(dead_code, reason = "`main` is for people")]
        #[path = $file]
        mod $name;
    };
}

example!(compact, "../../../session/examples/compact.rs");
example!(create_and_fork, "../../../session/examples/create_and_fork.rs");
example!(tree_with_cost, "../../../session/examples/tree_with_cost.rs");
example!(cost, "../../../store/examples/cost.rs");
example!(follow_live, "../../../store/examples/follow_live.rs");
example!(list_and_search, "../../../store/examples/list_and_search.rs");
example!(markdown, "../../../export/examples/markdown.rs");
example!(redact, "../../../export/examples/redact.rs");
example!(observer, "../../../host/examples/observer.rs");
example!(exact_request, "../../../sample/examples/exact_request.rs");
example!(samples, "../../../sample/examples/samples.rs");

type Example = fn(&Path, &mut dyn Write) -> Result<(), Box<dyn Error>>;

/// What an example printed.
fn printed(example: Example, path: &Path) -> String {
    let mut out = Vec::new();
    example(path, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A root with one session.
struct Store {
    root: tempfile::TempDir,
    session: Session,
}

impl Store {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let environment =
            Environment::new("/home/ana", "/srv/shop", || 1_770_159_126_410, |bytes| bytes.fill(7));
        let location = Location::root(root.path());
        let new = NewSession::new().id("shop");
        let mut session = Session::create("/srv/shop", &location, &new, &environment).unwrap();
        let usage = || Usage::tokens(1000, 24).costing(Cost::dollars(0.5, 0.25));
        session.append_model_change("local", "small").unwrap();
        for text in
            ["How do I read a file?", "The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a"]
        {
            session.append_message(Message::user(text)).unwrap();
            let reply = Message::assistant("local", "small").text("So.").usage(usage());
            session.append_message(reply).unwrap();
        }
        Self { root, session }
    }

    fn file(&self) -> PathBuf {
        self.session.path().unwrap().to_owned()
    }
}

#[test]
fn a_tree_is_printed_with_its_cost() {
    let store = Store::new();
    let tree = printed(tree_with_cost::run, &store.file());
    assert_eq!(tree.matches("$0.7500").count(), 2, "{tree}");
    assert!(tree.contains("user: How do I read a file?"), "{tree}");
    assert!(tree.ends_with("2048 tokens, $1.5000\n"), "{tree}");
    assert_eq!(tree.matches("← current").count(), 1);
}

#[test]
fn a_session_is_created_and_forked() {
    let folder = tempfile::tempdir().unwrap();
    let said = printed(create_and_fork::run, folder.path());
    assert_eq!(said, "7 entries, 2 leaves\nfork with 4 messages\n");
    assert_eq!(Location::folder(folder.path()).all_sessions().len(), 2);
}

#[test]
fn sessions_are_listed_and_searched() {
    let store = Store::new();
    let said = printed(list_and_search::run, store.root.path());
    assert!(said.starts_with("shop  4 messages  How do I read a file?\n"), "{said}");
    assert_eq!(said.lines().count(), 2, "{said}");
    let error = list_and_search::run(&store.root.path().join("gone"), &mut Vec::new());
    assert!(error.unwrap_err().to_string().ends_with("gone: the folder does not exist"));
}

#[test]
fn what_is_appended_is_followed() {
    let mut store = Store::new();
    let (heard, told) = std::sync::mpsc::channel();
    let root = store.root.path().to_owned();
    /// Passes each line on as it comes, and fails once the one that was waited for is there.
    struct Lines(std::sync::mpsc::Sender<String>);
    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let is_last = text.contains("And write?");
            drop(self.0.send(text));
            if is_last { Err(std::io::Error::other("heard")) } else { Ok(bytes.len()) }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let follower = std::thread::spawn(move || {
        follow_live::run(&root, &mut Lines(heard)).map_err(|error| error.to_string())
    });
    let mut said = told.recv().unwrap();
    while !said.ends_with("sessions\n") {
        said.push_str(&told.recv().unwrap());
    }
    assert_eq!(said, "following 1 sessions\n");
    store.session.append_message(Message::user("And write?")).unwrap();
    assert_eq!(follower.join().unwrap(), Err("heard".to_owned()));
}

#[test]
fn costs_are_added_up() {
    let store = Store::new();
    let said = printed(cost::run, store.root.path());
    assert_eq!(said, "local/small: 2048 tokens, $1.5000\ntotal: $1.5000\n");
}

#[test]
fn samples_and_requests_are_made() {
    let store = Store::new();
    let said = printed(samples::run, &store.file());
    assert!(said.contains("4 messages, 2 trained"), "{said}");
    let said = printed(exact_request::run, &store.file());
    assert!(said.starts_with("small got 3 messages:\n"), "{said}");
    assert!(said.ends_with("next: 4 messages\n"), "{said}");
}

#[test]
fn secrets_are_replaced_and_pages_written() {
    let store = Store::new();
    let said = printed(redact::run, &store.file());
    assert!(!said.contains("ghp_16C7e42F"), "{said}");
    assert_eq!(said.matches("[REDACTED:").count(), 1, "{said}");
    let page = printed(markdown::run, &store.file());
    assert!(page.contains("How do I read a file?"), "{page}");
}

#[test]
fn a_summarizer_and_an_observer_of_ones_own_are_asked() {
    let store = Store::new();
    let said = printed(compact::run, &store.file());
    assert_eq!(said, "4 messages in the context before, 3 after\n");
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(printed(observer::run, folder.path()), "fork canceled: true\n");
}
