//! Which sessions are chosen by what came of them.

use pitree_format::Value;
use pitree_format::js::stringify;
use pitree_sample::score;

use crate::reason::FilteredBy;

/// Chooses sessions by the outcome of the session as a whole.
#[derive(Clone, Debug, Default)]
pub struct OutcomeFilter {
    /// One of these, whatever the case of its letters; all if there are none.
    pub wanted: Vec<String>,
    /// At least so good by [`score`].
    pub min: Option<f64>,
}

impl OutcomeFilter {
    /// Whether any session may be left out.
    pub fn is_given(&self) -> bool {
        !self.wanted.is_empty() || self.min.is_some()
    }

    /// Why a session with this outcome is left out. Outcomes of its entries say nothing about the
    /// session as a whole.
    pub fn skips(&self, outcome: Option<&Value>, has_entry_outcomes: bool) -> Option<FilteredBy> {
        if !self.is_given() {
            return None;
        }
        let known = outcome.filter(|outcome| !matches!(outcome, Value::Null));
        let Some(outcome) = known else {
            return Some(match has_entry_outcomes {
                true => FilteredBy::EntryOutcomes,
                false => FilteredBy::NoOutcome,
            });
        };
        let text = match outcome {
            Value::String(text) => text.to_text().into_owned(),
            other => stringify(other),
        };
        let is_same = |wanted: &String| wanted.trim().eq_ignore_ascii_case(text.trim());
        if !self.wanted.is_empty() && !self.wanted.iter().any(is_same) {
            return Some(FilteredBy::Outcome);
        }
        let is_enough = |min: f64| score(outcome).is_some_and(|score| score >= min);
        (!self.min.is_none_or(is_enough)).then_some(FilteredBy::MinOutcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_one_of_the_wanted_and_high_enough() {
        let skips = |wanted: &[&str], min: Option<f64>, outcome: Option<Value>| {
            let wanted = wanted.iter().map(|word| (*word).to_owned()).collect();
            OutcomeFilter { wanted, min }.skips(outcome.as_ref(), false)
        };
        let text = |text: &str| Some(Value::from(text));
        let number = |number: f64| Some(Value::Number(number));
        assert_eq!(skips(&[], None, None), None);
        let of_entries = OutcomeFilter { wanted: vec!["a".to_owned()], min: None };
        assert_eq!(of_entries.skips(None, true), Some(FilteredBy::EntryOutcomes));
        assert_eq!(skips(&["a"], None, None), Some(FilteredBy::NoOutcome));
        assert_eq!(skips(&[], Some(0.0), Some(Value::Null)), Some(FilteredBy::NoOutcome));
        assert_eq!(skips(&["resolved", "merged"], None, text("Merged ")), None);
        assert_eq!(skips(&["resolved"], None, text("failed")), Some(FilteredBy::Outcome));
        assert_eq!(skips(&["true"], None, Some(Value::Bool(true))), None);
        assert_eq!(skips(&["1"], None, number(1.0)), None);
        assert_eq!(skips(&[], Some(0.5), number(0.5)), None);
        assert_eq!(skips(&[], Some(0.5), number(0.4)), Some(FilteredBy::MinOutcome));
        assert_eq!(skips(&[], Some(0.5), text("resolved")), None);
        assert_eq!(skips(&[], Some(0.5), text("unclear")), Some(FilteredBy::MinOutcome));
    }
}
