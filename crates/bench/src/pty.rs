//! A program on a terminal of its own: how soon it shows something, as whoever starts it sees it.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The usual small terminal.
const SIZE: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };

/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// Milliseconds from the start of a program until it has written a text. Then it is killed.
pub(crate) fn until_seen(command: &mut Command, text: &str) -> Result<f64> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    tcsetwinsize(&master, SIZE)?;
    let name = ptsname(&master, Vec::new())?;
    let slave = fs_err::OpenOptions::new().read(true).write(true).open(name.to_str()?)?;
    let slave = slave.into_parts().0;
    command.stdin(slave.try_clone()?).stdout(slave).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let seen = read_until(&mut File::from(master), text, begun);
    child.kill()?;
    child.wait()?;
    seen
}

fn read_until(master: &mut File, text: &str, begun: Instant) -> Result<f64> {
    let (mut written, mut buffer) = (Vec::new(), [0; 16 << 10]);
    let patience = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
    loop {
        let mut fds = [PollFd::from_borrowed_fd(master.as_fd(), PollFlags::IN)];
        ensure!(poll(&mut fds, Some(&patience))? > 0, "{text} is never written");
        let Ok(count @ 1..) = master.read(&mut buffer) else {
            bail!("it ended early: {}", String::from_utf8_lossy(&written));
        };
        written.extend_from_slice(&buffer[..count]);
        if String::from_utf8_lossy(&written).contains(text) {
            return Ok(begun.elapsed().as_secs_f64() * 1000.0);
        }
    }
}
