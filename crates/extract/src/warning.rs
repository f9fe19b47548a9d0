//! What the user of a data set should know before training with it.
//!
//! A warning says what is the matter and what helps; which option of a command does that is known to
//! the command alone.

use std::fmt;

use pitree_redact::too_many_secrets;

use crate::names::CARD;

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
    /// The part for validation is larger than the one to train on.
    LargeValidation {
        /// Bytes to train on.
        train: u64,
        /// Bytes for validation.
        validation: u64,
    },
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
                "there are no pairs: no session has two replies to the same context, as a retry on \
                 another branch would leave",
            ),
            Self::NoPairs { were_left_out: true } => {
                write!(f, "all pairs were left out; {CARD} lists the reasons")
            }
            Self::NoMask { left_out, written } => write!(
                f,
                "{left_out} samples are left out and {written} written, because this format cannot \
                 say which replies must not be trained; a sample for each request needs no such \
                 mark"
            ),
            Self::TooManySecrets(count) => f.write_str(&too_many_secrets(*count)),
            Self::LikelySecrets(1) => f.write_str("1 likely secret is left in place"),
            Self::LikelySecrets(count) => write!(f, "{count} likely secrets are left in place"),
            Self::EmptyPart(name) => write!(
                f,
                "{name} is empty: a session and its forks always stay together, and there are too \
                 few sessions to split"
            ),
            Self::LargeValidation { train, validation } => write!(
                f,
                "validation is larger than train ({} and {}): the split counts sessions with their \
                 forks, and the largest of them are in validation",
                size(*validation),
                size(*train)
            ),
            Self::LargeFamily { largest, sessions } => write!(
                f,
                "{largest} of {sessions} sessions are forks of one another and stay together, so \
                 the split is not of the size that was asked for"
            ),
            Self::UnevenParts { share, wanted } => write!(
                f,
                "validation has {:.0} % of the samples instead of {:.0} %: the split counts \
                 sessions with their forks, whatever their size",
                100.0 * share,
                100.0 * wanted
            ),
            Self::NotRecorded { what, count, samples } => write!(
                f,
                "{count} of {samples} samples have no {what}: Pi did not record it before version \
                 0.86"
            ),
            Self::LongSamples { samples, above } => {
                let above = above.iter().enumerate().map(|(at, (count, size))| match at {
                    0 => format!("{count} of {samples} samples have more than {size} tokens"),
                    _ => format!("{count} more than {size}"),
                });
                write!(
                    f,
                    "{}: trainers truncate or drop samples that do not fit the model's context, so \
                     set a token limit",
                    above.collect::<Vec<_>>().join(", ")
                )
            }
            Self::UnknownEntries(count) => {
                let name = if *count == 1 { "outcome names" } else { "outcomes name" };
                write!(f, "{count} {name} an entry that is not in the session")
            }
        }
    }
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes < 1e3 => format!("{bytes} bytes"),
        bytes if bytes < 1e6 => format!("{:.1} kB", bytes / 1e3),
        bytes if bytes < 1e9 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.1} GB", bytes / 1e9),
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
            DatasetWarning::LargeValidation { train: 900, validation: 2_340_000 },
            DatasetWarning::LargeFamily { largest: 2, sessions: 3 },
            DatasetWarning::UnevenParts { share: 0.2, wanted: 0.1 },
            DatasetWarning::NotRecorded { what: "system prompt", count, samples },
            DatasetWarning::LongSamples { samples, above: vec![(2, 8192), (1, 32768)] },
            DatasetWarning::UnknownEntries(1),
        ];
        let texts = warnings.map(|warning| warning.to_string());
        assert!(texts.iter().all(|text| !text.contains("--")), "{texts:?}");
        assert!(texts[6].starts_with("validation is larger than train (2.3 MB and 900 bytes): "));
        let long = "2 of 3 samples have more than 8192 tokens, 1 more than 32768: trainers ";
        assert!(texts[10].starts_with(long), "{}", texts[10]);
        assert_eq!(texts[11], "1 outcome names an entry that is not in the session");
    }
}
