//! Forms of one line for each sample, as a part of a run.

use super::{Format, Row};
use crate::error::ExtractError;
use crate::output::{Output, Target};
use crate::run::{Extracted, SessionFormat};

/// Prints each sample of a session as one line.
pub struct Lines<F> {
    format: F,
    key: String,
}

impl<F: Format> Lines<F> {
    /// A form, and a key that tells it and its options from all others.
    pub fn new(format: F, key: impl Into<String>) -> Self {
        Self { format, key: key.into() }
    }
}

impl<F: Format + Send + Sync> SessionFormat for Lines<F> {
    fn key(&self) -> String {
        self.key.clone()
    }

    fn session(&self, extracted: &Extracted<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        extracted.samples(out, &mut |sample, out| match self.format.row(&sample) {
            Row::Line(line) => {
                out.sample(extracted.facts(&sample));
                out.piece(Target::Data, line.as_bytes())
            }
            Row::LeftOut(reason) => {
                out.left_out(reason);
                Ok(())
            }
        })
    }
}

impl<F: Format + ?Sized> Format for Box<F> {
    fn row(&self, sample: &crate::sample::Sample) -> Row {
        (**self).row(sample)
    }
}
