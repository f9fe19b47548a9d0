//! The keymap: which key does what, on every screen.
//!
//! Each screen has a table of rows: an action, its name, its default keys and
//! what the help says. A key is looked up there, the screen matches on the action, and the help on
//! `?` and the tables of the documentation are made from the same rows. The user's own keys come
//! from Pi's `keybindings.json`, for actions that Pi has too, and from `keys` in pitree's
//! `config.json`, which has the last word.
//!
//! Where text is typed, a key that types a letter is never looked up.

mod bindings;
mod key;
mod lists;
mod reading;
mod typing;
mod user;

pub use bindings::{Bindings, BoundRow, KeyHelp};
pub use key::Key;
pub use lists::{ForkAction, PickerAction, SheetAction, TreeKey};
pub use reading::ReadAction;
pub use typing::{DialogAction, EditAction, GlobalAction, InputAction, ViewAction};

use bindings::UserKeys;

/// What stands between two hints.
pub(crate) const HINT_SEPARATOR: &str = " · ";

/// A line of hints: `↑↓ move · Enter open`. What has no key is left out.
pub(crate) fn hints(parts: &[(Option<String>, &str)]) -> String {
    let parts = parts.iter().filter_map(|(keys, does)| {
        let keys = keys.as_ref()?;
        Some(if does.is_empty() { keys.clone() } else { format!("{keys} {does}") })
    });
    parts.collect::<Vec<_>>().join(HINT_SEPARATOR)
}

/// The keys of all screens.
#[derive(Clone, Debug)]
pub struct Keymap {
    /// On every screen.
    pub global: Bindings<GlobalAction>,
    /// In the picker.
    pub picker: Bindings<PickerAction>,
    /// In the session view while it is a reader.
    pub read: Bindings<ReadAction>,
    /// In the session view.
    pub view: Bindings<ViewAction>,
    /// Where a text is sent.
    pub input: Bindings<InputAction>,
    /// Where a text is typed.
    pub edit: Bindings<EditAction>,
    /// In the tree navigator.
    pub tree: Bindings<TreeKey>,
    /// In the fork list.
    pub fork: Bindings<ForkAction>,
    /// In questions and lists of choices.
    pub dialog: Bindings<DialogAction>,
    /// On a page above a screen.
    pub sheet: Bindings<SheetAction>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self {
            global: Bindings::new(typing::GLOBAL),
            picker: Bindings::new(lists::PICKER),
            read: Bindings::new(reading::READ),
            view: Bindings::typing(typing::VIEW),
            input: Bindings::typing(typing::INPUT),
            edit: Bindings::typing(typing::EDIT),
            tree: Bindings::new(lists::TREE),
            fork: Bindings::new(lists::FORK),
            dialog: Bindings::new(typing::DIALOG),
            sheet: Bindings::new(lists::SHEET),
        }
    }
}

/// The rows of one table, for the documentation and for tests.
#[derive(Clone, Debug)]
pub struct Section {
    /// Where the keys work, as a heading.
    pub title: &'static str,
    /// The lines of the help.
    pub help: Vec<KeyHelp>,
    /// All rows.
    pub rows: Vec<BoundRow>,
}

impl Keymap {
    /// All tables, in the order of the documentation.
    pub fn sections(&self) -> Vec<Section> {
        fn section<A: Copy + PartialEq>(title: &'static str, of: &Bindings<A>) -> Section {
            Section { title, help: of.help(), rows: of.rows().collect() }
        }
        vec![
            section("Everywhere", &self.global),
            section("Picker", &self.picker),
            section("Reader", &self.read),
            section("Session view", &self.view),
            section("Sending a text", &self.input),
            section("Editing a text", &self.edit),
            section("Tree", &self.tree),
            section("Fork list", &self.fork),
            section("Questions and choices", &self.dialog),
            section("Pages", &self.sheet),
        ]
    }

    /// Gives the user's keys to the actions. Keys of every screen come before those of one.
    fn give(&mut self, user: &UserKeys) {
        self.global.give(user, &[]);
        let taken = self.global.all_keys();
        self.picker.give(user, &taken);
        self.read.give(user, &taken);
        self.view.give(user, &taken);
        self.input.give(user, &taken);
        self.edit.give(user, &taken);
        self.tree.give(user, &taken);
        self.fork.give(user, &taken);
        self.dialog.give(user, &taken);
        self.sheet.give(user, &taken);
        let kept = [
            self.picker.keep_way_out(),
            self.read.keep_way_out(),
            self.view.keep_way_out(),
            self.tree.keep_way_out(),
            self.fork.keep_way_out(),
            self.dialog.keep_way_out(),
        ];
        if kept.contains(&true) {
            self.global.release(Key::CTRL_C);
        }
    }
}
