//! The folder that all who work on a plan see. What is in it has a name that is a hash of all that
//! it depends on, and takes that name when it is whole: so finished work is found again, and doing
//! it twice does no harm.

use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_session::make_private_directory;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use super::session::BUILD;
use crate::error::{ExtractError, IoContext};

/// Packs and facts.
const MAPS: &str = "maps";
/// Rounds and decisions.
const REDUCED: &str = "reduced";
/// Files of the data set.
const OUTPUT: &str = "output";

/// Ends a file that is whole.
const MAGIC: &[u8; 8] = b"pistage1";
const TAIL_BYTES: usize = 32 + 8;

/// The folder of a plan.
#[derive(Clone, Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    /// The plan that it is about.
    plan: String,
}

impl WorkFolder {
    /// Makes the folder if it is not there. Nobody but the user may read it.
    pub(crate) fn new(path: &Path, plan: String) -> Result<Self, ExtractError> {
        for name in [MAPS, REDUCED, OUTPUT] {
            make_private_directory(&path.join(name))?;
        }
        Ok(Self { path: path.to_owned(), plan })
    }

    /// The name of what a stage gives of these inputs.
    pub(crate) fn address(&self, stage: &str, inputs: &[&str]) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [&[self.plan.as_str(), BUILD, stage], inputs].concat() {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..40].to_owned()
    }

    /// A file of the work on a shard.
    pub(crate) fn map(&self, address: &str, ending: &str) -> PathBuf {
        self.path.join(MAPS).join(format!("{address}.{ending}"))
    }

    /// A file of what was decided.
    pub(crate) fn reduced(&self, address: &str, ending: &str) -> PathBuf {
        self.path.join(REDUCED).join(format!("{address}.{ending}"))
    }

    /// The folder with the files of an output shard.
    pub(crate) fn output(&self, address: &str) -> PathBuf {
        self.path.join(OUTPUT).join(address)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A new file beside the one that it will be. It goes if that does not come to pass.
pub(crate) fn beside(path: &Path) -> Result<NamedTempFile, ExtractError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    pitree_session::temporary_file_in(folder).on("write", path)
}

/// Gives a file its name, when the disk has it.
pub(crate) fn persist(file: NamedTempFile, path: &Path) -> Result<(), ExtractError> {
    file.as_file().sync_data().on("write", path)?;
    file.persist(path).map_err(|error| error.error).on("write", path)?;
    Ok(())
}

/// Writes a value that is read as a whole, with a checksum.
pub(crate) fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), ExtractError> {
    let mut bytes = encoded(value)?;
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes.extend_from_slice(MAGIC);
    let mut file = beside(path)?;
    file.write_all(&bytes).on("write", path)?;
    persist(file, path)
}

/// The bytes of a value.
pub(crate) fn encoded<T: Serialize>(value: &T) -> Result<Vec<u8>, ExtractError> {
    postcard::to_stdvec(value).map_err(|_| ExtractError::Unexpected("a result cannot be written"))
}

/// Reads a value that [`write`] wrote; `None` if it is not there.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ExtractError> {
    let bytes = match fs_err::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.on("read", path)?,
    };
    let damaged = |problem| ExtractError::Damaged { path: path.to_owned(), problem };
    let len = bytes.len().checked_sub(TAIL_BYTES).ok_or_else(|| damaged("it is cut off"))?;
    let (value, tail) = bytes.split_at(len);
    if tail[32..] != *MAGIC {
        return Err(damaged("it is cut off"));
    }
    if blake3::hash(value).as_bytes() != &tail[..32] {
        return Err(damaged("its checksum is wrong"));
    }
    postcard::from_bytes(value).map(Some).map_err(|_| damaged("it cannot be read"))
}
