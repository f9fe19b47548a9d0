//! Huge and lopsided trees: right at every depth, and only what is seen is drawn.

use pitree_session::{Session, TreeFilter};
use pitree_tui::tree::{TreeAction, TreeModel};
use tempfile::TempDir;

use crate::tree::common::{Lines, drawn, open};

const COUNT: usize = 100_000;

fn session(parent_of: impl FnMut(usize) -> Option<usize>) -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs_err::write(&path, Lines::grow(COUNT, parent_of).bytes()).unwrap();
    let session = open(&path);
    assert_eq!(session.len(), COUNT);
    (folder, session)
}

/// Presses every kind of key and looks at the screen after each.
fn walk(model: &mut TreeModel, session: &Session) {
    let actions = [
        TreeAction::First,
        TreeAction::UnfoldOrDown,
        TreeAction::FoldOrUp,
        TreeAction::Last,
        TreeAction::FoldOrUp,
        TreeAction::FoldOrUp,
        TreeAction::UnfoldOrDown,
        TreeAction::Move(-20),
        TreeAction::Up,
        TreeAction::NextFilter,
        TreeAction::NextFilter,
        TreeAction::NextFilter,
        TreeAction::NextFilter,
        TreeAction::Toggle(TreeFilter::Default),
        TreeAction::Type("question 9999".to_owned()),
        TreeAction::ClearSearch,
        TreeAction::PreviousFilter,
    ];
    for action in actions {
        model.act(action.clone());
        let lines = drawn(model, session, 80, 40);
        assert_eq!(lines.len(), model.rows().len().min(40), "{action:?}");
        let cursors = lines.iter().filter(|line| line.starts_with('›')).count();
        assert_eq!(cursors, 1, "{action:?}: {lines:#?}");
        let widest = lines.iter().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{action:?}");
    }
}

#[test]
fn a_long_conversation_stays_flat() {
    let (_folder, session) = session(|at| at.checked_sub(1));
    let mut model = TreeModel::new(&session, TreeFilter::Default, None).unwrap();
    model.read(&session, 0, 2);
    assert_eq!(model.selected_row() + 1, model.rows().len());
    assert_eq!(model.rows().steps(model.selected_row()), 0);
    let lines = drawn(&mut model, &session, 80, 3);
    assert_eq!(lines[2], "› • assistant: answer 99999");
    model.act(TreeAction::First);
    model.act(TreeAction::FoldOrUp);
    assert_eq!(model.rows().len(), 1);
    model.act(TreeAction::UnfoldOrDown);
    walk(&mut model, &session);
}

#[test]
fn a_hundred_thousand_answers_to_one_question() {
    let (_folder, session) = session(|at| at.checked_sub(1).map(|_| 0));
    let mut model = TreeModel::new(&session, TreeFilter::All, None).unwrap();
    model.read(&session, 0, 2);
    assert_eq!(model.rows().len(), COUNT);
    // The active branch comes first, whatever its place in the file.
    assert_eq!(model.selected_row(), 1);
    let lines = drawn(&mut model, &session, 80, 3);
    assert_eq!(lines[1], "› ├─ • assistant: answer 99999");
    model.act(TreeAction::Last);
    let lines = drawn(&mut model, &session, 80, 3);
    assert!(lines[2].starts_with("› └─ "), "{lines:?}");
    walk(&mut model, &session);
}

#[test]
fn a_branch_at_every_step_is_drawn_where_it_is_seen() {
    // Every second entry goes on from the one before the last, so the tree goes ever deeper.
    let (_folder, session) = session(|at| match at {
        0 => None,
        at if at % 2 == 0 => Some(at - 2),
        at => Some(at - 1),
    });
    let mut model = TreeModel::new(&session, TreeFilter::All, None).unwrap();
    model.read(&session, 0, 2);
    let steps = model.rows().steps(model.selected_row());
    assert!(steps > COUNT / 4, "{steps}");
    let lines = drawn(&mut model, &session, 80, 5);
    let selected = lines.iter().find(|line| line.starts_with('›')).unwrap();
    assert!(selected.contains("answer 99999"), "{lines:#?}");
    model.act(TreeAction::Last);
    let lines = drawn(&mut model, &session, 80, 5);
    assert!(lines[4].starts_with("› └─ "), "the deep rows above do not move it: {lines:#?}");
    walk(&mut model, &session);
}

#[test]
fn a_hundred_thousand_beginnings() {
    let (_folder, session) = session(|_| None);
    let mut model = TreeModel::new(&session, TreeFilter::All, None).unwrap();
    model.read(&session, 0, 2);
    assert_eq!((model.rows().len(), model.rows().steps(7)), (COUNT, 0));
    walk(&mut model, &session);
}
