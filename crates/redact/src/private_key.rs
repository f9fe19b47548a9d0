//! Private keys: blocks between lines of dashes, or what is left of them.
//!
//! A key may stand in a text with numbers, quotes or signs before its lines (`cat -n`, `grep -n`, a
//! diff, a string for each line), with line ends that are written out, and without its beginning or
//! its end. So a line of a key is any line that consists mostly of one run of base64, and a key is
//! what such lines form next to a line that begins or ends one.

use std::ops::Range;

use memchr::memmem;

use crate::random::looks_random;
use crate::rules::Rule;
use crate::scan::{Hit, Scan};
use crate::shapes::skip;

/// The longest private key that is looked for.
const LONGEST_BLOCK: usize = 64 << 10;

/// A line of a key has at least so many signs in a row. The last one may be shorter.
const LEAST_RUN: usize = 32;

/// What may stand beside them: the name of a file and a number, quotes.
const MOST_BESIDE: usize = 100;

/// How many lines without base64 may follow each other: members at the beginning of a key, empty
/// lines, and what is left of strings that are joined.
const MOST_OTHER_LINES: usize = 8;

/// Looks at the line in which `-----BEGIN`, `PRIVATE KEY-----` or `Private-Lines:` stands.
pub(crate) fn private_key(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    if scan.is_taken(&word) {
        return;
    }
    let text = scan.text;
    let range = match text[word.end - 1].to_ascii_lowercase() {
        b'n' => from_begin(text, word.start),
        b'-' => dashes_before(text, word.start).and_then(|at| up_to_end(text, at)),
        _ => {
            let lines = skip(text, word.end, 8, |byte| byte == b' ' || byte.is_ascii_digit());
            key_lines(text, lines, text.len().min(lines + LONGEST_BLOCK))
        }
    };
    if let Some(range) = range {
        scan.take(Hit::redact(rule.id, rule.shape, range));
    }
}

/// Where the line of dashes begins in which a name stands.
fn dashes_before(text: &[u8], name: usize) -> Option<usize> {
    let from = name.saturating_sub(MOST_BESIDE);
    let at = from + memmem::rfind(&text[from..name], b"-----")?;
    is_dashed(&text[at..], b"END").then_some(at)
}

/// The key that begins with the line at `start`, whole or cut off.
fn from_begin(text: &[u8], start: usize) -> Option<Range<usize>> {
    let body = start + begin_line(&text[start..])?;
    let most = text.len().min(start + LONGEST_BLOCK);
    let mut dashes = memmem::find_iter(&text[body..most], b"-----").map(|at| body + at);
    let next = dashes.find(|at| is_dashed(&text[*at..], b"END") || is_dashed(&text[*at..], b"BEG"));
    if let Some(next) = next
        && is_dashed(&text[next..], b"END")
        && is_mostly_base64(&text[body..next])
    {
        return Some(start..next + end_line(&text[next..]));
    }
    Some(start..key_lines(text, body, next.unwrap_or(most))?.end)
}

/// The rest of a key up to the line that ends it at `at`.
fn up_to_end(text: &[u8], at: usize) -> Option<Range<usize>> {
    let length = end_line(&text[at..]);
    names_private_key(&text[at..at + length]).then_some(())?;
    let least = at.saturating_sub(LONGEST_BLOCK);
    // Other dashes end another block.
    let least = memmem::rfind(&text[least..at], b"-----").map_or(least, |other| least + other + 5);
    let mut start = None;
    let (mut others, mut may_be_last) = (0, true);
    let mut end = at;
    while end > least && others < MOST_OTHER_LINES {
        let line = line_before(text, least, end);
        let run = longest_run(&text[line.clone()]);
        if is_key_line(&text[line.clone()], &run) {
            start = Some(line.start + run.start);
            (others, may_be_last) = (0, false);
        } else if !has_word(&text[line.clone()]) || end == at && run.len() < 16 {
            // An empty line, or what stands before the dashes.
            others += 1;
        } else if may_be_last && run.len() < LEAST_RUN {
            may_be_last = false;
        } else {
            break;
        }
        end = before_line_end(text, line.start);
    }
    Some(start?..at + length)
}

/// The length of the first line, if it begins a private key.
fn begin_line(block: &[u8]) -> Option<usize> {
    let line = &block[..block.len().min(128)];
    let end = 11 + memmem::find(line.get(11..)?, b"-----")?;
    names_private_key(&line[10..end]).then_some(end + 5)
}

/// The length of a line that ends a block.
fn end_line(block: &[u8]) -> usize {
    let line = &block[..block.len().min(128)];
    line.get(8..)
        .and_then(|name| memmem::find(name, b"-----"))
        .map_or(line.len().min(8), |at| at + 13)
}

fn names_private_key(line: &[u8]) -> bool {
    memmem::find(&line.to_ascii_uppercase(), b"PRIVATE KEY").is_some()
}

fn is_dashed(text: &[u8], name: &[u8]) -> bool {
    text.get(5..5 + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name))
}

/// Whether more than half of a text is base64. Code that only mentions where keys begin and end has
/// some long name between the two, but not many.
fn is_mostly_base64(body: &[u8]) -> bool {
    let runs = body.split(|byte| !is_base64(*byte));
    let runs = runs.filter(|run| run.len() >= 16 && is_of_key(run));
    let signs = body.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let (sum, longest) =
        runs.fold((0, 0), |(sum, most), run| (sum + run.len(), most.max(run.len())));
    longest >= LEAST_RUN && sum * 2 > signs
}

/// The lines of a key that begin at `from`, up to what is none.
fn key_lines(text: &[u8], from: usize, most: usize) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    let mut others = 0;
    let mut at = from;
    while at < most && others < MOST_OTHER_LINES {
        let line = line_after(text, at, most);
        let run = longest_run(&text[line.clone()]);
        let place = line.start + run.start..line.start + run.end;
        match &mut found {
            _ if is_key_line(&text[line.clone()], &run) => {
                let start = found.map_or(place.start, |found| found.start);
                found = Some(start..place.end);
                others = 0;
            }
            Some(found) if is_last_line(&text[place.clone()]) => {
                found.end = place.end;
                break;
            }
            // Before the first line members may stand, after it only what is no text.
            found
                if !has_word(&text[line.clone()])
                    || found.is_none() && is_member(&text[line.clone()]) =>
            {
                others += 1;
            }
            _ => break,
        }
        at = after_line_end(text, line.end);
    }
    found
}

/// Whether a line is one of a key: a run of base64, with at most one word (a number, the name of a
/// file) before it and only signs after it.
fn is_key_line(line: &[u8], run: &Range<usize>) -> bool {
    let (before, signs, after) = (&line[..run.start], &line[run.clone()], &line[run.end..]);
    let words = before.split(u8::is_ascii_whitespace).filter(|part| has_word(part));
    run.len() >= LEAST_RUN
        && before.len() <= MOST_BESIDE
        && words.count() <= 1
        && !has_word(after)
        && is_of_key(signs)
}

fn has_word(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_alphanumeric)
}

/// Whether a run of base64 looks drawn by lot. Digests have letters of one case only.
fn is_of_key(run: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| run.iter().any(is);
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && looks_random(run)
}

/// Whether a run is what is left for the last line of a key: whole, or cut off.
fn is_last_line(run: &[u8]) -> bool {
    let is_whole = run.len() >= 4 && run.len().is_multiple_of(4);
    run.ends_with(b"=") || looks_random(run) && (run.len() >= 16 || is_whole)
}

/// Whether a line is one of those with names before a key, such as `DEK-Info: AES-128-CBC,…`.
fn is_member(line: &[u8]) -> bool {
    memmem::find(line, b": ").is_some_and(|at| at < MOST_BESIDE) && line.len() < 2 * MOST_BESIDE
}

/// The place of the longest run of base64 in a line.
fn longest_run(line: &[u8]) -> Range<usize> {
    let mut longest = 0..0;
    let mut start = 0;
    for run in line.split(|byte| !is_base64(*byte)) {
        if run.len() > longest.len() {
            longest = start..start + run.len();
        }
        start += run.len() + 1;
    }
    longest
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a line end is written out here: `\n` or `\r`, with any number of backslashes.
fn is_written_end(text: &[u8], at: usize) -> bool {
    text[at] == b'\\' && matches!(text.get(at + 1), Some(b'n' | b'r' | b'\\'))
}

fn line_after(text: &[u8], start: usize, most: usize) -> Range<usize> {
    let ends = |at: &usize| text[*at] == b'\n' || is_written_end(text, *at);
    start..(start..most).find(ends).unwrap_or(most)
}

fn after_line_end(text: &[u8], end: usize) -> usize {
    match text.get(end) {
        Some(b'\\') => {
            let at = skip(text, end, 8, |byte| byte == b'\\');
            skip(text, at, 1, |byte| matches!(byte, b'n' | b'r'))
        }
        _ => end + 1,
    }
}

fn line_before(text: &[u8], least: usize, end: usize) -> Range<usize> {
    let begins = |at: &usize| {
        let is_written =
            *at > least + 1 && matches!(text[at - 1], b'n' | b'r') && text[at - 2] == b'\\';
        text[at - 1] == b'\n' || is_written
    };
    (least + 1..=end).rev().find(begins).unwrap_or(least)..end
}

/// Where the line before the one that begins at `start` ends.
fn before_line_end(text: &[u8], start: usize) -> usize {
    match text[..start] {
        [.., b'n' | b'r'] => {
            let slashes = text[..start - 1].iter().rev().take_while(|byte| **byte == b'\\').count();
            start - 1 - slashes
        }
        [] => 0,
        _ => start - 1,
    }
}
