//! The name of a model.

use std::fmt;

/// A model by its provider and id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// The provider, as in Pi.
    pub provider: String,
    /// The id at that provider.
    pub id: String,
}

impl ModelName {
    /// Names a model.
    pub fn new(provider: impl Into<String>, id: impl Into<String>) -> Self {
        Self { provider: provider.into(), id: id.into() }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.id)
    }
}
