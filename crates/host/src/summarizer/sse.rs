//! Server-sent events: lines of `data:`, ended by an empty line.

use std::io::{self, BufRead};

/// A longer line is no event of a model.
const LONGEST_LINE: usize = 1 << 20;
/// How much is shown of something that is no event stream.
const MOST_SHOWN: usize = 120;

/// Why there is no further event.
#[derive(Debug)]
pub(super) enum SseError {
    /// The connection broke.
    Io(io::Error),
    /// A line or an event is longer than any model would send.
    TooLong,
    /// The first line is none of an event stream; this is its beginning.
    NotEvents(String),
}

/// Reads events one by one.
pub(super) struct Events<R> {
    source: R,
    line: Vec<u8>,
    /// Whether a line was seen that belongs to an event stream.
    is_stream: bool,
}

impl<R: BufRead> Events<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, line: Vec::new(), is_stream: false }
    }

    /// The data of the next event; `None` at the end. An event that is not ended by an empty line
    /// was cut off and does not count.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, SseError> {
        let mut data: Option<Vec<u8>> = None;
        loop {
            let is_whole = self.read_line()?;
            self.check_first_line()?;
            if !is_whole {
                return Ok(None);
            }
            match self.line.strip_prefix(b"data:") {
                Some(rest) => {
                    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
                    let data = data.get_or_insert_with(Vec::new);
                    if !data.is_empty() {
                        data.push(b'\n');
                    }
                    data.extend_from_slice(rest);
                    if data.len() > LONGEST_LINE {
                        return Err(SseError::TooLong);
                    }
                }
                // Comments, event names, ids: the data says all.
                None if !self.line.is_empty() => {}
                None if data.is_some() => return Ok(data),
                None => {}
            }
        }
    }

    /// Refuses what is no event stream at its first line, so that nobody waits for its end.
    fn check_first_line(&mut self) -> Result<(), SseError> {
        if self.is_stream || self.line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let line = self.line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&self.line);
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let names: [&[u8]; 5] = [b"", b"data", b"event", b"id", b"retry"];
        self.is_stream = names.contains(&name);
        if self.is_stream {
            return Ok(());
        }
        let shown = &line[..line.len().min(MOST_SHOWN)];
        Err(SseError::NotEvents(String::from_utf8_lossy(shown).into_owned()))
    }

    /// Reads a line without its end; `false` when nothing or only half a line is left.
    fn read_line(&mut self) -> Result<bool, SseError> {
        self.line.clear();
        loop {
            let buffer = match self.source.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(SseError::Io(error)),
            };
            if buffer.is_empty() {
                return Ok(false);
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.line.extend_from_slice(&buffer[..end.unwrap_or(used)]);
            self.source.consume(used);
            if self.line.len() > LONGEST_LINE {
                return Err(SseError::TooLong);
            }
            if end.is_some() {
                if self.line.last() == Some(&b'\r') {
                    self.line.pop();
                }
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn events(text: &str, at_once: usize) -> Vec<String> {
        let mut events = Events::new(BufReader::with_capacity(at_once, text.as_bytes()));
        let mut all = Vec::new();
        while let Some(data) = events.next().unwrap() {
            all.push(String::from_utf8(data).unwrap());
        }
        all
    }

    #[test]
    fn events_are_found_however_the_bytes_arrive() {
        let text =
            ": hello\r\n\r\nevent: x\r\ndata: one\r\n\r\ndata:two\ndata: more\n\n\ndata: half";
        for at_once in 1..text.len() {
            assert_eq!(events(text, at_once), ["one", "two\nmore"], "{at_once}");
        }
    }

    #[test]
    fn what_is_no_event_stream_is_refused_at_its_first_line() {
        let wrong =
            ["<!doctype html>\n<p>data: x\n\n", "\n\n[1,2,3]", "{\"a\":1}", "database: x\n"];
        for text in wrong {
            let mut events = Events::new(text.as_bytes());
            assert!(matches!(events.next(), Err(SseError::NotEvents(_))), "{text}");
        }
        for text in ["", "\n", "data", "retry: 3\n\n", ": hello\n", "\u{feff}data: x\n\n"] {
            let mut events = Events::new(text.as_bytes());
            assert!(events.next().is_ok(), "{text}");
        }
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        let text = "data: ".to_owned() + &"x".repeat(LONGEST_LINE + 1);
        let mut events = Events::new(text.as_bytes());
        assert!(matches!(events.next(), Err(SseError::TooLong)));
        let text = "data: x\n".repeat(LONGEST_LINE);
        let mut events = Events::new(text.as_bytes());
        assert!(matches!(events.next(), Err(SseError::TooLong)));
    }
}
