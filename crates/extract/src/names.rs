//! Names of the files that every data set has besides its data, and by which it is known as ours.

/// The card for programs.
pub(crate) const CARD: &str = "card.json";
/// The card for people.
pub(crate) const PAGE: &str = "README.md";
/// The plot of messages by role.
pub(crate) const TURNS: &str = "messages-by-role.svg";
/// The plot of samples by tokens.
pub(crate) const TOKENS: &str = "samples-by-tokens.svg";
/// The plot of spend by model.
pub(crate) const SPEND: &str = "spend-by-model.svg";

/// All of them.
pub(crate) const FILES: [&str; 5] = [CARD, PAGE, TURNS, TOKENS, SPEND];

/// Begins what a card says of its maker.
pub(crate) const GENERATOR: &str = "pitree ";

/// The member of a card that has the hashes of its page and plots.
pub(crate) const BESIDE: &str = "beside";
