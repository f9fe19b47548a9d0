//! A connection that is given up when nobody reads what is sent, or too slowly.
//!
//! A program that asks and never reads would keep its place for good, and there are only so many; so
//! would one that reads a byte now and then.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// So long sent bytes may wait for somebody who reads them.
const PATIENCE: Duration = Duration::from_secs(10);

/// So many have to be read in that time, until all of an answer is sent.
const ENOUGH: usize = 64 << 10;

/// The connection.
pub(crate) struct Impatient {
    stream: TcpStream,
    /// Runs while what was sent waits.
    waits: Option<Pin<Box<Sleep>>>,
    /// What was sent since it runs.
    sent: usize,
}

impl Impatient {
    pub(crate) fn new(stream: TcpStream) -> Self {
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

impl Impatient {
    /// Nothing waits any more, or enough was read in time.
    fn caught_up(&mut self) {
        (self.waits, self.sent) = (None, 0);
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
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
