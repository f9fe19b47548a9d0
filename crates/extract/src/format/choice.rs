//! What can be chosen for a data set, and which forms it means something for.

use super::FormatName;

/// Something that can be chosen for a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Which branches are taken.
    Paths,
    /// What the replies are an answer to.
    Context,
    /// What one sample is.
    Unit,
    /// What becomes of thoughts.
    Reasoning,
    /// Whether calls and results stand in the text too.
    ToolText,
    /// How long the output of a tool may be.
    ToolLimit,
    /// How many tokens a sample may have.
    MaxTokens,
    /// Whether replies to an altered context are trained.
    MaskAltered,
    /// Whether replies with noise are trained.
    DropNoise,
    /// What becomes of samples that say the same.
    Dedupe,
    /// How many sessions may begin alike.
    Cap,
    /// What came of sessions.
    Outcomes,
}

impl FormatName {
    /// Whether a choice changes anything in this form.
    pub fn uses(self, choice: Choice) -> bool {
        match (self, choice) {
            (_, Choice::ToolText) => self == Self::LoraForge,
            // Session files as they are: nothing is chosen in them.
            (Self::HfTraces, _) => false,
            // Pairs are looked for on all branches, and each has one reply on either side.
            (Self::Preference, Choice::Paths | Choice::Unit) => false,
            _ => true,
        }
    }
}
