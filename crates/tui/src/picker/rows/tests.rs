//! What holds for every list.

use std::collections::HashSet;
use std::path::PathBuf;

use pitree_store::{FileStamp, SessionFacts, Spend};
use proptest::prelude::*;

use super::*;

fn facts(at: usize, modified_ms: i64, name: Option<&str>) -> SessionFacts {
    SessionFacts {
        path: PathBuf::from(format!("/s/{at}")),
        stamp: FileStamp { size: 0, modified_ns: 0, identity: (0, at as u64), access: 0 },
        id: format!("id{at}"),
        cwd: "/srv".into(),
        name: name.map(Into::into),
        parent_session: None,
        created_ms: None,
        modified_ms,
        message_count: 1,
        first_message: Some(format!("message {at}").as_str().into()),
        entries: 1,
        branches: 1,
        compactions: 0,
        errors: 0,
        ends_failed: false,
        subagents: 0,
        damaged_lines: 0,
        models: Vec::new(),
        spend: Spend::default(),
        role_marker: None,
    }
}

/// Sessions, newest first, of which some have a parent somewhere in the list.
fn sessions() -> impl Strategy<Value = ListedSessions> {
    let one = (any::<u8>(), any::<bool>(), proptest::option::weighted(0.6, any::<usize>()));
    proptest::collection::vec(one, 0..40).prop_map(|all| {
        let order: Vec<u8> = all.iter().map(|(order, ..)| *order).collect();
        let facts: Vec<SessionFacts> = (0..all.len())
            .map(|at| facts(at, 1000 - at as i64, all[at].1.then_some("named")))
            .collect();
        // A parent comes earlier in a made-up order, so there are no circles.
        let parent = |at: usize| {
            let before: Vec<usize> =
                (0..all.len()).filter(|&other| (order[other], other) < (order[at], at)).collect();
            all[at].2.and_then(|pick| before.get(pick % before.len().max(1)).copied())
        };
        let parents = (0..all.len()).map(parent).collect();
        ListedSessions { facts, parents }
    })
}

fn wanted(sort: Sort, named_only: bool, folded: HashSet<PathBuf>) -> ListFilter {
    ListFilter { query: None, problem: None, sort, named_only, folded }
}

proptest! {
    #![proptest_config(pitree_testkit::properties(256))]

    #[test]
    fn every_session_has_one_row_or_is_folded_away(
        sessions in sessions(),
        named_only in any::<bool>(),
        folds in proptest::collection::vec(any::<usize>(), 0..4),
    ) {
        let count = sessions.facts.len();
        let folded: HashSet<PathBuf> =
            folds.iter().map(|fold| PathBuf::from(format!("/s/{}", fold % 40))).collect();
        let wanted = wanted(Sort::Threaded, named_only, folded.clone());
        let rows = rows(&sessions, &wanted, |_| None, &OpenRuns::new());
        let fits = |at: usize| !named_only || sessions.facts[at].name.is_some();
        let fitting = (0..count).filter(|&at| fits(at)).count();
        let hidden: usize = rows.iter().map(|row| row.hidden).sum();
        prop_assert_eq!(rows.len() + hidden, fitting);
        let mut seen = HashSet::new();
        for row in &rows {
            prop_assert!(seen.insert(row.session) && fits(row.session));
            let parent = sessions.parents[row.session].filter(|&parent| fits(parent));
            // A fork stands below what it came from, which is not folded.
            prop_assert_eq!(row.guides.is_empty(), parent.is_none());
            if let Some(parent) = parent {
                prop_assert!(seen.contains(&parent));
                prop_assert!(!folded.contains(&sessions.facts[parent].path));
            }
        }
    }

    #[test]
    fn the_other_orders_are_flat_and_newest_first(sessions in sessions(), relevance: bool) {
        let sort = if relevance { Sort::Relevance } else { Sort::Recent };
        let wanted = wanted(sort, false, HashSet::new());
        let rows = rows(&sessions, &wanted, |_| None, &OpenRuns::new());
        let order: Vec<usize> = rows.iter().map(|row| row.session).collect();
        prop_assert_eq!(order, (0..sessions.facts.len()).collect::<Vec<_>>());
        prop_assert!(rows.iter().all(|row| row.guides.is_empty()));
    }
}

#[test]
fn the_lines_of_the_tree_join() {
    let facts: Vec<SessionFacts> = (0..5).map(|at| facts(at, 1000 - at as i64, None)).collect();
    let sessions = ListedSessions { facts, parents: vec![None, Some(0), Some(1), Some(0), None] };
    let wanted = wanted(Sort::Threaded, false, HashSet::new());
    let rows = rows(&sessions, &wanted, |_| None, &OpenRuns::new());
    let lines: Vec<&str> = rows.iter().map(|row| row.guides.as_str()).collect();
    assert_eq!(lines, ["", "├─ ", "│  └─ ", "└─ ", ""]);
}
