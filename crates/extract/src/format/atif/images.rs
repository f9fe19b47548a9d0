//! The images of a trajectory: files beside it, since the form has no place for them inside.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The types of images that the form knows, and the endings of their files.
const TYPES: [(&str, &str); 4] =
    [("image/jpeg", "jpg"), ("image/png", "png"), ("image/gif", "gif"), ("image/webp", "webp")];

/// The images of a trajectory and of those inside it.
pub(super) struct Images<'a> {
    trajectory_id: &'a str,
    files: Vec<(String, Vec<u8>)>,
}

impl<'a> Images<'a> {
    pub(super) fn of(trajectory_id: &'a str) -> Self {
        Self { trajectory_id, files: Vec::new() }
    }

    /// Takes an image, and gives the name of its file. `None` for what the form does not know.
    pub(super) fn add(&mut self, mime_type: &str, base64: &str) -> Option<String> {
        let (_, ending) = TYPES.iter().find(|(known, _)| *known == mime_type)?;
        let bytes = STANDARD.decode(base64).ok()?;
        // No other trajectory has a file of this name.
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.trajectory_id.as_bytes());
        hasher.update(&(self.files.len() as u64).to_le_bytes()).update(&bytes);
        let name = format!("image-{}.{ending}", &hasher.finalize().to_hex()[..16]);
        self.files.push((name.clone(), bytes));
        Some(name)
    }

    /// The files, by name and content.
    pub(super) fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }
}
