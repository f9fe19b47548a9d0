//! What an agent writes: its output until it ends, and the end of its complaints.

use std::io::{self, Read};
use std::process::{Child, ChildStdout};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::child::has_exited;
use crate::pipes::ready;

/// How much is kept of what an agent complains about, and how long its end is waited for.
const MOST_LAST_WORDS: usize = 2 << 10;
const LONGEST_LAST_WORDS: Duration = Duration::from_millis(500);
/// How often a silent agent is looked at, whether it is still there.
const LOOK_FOR_EXIT: Duration = Duration::from_millis(200);

/// What an agent says, until it closes its output or has exited and nothing more comes. Something
/// that it started may hold its output open for ever.
pub(super) struct Spoken {
    pub(super) output: ChildStdout,
    pub(super) child: Arc<Mutex<Child>>,
}

impl Spoken {
    fn has_exited(&self) -> bool {
        // Whoever has it now is about to end it, and the output with it.
        self.child.try_lock().is_ok_and(|child| has_exited(&child).unwrap_or(true))
    }
}

impl Read for Spoken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let had_exited = self.has_exited();
            let [_, is_ready, _] = ready(None, Some(&self.output), None, LOOK_FOR_EXIT)?;
            if is_ready {
                return self.output.read(buffer);
            }
            if had_exited {
                return Ok(0);
            }
        }
    }
}

/// The end of what an agent complains about.
pub(super) fn last_words(mut complaints: impl Read) -> String {
    let mut kept = Vec::new();
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = complaints.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        kept.drain(..kept.len().saturating_sub(MOST_LAST_WORDS));
    }
    String::from_utf8_lossy(&kept).trim().to_owned()
}

pub(super) fn is_over_soon<T>(thread: &thread::JoinHandle<T>) -> bool {
    let begun = Instant::now();
    while !thread.is_finished() && begun.elapsed() < LONGEST_LAST_WORDS {
        thread::sleep(Duration::from_millis(5));
    }
    thread.is_finished()
}
