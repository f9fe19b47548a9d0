//! Sources and data sets in object stores: `s3://`, `gs://`, `az://`, and folders as `file://`.
//!
//! Nothing else of pitree knows of buckets. Before a run, [`gather`] lists what lies below URLs and
//! brings it into a private folder of this machine; the run reads those copies, and [`Mirrors`] knows
//! what each of them is called in reports and samples. After it, [`Destination`] brings the finished
//! data set to where it belongs. Only this module uses `tokio`, and nobody outside of it waits for
//! anything but the return of a function.
//!
//! Without the feature `object-store` only `file://` works; what needs a bucket says how to get it.

#[cfg(feature = "object-store")]
mod answer;
#[cfg(feature = "object-store")]
mod bucket;
#[cfg(feature = "object-store")]
mod copies;
mod destination;
#[cfg(feature = "object-store")]
mod fetch;
mod folder;
#[cfg(feature = "object-store")]
mod later;
mod mirror;
mod planned;
#[cfg(feature = "object-store")]
mod publish;
#[cfg(feature = "object-store")]
mod transport;
mod url;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pitree_session::summary::Cancel;
use pitree_store::Progress;

use crate::error::ExtractError;
use crate::remote_error::RemoteProblem;
pub use destination::{Destination, EarlierDataSet};
pub use mirror::{Mirror, MirroredObject, Mirrors};
pub(crate) use planned::PlannedBucket;
pub use url::{ObjectUrl, Scheme};

/// How buckets are reached.
#[derive(Clone)]
pub struct RemoteOptions {
    /// The variables of the environment that say who asks and where: those that begin with `AWS_`,
    /// `AZURE_` or `GOOGLE_`, `SERVICE_ACCOUNT` and `SSL_CERT_FILE`.
    pub variables: Vec<(String, String)>,
    /// Where copies are kept, so that the next run fetches only what has changed; `None` keeps
    /// nothing.
    pub cache: Option<PathBuf>,
    /// A folder for what is not kept.
    pub temporary: PathBuf,
    /// How long and how often is tried.
    pub limits: RemoteLimits,
    /// The time of the run: copies that were not used for long are removed.
    pub now: SystemTime,
    /// Who is told how many objects are there.
    pub progress: Option<Arc<dyn Progress>>,
    /// Set by who wants the work to stop.
    pub cancel: Cancel,
}

/// How long and how often is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteLimits {
    /// How long a connection may take.
    pub connect: Duration,
    /// How long an answer may take to begin, besides the time for sending a body.
    pub answer: Duration,
    /// How long nothing may come in the middle of an answer.
    pub stall: Duration,
    /// How often a request is tried again.
    pub retries: usize,
    /// How long is waited before the first retry; each wait is twice as long, more or less.
    pub first_wait: Duration,
    /// The longest wait.
    pub longest_wait: Duration,
    /// How many requests are under way at once.
    pub parallel: usize,
    /// Larger objects are fetched and stored in parts of this many bytes; stores want at least
    /// 5 MiB.
    pub part_bytes: u64,
}

impl Default for RemoteLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            answer: Duration::from_secs(60),
            stall: Duration::from_secs(30),
            retries: 8,
            first_wait: Duration::from_millis(200),
            longest_wait: Duration::from_secs(10),
            parallel: 16,
            part_bytes: 8 << 20,
        }
    }
}

impl RemoteOptions {
    /// The usual options, with this folder for what is not kept.
    pub fn new(temporary: PathBuf) -> Self {
        Self {
            variables: Vec::new(),
            cache: None,
            temporary,
            limits: RemoteLimits::default(),
            now: SystemTime::UNIX_EPOCH,
            progress: None,
            cancel: Cancel::new(),
        }
    }

    /// Whether a variable of the environment may be needed to reach a bucket.
    pub fn needs_variable(name: &str) -> bool {
        const BEGINNINGS: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];
        BEGINNINGS.iter().any(|begin| name.starts_with(begin))
            || matches!(name, "SERVICE_ACCOUNT" | "SSL_CERT_FILE")
    }
}

#[cfg(feature = "object-store")]
impl RemoteOptions {
    fn variable(&self, name: &str) -> Option<&str> {
        let found = self.variables.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The variables with this beginning, as the library reads them: in lower case.
    fn settings<'a>(&'a self, begin: &'a str) -> impl Iterator<Item = (String, &'a str)> {
        let own = self.variables.iter().filter(move |(name, _)| name.starts_with(begin));
        own.filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
    }
}

/// What lies below URLs, as files of this machine.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// The copies.
    pub mirrors: Mirrors,
    /// How many objects were fetched.
    pub fetched: usize,
    /// How many bytes they have.
    pub fetched_bytes: u64,
    /// How many objects were there from an earlier run.
    pub kept: usize,
}

/// Lists the `.jsonl` objects below URLs and brings those that are not there yet.
///
/// # Errors
/// Fails if a bucket cannot be read after all retries, if nothing is below a URL, or if an object
/// changes meanwhile. Then nothing but complete copies is left behind.
pub fn gather(urls: &[ObjectUrl], options: &RemoteOptions) -> Result<Gathered, ExtractError> {
    let mut gathered = Gathered::default();
    let mut mirrors = Vec::new();
    for url in urls {
        let mirror = match url.folder() {
            Some(folder) => folder::mirror(url, &folder)?,
            None => of_bucket(url, options, &mut gathered)?,
        };
        if mirror.objects().is_empty() {
            return Err(url.error("extract", RemoteProblem::NoSessions).into());
        }
        mirrors.push(mirror);
    }
    gathered.mirrors = Mirrors::new(mirrors);
    Ok(gathered)
}

#[cfg(feature = "object-store")]
fn of_bucket(
    url: &ObjectUrl,
    options: &RemoteOptions,
    gathered: &mut Gathered,
) -> Result<Mirror, ExtractError> {
    fetch::mirror(url, options, gathered)
}

#[cfg(not(feature = "object-store"))]
fn of_bucket(url: &ObjectUrl, _: &RemoteOptions, _: &mut Gathered) -> Result<Mirror, ExtractError> {
    Err(url.error("read", RemoteProblem::NotBuilt).into())
}

/// How the name of a session's object ends.
const SESSION_END: &str = ".jsonl";

#[cfg(all(test, not(feature = "object-store")))]
mod tests {
    use super::*;

    #[test]
    fn without_the_feature_a_bucket_is_refused_and_a_folder_is_not() {
        let options = RemoteOptions::new(PathBuf::from("/nowhere"));
        let url = ObjectUrl::parse("s3://b/p").unwrap();
        let read = gather(std::slice::from_ref(&url), &options).unwrap_err().to_string();
        assert_eq!(read, "Cannot read s3://b/p: this pitree was built without object stores");
        assert!(Destination::prepare(&url, false, &options).is_err());
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("a.jsonl"), "x").unwrap();
        let url = ObjectUrl::parse(&format!("file://{}", folder.path().display())).unwrap();
        assert_eq!(gather(&[url], &options).unwrap().mirrors.sessions().len(), 1);
    }
}
