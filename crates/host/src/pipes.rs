//! What both kinds of children need of their pipes: to know which one is ready.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Which of the three pipes can be used now: input, output, complaints. Waits for this long.
pub(crate) fn ready(
    input: Option<&ChildStdin>,
    output: Option<&ChildStdout>,
    complaints: Option<&ChildStderr>,
    pause: Duration,
) -> io::Result<[bool; 3]> {
    let wanted: [Option<(BorrowedFd<'_>, PollFlags)>; 3] = [
        input.map(|pipe| (pipe.as_fd(), PollFlags::OUT)),
        output.map(|pipe| (pipe.as_fd(), PollFlags::IN)),
        complaints.map(|pipe| (pipe.as_fd(), PollFlags::IN)),
    ];
    let mut asked: Vec<PollFd<'_>> =
        wanted.iter().flatten().map(|(fd, flags)| PollFd::from_borrowed_fd(*fd, *flags)).collect();
    let pause = Timespec::try_from(pause).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
    match poll(&mut asked, Some(&pause)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut answers = asked.iter().map(|fd| !fd.revents().is_empty());
    Ok(wanted.map(|pipe| pipe.is_some() && answers.next().unwrap_or(false)))
}

/// Whether to try again later is all there is to do about an error.
pub(crate) fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}
