//! Bringing a finished data set into a bucket.
//!
//! A data set is whole if its card is there, so readers wait for `card.json`:
//!
//! 1. Large files go up in parts, which nobody sees before they are put together. Whatever fails up
//!    to here leaves the bucket as it was.
//! 2. A note with the names and hashes of all files is written, by which the next run knows an
//!    unfinished data set as ours, and the old card is removed.
//! 3. The large files are put together, the small ones written, and the card at last.
//! 4. What no longer belongs to the data set is removed, and then the note.
//!
//! Each file carries its hash as metadata, so that the next run sees without fetching it whether
//! somebody has changed it.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fs_err::File;
use futures_util::stream::FuturesUnordered;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{
    Attribute, Attributes, Error as StoreError, GetOptions, MultipartUpload, ObjectMeta,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload,
};
use pitree_format::js::parse;
use pitree_format::{Object, Value};
use pitree_session::make_private_directory;

use super::bucket::Bucket;
use super::destination::EarlierDataSet;
use super::{ObjectUrl, RemoteOptions};
use crate::error::{ExtractError, IoContext};
use crate::folder_conflict::FolderConflict;
use crate::names::{self, CARD};
use crate::output::Scratch;
use crate::output::replaceable::files_in_card;

/// The note about a data set that is being written.
const UNFINISHED: &str = ".pitree-unfinished.json";

/// The metadata with the hash of a file. Azure takes letters and digits only.
const HASH: &str = "pitreeblake3";

/// More parts of one file are not taken everywhere.
const MOST_PARTS: u64 = 9000;

/// So many parts of a file are in memory and on their way at once.
const PARTS_AT_ONCE: usize = 4;

/// Longer objects are not cards.
const MOST_CARD_BYTES: u64 = 256 << 20;

/// A data set on its way into a bucket.
pub(super) struct Upload {
    bucket: Bucket,
    replace_edited: bool,
    scratch: Scratch,
    earlier: Option<EarlierDataSet>,
}

/// A file of the data set.
struct LocalFile {
    name: String,
    path: PathBuf,
    bytes: u64,
    hash: String,
}

/// What is in the bucket, as far as it is ours.
#[derive(Default)]
struct Present {
    objects: Vec<String>,
    /// The names of our files with the hashes that they may have.
    own: BTreeMap<String, BTreeSet<String>>,
    card: Option<(Vec<u8>, ObjectMeta)>,
}

/// Parts that are in the bucket and not put together yet.
struct Pending {
    file: usize,
    upload: Box<dyn MultipartUpload>,
}

impl Upload {
    /// Looks whether the place is free, or holds what may be replaced.
    pub(super) fn prepare(
        url: &ObjectUrl,
        replace_edited: bool,
        options: &RemoteOptions,
    ) -> Result<Self, ExtractError> {
        let bucket = Bucket::of(url, options)?;
        let present = bucket.wait(Present::checked(&bucket, replace_edited))?;
        let folder = match &options.cache {
            Some(cache) => cache.join("uploads"),
            None => options.temporary.clone(),
        };
        make_private_directory(&folder)?;
        let scratch = Scratch::within(&folder)?;
        Ok(Self { bucket, replace_edited, scratch, earlier: present.data_set() })
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.scratch.path().join("data-set")
    }

    pub(super) fn earlier(&self) -> Option<EarlierDataSet> {
        self.earlier
    }

    pub(super) fn publish(self) -> Result<(), ExtractError> {
        let files = local_files(&self.folder())?;
        let mut pending = Vec::new();
        let bucket = &self.bucket;
        let done = bucket
            .wait(send_large(bucket, &files, &mut pending))
            .and_then(|()| bucket.wait(self.replace(&files, &mut pending)));
        if done.is_err() {
            // What cannot be removed is seen by nobody, and removed by the rules of the bucket.
            bucket.wait_anyway(async {
                for mut part in pending {
                    let _ = part.upload.abort().await;
                }
            });
        }
        done
    }

    /// Replaces what is there, now that all that takes long is done.
    async fn replace(
        &self,
        files: &[LocalFile],
        pending: &mut Vec<Pending>,
    ) -> Result<(), ExtractError> {
        let bucket = &self.bucket;
        let present = Present::checked(bucket, self.replace_edited).await?;
        put(bucket, UNFINISHED, present.note(files).into_bytes(), None).await?;
        if present.card.is_some() {
            delete(bucket, CARD).await?;
        }
        let is_large = |at: &usize| pending.iter().any(|part| part.file == *at);
        let small: Vec<usize> = (0..files.len()).filter(|at| !is_large(at)).collect();
        while let Some(mut part) = pending.pop() {
            if let Err(error) = complete(bucket, &files[part.file], &mut part).await {
                pending.push(part);
                return Err(error);
            }
        }
        let (card, small): (Vec<usize>, Vec<usize>) =
            small.into_iter().partition(|at| files[*at].name == CARD);
        let puts = stream::iter(small).map(|at| put_file(bucket, &files[at]));
        puts.buffer_unordered(bucket.limits.parallel.max(1)).try_collect::<()>().await?;
        for at in card {
            put_file(bucket, &files[at]).await?;
        }
        let names: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let is_old = |name: &&String| {
            !names.contains(name.as_str()) && *name != UNFINISHED && present.own.contains_key(*name)
        };
        for name in present.objects.iter().filter(is_old) {
            delete(bucket, name).await?;
        }
        delete(bucket, UNFINISHED).await
    }
}

/// The files of a data set with the hashes of its card.
fn local_files(folder: &Path) -> Result<Vec<LocalFile>, ExtractError> {
    let path = folder.join(CARD);
    let card = fs_err::read(&path).on("read", &path)?;
    let hash = blake3::hash(&card).to_hex().to_string();
    let listed = files_in_card(&card).ok_or(ExtractError::Unexpected("a card is not readable"))?;
    let listed = listed.into_iter().chain([(PathBuf::from(CARD), Some(hash))]);
    let file = |(name, hash): (PathBuf, Option<String>)| {
        let path = folder.join(&name);
        let bytes = fs_err::metadata(&path).on("access", &path)?.len();
        let hash = hash.unwrap_or_default();
        Ok(LocalFile { name: name.to_string_lossy().into_owned(), path, bytes, hash })
    };
    listed.map(file).collect()
}

/// Sends the parts of all large files.
async fn send_large(
    bucket: &Bucket,
    files: &[LocalFile],
    pending: &mut Vec<Pending>,
) -> Result<(), ExtractError> {
    let part = bucket.limits.part_bytes.max(1);
    for (at, file) in files.iter().enumerate().filter(|(_, file)| file.bytes > part) {
        let failed = |error: StoreError| bucket.failed("write", &file.name, &error);
        let options = PutMultipartOptions {
            attributes: attributes(&file.hash),
            ..PutMultipartOptions::default()
        };
        let path = bucket.path(&file.name)?;
        let begin = async || bucket.store.put_multipart_opts(&path, options.clone()).await;
        let upload = bucket.again(begin).await.map_err(failed)?;
        // From here on it is removed if anything fails.
        pending.push(Pending { file: at, upload });
        let Some(Pending { upload, .. }) = pending.last_mut() else { continue };
        let part = part.max(file.bytes.div_ceil(MOST_PARTS));
        let source = File::open(&file.path).on("read", &file.path)?;
        let mut sending = FuturesUnordered::new();
        let mut offset = 0;
        while offset < file.bytes {
            if sending.len() >= PARTS_AT_ONCE {
                sending.try_next().await.map_err(failed)?;
            }
            let len = part.min(file.bytes - offset) as usize;
            let mut bytes = vec![0; len];
            source.file().read_exact_at(&mut bytes, offset).on("read", &file.path)?;
            sending.push(upload.put_part(PutPayload::from(bytes)));
            offset += len as u64;
        }
        sending.try_collect::<()>().await.map_err(failed)?;
    }
    Ok(())
}

/// Puts the parts of a file together. If the answer was lost, asking again finds no parts, but the
/// file is there.
async fn complete(
    bucket: &Bucket,
    file: &LocalFile,
    part: &mut Pending,
) -> Result<(), ExtractError> {
    let Err(error) = part.upload.complete().await else { return Ok(()) };
    let is_there = has_hash(bucket, &file.name, &BTreeSet::from([file.hash.clone()])).await;
    if is_there.is_ok_and(|it| it == Some(true)) {
        // It may have had these bytes before.
        let _ = part.upload.abort().await;
        return Ok(());
    }
    Err(bucket.failed("write", &file.name, &error))
}

async fn put_file(bucket: &Bucket, file: &LocalFile) -> Result<(), ExtractError> {
    let bytes = fs_err::read(&file.path).on("read", &file.path)?;
    put(bucket, &file.name, bytes, Some(&file.hash)).await
}

async fn put(
    bucket: &Bucket,
    name: &str,
    bytes: Vec<u8>,
    hash: Option<&str>,
) -> Result<(), ExtractError> {
    let attributes = hash.map(attributes).unwrap_or_default();
    let options = PutOptions { attributes, ..PutOptions::default() };
    let path = bucket.path(name)?;
    let done = bucket.store.put_opts(&path, PutPayload::from(bytes), options).await;
    done.map(drop).map_err(|error| bucket.failed("write", name, &error))
}

/// Removes an object. One that is gone is as good as removed.
async fn delete(bucket: &Bucket, name: &str) -> Result<(), ExtractError> {
    match bucket.store.delete(&bucket.path(name)?).await {
        Ok(()) | Err(StoreError::NotFound { .. }) => Ok(()),
        Err(error) => Err(bucket.failed("remove", name, &error)),
    }
}

fn attributes(hash: &str) -> Attributes {
    Attributes::from_iter([(Attribute::Metadata(HASH.into()), hash.to_owned())])
}

/// Whether an object holds what has one of these hashes; `None` if it is gone. One that tells no
/// hash, because another program has brought it there, is fetched and hashed.
async fn has_hash(
    bucket: &Bucket,
    name: &str,
    hashes: &BTreeSet<String>,
) -> Result<Option<bool>, ExtractError> {
    let failed = |error: StoreError| bucket.failed("read", name, &error);
    let path = bucket.path(name)?;
    let head = GetOptions { head: true, ..GetOptions::default() };
    let found = match bucket.store.get_opts(&path, head).await {
        Err(StoreError::NotFound { .. }) => return Ok(None),
        other => other.map_err(failed)?,
    };
    if let Some(hash) = found.attributes.get(&Attribute::Metadata(HASH.into())) {
        return Ok(Some(hashes.contains(&**hash)));
    }
    let options = GetOptions { if_match: found.meta.e_tag.clone(), ..GetOptions::default() };
    let answer = bucket.store.get_opts(&path, options).await.map_err(failed)?;
    let mut body = answer.into_stream();
    let mut hasher = blake3::Hasher::new();
    while let Some(bytes) = body.try_next().await.map_err(failed)? {
        hasher.update(&bytes);
    }
    Ok(Some(hashes.contains(hasher.finalize().to_hex().as_str())))
}

impl Present {
    /// What is in the bucket, if it may be replaced.
    async fn checked(bucket: &Bucket, replace_edited: bool) -> Result<Self, ExtractError> {
        let listed = bucket.list().await?;
        if listed.is_empty() {
            return Ok(Self::default());
        }
        let taken = |why| ExtractError::OutputTaken { path: bucket.url.to_string().into(), why };
        let mut present = Self::default();
        let mut is_ours = false;
        for (name, meta) in listed.iter().filter(|(name, _)| *name == CARD || *name == UNFINISHED) {
            let Some(bytes) = small_object(bucket, name, meta).await? else { continue };
            let Some(files) = files_in_card(&bytes) else { continue };
            is_ours = true;
            for (file, hash) in files {
                let hashes = present.own.entry(file.to_string_lossy().into_owned()).or_default();
                hashes.extend(hash);
            }
            if name == CARD {
                present.card = Some((bytes, meta.clone()));
            }
        }
        if !is_ours {
            return Err(taken(FolderConflict::NoDataSet));
        }
        for name in names::FILES.into_iter().chain([UNFINISHED]) {
            present.own.entry(name.to_owned()).or_default();
        }
        let is_own = |(name, meta): &&(String, ObjectMeta)| {
            present.own.contains_key(name) || meta.size == 0 && present.has_below(name)
        };
        if let Some((name, _)) = listed.iter().find(|object| !is_own(object)) {
            return Err(taken(FolderConflict::Stranger(super::url::clean(name).into())));
        }
        present.objects = listed.into_iter().map(|(name, _)| name).collect();
        if !replace_edited && let Some(name) = present.edited(bucket).await? {
            return Err(taken(FolderConflict::Edited(name.into())));
        }
        Ok(present)
    }

    /// Whether a file of ours lies below this name: some programs leave an empty object for a
    /// folder.
    fn has_below(&self, name: &str) -> bool {
        let below = format!("{name}/");
        self.own.keys().any(|own| own.starts_with(&below))
    }

    /// The first of our files whose hash is none that we know.
    async fn edited(&self, bucket: &Bucket) -> Result<Option<String>, ExtractError> {
        let known = self.objects.iter().filter_map(|name| Some((name, self.own.get(name)?)));
        let known = known.filter(|(_, hashes)| !hashes.is_empty());
        let looks = stream::iter(known).map(|(name, hashes)| async move {
            let is_same = has_hash(bucket, name, hashes).await?;
            Ok::<_, ExtractError>((is_same == Some(false)).then(|| name.clone()))
        });
        let looks = looks.buffered(bucket.limits.parallel.max(1));
        let mut edited = looks.try_filter_map(|found| std::future::ready(Ok(found))).boxed_local();
        edited.try_next().await
    }

    /// The note about the files that are there and will be.
    fn note(&self, files: &[LocalFile]) -> String {
        let old = self.own.iter().flat_map(|(name, hashes)| {
            hashes.iter().map(move |hash| (name.as_str(), hash.as_str()))
        });
        let new = files.iter().map(|file| (file.name.as_str(), file.hash.as_str()));
        let file = |(name, hash): (&str, &str)| -> Value {
            Object::new().with("path", name).with("blake3", hash).into()
        };
        let note = Object::new()
            .with("card", 0.0)
            .with("generator", format!("{}{}", names::GENERATOR, env!("CARGO_PKG_VERSION")))
            .with("unfinished", true)
            .with("files", old.chain(new).map(file).collect::<Vec<_>>());
        let mut text = String::new();
        pitree_format::js::print(&note.into(), &mut text);
        text
    }

    fn data_set(&self) -> Option<EarlierDataSet> {
        let (card, meta) = self.card.as_ref()?;
        let samples = parse(card).ok()?.get("samples")?.get_number("total")?;
        let written_ms = meta.last_modified.timestamp_millis();
        Some(EarlierDataSet { samples: samples as u64, written_ms })
    }
}

/// What an object holds; `None` if it is too long for a card, or gone.
async fn small_object(
    bucket: &Bucket,
    name: &str,
    meta: &ObjectMeta,
) -> Result<Option<Vec<u8>>, ExtractError> {
    if meta.size > MOST_CARD_BYTES {
        return Ok(None);
    }
    let failed = |error: StoreError| bucket.failed("read", name, &error);
    let read = async || {
        let bytes = bucket.store.get(&meta.location).await?.bytes().await?;
        match bytes.len() as u64 == meta.size {
            true => Ok(bytes.to_vec()),
            false => {
                let source = "it came with another length than it has".into();
                Err(StoreError::Generic { store: "", source })
            }
        }
    };
    match bucket.again(read).await {
        Err(StoreError::NotFound { .. }) => Ok(None),
        other => other.map(Some).map_err(failed),
    }
}
