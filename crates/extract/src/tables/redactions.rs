//! Rows for what was redacted.
//!
//! What a rule found is not written, not even its beginning: only the digits of its placeholder,
//! which stands in the redacted line.

use std::collections::{BTreeMap, HashMap};

use pitree_session::{EntryRef, Session};

use super::columns::Table;
use super::row::TableRow;
use crate::error::ExtractError;
use crate::guard::Hit;

/// How many digits a placeholder has.
const DIGITS: usize = 8;

/// The rows, without what tells the file. Hits of one secret in one text are one row.
pub(crate) fn redaction_rows(
    session: &Session,
    hits: &[Hit],
) -> Result<Vec<TableRow>, ExtractError> {
    let mut lines: BTreeMap<u64, Vec<&Hit>> = BTreeMap::new();
    for hit in hits {
        lines.entry(hit.line).or_default().push(hit);
    }
    let mut rows = Vec::new();
    for (line, hits) in lines {
        let entry = entry_at_line(session, line);
        let raw = entry.map(|entry| entry.raw()).transpose()?;
        let text = raw.map(|raw| String::from_utf8_lossy(&raw).into_owned()).unwrap_or_default();
        let mut counts: BTreeMap<(&str, &str, Option<String>), u64> = BTreeMap::new();
        for (hit, digits) in with_digits(&text, &hits) {
            *counts.entry((&hit.place, &hit.rule, digits)).or_default() += 1;
        }
        for ((place, rule, digits), count) in counts {
            let mut row = TableRow::new(Table::Redactions);
            row.set("entry_id", entry.map(|entry| entry.id()));
            row.set("line", line);
            row.set("json_path", place);
            row.set("rule_id", rule);
            row.set("hmac8", digits);
            row.set("count", count);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The hits of a line with the digits of their placeholders. Both stand in the order of the text;
/// where there are more of one than of the other, nobody can tell which is which.
fn with_digits<'h>(text: &str, hits: &[&'h Hit]) -> Vec<(&'h Hit, Option<String>)> {
    let mut of_rule: HashMap<&str, usize> = HashMap::new();
    for hit in hits {
        *of_rule.entry(&hit.rule).or_default() += 1;
    }
    let mut found: HashMap<&str, std::vec::IntoIter<String>> = HashMap::new();
    for (rule, count) in of_rule {
        let digits = placeholders(text, rule);
        if digits.len() == count {
            found.insert(rule, digits.into_iter());
        }
    }
    let digits = |hit: &Hit| found.get_mut(&*hit.rule).and_then(Iterator::next);
    hits.iter().copied().zip(hits.iter().copied().map(digits)).collect()
}

/// The digits of the placeholders of a rule, in order.
fn placeholders(text: &str, rule: &str) -> Vec<String> {
    let begin = format!("[REDACTED:{rule}:");
    let digits = text.split(&begin).skip(1).filter_map(|rest| {
        let (digits, end) = rest.split_at_checked(DIGITS)?;
        let is_whole = end.starts_with(']') && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_whole.then(|| digits.to_owned())
    });
    digits.collect()
}

/// The entry in a line. Entries stand in file order; headers and damaged lines are none.
fn entry_at_line(session: &Session, line: u64) -> Option<EntryRef<'_>> {
    let (mut from, mut to) = (0, session.len());
    while from < to {
        let middle = from.midpoint(to);
        let entry = session.at(middle)?;
        match entry.line().cmp(&line) {
            std::cmp::Ordering::Equal => return Some(entry),
            std::cmp::Ordering::Less => from = middle + 1,
            std::cmp::Ordering::Greater => to = middle,
        }
    }
    None
}
