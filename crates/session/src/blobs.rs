//! Images that the Rust port keeps beside the session file.
//!
//! The port moves large images into `X.jsonl.blobs/<sha256>` and leaves a reference in the line.
//! For the context the image is put back, so that the model sees what was meant. The reference
//! comes from a file, so only a plain name of 64 hexadecimal digits in that one folder is
//! followed, and only to a regular file that is no link.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use pitree_format::Value;

use crate::session::Session;

/// The port keeps no larger ones.
const MAX_BLOB_BYTES: u64 = 64 << 20;

impl Session {
    /// Puts the images of a message back in place of their references. A reference that leads
    /// nowhere stays as it is.
    pub(crate) fn inline_blobs(&self, message: &mut Value) {
        let Some(object) = message.as_object_mut() else { return };
        let Some(Value::Array(blocks)) = object.get_mut("content") else { return };
        let mut references = blocks.iter_mut().filter_map(reference);
        // Most messages have none, and the folder is not looked for.
        let Some(first) = references.next() else { return };
        let Some(folder) = self.blob_folder() else { return };
        for data in std::iter::once(first).chain(references) {
            if let Some(image) = read_blob(&folder, data) {
                *data = image.into();
            }
        }
    }

    /// Whether a reference in a message leads to no image.
    pub(crate) fn has_lost_blob(&self, message: &Value) -> bool {
        let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
        blocks.iter().filter_map(|block| block.get("data")).any(|data| {
            is_reference(data)
                && self.blob_folder().is_none_or(|folder| blob_path(&folder, data).is_none())
        })
    }

    fn blob_folder(&self) -> Option<PathBuf> {
        let mut name = self.path()?.as_os_str().to_owned();
        name.push(".blobs");
        let folder = PathBuf::from(name);
        // A link here could lead anywhere.
        fs_err::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_dir()).then_some(folder)
    }
}

/// What a block has in place of its image.
fn reference(block: &mut Value) -> Option<&mut Value> {
    block.as_object_mut()?.get_mut("data").filter(|data| is_reference(data))
}

fn is_reference(data: &Value) -> bool {
    data.get("$piBlob").is_some()
}

/// The file of a reference, if the reference is sound and the file has the promised size.
fn blob_path(folder: &Path, data: &Value) -> Option<PathBuf> {
    let digest = data.get_string("$piBlob")?.as_str()?.strip_prefix("sha256:")?;
    if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let path = folder.join(digest);
    let metadata = fs_err::symlink_metadata(&path).ok()?;
    let size = data.get_number("sizeBytes");
    let fits = size.is_none_or(|size| size == metadata.len() as f64);
    (metadata.is_file() && fits && metadata.len() <= MAX_BLOB_BYTES).then_some(path)
}

fn read_blob(folder: &Path, data: &Value) -> Option<String> {
    let bytes = fs_err::read(blob_path(folder, data)?).ok()?;
    let padded = data.get_string("encoding").is_none_or(|encoding| *encoding == "base64");
    Some(if padded { STANDARD.encode(bytes) } else { STANDARD_NO_PAD.encode(bytes) })
}
