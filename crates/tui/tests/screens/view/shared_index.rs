//! Those who use the shared index hear of every change, and of nothing else.

use std::path::{Path, PathBuf};

use pitree_store::shared_index::{RefreshOptions, generation, read, refresh};

use super::{Home, answer, user};
use crate::screens::harness::{Driven, SMALL};

/// A view of a session whose root has an index.
struct Indexed {
    home: Home,
    root: PathBuf,
    driven: Driven,
}

impl Indexed {
    fn new() -> Self {
        let home = Home::with(&[
            user("first question"),
            answer("first answer"),
            user("second question"),
            answer("second answer"),
        ]);
        let root = home.path().join("sessions");
        refresh(&root, RefreshOptions::default(), &home.environment).unwrap();
        let driven = home.view(SMALL);
        Self { home, root, driven }
    }

    fn run(&mut self, command: &str) {
        self.driven.type_text(command);
        self.driven.press("Esc Enter");
    }

    fn open_file(&self) -> PathBuf {
        self.driven.app.state.live.as_ref().unwrap().session().path().unwrap().to_owned()
    }

    /// The index counts as complete, and knows a file as it is.
    #[track_caller]
    fn assert_known(&self, file: &Path) {
        let list = read(&self.root, &self.home.environment).unwrap();
        assert!(list.current, "a scan has to follow");
        let row = list.rows.iter().find(|row| Path::new(&row.path) == file);
        let size = fs_err::metadata(file).unwrap().len() as i64;
        assert_eq!(row.map(|row| row.size_bytes), Some(size), "{:?}", list.rows);
    }

    /// Runs something that writes nothing.
    #[track_caller]
    fn assert_silent(&mut self, work: impl FnOnce(&mut Self)) {
        let before = generation(&self.root);
        work(self);
        assert_eq!(generation(&self.root), before);
    }
}

#[test]
fn what_the_view_writes_is_announced() {
    let mut view = Indexed::new();
    let file = view.home.file.clone();
    view.assert_silent(|view| {
        view.run("/name");
        for page in ["/session", "/help", "/cost"] {
            view.run(page);
            view.driven.press("Esc");
        }
    });
    view.run("/name Weather");
    view.assert_known(&file);
    view.run("one more");
    view.assert_known(&file);
    view.run("/label here");
    view.assert_known(&file);
    view.run("/clone");
    let clone = view.open_file();
    assert_ne!(clone, file);
    view.assert_known(&clone);
}

#[test]
fn forks_labels_moves_and_imports_are_announced() {
    let mut view = Indexed::new();
    let file = view.home.file.clone();
    view.run("/tree");
    view.driven.press("L");
    view.driven.type_text("good");
    view.driven.press("Enter");
    view.assert_known(&file);
    // A move stays in memory.
    view.assert_silent(|view| {
        view.driven.press("Up Up Enter Enter");
        assert!(view.driven.text().contains("not at the saved position"), "{}", view.driven.text());
    });
    view.run("/fork");
    view.driven.press("Enter");
    let fork = view.open_file();
    assert_ne!(fork, file);
    view.assert_known(&fork);

    let other = view.home.path().join("other.jsonl");
    let text = fs_err::read_to_string(&file).unwrap().replace("0190aaaa", "0190bbbb");
    fs_err::write(&other, text).unwrap();
    view.driven.press("Ctrl+c");
    view.run(&format!("/import {}", other.display()));
    view.driven.press("y");
    let imported = view.open_file();
    assert_ne!(imported, fork);
    view.assert_known(&imported);
}

#[test]
fn a_position_that_is_saved_is_announced() {
    let mut view = Indexed::new();
    let file = view.home.file.clone();
    view.run("/tree");
    view.driven.press("Up Up Enter Enter Ctrl+s");
    assert!(view.driven.text().contains("Position saved."), "{}", view.driven.text());
    assert_eq!(view.home.lines().pop().unwrap()["customType"], "pitree.leaf");
    view.assert_known(&file);
    view.run("/tree");
    view.driven.press("Home Ctrl+s");
    assert_eq!(view.home.lines().pop().unwrap()["parentId"], serde_json::Value::Null);
    view.assert_known(&file);
    view.assert_silent(|view| {
        view.driven.press("Ctrl+c");
        view.run("/tree");
        view.driven.press("End Enter Enter");
        view.driven.app.state.end();
    });
}
