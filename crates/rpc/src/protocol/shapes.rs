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
