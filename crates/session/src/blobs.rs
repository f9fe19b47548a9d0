//! Images that the Rust port keeps beside the session file.
//!
//! The port moves large images into `X.jsonl.blobs/<sha256>` and leaves a reference in the line.
//! For the context the image is put back, so that the model sees what was meant. The reference
//! comes from a file, so only a plain name of 64 hexadecimal digits in that one folder is
//! followed, only to a regular file that is no link, and only if the file has that digest.
//!
//! A small session may name a large image many times. Each image is held once, however often it
//! stands in the contexts that are in use, and a context has no more than [`MOST_INLINED_BYTES`]
//! of them.

use std::collections::HashMap;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use pitree_format::Value;
use pitree_format::message::text_block;
use sha2::{Digest, Sha256};

use crate::session::{Session, open_regular};

/// The port keeps no larger ones.
const MAX_BLOB_BYTES: u64 = 64 << 20;

/// So much text of images is put into one context; an image counts as often as it stands there.
/// In place of a further one stands a text that says so.
const MOST_INLINED_BYTES: u64 = 256 << 20;

/// What is known of the images beside a session.
#[derive(Debug, Default)]
pub(crate) struct Blobs {
    /// The encoded text of images that a context holds.
    held: Mutex<HashMap<BlobName, Weak<String>>>,
    /// Whether a file has the digest that its name says. A small session may name a large file
    /// many times, and it is not read each time only to find that it is another one.
    sound: Mutex<HashMap<FileStamp, bool>>,
}

/// A digest, and the size and time of the file that has its name: one that is being written is
/// looked at again.
type FileStamp = (String, u64, Option<SystemTime>);

/// A digest, and whether its text ends with `=`.
type BlobName = (String, bool);

/// How much more a context takes.
pub(crate) struct InlineBudget(u64);

impl InlineBudget {
    pub(crate) fn new() -> Self {
        Self(MOST_INLINED_BYTES)
    }
}

/// A reference that is sound, and its file.
struct Reference {
    digest: String,
    is_padded: bool,
    path: PathBuf,
    len: u64,
    changed: Option<SystemTime>,
}

impl Session {
    /// Puts the images of a message back in place of their references. A reference that leads
    /// nowhere stays as it is.
    pub(crate) fn inline_blobs(&self, message: &mut Value, budget: &mut InlineBudget) {
        let Some(object) = message.as_object_mut() else { return };
        let Some(Value::Array(blocks)) = object.get_mut("content") else { return };
        // Most messages have none, and the folder is not looked for.
        if !blocks.iter().filter_map(|block| block.get("data")).any(is_reference) {
            return;
        }
        let Some(folder) = self.blob_folder() else { return };
        for block in blocks {
            let data = block.get("data").filter(|data| is_reference(data));
            let Some(found) = data.and_then(|data| Reference::find(&folder, data)) else {
                continue;
            };
            let text_len = found.len.div_ceil(3) * 4;
            if text_len > budget.0 {
                *block = text_block(format!(
                    "[image left out: the images of this context exceed {} MiB]",
                    MOST_INLINED_BYTES >> 20
                ));
            } else if let Some(image) = self.blobs.text(&found)
                && let Some(block) = block.as_object_mut()
            {
                budget.0 -= text_len;
                block.set("data", Value::String(image.into()));
            }
        }
    }

    /// Whether a reference in a message leads to no image, or to another one.
    pub(crate) fn has_lost_blob(&self, message: &Value) -> bool {
        let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
        let mut references =
            blocks.iter().filter_map(|block| block.get("data")).filter(|data| is_reference(data));
        references.any(|data| {
            let found = self.blob_folder().and_then(|folder| Reference::find(&folder, data));
            !found.is_some_and(|found| self.blobs.is_sound(&found))
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

impl Blobs {
    /// The encoded text of an image, the same one for all who ask. `None` if the file is not what
    /// its name says.
    fn text(&self, found: &Reference) -> Option<Arc<String>> {
        let name = (found.digest.clone(), found.is_padded);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = held.get(&name).and_then(Weak::upgrade) {
            return Some(text);
        }
        if self.known_soundness(found) == Some(false) {
            return None;
        }
        let mut bytes = Vec::new();
        let file = open_regular(&found.path).ok()?;
        file.take(MAX_BLOB_BYTES + 1).read_to_end(&mut bytes).ok()?;
        let is_sound =
            bytes.len() as u64 == found.len && hex(&Sha256::digest(&bytes)) == found.digest;
        self.note_soundness(found, is_sound);
        if !is_sound {
            return None;
        }
        let text = match found.is_padded {
            true => STANDARD.encode(bytes),
            false => STANDARD_NO_PAD.encode(bytes),
        };
        let text = Arc::new(text);
        held.retain(|_, text| text.strong_count() > 0);
        held.insert(name, Arc::downgrade(&text));
        Some(text)
    }

    /// Whether the file has the digest that its name says.
    fn is_sound(&self, found: &Reference) -> bool {
        self.known_soundness(found).unwrap_or_else(|| {
            let is_sound = digest_of(&found.path).is_some_and(|digest| digest == found.digest);
            self.note_soundness(found, is_sound);
            is_sound
        })
    }

    fn known_soundness(&self, found: &Reference) -> Option<bool> {
        let sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        sound.get(&found.stamp()).copied()
    }

    fn note_soundness(&self, found: &Reference, is_sound: bool) {
        let mut sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        sound.insert(found.stamp(), is_sound);
    }
}

fn is_reference(data: &Value) -> bool {
    data.get("$piBlob").is_some()
}

impl Reference {
    /// What a reference leads to, if it is well formed and the file has the promised size.
    fn find(folder: &Path, data: &Value) -> Option<Self> {
        let digest = data.get_string("$piBlob")?.as_str()?.strip_prefix("sha256:")?;
        if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let path = folder.join(digest);
        let metadata = fs_err::symlink_metadata(&path).ok()?;
        let len = metadata.len();
        let fits = data.get_number("sizeBytes").is_none_or(|size| size == len as f64);
        let encoding = data.get_string("encoding");
        (metadata.is_file() && fits && len <= MAX_BLOB_BYTES).then(|| Self {
            digest: digest.to_ascii_lowercase(),
            is_padded: encoding.is_none_or(|encoding| *encoding == "base64"),
            path,
            len,
            changed: metadata.modified().ok(),
        })
    }

    fn stamp(&self) -> FileStamp {
        (self.digest.clone(), self.len, self.changed)
    }
}

/// The digest of a file, read piece by piece.
fn digest_of(path: &Path) -> Option<String> {
    let mut file = open_regular(path).ok()?.take(MAX_BLOB_BYTES);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(folder: &Path, digest: &str) -> Reference {
        let data = pitree_format::Object::new().with("$piBlob", format!("sha256:{digest}"));
        Reference::find(folder, &data.into()).unwrap()
    }

    #[test]
    fn a_file_of_another_digest_is_read_once_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let digest = hex(&Sha256::digest(b"image"));
        let path = folder.path().join(&digest);
        fs_err::write(&path, "wrong").unwrap();
        let blobs = Blobs::default();
        let found = reference(folder.path(), &digest);
        assert!(blobs.text(&found).is_none());
        // The same size and time: whoever reads it again would find it sound.
        fs_err::write(&path, "image").unwrap();
        let file = fs_err::File::options().write(true).open(&path).unwrap();
        file.file().set_modified(found.changed.unwrap()).unwrap();
        let same = reference(folder.path(), &digest);
        assert!(blobs.text(&same).is_none() && !blobs.is_sound(&same));
        // One that was being written is looked at again.
        let later = found.changed.unwrap() + std::time::Duration::from_secs(1);
        file.file().set_modified(later).unwrap();
        let later = reference(folder.path(), &digest);
        assert!(blobs.is_sound(&later));
        assert_eq!(blobs.text(&later).unwrap().as_str(), STANDARD.encode("image"));
    }
}
