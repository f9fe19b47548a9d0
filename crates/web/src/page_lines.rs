//! The session itself in its page: the lines that `pitree export x.jsonl` would write of what the page
//! shows, in blocks that are compressed like the rows. They are what the page offers as a download.

use std::io::{self, Write};
use std::mem::take;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use pitree_export::{Branch, ExportError, ExportOptions, Format, export};
use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};
use pitree_session::Session;

/// So many bytes are in a block, wherever a line ends.
const BLOCK_BYTES: usize = 4 << 20;

/// The length of what a name is made of.
const NAME_CHARS: usize = 80;

/// What of the session the lines are.
#[derive(Clone, Copy)]
pub(crate) struct LinesKind {
    /// Whether they are one branch of several.
    pub(crate) is_branch: bool,
    /// Whether images, reasoning or tool output are left out.
    pub(crate) is_partial: bool,
    /// Whether secrets were replaced.
    pub(crate) is_redacted: bool,
}

impl LinesKind {
    /// The name of the download. It is made of the id: the name of the file may be a secret.
    pub(crate) fn name(self, session: &Session) -> String {
        let endings = [
            (self.is_branch, ".branch"),
            (self.is_partial, ".partial"),
            (self.is_redacted, ".redacted"),
        ];
        let endings: String = endings.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        format!("{}{endings}.jsonl", harmless_name(&session.id()))
    }
}

/// A name that no file system and no browser takes for something else.
pub(crate) fn harmless_name(name: &str) -> String {
    let is_usual = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let usual = name.chars().take(NAME_CHARS).map(|it| if is_usual(it) { it } else { '_' });
    let usual: String = usual.collect();
    let usual = usual.trim_start_matches('.');
    if usual.is_empty() { "session".to_owned() } else { usual.to_owned() }
}

/// Gives the lines to `put`, block by block with their numbers, and says how many there are.
pub(crate) fn write(
    session: &Session,
    branch: Branch,
    put: impl FnMut(usize, &[u8]) -> io::Result<()>,
) -> Result<Object, ExportError> {
    let mut blocks = Blocks { open: Vec::new(), count: 0, bytes: 0, put };
    let mut options = ExportOptions::new();
    options.branch = Some(branch);
    match branch {
        Branch::All => export(session, Format::Jsonl, &options, &mut blocks)?,
        Branch::Active | Branch::To(_) => {
            let cwd = session.header_value().get("cwd").cloned();
            let mut lines = OwnHeader { header: Some(Vec::new()), cwd, out: &mut blocks };
            export(session, Format::Jsonl, &options, &mut lines)?
        }
    };
    blocks.close()?;
    Ok(Object::new().with("blocks", blocks.count).with("bytes", blocks.bytes as f64))
}

/// Writes bytes as the content of an element: compressed, in letters that end no element.
pub(crate) fn packed(out: &mut dyn Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    let packed = STANDARD.encode(packed.finish()?);
    let kind = "application/octet-stream";
    writeln!(out, "<script type=\"{kind}\" id=\"{id}\">{packed}</script>")
}

/// Corrects the header of a branch, which is a new one with the directory that the session belongs
/// to. A redacted copy belongs to the same directory; its own header has what may be said of it.
struct OwnHeader<'o> {
    /// What was written of the header.
    header: Option<Vec<u8>>,
    cwd: Option<Value>,
    out: &'o mut dyn Write,
}

impl OwnHeader<'_> {
    fn write_header(&mut self, line: &[u8]) -> io::Result<()> {
        let mut header = parse(line.trim_ascii_end()).map_err(io::Error::other)?;
        match (header.as_object_mut(), self.cwd.take()) {
            (Some(header), Some(cwd)) => header.set("cwd", cwd),
            (Some(header), None) => drop(header.remove("cwd")),
            (None, _) => {}
        }
        writeln!(self.out, "{}", stringify(&header))
    }
}

impl Write for OwnHeader<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(mut header) = self.header.take() else { return self.out.write(bytes) };
        let end = memchr::memchr(b'\n', bytes).map(|at| at + 1);
        let taken = end.unwrap_or(bytes.len());
        header.extend_from_slice(&bytes[..taken]);
        match end {
            Some(_) => self.write_header(&header)?,
            None => self.header = Some(header),
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Cuts what is written into blocks.
struct Blocks<P> {
    open: Vec<u8>,
    count: usize,
    bytes: u64,
    put: P,
}

impl<P: FnMut(usize, &[u8]) -> io::Result<()>> Blocks<P> {
    fn close(&mut self) -> io::Result<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        (self.put)(self.count, &take(&mut self.open))?;
        self.count += 1;
        Ok(())
    }
}

impl<P: FnMut(usize, &[u8]) -> io::Result<()>> Write for Blocks<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK_BYTES - self.open.len());
        self.open.extend_from_slice(&bytes[..taken]);
        self.bytes += taken as u64;
        if self.open.len() == BLOCK_BYTES {
            self.close()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_that_mean_nothing() {
        for (name, harmless) in [
            ("0198aaaa-0000-7000", "0198aaaa-0000-7000"),
            ("../../etc/passwd", "_.._etc_passwd"),
            ("..", "session"),
            ("", "session"),
            ("a\"; x=\r\nB: c", "a___x___B__c"),
            ("C:\\con \u{202e}lnosj", "C__con__lnosj"),
        ] {
            assert_eq!(harmless_name(name), harmless);
        }
        assert_eq!(harmless_name(&"x".repeat(500)).len(), NAME_CHARS);
    }

    #[test]
    fn blocks_hold_all_bytes_in_order() {
        let mut found: Vec<Vec<u8>> = Vec::new();
        let put = |number: usize, bytes: &[u8]| {
            assert_eq!(number, found.len());
            found.push(bytes.to_vec());
            Ok(())
        };
        let mut blocks = Blocks { open: Vec::new(), count: 0, bytes: 0, put };
        let text: Vec<u8> = (0..2 * BLOCK_BYTES + 5).map(|at| (at % 251) as u8).collect();
        for part in text.chunks(100_003) {
            blocks.write_all(part).unwrap();
        }
        blocks.close().unwrap();
        assert_eq!((blocks.count, blocks.bytes), (3, text.len() as u64));
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [BLOCK_BYTES, BLOCK_BYTES, 5]);
        assert!(found.concat() == text);
    }
}
