#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashSet;

use super::*;

#[test]
fn every_line_of_the_table_is_a_rule() {
    for rule in parse(TABLE) {
        assert!(!rule.words.is_empty() && rule.words.iter().all(|word| word.len() > 2), "{rule:?}");
        assert!(rule.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
        if matches!(rule.shape, Shape::Token | Shape::Near | Shape::Around) {
            assert!(!rule.form.is_empty(), "{rule:?}");
            rule.compile().unwrap_or_else(|error| panic!("{}: {error}", rule.id));
        }
        assert!((0.0..=6.0).contains(&rule.least_entropy), "{rule:?}");
    }
}

#[test]
fn columns_and_names_are_in_order() {
    for line in TABLE.lines().filter(|line| !line.starts_with(['#', '[']) && !line.is_empty()) {
        assert_eq!(line.split_ascii_whitespace().count(), 4, "{line}");
    }
    let rules = parse(TABLE);
    let names: HashSet<_> = rules.iter().map(|rule| rule.id).collect();
    assert_eq!(names.len(), rules.len());
}

#[test]
fn words_are_found_in_any_spelling_but_tokens_only_in_theirs() {
    let mut met = Vec::new();
    Ruleset::embedded().each_word(b"GHP_ ghp_ Heroku", |rule, at, _| met.push((rule.id, at)));
    assert_eq!(met, [("github-pat", 5), ("heroku-key", 10)]);
}
