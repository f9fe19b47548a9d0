//! Finding words in the conversation: which entries have them.
//!
//! A thread with a session of its own reads the entries, those from the cursor on first, so that
//! the first match of a long session is there before all of it was read.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use pitree_format::{JsString, Value};
use pitree_session::{EntryRef, Session};

use crate::background::SessionPosition;
use crate::rich::Needle;
use crate::wake::{Waker, WakingSender};

/// How many entries a thread reads before it says what it found.
const BATCH: usize = 500;

/// Members that are no text wherever they stand.
const NO_TEXT: [&str; 12] = [
    "type",
    "role",
    "id",
    "parentId",
    "toolCallId",
    "responseId",
    "timestamp",
    "data",
    "mimeType",
    "textSignature",
    "thinkingSignature",
    "usage",
];

/// What is being found.
#[derive(Default)]
pub(crate) struct Finder {
    /// As it was typed.
    text: String,
    words: Vec<Needle>,
    /// The entries that have all of the words, in the order of the file.
    entries: Vec<usize>,
    found: Option<Receiver<Vec<usize>>>,
    /// The cursor goes to the first match as soon as there is one.
    pub(crate) is_going: bool,
}

impl Finder {
    /// What is looked for, as it was typed; empty if nothing is.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The words to show.
    pub(crate) fn words(&self) -> &[Needle] {
        &self.words
    }

    /// The entries found so far.
    pub(crate) fn entries(&self) -> &[usize] {
        &self.entries
    }

    /// Whether there may be more.
    pub(crate) fn is_running(&self) -> bool {
        self.found.is_some()
    }

    /// Begins with other words: the parts of `words`, each of which an entry must have. `entries`
    /// is the conversation. What is found at once is there when this returns.
    pub(crate) fn start(
        &mut self,
        text: &str,
        words: &[&str],
        entries: Vec<usize>,
        session: &Session,
        waiting: (&Waker, Duration),
    ) {
        let words: Vec<Needle> = words.iter().filter_map(|word| Needle::new(word)).collect();
        *self = Self { text: text.to_owned(), words, ..Self::default() };
        if self.words.is_empty() {
            return self.stop();
        }
        self.look(entries, session, waiting);
    }

    fn look(&mut self, entries: Vec<usize>, session: &Session, waiting: (&Waker, Duration)) {
        let (waker, grace) = waiting;
        let position = SessionPosition::of(session);
        if session.file_len() == 0 {
            let is_hit = |at: &usize| session.at(*at).is_some_and(|it| has_all(it, &self.words));
            self.entries = entries.into_iter().filter(is_hit).collect();
            return self.entries.sort_unstable();
        }
        let (sender, found) = waker.channel();
        let words = self.words.clone();
        std::thread::spawn(move || {
            if let Some(Ok(session)) = position.open() {
                read(&session, &entries, &words, &sender);
            }
        });
        self.found = Some(found);
        self.wait(grace);
    }

    /// Looks for the same words again, in a conversation that has changed.
    pub(crate) fn restart(
        &mut self,
        entries: Vec<usize>,
        session: &Session,
        waiting: (&Waker, Duration),
    ) {
        let (words, before) = (std::mem::take(&mut self.words), std::mem::take(&mut self.entries));
        let is_going = self.is_going;
        *self = Self { text: std::mem::take(&mut self.text), words, is_going, ..Self::default() };
        self.look(entries, session, waiting);
        if self.is_running() {
            self.entries = before;
        }
    }

    /// Stops looking for anything.
    pub(crate) fn stop(&mut self) {
        *self = Self::default();
    }

    /// Takes what the thread has found. `true` if there was something.
    pub(crate) fn poll(&mut self) -> bool {
        let Some(found) = &self.found else { return false };
        let mut all = BTreeSet::new();
        let is_over = loop {
            match found.try_recv() {
                Ok(entries) => all.extend(entries),
                Err(TryRecvError::Empty) => break false,
                Err(TryRecvError::Disconnected) => break true,
            }
        };
        if is_over {
            self.found = None;
        }
        self.add(&all);
        is_over || !all.is_empty()
    }

    /// Waits a moment for what is found quickly.
    fn wait(&mut self, grace: Duration) {
        let begun = Instant::now();
        let mut all = BTreeSet::new();
        while let Some(found) = &self.found {
            match found.recv_timeout(grace.saturating_sub(begun.elapsed())) {
                Ok(entries) => all.extend(entries),
                Err(RecvTimeoutError::Disconnected) => self.found = None,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        self.add(&all);
    }

    fn add(&mut self, entries: &BTreeSet<usize>) {
        self.entries.extend(entries);
        self.entries.sort_unstable();
        self.entries.dedup();
    }
}

fn read(session: &Session, entries: &[usize], words: &[Needle], out: &WakingSender<Vec<usize>>) {
    for batch in entries.chunks(BATCH) {
        let is_hit = |at: &usize| session.at(*at).is_some_and(|entry| has_all(entry, words));
        let hits: Vec<usize> = batch.iter().copied().filter(is_hit).collect();
        // Nobody looks for it any more.
        if !out.send(hits) {
            return;
        }
    }
}

/// Whether an entry has each of the words somewhere in its text.
fn has_all(entry: EntryRef<'_>, words: &[Needle]) -> bool {
    let Ok(value) = entry.value() else { return false };
    let mut texts = Vec::new();
    collect(&value, &mut texts);
    let texts: Vec<_> = texts.into_iter().map(JsString::to_text).collect();
    words.iter().all(|word| texts.iter().any(|text| word.is_in(text)))
}

/// The texts of a value, without recursion: a file may nest as deep as it likes.
fn collect<'v>(value: &'v Value, texts: &mut Vec<&'v JsString>) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(values) => rest.extend(values.iter()),
            Value::Object(members) => {
                let is_text = |name: &JsString| !NO_TEXT.contains(&&*name.to_text());
                let members = members.iter().filter(|(name, _)| is_text(name));
                rest.extend(members.map(|(_, value)| value));
            }
            _ => {}
        }
    }
}
