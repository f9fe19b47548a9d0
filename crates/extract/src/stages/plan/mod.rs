//! What is to be done, as data: the sessions with what is known of them, how much of each file is
//! read, the settings, and how the work is shared out.

mod about;
mod key_file;
mod redaction;
mod repeated_sessions;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cut::ends;
use super::session::{BUILD, PlannedSource};
use crate::error::ExtractError;
use crate::quality::{Families, Judged};
use crate::remote::{Mirrors, ObjectUrl, PlannedBucket};
use crate::sources::Source;
use about::PlannedAbout;
pub use key_file::{KeyFileError, read as read_key_file};
pub use redaction::Redaction;
pub use settings::{PlannedLocation, PlannedQuality, PlannedTokenizer, Settings};

/// Grows when a plan means something else.
const VERSION: u32 = 1;

/// What is to be done, as data that any machine can read: see [`stages`](crate::stages).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractPlan {
    /// The version of this form.
    plan: u32,
    /// The build of pitree that has made it. No other one works on it.
    build: String,
    settings: Settings,
    /// What lay below the URLs from which sessions come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    buckets: Vec<PlannedBucket>,
    /// The sessions in their final order.
    sources: Vec<PlannedFile>,
    /// Where each shard ends in the order of the families.
    shards: Vec<usize>,
}

/// A session of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedFile {
    /// Its file, or its URL if it comes from there.
    path: PathBuf,
    /// How many bytes are read; `None` if the file could not be found.
    bytes: Option<u64>,
    /// What a store of objects says of this state of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    about: PlannedAbout,
}

impl ExtractPlan {
    /// A plan for these sessions, shared out into about so many shards. What is added to a session
    /// later is not read.
    ///
    /// # Errors
    /// Fails if a path cannot be written down, since it is not UTF-8.
    pub fn new(
        sources: &[Source],
        settings: Settings,
        shards: usize,
    ) -> Result<Self, ExtractError> {
        Self::over(sources, &Mirrors::default(), settings, shards)
    }

    /// The same for sessions some of which are copies of what lies below URLs. The plan names them
    /// by their URLs and the states of the objects, and lists all that they may refer to there.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if an object is there twice, below URLs that lie in each other.
    pub fn over(
        sources: &[Source],
        mirrors: &Mirrors,
        settings: Settings,
        shards: usize,
    ) -> Result<Self, ExtractError> {
        let sources = in_final_order(sources);
        let file = |source: &Source| {
            if source.path.to_str().is_none() {
                let path = source.path.display();
                let message = format!("The name of {path} is not UTF-8, so no plan can name it");
                return Err(ExtractError::Plan(message));
            }
            if let Some(object) = mirrors.object(&source.path) {
                return Ok(PlannedFile {
                    path: mirrors.shown(&source.path),
                    bytes: Some(object.size),
                    etag: object.etag.clone(),
                    about: PlannedAbout::from(&*source.about),
                });
            }
            let metadata = fs_err::metadata(&source.path).ok();
            Ok(PlannedFile {
                path: source.path.clone(),
                bytes: metadata.filter(std::fs::Metadata::is_file).map(|it| it.len()),
                etag: None,
                about: PlannedAbout::from(&*source.about),
            })
        };
        let files: Vec<PlannedFile> = sources.iter().map(file).collect::<Result<_, _>>()?;
        let order = by_family(&sources);
        let weights = order.iter().map(|at| files[*at].bytes.unwrap_or(0) + OPENING);
        // There are not more of them than sessions, and there is always one.
        let shards = shards.clamp(1, order.len().max(1));
        let shards = ends(&weights.collect::<Vec<_>>(), shards);
        let (buckets, build) = (mirrors.planned()?, BUILD.to_owned());
        Ok(Self { plan: VERSION, build, settings, buckets, sources: files, shards })
    }

    /// The plan in JSON.
    ///
    /// # Errors
    /// Fails if a path in it is not UTF-8.
    pub fn to_json(&self) -> Result<String, ExtractError> {
        serde_json::to_string(self)
            .map_err(|error| ExtractError::Plan(format!("The plan cannot be written: {error}")))
    }

    /// Reads a plan that this build has made.
    ///
    /// # Errors
    /// Fails if it is no plan, or one of another build: that may give other data.
    pub fn from_json(json: &str) -> Result<Self, ExtractError> {
        #[derive(Deserialize)]
        struct Head {
            plan: u32,
            build: String,
        }
        let damaged = |error: serde_json::Error| {
            ExtractError::Plan(format!("This is not a plan of pitree: {error}"))
        };
        let head: Head = serde_json::from_str(json).map_err(damaged)?;
        if head.plan != VERSION || head.build != BUILD {
            return Err(ExtractError::Plan(format!(
                "The plan was made by another build of pitree ({}, this is {BUILD}); use the same \
                 build everywhere, or plan again",
                head.build
            )));
        }
        let plan: Self = serde_json::from_str(json).map_err(damaged)?;
        let is_hash = |name: &String| name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !plan.settings.spend.iter().all(is_hash) {
            let message = "This is not a plan of pitree: it names its usages by something else";
            return Err(ExtractError::Plan(message.to_owned()));
        }
        let is_sound = plan.shards.is_sorted() && plan.shards.last() == Some(&plan.sources.len());
        if !is_sound {
            let message = "This is not a plan of pitree: its shards do not have all sessions";
            return Err(ExtractError::Plan(message.to_owned()));
        }
        Ok(plan)
    }

    /// Equal for equal plans.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn id(&self) -> Result<String, ExtractError> {
        Ok(blake3::hash(self.to_json()?.as_bytes()).to_hex().to_string())
    }

    /// How many shards the first round has.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> usize {
        self.sources.len()
    }

    /// How many bytes are read of all sessions.
    pub fn bytes(&self) -> u64 {
        self.sources.iter().filter_map(|file| file.bytes).fold(0, u64::saturating_add)
    }

    /// How the data set is made.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What lay below URLs.
    pub(crate) fn buckets(&self) -> &[PlannedBucket] {
        &self.buckets
    }

    pub(crate) fn sources(&self) -> Result<Vec<PlannedSource>, ExtractError> {
        let source = |file: &PlannedFile| {
            let about = Arc::new(file.about.to_about()?);
            let source = Source { path: file.path.clone(), about };
            Ok(PlannedSource { source, pinned: file.bytes })
        };
        self.sources.iter().map(source).collect()
    }

    /// The sessions with the copies that this machine has of them.
    pub(crate) fn local(&self, mirrors: &Mirrors) -> Result<Vec<PlannedSource>, ExtractError> {
        let mut sources = self.sources()?;
        let copies = mirrors.by_url();
        for (planned, file) in sources.iter_mut().zip(&self.sources) {
            let Some(url) = file.path.to_str().filter(|path| ObjectUrl::is_url(path)) else {
                continue;
            };
            let copy = copies.get(url).copied();
            let is_pinned = |copy: &&Path| {
                mirrors.object(copy).is_some_and(|object| {
                    object.etag == file.etag && Some(object.size) == file.bytes
                })
            };
            let copy = copy.filter(is_pinned).ok_or_else(|| {
                ExtractError::Plan(format!("This is not a plan of pitree: it does not list {url}"))
            })?;
            copy.clone_into(&mut planned.source.path);
        }
        Ok(sources)
    }

    /// The sessions of each shard of the first round, in their final order.
    pub(crate) fn first_shards(&self, sources: &[PlannedSource]) -> Vec<Vec<usize>> {
        let sources: Vec<Source> = sources.iter().map(|planned| planned.source.clone()).collect();
        let order = by_family(&sources);
        let mut from = 0;
        let shard = |end: &usize| {
            let mut own = order[from..*end].to_vec();
            from = *end;
            own.sort_unstable();
            own
        };
        self.shards.iter().map(shard).collect()
    }
}

/// What a small session costs besides its bytes.
const OPENING: u64 = 4 << 10;

/// The sessions, those of each family together.
fn by_family(sources: &[Source]) -> Vec<usize> {
    let judged = |source| Judged { about: about_of(source), samples: &[] };
    let mut families = Families::of(&sources.iter().map(judged).collect::<Vec<_>>());
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_by_cached_key(|at| (families.oldest(*at), *at));
    order
}

fn about_of(source: &Source) -> &pitree_sample::About {
    &source.about
}

/// The sessions in the order in which they are written, the oldest first, each with what it has in
/// common with others.
pub(crate) fn in_final_order(sources: &[Source]) -> Vec<Source> {
    let sources = repeated_sessions::with_copy_numbers(sources);
    let mut sources = repeated_sessions::with_shared_ids(&sources);
    sources.sort_by(|one, other| key(one).cmp(&key(other)));
    sources
}

fn key(source: &Source) -> (Option<&str>, &str, &Path, &Path) {
    let about = &source.about;
    // Copies of objects are in the order of these, as the objects would be.
    let path = Path::new(&about.source_path);
    (about.created_at.as_deref(), about.session_id.as_str(), path, source.path.as_path())
}
