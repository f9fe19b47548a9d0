//! A budget for a day, a week or a month.

use pitree_store::ledger::{By, Sum};

/// So many dollars for each period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Budget {
    pub(super) dollars: f64,
    pub(super) period: By,
}

impl Budget {
    /// How many dollars too many were spent.
    pub(super) fn overrun(&self, sum: &Sum) -> Option<f64> {
        Some(sum.cost.dollars() - self.dollars).filter(|over| *over > 0.0)
    }
}

/// Reads `20/day`, `$20/day` or `300/month`.
pub(super) fn parse(text: &str) -> Result<Budget, String> {
    let wrong = || "give dollars and a period, such as 20/day, 100/week or 300/month".to_owned();
    let (dollars, period) = text.split_once('/').ok_or_else(wrong)?;
    let dollars: f64 = dollars.trim_start_matches('$').parse().map_err(|_| wrong())?;
    let period = match period {
        "day" => By::Day,
        "week" => By::Week,
        "month" => By::Month,
        _ => return Err(wrong()),
    };
    if dollars.is_finite() && dollars >= 0.0 {
        Ok(Budget { dollars, period })
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_dollars_for_a_period() {
        assert_eq!(parse("20/day"), Ok(Budget { dollars: 20.0, period: By::Day }));
        assert_eq!(parse("$1.5/month"), Ok(Budget { dollars: 1.5, period: By::Month }));
        for text in ["20", "20/year", "x/day", "-1/day", "inf/day", "NaN/week", "/day"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
