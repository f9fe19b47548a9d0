//! What a format can hold. Samples are prepared by it before the format prints them.

use pitree_sample::ChatRole;

/// What a format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether all messages are written: also replies that say nothing, and what comes after the
    /// last reply that is trained.
    pub writes_all: bool,
    /// Whether it has a place for reasoning apart from what is said.
    pub reasoning: bool,
    /// Which images are written, and not only a word in their place.
    pub images: Images,
    /// Whether the body of a request is written as it was sent, where a sample has one.
    pub bodies: bool,
}

/// Which images a format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Images {
    /// None.
    None,
    /// Those of the user.
    OfUser,
    /// All.
    All,
}

impl Capabilities {
    /// Whether an image in a message of this role is written. A body has all that was sent.
    pub(crate) fn holds_images(self, role: ChatRole, has_body: bool) -> bool {
        match self.images {
            _ if self.bodies && has_body => true,
            Images::None => false,
            Images::OfUser => role == ChatRole::User,
            Images::All => true,
        }
    }
}
