//! The right session comes first: queries as people type them, on a store with known answers.

use std::collections::HashSet;
use std::path::Path;

use pitree_session::location::{Layout, Location, Origin};
use pitree_store::search::{Query, SearchOptions, SessionSearch};
use pitree_store::{Scope, SessionFacts, Store};
use pitree_testkit::{RankedQuery, held_out_queries, ranking_queries, write_ranking_store};

use super::{NOW, environment};

/// In how many percent of the queries a right session must come first, and be among the first
/// three.
const FIRST: usize = 90;
const IN_THREE: usize = 98;

/// The same, for both places, of what a list alone tells: it knows no message but the first. The
/// queries that were tuned on ask less often for what is said later.
const AT_HAND: usize = 80;
const HELD_OUT_AT_HAND: usize = 55;

fn store(folder: &Path) -> Store {
    write_ranking_store(folder, NOW).unwrap();
    let (path, layout) = (folder.to_owned(), Layout::Flat);
    let location = Location { path, layout, origin: Origin::SessionDirFlag };
    Store::new(vec![location], &environment())
}

/// The sessions of a search's hits, each where its best hit is.
fn searched(store: &Store, typed: &str) -> Vec<String> {
    let query = Query::parse(typed, NOW).unwrap();
    let options = SearchOptions { scope: Scope::All, conversation: false, limit: 1000 };
    let mut seen = HashSet::new();
    let ids = store.search(&query, &options).hits.into_iter().map(|hit| hit.session.id);
    ids.filter(|id| seen.insert(id.clone())).collect()
}

/// The rows of the picker.
fn picked(store: &Store, typed: &str) -> Vec<String> {
    let query = Query::parse(typed, NOW).unwrap();
    let search = SessionSearch { scope: Scope::All, is_wanted: &|| true };
    let found = store.search_sessions(&query, &search).unwrap();
    found.iter().map(|found| id_in(&found.path)).collect()
}

/// What is seen at the first letters, before any message is searched, and what `resume` takes.
fn at_hand(facts: &[SessionFacts], typed: &str) -> Vec<String> {
    let found = Query::parse(typed, NOW).unwrap().find_at_hand(facts);
    found.iter().map(|found| id_in(&found.path)).collect()
}

fn id_in(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().split_once('_').unwrap().1.to_owned()
}

/// How many percent of the queries have a right session first, and among the first three. Tells
/// those that have not.
fn score(
    name: &str,
    queries: &[RankedQuery],
    find: impl Fn(&str) -> Vec<String>,
) -> (usize, usize) {
    let (mut first, mut in_three) = (0, 0);
    for query in queries {
        let found = find(&query.text);
        let place = found.iter().position(|id| query.best.contains(id));
        first += usize::from(place == Some(0));
        in_three += usize::from(place.is_some_and(|place| place < 3));
        if place != Some(0) {
            let best: Vec<&String> = found.iter().take(3).collect();
            println!("{name}: {:?} has {:?} at {place:?}; {best:?}", query.text, query.best);
        }
    }
    let percent = |count: usize| count * 100 / queries.len();
    println!(
        "{name}: first {first} ({} %), in three {in_three} ({} %) of {}",
        percent(first),
        percent(in_three),
        queries.len()
    );
    (percent(first), percent(in_three))
}

#[test]
fn the_right_session_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let facts = store.list_scope(Scope::All).sessions;
    let (queries, held_out) = (ranking_queries(), held_out_queries());
    assert!(queries.len() >= 60 && held_out.len() >= 30);
    for (set, queries, least_at_hand) in
        [("tuned", queries, AT_HAND), ("held out", held_out, HELD_OUT_AT_HAND)]
    {
        for (name, (first, in_three)) in [
            ("search", score("search", &queries, |typed| searched(&store, typed))),
            ("picker", score("picker", &queries, |typed| picked(&store, typed))),
            ("at hand", score("at hand", &queries, |typed| at_hand(&facts, typed))),
        ] {
            let (least_first, least_in_three) = match name {
                "at hand" => (least_at_hand, least_at_hand),
                _ => (FIRST, IN_THREE),
            };
            assert!(
                first >= least_first && in_three >= least_in_three,
                "{set}, {name}: {first} %, {in_three} %"
            );
        }
    }
}

#[test]
fn a_letter_finds_what_a_word_would_and_weighs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let facts = store(folder.path()).list_scope(Scope::All).sessions;
    let (mut kinds, mut weighed) = (HashSet::new(), HashSet::new());
    let typed = ('a'..='z').map(String::from);
    for typed in
        typed.chain(["q cwd:web", "x cwd:nowhere", "E", "re:a", "é", "ca", "-a"].map(Into::into))
    {
        let query = Query::parse(&typed, NOW).unwrap();
        let ranks = query.ranks_of_facts(&facts);
        assert_eq!(ranks.len(), facts.len());
        for (rank, facts) in ranks.into_iter().zip(&facts) {
            let alone = query.matches_facts(facts).map(|found| found.rank());
            assert_eq!(rank.map(|rank| rank.0), alone.map(|rank| rank.0), "{typed}: {facts:?}");
            kinds.insert(rank.map(|rank| rank.0.name()));
            if typed.split(' ').next().is_some_and(|word| word.len() == 1 && word != "E") {
                weighed.extend(rank.map(|rank| rank.1));
            } else {
                assert_eq!(rank, alone, "{typed}: {facts:?}");
            }
        }
    }
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    assert_eq!(weighed.len(), 1, "{weighed:?}");
}
