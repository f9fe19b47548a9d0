//! Times, counts and amounts in plain form.

use pitree_format::js::date::format_iso;
use pitree_format::js::print_number;
use pitree_format::usage::{Cost, Usage};

/// A time to the minute, in UTC.
pub fn minute(ms: i64) -> String {
    format!("{}Z", minute_on_clock(ms))
}

/// A time to the minute, as a clock shows it.
pub fn minute_on_clock(local_ms: i64) -> String {
    let iso = format_iso(local_ms);
    iso.rsplit_once(':').map_or(&*iso, |(minutes, _)| minutes).replacen('T', " ", 1)
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

/// A count as people say it: `812`, `9.9k`, `12k`, `1.2M`.
pub fn in_short(number: f64) -> String {
    match number {
        n if !n.is_finite() => "?".to_owned(),
        n if n.abs() < 1_000.0 => format!("{n:.0}"),
        n if n.abs() < 9_950.0 => format!("{:.1}k", n / 1e3),
        n if n.abs() < 999_500.0 => format!("{:.0}k", n / 1e3),
        n => format!("{:.1}M", n / 1e6),
    }
}

/// An amount of dollars, to a hundredth of a cent.
pub fn dollars(amount: f64) -> String {
    if amount.is_finite() { dollars_with(amount, 4) } else { "unknown".to_owned() }
}

/// An amount of dollars with so many decimals, its thousands apart: `$1,234.50`, `-$0.25`.
pub fn dollars_with(amount: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", amount.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if amount < 0.0 { "-" } else { "" };
    format!("{sign}${}{rest}", grouped(whole.parse().unwrap_or_default()))
}

/// A count of tokens or the like, its thousands apart.
pub fn counted(number: f64) -> String {
    if number.is_finite() { grouped(number) } else { "unknown".to_owned() }
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

/// `1 entry`, `2,000 entries`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number as f64), if number == 1 { one } else { many })
}

/// A whole number with its thousands apart: `1,234`.
pub fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && !out.ends_with('-') {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// How long ago, in Pi's words: `now`, `5m`, `3h`, `2d`, `1w`, `4mo`, `1y`.
pub fn age(then_ms: i64, now_ms: i64) -> String {
    let minutes = now_ms.saturating_sub(then_ms) / 60_000;
    let (hours, days) = (minutes / 60, minutes / (24 * 60));
    match days {
        _ if minutes < 1 => "now".to_owned(),
        _ if minutes < 60 => format!("{minutes}m"),
        _ if hours < 24 => format!("{hours}h"),
        0..7 => format!("{days}d"),
        7..30 => format!("{}w", days / 7),
        30..365 => format!("{}mo", days / 30),
        _ => format!("{}y", days / 365),
    }
}

/// Tokens and cost of one usage.
pub fn usage(usage: &Usage) -> String {
    let tokens = format!("{} tokens", number(usage.sum()));
    match usage.cost.as_ref().and_then(Cost::total) {
        Some(cost) => format!("{tokens}, {}", dollars(cost)),
        None => tokens,
    }
}

/// The same in short: `9.9k tokens · $0.12`; what cost nothing has no cost.
pub fn usage_in_short(usage: &Usage) -> String {
    let tokens = format!("{} tokens", in_short(usage.sum()));
    match usage.cost.as_ref().and_then(Cost::total).filter(|cost| *cost != 0.0) {
        Some(cost) if cost >= 0.1 => format!("{tokens} · ${cost:.2}"),
        Some(cost) => format!("{tokens} · {}", dollars(cost)),
        None => tokens,
    }
}

/// How much something takes: `12 bytes`, `3.4 KiB`, `5.6 MiB`.
pub fn size(bytes: f64) -> String {
    const KIB: f64 = 1024.0;
    const MIB: f64 = 1024.0 * KIB;
    const GIB: f64 = 1024.0 * MIB;
    match bytes {
        bytes if !bytes.is_finite() || bytes < 0.0 => "unknown size".to_owned(),
        1.0 => "1 byte".to_owned(),
        bytes if bytes < KIB => format!("{bytes:.0} bytes"),
        bytes if bytes < MIB => format!("{:.1} KiB", bytes / KIB),
        bytes if bytes < GIB => format!("{:.1} MiB", bytes / MIB),
        bytes => format!("{:.1} GiB", bytes / GIB),
    }
}

/// How large the image behind this many base64 characters is.
pub fn image_size(chars: usize) -> String {
    size((chars / 4 * 3) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_forms() {
        assert_eq!(minute(1_770_159_126_410), "2026-02-03 22:52Z");
        assert_eq!(minute_on_clock(1_770_159_126_410 + 5_400_000), "2026-02-04 00:22");
        assert_eq!(duration(999.0), "999 ms");
        assert_eq!(duration(61_500.0), "1 min 1 s");
        assert_eq!(duration(f64::NAN), "unknown");
        assert_eq!(count(1, "entry", "entries"), "1 entry");
        assert_eq!(count(2000, "entry", "entries"), "2,000 entries");
        assert_eq!(dollars(0.75), "$0.7500");
    }

    #[test]
    fn sizes_have_one_unit_everywhere() {
        let bytes = [0.0, 1023.0, 1536.0, 5.6 * 1048576.0, 3_221_225_472.0, -1.0, f64::NAN];
        let words = [
            "0 bytes",
            "1023 bytes",
            "1.5 KiB",
            "5.6 MiB",
            "3.0 GiB",
            "unknown size",
            "unknown size",
        ];
        assert_eq!(bytes.map(size), words);
        assert_eq!(size(1.0), "1 byte");
        assert_eq!(image_size(16), "12 bytes");
    }

    #[test]
    fn thousands_stand_apart() {
        let numbers = [7.0, 1234.0, 1_234_567.0, -123.0, -1234.0];
        let words = ["7", "1,234", "1,234,567", "-123", "-1,234"];
        assert_eq!(numbers.map(grouped), words);
        let dollars = [1234.5, -0.25, 999.999].map(|amount| dollars_with(amount, 2));
        assert_eq!(dollars, ["$1,234.50", "-$0.25", "$1,000.00"]);
        assert_eq!(dollars_with(1234.5, 0), "$1,234");
        assert_eq!([146_680.0, f64::NAN].map(counted), ["146,680", "unknown"]);
    }

    #[test]
    fn ages_are_those_of_pi() {
        let minute = 60_000;
        let day = 24 * 60 * minute;
        let ages = [0, 5 * minute, 3 * 60 * minute, 2 * day, 9 * day, 130 * day, 400 * day];
        let words: Vec<String> = ages.iter().map(|ago| age(0, *ago)).collect();
        assert_eq!(words, ["now", "5m", "3h", "2d", "1w", "4mo", "1y"]);
        assert_eq!(age(10 * day, 0), "now", "a clock that was set back");
    }
}
