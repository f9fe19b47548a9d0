//! The programs that this process has started and that still run, so that none outlives it.
//!
//! Commands, agents and extensions lead process groups of their own, which neither Ctrl+C nor the
//! end of this process reaches. `start` enters them into a list, and each is taken out before it
//! is reaped, so that a number in the list never belongs to anybody else.
//! [`end_all`] is for the way out of the process, whichever it is: the end of the main function, a
//! signal, a panic.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

/// How long a program that is asked to end may take.
const LONGEST_GOODBYE: Duration = Duration::from_millis(1500);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

static RUNNING: Mutex<Running> = Mutex::new(Running { programs: Vec::new(), is_over: false });

struct Running {
    programs: Vec<Program>,
    /// This process is on its way out: nothing is started any more.
    is_over: bool,
}

/// How a program is ended on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// At once.
    Kill,
    /// It is asked first, since it may have something to close.
    Ask,
}

#[derive(Clone, Copy)]
struct Program {
    pid: Pid,
    leads_group: bool,
    ending: Ending,
}

/// A program in the list. Drop this before the program is reaped.
#[derive(Debug)]
pub(crate) struct Registered(Pid);

impl Drop for Registered {
    fn drop(&mut self) {
        lock().programs.retain(|program| program.pid != self.0);
    }
}

/// Starts a program and enters it. Both are one step for [`end_all`]: a program that runs and is
/// not in the list yet would be left behind.
pub(crate) fn start(
    command: &mut Command,
    leads_group: bool,
    ending: Ending,
) -> io::Result<(Child, Registered)> {
    let mut running = lock();
    if running.is_over {
        return Err(io::Error::other("pitree is ending"));
    }
    let child = command.spawn()?;
    let program = Program { pid: Pid::from_child(&child), leads_group, ending };
    running.programs.push(program);
    Ok((child, Registered(program.pid)))
}

/// Ends every program that was started and still runs, with its whole process group. Call it on
/// the way out of the process: no program is started later.
pub fn end_all() {
    // Nobody can reap one of them while the list is held.
    let mut running = lock();
    running.is_over = true;
    for program in &running.programs {
        program.send(match program.ending {
            Ending::Kill => Signal::KILL,
            Ending::Ask => Signal::TERM,
        });
    }
    let asked = || running.programs.iter().filter(|program| program.ending == Ending::Ask);
    let begun = Instant::now();
    while begun.elapsed() < LONGEST_GOODBYE && asked().any(Program::is_running) {
        thread::sleep(LOOK_AGAIN);
    }
    // Those who ended may have left others of their group behind.
    asked().for_each(|program| program.send(Signal::KILL));
}

impl Program {
    fn send(&self, signal: Signal) {
        // What is gone already needs no end.
        if self.leads_group {
            let _ = kill_process_group(self.pid, signal);
        }
        // A program may not have come to lead its group yet.
        let _ = kill_process(self.pid, signal);
    }

    fn is_running(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(waitid(WaitId::Pid(self.pid), options), Ok(None))
    }
}

fn lock() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
