//! Which folder a data set may take the place of: an empty one, or a data set of ours in which
//! nothing else lies. Whatever is replaced is removed, so a file that no run has written (a note, a
//! key, a repository) must never be among it.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_format::js::parse;

use crate::error::{ExtractError, IoContext};
use crate::folder_conflict::FolderConflict;
use crate::names::{self, CARD};

/// Longer files are no card.
const MOST_CARD_BYTES: u64 = 1 << 30;

/// Refuses a place that holds anything else than a data set of ours, and one whose files do not
/// have the hashes of its card, unless `edited` ones may go.
pub(crate) fn check(place: &Path, edited: bool) -> Result<(), ExtractError> {
    let metadata = match fs_err::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.on("access", place)?,
    };
    let taken = match metadata.file_type() {
        kind if kind.is_symlink() => Some(FolderConflict::Link),
        kind if !kind.is_dir() => Some(FolderConflict::NotAFolder),
        _ => in_folder(place, edited).on("read", place)?,
    };
    match taken {
        Some(why) => Err(ExtractError::OutputTaken { path: place.to_owned(), why }),
        None => Ok(()),
    }
}

fn in_folder(folder: &Path, edited: bool) -> io::Result<Option<FolderConflict>> {
    if fs_err::read_dir(folder)?.next().is_none() {
        return Ok(None);
    }
    let Some(own) = written_files(folder) else { return Ok(Some(FolderConflict::NoDataSet)) };
    let names = own.keys().cloned().collect();
    if let Some(path) = stranger(folder, &names)? {
        return Ok(Some(FolderConflict::Stranger(path)));
    }
    for (path, hash) in own.into_iter().filter(|_| !edited) {
        if hash.is_some_and(|hash| is_edited(&folder.join(&path), &hash)) {
            return Ok(Some(FolderConflict::Edited(path)));
        }
    }
    Ok(None)
}

/// Whether a file has other bytes than its card says. One that is gone has nothing to lose.
pub(crate) fn is_edited(path: &Path, hash: &str) -> bool {
    let mut hasher = blake3::Hasher::new();
    let read = fs_err::File::open(path).and_then(|mut file| io::copy(&mut file, &mut hasher));
    match read {
        Ok(_) => hasher.finalize().to_hex().as_str() != hash,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// All files that the run has written that wrote the card, relative to the folder, with the hashes
/// that the card has of them; `None` without a card of ours.
fn written_files(folder: &Path) -> Option<BTreeMap<PathBuf, Option<String>>> {
    let path = folder.join(CARD);
    let metadata = fs_err::symlink_metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > MOST_CARD_BYTES {
        return None;
    }
    let own = names::FILES.into_iter().map(|name| (PathBuf::from(name), None));
    Some(own.chain(files_in_card(&fs_err::read(&path).ok()?)?).collect())
}

/// The files that a card names, with the hashes that it has of them; `None` if it is not ours.
pub(crate) fn files_in_card(card: &[u8]) -> Option<Vec<(PathBuf, Option<String>)>> {
    let card = parse(card).ok()?;
    card.get("card")?.as_number()?;
    if !card.get_string("generator")?.to_text().starts_with(names::GENERATOR) {
        return None;
    }
    let beside = card.get(names::BESIDE).and_then(Value::as_array).unwrap_or_default();
    let files = card.get("files")?.as_array()?.iter().chain(beside);
    let file = |file: &Value| {
        let hash = file.get_string("blake3").map(|hash| hash.to_text().into_owned());
        Some((file.get_string("path")?.to_text().into_owned().into(), hash))
    };
    files.map(file).collect()
}

/// The first thing below the folder that is none of these files nor a folder of theirs. Links are
/// not followed: none of them is ours.
fn stranger(folder: &Path, own: &HashSet<PathBuf>) -> io::Result<Option<PathBuf>> {
    let folders: HashSet<&Path> = own.iter().flat_map(|file| file.ancestors().skip(1)).collect();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let entries = fs_err::read_dir(folder.join(&below))?;
        let mut names = entries.map(|it| Ok(it?.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort_unstable();
        for name in names {
            let path = below.join(name);
            let kind = fs_err::symlink_metadata(folder.join(&path))?.file_type();
            if kind.is_dir() && folders.contains(&*path) {
                open.push(path);
            } else if !kind.is_file() || !own.contains(&path) {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(place: &Path) -> Option<FolderConflict> {
        match check(place, false) {
            Ok(()) => None,
            Err(ExtractError::OutputTaken { why, .. }) => Some(why),
            Err(other) => panic!("{other}"),
        }
    }

    fn data_set(folder: &Path) {
        fs_err::create_dir_all(folder.join("data")).unwrap();
        let card = "{\"card\":1,\"generator\":\"pitree 0.1.0\",\
                    \"files\":[{\"path\":\"data/a.json\"},{\"path\":\"data.jsonl\"}]}";
        fs_err::write(folder.join(CARD), card).unwrap();
        for name in ["README.md", "data.jsonl", "data/a.json", "spend-by-model.svg"] {
            fs_err::write(folder.join(name), "").unwrap();
        }
    }

    #[test]
    fn only_what_a_run_has_written_is_replaced() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("set");
        assert_eq!(why(&folder), None);
        fs_err::create_dir(&folder).unwrap();
        assert_eq!(why(&folder), None);
        data_set(&folder);
        assert_eq!(why(&folder), None);
        for name in ["notes.txt", "data/b.json", ".git/config", "x/y/z"] {
            let path = folder.join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(&path, "mine").unwrap();
            let Some(FolderConflict::Stranger(named)) = why(&folder) else { panic!("{name}") };
            assert!(Path::new(name).starts_with(&named), "{name}: {}", named.display());
            fs_err::remove_file(&path).unwrap();
            if name.contains('/') && !name.starts_with("data") {
                fs_err::remove_dir_all(folder.join(named)).unwrap();
            }
        }
        assert_eq!(why(&folder), None);
        fs_err::create_dir(folder.join("empty")).unwrap();
        assert_eq!(why(&folder), Some(FolderConflict::Stranger("empty".into())));
    }

    #[test]
    fn what_somebody_has_edited_is_replaced_on_demand_only() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("set");
        fs_err::create_dir(&folder).unwrap();
        let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
        let card = format!(
            "{{\"card\":1,\"generator\":\"pitree 1\",\"files\":[{{\"path\":\"data.jsonl\",\
             \"blake3\":{:?}}}],\"beside\":[{{\"path\":\"README.md\",\"blake3\":{:?}}}]}}",
            hash("data"),
            hash("page")
        );
        for (name, text) in [(CARD, &*card), ("data.jsonl", "data"), ("README.md", "page")] {
            fs_err::write(folder.join(name), text).unwrap();
        }
        assert_eq!(why(&folder), None);
        for (name, text) in [("data.jsonl", "data"), ("README.md", "page")] {
            for edited in ["mine", "data page", ""] {
                fs_err::write(folder.join(name), edited).unwrap();
                assert_eq!(
                    why(&folder),
                    Some(FolderConflict::Edited(name.into())),
                    "{name} {edited:?}"
                );
                assert!(check(&folder, true).is_ok());
            }
            fs_err::write(folder.join(name), text).unwrap();
        }
        assert_eq!(why(&folder), None);
        fs_err::remove_file(folder.join("data.jsonl")).unwrap();
        assert_eq!(why(&folder), None, "what is gone has nothing to lose");
    }

    #[test]
    fn links_are_never_ours() {
        let root = tempfile::tempdir().unwrap();
        let (folder, other) = (root.path().join("set"), root.path().join("other"));
        data_set(&folder);
        data_set(&other);
        let link = |to: &str, name: &str| {
            fs_err::os::unix::fs::symlink(root.path().join(to), root.path().join(name)).unwrap();
        };
        link("set", "link");
        assert_eq!(why(&root.path().join("link")), Some(FolderConflict::Link));
        link("nowhere", "dead");
        assert_eq!(why(&root.path().join("dead")), Some(FolderConflict::Link));
        for name in ["data.jsonl", "data/a.json"] {
            fs_err::remove_file(folder.join(name)).unwrap();
            link(&format!("other/{name}"), &format!("set/{name}"));
            assert_eq!(why(&folder), Some(FolderConflict::Stranger(name.into())));
            fs_err::remove_file(folder.join(name)).unwrap();
        }
        fs_err::remove_dir_all(folder.join("data")).unwrap();
        link("other/data", "set/data");
        assert_eq!(why(&folder), Some(FolderConflict::Stranger("data".into())));
        fs_err::remove_file(folder.join("data")).unwrap();
        fs_err::remove_file(folder.join(CARD)).unwrap();
        link("other/card.json", "set/card.json");
        assert_eq!(why(&folder), Some(FolderConflict::NoDataSet));
    }

    #[test]
    fn a_card_of_somebody_else_is_none() {
        let root = tempfile::tempdir().unwrap();
        let card = root.path().join(CARD);
        for text in [
            "",
            "{}",
            "[]",
            "{\"name\":\"Ada\",\"files\":[]}",
            "{\"card\":1,\"generator\":\"another 1\",\"files\":[]}",
            "{\"card\":\"1\",\"generator\":\"pitree 1\",\"files\":[]}",
            "{\"card\":1,\"generator\":\"pitree 1\",\"files\":[{}]}",
            "{\"card\":1,\"generator\":\"pitree 1\"}",
        ] {
            fs_err::write(&card, text).unwrap();
            assert_eq!(why(root.path()), Some(FolderConflict::NoDataSet), "{text}");
        }
        fs_err::write(&card, "{\"card\":1,\"generator\":\"pitree 1\",\"files\":[]}").unwrap();
        assert_eq!(why(root.path()), None);
        assert_eq!(why(&card), Some(FolderConflict::NotAFolder));
    }
}
