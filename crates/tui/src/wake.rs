//! Messages from threads: a channel whose sender wakes the loop.

use std::io::{PipeWriter, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Wakes the loop. Without a loop, as in tests, it does nothing.
#[derive(Clone, Debug, Default)]
pub struct Waker(Option<Arc<PipeWriter>>);

impl Waker {
    /// Wakes whoever waits at the other end of a pipe, which must not block.
    pub(crate) fn new(pipe: PipeWriter) -> Self {
        Self(Some(Arc::new(pipe)))
    }

    /// Wakes the loop.
    pub fn wake(&self) {
        if let Some(pipe) = &self.0 {
            // A full pipe wakes as well.
            let _ = (&**pipe).write(&[0]);
        }
    }

    /// A channel for the messages of a thread.
    pub fn channel<T>(&self) -> (WakingSender<T>, Receiver<T>) {
        let (sender, receiver) = channel();
        (WakingSender { sender, waker: self.clone() }, receiver)
    }
}

/// The end of a channel that a thread holds: what it sends wakes the loop.
#[derive(Debug)]
pub struct WakingSender<T> {
    sender: Sender<T>,
    waker: Waker,
}

impl<T> WakingSender<T> {
    /// Sends a message and wakes the loop; `false` if nobody receives any more, so that the work
    /// can stop.
    pub fn send(&self, message: T) -> bool {
        let sent = self.sender.send(message).is_ok();
        self.waker.wake();
        sent
    }
}

impl<T> Clone for WakingSender<T> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), waker: self.waker.clone() }
    }
}
