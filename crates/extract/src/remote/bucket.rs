//! A bucket that is asked without waiting for anything else: the runtime of `tokio` and all that is
//! asynchronous stay in here and in the modules beside it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path as ObjectPath;
use object_store::{BackoffConfig, Error as StoreError, ObjectMeta, ObjectStore, RetryConfig};
use pitree_session::summary::Cancel;
use tokio::runtime::Runtime;

use super::answer::{Secrets, problem_of};
use super::transport::{Connector, trusted_roots};
use super::url::{ObjectUrl, Scheme};
use super::{RemoteLimits, RemoteOptions};
use crate::error::ExtractError;
use crate::remote_error::{RemoteError, RemoteProblem};

/// So often it is looked whether the work shall stop.
const CANCEL_EVERY: Duration = Duration::from_millis(50);

/// So often is asked whose answers come broken.
pub(super) const MOST_TRIES: usize = 4;

/// After this time nothing is retried any more.
const LONGEST_RETRYING: Duration = Duration::from_secs(180);

/// A certificate authority of the user's own.
const CERTIFICATES: [&str; 2] = ["AWS_CA_BUNDLE", "SSL_CERT_FILE"];

/// The bucket of a URL.
pub(super) struct Bucket {
    runtime: Runtime,
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) url: ObjectUrl,
    pub(super) limits: RemoteLimits,
    secrets: Secrets,
    cancel: Cancel,
}

impl Bucket {
    /// The bucket of a URL. Nothing is asked yet.
    pub(super) fn of(url: &ObjectUrl, options: &RemoteOptions) -> Result<Self, ExtractError> {
        let secrets = Secrets::of(&options.variables);
        let settings = |why: String| {
            ExtractError::from(url.error("use", RemoteProblem::Settings(secrets.hidden(&why))))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| settings(error.to_string()))?;
        let file = CERTIFICATES.iter().find_map(|name| options.variable(name)).map(PathBuf::from);
        let roots = trusted_roots(file.as_deref()).map_err(settings)?;
        let connector = Connector::new(roots, options.limits);
        let connector = connector.map_err(|error| settings(error.to_string()))?;
        let store = store_of(url, options, connector).map_err(|error| settings(short(&error)))?;
        let (limits, cancel) = (options.limits, options.cancel.clone());
        Ok(Self { runtime, store, url: url.clone(), limits, secrets, cancel })
    }

    /// Waits for this, unless the work is to stop.
    pub(super) fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, ExtractError>>,
    ) -> Result<T, ExtractError> {
        let cancelled = async {
            while !self.cancel.is_cancelled() {
                tokio::time::sleep(CANCEL_EVERY).await;
            }
            Err(ExtractError::Cancelled)
        };
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                stopped = cancelled => stopped,
                done = work => done,
            }
        })
    }

    /// Waits for this even if the work is to stop: it cleans up.
    pub(super) fn wait_anyway<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The name that an object below the URL has in its bucket.
    pub(super) fn path(&self, below: &str) -> Result<ObjectPath, ExtractError> {
        let prefix = self.url.prefix();
        let key = match (prefix.as_str(), below) {
            ("", below) => below.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, below) => format!("{prefix}/{below}"),
        };
        ObjectPath::parse(&key)
            .map_err(|_| self.url.error("use", RemoteProblem::BadName(key)).into())
    }

    /// All objects below the URL, by their names below it.
    pub(super) async fn list(&self) -> Result<Vec<(String, ObjectMeta)>, ExtractError> {
        let prefix = self.path("")?;
        let above = if prefix.as_ref().is_empty() { 0 } else { prefix.as_ref().len() + 1 };
        let list = async || self.store.list(Some(&prefix)).try_collect::<Vec<ObjectMeta>>().await;
        let found = self.again(list).await;
        let found = found.map_err(|error| self.failed("list", "", &error))?;
        let name = |meta: ObjectMeta| {
            let name = meta.location.as_ref().get(above..).unwrap_or_default().to_owned();
            (name, meta)
        };
        Ok(found.into_iter().map(name).filter(|(name, _)| !name.is_empty()).collect())
    }

    /// Asks again if an answer broke off: the library repeats requests, but reads most answers once.
    pub(super) async fn again<T>(
        &self,
        mut ask: impl AsyncFnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut wait = self.limits.first_wait;
        for _ in 1..MOST_TRIES {
            match ask().await {
                Err(error) if has_broken_off(&error) => tokio::time::sleep(wait).await,
                other => return other,
            }
            wait = (wait * 2).min(self.limits.longest_wait);
        }
        ask().await
    }

    /// An error about an object below the URL, or about the URL itself.
    pub(super) fn failed(
        &self,
        doing: &'static str,
        below: &str,
        error: &StoreError,
    ) -> ExtractError {
        self.problem(doing, below, problem_of(error, &self.secrets))
    }

    pub(super) fn problem(
        &self,
        doing: &'static str,
        below: &str,
        problem: RemoteProblem,
    ) -> ExtractError {
        let url = match below {
            "" => self.url.to_string(),
            below => self.url.of_object(below),
        };
        RemoteError { doing, url, problem }.into()
    }
}

/// The store of a URL with the settings that the variables give.
fn store_of(
    url: &ObjectUrl,
    options: &RemoteOptions,
    connector: Connector,
) -> object_store::Result<Arc<dyn ObjectStore>> {
    let limits = options.limits;
    let retry = RetryConfig {
        backoff: BackoffConfig {
            init_backoff: limits.first_wait,
            max_backoff: limits.longest_wait,
            base: 2.0,
        },
        max_retries: limits.retries,
        retry_timeout: LONGEST_RETRYING,
    };
    Ok(match url.scheme() {
        Scheme::S3 => {
            let mut builder = AmazonS3Builder::new().with_retry(retry);
            for (key, value) in options.settings("AWS_") {
                if let Ok(key) = key.parse() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_bucket_name(url.bucket());
            Arc::new(builder.with_http_connector(connector).build()?)
        }
        Scheme::Az => {
            let mut builder = MicrosoftAzureBuilder::new().with_retry(retry);
            for (key, value) in options.settings("AZURE_") {
                if let Ok(key) = key.parse() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_container_name(url.bucket());
            Arc::new(builder.with_http_connector(connector).build()?)
        }
        Scheme::Gs => {
            let mut builder = GoogleCloudStorageBuilder::new().with_retry(retry);
            if let Some(path) = options.variable("SERVICE_ACCOUNT") {
                builder = builder.with_service_account_path(path);
            }
            for (key, value) in options.settings("GOOGLE_") {
                if let Ok(key) = key.parse() {
                    builder = builder.with_config(key, value);
                }
            }
            let builder = builder.with_bucket_name(url.bucket());
            Arc::new(builder.with_http_connector(connector).build()?)
        }
        Scheme::File => {
            return Err(StoreError::NotSupported { source: "a folder is not a bucket".into() });
        }
    })
}

/// Whether an error is not the last of several tries of the library, which tells of these.
fn has_broken_off(error: &StoreError) -> bool {
    matches!(error, StoreError::Generic { .. }) && !error.to_string().contains("max_retries")
}

/// What a builder complains about, without the name of the store, which the URL tells.
fn short(error: &StoreError) -> String {
    match error {
        StoreError::Generic { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}
