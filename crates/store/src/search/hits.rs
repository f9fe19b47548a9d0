//! From candidates to what is shown: ranked, copies put together, sessions opened.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use pitree_format::js::date::format_iso;
use pitree_format::{JsString, Object, Value};
use pitree_session::location::read_found;
use pitree_session::{EntryRef, Environment, OpenOptions, Session};

use super::entry_text::{EntryText, HitRole};
use super::known_session::KnownSession;
use super::matcher::{Matcher, Nearness, Why};
use super::scan::{Candidate, Scan, ScannedFile};
use super::snippet::Snippet;
use crate::cache::SessionCache;
use crate::discover::{Unreadable, is_gone};
use crate::list::Store;

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// How many hits there are; copies count once.
    pub total: usize,
    /// Whether that number is exact. With very many hits it is the number of lines that hold the
    /// text, copies and all.
    pub is_exact: bool,
    /// The best of them, best first.
    pub hits: Vec<Hit>,
    /// Files and folders that could not be read, or not to their ends, and why.
    pub unreadable: Vec<Unreadable>,
}

/// An entry that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The session it is in; of several the one it was first said in.
    pub session: HitSession,
    /// The entry.
    pub entry_id: String,
    /// Who it comes from.
    pub role: HitRole,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Whether it is on the current path.
    pub active: bool,
    /// The end of the branch it stands on.
    pub leaf_id: String,
    /// Which turn of that branch it belongs to, from 1; 0 is before the first user message.
    pub turn: usize,
    /// How near it is to what was typed.
    pub nearness: Nearness,
    /// The text with the hits marked.
    pub snippet: Snippet,
    /// Which words were found, and where: in this entry, or elsewhere in its session.
    pub why: Vec<Why>,
    /// All sessions that hold it, the one above included.
    pub places: Vec<HitPlace>,
}

/// The session of a hit.
#[derive(Clone, Debug)]
pub struct HitSession {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// Its working directory.
    pub cwd: String,
    /// Its name.
    pub name: Option<JsString>,
}

impl Hit {
    /// What the hit is, as members of JSON: its session, entry and branch, and how near it is.
    /// The text is left to the caller.
    pub fn described(&self) -> Object {
        let session = Object::new()
            .with("id", self.session.id.as_str())
            .with("path", self.session.path.to_string_lossy().into_owned())
            .with("cwd", self.session.cwd.as_str())
            .with_some("name", self.session.name.clone());
        Object::new()
            .with("session", session)
            .with("entryId", self.entry_id.as_str())
            .with("role", self.role.name())
            .with("time", self.time.map(format_iso))
            .with("active", self.active)
            .with("leafId", self.leaf_id.as_str())
            .with("nearness", self.nearness.name())
            .with("why", self.why.iter().map(Why::described).collect::<Vec<Value>>())
    }

    /// The sessions that hold a copy, as JSON.
    pub fn described_places(&self) -> Vec<Value> {
        let described = |place: &HitPlace| {
            let path = place.path.to_string_lossy().into_owned();
            Object::new().with("path", path).with("id", place.id.as_str()).into()
        };
        self.places.iter().map(described).collect()
    }
}

/// A session that holds a copy of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitPlace {
    /// Its file.
    pub path: PathBuf,
    /// The session's id.
    pub id: String,
    /// Whether it was forked from another session. Unknown, and false, for a hit that only one
    /// session holds.
    pub is_fork: bool,
}

/// A hit with its copies, one of each file that holds it. The first one speaks for the others.
struct Group {
    copies: Vec<Candidate>,
}

impl Group {
    fn first(&self) -> &Candidate {
        &self.copies[0]
    }

    /// Puts the session in which the entry was first said before the forks that copied it. The
    /// names of files, by which copies are ordered until now, need not have a time in them.
    fn put_original_first(&mut self, files: &[ScannedFile], origins: &mut Origins) {
        if self.copies.len() < 2 {
            return;
        }
        let holders: Vec<usize> = self.copies.iter().map(|copy| copy.file).collect();
        self.copies.sort_by_cached_key(|copy| origins.depth(copy.file, &holders, files));
    }
}

/// The sessions from which files were forked, as their headers say it: the names of the files.
#[derive(Default)]
struct Origins {
    known: HashMap<usize, Option<OsString>>,
}

impl Origins {
    /// The name of the file that a file was forked from.
    fn parent(&mut self, file: usize, files: &[ScannedFile]) -> Option<&OsString> {
        let read = || {
            let header = read_found(&files[file].path).ok()??.header;
            let parent = header.parent_session?.to_text().into_owned();
            Some(Path::new(&parent).file_name()?.to_owned())
        };
        self.known.entry(file).or_insert_with(read).as_ref()
    }

    /// How many forks there are between a file and the first of its family among these files.
    fn depth(&mut self, file: usize, holders: &[usize], files: &[ScannedFile]) -> usize {
        let (mut at, mut depth) = (file, 0);
        // Parents may go round in a circle.
        while depth < holders.len() {
            let Some(parent) = self.parent(at, files) else { break };
            depth += 1;
            let is_it = |holder: &&usize| files[**holder].path.file_name() == Some(parent);
            let Some(holder) = holders.iter().find(is_it) else { break };
            at = *holder;
        }
        depth
    }
}

/// Puts copies together, ranks, and opens what is shown.
pub(crate) fn show(scan: Scan, matcher: &Matcher<'_>, limit: usize, store: &Store) -> Found {
    let files = scan.files;
    let mut groups = group(scan.candidates, &files);
    let mut unread = scan.unread;
    unread.sort_unstable();
    unread.dedup();
    // The groups are in the order of their keys.
    unread.retain(|key| groups.binary_search_by_key(key, |group| group.first().key).is_err());
    let total = scan.lines.unwrap_or(groups.len() + unread.len());
    let is_exact = scan.lines.is_none();
    let rank = |group: &Group| {
        let hit = group.first();
        let time = hit.time.unwrap_or(i64::MIN);
        let path = files[hit.file].path.clone();
        (hit.grade.nearness, Reverse((hit.grade.relevance, time)), path, hit.line)
    };
    if groups.len() > limit && limit > 0 {
        groups.select_nth_unstable_by_key(limit - 1, rank);
    }
    groups.truncate(limit);
    groups.sort_by_cached_key(rank);
    let mut origins = Origins::default();
    groups.iter_mut().for_each(|group| group.put_original_first(&files, &mut origins));
    let cache = match groups.is_empty() {
        true => SessionCache::none(),
        false => SessionCache::open_existing(store.cache_directory(), &store.progress),
    };
    let (environment, known, opened) = (&store.environment, HashMap::new(), HashMap::new());
    let mut sessions = HitSessions { cache, environment, known, opened };
    let hits = groups.into_iter().filter_map(|group| {
        let first = group.first();
        let places = group.copies.iter().map(|copy| HitPlace {
            path: files[copy.file].path.clone(),
            id: files[copy.file].head.id.clone(),
            is_fork: origins.known.get(&copy.file).is_some_and(Option::is_some),
        });
        sessions.hit(first, &files[first.file], matcher, places.collect())
    });
    let hits = hits.collect();
    let mut unreadable = scan.unreadable;
    unreadable.retain(|(path, _)| !is_gone(path));
    unreadable.sort();
    Found { total, is_exact, hits, unreadable }
}

impl Candidate {
    /// Why it was found, in the text that was read again.
    pub(crate) fn why_in(&self, text: &EntryText<'_>, matcher: &Matcher<'_>) -> Vec<Why> {
        if self.why.is_empty() { matcher.why(text) } else { self.why.clone() }
    }
}

/// The sessions of the hits that are shown, by their places among the files.
struct HitSessions<'e> {
    cache: SessionCache,
    environment: &'e Environment,
    known: HashMap<usize, Option<KnownSession>>,
    opened: HashMap<usize, Option<OpenSession>>,
}

impl HitSessions<'_> {
    /// The hit, looked at again; `None` if the file has changed since.
    fn hit(
        &mut self,
        candidate: &Candidate,
        file: &ScannedFile,
        matcher: &Matcher<'_>,
        places: Vec<HitPlace>,
    ) -> Option<Hit> {
        let load = || KnownSession::load(&file.path, &self.cache);
        if let Some(known) = self.known.entry(candidate.file).or_insert_with(load)
            && let Some(hit) = known.hit(candidate, matcher, places.clone())
        {
            return Some(hit);
        }
        let open = || OpenSession::open(file, self.environment);
        let session = self.opened.entry(candidate.file).or_insert_with(open).as_ref()?;
        session.hit(candidate, matcher, places)
    }
}

/// One group for all copies of an entry. The file that was made first speaks for the others.
fn group(mut candidates: Vec<Candidate>, files: &[ScannedFile]) -> Vec<Group> {
    let age = |file: usize| {
        let file = &files[file];
        (file.path.file_name(), file.modified_ns, &file.path)
    };
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(|a, b| age(*a).cmp(&age(*b)));
    let mut rank = vec![0; files.len()];
    order.into_iter().enumerate().for_each(|(at, file)| rank[file] = at);
    candidates.sort_by_key(|hit| (hit.key, rank[hit.file], hit.line));
    let mut groups: Vec<Group> = Vec::new();
    for hit in candidates {
        match groups.last_mut().filter(|group| group.first().key == hit.key) {
            Some(group) => {
                if group.copies.last().map(|copy| copy.file) != Some(hit.file) {
                    group.copies.push(hit);
                }
            }
            None => groups.push(Group { copies: vec![hit] }),
        }
    }
    groups
}

/// A session that holds hits.
pub(crate) struct OpenSession {
    pub(crate) session: Session,
    id: String,
    path: PathBuf,
    /// Which entries are on the way to the leaf.
    active: Vec<bool>,
}

impl OpenSession {
    fn open(file: &ScannedFile, environment: &Environment) -> Option<Self> {
        Self::open_path(&file.path, environment)
    }

    pub(crate) fn open_path(path: &Path, environment: &Environment) -> Option<Self> {
        let session = OpenOptions::new().open(path, environment).ok()?;
        let active = session.active_flags();
        Some(Self { id: session.id(), path: path.to_owned(), session, active })
    }

    /// The hit, looked at again; `None` if the file has changed since.
    fn hit(
        &self,
        candidate: &Candidate,
        matcher: &Matcher<'_>,
        places: Vec<HitPlace>,
    ) -> Option<Hit> {
        let entry = self.at_line(candidate.line)?;
        let value = entry.value().ok()?;
        let mut text = EntryText::of(&value)?;
        text.is_first = candidate.is_first;
        let (piece, marks) = matcher.best_piece(&text)?;
        let snippet = Snippet::cut(&piece.text, marks);
        let why = candidate.why_in(&text, matcher);
        Some(self.describe(entry, &text, (candidate.grade.nearness, snippet, why), places))
    }

    /// All that is said of a hit.
    pub(crate) fn describe(
        &self,
        entry: EntryRef<'_>,
        text: &EntryText<'_>,
        (nearness, snippet, why): (Nearness, Snippet, Vec<Why>),
        places: Vec<HitPlace>,
    ) -> Hit {
        let active = self.active[entry.index()];
        let leaf = self.session.end_below(entry.index());
        let path = self.session.path_to(entry.index());
        let is_user = |entry: &&EntryRef<'_>| entry.is_message(pitree_format::Role::User);
        let cwd = self.session.header().cwd.as_ref().map(ToString::to_string);
        Hit {
            session: HitSession {
                id: self.id.clone(),
                path: self.path.clone(),
                cwd: cwd.unwrap_or_default(),
                name: self.session.name().ok().flatten(),
            },
            entry_id: entry.id().to_owned(),
            role: text.role,
            time: text.time,
            active,
            leaf_id: leaf.map(|leaf| leaf.id().to_owned()).unwrap_or_default(),
            turn: path.iter().filter(is_user).count(),
            nearness,
            snippet,
            why,
            places,
        }
    }

    fn at_line(&self, line: u64) -> Option<EntryRef<'_>> {
        let (mut low, mut high) = (0, self.session.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.session.at(middle)?.line() < line { low = middle + 1 } else { high = middle }
        }
        self.session.at(low).filter(|entry| entry.line() == line)
    }
}
