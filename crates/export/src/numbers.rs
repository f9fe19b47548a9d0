//! Times, counts and amounts in plain form.

use pitree_format::js::date::format_iso;
use pitree_format::js::print_number;
use pitree_format::usage::{Cost, Usage};

/// A time to the minute, in UTC.
pub fn minute(ms: i64) -> String {
    let iso = format_iso(ms);
    match iso.rsplit_once(':') {
        Some((minutes, _)) => format!("{}Z", minutes.replace('T', " ")),
        None => iso,
    }
}

/// A number as JavaScript prints it.
pub fn number(number: f64) -> String {
    if !number.is_finite() {
        return "unknown".to_owned();
    }
    let mut text = String::new();
    print_number(number, &mut text);
    text
}

/// An amount of dollars, to a hundredth of a cent.
pub fn dollars(amount: f64) -> String {
    if amount.is_finite() { format!("${amount:.4}") } else { "unknown".to_owned() }
}

/// How long something took.
pub fn duration(ms: f64) -> String {
    if !ms.is_finite() || ms < 0.0 {
        "unknown".to_owned()
    } else if ms < 1000.0 {
        format!("{} ms", number(ms.round()))
    } else if ms < 60_000.0 {
        format!("{:.1} s", ms / 1000.0)
    } else {
        let minutes = (ms / 60_000.0).floor();
        format!("{} min {} s", number(minutes), number((ms / 1000.0 % 60.0).floor()))
    }
}

/// `1 entry`, `2 entries`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Tokens and cost of one usage.
pub fn usage(usage: &Usage) -> String {
    let tokens = format!("{} tokens", number(usage.sum()));
    match usage.cost.as_ref().and_then(Cost::total) {
        Some(cost) => format!("{tokens}, {}", dollars(cost)),
        None => tokens,
    }
}

/// How large the image behind this many base64 characters is.
pub fn image_size(chars: usize) -> String {
    format!("{:.1} KiB", chars as f64 / 4.0 * 3.0 / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_forms() {
        assert_eq!(minute(1_770_159_126_410), "2026-02-03 22:52Z");
        assert_eq!(duration(999.0), "999 ms");
        assert_eq!(duration(61_500.0), "1 min 1 s");
        assert_eq!(duration(f64::NAN), "unknown");
        assert_eq!(count(1, "entry", "entries"), "1 entry");
        assert_eq!(dollars(0.75), "$0.7500");
    }
}
