//! The folders of the trash, and what they say of their items.

use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use pitree_format::js::date::parse_iso;
use pitree_session::{Environment, cause};

use super::{Item, RestoreError};
use crate::Unreadable;

/// What is written of an item is never longer.
const LONGEST_INFO: u64 = 64 << 10;

/// A folder of the trash.
pub(super) struct TrashCan {
    folder: PathBuf,
    /// The folder that the paths of its items begin at; `None` for the trash of the home, whose
    /// paths are whole.
    top: Option<PathBuf>,
}

impl TrashCan {
    /// The trash of the home, and those of the disks of these folders.
    pub(super) fn all(
        environment: &Environment,
        folders: &[PathBuf],
    ) -> Result<Vec<Self>, RestoreError> {
        let data = environment.var("XDG_DATA_HOME").map(PathBuf::from);
        let data = data.filter(|data| data.is_absolute());
        let data = data.unwrap_or_else(|| environment.home().join(".local/share"));
        let mut cans = vec![Self { folder: data.join("Trash"), top: None }];
        let user = rustix::process::getuid().as_raw();
        let mut tops: Vec<&Path> = folders.iter().flat_map(|folder| folder.ancestors()).collect();
        tops.sort_unstable();
        tops.dedup();
        for top in tops.into_iter().filter(|top| top.is_absolute()) {
            for name in [format!(".Trash-{user}"), format!(".Trash/{user}")] {
                let folder = top.join(name);
                // It must be the user's own, and no link to a place where somebody else writes.
                let metadata = fs_err::symlink_metadata(&folder);
                if metadata.is_ok_and(|folder| folder.is_dir() && folder.uid() == user) {
                    cans.push(Self { folder, top: Some(top.to_owned()) });
                }
            }
        }
        Ok(cans)
    }

    /// Adds what lies in it.
    pub(super) fn read(&self, items: &mut Vec<Item>, unreadable: &mut Vec<Unreadable>) {
        let infos = self.folder.join("info");
        let entries = match fs_err::read_dir(&infos) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => {
                unreadable.push((infos, cause(&error).to_string()));
                return;
            }
        };
        for info in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
            let Some(name) = info.file_stem() else { continue };
            if info.extension().is_none_or(|end| end != "trashinfo") {
                continue;
            }
            let trashed = self.folder.join("files").join(name);
            match fs_err::symlink_metadata(&trashed) {
                Ok(_) => items.extend(self.item(info, trashed)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => unreadable.push((trashed, cause(&error).to_string())),
            }
        }
    }

    fn item(&self, info: PathBuf, trashed: PathBuf) -> Option<Item> {
        let mut text = Vec::new();
        fs_err::File::open(&info).ok()?.take(LONGEST_INFO).read_to_end(&mut text).ok()?;
        let value = |name: &str| {
            text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(name.as_bytes()))
        };
        let path = urlencoding::decode_binary(value("Path=")?).into_owned();
        let path = self.place(PathBuf::from(std::ffi::OsString::from_vec(path)))?;
        let deleted_local_ms = value("DeletionDate=").and_then(|date| parse_iso(date.trim_ascii()));
        Some(Item { path, trashed, info, deleted_local_ms })
    }

    /// Where an item was; `None` if that cannot be.
    fn place(&self, path: PathBuf) -> Option<PathBuf> {
        let is_straight = |path: &Path| {
            let mut parts = path.components();
            parts.all(|part| matches!(part, Component::Normal(_) | Component::RootDir))
        };
        let path = match &self.top {
            None => Some(path).filter(|path| path.is_absolute()),
            Some(top) if path.is_absolute() => Some(path).filter(|path| path.starts_with(top)),
            Some(top) => Some(top.join(path)),
        };
        path.filter(|path| is_straight(path) && path.file_name().is_some())
    }
}
