//! Finds something in one session, by the query language of the search.

use memchr::memmem::Finder;
use pitree_export::harmless::clean_line;
use pitree_format::{JsString, Object};
use pitree_session::EntryRef;
use pitree_store::search::{HitsWithin, Query};

use crate::answer::{Answer, Json, Problem, list};
use crate::opened::OpenSession;
use crate::sessions::utf16_ranges;
use crate::state::App;

/// After so many hits nobody looks for more.
const MOST_HITS: usize = 2000;

/// So many values of an entry are looked at.
const MOST_VALUES: usize = 100_000;

/// How much of a text is shown around a hit, in characters.
const AROUND: usize = 60;

/// Looks in all entries, on all branches.
pub(crate) fn find(app: &App, opened: &OpenSession, typed: &str) -> Answer {
    let query = Query::read(typed, &app.environment);
    let query = query.map_err(|error| Problem::bad_request(error.to_string()))?;
    let quick = QuickLook::new(&query.words());
    let within = query.within(&opened.session);
    let mut hits = Vec::new();
    let mut is_all = true;
    for entry in opened.session.entries() {
        let Some(snippet) = snippet_of(&quick, entry, &query, &within)? else { continue };
        if hits.len() == MOST_HITS {
            is_all = false;
            break;
        }
        hits.push((entry.index(), snippet));
    }
    let total = hits.len();
    let hits =
        list(hits, |(at, snippet)| Object::new().with("at", at).with("snippet", snippet).into());
    Ok(Json::of(Object::new().with("total", total).with("isAll", is_all).with("hits", hits)))
}

/// Tells of most lines that a word is not in them, without reading them as JSON.
struct QuickLook {
    /// The longest part of each word that stands in a line as it is written, in lower case.
    parts: Vec<Finder<'static>>,
}

impl QuickLook {
    fn new(words: &[String]) -> Self {
        let part = |word: &String| {
            let part = word.split(may_be_escaped).max_by_key(|part| part.len())?;
            (!part.is_empty()).then(|| Finder::new(&part.to_ascii_lowercase()).into_owned())
        };
        Self { parts: words.iter().filter_map(part).collect() }
    }

    fn may_have(&self, line: &[u8]) -> bool {
        let lower = line.to_ascii_lowercase();
        self.parts.iter().all(|part| part.find(&lower).is_some())
    }
}

/// Whether programs write a character in JSON as an escape (some do so with all that HTML has a meaning
/// for), or it has other lower case letters.
fn may_be_escaped(c: char) -> bool {
    let is_for_html = matches!(c, '<' | '>' | '&' | '\'' | '=' | '+' | '/');
    !c.is_ascii()
        || c.is_ascii_control()
        || is_for_html
        || c.is_whitespace()
        || matches!(c, '"' | '\\')
}

/// A part of an entry's text around the first place, if the entry is a hit.
fn snippet_of(
    quick: &QuickLook,
    entry: EntryRef<'_>,
    query: &Query,
    within: &HitsWithin<'_>,
) -> Result<Option<Object>, Problem> {
    if !quick.may_have(&entry.raw()?) || !within.has(entry)? {
        return Ok(None);
    }
    let value = entry.value()?;
    // Ids, types and times are not what anybody looks for.
    let is_left_out = |_: &Object, name: &JsString| {
        matches!(&*name.to_text(), "id" | "parentId" | "type" | "timestamp" | "role" | "data")
    };
    let texts: Vec<String> = value
        .strings_but(MOST_VALUES, is_left_out)
        .map(|text| clean_line(&text.to_text()).into_owned())
        .collect();
    let marked = texts.iter().find_map(|text| Some((text, query.marks_in(text).first()?.start)));
    let shown = marked.or_else(|| texts.first().map(|text| (text, 0)));
    let text = shown.map(|(text, at)| cut_around(text, at)).unwrap_or_default();
    let marks = utf16_ranges(&text, &query.marks_in(&text));
    Ok(Some(Object::new().with("text", text).with("marks", marks)))
}

/// The part of a text around a place.
fn cut_around(text: &str, at: usize) -> String {
    let from = text[..at].char_indices().rev().nth(AROUND).map_or(0, |(from, _)| from);
    let to = text[at..].char_indices().nth(AROUND * 2).map_or(text.len(), |(to, _)| at + to);
    text[from..to].to_owned()
}
