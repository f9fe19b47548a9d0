//! Listing what lies below a URL, and bringing what is not there yet.
//!
//! The list pins the length and the state (`ETag`) of each object, and each request asks for that
//! state alone. So what is read is what was listed, or the run ends and says that it changed.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as ObjectPath;
use object_store::{Error as StoreError, GetOptions, GetRange, ObjectMeta, ObjectStoreExt};
use tokio::sync::Semaphore;

use super::bucket::{Bucket, MOST_TRIES};
use super::copies::Copies;
use super::later::Later;
use super::mirror::{Mirror, MirroredObject};
use super::planned::PlannedObject;
use super::url::ObjectUrl;
use super::{Gathered, RemoteOptions, SESSION_END};
use crate::error::{ExtractError, IoContext};
use crate::remote_error::RemoteProblem;

/// The objects below a URL, as files.
pub(super) fn mirror(
    url: &ObjectUrl,
    options: &RemoteOptions,
    gathered: &mut Gathered,
) -> Result<Mirror, ExtractError> {
    let bucket = Bucket::of(url, options)?;
    let (bucket, listed) = listed(bucket, options)?;
    let url = bucket.url.clone();
    let copies = Copies::of(&url, options)?;
    let object = |(name, meta): &(String, ObjectMeta)| {
        // Without a state the time has to do.
        let etag = meta.e_tag.clone().unwrap_or_else(|| meta.last_modified.to_rfc3339());
        let file = copies.file(name, meta.size, &etag);
        MirroredObject { name: name.clone(), file, size: meta.size, etag: Some(etag) }
    };
    let objects: Vec<MirroredObject> = listed.iter().map(object).collect();
    copies.hold(&objects);
    let missing: Vec<Wanted<'_>> = objects
        .iter()
        .zip(&listed)
        .filter(|(object, _)| !copies.has(&object.file, object.size))
        .map(|(object, (_, meta))| Wanted::listed(object, meta))
        .collect();
    fetch_all(&bucket, &copies, &missing, options)?;
    gathered.fetched += missing.len();
    gathered.fetched_bytes += missing.iter().map(|it| it.object.size).sum::<u64>();
    gathered.kept += objects.len() - missing.len();
    let root = copies.folder.clone();
    Ok(Mirror::new(url, root, objects).holding(copies))
}

/// The objects of a plan, of which only those copies are there that were fetched before.
pub(super) fn planned(
    url: &ObjectUrl,
    objects: &[PlannedObject],
    options: &RemoteOptions,
) -> Result<Mirror, ExtractError> {
    let copies = Copies::of(url, options)?;
    let object = |PlannedObject { name, bytes, etag }: &PlannedObject| {
        let file = copies.file(name, *bytes, etag.as_deref().unwrap_or_default());
        MirroredObject { name: name.clone(), file, size: *bytes, etag: etag.clone() }
    };
    let objects: Vec<MirroredObject> = objects.iter().map(object).collect();
    copies.hold(&objects);
    let root = copies.folder.clone();
    let mirror = Mirror::new(url.clone(), root, objects).fetched_later(Later::new(options));
    Ok(mirror.holding(copies))
}

/// Brings copies of a plan, as far as they are not there.
pub(super) fn bring(
    mirror: &Mirror,
    places: &[usize],
    options: &RemoteOptions,
) -> Result<(), ExtractError> {
    let Some(copies) = mirror.held() else { return Ok(()) };
    let objects = places.iter().map(|at| &mirror.objects()[*at]);
    let missing: Vec<&MirroredObject> =
        objects.filter(|object| !copies.has(&object.file, object.size)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let bucket = Bucket::of(mirror.url(), options)?;
    let wanted = missing.into_iter().map(|object| Wanted::planned(object, &bucket));
    let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
    fetch_all(&bucket, copies, &wanted, options)
}

/// Brings copies, several at a time.
fn fetch_all(
    bucket: &Bucket,
    copies: &Copies,
    missing: &[Wanted<'_>],
    options: &RemoteOptions,
) -> Result<(), ExtractError> {
    let fetching = Fetching {
        bucket,
        copies,
        permits: Semaphore::new(options.limits.parallel.max(1)),
        done: AtomicUsize::new(0),
    };
    let step = |total: usize| {
        let done = fetching.done.fetch_add(1, Ordering::Relaxed) + 1;
        options.progress.iter().for_each(|progress| progress.step(done, total));
    };
    bucket.wait(async {
        let all = stream::iter(missing).map(|wanted| async {
            fetching.object(wanted).await?;
            step(missing.len());
            Ok::<_, ExtractError>(())
        });
        all.buffer_unordered(options.limits.parallel.max(1)).try_collect::<()>().await
    })
}

/// The sessions below the URL of a bucket, or the one that it names itself; then the URL is what is
/// around it.
fn listed(
    bucket: Bucket,
    options: &RemoteOptions,
) -> Result<(Bucket, Vec<(String, ObjectMeta)>), ExtractError> {
    if bucket.url.prefix().ends_with(SESSION_END) {
        let path = bucket.path("")?;
        let found = bucket.wait(async {
            match bucket.store.head(&path).await {
                Err(StoreError::NotFound { .. }) => Ok(None),
                other => other.map(Some).map_err(|error| bucket.failed("read", "", &error)),
            }
        })?;
        if let Some(meta) = found {
            let (around, name) = bucket.url.split_last();
            return Ok((Bucket::of(&around, options)?, vec![(name, meta)]));
        }
    }
    let mut found = bucket.wait(bucket.list())?;
    found.retain(|(name, _)| name.ends_with(SESSION_END));
    Ok((bucket, found))
}

/// The state that an `ETag` tells. Azure lists it without quotes.
fn state(etag: &str) -> &str {
    etag.trim_start_matches("W/").trim_matches('"')
}

/// An object that is to be fetched, and how it is known again.
struct Wanted<'o> {
    object: &'o MirroredObject,
    location: ObjectPath,
    /// What the server is asked for, if it has told that in these words.
    if_match: Option<String>,
    /// What is read if the server does not tell a state.
    modified: String,
    /// What is wrong if it is another one.
    changed: RemoteProblem,
}

impl<'o> Wanted<'o> {
    fn listed(object: &'o MirroredObject, meta: &ObjectMeta) -> Self {
        Self {
            object,
            location: meta.location.clone(),
            if_match: meta.e_tag.clone(),
            modified: meta.last_modified.to_rfc3339(),
            changed: RemoteProblem::Changed,
        }
    }

    /// Of a plan: what is pinned is a state, or a time.
    fn planned(object: &'o MirroredObject, bucket: &Bucket) -> Result<Self, ExtractError> {
        Ok(Self {
            object,
            location: bucket.path(&object.name)?,
            if_match: None,
            modified: object.etag.clone().unwrap_or_default(),
            changed: RemoteProblem::ChangedSincePlan,
        })
    }

    /// Whether this is the object in the state that is wanted.
    fn is(&self, answered: &ObjectMeta) -> bool {
        let pinned = self.object.etag.as_deref().map(state);
        let is_state = answered.e_tag.as_deref().map(state) == pinned;
        let has_states = answered.e_tag.is_some() && self.if_match.is_some();
        is_state || !has_states && answered.last_modified.to_rfc3339() == self.modified
    }
}

struct Fetching<'a> {
    bucket: &'a Bucket,
    copies: &'a Copies,
    /// One for each request that may be under way.
    permits: Semaphore,
    done: AtomicUsize,
}

impl Fetching<'_> {
    /// Brings an object, in parts if it is large.
    async fn object(&self, wanted: &Wanted<'_>) -> Result<(), ExtractError> {
        let object = wanted.object;
        let copy = self.copies.begin(&object.file)?;
        let part = self.bucket.limits.part_bytes.max(1);
        let parts = object.size.div_ceil(part).max(1);
        let parts = stream::iter(0..parts).map(|at| {
            let range = at * part..((at + 1) * part).min(object.size);
            self.part(wanted, range, copy.as_file())
        });
        parts.buffer_unordered(self.bucket.limits.parallel.max(1)).try_collect::<()>().await?;
        copy.persist(&object.file).map_err(|error| error.error).on("write", &object.file)?;
        Ok(())
    }

    async fn part(
        &self,
        wanted: &Wanted<'_>,
        range: std::ops::Range<u64>,
        copy: &File,
    ) -> Result<(), ExtractError> {
        let expected = range.end - range.start;
        let mut wait = self.bucket.limits.first_wait;
        let mut received = 0;
        for _ in 0..MOST_TRIES {
            let permit = self.permits.acquire().await;
            received = self.try_part(wanted, &range, copy).await?;
            drop(permit);
            if received == expected {
                return Ok(());
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(self.bucket.limits.longest_wait);
        }
        let (expected, received) = (wanted.object.size, range.start + received);
        let problem = RemoteProblem::WrongLength { expected, received };
        Err(self.bucket.problem("read", &wanted.object.name, problem))
    }

    /// Asks for a part once, besides the retries of the library, and says how many bytes came.
    async fn try_part(
        &self,
        wanted: &Wanted<'_>,
        range: &std::ops::Range<u64>,
        copy: &File,
    ) -> Result<u64, ExtractError> {
        let object = wanted.object;
        let changed = || self.bucket.problem("read", &object.name, wanted.changed.clone());
        let failed = |error: StoreError| match error {
            // It was there when it was listed.
            StoreError::NotFound { .. } => changed(),
            other => self.bucket.failed("read", &object.name, &other),
        };
        let is_whole = *range == (0..object.size);
        let options = GetOptions {
            if_match: wanted.if_match.clone(),
            range: (!is_whole).then(|| GetRange::Bounded(range.clone())),
            ..GetOptions::default()
        };
        let answer = self.get(&wanted.location, options).await.map_err(failed)?;
        if !wanted.is(&answer.meta) {
            return Err(changed());
        }
        if answer.meta.size != object.size {
            return Ok(answer.meta.size.saturating_sub(range.start));
        }
        let expected = range.end - range.start;
        let mut body = answer.into_stream();
        let mut received = 0;
        while received < expected
            && let Some(bytes) = body.try_next().await.map_err(failed)?
        {
            let len = bytes.len() as u64;
            if received + len > expected {
                return Ok(received + len);
            }
            copy.write_all_at(&bytes, range.start + received).on("write", &object.file)?;
            received += len;
        }
        Ok(received)
    }

    async fn get(
        &self,
        location: &ObjectPath,
        options: GetOptions,
    ) -> object_store::Result<object_store::GetResult> {
        self.bucket.store.get_opts(location, options).await
    }
}
