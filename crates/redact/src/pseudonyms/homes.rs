//! The names of homes in paths.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind, PatternID, packed};

use super::{HOME, is_nobody};
use crate::rules::Shape;
use crate::scan::Hit;

/// How a folder of homes is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// With slashes, or with slashes that are escaped for an address.
    Slashes,
    /// With backslashes, where a name may have spaces.
    Backslashes,
    /// With dashes, as folders of sessions are named: `--home-ana-project--`.
    Dashes,
}

/// Folders in which homes lie. `/users/` in small letters is a part of many addresses.
const FOLDERS: [(&str, Spelling); 10] = [
    ("/home/", Spelling::Slashes),
    ("/Users/", Spelling::Slashes),
    ("%2Fhome%2F", Spelling::Slashes),
    ("%2fhome%2f", Spelling::Slashes),
    ("%2FUsers%2F", Spelling::Slashes),
    ("%2fUsers%2f", Spelling::Slashes),
    ("\\Users\\", Spelling::Backslashes),
    ("\\users\\", Spelling::Backslashes),
    ("--home-", Spelling::Dashes),
    ("--Users-", Spelling::Dashes),
];

/// The longest name, in characters.
const LONGEST: usize = 64;

/// The longest name of a folder of sessions.
const LONGEST_FOLDER: usize = 512;

/// The shortest folder with the shortest name in it.
const SHORTEST: usize = "/home/ab".len();

/// What finds folders. Every text is searched and few have one, so many bytes are compared at once
/// where the processor can do that. Both find the same: no folder is a part of another.
enum Finder {
    Packed(packed::Searcher),
    Plain(AhoCorasick),
}

static FINDER: LazyLock<Option<Finder>> = LazyLock::new(|| {
    let folders = FOLDERS.map(|(folder, _)| folder);
    let plain = || AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(folders).ok();
    match packed::Searcher::new(folders) {
        Some(searcher) => Some(Finder::Packed(searcher)),
        None => plain().map(Finder::Plain),
    }
});

impl Finder {
    /// Finds the first folder in a part of a text.
    fn find(&self, text: &str, part: Range<usize>) -> Option<(PatternID, usize)> {
        let found = match self {
            Self::Packed(finder) => finder.find_in(text, part.into()),
            Self::Plain(finder) => finder.find(aho_corasick::Input::new(text).range(part)),
        };
        found.map(|found| (found.pattern(), found.end()))
    }
}

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    if text.len() < SHORTEST {
        return;
    }
    let Some(finder) = &*FINDER else { return };
    let mut from = 0;
    while let Some((folder, end)) = finder.find(text, from..text.len()) {
        from = end;
        // Where a path stands in a string of code its backslashes are doubled.
        let rest = text[end..].trim_start_matches('\\');
        let start = text.len() - rest.len();
        let length = match FOLDERS[folder.as_usize()].1 {
            Spelling::Slashes => name_length(rest),
            Spelling::Backslashes => spaced_length(rest).unwrap_or_else(|| name_length(rest)),
            Spelling::Dashes => length_among_dashes(rest),
        };
        // `/home/.pi` is no home but a folder in one that is called so.
        if !is_nobody(&rest[..length]) && !rest.starts_with('.') {
            hits.push(Hit::redact(HOME, Shape::Known, start..start + length));
        }
    }
}

/// The length of the name that a text begins with.
fn name_length(text: &str) -> usize {
    let mut length = 0;
    let is_wide_name = text.chars().next().is_some_and(is_wide);
    let mut chars = text.chars();
    for _ in 0..LONGEST {
        let rest = chars.as_str();
        let step = match chars.next() {
            // A letter that is escaped for an address; an escaped slash ends the name.
            Some('%') if is_escaped_letter(rest) => {
                chars = rest[3..].chars();
                3
            }
            // Text in a script without spaces may follow a name at once.
            Some(c) if is_name(c) && (is_wide_name || !is_wide(c)) => c.len_utf8(),
            _ => break,
        };
        length += step;
    }
    text[..length].trim_end_matches(['.', '-']).len()
}

/// The length of a name with spaces: such a name ends where the path goes on.
fn spaced_length(text: &str) -> Option<usize> {
    let is_part = |c: char| is_name(c) || c == ' ';
    let end = text.char_indices().take(LONGEST).find(|(_, c)| !is_part(*c))?.0;
    let name = &text[..end];
    let is_one = text[end..].starts_with('\\') && !name.ends_with(' ') && !name.starts_with(' ');
    (is_one && name.split(' ').count() <= 3).then_some(end)
}

/// The length of the name in the name of a folder of sessions, which ends with two dashes. A dash
/// in the name itself cannot be told from the next folder.
fn length_among_dashes(text: &str) -> usize {
    let is_part = |c: char| is_name(c) || c == ' ';
    let folder = text.char_indices().take(LONGEST_FOLDER).find(|(_, c)| !is_part(*c));
    let folder = &text[..folder.map_or(text.len(), |(end, _)| end)];
    if !folder.contains("--") {
        return 0;
    }
    folder.find('-').unwrap_or(0)
}

fn is_name(c: char) -> bool {
    // Letters may be written as a letter and an accent.
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '\u{300}'..='\u{36f}')
}

fn is_wide(c: char) -> bool {
    c >= '\u{2e80}'
}

fn is_escaped_letter(text: &str) -> bool {
    let Some(digits) = text.get(1..3) else { return false };
    // What is no ASCII: everything else needs no escape in a name.
    u8::from_str_radix(digits, 16).is_ok_and(|byte| byte >= 0x80)
}
