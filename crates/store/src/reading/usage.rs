//! A usage read without building the value: there is one in every answer.

use pitree_format::js::{JsonError, parse};
use pitree_format::scan::{each_member, skip_value};
use pitree_format::usage::{Cost, Usage};

/// Reads the raw text of a `usage`. The same as [`Usage::decode`] for what a sum needs: the four
/// kinds of tokens, their total and the total cost.
pub(crate) fn read_usage(raw: &[u8]) -> Option<Usage> {
    if !raw.starts_with(b"{") {
        return Usage::decode(&parse(raw).ok()?);
    }
    let (mut parts, mut total, mut cost) = (Parts::default(), None, None);
    let end = each_member(raw, 0, |name, at| {
        if name == b"cost" && raw.get(at) == Some(&b'{') {
            let (read, end) = read_cost(raw, at)?;
            cost = Some(read);
            return Ok(end);
        }
        let end = skip_value(raw, at)?;
        let value = &raw[at..end];
        match name {
            b"cost" => {
                cost = number(value).map(|total| {
                    let mut cost = Cost::default();
                    cost.total = Some(total);
                    cost
                });
            }
            b"totalTokens" => total = Some(value),
            _ => parts.note(name, value),
        }
        Ok(end)
    });
    end.ok()?;
    let mut usage = Usage::default();
    usage.input = parts.input.and_then(number);
    usage.output = parts.output.and_then(number);
    usage.cache_read = parts.cache_read.and_then(number);
    usage.cache_write = parts.cache_write.and_then(number);
    usage.total_tokens = total.and_then(number);
    usage.cost = cost;
    Some(usage)
}

/// The raw members that a usage and its cost both have.
#[derive(Default)]
struct Parts<'a> {
    input: Option<&'a [u8]>,
    output: Option<&'a [u8]>,
    cache_read: Option<&'a [u8]>,
    cache_write: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    fn note(&mut self, name: &[u8], value: &'a [u8]) {
        let slot = match name {
            b"input" => &mut self.input,
            b"output" => &mut self.output,
            b"cacheRead" => &mut self.cache_read,
            b"cacheWrite" => &mut self.cache_write,
            _ => return,
        };
        *slot = Some(value);
    }
}

/// Reads the cost at a place, which is an object, and gives the place behind it.
fn read_cost(raw: &[u8], open: usize) -> Result<(Cost, usize), JsonError> {
    let (mut parts, mut total) = (Parts::default(), None);
    let end = each_member(raw, open, |name, at| {
        let end = skip_value(raw, at)?;
        match name {
            b"total" => total = Some(&raw[at..end]),
            _ => parts.note(name, &raw[at..end]),
        }
        Ok(end)
    })?;
    // The parts are asked for only where there is no total, and fractions take time to read.
    let mut cost = Cost::default();
    cost.total = total.and_then(number);
    if cost.total.is_none() {
        cost.input = parts.input.and_then(number);
        cost.output = parts.output.and_then(number);
        cost.cache_read = parts.cache_read.and_then(number);
        cost.cache_write = parts.cache_write.and_then(number);
    }
    Ok((cost, end))
}

/// The number that a few digits are, which is exact.
pub(crate) fn few_digits(raw: &[u8]) -> Option<f64> {
    if raw.len() > 15 || raw.is_empty() {
        return None;
    }
    let mut number = 0;
    for digit in raw {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    Some(number as f64)
}

/// The number that a raw value is; infinity where it is too large, as in JavaScript.
fn number(raw: &[u8]) -> Option<f64> {
    if !matches!(raw.first(), Some(b'-' | b'0'..=b'9')) {
        return None;
    }
    // Tokens are whole numbers.
    few_digits(raw).or_else(|| std::str::from_utf8(raw).ok()?.parse().ok())
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
            r#"{"cost":{"total":null,"input":0.25,"cacheWrite":0.5}}"#,
            r#"{"input":123456789012345,"output":1234567890123456789,"cacheRead":-0,"cost":7}"#,
            r#"{"input":1,"input":2,"cost":{},"cost":null}"#,
            r#"{"inp\u0075t":3}"#,
            r#"{"totalTokens":5}"#,
            r#"{"totalTokens":"5","input":1,"message":{"totalTokens":4}}"#,
            r#"{"message":{"input":4},"cost":"x"}"#,
            r#"{"message":4,"cost":{"message":{"total":3}}}"#,
            "{}",
            "[]",
            "null",
            "7",
        ] {
            let decoded = parse(raw.as_bytes()).ok().as_ref().and_then(Usage::decode);
            let needed = |usage: Option<Usage>| {
                let usage = usage?;
                let cost = usage.cost.as_ref().and_then(Cost::total);
                let kinds = (usage.input, usage.output, usage.cache_read, usage.cache_write);
                Some((kinds, usage.total_tokens, usage.counted(), cost))
            };
            assert_eq!(needed(read_usage(raw.as_bytes())), needed(decoded), "{raw}");
        }
    }
}
