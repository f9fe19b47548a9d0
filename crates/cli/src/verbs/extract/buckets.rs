//! Sessions and data sets that the user names by a URL.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pitree_extract::remote::{
    Destination, EarlierDataSet, Mirrors, ObjectUrl, RemoteOptions, gather,
};
use pitree_extract::{RemoteError, RemoteProblem};
use pitree_session::location::Location;
use pitree_session::summary::Cancel;
use pitree_session::{Environment, paths};
use pitree_store::Store;

use super::ExtractArgs;
use crate::error::{CommandError, Result};
use crate::output::Output;
use crate::progress;
use crate::target::Workspace;
use crate::text::counted;

/// What was named by URLs, as files of this machine.
pub(super) struct Buckets {
    /// The copies of what is below them.
    pub(super) mirrors: Mirrors,
    /// Set by Ctrl+C.
    pub(super) cancel: Cancel,
    options: RemoteOptions,
    /// Whether nothing else was named.
    are_all: bool,
}

impl Buckets {
    /// Brings what is below the URLs among the sessions.
    pub(super) fn gather(
        args: &ExtractArgs,
        workspace: &Workspace,
        cancel: &Cancel,
        output: &mut Output,
    ) -> Result<Self> {
        let options = RemoteOptions {
            progress: progress::bar().map(|bar| bar as _),
            ..options(&workspace.environment, !workspace.without_index, cancel.clone())
        };
        let named = args.sessions.iter().filter_map(|typed| typed.to_str());
        let urls = named.filter(|text| ObjectUrl::is_url(text)).map(ObjectUrl::parse);
        let urls = urls.collect::<Result<Vec<ObjectUrl>, RemoteError>>()?;
        let are_all = !urls.is_empty() && urls.len() == args.sessions.len();
        let gathered = gather(&urls, &options)?;
        if gathered.fetched > 0 {
            let objects = counted(gathered.fetched, "object", "objects");
            let kept = match gathered.kept {
                0 => String::new(),
                kept => format!("; {kept} have not changed since the last run"),
            };
            let size = super::size(gathered.fetched_bytes);
            output.remark(&format!("fetched {objects} ({size}){kept}"))?;
        }
        Ok(Self { mirrors: gathered.mirrors, cancel: cancel.clone(), options, are_all })
    }

    /// Where relatives of the sessions are looked for: of what comes from buckets, there alone.
    pub(super) fn store(&self, workspace: &Workspace) -> Store {
        if self.mirrors.is_empty() {
            return workspace.store();
        }
        let store = match self.are_all {
            true => Store::new(Vec::new(), &workspace.environment),
            false => workspace.store(),
        };
        store.with_relocation(Arc::new(self.mirrors.clone()))
    }

    /// The locations of those relatives.
    pub(super) fn locations(&self, workspace: &Workspace) -> Vec<Location> {
        if self.are_all { Vec::new() } else { workspace.locations.clone() }
    }

    /// Where the data set goes, if that is a bucket.
    pub(super) fn destination(&self, args: &ExtractArgs) -> Result<Option<Destination>> {
        let Some(url) = bucket_of(&args.output)? else { return Ok(None) };
        Ok(Some(Destination::prepare(&url, args.force, &self.options)?))
    }
}

/// How buckets are reached from here, and whether copies are kept for the next time.
pub(crate) fn options(environment: &Environment, is_kept: bool, cancel: Cancel) -> RemoteOptions {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        RemoteOptions::needs_variable(&name).then_some((name, value))
    });
    let cache = pitree_store::cache::cache_directory(environment).join("objects");
    let now = u64::try_from(environment.now_ms()).unwrap_or(0);
    RemoteOptions {
        variables: variables.collect(),
        cache: is_kept.then_some(cache),
        now: SystemTime::UNIX_EPOCH + Duration::from_millis(now),
        cancel,
        ..RemoteOptions::new(std::env::temp_dir())
    }
}

/// The path of a data set: of a folder that a URL names, the folder; of a bucket, the URL.
pub(super) fn output_path(args: &ExtractArgs, workspace: &Workspace) -> Result<PathBuf> {
    match url_of(&args.output)? {
        Some(url) => Ok(url.folder().unwrap_or_else(|| PathBuf::from(url.to_string()))),
        None => Ok(paths::resolve(&args.output, &workspace.environment)),
    }
}

/// The bucket that a data set is written to.
pub(super) fn bucket_of(output: &Path) -> Result<Option<ObjectUrl>> {
    Ok(url_of(output)?.filter(|url| url.folder().is_none()))
}

fn url_of(path: &Path) -> Result<Option<ObjectUrl>> {
    let text = path.to_str().filter(|text| ObjectUrl::is_url(text));
    Ok(text.map(ObjectUrl::parse).transpose()?)
}

/// The data set that was replaced, with the time of the user's clock.
pub(super) fn in_words(earlier: EarlierDataSet, workspace: &Workspace) -> String {
    super::data_set_of(earlier.written_ms, earlier.samples as usize, workspace)
}

impl From<RemoteError> for CommandError {
    fn from(error: RemoteError) -> Self {
        let (message, hint) = (error.to_string(), Some(error.problem.advice().to_owned()));
        match error.problem {
            RemoteProblem::BadUrl(_) | RemoteProblem::NotBuilt | RemoteProblem::Settings(_) => {
                Self::Usage { message, hint }
            }
            _ => Self::BadData { message, hint },
        }
    }
}
