//! New lines, printed as Pi prints them.
//!
//! The order of members is Pi's: `custom` and `custom_message` have their `id` last, all others
//! first. A file written with these drafts cannot be told from one that Pi wrote.

use crate::js::{print, print_string};
use crate::{CURRENT_VERSION, EntryKind, JsString, Object, Role, Value};

/// An entry that is about to be appended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Draft {
    /// `message`
    Message(Value),
    /// `thinking_level_change`
    ThinkingLevelChange(JsString),
    /// `model_change`
    ModelChange {
        /// The provider.
        provider: JsString,
        /// The model.
        model_id: JsString,
    },
    /// `usage`
    Usage {
        /// What it was for.
        kind: JsString,
        /// The provider.
        provider: JsString,
        /// The model.
        model: JsString,
        /// Tokens and cost.
        usage: Value,
        /// A remark; an empty one is left out.
        note: Option<JsString>,
    },
    /// `compaction`
    Compaction {
        /// What it says.
        new: Box<NewCompaction>,
        /// The prompt and tools as they stand, without a timestamp.
        system_message: Option<Object>,
    },
    /// `branch_summary`
    BranchSummary {
        /// The leaf of the abandoned branch, or `root`.
        from_id: JsString,
        /// What it says.
        new: NewBranchSummary,
    },
    /// `custom`
    Custom {
        /// The extension's name for it.
        custom_type: JsString,
        /// The state.
        data: Option<Value>,
    },
    /// `custom_message`
    CustomMessage {
        /// The extension's name for it.
        custom_type: JsString,
        /// What the model sees: a string or blocks.
        content: Value,
        /// Whether the interface shows it.
        display: bool,
        /// What only the extension sees.
        details: Option<Value>,
    },
    /// `context_edit`
    ContextEdit {
        /// The entry whose content is replaced.
        target_id: JsString,
        /// `null`, or an object with `content`.
        replacement: Value,
    },
    /// `label`
    Label {
        /// The labelled entry.
        target_id: JsString,
        /// The label; `None` clears it.
        label: Option<JsString>,
    },
    /// `session_info`
    SessionInfo(JsString),
}

/// What a new compaction says. Pi's arguments of `appendCompaction`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewCompaction {
    /// The summary, files included.
    pub summary: JsString,
    /// The first entry that is kept; `None` keeps none (the entry names itself).
    pub first_kept_entry_id: Option<JsString>,
    /// How many tokens the context had before.
    pub tokens_before: f64,
    /// Files read and modified, or what an extension wants.
    pub details: Option<Value>,
    /// What the summary cost.
    pub usage: Option<Value>,
    /// Whether an extension made it.
    pub from_hook: Option<bool>,
}

/// What a new branch summary says. Pi's arguments of `branchWithSummary`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewBranchSummary {
    /// The summary, files included.
    pub summary: JsString,
    /// Files read and modified, or what an extension wants.
    pub details: Option<Value>,
    /// What the summary cost.
    pub usage: Option<Value>,
    /// Whether an extension made it.
    pub from_hook: Option<bool>,
}

impl NewCompaction {
    /// What an entry says, to be appended once more. A member of another type counts as missing.
    pub fn from_entry(entry: &Value) -> Self {
        let NewBranchSummary { summary, details, usage, from_hook } =
            NewBranchSummary::from_entry(entry);
        Self {
            summary,
            first_kept_entry_id: entry.get_string("firstKeptEntryId").cloned(),
            tokens_before: entry.get_number("tokensBefore").unwrap_or_default(),
            details,
            usage,
            from_hook,
        }
    }
}

impl NewBranchSummary {
    /// What an entry says, to be appended once more. A member of another type counts as missing.
    pub fn from_entry(entry: &Value) -> Self {
        Self {
            summary: entry.get_string("summary").cloned().unwrap_or_default(),
            details: entry.get("details").cloned(),
            usage: entry.get("usage").cloned(),
            from_hook: entry.get("fromHook").and_then(Value::as_bool),
        }
    }
}

/// The members that every entry has.
#[derive(Clone, Copy, Debug)]
pub struct Stamp<'a> {
    /// The new entry's id.
    pub id: &'a str,
    /// Its parent; `None` for a root.
    pub parent_id: Option<&'a str>,
    /// Now, in ISO form.
    pub timestamp: &'a str,
    /// The same moment in Unix milliseconds.
    pub time_ms: i64,
}

impl Stamp<'_> {
    fn onto(&self, object: Object) -> Object {
        object
            .with("id", self.id)
            .with("parentId", self.parent_id)
            .with("timestamp", self.timestamp)
    }

    fn begin(&self, kind: &str) -> Object {
        self.onto(Object::new().with("type", kind))
    }
}

impl Draft {
    /// What kind of entry it becomes.
    pub fn kind(&self) -> EntryKind {
        match self {
            Self::Message(_) => EntryKind::Message,
            Self::ThinkingLevelChange(_) => EntryKind::ThinkingLevelChange,
            Self::ModelChange { .. } => EntryKind::ModelChange,
            Self::Usage { .. } => EntryKind::Usage,
            Self::Compaction { .. } => EntryKind::Compaction,
            Self::BranchSummary { .. } => EntryKind::BranchSummary,
            Self::Custom { .. } => EntryKind::Custom,
            Self::CustomMessage { .. } => EntryKind::CustomMessage,
            Self::ContextEdit { .. } => EntryKind::ContextEdit,
            Self::Label { .. } => EntryKind::Label,
            Self::SessionInfo(_) => EntryKind::SessionInfo,
        }
    }

    /// The role of its message; [`Role::Other`] for other kinds.
    pub fn role(&self) -> Role {
        match self {
            Self::Message(message) => Role::of(message),
            _ => Role::Other,
        }
    }

    /// Appends the entry as Pi prints it, without a line feed. A message, which may be long, is
    /// printed from where it is.
    pub fn print(&self, stamp: &Stamp<'_>, out: &mut String) {
        let Self::Message(message) = self else {
            return print(&self.to_value(stamp), out);
        };
        out.push_str("{\"type\":\"message\",\"id\":");
        print_string(&stamp.id.into(), out);
        out.push_str(",\"parentId\":");
        print(&stamp.parent_id.into(), out);
        out.push_str(",\"timestamp\":");
        print_string(&stamp.timestamp.into(), out);
        out.push_str(",\"message\":");
        print(message, out);
        out.push('}');
    }

    /// The entry as an object with its members in Pi's order.
    pub fn to_value(&self, stamp: &Stamp<'_>) -> Value {
        let object = match self {
            Self::Message(message) => stamp.begin("message").with("message", message.clone()),
            Self::ThinkingLevelChange(level) => {
                stamp.begin("thinking_level_change").with("thinkingLevel", level.clone())
            }
            Self::ModelChange { provider, model_id } => stamp
                .begin("model_change")
                .with("provider", provider.clone())
                .with("modelId", model_id.clone()),
            Self::Usage { kind, provider, model, usage, note } => stamp
                .begin("usage")
                .with("kind", kind.clone())
                .with("provider", provider.clone())
                .with("model", model.clone())
                .with("usage", usage.clone())
                .with_some("note", note.clone().filter(|note| !note.is_empty())),
            Self::Compaction { new, system_message } => new.entry(system_message.as_ref(), stamp),
            Self::BranchSummary { from_id, new } => stamp
                .begin("branch_summary")
                .with("fromId", from_id.clone())
                .with("summary", new.summary.clone())
                .with_some("details", new.details.clone())
                .with_some("usage", new.usage.clone())
                .with_some("fromHook", new.from_hook),
            Self::Custom { custom_type, data } => stamp.onto(
                Object::new()
                    .with("type", "custom")
                    .with("customType", custom_type.clone())
                    .with_some("data", data.clone()),
            ),
            Self::CustomMessage { custom_type, content, display, details } => stamp.onto(
                Object::new()
                    .with("type", "custom_message")
                    .with("customType", custom_type.clone())
                    .with("content", content.clone())
                    .with("display", *display)
                    .with_some("details", details.clone()),
            ),
            Self::ContextEdit { target_id, replacement } => stamp
                .begin("context_edit")
                .with("targetId", target_id.clone())
                .with("replacement", replacement.clone()),
            Self::Label { target_id, label } => stamp
                .begin("label")
                .with("targetId", target_id.clone())
                .with_some("label", label.clone()),
            Self::SessionInfo(name) => stamp.begin("session_info").with("name", name.clone()),
        };
        Value::Object(object)
    }
}

impl NewCompaction {
    fn entry(&self, system_message: Option<&Object>, stamp: &Stamp<'_>) -> Object {
        let first_kept = self.first_kept_entry_id.clone().unwrap_or_else(|| stamp.id.into());
        let system = system_message.cloned().map(|mut system| {
            system.set("timestamp", Value::Number(stamp.time_ms as f64));
            system
        });
        stamp
            .begin("compaction")
            .with("summary", self.summary.clone())
            .with("firstKeptEntryId", first_kept)
            .with("tokensBefore", self.tokens_before)
            .with_some("details", self.details.clone())
            .with_some("usage", self.usage.clone())
            .with_some("fromHook", self.from_hook)
            .with_some("systemMessage", system)
    }
}

named_enum! {
    /// Who reads a new file first, which decides its header and its name.
    #[derive(Default)]
    pub enum Dialect {
        #[default]
        Pi = "pi": "TypeScript Pi",
        /// It has `branchedFrom` instead of `parentSession`, and a shorter file name.
        Port = "port": "pi_agent_rust, the Rust port of Pi",
    }
}

/// The header of a new session.
#[derive(Clone, Debug)]
pub struct HeaderDraft<'a> {
    /// The session's id.
    pub id: &'a str,
    /// Now, in ISO form.
    pub timestamp: &'a str,
    /// The working directory.
    pub cwd: &'a str,
    /// The session it comes from.
    pub parent_session: Option<&'a str>,
    /// Which program's form to write.
    pub dialect: Dialect,
}

impl HeaderDraft<'_> {
    /// The header with its members in order.
    pub fn to_value(&self) -> Value {
        let parent_key = match self.dialect {
            Dialect::Pi => "parentSession",
            Dialect::Port => "branchedFrom",
        };
        Object::new()
            .with("type", "session")
            .with("version", f64::from(CURRENT_VERSION))
            .with("id", self.id)
            .with("timestamp", self.timestamp)
            .with("cwd", self.cwd)
            .with_some(parent_key, self.parent_session)
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{BranchSummary, Compaction};
    use crate::js::parse;

    #[test]
    fn what_was_built_is_what_is_read() {
        let stamp = Stamp { id: "b2", parent_id: Some("a1"), timestamp: "t", time_ms: 7 };
        let new = NewCompaction {
            summary: "short".into(),
            first_kept_entry_id: Some("a1".into()),
            tokens_before: 12.0,
            details: Some(Object::new().with("readFiles", Vec::new()).into()),
            usage: Some(Object::new().with("input", 3.0).into()),
            from_hook: Some(true),
        };
        let draft = Draft::Compaction { new: Box::new(new.clone()), system_message: None };
        let entry = draft.to_value(&stamp);
        assert_eq!(NewCompaction::from_entry(&entry), new);
        let read = Compaction::decode(&entry);
        assert_eq!((read.summary, read.first_kept_entry_id), (new.summary, Some("a1".into())));
        assert_eq!((read.tokens_before, read.from_hook), (Some(12.0), true));

        let new = NewBranchSummary { summary: "left".into(), ..NewBranchSummary::default() };
        let entry = Draft::BranchSummary { from_id: "a1".into(), new: new.clone() };
        let entry = entry.to_value(&stamp);
        assert_eq!(NewBranchSummary::from_entry(&entry), new);
        assert_eq!(BranchSummary::decode(&entry).from_id, Some("a1".into()));
    }

    #[test]
    fn an_extension_made_what_javascript_takes_for_true() {
        for (hook, expected) in [("true", true), ("1", true), ("\"\"", false), ("null", false)] {
            let entry = format!(r#"{{"type":"compaction","summary":"x","fromHook":{hook}}}"#);
            let entry = parse(entry.as_bytes()).unwrap();
            assert_eq!(Compaction::decode(&entry).from_hook, expected, "{hook}");
        }
    }
}
