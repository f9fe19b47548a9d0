//! A folder of this machine as a URL: its files are read where they are.

use std::path::Path;

use super::SESSION_END;
use super::mirror::{Mirror, MirroredObject};
use super::url::ObjectUrl;
use crate::error::{ExtractError, IoContext};
use crate::remote_error::RemoteProblem;

/// The files below a folder whose names end as those of sessions, at any depth. Links are not
/// followed: they may lead out of the folder.
pub(super) fn mirror(url: &ObjectUrl, folder: &Path) -> Result<Mirror, ExtractError> {
    let metadata = fs_err::symlink_metadata(folder);
    if metadata.as_ref().is_ok_and(std::fs::Metadata::is_file) {
        return Ok(single(url, folder));
    }
    if !metadata.is_ok_and(|found| found.is_dir()) {
        return Err(url.error("read", RemoteProblem::NotFound).into());
    }
    let mut objects = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs_err::read_dir(&next).on("read", &next)? {
            let entry = entry.on("read", &next)?;
            let (path, kind) = (entry.path(), entry.file_type().on("read", &next)?);
            if kind.is_dir() {
                open.push(path);
                continue;
            }
            let Some(name) = path.strip_prefix(folder).ok().and_then(Path::to_str) else {
                continue;
            };
            if kind.is_file() && name.ends_with(SESSION_END) {
                let size = entry.metadata().on("read", &path)?.len();
                let name = name.to_owned();
                objects.push(MirroredObject { name, file: path, size, etag: None });
            }
        }
    }
    Ok(Mirror::new(url.clone(), folder.to_owned(), objects))
}

/// One file that is named itself.
fn single(url: &ObjectUrl, file: &Path) -> Mirror {
    let (around, name) = url.split_last();
    let size = fs_err::metadata(file).map_or(0, |metadata| metadata.len());
    let object = MirroredObject { name, file: file.to_owned(), size, etag: None };
    let root = file.parent().unwrap_or(file).to_owned();
    Mirror::new(around, root, vec![object])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_levels_are_found_and_links_are_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(root.path()).unwrap();
        for name in ["in/a.jsonl", "in/x/y/b.jsonl", "in/x/c.txt", "out/d.jsonl"] {
            fs_err::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs_err::write(root.join(name), name).unwrap();
        }
        let link = |to: &str, at: &str| {
            fs_err::os::unix::fs::symlink(root.join(to), root.join(at)).unwrap();
        };
        link("out", "in/out");
        link("out/d.jsonl", "in/d.jsonl");
        let names = |path: &Path| {
            let url = ObjectUrl::parse(&format!("file://{}", path.display())).unwrap();
            let mirror = mirror(&url, &url.folder().unwrap())?;
            let names = mirror.objects().iter().map(|object| object.name.clone());
            Ok::<_, ExtractError>(names.collect::<Vec<_>>())
        };
        assert_eq!(names(&root.join("in")).unwrap(), ["a.jsonl", "x/y/b.jsonl"]);
        assert_eq!(names(&root.join("in/a.jsonl")).unwrap(), ["a.jsonl"]);
        let missing = names(&root.join("gone")).unwrap_err().to_string();
        assert!(missing.ends_with("/gone: it does not exist"), "{missing}");
    }
}
