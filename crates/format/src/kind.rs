//! The kinds of entries and the roles of messages.

use crate::Value;

/// An enum of the words that a member may hold, and `Other` for every other word or none.
macro_rules! words_of {
    (
        $(#[$meta:meta])*
        pub enum $Enum:ident of $member:literal {
            $($(#[$note:meta])* $Variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $Enum {
            $($(#[$note])* $Variant,)*
            /// Any other word, or none. The text is in the raw line.
            Other,
        }

        impl $Enum {
            /// All but [`Other`](Self::Other), in the order of the format's documentation.
            pub const NAMED: [Self; [$(stringify!($Variant)),*].len()] = [$(Self::$Variant),*];

            #[doc = concat!("What the `", $member, "` of an object says.")]
            pub fn of(object: &Value) -> Self {
                let name = object.get_string($member);
                name.map_or(Self::Other, |name| Self::from_name(name.as_bytes()))
            }

            #[doc = concat!("The meaning of a `", $member, "` value.")]
            pub fn from_name(name: &[u8]) -> Self {
                match name {
                    $($word => Self::$Variant,)*
                    _ => Self::Other,
                }
            }

            #[doc = concat!("The `", $member, "` value; empty for [`Other`](Self::Other).")]
            pub fn name(self) -> &'static str {
                let word: &[u8] = match self {
                    $(Self::$Variant => $word,)*
                    Self::Other => b"",
                };
                str::from_utf8(word).unwrap_or_default()
            }
        }
    };
}

words_of! {
    /// The `type` of an entry line.
    pub enum EntryKind of "type" {
        /// `session`: the header. Not part of the tree.
        Session = b"session",
        /// `message`
        Message = b"message",
        /// `thinking_level_change`
        ThinkingLevelChange = b"thinking_level_change",
        /// `model_change`
        ModelChange = b"model_change",
        /// `usage`: spend that belongs to no message.
        Usage = b"usage",
        /// `compaction`
        Compaction = b"compaction",
        /// `branch_summary`
        BranchSummary = b"branch_summary",
        /// `custom`: state of an extension.
        Custom = b"custom",
        /// `custom_message`: a message of an extension.
        CustomMessage = b"custom_message",
        /// `context_edit`
        ContextEdit = b"context_edit",
        /// `label`
        Label = b"label",
        /// `session_info`: the session's name.
        SessionInfo = b"session_info",
    }
}

words_of! {
    /// The `role` of a message.
    pub enum Role of "role" {
        /// `system`: a patch of the prompt or of the tools.
        System = b"system",
        /// `user`
        User = b"user",
        /// `assistant`
        Assistant = b"assistant",
        /// `toolResult`
        ToolResult = b"toolResult",
        /// `bashExecution`: a shell command of the user.
        BashExecution = b"bashExecution",
        /// `custom`: a message of an extension.
        Custom = b"custom",
        /// `hookMessage`: the name of `custom` in version 2.
        HookMessage = b"hookMessage",
        /// `branchSummary`: only in a built context.
        BranchSummary = b"branchSummary",
        /// `compactionSummary`: only in a built context.
        CompactionSummary = b"compactionSummary",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_kinds_agree() {
        for kind in EntryKind::NAMED {
            assert_eq!(EntryKind::from_name(kind.name().as_bytes()), kind);
        }
        assert_eq!(EntryKind::from_name(b"leaf"), EntryKind::Other);
        for role in Role::NAMED {
            assert_eq!(Role::from_name(role.name().as_bytes()), role);
        }
    }
}
