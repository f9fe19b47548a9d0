//! What the user of a data set should know before training with it.
//!
//! A warning says what is the matter and what helps; which option of a command does that is known to
//! the command alone.

use std::fmt;

use pitree_redact::too_many_secrets;

/// Something about a data set that its user should know.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DatasetWarning {
    /// A format of pairs has no pair.
    NoPairs {
        /// Whether there were pairs, and all were left out.
        were_left_out: bool,
    },
    /// More samples were left out than written, since the format cannot say which replies are not
    /// trained. With one reply in each sample there is nothing to say.
    NoMask {
        /// Samples that were left out for it.
        left_out: u64,
        /// Samples that were written.
        written: u64,
    },
    /// So many secrets were found that some are not looked for wherever else they stand.
    TooManySecrets(u64),
    /// So many values that may be secrets are left in place.
    LikelySecrets(u64),
    /// Nothing is in this part.
    EmptyPart(&'static str),
    /// More than half of the sessions are one family.
    LargeFamily {
        /// How many these are.
        largest: usize,
        /// How many there are in all.
        sessions: u64,
    },
    /// The part for validation is much larger or smaller than what was asked for.
    UnevenParts {
        /// Its share of the samples.
        share: f64,
        /// What was asked for.
        wanted: f64,
    },
    /// Samples lack something that Pi did not record.
    NotRecorded {
        /// What it is.
        what: &'static str,
        /// Samples without it.
        count: u64,
        /// Samples in all.
        samples: u64,
    },
    /// Samples are longer than the context of many models. A limit of tokens helps.
    LongSamples {
        /// Samples in all.
        samples: u64,
        /// How many of them have more than so many tokens: the count, and the tokens.
        above: Vec<(u64, u64)>,
    },
    /// So many outcomes name an entry that is not in the session.
    UnknownEntries(usize),
}

impl fmt::Display for DatasetWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPairs { were_left_out: false } => f.write_str(
                "there are no pairs: no session has two replies to the same context, which a retry \
                 on another branch gives",
            ),
            Self::NoPairs { were_left_out: true } => f.write_str(
                "there are no pairs: all pairs were left out; the reasons are in the card",
            ),
            Self::NoMask { left_out, written } => write!(
                f,
                "{left_out} samples are left out and {written} written, because this format cannot \
                 say which replies must not be trained; a sample for each request needs no such \
                 mark"
            ),
            Self::TooManySecrets(count) => f.write_str(&too_many_secrets(*count)),
            Self::LikelySecrets(1) => f.write_str("1 likely secret is left in place"),
            Self::LikelySecrets(count) => write!(f, "{count} likely secrets are left in place"),
            Self::EmptyPart(name) => {
                write!(f, "nothing is in {name}: there are too few families to split")
            }
            Self::LargeFamily { largest, sessions } => write!(
                f,
                "{largest} of {sessions} sessions are one family and stay together, so the parts \
                 are not of the size that was asked for"
            ),
            Self::UnevenParts { share, wanted } => write!(
                f,
                "validation has {:.0} % of the samples, and {:.0} % were asked for: families go to \
                 one part as a whole, whatever their size",
                100.0 * share,
                100.0 * wanted
            ),
            Self::NotRecorded { what, count, samples } => write!(
                f,
                "{count} of {samples} samples have no {what}: Pi records it since version 0.86, \
                 and none is made up"
            ),
            Self::LongSamples { samples, above } => {
                let above: Vec<String> =
                    above.iter().map(|(count, size)| format!("{count} more than {size}")).collect();
                write!(
                    f,
                    "of {samples} samples {} tokens, and trainers cut or drop what exceeds the \
                     context of a model: set a limit of tokens",
                    above.join(", ")
                )
            }
            Self::UnknownEntries(count) => {
                let name = if *count == 1 { "outcome names" } else { "outcomes name" };
                write!(f, "{count} {name} an entry that is not in the session")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_say_what_helps_and_name_no_options() {
        let (count, samples, written) = (2, 3, 1);
        let warnings = [
            DatasetWarning::NoPairs { were_left_out: false },
            DatasetWarning::NoPairs { were_left_out: true },
            DatasetWarning::NoMask { left_out: count, written },
            DatasetWarning::TooManySecrets(count),
            DatasetWarning::LikelySecrets(2),
            DatasetWarning::EmptyPart("validation"),
            DatasetWarning::LargeFamily { largest: 2, sessions: 3 },
            DatasetWarning::UnevenParts { share: 0.2, wanted: 0.1 },
            DatasetWarning::NotRecorded { what: "system prompt", count, samples },
            DatasetWarning::LongSamples { samples, above: vec![(2, 8192), (1, 32768)] },
            DatasetWarning::UnknownEntries(1),
        ];
        let texts = warnings.map(|warning| warning.to_string());
        assert!(texts.iter().all(|text| !text.contains("--")), "{texts:?}");
        assert!(texts[9].starts_with("of 3 samples 2 more than 8192, 1 more than 32768 tokens"));
        assert_eq!(texts[10], "1 outcome names an entry that is not in the session");
    }
}
