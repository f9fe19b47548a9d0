//! Files of lines, and one file for each session or trajectory.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{
    Assembler, Compression, OutputFile, OutputShard, Placement, Split, Target, WrittenFile,
};
use crate::error::{ExtractError, IoContext};

/// How hard lines are compressed: more takes much longer and gains little.
const ZST_LEVEL: i32 = 3;

/// The most characters of an id in the name of a file. What is added to it stays below the 200 of
/// [`plain_name`], and these below what file systems take.
const MOST_ID: usize = 150;

/// Lines in `data.jsonl`, or in one file for each part of the split.
pub struct LineAssembler {
    files: BTreeMap<Split, LinesFile>,
}

impl LineAssembler {
    /// Writes a shard into this folder. The files of its parts are made even if nothing is in them.
    pub fn new(folder: &Path, shard: &OutputShard) -> Result<Self, ExtractError> {
        let mut files = BTreeMap::new();
        for &part in &shard.parts {
            let name = shard.file_name(part.file_name(), shard.lines_ending());
            let file = OutputFile::create(folder, Path::new(&name))?;
            files.insert(part, LinesFile::new(file, shard.compression)?);
        }
        Ok(Self { files })
    }
}

impl Assembler for LineAssembler {
    fn piece(
        &mut self,
        to: Target<'_>,
        placement: &Placement<'_>,
        bytes: &[u8],
    ) -> Result<(), ExtractError> {
        let Some(file) = self.files.get_mut(&placement.split) else { return Ok(()) };
        if to != Target::Data {
            return Ok(());
        }
        file.put_line(bytes)
    }

    fn finish(self: Box<Self>) -> Result<Vec<WrittenFile>, ExtractError> {
        self.files.into_values().map(LinesFile::finish).collect()
    }
}

/// A file of lines, as it is or compressed.
enum LinesFile {
    Plain(Box<OutputFile>),
    Zst(PathBuf, Box<zstd::stream::write::Encoder<'static, OutputFile>>),
}

impl LinesFile {
    fn new(file: OutputFile, compression: Compression) -> Result<Self, ExtractError> {
        Ok(match compression {
            Compression::None => Self::Plain(Box::new(file)),
            Compression::Zst => {
                let path = file.path().to_owned();
                let encoder = zstd::stream::write::Encoder::new(file, ZST_LEVEL);
                Self::Zst(path.clone(), Box::new(encoder.on("write", &path)?))
            }
        })
    }

    fn put_line(&mut self, line: &[u8]) -> Result<(), ExtractError> {
        match self {
            Self::Plain(file) => file.put(&[line, b"\n"]),
            Self::Zst(path, file) => {
                let written = file.write_all(line).and_then(|()| file.write_all(b"\n"));
                written.on("write", path)
            }
        }
    }

    fn finish(self) -> Result<WrittenFile, ExtractError> {
        match self {
            Self::Plain(file) => file.finish(),
            Self::Zst(path, file) => file.finish().on("write", &path)?.finish(),
        }
    }
}

/// One file for each session or trajectory, below a folder for each part of the split.
pub struct FileAssembler {
    folder: PathBuf,
    /// The file at hand: whose it is, and by which name it was asked for.
    open: Option<(usize, PathBuf, OutputFile)>,
    written: Vec<WrittenFile>,
    taken: HashSet<PathBuf>,
}

impl FileAssembler {
    /// Writes below this folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), open: None, written: Vec::new(), taken: HashSet::new() }
    }

    /// The file of a session by this name, which is made if the piece before went elsewhere.
    fn file(&mut self, session: usize, name: PathBuf) -> Result<&mut OutputFile, ExtractError> {
        let is_same = |(of, open, _): &(usize, PathBuf, _)| *of == session && *open == name;
        let is_open = self.open.as_ref().is_some_and(is_same);
        if !is_open {
            self.close()?;
            let own = self.own_name(&name);
            self.open = Some((session, name, OutputFile::create(&self.folder, &own)?));
        }
        match &mut self.open {
            Some((_, _, file)) => Ok(file),
            None => Err(ExtractError::Unexpected("a file that was opened is closed")),
        }
    }

    /// A name that no other file has: two sessions may have the same id.
    fn own_name(&mut self, name: &Path) -> PathBuf {
        let mut own = name.to_owned();
        let mut number = 2;
        while !self.taken.insert(own.clone()) {
            let stem = name.file_stem().unwrap_or_default().to_string_lossy();
            let ending = name.extension().unwrap_or_default().to_string_lossy();
            own = name.with_file_name(format!("{stem}-{number}.{ending}"));
            number += 1;
        }
        own
    }

    fn close(&mut self) -> Result<(), ExtractError> {
        if let Some((_, _, file)) = self.open.take() {
            self.written.push(file.finish()?);
        }
        Ok(())
    }
}

impl Assembler for FileAssembler {
    fn piece(
        &mut self,
        to: Target<'_>,
        placement: &Placement<'_>,
        bytes: &[u8],
    ) -> Result<(), ExtractError> {
        let (name, ending): (&str, &[u8]) = match to {
            Target::File(name) => (name, b""),
            Target::FileLine(name) => (name, b"\n"),
            Target::Data | Target::Table(_) => return Ok(()),
        };
        if matches!(to, Target::File(_)) {
            self.close()?;
        }
        let name = Path::new(placement.split.file_name()).join(plain_name(name));
        let file = self.file(placement.session, name)?;
        file.put(&[bytes, ending])
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<WrittenFile>, ExtractError> {
        self.close()?;
        Ok(self.written)
    }
}

/// A beginning for the name of a file, made of an id: a session may have one of any length.
pub(crate) fn short_id(id: &str) -> String {
    if id.chars().count() <= MOST_ID {
        return id.to_owned();
    }
    let hash = blake3::hash(id.as_bytes()).to_hex();
    id.chars().take(MOST_ID - 17).chain(['-']).chain(hash[..16].chars()).collect()
}

/// A name of one file: an id from a session may hold anything, also `../`.
fn plain_name(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).take(200).collect();
    match plain.trim_start_matches('.') {
        "" => "session".to_owned(),
        plain => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_a_session_stays_in_the_folder() {
        assert_eq!(plain_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(plain_name("a b\n.jsonl"), "a_b_.jsonl");
        assert_eq!(plain_name(".."), "session");
    }

    #[test]
    fn a_long_id_keeps_what_comes_behind_it() {
        let [one, other] = ["a", "b"].map(|end| short_id(&format!("{}{end}", "é".repeat(70_000))));
        assert_ne!(one, other);
        let name = plain_name(&format!("{one}-01234567.jsonl"));
        assert!(name.ends_with("-01234567.jsonl") && name.len() < 200, "{name}");
        assert_eq!(short_id("short"), "short");
    }

    #[test]
    fn lines_of_two_sessions_of_one_name_are_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Box::new(FileAssembler::new(folder.path()));
        for session in 0..2 {
            let place = Placement { session, ..Placement::default() };
            for line in ["header", "entry"] {
                files.piece(Target::FileLine("a.jsonl"), &place, line.as_bytes()).unwrap();
            }
        }
        let names: Vec<PathBuf> =
            files.finish().unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(names, [Path::new("data/a.jsonl"), Path::new("data/a-2.jsonl")]);
        for name in names {
            assert_eq!(fs_err::read(folder.path().join(name)).unwrap(), b"header\nentry\n");
        }
    }

    #[test]
    fn two_sessions_of_one_name_are_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Box::new(FileAssembler::new(folder.path()));
        let place = Placement::default();
        for text in ["one", "two"] {
            files.piece(Target::File("a.json"), &place, text.as_bytes()).unwrap();
        }
        let paths: Vec<PathBuf> = files.finish().unwrap().into_iter().map(|it| it.path).collect();
        assert_eq!(paths, [Path::new("data/a.json"), Path::new("data/a-2.json")]);
        assert_eq!(fs_err::read(folder.path().join("data/a-2.json")).unwrap(), b"two");
    }
}
