//! Lines of a file through a window that grows only for a line longer than itself.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use memchr::memchr;

/// A longer line is not decoded: it is reported and left alone.
pub const MAX_LINE_BYTES: u64 = 512 << 20;

const WINDOW_BYTES: usize = 256 << 10;

/// Reads lines from a position on. Uses positioned reads, so several readers share one file.
pub(crate) struct LineReader<'f> {
    file: &'f File,
    window: Vec<u8>,
    /// The file position of `window[0]`.
    base: u64,
    /// The unread part of the window.
    start: usize,
    end: usize,
    /// Nothing at or past this position is read.
    limit: u64,
}

/// The next line.
pub(crate) enum Next<'w> {
    End,
    Line { offset: u64, bytes: &'w [u8], terminated: bool },
    TooLong { offset: u64, len: u64, terminated: bool },
}

impl<'f> LineReader<'f> {
    pub(crate) fn new(file: &'f File, position: u64, limit: u64) -> Self {
        let room = limit.saturating_sub(position).saturating_add(1);
        let window = vec![0; (WINDOW_BYTES as u64).min(room) as usize];
        Self { file, window, base: position, start: 0, end: 0, limit }
    }

    /// Where the next line begins.
    pub(crate) fn position(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Reads the next line, without its line feed.
    pub(crate) fn next_line(&mut self) -> io::Result<Next<'_>> {
        let mut searched = 0;
        loop {
            if let Some(at) = memchr(b'\n', &self.window[self.start + searched..self.end]) {
                let begin = self.start;
                let stop = begin + searched + at;
                self.start = stop + 1;
                let offset = self.base + begin as u64;
                return Ok(Next::Line {
                    offset,
                    bytes: &self.window[begin..stop],
                    terminated: true,
                });
            }
            searched = self.end - self.start;
            if searched as u64 > MAX_LINE_BYTES {
                return self.pass_long_line();
            }
            if self.fill()? == 0 {
                let begin = self.start;
                self.start = self.end;
                let offset = self.base + begin as u64;
                return Ok(if begin == self.end {
                    Next::End
                } else {
                    Next::Line { offset, bytes: &self.window[begin..self.end], terminated: false }
                });
            }
        }
    }

    /// The line at the reader's position; empty when there is none or it is too long.
    pub(crate) fn read_one(&mut self) -> io::Result<&[u8]> {
        match self.next_line()? {
            Next::Line { bytes, .. } => Ok(bytes),
            Next::End | Next::TooLong { .. } => Ok(&[]),
        }
    }

    /// Passes over the line under way, however long. `None` at the end of the range.
    pub(crate) fn skip_line(&mut self) -> io::Result<Option<()>> {
        loop {
            if let Some(at) = memchr(b'\n', &self.window[self.start..self.end]) {
                self.start += at + 1;
                return Ok(Some(()));
            }
            self.start = self.end;
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
    }

    fn pass_long_line(&mut self) -> io::Result<Next<'_>> {
        let offset = self.position();
        let terminated = self.skip_line()?.is_some();
        let len = self.position() - offset - u64::from(terminated);
        // The window grew for this line; give the memory back.
        let rest = self.window[self.start..self.end].to_vec();
        self.base = self.position();
        (self.start, self.end) = (0, rest.len());
        self.window = rest;
        self.window.resize(WINDOW_BYTES.max(self.end), 0);
        Ok(Next::TooLong { offset, len, terminated })
    }

    /// Reads more behind what is there. Gives 0 at the end.
    fn fill(&mut self) -> io::Result<usize> {
        if self.start > 0 {
            self.window.copy_within(self.start..self.end, 0);
            self.base += self.start as u64;
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.window.len() {
            self.window.resize(self.window.len() * 2, 0);
        }
        let position = self.base + self.end as u64;
        let room = (self.window.len() - self.end).min(self.limit.saturating_sub(position) as usize);
        loop {
            match self.file.read_at(&mut self.window[self.end..self.end + room], position) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
            }
        }
    }
}
