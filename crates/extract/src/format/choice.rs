//! What can be chosen for a data set. The table says for which formats it means something.

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

/// Everything that can be chosen.
pub(super) const CHOICES: &[Choice] = &[
    Choice::Paths,
    Choice::Context,
    Choice::Unit,
    Choice::Reasoning,
    Choice::ToolText,
    Choice::ToolLimit,
    Choice::MaxTokens,
    Choice::MaskAltered,
    Choice::DropNoise,
    Choice::Dedupe,
    Choice::Cap,
    Choice::Outcomes,
];
