//! Terminals with nobody at the keys: the interface ends and says why.

use std::fs::File;
use std::io::{Read, Write};

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fs_err::os::unix::fs::OpenOptionsExt;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::common::Sandbox;

/// So long the command may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// A terminal: the end that a person holds, and the one that a program has.
fn terminal(columns: u16) -> (File, File) {
    // A child that inherits the person's end would never see it closed.
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize { ws_row: columns / 3, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    // The tests themselves must not get it as their own terminal: they would end with it.
    let mut options = fs_err::OpenOptions::new();
    options.read(true).write(true).custom_flags(OFlags::NOCTTY.bits().cast_signed());
    let slave = options.open(name.to_str().unwrap());
    (File::from(master), slave.unwrap().into_parts().0)
}

/// Starts pitree in a session of its own, whose terminal is the one on standard input: otherwise it
/// would have that of whoever runs the tests, or none.
fn start(sandbox: &Sandbox, terminal: &File) -> Child {
    let mut command = pitree(sandbox, Command::new("/usr/bin/setsid"));
    command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_pitree")]);
    command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap());
    command.spawn().unwrap()
}

fn pitree(sandbox: &Sandbox, mut command: Command) -> Command {
    command.env_clear().env("HOME", sandbox.home()).env("TERM", "xterm");
    command.current_dir(sandbox.project()).stderr(Stdio::piped());
    command
}

/// How it ends, and what it says; it does end.
fn ends(mut child: Child) -> (Option<i32>, String) {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it never ends");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let done = child.wait_with_output().unwrap();
    (done.status.code(), String::from_utf8(done.stderr).unwrap())
}

#[test]
fn a_terminal_whose_input_has_ended_gets_a_message() {
    let sandbox = Sandbox::new();
    let (mut master, slave) = terminal(80);
    // As `script` does when its own input is at the end.
    master.write_all(b"\x04").unwrap();
    let (code, said) = ends(start(&sandbox, &slave));
    assert_eq!(code, Some(4), "{said}");
    assert!(said.starts_with("error: The input of the terminal has ended"), "{said}");
    assert!(said.contains("hint: `pitree list`"), "{said}");
}

#[test]
fn a_terminal_without_a_size_gets_a_message() {
    let sandbox = Sandbox::new();
    let (_master, slave) = terminal(0);
    let (code, said) = ends(start(&sandbox, &slave));
    assert_eq!(code, Some(4), "{said}");
    assert!(said.starts_with("error: The terminal has a size of 0"), "{said}");
}

#[test]
fn a_container_may_hide_whoever_started_pitree() {
    let test = "a_container_may_hide_whoever_started_pitree";
    let namespace = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
    let can = Command::new("/usr/bin/unshare").args(namespace).arg("/bin/true").output();
    if !can.is_ok_and(|done| done.status.success()) {
        // The rule itself has a test beside it, so that `--strict` need not insist on this one.
        return pitree_testkit::tell(&format!("{test}: no namespace can be made here (unshare)"));
    }
    let sandbox = Sandbox::new();
    let (_master, slave) = terminal(0);
    let mut command = pitree(&sandbox, Command::new("/usr/bin/unshare"));
    command.args(namespace).arg(env!("CARGO_BIN_EXE_pitree"));
    let child = command.stdin(slave.try_clone().unwrap()).stdout(slave).spawn().unwrap();
    let (code, said) = ends(child);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.starts_with("error: The terminal has a size of 0"), "{said}");
}

#[test]
fn input_that_is_not_a_terminal_gets_a_message() {
    let sandbox = Sandbox::new();
    let (_master, slave) = terminal(80);
    let mut command = pitree(&sandbox, Command::new(env!("CARGO_BIN_EXE_pitree")));
    let child = command.stdin(Stdio::null()).stdout(slave).spawn().unwrap();
    let (code, said) = ends(child);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.starts_with("error: Standard input is not a terminal"), "{said}");
}

#[test]
fn a_terminal_that_is_closed_ends_the_picker() {
    let sandbox = Sandbox::new();
    let (mut master, slave) = terminal(80);
    let child = start(&sandbox, &slave);
    drop(slave);
    // It is there and draws.
    let mut seen = [0; 64];
    assert!(master.read(&mut seen).unwrap() > 0);
    std::thread::sleep(Duration::from_millis(200));
    drop(master);
    let (code, said) = ends(child);
    assert_eq!(code, Some(129), "{said}");
}
