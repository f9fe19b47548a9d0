//! Names of homes that were found in a session, where they name somebody's account in an address:
//! `github.com/ana/x`, `git@github.com:ana/x`, `ssh://ana@lemon`, `ana.github.io`.
//!
//! Anywhere else they stay: a name of a home may be a word of the session as well.

use aho_corasick::AhoCorasick;

use super::USER;
use super::words::is_word_at;
use crate::rules::Shape;
use crate::scan::Hit;

/// Parts of addresses that come before the name of an account.
const BEFORE: [&str; 6] = ["repos/", "users/", "orgs/", "u/", "spaces/", "datasets/"];

pub(crate) fn find(finder: &AhoCorasick, text: &str, hits: &mut Vec<Hit>) {
    for found in finder.find_overlapping_iter(text) {
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        if is_word_at(before, after) && (follows_host(before) || is_login(before, after)) {
            hits.push(Hit::redact(USER, Shape::Known, found.range()));
        }
    }
}

/// Whether a text ends with a host and what leads to an account of it.
fn follows_host(before: &str) -> bool {
    let end = BEFORE.iter().find_map(|part| before.strip_suffix(part)).unwrap_or(before);
    let Some(host) = end.strip_suffix(['/', ':']).map(|host| host.trim_end_matches('/')) else {
        // `github.com/@ana`, `github.com/~ana`
        return end.strip_suffix(['@', '~']).is_some_and(|end| end.ends_with('/'));
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let name = &host[host.trim_end_matches(is_part).len()..];
    let Some((first, last)) = name.rsplit_once('.') else { return false };
    // A file has an ending too, but stands after no scheme and in a folder.
    let before = &host[..host.len() - name.len()];
    let is_host = before.ends_with("://") || before.ends_with('@') || !before.ends_with('/');
    is_host && !first.is_empty() && DOMAINS.split(' ').any(|end| last.eq_ignore_ascii_case(end))
}

/// Ends of hosts where people have accounts.
const DOMAINS: &str = "ai app com co dev io net org sh";

/// Whether the name logs in somewhere: `ana@lemon`, `https://ana:…@lemon`, `ana.github.io`.
fn is_login(before: &str, after: &str) -> bool {
    let is_host = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    after.strip_prefix('@').is_some_and(is_host)
        || (before.ends_with("://") && after.starts_with([':', '@']))
        || [".github.io", ".gitlab.io", ".hf.space"].iter().any(|host| after.starts_with(host))
}
