//! A program on a terminal of its own: how soon it shows something, as whoever starts it sees it.

use std::fs::File;
use std::io::Read;
use std::num::NonZero;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The usual small terminal.
const ROWS: NonZero<u16> = NonZero::new(24).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(80).unwrap();

/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// Milliseconds from the start of a program until it has written a text. Then it is killed.
pub(crate) fn until_seen(command: &mut Command, text: &str) -> Result<f64> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let [ws_row, ws_col] = [ROWS, COLUMNS].map(NonZero::get);
    tcsetwinsize(&master, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 })?;
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

/// Reads until the screen shows a text. What is written is only what changes on the screen.
fn read_until(master: &mut File, text: &str, begun: Instant) -> Result<f64> {
    let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
    let mut buffer = [0; 16 << 10];
    let patience = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
    loop {
        let mut fds = [PollFd::from_borrowed_fd(master.as_fd(), PollFlags::IN)];
        let is_there = poll(&mut fds, Some(&patience))? > 0;
        let contents = || screen.screen().contents();
        ensure!(is_there, "{text} is never seen:\n{}", contents());
        let Ok(count @ 1..) = master.read(&mut buffer) else {
            bail!("it ended early:\n{}", contents());
        };
        screen.process(&buffer[..count]);
        if screen.screen().contents().contains(text) {
            return Ok(begun.elapsed().as_secs_f64() * 1000.0);
        }
    }
}
