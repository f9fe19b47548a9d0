//! Commands inside sentences: their verbs and options exist.

use std::collections::BTreeMap;

use crate::reference::{help, lines, pages, verbs, verbs_of};

/// The help of each verb, by its words; that of `pitree` itself has none.
fn helps() -> BTreeMap<String, String> {
    let mut helps = BTreeMap::from([(String::new(), help(&[]))]);
    for verb in verbs() {
        let text = help(&[&verb]);
        for inner in verbs_of(&text) {
            helps.insert(format!("{verb} {inner}"), help(&[&verb, &inner]));
        }
        helps.insert(verb, text);
    }
    helps
}

/// The code spans of a page that begin with `pitree `, each on one line.
fn spans(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for (is_fenced, line) in lines(text) {
        // A backtick that is not closed goes no further than its paragraph or row.
        if is_fenced || line.trim().is_empty() || line.starts_with('|') {
            paragraphs.push(String::new());
        }
        if !is_fenced && let Some(paragraph) = paragraphs.last_mut() {
            paragraph.push_str(line);
            paragraph.push('\n');
        }
    }
    let spans = paragraphs.iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    let commands = spans.filter(|span| span.starts_with("pitree "));
    commands.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// What is wrong with a command, if anything.
fn problem(command: &str, helps: &BTreeMap<String, String>) -> Option<String> {
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let is_name = |word: &&&str| !word.starts_with('-') && **word != "COMMAND";
    let verb = words.first().filter(is_name).copied().unwrap_or_default();
    let inner = words.get(1).map(|inner| format!("{verb} {inner}"));
    if verb == "help" {
        return None;
    }
    let Some(help) = inner.and_then(|inner| helps.get(&inner)).or_else(|| helps.get(verb)) else {
        return Some(format!("there is no `pitree {verb}`"));
    };
    let known = |option: &str| {
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
        help.match_indices(option).any(|(at, _)| ends(&help[at + option.len()..]))
    };
    // What follows `--` alone is no option, and neither is what is only the beginning of one.
    let options = words
        .iter()
        .take_while(|word| **word != "--")
        .filter(|word| word.starts_with('-') && word.len() > 1 && !word.contains('…'));
    let mut names = options.map(|option| option.split(['=', '[', ',']).next().unwrap_or_default());
    let unknown = names.find(|name| !known(name))?;
    Some(format!("`pitree {verb}` has no option `{unknown}`"))
}

#[test]
fn every_verb_and_option_in_the_pages_exists() {
    let helps = helps();
    assert!(helps.contains_key("tree") && helps.contains_key("secrets scan"), "{:?}", helps.keys());
    let mut problems = Vec::new();
    let mut count = 0;
    for (name, text) in pages().into_iter().filter(|(name, _)| name != "docs/cli.md") {
        for command in spans(&text) {
            count += 1;
            let found = problem(&command, &helps);
            problems.extend(found.map(|problem| format!("{name} has `{command}`: {problem}")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 100, "only {count} commands were found");
}

#[test]
fn what_does_not_exist_is_found() {
    let helps = helps();
    for fine in
        ["pitree tree FILE --print", "pitree search -- --flag", "pitree secrets scan --likely"]
    {
        assert_eq!(problem(fine, &helps), None);
    }
    for wrong in ["pitree trees FILE", "pitree tree FILE --prin", "pitree check --all"] {
        assert!(problem(wrong, &helps).is_some(), "{wrong}");
    }
}
