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
        (WakingSender { sender, waker: WakesAtEnd(self.clone()) }, receiver)
    }
}

/// The end of a channel that a thread holds: what it sends wakes the loop, and so does its end.
#[derive(Debug)]
pub struct WakingSender<T> {
    // Dropped first, so that the loop finds the channel closed when it is woken.
    sender: Sender<T>,
    waker: WakesAtEnd,
}

/// Wakes the loop once more when it is dropped.
#[derive(Clone, Debug)]
struct WakesAtEnd(Waker);

impl Drop for WakesAtEnd {
    fn drop(&mut self) {
        self.0.wake();
    }
}

impl<T> WakingSender<T> {
    /// Sends a message and wakes the loop; `false` if nobody receives any more, so that the work
    /// can stop.
    pub fn send(&self, message: T) -> bool {
        let sent = self.sender.send(message).is_ok();
        self.waker.0.wake();
        sent
    }
}

impl<T> Clone for WakingSender<T> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), waker: self.waker.clone() }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::mpsc::TryRecvError;

    use super::*;

    #[test]
    fn the_end_of_a_sender_wakes_the_loop_which_finds_the_channel_closed() {
        for _ in 0..200 {
            let (mut woken, pipe) = std::io::pipe().unwrap();
            let (sender, receiver) = Waker::new(pipe).channel::<()>();
            let thread = std::thread::spawn(move || drop(sender));
            assert_eq!(woken.read(&mut [0; 2]).unwrap(), 1);
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
            thread.join().unwrap();
        }
    }
}
