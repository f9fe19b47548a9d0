//! The scan against the slow reader.

use std::collections::BTreeSet;

use pitree_session::OpenOptions;
use pitree_store::search::Nearness;
use pitree_testkit::Rng;

use crate::search::slow::{generated, has_copies, texts};
use crate::search::{Sessions, environment};

/// A piece of a text, without what would be taken for a quote, a filter or an expression.
fn needle(text: &str, rng: &mut Rng) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let from = rng.below(chars.len());
    let to = (from + rng.between(1, 12)).min(chars.len());
    let mut part: String = chars[from..to].iter().collect();
    if rng.chance(30) {
        part = part.to_uppercase();
    }
    let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
    (!part.is_empty() && !part.contains('"')).then(|| format!("\"{part}\""))
}

/// Case does not count: for ASCII as in English, else by the simple folding of Unicode.
fn holds(part: &str) -> impl Fn(&str) -> bool {
    let words: Vec<String> = part.split(' ').map(regex::escape).collect();
    let source = words.join(r"\s+");
    let expression = regex::RegexBuilder::new(&source).case_insensitive(true).build().unwrap();
    move |text| {
        let spaceless = |text: &str| text.split_whitespace().collect::<String>();
        let as_in_english = |found: &str| spaceless(found).eq_ignore_ascii_case(&spaceless(part));
        expression.find_iter(text).any(|found| !part.is_ascii() || as_in_english(found.as_str()))
    }
}

#[test]
fn a_scan_finds_exactly_what_a_slow_reader_finds() {
    let mut compared = 0;
    for seed in 0..40 {
        let sessions = Sessions::new();
        let path = sessions.path("s");
        fs_err::write(&path, generated(seed)).unwrap();
        let all = texts(&path);
        let flat: Vec<&String> = all.iter().flat_map(|(_, texts)| texts).map(|(_, t)| t).collect();
        if flat.is_empty() {
            continue;
        }
        let opened = OpenOptions::new().open(&path, &environment()).unwrap();
        let line_of: std::collections::HashMap<&str, u64> =
            opened.entries().map(|entry| (entry.id(), entry.line())).collect();
        let mut rng = Rng::new(seed);
        for _ in 0..12 {
            let text = flat[rng.below(flat.len())];
            let Some(query) = needle(text, &mut rng) else { continue };
            let part = query.trim_matches('"');
            let holds = holds(part);
            let expected: BTreeSet<u64> = all
                .iter()
                .filter(|(_, texts)| texts.iter().any(|(_, text)| holds(text)))
                .map(|(line, _)| *line)
                .collect();
            let found = sessions.search(&query);
            let hits = found.hits.iter().filter(|hit| hit.nearness != Nearness::Fuzzy);
            let lines: BTreeSet<u64> = hits.map(|hit| line_of[&*hit.entry_id]).collect();
            // A line that stands twice in a file is one hit.
            let copies = has_copies(&path);
            compared += usize::from(!copies && !expected.is_empty());
            assert!(
                lines == expected || (copies && lines.is_subset(&expected)),
                "seed {seed}, {query:?}: {lines:?}, not {expected:?}"
            );
        }
    }
    assert!(compared > 100, "only {compared} real comparisons");
}
