//! Lines of a stream: one request each.
//!
//! A line ends with a line feed, with or without a carriage return before it; the last one may end
//! with the stream. Other line separators of Unicode are text. A line that is too long is skipped
//! without being held, so a client cannot make the process grow.

use std::io::{self, BufRead};

/// The longest request in bytes. Pictures in a prompt are the only reason for long ones.
pub const MAX_REQUEST_BYTES: usize = 64 << 20;

/// Buffers larger than this are given back after a request.
const KEPT_BUFFER_BYTES: usize = 1 << 20;

/// What stands between two line feeds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// A line without its end.
    Line(&'a [u8]),
    /// A line over the limit, and how long it was.
    TooLong(u64),
}

/// Reads a stream line by line.
pub(crate) struct Frames<R> {
    input: R,
    limit: usize,
    line: Vec<u8>,
}

impl<R: BufRead> Frames<R> {
    pub(crate) fn new(input: R, limit: usize) -> Self {
        Self { input, limit, line: Vec::new() }
    }

    /// The next line; `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> io::Result<Option<Frame<'_>>> {
        if self.line.capacity() > KEPT_BUFFER_BYTES {
            self.line = Vec::new();
        }
        self.line.clear();
        let mut seen = 0_u64;
        let mut ended = false;
        while !ended {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            let (part, used) = match memchr::memchr(b'\n', chunk) {
                Some(at) => {
                    ended = true;
                    (&chunk[..at], at + 1)
                }
                None => (chunk, chunk.len()),
            };
            seen += part.len() as u64;
            if seen <= self.limit as u64 {
                self.line.extend_from_slice(part);
            } else {
                self.line = Vec::new();
            }
            self.input.consume(used);
        }
        if seen > self.limit as u64 {
            return Ok(Some(Frame::TooLong(seen)));
        }
        if !ended && self.line.is_empty() {
            return Ok(None);
        }
        Ok(Some(Frame::Line(self.line.strip_suffix(b"\r").unwrap_or(&self.line))))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn frames(bytes: &[u8], limit: usize, chunk: usize) -> Vec<Result<Vec<u8>, u64>> {
        let mut frames = Frames::new(BufReader::with_capacity(chunk, bytes), limit);
        let mut all = Vec::new();
        while let Some(frame) = frames.next().unwrap() {
            all.push(match frame {
                Frame::Line(line) => Ok(line.to_vec()),
                Frame::TooLong(bytes) => Err(bytes),
            });
        }
        all
    }

    #[test]
    fn lines_end_with_lf_or_crlf_and_the_last_one_with_the_stream() {
        let text = "a\nb\r\n\n\u{2028}c\rd\nrest".as_bytes();
        let expected = ["a", "b", "", "\u{2028}c\rd", "rest"];
        let expected: Vec<_> = expected.map(|line| Ok(line.as_bytes().to_vec())).into();
        assert_eq!(frames(text, 100, 3), expected);
        assert_eq!(frames(b"", 100, 3), []);
        assert_eq!(frames(b"\n", 100, 3), [Ok(Vec::new())]);
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_is_read() {
        let text = b"1234\n12345\nok\n123456789";
        assert_eq!(frames(text, 4, 3), [Ok(b"1234".to_vec()), Err(5), Ok(b"ok".to_vec()), Err(9)]);
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn the_size_of_the_reads_does_not_matter(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'x')], 0..60),
            limit in 1_usize..10,
            chunk in 1_usize..10,
        ) {
            prop_assert_eq!(frames(&bytes, limit, chunk), frames(&bytes, limit, 1000));
        }
    }
}
