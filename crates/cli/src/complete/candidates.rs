//! The sessions, entries and models that fit what is typed.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use pitree_host::models::Models;
use pitree_session::location::is_path;
use pitree_session::{EntryRef, OpenOptions, Role, TreeFilter};
use pitree_store::delete::{TrashContents, TrashedSession};
use pitree_store::{FileStamp, SessionFacts, ShortIds, Store, read_facts};

use super::position::{Kind, Position};
use crate::arguments::Arguments;
use crate::caller::Caller;
use crate::target::Workspace;
use crate::text::{clean_line, shorten};
use crate::verbs::list::title;

/// So many entries are offered, the last ones; nobody chooses among more.
const MOST_ENTRIES: usize = 500;

/// How many characters of a title or an entry are shown.
const WIDTH: usize = 70;

/// Something that can stand at the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) value: String,
    /// What it is, without anything that could harm a terminal.
    pub(super) about: String,
}

/// All that fits, the likeliest first.
pub(super) fn candidates(position: &Position) -> Vec<Candidate> {
    let arguments = Arguments {
        session_dir: position.session_dir.clone(),
        sessions_root: position.sessions_root.clone(),
        no_index: position.no_index,
        no_extensions: true,
        ..Arguments::default()
    };
    let workspace = Workspace::new(&arguments, Caller::User(Vec::new()));
    let cwd = workspace.environment.cwd();
    let mut found = match position.kind {
        Kind::Session if position.verb == "restore" => trashed(&position.typed, &workspace),
        Kind::Session => sessions(&position.typed, cwd, &workspace.silent_store()),
        Kind::Entry => entries(position, &workspace).unwrap_or_default(),
        Kind::UsedModel => models(&position.typed, false, &workspace),
        Kind::Model => models(&position.typed, true, &workspace),
    };
    let words = position.words.iter().filter(|word| word.starts_with(&position.typed));
    found.extend(words.map(|word| Candidate { value: word.clone(), about: String::new() }));
    found.retain(|candidate| is_harmless(&candidate.value));
    found
}

/// Whether a value means itself in every shell.
fn is_harmless(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:@+".contains(c);
    !value.is_empty() && !value.starts_with('-') && value.chars().all(is_plain)
}

/// The sessions of this directory that fit, else those of all directories; the last used first.
fn sessions(typed: &str, cwd: &Path, store: &Store) -> Vec<Candidate> {
    // The shell completes paths.
    if is_path(typed) {
        return Vec::new();
    }
    let all = store.list_all().sessions;
    let ids = ShortIds::new(all.iter().map(|facts| facts.id.clone()));
    let fits = |facts: &&SessionFacts| facts.id.starts_with(typed);
    let mut fitting: Vec<&SessionFacts> = all.iter().filter(fits).collect();
    let is_here = |facts: &&SessionFacts| cwd.as_os_str() == &*facts.cwd;
    if fitting.iter().any(is_here) {
        fitting.retain(is_here);
    }
    fitting.sort_by_key(|facts| Reverse(facts.modified_ms));
    let candidate = |facts: &SessionFacts| {
        let short = ids.short(&facts.id);
        let value = match short.starts_with(typed) {
            // An id that two files have finds neither, so their paths tell them apart.
            _ if !ids.is_unique(&facts.id) => facts.path.to_string_lossy().into_owned(),
            true => short.to_owned(),
            false => facts.id.clone(),
        };
        Candidate { value, about: about(facts) }
    };
    fitting.into_iter().map(candidate).collect()
}

fn about(facts: &SessionFacts) -> String {
    clean_line(&title(facts, WIDTH))
}

/// The sessions in the trash that fit, the last deleted first.
fn trashed(typed: &str, workspace: &Workspace) -> Vec<Candidate> {
    let folders: Vec<PathBuf> = workspace.locations.iter().map(|it| it.path.clone()).collect();
    let contents = TrashContents::read(&workspace.environment, &folders);
    let mut all = contents.map(|contents| contents.sessions).unwrap_or_default();
    // One that was deleted more than once comes back as it was the last time.
    let mut seen = HashSet::new();
    all.retain(|session| session.id.starts_with(typed) && seen.insert(session.id.clone()));
    let candidate = |session: TrashedSession| {
        let stamp = FileStamp::of(&session.trashed);
        let facts = stamp.and_then(|stamp| read_facts(&session.trashed, stamp).ok());
        let about = facts.as_ref().map(about).unwrap_or_default();
        Candidate { value: session.id, about }
    };
    all.into_iter().map(candidate).collect()
}

/// The entries of the session that fit, the last ones first. A fork begins at a user message.
fn entries(position: &Position, workspace: &Workspace) -> Option<Vec<Candidate>> {
    let path = workspace.silent_store().find(position.session.as_deref()?).ok()?;
    let session = OpenOptions::new().lenient(true).open(&path, &workspace.environment).ok()?;
    let labels = session.labels().ok()?;
    let is_offered = |entry: &EntryRef<'_>| {
        let has_label = labels.get(entry.id()).is_some();
        match position.verb.as_str() {
            "fork" => entry.is_message(Role::User),
            _ => TreeFilter::Default.shows(*entry, has_label, false).unwrap_or(false),
        }
    };
    let fitting = (0..session.len()).rev().filter_map(|at| session.at(at));
    let fitting = fitting.filter(|entry| entry.id().starts_with(&position.typed));
    let candidate = |entry: EntryRef<'_>| {
        let about = shorten(&clean_line(&entry.outline().ok()?), WIDTH);
        Some(Candidate { value: entry.id().to_owned(), about })
    };
    Some(fitting.filter(is_offered).filter_map(candidate).take(MOST_ENTRIES).collect())
}

/// The models that sessions have used, the most used first, and then those that Pi knows.
fn models(typed: &str, with_known: bool, workspace: &Workspace) -> Vec<Candidate> {
    let mut used: HashMap<(String, String), usize> = HashMap::new();
    for facts in workspace.silent_store().list_all().sessions {
        for model in &facts.models {
            let name = (model.provider.to_string(), model.model.to_string());
            *used.entry(name).or_default() += 1;
        }
    }
    let mut names: Vec<((String, String), usize)> = used.into_iter().collect();
    names.sort_by(|(a, many), (b, few)| few.cmp(many).then_with(|| a.cmp(b)));
    // There are hundreds of them. Which ones have a key is not asked: it may be a program's output.
    let with_known = with_known && (names.is_empty() || !typed.is_empty());
    if with_known && let Ok(models) = Models::load(&workspace.environment) {
        for model in models.all() {
            let name = (model.provider(), model.id());
            if !names.iter().any(|(other, _)| *other == name) {
                names.push((name, 0));
            }
        }
    }
    names.iter().filter_map(|((provider, id), count)| model(provider, id, *count, typed)).collect()
}

/// A model by its whole name, or by its own name if that is what is typed.
fn model(provider: &str, id: &str, sessions: usize, typed: &str) -> Option<Candidate> {
    let whole = format!("{provider}/{id}");
    let value = match whole.starts_with(typed) {
        true => whole,
        false => Some(id).filter(|id| id.starts_with(typed))?.to_owned(),
    };
    let about = match sessions {
        0 => String::new(),
        1 => "1 session".to_owned(),
        count => format!("{count} sessions"),
    };
    Some(Candidate { value, about })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_means_itself_is_offered() {
        for value in ["019cadd3", "a_b.c", "p/m:8b", "anthropic/claude@1+x"] {
            assert!(is_harmless(value), "{value}");
        }
        for value in
            ["", "-x", "a b", "$(x)", "a;b", "`x`", "a\tb", "a\nb", "~", "é", "a*", "!1", "#"]
        {
            assert!(!is_harmless(value), "{value}");
        }
    }
}
