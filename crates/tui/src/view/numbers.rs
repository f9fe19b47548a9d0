//! Counts, sizes and amounts for people.

pub(crate) use pitree_export::numbers::{count, grouped, image_size, in_short as tokens, size};

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
        assert_eq!([dollars(0.0), dollars(0.0123), dollars(1.5)], ["$0.00", "$0.0123", "$1.50"]);
    }
}
