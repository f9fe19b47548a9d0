//! A usage read without building the value: there is one in every answer.

use pitree_format::js::parse;
use pitree_format::scan::{Level, scan_members};
use pitree_format::usage::{Cost, Usage};

/// Reads the raw text of a `usage`. The same as [`Usage::decode`] for what the ledger needs: the
/// four kinds of tokens and the cost.
pub(crate) fn read_usage(raw: &[u8]) -> Option<Usage> {
    // A name may be spelled with escapes; nobody does, but it is allowed.
    if raw.contains(&b'\\') || !raw.starts_with(b"{") {
        return Usage::decode(&parse(raw).ok()?);
    }
    let mut usage = Usage::default();
    let mut cost = None;
    scan_members(raw, |level, name, value| match (level, name) {
        (Level::Entry, b"input") => usage.input = number(value),
        (Level::Entry, b"output") => usage.output = number(value),
        (Level::Entry, b"cacheRead") => usage.cache_read = number(value),
        (Level::Entry, b"cacheWrite") => usage.cache_write = number(value),
        (Level::Entry, b"cost") => cost = Some(value),
        _ => {}
    });
    usage.cost = cost.and_then(read_cost);
    Some(usage)
}

fn read_cost(raw: &[u8]) -> Option<Cost> {
    let mut cost = Cost::default();
    if !raw.starts_with(b"{") {
        cost.total = Some(number(raw)?);
        return Some(cost);
    }
    scan_members(raw, |level, name, value| match (level, name) {
        (Level::Entry, b"input") => cost.input = number(value),
        (Level::Entry, b"output") => cost.output = number(value),
        (Level::Entry, b"cacheRead") => cost.cache_read = number(value),
        (Level::Entry, b"cacheWrite") => cost.cache_write = number(value),
        (Level::Entry, b"total") => cost.total = number(value),
        _ => {}
    });
    Some(cost)
}

/// The number that a raw value is; infinity where it is too large, as in JavaScript.
fn number(raw: &[u8]) -> Option<f64> {
    if !matches!(raw.first(), Some(b'-' | b'0'..=b'9')) {
        return None;
    }
    std::str::from_utf8(raw).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_decoder_reads() {
        for raw in [
            r#"{"input":1,"output":2.5,"cacheRead":-3,"cacheWrite":4e2,"cost":{"total":0.077}}"#,
            r#"{"input":"1","output":null,"cost":0.5}"#,
            r#"{"cost":{"input":1,"output":2}, "input" : 7 }"#,
            r#"{"cost":{"total":1e999,"input":1}}"#,
            r#"{"input":1,"input":2,"cost":{},"cost":null}"#,
            r#"{"inp\u0075t":3}"#,
            r#"{"message":{"input":4},"cost":"x"}"#,
            r#"{"message":4,"cost":{"message":{"total":3}}}"#,
            "{}",
            "[]",
            "null",
            "7",
        ] {
            let decoded = parse(raw.as_bytes()).ok().as_ref().and_then(Usage::decode);
            assert_eq!(read_usage(raw.as_bytes()), decoded, "{raw}");
        }
    }
}
