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

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pitree_session::{Environment, make_private_directory};
use pitree_store::subagents::Trust;

use super::work::Job;
use super::{ExtractOptions, SessionFormat, Source};
use crate::copy::content_hash;
use crate::error::{ExtractError, IoContext};
use crate::output::Scratch;
use crate::output::spool::{OtherFile, Spool, Summary};

/// What made the spools: other sources may give other pieces.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("PITREE_SOURCES"));

/// What was not used for so long is removed.
const LONGEST_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// The most that is kept; what was not used for the longest time goes first.
const MOST_BYTES: u64 = 4 << 30;

/// What was used less than this ago stays in any case: another run may be about to read it.
const IN_USE: Duration = Duration::from_secs(3600);

pub(super) struct Cache {
    folder: PathBuf,
    scratch: Scratch,
    /// A hash of the form, the options and the guard.
    settings: [u8; 32],
    /// Which paths in a session may be followed.
    trust: Trust,
    /// The time of the run.
    now: SystemTime,
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
        let wanted = (quality.dedupe.is_near(), quality.cap.is_some());
        let text = format!("{BUILD} {} {:?} {limits:?} {wanted:?}", format.name(), options.form,);
        hasher.update(text.as_bytes()).update(&guard);
        let now = u64::try_from(environment.now_ms()).unwrap_or(0);
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(now);
        let trust = Trust::new(&options.form.locations, environment);
        let settings = *hasher.finalize().as_bytes();
        Some(Self { folder, scratch, settings, trust, now })
    }

    /// Where spools are written before they have their name.
    pub(super) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// What the session gave before, if it and all it depends on are unchanged.
    pub(super) fn find(&self, job: &Job<'_>) -> Option<(PathBuf, Summary)> {
        let path = self.path(job, &content_hash(&job.source.path).ok()?);
        // Most of the time there is none, and nothing was read for it in vain but the session.
        let summary = Spool::open_checked(&path)?.summary;
        if !summary.others.iter().all(|other| self.is_same(other)) {
            return None;
        }
        self.note_used(&path);
        Some((path, summary))
    }

    /// Only the order of removal depends on it.
    fn note_used(&self, path: &Path) -> bool {
        let file = fs_err::File::options().append(true).open(path);
        file.is_ok_and(|file| {
            let _ = file.set_modified(self.now);
            true
        })
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
            && fs_err::create_dir_all(folder).is_ok()
        {
            let _ = fs_err::write(&path, b"");
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

    /// Whether another file that was looked for is as it was then.
    fn is_same(&self, (path, hash): &OtherFile) -> bool {
        let is_there = self.trust.check(path) == Ok(true);
        match hash {
            Some(hash) => is_there && content_hash(path).is_ok_and(|now| now.as_bytes() == hash),
            None => !is_there,
        }
    }

    /// Gives a finished spool its name.
    pub(super) fn keep(
        &self,
        spool: tempfile::TempPath,
        job: &Job<'_>,
        content: &blake3::Hash,
    ) -> Result<PathBuf, ExtractError> {
        let path = self.path(job, content);
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder).on("make", folder)?;
        }
        spool.persist(&path).map_err(|error| error.error).on("write", &path)?;
        Ok(path)
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

    /// Removes what was not used for long, and the oldest of what is too much.
    pub(super) fn tidy(&self) {
        let mut spools = self.spools();
        spools.sort_by_key(|(_, used, _)| *used);
        let mut bytes: u64 = spools.iter().map(|(_, _, len)| len).sum();
        for (path, used, len) in spools {
            let unused = self.now.duration_since(used).unwrap_or_default();
            let is_old = unused > LONGEST_UNUSED || (bytes > MOST_BYTES && unused > IN_USE);
            if is_old && fs_err::remove_file(&path).is_ok() {
                bytes -= len;
            }
        }
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
