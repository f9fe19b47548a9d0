//! Strings, numbers, dates and free JSON values.

use crate::json::{Json, Object, boolean, int, null, raw, string};
use crate::rng::Rng;

/// Stands for bytes that are no UTF-8; the framing puts such bytes in its place.
pub(crate) const BROKEN_BYTE_MARK: char = '\u{E0FF}';

const WORDS: [&str; 24] = [
    "read", "the", "file", "and", "fix", "test", "session", "tree", "why", "does", "it", "fail",
    "please", "run", "cargo", "build", "now", "done", "error", "line", "branch", "merge", "value",
    "ok",
];

/// Pieces of string content, already escaped as Pi escapes them.
const PI_PIECES: [&str; 20] = [
    "👩‍👩‍👧",
    "🦀",
    "日本語の文",
    "中文",
    "한국어",
    "e\u{301}",
    "\u{2028}",
    "\u{2029}",
    "\\n",
    "\\n\\n",
    "\\t",
    "\\\"quoted\\\"",
    "\\\\path\\\\to",
    "\\u0000",
    "\\u001b[31m",
    "\\b\\f",
    "\u{7f}",
    "\u{feff}",
    "\u{a0}",
    "</summary>",
];

/// Escaped pieces with surrogates that have no partner.
const LONE_SURROGATES: [&str; 4] = ["\\ud83d", "\\udc00", "\\ud800x", "\\udead\\ud83d"];

/// Legal escapes that Pi itself would not write.
const FOREIGN_PIECES: [&str; 6] =
    ["\\/", "\\u0041", "\\u00e9", "\\uD83D\\uDE00", "\\u2028", "\\uDC00"];

/// A few words with now and then something unusual between them, as JSON text.
pub(crate) fn text(rng: &mut Rng) -> Json {
    let count = match rng.below(20) {
        0 => return string(""),
        1 => rng.between(40, 160),
        2..=5 => rng.between(12, 40),
        _ => rng.between(1, 12),
    };
    words(rng, count)
}

/// Text that is never empty.
pub(crate) fn some_text(rng: &mut Rng) -> Json {
    let count = rng.between(1, 14);
    words(rng, count)
}

fn words(rng: &mut Rng, count: usize) -> Json {
    let mut content = String::from("\"");
    for index in 0..count {
        if index > 0 {
            content.push(' ');
        }
        match rng.below(4000) {
            0..=239 => content.push_str(rng.pick(&PI_PIECES)),
            240..=241 => content.push_str(rng.pick(&LONE_SURROGATES)),
            242..=243 => content.push_str(rng.pick(&FOREIGN_PIECES)),
            244..=253 => content.push(BROKEN_BYTE_MARK),
            _ => content.push_str(rng.pick(&WORDS)),
        }
    }
    content.push('"');
    raw(content)
}

/// A plain word.
pub(crate) fn word(rng: &mut Rng) -> &'static str {
    rng.pick(&WORDS)
}

/// Numbers that are hard to write again as Pi writes them.
const ODD_NUMBERS: [&str; 16] = [
    "0.00009999999999999999",
    "1e-7",
    "1e+21",
    "1.5e+300",
    "5e-324",
    "-0",
    "9007199254740993",
    "123456789012345680000",
    "0.1",
    "-1.5",
    "1.0",
    "1E5",
    "1e400",
    "-1E400",
    "100e-2",
    "12345678901234567890",
];

/// Mostly a small whole number, sometimes an odd one.
pub(crate) fn number(rng: &mut Rng) -> Json {
    if rng.chance(6) { raw(rng.pick(&ODD_NUMBERS)) } else { int(rng.below(5000) as i64) }
}

/// A price in dollars.
pub(crate) fn price(rng: &mut Rng) -> Json {
    match rng.below(12) {
        0 => raw(rng.pick(&ODD_NUMBERS)),
        1..=3 => int(0),
        _ => raw(format!("0.00{}{}", rng.below(10_000), rng.between(1, 9))),
    }
}

const ARGUMENT_KEYS: [&str; 12] =
    ["path", "command", "10", "2", "limit", "a b", "é", "", "01", "-1", "__proto__", "4294967294"];

/// A free JSON object as extensions and tools store it.
pub(crate) fn free_object(rng: &mut Rng, depth: usize) -> Json {
    let mut object = Object::new();
    for _ in 0..rng.below(5) {
        // The same key may come up twice: the later value counts, in the earlier place.
        let key = rng.pick(&ARGUMENT_KEYS);
        object = object.with(key, free_value(rng, depth + 1));
    }
    object.into()
}

/// Any JSON value.
pub(crate) fn free_value(rng: &mut Rng, depth: usize) -> Json {
    match rng.below(if depth > 3 { 6 } else { 8 }) {
        0 => null(),
        1 => boolean(rng.chance(50)),
        2 => number(rng),
        3..=5 => text(rng),
        6 => Json::List((0..rng.below(4)).map(|_| free_value(rng, depth + 1)).collect()),
        _ => free_object(rng, depth),
    }
}

/// Milliseconds since 1970 as Pi writes dates.
pub(crate) fn iso_date(milliseconds: i64) -> String {
    let (year, month, day) = civil_date(milliseconds.div_euclid(86_400_000));
    let time = milliseconds.rem_euclid(86_400_000);
    let (hour, minute) = (time / 3_600_000, time / 60_000 % 60);
    let (second, fraction) = (time / 1000 % 60, time % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z")
}

/// Year, month and day of a count of days since 1970, in the Gregorian calendar.
fn civil_date(days: i64) -> (i64, i64, i64) {
    // Years are counted from the first of March, so that the leap day is the last of a year.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(iso_date(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso_date(951_827_696_789), "2000-02-29T12:34:56.789Z");
        assert_eq!(iso_date(1_794_724_394_778), "2026-11-15T06:33:14.778Z");
    }
}
