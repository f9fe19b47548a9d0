//! What lay below URLs when a data set was planned, as data for those who work on it elsewhere.
//!
//! The list pins the length and the state of each object, so nothing is listed again. An object is
//! fetched when somebody needs it, and only in that state.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::mirror::{Mirror, MirroredObject, Mirrors};
use super::{ObjectUrl, RemoteOptions};
use crate::error::ExtractError;
#[cfg(not(feature = "object-store"))]
use crate::remote_error::RemoteProblem;

/// What lay below a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedBucket {
    url: String,
    objects: Vec<PlannedObject>,
}

/// An object below a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlannedObject {
    /// Its name below the URL.
    pub(super) name: String,
    pub(super) bytes: u64,
    /// What tells this state of it from others; a folder of a machine has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) etag: Option<String>,
}

impl Mirrors {
    /// All objects as data.
    ///
    /// # Errors
    /// Fails if two of them have one URL, so that a plan could not tell them apart.
    pub(crate) fn planned(&self) -> Result<Vec<PlannedBucket>, ExtractError> {
        let mut copies: HashMap<String, &Path> = HashMap::new();
        for mirror in self.each() {
            for object in mirror.objects() {
                let url = mirror.url().of_object(&object.name);
                if let Some(other) = copies.insert(url.clone(), &object.file)
                    && other != object.file
                {
                    return Err(ExtractError::Plan(format!(
                        "{url} is among the sessions twice, and a plan can name it once; name only \
                         URLs that do not lie in each other"
                    )));
                }
            }
        }
        Ok(self.each().map(PlannedBucket::of).collect())
    }

    /// The objects of a plan, in the copies of this machine.
    ///
    /// # Errors
    /// Fails if something is not a URL, or if this machine has no place for copies.
    pub(crate) fn of_plan(
        buckets: &[PlannedBucket],
        options: &RemoteOptions,
    ) -> Result<Self, ExtractError> {
        let mirror = |bucket: &PlannedBucket| {
            let url = ObjectUrl::parse(&bucket.url)?;
            match url.folder() {
                Some(folder) => Ok(bucket.in_folder(url, &folder)),
                None => in_bucket(&url, &bucket.objects, options),
            }
        };
        Ok(Self::new(buckets.iter().map(mirror).collect::<Result<_, ExtractError>>()?))
    }
}

impl PlannedBucket {
    fn of(mirror: &Mirror) -> Self {
        let object = |object: &MirroredObject| PlannedObject {
            name: object.name.clone(),
            bytes: object.size,
            etag: object.etag.clone(),
        };
        Self {
            url: mirror.url().to_string(),
            objects: mirror.objects().iter().map(object).collect(),
        }
    }

    /// The files of a folder, where they are.
    fn in_folder(&self, url: ObjectUrl, folder: &Path) -> Mirror {
        let object = |planned: &PlannedObject| MirroredObject {
            name: planned.name.clone(),
            file: folder.join(&planned.name),
            size: planned.bytes,
            etag: None,
        };
        Mirror::new(url, folder.to_owned(), self.objects.iter().map(object).collect())
    }
}

#[cfg(feature = "object-store")]
fn in_bucket(
    url: &ObjectUrl,
    objects: &[PlannedObject],
    options: &RemoteOptions,
) -> Result<Mirror, ExtractError> {
    super::fetch::planned(url, objects, options)
}

#[cfg(not(feature = "object-store"))]
fn in_bucket(
    url: &ObjectUrl,
    _: &[PlannedObject],
    _: &RemoteOptions,
) -> Result<Mirror, ExtractError> {
    Err(url.error("read", RemoteProblem::NotBuilt).into())
}
