//! The user's own keys: Pi's `keybindings.json`, and `keys` in pitree's `config.json`.

use std::collections::BTreeMap;

use pitree_format::{Object, Value};
use pitree_host::HostError;
use pitree_host::settings::{Config, pi_keybindings};
use pitree_session::Environment;

use super::bindings::UserKeys;
use super::{BoundRow, Key, Keymap, Section};

impl Keymap {
    /// The default keys with the user's own. What Pi's file has wrong is passed over, as Pi does;
    /// what is wrong in pitree's own configuration is an error.
    pub fn load(environment: &Environment) -> Result<Self, HostError> {
        let mut keymap = Self::default();
        let pi = pi_keybindings(environment);
        let pi = pi.as_ref().map(of_pi).unwrap_or_default();
        let config = Config::load(environment)?;
        let own = own_keys(&config, &keymap.sections())?;
        let user = UserKeys { pi, own };
        keymap.give(&user);
        ensure_in_force(&config, &user.own, &keymap.sections())?;
        Ok(keymap)
    }

    /// To how many actions of pitree Pi's file gives keys.
    pub fn count_of_pi(environment: &Environment) -> usize {
        let pi = pi_keybindings(environment).as_ref().map(of_pi).unwrap_or_default();
        let sections = Self::default().sections();
        let is_ours =
            |name: &String| sections.iter().flat_map(|it| &it.rows).any(|it| it.pi == Some(name));
        pi.keys().filter(|name| is_ours(name)).count()
    }
}

/// What Pi reads from its file: names that were valid before count as long as the new one is not
/// there, and a value that is not a key or a list of keys is passed over.
fn of_pi(file: &Object) -> BTreeMap<String, Vec<Key>> {
    let mut keys = BTreeMap::new();
    for (name, value) in file.iter() {
        let name = name.to_string();
        let current = RENAMED.iter().find(|(old, _)| *old == name).map(|(_, new)| *new);
        let Ok(given) = keys_in(value) else { continue };
        match current {
            Some(new) if file.get(new).is_some() => {}
            Some(new) => drop(keys.insert(new.to_owned(), given)),
            None => drop(keys.insert(name, given)),
        }
    }
    keys
}

fn own_keys(
    config: &Config,
    sections: &[Section],
) -> Result<BTreeMap<String, Vec<Key>>, HostError> {
    let members = match config.get("keys") {
        None => return Ok(BTreeMap::new()),
        Some(Value::Object(members)) => members,
        Some(_) => return Err(bad_value(config, "keys", "must be an object")),
    };
    let rows: Vec<&BoundRow> =
        sections.iter().flat_map(|section| &section.rows).filter(|row| row.is_action).collect();
    let mut keys = BTreeMap::new();
    for (name, value) in members.iter() {
        let name = name.to_string();
        let bad = |problem: &str| bad_value(config, &format!("keys.{name}"), problem);
        let Some(row) = rows.iter().find(|row| row.name == name) else {
            return Err(bad(&not_an_action(&name, rows.iter().map(|row| row.name))));
        };
        let given = keys_in(value).map_err(|problem| bad(&problem))?;
        let is_text = |key: &&Key| key.typed().is_some() && !row.takes_letters;
        if let Some(key) = given.iter().find(is_text) {
            let key = key.label();
            return Err(bad(&format!("`{key}` is text there; a modifier such as `ctrl+` helps")));
        }
        keys.insert(name, given);
    }
    Ok(keys)
}

/// That there is no such action, and which ones may be meant: one that is spelled almost like it,
/// or those of which it is the last part.
fn not_an_action<'r>(name: &str, all: impl Iterator<Item = &'r str> + Clone) -> String {
    let ending = format!(".{name}");
    let near = match pitree_host::settings::nearest(all.clone(), name) {
        Some(near) => vec![near],
        None => all.filter(|action| action.ends_with(&ending)).collect(),
    };
    let mut near: Vec<String> = near.into_iter().map(|near| format!("`{near}`")).collect();
    near.dedup();
    match near.is_empty() {
        true => "there is no such action; docs/keys.md lists them, such as `picker.rename`".into(),
        false => format!("there is no such action; did you mean {}?", near.join(" or ")),
    }
}

/// Ensures that every key is in force that the own configuration gives to an action.
fn ensure_in_force(
    config: &Config,
    own: &BTreeMap<String, Vec<Key>>,
    sections: &[Section],
) -> Result<(), HostError> {
    for section in sections {
        for row in &section.rows {
            let mut given = own.get(row.name).into_iter().flatten();
            if let Some(key) = given.find(|key| !row.keys.contains(key)) {
                let near = std::iter::once(section).chain(sections);
                let mut rows = near.flat_map(|section| &section.rows);
                let rival = rows.find(|rival| rival.keys.contains(key));
                let rival = rival.map_or("", |rival| rival.name);
                let problem = format!("`{}` is already the key of `{rival}`", key.label());
                return Err(bad_value(config, &format!("keys.{}", row.name), &problem));
            }
        }
    }
    Ok(())
}

fn bad_value(config: &Config, place: &str, problem: &str) -> HostError {
    HostError::BadValue {
        path: config.path().to_owned(),
        place: place.to_owned(),
        problem: problem.to_owned(),
    }
}

/// One key or a list of keys.
fn keys_in(value: &Value) -> Result<Vec<Key>, String> {
    let one = std::slice::from_ref(value);
    let values = value.as_array().unwrap_or(one);
    let key = |value: &Value| match value {
        Value::String(text) => {
            let text = text.to_string();
            Key::parse(&text)
                .ok_or_else(|| format!("`{text}` is not a key; keys look like `ctrl+shift+x`"))
        }
        _ => Err("must be a key such as `ctrl+x`, or a list of keys".to_owned()),
    };
    values.iter().map(key).collect()
}

/// Names of Pi's actions before they had dots, as far as pitree has the action.
const RENAMED: [(&str, &str); 47] = [
    ("cursorUp", "tui.editor.cursorUp"),
    ("cursorDown", "tui.editor.cursorDown"),
    ("cursorLeft", "tui.editor.cursorLeft"),
    ("cursorRight", "tui.editor.cursorRight"),
    ("cursorWordLeft", "tui.editor.cursorWordLeft"),
    ("cursorWordRight", "tui.editor.cursorWordRight"),
    ("cursorLineStart", "tui.editor.cursorLineStart"),
    ("cursorLineEnd", "tui.editor.cursorLineEnd"),
    ("pageUp", "tui.editor.pageUp"),
    ("pageDown", "tui.editor.pageDown"),
    ("deleteCharBackward", "tui.editor.deleteCharBackward"),
    ("deleteCharForward", "tui.editor.deleteCharForward"),
    ("deleteWordBackward", "tui.editor.deleteWordBackward"),
    ("deleteWordForward", "tui.editor.deleteWordForward"),
    ("deleteToLineStart", "tui.editor.deleteToLineStart"),
    ("deleteToLineEnd", "tui.editor.deleteToLineEnd"),
    ("yank", "tui.editor.yank"),
    ("undo", "tui.editor.undo"),
    ("newLine", "tui.input.newLine"),
    ("submit", "tui.input.submit"),
    ("tab", "tui.input.tab"),
    ("selectUp", "tui.select.up"),
    ("selectDown", "tui.select.down"),
    ("selectPageUp", "tui.select.pageUp"),
    ("selectPageDown", "tui.select.pageDown"),
    ("selectConfirm", "tui.select.confirm"),
    ("selectCancel", "tui.select.cancel"),
    ("interrupt", "app.interrupt"),
    ("clear", "app.clear"),
    ("exit", "app.exit"),
    ("suspend", "app.suspend"),
    ("expandTools", "app.tools.expand"),
    ("toggleThinking", "app.thinking.toggle"),
    ("newSession", "app.session.new"),
    ("tree", "app.session.tree"),
    ("fork", "app.session.fork"),
    ("resume", "app.session.resume"),
    ("toggleSessionNamedFilter", "app.session.toggleNamedFilter"),
    ("toggleSessionPath", "app.session.togglePath"),
    ("toggleSessionSort", "app.session.toggleSort"),
    ("renameSession", "app.session.rename"),
    ("deleteSession", "app.session.delete"),
    ("deleteSessionNoninvasive", "app.session.deleteNoninvasive"),
    ("treeFoldOrUp", "app.tree.foldOrUp"),
    ("treeUnfoldOrDown", "app.tree.unfoldOrDown"),
    ("treeEditLabel", "app.tree.editLabel"),
    ("treeToggleLabelTimestamp", "app.tree.toggleLabelTimestamp"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::{PickerAction, TreeKey, ViewAction};

    fn loaded(pi: &str, own: &str) -> Result<Keymap, String> {
        let home = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = home.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        };
        write(".pi/agent/keybindings.json", pi);
        write(".config/pitree/config.json", own);
        let environment = Environment::new(home.path(), "/srv", || 0, |bytes| bytes.fill(7));
        Keymap::load(&environment).map_err(|error| error.to_string())
    }

    fn key(text: &str) -> Key {
        Key::parse(text).unwrap()
    }

    #[test]
    fn every_default_key_is_a_key_and_every_name_is_one_action() {
        let (mut names, mut actions) = (Vec::new(), 0);
        for section in Keymap::default().sections() {
            let mut seen: Vec<Key> = Vec::new();
            for row in section.rows {
                assert!(!names.contains(&row.name), "{} twice", row.name);
                names.push(row.name);
                actions += usize::from(row.is_action);
                assert!(row.keys.iter().all(|key| !seen.contains(key)), "{}", row.name);
                seen.extend(&row.keys);
            }
        }
        let count = |text: &str| text.matches("Row::new(").count();
        let tables =
            [include_str!("lists.rs"), include_str!("reading.rs"), include_str!("typing.rs")];
        let rows: usize = tables.into_iter().map(count).sum();
        assert_eq!(actions, rows);
    }

    #[test]
    fn the_keys_of_pi_count_for_the_actions_that_pi_has() {
        let pi = r#"{
            "$schema": "https://pi.dev/schemas/keybindings.schema.json",
            "app.session.rename": "ctrl+e",
            "tui.select.up": ["ctrl+p", "up"],
            "app.tree.editLabel": [],
            "app.session.tree": "f2",
            "app.thinking.toggle": "Ctrl+Y",
            "expandTools": "ctrl+o"
        }"#;
        let keymap = loaded(pi, "").unwrap();
        let picker = |text| keymap.picker.action(key(text));
        assert_eq!(picker("ctrl+e"), Some(PickerAction::Rename));
        assert_eq!(picker("ctrl+r"), None, "a given key replaces the default one");
        assert_eq!(picker("ctrl+p"), Some(PickerAction::Up), "and is taken from whoever had it");
        assert_eq!(picker("k"), Some(PickerAction::Up), "letters are pitree's own");
        assert_eq!(keymap.tree.action(key("shift+l")), None, "an empty list disables it");
        assert_eq!(keymap.tree.action(key("ctrl+p")), Some(TreeKey::Up));
        let view = |text| keymap.view.action(key(text));
        assert_eq!(view("f2"), Some(ViewAction::Tree));
        assert_eq!(view("ctrl+t"), Some(ViewAction::Thinking), "not a key for Pi either");
        assert_eq!(view("ctrl+o"), Some(ViewAction::Tools), "an old name counts");
        assert_eq!(keymap.view.label(ViewAction::OpenInPi), "(no key)");
        assert!(keymap.view.help().iter().all(|line| !line.does.contains("in Pi")));
    }

    #[test]
    fn the_own_configuration_has_the_last_word() {
        let pi = r#"{"app.session.rename": "ctrl+e", "app.session.delete": "f8"}"#;
        let own = r#"{"keys": {"picker.rename": ["f3", "f4"], "view.openInPi": "f5"}}"#;
        let keymap = loaded(pi, own).unwrap();
        for (text, action) in [
            ("f3", Some(PickerAction::Rename)),
            ("f4", Some(PickerAction::Rename)),
            ("ctrl+e", None),
            ("f8", Some(PickerAction::Delete)),
        ] {
            assert_eq!(keymap.picker.action(key(text)), action, "{text}");
        }
        assert!(keymap.view.is(key("f5"), ViewAction::OpenInPi));
        assert_eq!(keymap.view.label(ViewAction::OpenInPi), "F5");
    }

    #[test]
    fn what_is_wrong_in_the_own_configuration_is_reported_and_in_pis_passed_over() {
        for (own, problem) in [
            (r#"{"keys": []}"#, "keys: must be an object"),
            (r#"{"keys": {"picker.renam": "f3"}}"#, "did you mean `picker.rename`?"),
            (r#"{"keys": {"tree.search": "f3"}}"#, "keys.tree.search: there is no such action"),
            (r#"{"keys": {"picker.renam": "f2"}}"#, "did you mean `picker.rename`?"),
            (r#"{"keys": {"rename": "f2"}}"#, "did you mean `picker.rename`"),
            (r#"{"keys": {"frobnicate": "f2"}}"#, "docs/keys.md lists them"),
            (r#"{"keys": {"picker.rename": "Ctrl+X"}}"#, "`Ctrl+X` is not a key"),
            (r#"{"keys": {"picker.rename": 7}}"#, "keys.picker.rename: must be a key"),
            (
                r#"{"keys": {"picker.rename": "f2", "picker.delete": "f2"}}"#,
                "keys.picker.delete: `F2` is already the key of `picker.rename`",
            ),
            (
                r#"{"keys": {"picker.rename": "ctrl+z"}}"#,
                "keys.picker.rename: `Ctrl+Z` is already the key of `global.suspend`",
            ),
            (r#"{"keys": {"view.tree": "t"}}"#, "keys.view.tree: `t` is text there"),
            (r#"{"keys": {"edit.undo": "shift+u"}}"#, "keys.edit.undo: `Shift+U` is text there"),
            (r#"{"keys": {"global.suspend": "space"}}"#, "keys.global.suspend: `Space` is text"),
        ] {
            let error = loaded("{}", own).unwrap_err();
            assert!(error.contains("config.json") && error.contains(problem), "{error}");
        }
        for pi in ["", "[]", "{", r#"{"app.session.rename": 7}"#, "\u{feff}{}"] {
            let keymap = loaded(pi, "").unwrap();
            assert!(keymap.picker.is(key("ctrl+r"), PickerAction::Rename), "{pi}");
        }
    }

    /// What the help says of each key, and what the key does: one row each.
    fn ensure_one_row_a_key(keymap: &Keymap, context: &str) {
        let everywhere = keymap.global.all_keys();
        for section in keymap.sections() {
            let mut seen: Vec<Key> = Vec::new();
            if section.title != "Everywhere" {
                seen.extend(&everywhere);
            }
            for key in section.rows.iter().flat_map(|row| &row.keys) {
                assert!(!seen.contains(key), "{context}: {} in {}", key.label(), section.title);
                seen.push(*key);
            }
        }
    }

    #[test]
    fn a_key_that_several_actions_want_is_in_force_for_one_and_shown_for_one() {
        let pi = r#"{
            "tui.select.up": "ctrl+e", "tui.select.confirm": "k", "app.session.rename": "f6",
            "app.session.delete": "f6", "app.suspend": "ctrl+r", "app.session.tree": "t"
        }"#;
        let keymap = loaded(pi, r#"{"keys": {"picker.sort": "ctrl+e"}}"#).unwrap();
        ensure_one_row_a_key(&keymap, "all at once");
        let picker = |text| keymap.picker.action(key(text));
        assert_eq!(picker("ctrl+e"), Some(PickerAction::NextSort), "the own configuration first");
        assert_eq!(picker("k"), Some(PickerAction::Choose), "Pi's file before a default letter");
        assert_eq!(picker("f6"), Some(PickerAction::Rename), "the first of the table");
        assert_eq!(picker("ctrl+r"), None, "it suspends");
        assert_eq!(keymap.edit.action(key("ctrl+r")), None, "here too");
        assert_eq!(keymap.view.action(key("t")), None, "letters are text");
    }

    #[test]
    fn every_screen_can_be_left_whatever_the_files_say() {
        let all: Vec<&str> = Keymap::default()
            .sections()
            .iter()
            .flat_map(|section| {
                section
                    .rows
                    .iter()
                    .filter(|row| row.is_action)
                    .map(|row| row.name)
                    .collect::<Vec<_>>()
            })
            .collect();
        let every = |value: &str| {
            let members = all.iter().map(|name| format!("{name:?}: {value}"));
            format!(r#"{{"keys": {{{}}}}}"#, members.collect::<Vec<_>>().join(", "))
        };
        let leaving = [
            "picker.back",
            "picker.close",
            "read.quit",
            "view.clear",
            "view.exit",
            "tree.back",
            "fork.close",
            "dialog.cancel",
        ];
        let rare = r#"{"keys": {"picker.close": [], "picker.back": "super+w", "view.exit": [],
            "view.clear": "ctrl+shift+q", "tree.back": "f", "dialog.cancel": "ctrl+m"}}"#;
        let no_cancel = r#"{"tui.select.cancel": [], "app.clear": [], "app.exit": "x"}"#;
        for (pi, own) in [("{}", every("[]").as_str()), ("{}", rare), (no_cancel, "{}")] {
            let keymap = loaded(pi, own).unwrap();
            ensure_one_row_a_key(&keymap, own);
            for section in keymap.sections() {
                let mut rows = section.rows.iter().filter(|row| leaving.contains(&row.name));
                let leaves = rows.any(|row| row.keys.iter().any(|key| key.is_everywhere()));
                let has_way_out = section.rows.iter().any(|row| leaving.contains(&row.name));
                assert_eq!(leaves, has_way_out, "{}: {own}", section.title);
            }
        }
        let stolen = r#"{"keys": {"view.copy": "ctrl+c", "view.clear": [], "view.exit": []}}"#;
        let error = loaded("{}", stolen).unwrap_err();
        assert!(error.contains("keys.view.copy: `Ctrl+C` is already the key of"), "{error}");
    }

    #[test]
    fn every_action_of_pi_that_is_named_here_is_one_of_pi() {
        let Ok(pi) = pitree_testkit::Oracle::paths() else { return };
        let schema = "schemas/keybindings.schema.json";
        let schema = pi.module.ancestors().map(|folder| folder.join(schema)).find(|it| it.exists());
        let schema = fs_err::read_to_string(schema.expect("Pi's schema")).unwrap();
        let named = |id: &str| assert!(schema.contains(&format!("\"{id}\"")), "{id}");
        for section in Keymap::default().sections() {
            section.rows.iter().filter_map(|row| row.pi).for_each(named);
        }
        RENAMED.iter().for_each(|(_, id)| named(id));
    }
}
