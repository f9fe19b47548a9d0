//! Lines of a file through a window that grows only for a line longer than itself.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use memchr::memchr;

/// A longer line is not decoded: it is reported and left alone.
pub const MAX_LINE_BYTES: u64 = 512 << 20;

const WINDOW_BYTES: usize = 256 << 10;

/// From here on the window does not double any more: the end of the line is looked for first, so
/// that the window is no larger than the line.
const DOUBLING_LIMIT: usize = 8 << 20;

thread_local! {
    /// The window of a reader that is done with. Who reads many files one after the other would
    /// else fill as many windows with zeros.
    static SPARE_WINDOW: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Reads lines from a position on. Uses positioned reads, so several readers share one file.
pub struct LineReader<'f> {
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
pub enum Next<'w> {
    /// There are no more.
    End,
    /// A line.
    Line {
        /// Where it begins.
        offset: u64,
        /// Its bytes, without the line feed.
        bytes: &'w [u8],
        /// Whether it ends with a line feed.
        terminated: bool,
    },
    /// A line over [`MAX_LINE_BYTES`], which was passed over.
    TooLong {
        /// Where it begins.
        offset: u64,
        /// How long it is.
        len: u64,
        /// Whether it ends with a line feed.
        terminated: bool,
    },
}

impl<'f> LineReader<'f> {
    /// A reader from a position on, which reads nothing at or past `limit`.
    pub fn new(file: &'f File, position: u64, limit: u64) -> Self {
        let room = limit.saturating_sub(position).saturating_add(1);
        let window = match SPARE_WINDOW.try_with(Cell::take).unwrap_or_default() {
            spare if spare.is_empty() => vec![0; (WINDOW_BYTES as u64).min(room) as usize],
            spare => spare,
        };
        Self { file, window, base: position, start: 0, end: 0, limit }
    }

    /// Reads on behind the present limit.
    pub(crate) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Where the next line begins.
    pub fn position(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Reads the next line, without its line feed.
    pub fn next_line(&mut self) -> io::Result<Next<'_>> {
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
            if searched >= DOUBLING_LIMIT && !self.make_room_for_line()? {
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

    /// Makes the window as large as the line under way. `false` when the line is too long.
    fn make_room_for_line(&mut self) -> io::Result<bool> {
        let held = self.end - self.start;
        let mut len = held as u64;
        let mut ahead = vec![0; WINDOW_BYTES];
        while len <= MAX_LINE_BYTES {
            let position = self.position() + len;
            let room = (self.limit.saturating_sub(position)).min(ahead.len() as u64) as usize;
            let count = read_at(self.file, &mut ahead[..room], position)?;
            match memchr(b'\n', &ahead[..count]) {
                Some(at) => len += at as u64 + 1,
                None if count > 0 => {
                    len += count as u64;
                    continue;
                }
                None => {}
            }
            if len > MAX_LINE_BYTES {
                break;
            }
            self.move_to_front();
            self.window.reserve_exact((len as usize + 1).saturating_sub(self.window.len()));
            self.window.resize((len as usize + 1).max(self.window.len()), 0);
            return Ok(true);
        }
        Ok(false)
    }

    fn move_to_front(&mut self) {
        self.window.copy_within(self.start..self.end, 0);
        self.base += self.start as u64;
        (self.start, self.end) = (0, self.end - self.start);
    }

    fn pass_long_line(&mut self) -> io::Result<Next<'_>> {
        let offset = self.position();
        let terminated = self.skip_line()?.is_some();
        let len = self.position() - offset - u64::from(terminated);
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
            self.move_to_front();
        }
        if self.end == 0 && self.window.len() > DOUBLING_LIMIT {
            // The long line is done with; give the memory back.
            self.window = vec![0; WINDOW_BYTES];
        }
        if self.end == self.window.len() {
            self.window.resize(self.window.len() * 2, 0);
        }
        let position = self.base + self.end as u64;
        let room = (self.window.len() - self.end).min(self.limit.saturating_sub(position) as usize);
        let count = read_at(self.file, &mut self.window[self.end..self.end + room], position)?;
        self.end += count;
        Ok(count)
    }
}

impl Drop for LineReader<'_> {
    fn drop(&mut self) {
        if self.window.len() == WINDOW_BYTES {
            let window = std::mem::take(&mut self.window);
            // A thread that ends has no use for it.
            let _ = SPARE_WINDOW.try_with(|spare| spare.set(window));
        }
    }
}

fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    loop {
        match file.read_at(buffer, position) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn lines_of(bytes: &[u8]) -> Vec<(u64, usize, bool)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut reader = LineReader::new(&file, 0, bytes.len() as u64);
        let mut found = Vec::new();
        loop {
            match reader.next_line().unwrap() {
                Next::End => return found,
                Next::Line { offset, bytes, terminated } => {
                    found.push((offset, bytes.len(), terminated));
                }
                Next::TooLong { offset, len, terminated } => {
                    found.push((offset, len as usize, terminated));
                }
            }
        }
    }

    #[test]
    fn long_lines_around_the_size_of_the_window() {
        for len in [0, 1, WINDOW_BYTES - 1, WINDOW_BYTES, DOUBLING_LIMIT, 3 * DOUBLING_LIMIT + 7] {
            let mut bytes = vec![b'x'; len];
            bytes.extend_from_slice(b"\nab\n");
            bytes.extend(vec![b'y'; len]);
            let mut expected = vec![(0, len, true), (len as u64 + 1, 2, true)];
            if len > 0 {
                expected.push((len as u64 + 4, len, false));
            }
            assert_eq!(lines_of(&bytes), expected, "{len}");
        }
    }
}
