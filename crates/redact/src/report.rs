//! What was found, without telling it.

use crate::found::REPEATED;
use crate::pseudonyms::is_of_people;
use crate::scan::{Action, Certainty, Hit};

/// How much of a secret a report shows: at most this many characters, and an eighth of it.
const MOST_SHOWN: usize = 4;

/// One secret that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the rule.
    pub rule: &'static str,
    /// Where in the value it stood: `message.content[0].text`. Empty for a plain text.
    pub path: String,
    /// The beginning of the secret and its length.
    pub masked: String,
    /// What was done with it.
    pub action: Action,
    /// How sure it is that it is a secret.
    pub certainty: Certainty,
}

impl Finding {
    /// What was found at this place.
    pub(crate) fn new(hit: &Hit, secret: &str, path: String) -> Self {
        let Hit { rule, action, certainty, .. } = *hit;
        Self { rule, path, masked: mask(secret), action, certainty }
    }

    /// Whether a finished text that has this must not be handed out. What is only likely may have
    /// come from the form of the text, unless the same value was replaced elsewhere.
    pub fn is_leak(&self) -> bool {
        self.action == Action::Redact && (!self.is_likely() || self.rule == REPEATED)
    }

    /// Whether it is a secret only with some likelihood.
    pub fn is_likely(&self) -> bool {
        self.certainty == Certainty::Likely
    }

    /// Whether it is the value of a secret that was found elsewhere in the session.
    pub fn is_repeated(&self) -> bool {
        self.rule == REPEATED
    }

    /// Whether it is the name of a person or a machine, which gets another name, and not a secret.
    pub fn is_name(&self) -> bool {
        is_of_people(self.rule)
    }
}

/// The secrets of a text, a value or a session.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In the order in which they were found.
    pub findings: Vec<Finding>,
    /// How many signatures were removed.
    pub signatures: usize,
}

impl Report {
    /// How many secrets and names were replaced.
    pub fn redacted(&self) -> usize {
        self.findings.iter().filter(|finding| finding.action == Action::Redact).count()
    }

    /// Whether anything was replaced or removed.
    pub fn has_changes(&self) -> bool {
        self.signatures > 0 || self.redacted() > 0
    }

    /// The first thing in a finished text because of which it must not be handed out.
    pub fn first_leak(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.is_leak())
    }
}

/// The beginning of a secret and its length. A short one is not shown at all.
pub(crate) fn mask(secret: &str) -> String {
    let length = secret.chars().count();
    let shown = (length / 8).min(MOST_SHOWN);
    // The name of the form, such as `ghp_`, is no secret; anything that could move a cursor is
    // not printed.
    let begin: String = secret.chars().take(shown).filter(char::is_ascii_graphic).collect();
    format!("{begin}… ({length} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_shows_an_eighth_at_most() {
        assert_eq!(mask("short"), "… (5 characters)");
        assert_eq!(mask(&"abcd".repeat(4)), "ab… (16 characters)");
        assert_eq!(mask(&"ghp_".repeat(10)), "ghp_… (40 characters)");
    }
}
