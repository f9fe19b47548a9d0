//! What sessions gave in earlier runs: one spool each, under a name that is a hash of all that it
//! depends on.
//!
//! The name holds the bytes of the session, what is known of it, the form, the selection, the
//! limits, the guard's key and rules, and the build of pitree: its version and a hash of its sources.
//! So a rule or a form that was changed finds nothing that was kept before, also between versions.
//! Other files that were read are noted in the spool with their hashes and compared, and those that
//! were looked for in vain must still not be there. A spool that is damaged is not there.
//! What was found in a session's relatives counts as well, by keyed digests.
//! Nothing is kept of a run without redaction.
//!
//! What is kept never has more bytes than the limit: what was not used for the longest time makes
//! room, and what finds none waits for the end of the run elsewhere. A run reads by names of its
//! own, in a folder that goes with it, so it does not matter to it what others remove.

use std::collections::{HashSet, VecDeque};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use pitree_session::{Environment, make_private_directory};
use pitree_store::subagents::{Relocation, Trust};

use super::worker_pool::Job;
use crate::copy::content_hash;
use crate::error::{ExtractError, IoContext};
use crate::format::SessionFormat;
use crate::options::ExtractOptions;
use crate::output::Scratch;
use crate::output::folder::create_private;
use crate::output::spool::{OtherFile, Spool, Summary};
use crate::remote::Mirrors;
use crate::sources::Source;

/// What made the spools: other sources may give other pieces.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("PITREE_SOURCES"));

/// What was not used for so long is removed.
const LONGEST_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

pub(super) struct Cache {
    folder: PathBuf,
    scratch: Scratch,
    /// A hash of the form, the options and the guard.
    settings: [u8; 32],
    /// Which paths in a session may be followed.
    trust: Trust,
    /// The copies of objects.
    mirrors: Mirrors,
    /// The time of the run.
    now: SystemTime,
    /// The most bytes that are kept.
    limit: u64,
    kept: Mutex<Kept>,
}

/// What is kept, as far as this run knows.
#[derive(Default)]
struct Kept {
    bytes: u64,
    /// What was there before the run, what was not used for the longest time first.
    old: VecDeque<(PathBuf, u64)>,
    /// What the run has used or added.
    used: HashSet<PathBuf>,
}

impl Cache {
    /// The cache of these options; `None` if nothing is to be kept, or cannot be.
    pub(super) fn of(
        format: &dyn SessionFormat,
        options: &ExtractOptions,
        environment: &Environment,
    ) -> Option<Self> {
        let folder = options.cache.clone()?;
        let guard = options.guard.fingerprint()?;
        make_private_directory(&folder).ok()?;
        let scratch = Scratch::within(&folder).ok()?;
        let mut hasher = blake3::Hasher::new();
        let quality = &options.quality;
        let limits = (quality.tool_limit, quality.count_tokens, quality.max_tokens);
        let tokenizer = quality.tokenizer.as_ref().map(|tokenizer| tokenizer.hash());
        let limits = (limits, quality.mask_altered, tokenizer);
        let wanted = (quality.dedupe.is_near(), quality.cap.is_some(), options.drop_noise);
        let text = format!("{BUILD} {} {:?} {limits:?} {wanted:?}", format.name(), options.form,);
        hasher.update(text.as_bytes()).update(&guard);
        let now = u64::try_from(environment.now_ms()).unwrap_or(0);
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(now);
        let (trust, mirrors) = (options.trust(environment), options.mirrors.clone());
        let settings = *hasher.finalize().as_bytes();
        let (limit, kept) = (options.cache_limit, Mutex::default());
        let cache = Self { folder, scratch, settings, trust, mirrors, now, limit, kept };
        *cache.kept() = cache.trimmed();
        Some(cache)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where spools are written before they have their name.
    pub(super) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// What the session gave before, if it and all it depends on are unchanged, and a path by which
    /// this run can read it.
    pub(super) fn find(&self, job: &Job<'_>) -> Option<(PathBuf, Summary)> {
        let path = self.path(job, &content_hash(&job.source.path).ok()?);
        let own = tempfile::Builder::new()
            .suffix(".spool")
            .make_in(self.scratch(), |own| fs_err::hard_link(&path, own));
        // It is looked at by a name of its own, for another run may remove the first one any time.
        let own = match own {
            Ok(own) => Some(own.into_temp_path()),
            // Most of the time there is none, and nothing was read for it in vain but the session.
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            // Where there are no links it is read where it is.
            Err(_) => None,
        };
        let summary = Spool::open_checked(own.as_deref().unwrap_or(&path))?.summary;
        if !summary.others.iter().all(|other| self.is_same(&job.source.path, other)) {
            return None;
        }
        self.note_used(&path);
        let own = own.and_then(|own| own.keep().ok());
        Some((own.unwrap_or(path), summary))
    }

    /// Keeps a file from being removed by this run, and from being the next to go. Says whether it
    /// is there.
    fn note_used(&self, path: &Path) -> bool {
        let Ok(file) = fs_err::File::options().append(true).open(path) else { return false };
        // Only the order of removal depends on it.
        let _ = file.set_modified(self.now);
        self.kept().used.insert(path.to_owned());
        true
    }

    /// Whether a session holds secrets of its family that it does not know itself, as far as an
    /// earlier run has found out.
    pub(super) fn holds_any(
        &self,
        source: &Source,
        summary: &Summary,
        family: &[u8; 32],
    ) -> Option<bool> {
        let (spool, none) = self.paths_with(source, summary, family)?;
        if self.note_used(&none) { Some(false) } else { spool.exists().then_some(true) }
    }

    /// Notes that a session holds no secret of its family but those that it knows itself. If it
    /// cannot be noted it is found out again.
    pub(super) fn note_holds_none(&self, source: &Source, summary: &Summary, family: &[u8; 32]) {
        if let Some((_, path)) = self.paths_with(source, summary, family)
            && let Some(folder) = path.parent()
            && make_private_directory(folder).is_ok()
        {
            let _ = create_private(&path);
        }
    }

    /// The spool of a session that knows the secrets of its family, and the file that is there if
    /// it holds none of them.
    fn paths_with(
        &self,
        source: &Source,
        summary: &Summary,
        family: &[u8; 32],
    ) -> Option<(PathBuf, PathBuf)> {
        let content = content_hash(&source.path).ok()?;
        let job = Job::new(source);
        let mut hasher = blake3::Hasher::new_keyed(family);
        hasher.update(format!("{:?}", summary.others).as_bytes());
        let others = *hasher.finalize().as_bytes();
        let none = self.path_with(&job, Some(&others), &content).with_extension("none");
        Some((self.path_with(&job, Some(family), &content), none))
    }

    /// Whether another file that was looked for when the session was read is as it was then.
    fn is_same(&self, session: &Path, (path, hash): &OtherFile) -> bool {
        let trust = self.trust.of_session(session);
        if self.mirrors.root_of(session).is_some() && self.mirrors.root_of(path).is_none() {
            // It named no object, or one that has changed since.
            let now = self.mirrors.relocated(session, &path.to_string_lossy());
            return hash.is_none() && now.is_none();
        }
        let is_there = trust.check(path) == Ok(true);
        match hash {
            Some(hash) => is_there && content_hash(path).is_ok_and(|now| now.as_bytes() == hash),
            None => !is_there,
        }
    }

    /// Keeps a finished spool for later runs, if there is room for it. Says whether it was moved:
    /// then it has the path that is returned.
    pub(super) fn keep(
        &self,
        spool: &Path,
        job: &Job<'_>,
        content: &blake3::Hash,
    ) -> Result<Keeping, ExtractError> {
        let path = self.path(job, content);
        let len = fs_err::metadata(spool).on("access", spool)?.len();
        if !self.make_room(&path, len) {
            return Ok(Keeping::NoRoom);
        }
        if let Some(folder) = path.parent() {
            make_private_directory(folder)?;
        }
        // One that is damaged may have the name.
        let _ = fs_err::remove_file(&path);
        match fs_err::hard_link(spool, &path) {
            Ok(()) => return Ok(Keeping::Linked),
            // Another run has just kept the same.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(Keeping::Linked),
            Err(_) => fs_err::rename(spool, &path).on("write", &path)?,
        }
        Ok(Keeping::Moved(path))
    }

    /// Removes what was not used for long until there is room, and takes it; `false` if there is
    /// not enough without what this run uses.
    fn make_room(&self, path: &Path, len: u64) -> bool {
        let mut kept = self.kept();
        while kept.bytes.saturating_add(len) > self.limit {
            let Some((oldest, bytes)) = kept.old.pop_front() else { return false };
            if !kept.used.contains(&oldest) && fs_err::remove_file(&oldest).is_ok() {
                kept.bytes = kept.bytes.saturating_sub(bytes);
            }
        }
        kept.bytes += len;
        kept.used.insert(path.to_owned());
        true
    }

    fn path(&self, job: &Job<'_>, content: &blake3::Hash) -> PathBuf {
        self.path_with(job, job.family.map(|family| &family.key), content)
    }

    fn path_with(
        &self,
        Job { source, elsewhere, .. }: &Job<'_>,
        family: Option<&[u8; 32]>,
        content: &blake3::Hash,
    ) -> PathBuf {
        let mut hasher = blake3::Hasher::new_keyed(&self.settings);
        hasher.update(content.as_bytes());
        let about = format!("{:?} {:?}", source.path, source.about);
        hasher.update(&(about.len() as u64).to_le_bytes()).update(about.as_bytes());
        let mut elsewhere: Vec<u64> = elsewhere.iter().copied().collect();
        elsewhere.sort_unstable();
        elsewhere.iter().for_each(|key| {
            hasher.update(&key.to_le_bytes());
        });
        hasher.update(family.map_or(&[][..], |key| key));
        let name = hasher.finalize().to_hex();
        self.folder.join(&name[..2]).join(format!("{}.spool", &name[2..]))
    }

    /// Removes what was not used for long, and the oldest of what is too much, whoever made it.
    /// Gives what is left.
    fn trimmed(&self) -> Kept {
        let mut spools = self.spools();
        spools.sort_by_key(|(_, used, _)| *used);
        let mut bytes: u64 = spools.iter().map(|(_, _, len)| len).sum();
        let mut old = VecDeque::new();
        for (path, used, len) in spools {
            let unused = self.now.duration_since(used).unwrap_or_default();
            let is_too_much = unused > LONGEST_UNUSED || bytes > self.limit;
            if is_too_much && fs_err::remove_file(&path).is_ok() {
                bytes -= len;
            } else {
                old.push_back((path, len));
            }
        }
        Kept { bytes, old, used: HashSet::new() }
    }

    fn spools(&self) -> Vec<(PathBuf, SystemTime, u64)> {
        let mut spools = Vec::new();
        for folder in fs_err::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = folder.file_name();
            if name.len() != 2 {
                continue;
            }
            for file in fs_err::read_dir(folder.path()).into_iter().flatten().flatten() {
                if let Ok(metadata) = file.metadata()
                    && let Ok(used) = metadata.modified()
                {
                    spools.push((file.path(), used, metadata.len()));
                }
            }
        }
        spools
    }
}

/// Runs at the same time do not know of each other, so the sum is looked at once more.
impl Drop for Cache {
    fn drop(&mut self) {
        self.trimmed();
    }
}

/// What became of a spool that was to be kept.
pub(super) enum Keeping {
    /// It has a second name; the run reads it by the first one.
    Linked,
    /// It was moved here: there are no links.
    Moved(PathBuf),
    /// There is no room for it.
    NoRoom,
}
