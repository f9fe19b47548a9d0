//! Shapes that several commands share.

use super::shape::{Definition, Shape, needed, optional};

pub(super) static ENTRY: Definition = Definition {
    name: "Entry",
    about: "A line of the session file that is an entry, with all its members.",
    shape: Shape::Object(&[needed("type", Shape::Text, "the kind of entry")]),
};

pub(super) static MESSAGE: Definition = Definition {
    name: "Message",
    about: "A message as Pi keeps it: user, assistant, toolResult, system, bashExecution, custom, \
            branchSummary or compactionSummary.",
    shape: Shape::Object(&[]),
};

pub(super) static TREE_NODE: Definition = Definition {
    name: "TreeNode",
    about: "An entry with the entries below it.",
    shape: Shape::Object(&[
        needed("entry", Shape::Named(&ENTRY), ""),
        needed("children", Shape::List(&Shape::Named(&TREE_NODE)), "by time, oldest first"),
        optional("label", Shape::Text, ""),
        optional("labelTimestamp", Shape::Text, "when the label was set"),
        optional("childCount", Shape::Count, "only where `depth` left the children out"),
    ]),
};

pub(super) static MODEL: Definition = Definition {
    name: "Model",
    about: "A model with all that Pi knows of it.",
    shape: Shape::Object(&[needed("id", Shape::Text, ""), needed("provider", Shape::Text, "")]),
};

pub(super) static SESSION_INFO: Definition = Definition {
    name: "SessionInfo",
    about: "What a list says about a session.",
    shape: Shape::Object(&[
        needed("path", Shape::Text, ""),
        needed("id", Shape::Text, ""),
        needed("cwd", Shape::Text, "empty if the header has none"),
        optional("name", Shape::Text, ""),
        optional("parentSessionPath", Shape::Text, "as the header names it"),
        needed("created", Shape::Either(&[Shape::Text, Shape::Null]), "a date"),
        needed("modified", Shape::Text, "a date: the last message"),
        needed("messageCount", Shape::Count, "on all branches"),
        needed("firstMessage", Shape::Text, ""),
        needed("size", Shape::Count, "bytes"),
        needed("entries", Shape::Count, ""),
        needed("branches", Shape::Count, "ends of the tree"),
        needed("cost", Shape::Number, "dollars, as far as they are recorded"),
    ]),
};

pub(super) static HIT: Definition = Definition {
    name: "Hit",
    about: "An entry that was found.",
    shape: Shape::Object(&[
        needed("session", Shape::Any, "`{id, path, cwd, name?}`"),
        needed("entryId", Shape::Text, ""),
        needed("role", Shape::Text, "who it comes from"),
        needed("time", Shape::Either(&[Shape::Text, Shape::Null]), ""),
        needed("active", Shape::Flag, "whether it is on the current path"),
        needed("leafId", Shape::Text, "the end of its branch"),
        needed("nearness", Shape::Words(&["words", "parts", "most", "fuzzy"]), ""),
        needed("why", Shape::List(&Shape::Any), "`{term, in, whole}`: where each word was found"),
        needed("text", Shape::Text, "the part around the hits"),
        needed("marks", Shape::List(&Shape::Any), "`[from, to]` in `text`, in UTF-16 units"),
        needed("places", Shape::List(&Shape::Any), "`{path, id}` of all sessions that hold it"),
    ]),
};
