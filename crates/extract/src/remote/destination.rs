//! Where a data set goes that is written to a URL.
//!
//! It is made in a folder of this machine and brought to its place when it is complete. A folder
//! that a URL names is written as any other.

use std::path::{Path, PathBuf};

#[cfg(feature = "object-store")]
use super::publish::Upload;
use super::{ObjectUrl, RemoteOptions};
use crate::error::ExtractError;
#[cfg(not(feature = "object-store"))]
use crate::remote_error::RemoteProblem;

/// Where a data set goes that is written to a URL.
pub struct Destination {
    /// Where it is made.
    folder: PathBuf,
    #[cfg(feature = "object-store")]
    upload: Option<Upload>,
}

/// The data set that has been at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierDataSet {
    /// How many samples its card counts.
    pub samples: u64,
    /// When it was written, in milliseconds since 1970.
    pub written_ms: i64,
}

impl Destination {
    /// Looks at a place before the work begins.
    ///
    /// # Errors
    /// Fails if something is there that is not a data set of ours, or one whose files somebody has
    /// changed, unless `replace_edited`; and if the place cannot be reached.
    pub fn prepare(
        url: &ObjectUrl,
        replace_edited: bool,
        options: &RemoteOptions,
    ) -> Result<Self, ExtractError> {
        if let Some(folder) = url.folder() {
            return Ok(Self {
                folder,
                #[cfg(feature = "object-store")]
                upload: None,
            });
        }
        Self::in_bucket(url, replace_edited, options)
    }

    #[cfg(feature = "object-store")]
    fn in_bucket(
        url: &ObjectUrl,
        replace_edited: bool,
        options: &RemoteOptions,
    ) -> Result<Self, ExtractError> {
        let upload = Upload::prepare(url, replace_edited, options)?;
        Ok(Self { folder: upload.folder(), upload: Some(upload) })
    }

    #[cfg(not(feature = "object-store"))]
    fn in_bucket(url: &ObjectUrl, _: bool, _: &RemoteOptions) -> Result<Self, ExtractError> {
        Err(url.error("write to", RemoteProblem::NotBuilt).into())
    }

    /// The folder in which the data set is to be made.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The data set that is in the bucket and will be replaced.
    pub fn earlier(&self) -> Option<EarlierDataSet> {
        #[cfg(feature = "object-store")]
        return self.upload.as_ref().and_then(Upload::earlier);
        #[cfg(not(feature = "object-store"))]
        None
    }

    /// Brings the finished data set to its place, where it appears whole.
    ///
    /// # Errors
    /// Fails if the place cannot be written to, or if something has come there meanwhile. Unless
    /// nearly all was done, what was there before is there as it was.
    pub fn publish(self) -> Result<(), ExtractError> {
        #[cfg(feature = "object-store")]
        if let Some(upload) = self.upload {
            return upload.publish();
        }
        Ok(())
    }
}
