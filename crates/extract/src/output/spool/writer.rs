//! Writing a spool: the pieces of a session, each looked at for secrets before it is written.

use std::io;
use std::path::Path;

use pitree_format::Object;
use pitree_format::js::print;
use pitree_sample::turns::ReplyEnd;

use super::{
    Extent, HEAD_BYTES, MOST_TABLES, OtherFile, REDACTIONS, REPEAT_BYTES, SpoolFile, Summary,
    TABLES_FROM, WHOLE_SESSION,
};
use crate::error::{ExtractError, IoContext};
use crate::guard::{Guard, Hit, Seen};
use crate::output::{Line, Output, Repeat, Target};
use crate::quality::SampleFacts;
use crate::reason::DropReason;
use crate::reply_keys::ReplyKey;
use crate::report::{OtherRedactions, SessionCounts};

/// Writes a spool, and looks once more at everything that goes into it.
pub(crate) struct SpoolWriter<'o, 'g> {
    file: &'o mut SpoolFile,
    /// Where in the file it begins: all places in it are counted from there.
    start: u64,
    summary: Summary,
    current: u32,
    guard: &'g dyn Guard,
    seen: Seen,
    /// The name of a file that was looked at last.
    name: String,
    leak: Option<Hit>,
}

/// A spool that was written.
pub(crate) struct Spooled {
    pub(crate) summary: Summary,
    pub(crate) extent: Extent,
    /// With a leak it must not be used.
    pub(crate) leak: Option<Hit>,
}

impl<'o, 'g> SpoolWriter<'o, 'g> {
    /// Begins a spool at the end of a file.
    pub(crate) fn begin(file: &'o mut SpoolFile, guard: &'g dyn Guard) -> Self {
        Self {
            start: file.begin(),
            file,
            summary: Summary::default(),
            current: WHOLE_SESSION,
            guard,
            seen: Seen::default(),
            name: String::new(),
            leak: None,
        }
    }

    /// What is counted besides the samples.
    pub(crate) fn counts(&mut self) -> &mut SessionCounts {
        &mut self.summary.counts
    }

    /// Notes other files that the session depends on.
    pub(crate) fn read_also(&mut self, others: Vec<OtherFile>) {
        self.summary.others = others;
    }

    /// Notes which secrets were found, and which are hidden wherever they stand.
    pub(crate) fn secrets(&mut self, found: Vec<[u8; 16]>, known: Vec<[u8; 16]>) {
        (self.summary.found, self.summary.known) = (found, known);
    }

    /// Notes what was redacted in other files.
    pub(crate) fn redacted_also(&mut self, redactions: Vec<OtherRedactions>) {
        self.summary.other_redactions = redactions;
    }

    /// Writes down what was redacted in a file, by the name that the user knows. It is for the user
    /// alone and no part of what the session gives.
    pub(crate) fn redactions(&mut self, shown: &Path, hits: &[Hit]) -> Result<(), ExtractError> {
        if hits.is_empty() {
            return Ok(());
        }
        let shown = shown.to_string_lossy();
        let mut lines = String::new();
        for hit in hits {
            let line = Object::new()
                .with("file", shown.as_ref())
                .with("line", hit.line as f64)
                .with("rule", hit.rule.as_str())
                .with("place", hit.place.as_str())
                .with("masked", hit.masked.as_str());
            print(&line.into(), &mut lines);
            lines.push('\n');
        }
        self.current = WHOLE_SESSION;
        let head = self.head_of(REDACTIONS, &shown, &[], lines.as_bytes());
        let head = head.ok_or(ExtractError::TooLong)?;
        self.write_piece(&head, lines.as_bytes()).on("write", self.file.path()).map(|_| ())
    }

    /// Ends the spool.
    pub(crate) fn finish(self) -> Spooled {
        let extent = self.file.extent_from(self.start);
        Spooled { summary: self.summary, extent, leak: self.leak }
    }

    /// Ends a spool that later runs may find: it is alone in its file, which tells what is known
    /// of it.
    pub(crate) fn finish_kept(self) -> Result<Spooled, ExtractError> {
        let len = self.file.len() - self.start;
        let extent = Extent { offset: self.start, len, hash: None };
        self.file.end_kept(&self.summary)?;
        Ok(Spooled { summary: self.summary, extent, leak: self.leak })
    }

    /// Writes a piece, and gives the place of its text in the spool.
    fn write_piece(&mut self, head: &[u8], text: &[u8]) -> io::Result<u64> {
        self.file.put(head)?;
        let place = self.file.len() - self.start;
        self.file.put(text)?;
        Ok(place)
    }

    /// What stands before the text of a piece; `None` if something is too long for it.
    fn head(&self, to: Target<'_>, repeats: &[Repeat], text: &[u8]) -> Option<Vec<u8>> {
        let (kind, name) = match to {
            Target::Data => (0, ""),
            Target::FileLine(name) => (1, name),
            Target::File(name) => (2, name),
            Target::Table(number) if number < MOST_TABLES => (TABLES_FROM + number, ""),
            Target::Table(_) => return None,
        };
        self.head_of(kind, name, repeats, text)
    }

    fn head_of(&self, kind: u8, name: &str, repeats: &[Repeat], text: &[u8]) -> Option<Vec<u8>> {
        let mut head = Vec::with_capacity(HEAD_BYTES + name.len() + repeats.len() * REPEAT_BYTES);
        head.push(kind);
        head.extend_from_slice(&self.current.to_le_bytes());
        head.extend_from_slice(&u16::try_from(name.len()).ok()?.to_le_bytes());
        head.extend_from_slice(&u32::try_from(repeats.len()).ok()?.to_le_bytes());
        head.extend_from_slice(&u32::try_from(text.len()).ok()?.to_le_bytes());
        head.extend_from_slice(name.as_bytes());
        for Repeat { at, from } in repeats {
            head.extend_from_slice(&u32::try_from(*at).ok()?.to_le_bytes());
            head.extend_from_slice(&from.start.to_le_bytes());
            head.extend_from_slice(&(from.end - from.start).to_le_bytes());
        }
        Some(head)
    }

    /// Looks at a piece that is about to be written. Others of the session may say the same.
    fn look_at_whole(&mut self, piece: &[u8]) {
        if self.leak.is_none() {
            self.leak = self.guard.leak(piece, &mut self.seen);
        }
    }

    /// Looks at parts of a line, each of them a value that is printed once. They are looked at one
    /// by one, because a line may be as long as its session.
    fn look_at<'p>(&mut self, parts: impl IntoIterator<Item = &'p [u8]>) {
        for part in parts {
            if self.leak.is_none() {
                self.leak = self.guard.leak(part, &mut Seen::once());
            }
        }
    }

    /// Writes a piece, unless the session is left out, whatever else it has.
    fn put(
        &mut self,
        to: Target<'_>,
        repeats: &[Repeat],
        text: &[u8],
    ) -> Result<u64, ExtractError> {
        if let Target::File(name) | Target::FileLine(name) = to
            && name != self.name
        {
            name.clone_into(&mut self.name);
            self.look_at([name.as_bytes()]);
        }
        if self.leak.is_some() {
            return Ok(0);
        }
        let repeated = repeats.iter().map(|repeat| repeat.from.end - repeat.from.start);
        let bytes = text.len() as u64 + repeated.sum::<u64>() + 1;
        match self.summary.sample_bytes.get_mut(self.current as usize) {
            Some(sum) => *sum += bytes,
            None => self.summary.session_bytes += bytes,
        }
        let head = self.head(to, repeats, text).ok_or(ExtractError::TooLong)?;
        self.write_piece(&head, text).on("write", self.file.path())
    }
}

impl Output for SpoolWriter<'_, '_> {
    fn sample(&mut self, facts: SampleFacts) {
        self.current = self.summary.samples.len() as u32;
        self.summary.samples.push(facts);
        self.summary.sample_bytes.push(0);
    }

    fn session(&mut self) {
        self.current = WHOLE_SESSION;
    }

    fn piece(&mut self, to: Target<'_>, bytes: &[u8]) -> Result<(), ExtractError> {
        self.look_at_whole(bytes);
        self.put(to, &[], bytes).map(|_| ())
    }

    fn line(&mut self, to: Target<'_>, line: &Line) -> Result<u64, ExtractError> {
        let text = line.text.as_bytes();
        if line.items.is_empty() && line.repeats.is_empty() {
            self.look_at_whole(text);
        } else {
            self.look_at(line.items.iter().map(|item| &text[item.clone()]));
            self.look_at([line.frame().as_slice()]);
        }
        self.put(to, &line.repeats, text)
    }

    fn left_out(&mut self, reason: DropReason, replies: u64) {
        *self.summary.counts.left_out.entry(reason).or_default() += 1;
        self.replies_left_out(reason, replies);
    }

    fn found(&mut self, replies: u64) {
        self.summary.counts.replies += replies;
    }

    fn replies_left_out(&mut self, reason: DropReason, replies: u64) {
        if replies > 0 {
            let left_out = &mut self.summary.counts.replies_left_out;
            *left_out.entry(reason).or_default() += replies;
        }
    }

    fn copied(&mut self, reply: ReplyKey) {
        self.summary.counts.copies.push(reply);
    }

    fn unfinished(&mut self, end: ReplyEnd, replies: u64) {
        match end {
            ReplyEnd::Whole => {}
            ReplyEnd::Failed => self.summary.counts.failed += replies,
            ReplyEnd::Cut => self.summary.counts.cut_off += replies,
        }
    }
}
