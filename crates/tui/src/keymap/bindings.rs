//! The rows of a screen's key table, and the keys that they have once the user's own are in.

use std::collections::{BTreeMap, HashSet};

use super::Key;

/// One row: an action, the keys that it has by default, and what the help says.
#[derive(Debug)]
pub(super) struct KeyRow<A> {
    /// What is done; `None` for a row that only explains something, such as typing.
    action: Option<A>,
    name: &'static str,
    does: &'static str,
    /// Keys in Pi's spelling, with spaces between them.
    keys: &'static str,
    /// Keys that stay whatever Pi's file says of the action.
    also: &'static str,
    pi: Option<&'static str>,
    words: &'static str,
    leaves: bool,
    takes_letters: bool,
}

impl<A: Copy> KeyRow<A> {
    /// A row of a table. `keys` are in Pi's spelling, with spaces between them.
    pub(super) const fn new(
        action: A,
        name: &'static str,
        keys: &'static str,
        does: &'static str,
    ) -> Self {
        let action = Some(action);
        let (leaves, takes_letters) = (false, true);
        Self { action, name, does, keys, also: "", pi: None, words: "", leaves, takes_letters }
    }

    /// A row for something that no single key does.
    pub(super) const fn note(name: &'static str, words: &'static str, does: &'static str) -> Self {
        let (leaves, takes_letters) = (false, true);
        let (action, keys, also, pi) = (None, "", "", None);
        Self { action, name, does, keys, also, pi, words, leaves, takes_letters }
    }

    /// Pi's name for the action: the keys that the user has given it there replace the default
    /// ones.
    pub(super) const fn pi(mut self, id: &'static str) -> Self {
        self.pi = Some(id);
        self
    }

    /// More keys, which Pi's file does not replace.
    pub(super) const fn also(mut self, keys: &'static str) -> Self {
        self.also = keys;
        self
    }

    /// It leaves the screen or dialog, which therefore always has a key for one of these.
    pub(super) const fn leaves(mut self) -> Self {
        self.leaves = true;
        self
    }

    /// It works where text is typed, so that a letter cannot be its key.
    pub(super) const fn without_letters(mut self) -> Self {
        self.takes_letters = false;
        self
    }

    /// What the help names behind the keys: the mouse wheel, for example.
    pub(super) const fn words(mut self, words: &'static str) -> Self {
        self.words = words;
        self
    }
}

/// A line of the help: keys, and what they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHelp {
    /// The keys, as they are shown.
    pub keys: String,
    /// What they do.
    pub does: String,
}

/// A row of a table as it is now, for the documentation and for tests.
#[derive(Clone, Debug)]
pub struct BoundRow {
    /// The action's name in `keys` of `config.json`.
    pub name: &'static str,
    /// Pi's name for it, if Pi has it.
    pub pi: Option<&'static str>,
    /// What it does.
    pub does: &'static str,
    /// Its keys.
    pub keys: Vec<Key>,
    /// What does it besides keys.
    pub words: &'static str,
    /// Whether keys can be given to it.
    pub is_action: bool,
    /// Whether a letter can be one of them.
    pub takes_letters: bool,
}

/// The keys of one screen or dialog.
#[derive(Clone, Debug)]
pub struct Bindings<A: 'static> {
    rows: &'static [KeyRow<A>],
    /// The keys of each row. No key is in two rows.
    keys: Vec<Vec<Key>>,
    /// Whether letters are text wherever the table counts.
    is_typing: bool,
}

/// The keys that the user has given to actions.
#[derive(Clone, Debug, Default)]
pub(super) struct UserKeys {
    /// By Pi's names: in place of those that an action shares with Pi.
    pub(super) pi: BTreeMap<String, Vec<Key>>,
    /// By pitree's names: in place of all.
    pub(super) own: BTreeMap<String, Vec<Key>>,
}

/// Where keys of an action come from. What comes first has a key that several want.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyOrigin {
    Own,
    Pi,
    Default,
}

impl UserKeys {
    /// The keys of a row that come from there.
    fn keys_of<A>(&self, row: &KeyRow<A>, origin: KeyOrigin) -> Vec<Key> {
        let own = self.own.get(row.name).filter(|_| row.action.is_some());
        let of_pi = row.pi.and_then(|name| self.pi.get(name));
        match (origin, own, of_pi) {
            (KeyOrigin::Own, Some(own), _) => own.clone(),
            (KeyOrigin::Pi, None, Some(of_pi)) => of_pi.clone(),
            (KeyOrigin::Default, None, Some(_)) => parsed(row.also).collect(),
            (KeyOrigin::Default, None, None) => parsed(row.keys).chain(parsed(row.also)).collect(),
            _ => Vec::new(),
        }
    }
}

impl<A: Copy + PartialEq> Bindings<A> {
    pub(super) fn new(rows: &'static [KeyRow<A>]) -> Self {
        let keys = rows.iter().map(|row| parsed(row.keys).chain(parsed(row.also)).collect());
        Self { rows, keys: keys.collect(), is_typing: false }
    }

    /// The keys of something where letters are always text.
    pub(super) fn typing(rows: &'static [KeyRow<A>]) -> Self {
        Self { is_typing: true, ..Self::new(rows) }
    }

    fn takes_letters(&self, row: &KeyRow<A>) -> bool {
        row.takes_letters && !self.is_typing
    }

    /// What a key does here.
    pub fn action(&self, key: Key) -> Option<A> {
        let at = self.keys.iter().position(|keys| keys.contains(&key))?;
        self.rows[at].action
    }

    /// Whether a key does this here.
    pub fn is(&self, key: Key, action: A) -> bool {
        self.action(key) == Some(action)
    }

    /// How a hint calls the first key of an action: `Ctrl+S`. Nobody can press one that has no
    /// key, and its hint says so.
    pub fn label(&self, action: A) -> String {
        let mut rows = self.rows.iter().zip(&self.keys);
        let keys = rows.find(|(row, _)| row.action == Some(action)).map(|(_, keys)| keys);
        let first = keys.and_then(|keys| keys.first());
        first.map_or_else(|| "(no key)".to_owned(), |key| key.label())
    }

    /// The same for several actions, one behind the other; `None` if one of them has no key. Lines
    /// of hints are full, so what is short comes first: an arrow, `L` for Shift+L.
    pub(crate) fn labels(&self, actions: &[A]) -> Option<String> {
        let first = |action: &A| {
            let at = self.rows.iter().position(|row| row.action == Some(*action))?;
            let keys = &self.keys[at];
            let key = keys.iter().find(|key| key.is_arrow()).or(keys.first())?;
            Some(key.typed().filter(|c| *c != ' ').map_or_else(|| key.label(), String::from))
        };
        let labels = actions.iter().map(first).collect::<Option<Vec<String>>>()?;
        Some(match labels.iter().all(|label| label.chars().count() == 1) {
            true => labels.concat(),
            false => labels.join(" "),
        })
    }

    /// Gives the user's keys to the actions that have some, and takes them from those that have
    /// them by default. Of two actions that Pi's file gives one key, the first of the table has
    /// it. `elsewhere` are keys that mean something else before this table is asked.
    pub(super) fn give(&mut self, user: &UserKeys, elsewhere: &[Key]) {
        let mut used: HashSet<Key> = elsewhere.iter().copied().collect();
        let mut all_keys = vec![Vec::new(); self.rows.len()];
        for origin in [KeyOrigin::Own, KeyOrigin::Pi, KeyOrigin::Default] {
            for (row, keys) in self.rows.iter().zip(&mut all_keys) {
                let takes = |key: &Key| key.typed().is_none() || self.takes_letters(row);
                let wanted = user.keys_of(row, origin).into_iter().filter(takes);
                keys.extend(wanted.filter(|key| used.insert(*key)));
            }
        }
        self.keys = all_keys;
    }

    /// Gives Ctrl+C back to what leaves, if nothing else that every terminal sends is left for
    /// that. `false` if nothing had to be done.
    pub(super) fn keep_way_out(&mut self) -> bool {
        let mut rows = self.rows.iter().zip(&self.keys).filter(|(row, _)| row.leaves);
        let can_leave = rows.any(|(_, keys)| keys.iter().any(|key| key.is_everywhere()));
        let first = self.rows.iter().position(|row| row.leaves);
        let Some(first) = first.filter(|_| !can_leave) else { return false };
        self.release(Key::CTRL_C);
        self.keys[first].push(Key::CTRL_C);
        true
    }

    /// Takes a key from whatever has it.
    pub(super) fn release(&mut self, key: Key) {
        self.keys.iter_mut().for_each(|keys| keys.retain(|it| *it != key));
    }

    /// All keys that do something here.
    pub(super) fn all_keys(&self) -> Vec<Key> {
        self.keys.iter().flatten().copied().collect()
    }

    /// The lines of the help. Actions without a key are left out, and neighbors that do the same
    /// in two directions share a line.
    pub fn help(&self) -> Vec<KeyHelp> {
        self.help_without(|_| false)
    }

    /// The same without keys that mean something else where the help is shown.
    pub(crate) fn help_without(&self, is_taken: impl Fn(Key) -> bool) -> Vec<KeyHelp> {
        let left = |keys: &Vec<Key>| keys.iter().copied().filter(|key| !is_taken(*key)).collect();
        let all_keys: Vec<Vec<Key>> = self.keys.iter().map(left).collect();
        let mut lines = Vec::new();
        let mut at = 0;
        while at < self.rows.len() {
            let does = self.rows[at].does;
            let group = self.rows[at..].iter().take_while(|row| row.does == does).count();
            let words = self.rows[at..at + group].iter().map(|row| row.words);
            let keys = shown(&all_keys[at..at + group], words);
            if !keys.is_empty() {
                lines.push(KeyHelp { keys, does: does.to_owned() });
            }
            at += group;
        }
        lines
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = BoundRow> + '_ {
        self.rows.iter().zip(&self.keys).map(|(row, keys)| BoundRow {
            name: row.name,
            pi: row.pi,
            does: row.does,
            keys: keys.clone(),
            words: row.words,
            is_action: row.action.is_some(),
            takes_letters: self.takes_letters(row),
        })
    }
}

/// The keys of some rows: the first key of each, then the second ones, then the words.
fn shown<'w>(keys: &[Vec<Key>], words: impl Iterator<Item = &'w str>) -> String {
    let most = keys.iter().map(Vec::len).max().unwrap_or(0);
    let nth = |at: usize| {
        let labels: Vec<String> =
            keys.iter().filter_map(|keys| keys.get(at)).map(|key| key.label()).collect();
        labels.join(" ")
    };
    let words = words.filter(|words| !words.is_empty()).map(str::to_owned);
    (0..most).map(nth).chain(words).collect::<Vec<_>>().join(", ")
}

fn parsed(keys: &'static str) -> impl Iterator<Item = Key> {
    keys.split_whitespace().filter_map(Key::parse)
}
