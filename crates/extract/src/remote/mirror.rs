//! The local copies of what lies below URLs, and what each of them is called there.
//!
//! A session of a bucket was written on some other machine. The absolute paths in it mean nothing
//! here, so they are looked up by their last parts among the objects below the same URL, and are
//! never followed to anything else. An object is meant if all of these hold:
//!
//! * The last parts of its name are the last parts of the path, and among these parts is one that
//!   tells sessions apart: a folder of a working directory (`--home-ana-shop--`) or a part with a
//!   session's id in it. Or they begin in the folder of the session that names it.
//! * No other object shares more parts. Of those that share as many, it is the one nearest to the
//!   session: one bucket may hold the same folders of several machines.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_store::NotListed;
use pitree_store::subagents::Relocation;

use super::url::ObjectUrl;
use crate::error::ExtractError;
use crate::report::{LeftOut, Report};

/// The folder in which sub-agents leave their records, which belong to the sessions around it.
const ARTIFACTS: &str = "subagent-artifacts";

/// An object below a URL, and its local copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredObject {
    /// Its name below the URL.
    pub name: String,
    /// The file that holds what it holds.
    pub file: PathBuf,
    /// How many bytes it has.
    pub size: u64,
    /// What tells this state of it from others, if the store says so.
    pub etag: Option<String>,
}

/// What lies below one URL.
#[derive(Debug)]
pub struct Mirror {
    url: ObjectUrl,
    /// The folder in which all copies lie.
    root: PathBuf,
    objects: Vec<MirroredObject>,
    /// The places of objects by the last part of their names.
    by_last_part: HashMap<String, Vec<usize>>,
    by_file: HashMap<PathBuf, usize>,
    /// What keeps the copies in place as long as they are known.
    #[cfg(feature = "object-store")]
    held: Option<super::copies::Copies>,
    /// How copies are fetched that are not there yet.
    #[cfg(feature = "object-store")]
    later: Option<super::later::Later>,
}

impl Mirror {
    /// The copies of these objects, which all lie in `root`.
    pub(crate) fn new(url: ObjectUrl, root: PathBuf, mut objects: Vec<MirroredObject>) -> Self {
        objects.sort_by(|a, b| a.name.cmp(&b.name));
        let mut by_last_part: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, object) in objects.iter().enumerate() {
            let last = object.name.rsplit('/').next().unwrap_or_default();
            by_last_part.entry(last.to_owned()).or_default().push(at);
        }
        let by_file = objects.iter().zip(0..).map(|(object, at)| (object.file.clone(), at));
        let by_file = by_file.collect();
        Self {
            url,
            root,
            objects,
            by_last_part,
            by_file,
            #[cfg(feature = "object-store")]
            held: None,
            #[cfg(feature = "object-store")]
            later: None,
        }
    }

    /// The same, with what keeps the copies in place.
    #[cfg(feature = "object-store")]
    pub(super) fn holding(self, copies: super::copies::Copies) -> Self {
        Self { held: Some(copies), ..self }
    }

    /// The same, of which copies may be missing.
    #[cfg(feature = "object-store")]
    pub(super) fn fetched_later(self, later: super::later::Later) -> Self {
        Self { later: Some(later), ..self }
    }

    #[cfg(feature = "object-store")]
    pub(super) fn later(&self) -> Option<&super::later::Later> {
        self.later.as_ref()
    }

    #[cfg(feature = "object-store")]
    pub(super) fn held(&self) -> Option<&super::copies::Copies> {
        self.held.as_ref()
    }

    /// The place of an object by its copy.
    #[cfg(feature = "object-store")]
    pub(super) fn place(&self, file: &Path) -> Option<usize> {
        self.by_file.get(file).copied()
    }

    /// Where the objects come from.
    pub fn url(&self) -> &ObjectUrl {
        &self.url
    }

    /// The objects, by name.
    pub fn objects(&self) -> &[MirroredObject] {
        &self.objects
    }

    /// The copies of the objects that may be sessions of their own.
    pub fn sessions(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let places = (0..self.objects.len()).filter(|at| is_session(&self.parts_of(*at)));
        places.map(|at| self.objects[at].file.clone())
    }

    /// The URL of the object that this is the copy of.
    fn url_of(&self, file: &Path) -> Option<String> {
        let at = self.by_file.get(file)?;
        Some(self.url.of_object(&self.objects[*at].name))
    }

    /// The parts of the path of an object in its bucket.
    fn parts_of(&self, at: usize) -> Vec<&str> {
        let above = self.url.parts().iter().map(String::as_str);
        above.chain(self.objects[at].name.split('/')).collect()
    }

    /// The object that is meant by a path in a session.
    fn meant(&self, session: usize, named: &str) -> Option<usize> {
        let own = self.parts_of(session);
        let folder = &own[..own.len() - 1];
        let is_relative = !named.starts_with(['/', '~']);
        let named: Vec<&str> =
            named.split('/').filter(|part| !matches!(*part, "" | "." | "~")).collect();
        if named.contains(&"..") {
            return None;
        }
        let mut best: Option<((usize, usize), usize)> = None;
        let mut is_tie = false;
        for &at in self.by_last_part.get(*named.last()?)?.iter().filter(|at| **at != session) {
            let parts = self.parts_of(at);
            let shared = common(parts.iter().rev(), named.iter().rev());
            let begins_here = parts[..parts.len() - shared] == *folder;
            let is_whole = is_relative && shared == named.len();
            let is_told_apart = parts[parts.len() - shared..].iter().any(|part| tells_apart(part));
            let is_meant = is_told_apart || begins_here && (shared > 1 || is_whole);
            if !is_meant {
                continue;
            }
            let rank = (shared, common(parts.iter(), own.iter()));
            match &best {
                Some((other, _)) if *other > rank => {}
                Some((other, _)) if *other == rank => is_tie = true,
                _ => (best, is_tie) = (Some((rank, at)), false),
            }
        }
        best.filter(|_| !is_tie).map(|(_, at)| at)
    }
}

/// Whether an object is a session of its own, as in Pi's folders: below the folder of a working
/// directory these lie directly in it, and what lies deeper belongs to one of them.
fn is_session(parts: &[&str]) -> bool {
    let deeper = &parts[..parts.len().saturating_sub(2)];
    !parts.contains(&ARTIFACTS) && !deeper.iter().any(|part| is_directory(part))
}

/// How many items two lists begin with that are equal.
fn common<'a>(a: impl Iterator<Item = &'a &'a str>, b: impl Iterator<Item = &'a &'a str>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// Whether a part of a path belongs to few sessions: it names a working directory, or holds an id.
fn tells_apart(part: &str) -> bool {
    is_directory(part) || part.as_bytes().windows(36).any(is_uuid)
}

/// Whether a part of a path is Pi's name for a working directory.
fn is_directory(part: &str) -> bool {
    part.len() > 4 && part.starts_with("--") && part.ends_with("--")
}

fn is_uuid(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// What lies below all URLs of a run.
#[derive(Clone, Debug, Default)]
pub struct Mirrors(Vec<Arc<Mirror>>);

impl Mirrors {
    pub(crate) fn new(mirrors: Vec<Mirror>) -> Self {
        Self(mirrors.into_iter().map(Arc::new).collect())
    }

    /// Whether there is no URL at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One for each URL.
    pub fn each(&self) -> impl Iterator<Item = &Mirror> {
        self.0.iter().map(|mirror| &**mirror)
    }

    /// The copies of all objects that may be sessions of their own.
    pub fn sessions(&self) -> Vec<PathBuf> {
        self.each().flat_map(Mirror::sessions).collect()
    }

    /// The URL of a copy; other files keep their paths.
    pub(crate) fn shown(&self, file: &Path) -> PathBuf {
        self.original_name(file).map_or_else(|| file.to_owned(), PathBuf::from)
    }

    /// A report in which copies have the names of their objects.
    pub(crate) fn shown_in(&self, mut report: Report) -> Report {
        if self.is_empty() {
            return report;
        }
        for (path, why) in &mut report.left_out {
            *why = self.shown_why(path, why.clone());
            *path = self.shown(path);
        }
        report.damaged.iter_mut().for_each(|(path, _)| *path = self.shown(path));
        report
    }

    /// The same for files that are not sessions.
    pub fn shown_not_listed(&self, files: Vec<(PathBuf, NotListed)>) -> Vec<(PathBuf, NotListed)> {
        let shown = |(path, why): (PathBuf, NotListed)| {
            let Some(url) = self.original_name(&path) else { return (path, why) };
            let why = match why {
                NotListed::Unreadable(why) => {
                    NotListed::Unreadable(why.replace(&*path.to_string_lossy(), &url))
                }
                other => other,
            };
            (PathBuf::from(url), why)
        };
        files.into_iter().map(shown).collect()
    }

    /// Why a file is left out, with the name of its object.
    pub(crate) fn shown_why(&self, file: &Path, why: LeftOut) -> LeftOut {
        let Some(url) = self.original_name(file) else { return why };
        let shown = |text: String| text.replace(&*file.to_string_lossy(), &url);
        match why {
            LeftOut::NotASession(text) => LeftOut::NotASession(shown(text)),
            LeftOut::Unreadable(text) => LeftOut::Unreadable(shown(text)),
            other @ LeftOut::Leak(_) => other,
        }
    }

    /// The object that a file is the copy of.
    pub(crate) fn object(&self, file: &Path) -> Option<&MirroredObject> {
        self.of(file).map(|(mirror, at)| &mirror.objects[at])
    }

    /// The copies by the URLs of their objects.
    pub(crate) fn by_url(&self) -> HashMap<String, &Path> {
        let mut copies = HashMap::new();
        for mirror in self.each() {
            for object in &mirror.objects {
                copies.insert(mirror.url.of_object(&object.name), &*object.file);
            }
        }
        copies
    }

    /// What a file is known by on all machines that have it or a copy of it. Unlike a URL that is
    /// shown it is another one for each object.
    pub(crate) fn key(&self, file: &Path) -> PathBuf {
        match self.of(file) {
            Some((mirror, at)) => format!("{}//{}", mirror.url, mirror.objects[at].name).into(),
            None => file.to_owned(),
        }
    }

    /// Brings the copies of these files, as far as they are not there.
    ///
    /// # Errors
    /// Fails if one cannot be fetched, or is not what it was when the data set was planned.
    pub(crate) fn bring(&self, files: &[&Path]) -> Result<(), ExtractError> {
        #[cfg(feature = "object-store")]
        return self.bring_copies(files);
        #[cfg(not(feature = "object-store"))]
        {
            // The files of a folder are where they are.
            let _ = files;
            Ok(())
        }
    }

    /// Fails if a copy could not be brought that this thread has needed since it last asked.
    pub(crate) fn bring_failed(&self) -> Result<(), ExtractError> {
        #[cfg(feature = "object-store")]
        return self.failure().map_or(Ok(()), Err);
        #[cfg(not(feature = "object-store"))]
        Ok(())
    }

    fn of(&self, file: &Path) -> Option<(&Mirror, usize)> {
        self.each().find_map(|mirror| Some((mirror, *mirror.by_file.get(file)?)))
    }
}

impl Relocation for Mirrors {
    fn root_of(&self, session: &Path) -> Option<PathBuf> {
        self.of(session).map(|(mirror, _)| mirror.root.clone())
    }

    fn relocated(&self, session: &Path, named: &str) -> Option<PathBuf> {
        let (mirror, at) = self.of(session)?;
        let meant = mirror.meant(at, named)?;
        #[cfg(feature = "object-store")]
        mirror.bring_for_session(meant);
        Some(mirror.objects[meant].file.clone())
    }

    fn original_name(&self, copy: &Path) -> Option<String> {
        self.each().find_map(|mirror| mirror.url_of(copy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "2026-01-01T00-00-00-000Z_019a3f52-0000-7000-8000-000000000001.jsonl";
    const B: &str = "2026-01-02T00-00-00-000Z_019a3f52-0000-7000-8000-000000000002.jsonl";

    fn mirrors_of(url: &str, names: &[&str]) -> Mirrors {
        let object = |(at, name): (usize, &&str)| MirroredObject {
            name: (*name).to_owned(),
            file: PathBuf::from(format!("/copies/{at}")),
            size: 1,
            etag: None,
        };
        let objects = names.iter().enumerate().map(object).collect();
        let url = ObjectUrl::parse(url).unwrap();
        Mirrors::new(vec![Mirror::new(url, "/copies".into(), objects)])
    }

    /// The name of what the first object means.
    fn meant(url: &str, names: &[&str], named: &str) -> Option<String> {
        let found = mirrors_of(url, names).relocated(Path::new("/copies/0"), named)?;
        let at: usize = found.file_name()?.to_str()?.parse().ok()?;
        Some(names[at].to_owned())
    }

    #[test]
    fn a_path_of_another_machine_leads_to_the_object_with_its_last_parts() {
        let (own, fork) = (format!("m1/--p--/{A}"), format!("m1/--p--/{B}"));
        let (other, run) = (format!("m2/--p--/{B}"), "m1/--p--/runs/a/session.jsonl");
        let artifact = "m1/--p--/subagent-artifacts/a_scout_0.jsonl";
        let names = [&*own, &fork, &other, run, artifact, "m2/--p--/runs/a/session.jsonl"];
        let home = "/home/ana/.pi/agent/sessions/--p--";
        for url in ["s3://b", "s3://b/x/y"] {
            let meant = |named: String| meant(url, &names, &named);
            assert_eq!(meant(format!("{home}/{B}")).as_deref(), Some(&*fork), "its own machine");
            assert_eq!(meant(format!("~/x/--p--/{B}")).as_deref(), Some(&*fork));
            assert_eq!(meant(format!("/tmp/pi-subagent-session-1/{B}")).as_deref(), Some(&*fork));
            assert_eq!(meant(B.to_owned()).as_deref(), Some(&*fork));
            assert_eq!(meant(format!("{home}/runs/a/session.jsonl")).as_deref(), Some(run));
            assert_eq!(meant("runs/a/session.jsonl".to_owned()).as_deref(), Some(run));
            let named = format!("{home}/subagent-artifacts/a_scout_0.jsonl");
            assert_eq!(meant(named).as_deref(), Some(artifact));
        }
        // The URL is the folder of the working directory itself.
        let flat = [A, B, "subagent-artifacts/a_scout_0.jsonl"];
        assert_eq!(meant("s3://b/--p--", &flat, &format!("{home}/{B}")).as_deref(), Some(B));
        let named = format!("{home}/subagent-artifacts/a_scout_0.jsonl");
        assert_eq!(meant("s3://b", &flat, &named).as_deref(), Some(flat[2]));
    }

    #[test]
    fn a_path_that_may_mean_another_object_means_none() {
        let own = format!("--p--/{A}");
        let names = [&*own, "--p--/one/run-0/session.jsonl", "--q--/notes.jsonl", "etc/passwd"];
        for named in [
            // The run of another session has the same last parts.
            "/home/ana/.pi/agent/sessions/--p--/two/run-0/session.jsonl",
            "/somewhere/notes.jsonl",
            "/etc/passwd",
            "../--q--/notes.jsonl",
            "",
            "/",
            "~",
        ] {
            assert_eq!(meant("s3://b", &names, named), None, "{named}");
        }
        // Two machines are equally near.
        let (one, two) = (format!("m1/--p--/{B}"), format!("m2/--p--/{B}"));
        let names = [&*format!("m3/{A}"), &*one, &*two];
        assert_eq!(meant("s3://b", &names, &format!("/x/--p--/{B}")), None);
        // A session does not mean itself.
        assert_eq!(meant("s3://b", &[&own], &format!("/x/{own}")), None);
    }

    #[test]
    fn records_of_sub_agents_are_no_sessions_and_names_are_shown_as_urls() {
        let mirrors =
            mirrors_of("s3://b/p", &["a.jsonl", "subagent-artifacts/b.jsonl", "x/c.jsonl"]);
        let sessions = ["/copies/0", "/copies/2"].map(PathBuf::from);
        assert_eq!(mirrors.sessions(), sessions);
        for (url, name, is_session) in [
            ("s3://b", "m1/--p--/a.jsonl", true),
            ("s3://b", "m1/--p--/runs/0/session.jsonl", false),
            ("s3://b/--p--", "runs/session.jsonl", false),
            ("s3://b/--p--", "a.jsonl", true),
            ("s3://b", "x/y/z/a.jsonl", true),
            ("s3://b", "--p--/subagent-artifacts/a.jsonl", false),
        ] {
            let found = mirrors_of(url, &[name]).sessions().len();
            assert_eq!(found == 1, is_session, "{url} {name}");
        }
        assert_eq!(mirrors.shown(Path::new("/copies/2")), Path::new("s3://b/p/x/c.jsonl"));
        assert_eq!(mirrors.shown(Path::new("/copies/9")), Path::new("/copies/9"));
        let why = LeftOut::Unreadable("cannot read /copies/0: broken".to_owned());
        let left_out = vec![("/copies/0".into(), why)];
        let report = mirrors.shown_in(Report { left_out, ..Report::default() });
        let why = LeftOut::Unreadable("cannot read s3://b/p/a.jsonl: broken".to_owned());
        assert_eq!(report.left_out, [("s3://b/p/a.jsonl".into(), why)]);
    }
}
