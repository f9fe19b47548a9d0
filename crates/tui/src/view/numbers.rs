//! Counts, sizes and amounts for people.

use pitree_export::numbers::grouped;
pub(crate) use pitree_export::numbers::in_short as tokens;

/// `1,234`
pub(crate) fn count(number: usize) -> String {
    grouped(number as f64)
}

/// `12 B`, `3.4 KiB`, `5.6 MiB`
pub(crate) fn bytes(number: f64) -> String {
    match number {
        n if !n.is_finite() || n < 0.0 => "unknown size".to_owned(),
        n if n < 1024.0 => format!("{n:.0} B"),
        n if n < 1024.0 * 1024.0 => format!("{:.1} KiB", n / 1024.0),
        n => format!("{:.1} MiB", n / (1024.0 * 1024.0)),
    }
}

/// `$0.75`; small amounts with more digits.
pub(crate) fn dollars(amount: f64) -> String {
    match amount {
        a if !a.is_finite() => "$?".to_owned(),
        a if a != 0.0 && a.abs() < 0.1 => format!("${a:.4}"),
        a => format!("${a:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_forms() {
        assert_eq!([count(7), count(1234), count(1_234_567)], ["7", "1,234", "1,234,567"]);
        assert_eq!(
            [
                tokens(999.0),
                tokens(1_234.0),
                tokens(50_000.0),
                tokens(2_500_000.0),
                tokens(f64::NAN)
            ],
            ["999", "1.2k", "50k", "2.5M", "?"]
        );
        assert_eq!([bytes(12.0), bytes(3_500.0), bytes(-1.0)], ["12 B", "3.4 KiB", "unknown size"]);
        assert_eq!([dollars(0.0), dollars(0.0123), dollars(1.5)], ["$0.00", "$0.0123", "$1.50"]);
    }
}
