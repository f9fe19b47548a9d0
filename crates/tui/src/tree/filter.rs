//! Which entries are shown.

use pitree_format::{EntryKind, Role};
use pitree_session::EntryRef;

/// Pi's filters of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// Messages and summaries.
    #[default]
    Default,
    /// The same without tool results.
    NoTools,
    /// Only what the user said.
    UserOnly,
    /// Only entries with a label.
    LabeledOnly,
    /// Everything.
    All,
}

/// The order in which the filters follow each other.
const CYCLE: [Filter; 5] =
    [Filter::Default, Filter::NoTools, Filter::UserOnly, Filter::LabeledOnly, Filter::All];

impl Filter {
    /// The filter of a name in Pi's setting `treeFilterMode`.
    pub fn from_name(name: &str) -> Option<Self> {
        CYCLE.into_iter().find(|filter| filter.name() == name)
    }

    /// Its name in Pi's settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::NoTools => "no-tools",
            Self::UserOnly => "user-only",
            Self::LabeledOnly => "labeled-only",
            Self::All => "all",
        }
    }

    /// What the line below the tree says of it.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Default => "",
            Self::NoTools => " [no-tools]",
            Self::UserOnly => " [user]",
            Self::LabeledOnly => " [labeled]",
            Self::All => " [all]",
        }
    }

    /// The one after it.
    #[must_use]
    pub fn next(self) -> Self {
        self.steps(1)
    }

    /// The one before it.
    #[must_use]
    pub fn previous(self) -> Self {
        self.steps(CYCLE.len() - 1)
    }

    fn steps(self, steps: usize) -> Self {
        let at = CYCLE.iter().position(|filter| *filter == self).unwrap_or(0);
        CYCLE[(at + steps) % CYCLE.len()]
    }

    /// What a key for `wanted` makes of it: a second press goes back to the default.
    #[must_use]
    pub fn toggled(self, wanted: Self) -> Self {
        if self == wanted { Self::Default } else { wanted }
    }

    /// Whether an entry of a class passes.
    pub(super) fn passes(self, class: Class, has_label: bool) -> bool {
        match self {
            _ if class == Class::Usage => false,
            Self::Default => class != Class::Bookkeeping,
            Self::NoTools => !matches!(class, Class::Bookkeeping | Class::ToolResult),
            Self::UserOnly => class == Class::User,
            Self::LabeledOnly => has_label,
            Self::All => true,
        }
    }
}

/// What a filter goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    User,
    Assistant,
    ToolResult,
    /// Labels, names, changes of the model and the like.
    Bookkeeping,
    /// Spend that belongs to no message; never shown.
    Usage,
    Other,
}

impl Class {
    pub(super) fn of(entry: EntryRef<'_>) -> Self {
        match entry.kind() {
            EntryKind::Message => match entry.role() {
                Role::User => Self::User,
                Role::Assistant => Self::Assistant,
                Role::ToolResult => Self::ToolResult,
                _ => Self::Other,
            },
            EntryKind::Usage => Self::Usage,
            EntryKind::Label
            | EntryKind::ContextEdit
            | EntryKind::Custom
            | EntryKind::ModelChange
            | EntryKind::ThinkingLevelChange
            | EntryKind::SessionInfo => Self::Bookkeeping,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_comes_back_both_ways() {
        let mut filter = Filter::Default;
        for _ in 0..CYCLE.len() {
            assert_eq!(filter.next().previous(), filter);
            assert_eq!(Filter::from_name(filter.name()), Some(filter));
            filter = filter.next();
        }
        assert_eq!(filter, Filter::Default);
    }
}
