//! The kinds of entries and the roles of messages.

use crate::Value;

/// The `type` of an entry line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EntryKind {
    /// `session`: the header. Not part of the tree.
    Session,
    /// `message`
    Message,
    /// `thinking_level_change`
    ThinkingLevelChange,
    /// `model_change`
    ModelChange,
    /// `usage`: spend that belongs to no message.
    Usage,
    /// `compaction`
    Compaction,
    /// `branch_summary`
    BranchSummary,
    /// `custom`: state of an extension.
    Custom,
    /// `custom_message`: a message of an extension.
    CustomMessage,
    /// `context_edit`
    ContextEdit,
    /// `label`
    Label,
    /// `session_info`: the session's name.
    SessionInfo,
    /// Any other `type`, or none. The text is in the raw line.
    Other,
}

impl EntryKind {
    /// Every kind that has a name, in the order of the format's documentation.
    pub const NAMED: [Self; 12] = [
        Self::Session,
        Self::Message,
        Self::ThinkingLevelChange,
        Self::ModelChange,
        Self::Usage,
        Self::Compaction,
        Self::BranchSummary,
        Self::Custom,
        Self::CustomMessage,
        Self::ContextEdit,
        Self::Label,
        Self::SessionInfo,
    ];

    /// The kind of an entry object.
    pub fn of(entry: &Value) -> Self {
        let name = entry.get_string("type");
        name.map_or(Self::Other, |name| Self::from_name(name.as_bytes()))
    }

    /// The kind of a `type` value.
    pub fn from_name(name: &[u8]) -> Self {
        match name {
            b"session" => Self::Session,
            b"message" => Self::Message,
            b"thinking_level_change" => Self::ThinkingLevelChange,
            b"model_change" => Self::ModelChange,
            b"usage" => Self::Usage,
            b"compaction" => Self::Compaction,
            b"branch_summary" => Self::BranchSummary,
            b"custom" => Self::Custom,
            b"custom_message" => Self::CustomMessage,
            b"context_edit" => Self::ContextEdit,
            b"label" => Self::Label,
            b"session_info" => Self::SessionInfo,
            _ => Self::Other,
        }
    }

    /// The `type` value of this kind; empty for [`EntryKind::Other`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Message => "message",
            Self::ThinkingLevelChange => "thinking_level_change",
            Self::ModelChange => "model_change",
            Self::Usage => "usage",
            Self::Compaction => "compaction",
            Self::BranchSummary => "branch_summary",
            Self::Custom => "custom",
            Self::CustomMessage => "custom_message",
            Self::ContextEdit => "context_edit",
            Self::Label => "label",
            Self::SessionInfo => "session_info",
            Self::Other => "",
        }
    }
}

/// The `role` of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// `system`: a patch of the prompt or of the tools.
    System,
    /// `user`
    User,
    /// `assistant`
    Assistant,
    /// `toolResult`
    ToolResult,
    /// `bashExecution`: a shell command of the user.
    BashExecution,
    /// `custom`: a message of an extension.
    Custom,
    /// `hookMessage`: the name of `custom` in version 2.
    HookMessage,
    /// `branchSummary`: only in a built context.
    BranchSummary,
    /// `compactionSummary`: only in a built context.
    CompactionSummary,
    /// Any other role, or none. The text is in the raw line.
    Other,
}

impl Role {
    /// The role of a message object.
    pub fn of(message: &Value) -> Self {
        let name = message.get_string("role");
        name.map_or(Self::Other, |name| Self::from_name(name.as_bytes()))
    }

    /// The role of a `role` value.
    pub fn from_name(name: &[u8]) -> Self {
        match name {
            b"system" => Self::System,
            b"user" => Self::User,
            b"assistant" => Self::Assistant,
            b"toolResult" => Self::ToolResult,
            b"bashExecution" => Self::BashExecution,
            b"custom" => Self::Custom,
            b"hookMessage" => Self::HookMessage,
            b"branchSummary" => Self::BranchSummary,
            b"compactionSummary" => Self::CompactionSummary,
            _ => Self::Other,
        }
    }

    /// The `role` value; empty for [`Role::Other`].
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolResult => "toolResult",
            Self::BashExecution => "bashExecution",
            Self::Custom => "custom",
            Self::HookMessage => "hookMessage",
            Self::BranchSummary => "branchSummary",
            Self::CompactionSummary => "compactionSummary",
            Self::Other => "",
        }
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
        for role in [Role::System, Role::User, Role::Assistant, Role::ToolResult] {
            assert_eq!(Role::from_name(role.name().as_bytes()), role);
        }
    }
}
