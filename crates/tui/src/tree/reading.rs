//! Reads the bodies of a large session while its tree is already seen.

use std::num::NonZero;
use std::sync::mpsc::{Receiver, TryRecvError};

use pitree_session::Session;

use super::facts::{Bodies, BodyPart};
use super::model::TreeModel;
use crate::background::SessionPosition;
use crate::wake::Waker;

/// A file up to this size is read at once: that takes less than a frame.
const MOST_BYTES_AT_ONCE: u64 = 1 << 20;
const MOST_THREADS: usize = 8;

/// A thread that reads, as long as it does.
#[derive(Default)]
pub(super) struct BodyReader(Option<Receiver<BodyMessage>>);

/// What the thread tells: a part of the bodies, or that all are read.
type BodyMessage = Option<Bodies>;

impl BodyReader {
    /// Reads everything now if that is quick, else begins a thread.
    pub(super) fn begin(model: &mut TreeModel, session: &Session, waker: &Waker) -> Self {
        let path = session.path();
        let size = path.and_then(|path| fs_err::metadata(path).ok()).map_or(0, |file| file.len());
        match path.filter(|_| size > MOST_BYTES_AT_ONCE) {
            Some(_) => Self(Some(in_thread(SessionPosition::of(session), waker))),
            None => {
                model.read(session, 0, 1);
                Self(None)
            }
        }
    }

    /// Gives the model what has been read.
    pub(super) fn poll(&mut self, model: &mut TreeModel) {
        while let Some(bodies) = &self.0 {
            match bodies.try_recv() {
                Ok(Some(bodies)) => model.take_in(bodies),
                Err(TryRecvError::Empty) => return,
                Ok(None) | Err(TryRecvError::Disconnected) => self.0 = None,
            }
        }
    }

    pub(super) fn goes_on(&self) -> bool {
        self.0.is_some()
    }
}

fn in_thread(position: SessionPosition, waker: &Waker) -> Receiver<BodyMessage> {
    let (sender, bodies) = waker.channel();
    std::thread::spawn(move || {
        // What keeps it from being read is seen in the rows, which are read one by one.
        if let Some(Ok(session)) = position.open() {
            let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
            for part in [BodyPart::Assistants, BodyPart::Others] {
                let bodies = Bodies::read(&session, part, 0, threads.min(MOST_THREADS));
                if !sender.send(Some(bodies)) {
                    return;
                }
            }
        }
        sender.send(None);
    });
    bodies
}

/// Enough to see that the session has changed.
pub(super) fn now(session: &Session) -> (usize, Option<usize>) {
    (session.len(), session.leaf().map(|leaf| leaf.index()))
}
