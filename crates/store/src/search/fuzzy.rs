//! The last resort: the letters of the query, in their order, in a name or a first message.

use pitree_format::{EntryKind, JsString, Role};

use super::SearchOptions;
use super::entry_text::{EntryText, MatchPlace};
use super::hits::{Found, Hit, HitPlace, OpenSession};
use super::letters::letter_by_letter;
use super::matcher::{Nearness, Why};
use super::query::Query;
use super::sessions::SessionMatch;
use super::snippet::Snippet;
use super::term::Term;
use crate::facts::SessionFacts;
use crate::list::Store;

/// How much of a first message is looked at.
const MOST_CHARS: usize = 200;

/// Whether a query can be answered this way: plain words, and no filter on entries.
pub(crate) fn is_possible(query: &Query) -> bool {
    !query.terms.is_empty()
        && query.filters.asks_nothing_of_entries()
        && query.terms.iter().all(|term| term.literal().is_some())
}

/// Sessions whose name or directory holds the letters of each term in their order, the best first.
pub(super) fn match_sessions(query: &Query, facts: &[SessionFacts]) -> Vec<SessionMatch> {
    let terms: Vec<&Term> = query.terms.iter().filter(|term| term.is_word()).collect();
    if terms.is_empty() || terms.len() < query.terms.len() {
        return Vec::new();
    }
    let words: Vec<String> =
        terms.iter().filter_map(|term| term.literal()).map(str::to_lowercase).collect();
    let mut found = Vec::new();
    for facts in facts {
        let name = facts.name.as_ref().map(|name| name.to_text()).unwrap_or_default();
        let texts = [(MatchPlace::Title, &*name), (MatchPlace::Directory, &*facts.cwd)];
        let best =
            texts.into_iter().filter_map(|(place, text)| Some((letters(text, &words)?, place)));
        if let Some((score, place)) = best.min_by(|(a, _), (b, _)| a.total_cmp(b)) {
            found.push((score, place, facts));
        }
    }
    found.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let matches = found.into_iter().zip((0..count).rev()).map(|((_, place, facts), relevance)| {
        let why = words.iter().map(|term| Why { term: term.clone(), place, is_whole: false });
        let (path, nearness) = (facts.path.clone(), Nearness::Fuzzy);
        SessionMatch { path, nearness, relevance, why: why.collect(), entry: None }
    });
    matches.collect()
}

/// Sessions whose name or first message holds the letters of each term in their order.
pub(super) fn search(
    store: &Store,
    query: &Query,
    options: &SearchOptions,
    facts: &[SessionFacts],
) -> Found {
    let terms: Vec<String> =
        query.terms.iter().filter_map(Term::literal).map(str::to_lowercase).collect();
    let mut found: Vec<(f64, &SessionFacts)> = Vec::new();
    for facts in facts {
        let scores = texts(facts).into_iter().flatten().filter_map(|text| letters(&text, &terms));
        found.extend(scores.reduce(f64::min).map(|score| (score, facts)));
    }
    // The list is in order of time, and the sort keeps that among equals.
    found.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let total = found.len();
    let hits = found.iter().take(options.limit).filter_map(|(_, facts)| hit(store, facts, &terms));
    Found { total, is_exact: true, hits: hits.collect(), unreadable: Vec::new() }
}

fn texts(facts: &SessionFacts) -> [Option<String>; 2] {
    let begin = |text: &JsString| text.to_text().chars().take(MOST_CHARS).collect();
    [facts.name.as_ref().map(begin), facts.first_message.as_ref().map(begin)]
}

/// How well the letters of all terms stand in a text; less is better. `None` if letters are missing.
fn letters(text: &str, terms: &[String]) -> Option<f64> {
    let text = text.to_lowercase();
    terms.iter().try_fold(0.0, |sum, term| Some(sum + letter_by_letter(term, &text)?))
}

fn hit(store: &Store, facts: &SessionFacts, terms: &[String]) -> Option<Hit> {
    let opened = OpenSession::open_path(&facts.path, &store.environment)?;
    let by_name = texts(facts)[0].as_ref().is_some_and(|name| letters(name, terms).is_some());
    let entry = if by_name {
        opened.session.entries().rev().find(|entry| entry.kind() == EntryKind::SessionInfo)?
    } else {
        opened.session.entries().find(|entry| entry.is_message(Role::User))?
    };
    let value = entry.value().ok()?;
    let text = EntryText::of(&value)?;
    let snippet = Snippet::cut(&text.pieces[0].text, Vec::new());
    let places = vec![HitPlace { path: facts.path.clone(), id: facts.id.clone(), is_fork: false }];
    Some(opened.describe(entry, &text, (Nearness::Fuzzy, snippet, Vec::new()), places))
}
