//! What the first session of the sample gives as training data.

use pitree_extract::{ExtractError, SampleOptions, samples};
use pitree_format::{Object, Role, Value};
use pitree_session::Session;

use crate::error::Result;

/// The samples of a session.
pub(super) struct Training {
    pub(super) samples: usize,
    /// Replies that are learned.
    pub(super) learned: usize,
    /// Replies in the whole file, on all branches.
    pub(super) replies: usize,
}

impl Training {
    pub(super) fn of(session: &Session) -> Result<Self> {
        let replies = session.entries().filter(|entry| entry.is_message(Role::Assistant)).count();
        let mut training = Self { samples: 0, learned: 0, replies };
        for sample in samples(session, &SampleOptions::default()) {
            let sample = sample.map_err(ExtractError::from)?;
            training.samples += 1;
            training.learned += sample.trained.iter().filter(|trained| **trained).count();
        }
        Ok(training)
    }

    pub(super) fn to_value(&self) -> Value {
        Object::new()
            .with("samples", self.samples)
            .with("learned", self.learned)
            .with("replies", self.replies)
            .into()
    }
}
