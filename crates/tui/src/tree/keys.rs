//! What the tree does for an action of its keys.

use super::filter::Filter;
use super::model::TreeAction;
use crate::keymap::TreeKey;

/// The change of the tree that an action means; `None` for those that do more than look.
pub(super) fn change(action: TreeKey, page: isize) -> Option<TreeAction> {
    Some(match action {
        TreeKey::Up => TreeAction::Up,
        TreeKey::Down => TreeAction::Down,
        TreeKey::PageUp => TreeAction::Move(-page),
        TreeKey::PageDown => TreeAction::Move(page),
        TreeKey::First => TreeAction::First,
        TreeKey::Last => TreeAction::Last,
        TreeKey::FoldOrUp => TreeAction::FoldOrUp,
        TreeKey::UnfoldOrDown => TreeAction::UnfoldOrDown,
        TreeKey::FilterDefault => TreeAction::Toggle(Filter::Default),
        TreeKey::FilterNoTools => TreeAction::Toggle(Filter::NoTools),
        TreeKey::FilterUserOnly => TreeAction::Toggle(Filter::UserOnly),
        TreeKey::FilterLabeledOnly => TreeAction::Toggle(Filter::LabeledOnly),
        TreeKey::FilterAll => TreeAction::Toggle(Filter::All),
        TreeKey::NextFilter => TreeAction::NextFilter,
        TreeKey::PreviousFilter => TreeAction::PreviousFilter,
        TreeKey::LabelTimes => TreeAction::ToggleLabelTimes,
        TreeKey::Erase => TreeAction::Erase,
        TreeKey::Go | TreeKey::GoAndSave | TreeKey::EditLabel | TreeKey::Copy | TreeKey::Back => {
            return None;
        }
    })
}
