//! The file of a session as a download: its bytes, as they are at that moment.
//!
//! A file may be larger than memory, so it is read a little at a time, and only when the browser has
//! taken what was read before.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use pitree_export::harmless::clean_line;
use pitree_session::open_file;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::answer::Problem;
use crate::key::Key;
use crate::page_lines::harmless_name;
use crate::state::App;

/// So much is read at a time.
const CHUNK: u64 = 256 << 10;

/// The length of a name, before it is spelled for a header.
const NAME_CHARS: usize = 120;

/// A file that is sent.
pub(crate) struct Download {
    name: String,
    length: u64,
    file: File,
}

impl Download {
    /// The file of a session, with what is in it now.
    pub(crate) fn of(app: &App, key: Key) -> Result<Self, Problem> {
        let path = app.snapshots.path(&app.store, key)?;
        let file = open_file(&path)?;
        let gone = |_| Problem::not_found("The file of this session is not there any more");
        let length = file.metadata().map_err(gone)?.len();
        let name = path.file_name().map(Path::new).map(|name| name.to_string_lossy());
        Ok(Self { name: name.unwrap_or_default().into_owned(), length, file })
    }
}

impl IntoResponse for Download {
    fn into_response(self) -> Response {
        let disposition = disposition(&self.name);
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("application/jsonl")),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
            (header::CONTENT_LENGTH, HeaderValue::from(self.length)),
            (header::CONTENT_DISPOSITION, disposition),
        ];
        let chunks = Chunks { file: Some(self.file), reading: None, left: self.length };
        (headers, Body::from_stream(chunks)).into_response()
    }
}

/// What tells the browser to save an answer, and under which name: one of plain letters, and the
/// name itself for those that know how it is spelled (RFC 6266).
fn disposition(name: &str) -> HeaderValue {
    let name: String = clean_line(name).chars().take(NAME_CHARS).collect();
    let plain = harmless_name(&name);
    let spelled: String = name.bytes().map(spelled).collect();
    let value = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{spelled}");
    // Only letters, digits and signs are in it, so it is a value.
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("attachment"))
}

/// A byte as it stands in an extended value (RFC 8187).
fn spelled(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    }
}

type Chunk = io::Result<(File, Vec<u8>)>;

/// The bytes of a file, up to the length that was promised.
struct Chunks {
    /// Nothing while a thread reads it.
    file: Option<File>,
    reading: Option<JoinHandle<Chunk>>,
    left: u64,
}

impl Chunks {
    /// A file that has become shorter is an error: the browser must not take it for all of it.
    fn taken(&mut self, chunk: Chunk) -> io::Result<Bytes> {
        let (file, bytes) = chunk?;
        if bytes.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= bytes.len() as u64;
        self.file = Some(file);
        Ok(bytes.into())
    }
}

fn read(mut file: File, most: u64) -> Chunk {
    let mut bytes = Vec::new();
    file.by_ref().take(most).read_to_end(&mut bytes)?;
    Ok((file, bytes))
}

impl Stream for Chunks {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let most = self.left.min(CHUNK);
        if let Some(file) = self.file.take_if(|_| most > 0) {
            self.reading = Some(spawn_blocking(move || read(file, most)));
        }
        let Some(reading) = &mut self.reading else { return Poll::Ready(None) };
        let Poll::Ready(chunk) = Pin::new(reading).poll(context) else { return Poll::Pending };
        self.reading = None;
        let chunk = chunk.unwrap_or_else(|error| Err(io::Error::other(error)));
        Poll::Ready(Some(self.taken(chunk)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_no_header_and_no_quotes() {
        for (name, expected) in [
            ("a.jsonl", "filename=\"a.jsonl\"; filename*=UTF-8''a.jsonl"),
            ("a\"b;c.jsonl", "filename=\"a_b_c.jsonl\"; filename*=UTF-8''a%22b%3Bc.jsonl"),
            ("für Köln", "filename=\"f_r_K_ln\"; filename*=UTF-8''f%C3%BCr%20K%C3%B6ln"),
            ("%0d%0aX: y", "filename=\"_0d_0aX__y\"; filename*=UTF-8''%250d%250aX%3A%20y"),
            ("../x", "filename=\"_x\"; filename*=UTF-8''..%2Fx"),
        ] {
            assert_eq!(disposition(name), format!("attachment; {expected}").as_str());
        }
        for hostile in ["a\r\nSet-Cookie: b=c", "a\u{202e}lnosj.exe", "\0\u{7f}", "", "."] {
            let value = disposition(hostile);
            let text = value.to_str().unwrap();
            assert!(text.starts_with("attachment; filename=\""), "{text}");
            assert_eq!(text.matches('"').count(), 2, "{text}");
            assert!(!text.contains(['\r', '\n', '\0', '\u{7f}']) && text.is_ascii(), "{text}");
            assert!(!text.contains("%E2%80%AE") && !text.contains("%0"), "{text}");
        }
    }
}
