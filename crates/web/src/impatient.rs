//! A connection that is given up when nobody reads what is sent, or too slowly.
//!
//! A program that asks and never reads would keep its place for good, and there are only so many; so
//! would one that reads a byte now and then.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// So long sent bytes may wait for somebody who reads them.
const PATIENCE: Duration = Duration::from_secs(10);

/// So many have to be read in that time, until all of an answer is sent.
const ENOUGH: usize = 64 << 10;

/// The connection.
pub(crate) struct Impatient<S> {
    stream: S,
    /// Runs while what was sent waits.
    waits: Option<Pin<Box<Sleep>>>,
    /// What was sent since it runs.
    sent: usize,
}

impl<S> Impatient<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, waits: None, sent: 0 }
    }

    /// An error if it has waited for too long.
    fn checked(
        &mut self,
        sent: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(done) = &sent {
            self.sent += done.as_ref().map_or(0, |bytes| *bytes);
            if self.sent >= ENOUGH {
                self.caught_up();
            }
            return sent;
        }
        let waits = self.waits.get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        waits.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S> Impatient<S> {
    /// Nothing waits any more, or enough was read in time.
    fn caught_up(&mut self) {
        (self.waits, self.sent) = (None, 0);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.checked(sent, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.checked(sent, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Whoever sends flushes when all of it has been written.
        self.caught_up();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::runtime::Builder;
    use tokio::time::Instant;

    use super::*;

    /// Takes so many bytes a second.
    struct Slow {
        bytes: usize,
        pause: Option<Pin<Box<Sleep>>>,
    }

    impl AsyncWrite for Slow {
        fn poll_write(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            let pause = self.pause.get_or_insert_with(|| Box::pin(sleep(Duration::from_secs(1))));
            if pause.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.pause = None;
            Poll::Ready(Ok(bytes.len().min(self.bytes)))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// Sends answers to somebody who reads so much a second; gives the time it took, or the error.
    fn send(bytes: usize, answer: usize, answers: usize) -> Result<u64, io::ErrorKind> {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let mut stream = Impatient::new(Slow { bytes, pause: None });
            let begun = Instant::now();
            for _ in 0..answers {
                stream.write_all(&vec![0; answer]).await.map_err(|error| error.kind())?;
                stream.flush().await.map_err(|error| error.kind())?;
                // Idle times are not counted.
                sleep(Duration::from_secs(60)).await;
            }
            Ok(begun.elapsed().as_secs() - 60 * answers as u64)
        })
    }

    #[test]
    fn who_reads_next_to_nothing_is_given_up() {
        assert_eq!(send(1 << 10, 1 << 20, 1), Err(io::ErrorKind::TimedOut));
        assert_eq!(send(8 << 10, 1 << 20, 1), Ok(128), "slow, and fast enough");
        assert_eq!(send(1 << 10, 4 << 10, 20), Ok(80), "short answers one after the other");
    }
}
