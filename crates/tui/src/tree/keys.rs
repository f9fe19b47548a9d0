//! What the tree does for an action of its keys.

use pitree_session::TreeFilter;

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
        TreeKey::FilterDefault => TreeAction::Toggle(TreeFilter::Default),
        TreeKey::FilterNoTools => TreeAction::Toggle(TreeFilter::NoTools),
        TreeKey::FilterUserOnly => TreeAction::Toggle(TreeFilter::UserOnly),
        TreeKey::FilterLabeledOnly => TreeAction::Toggle(TreeFilter::LabeledOnly),
        TreeKey::FilterAll => TreeAction::Toggle(TreeFilter::All),
        TreeKey::NextFilter => TreeAction::NextFilter,
        TreeKey::PreviousFilter => TreeAction::PreviousFilter,
        TreeKey::NextLabel => TreeAction::NextLabel,
        TreeKey::PreviousLabel => TreeAction::PreviousLabel,
        TreeKey::LabelTimes => TreeAction::ToggleLabelTimes,
        TreeKey::Erase => TreeAction::Erase,
        TreeKey::Go | TreeKey::GoAndSave | TreeKey::EditLabel | TreeKey::Copy | TreeKey::Back => {
            return None;
        }
    })
}
