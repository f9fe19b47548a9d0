//! Signals that would end the process in the middle of something. Ctrl+C while something long runs:
//! the first one asks it to stop, the second one ends the process.

use std::sync::Arc;

use pitree_session::summary::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::error::{CommandError, Result};

/// What the shell reports for a program that Ctrl+C ended.
const ENDED_BY_INTERRUPT: i32 = 130;

/// Lets a write beyond the limit on the size of files (`ulimit -f`) fail like any other one, which
/// is reported and cleaned up, instead of ending the process in the middle of a line. A handler
/// does that and not to ignore the signal: programs that we start have the default again.
pub(crate) fn survive_file_size_limit() {
    // Without it all is as it was.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Leaves Ctrl+C to a program that has the terminal now and shares the group with us. A handler
/// does that and not to ignore the signal: that program would ignore it too.
pub(crate) fn leave_to_others() {
    for signal in [SIGINT, SIGQUIT] {
        // Without it the signal ends us too, and the other program gets no more text.
        let _ = flag::register(signal, Arc::default());
    }
}

/// A flag that Ctrl+C sets. Programs that were started for us lead groups of their own, so they
/// do not see Ctrl+C and have to be ended by us.
pub(crate) fn cancel_on_interrupt() -> Result<Cancel> {
    let cancel = Cancel::new();
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        // In this order: the shutdown looks at the flag before it is set.
        flag::register_conditional_shutdown(signal, ENDED_BY_INTERRUPT, cancel.flag())
            .and_then(|_| flag::register(signal, cancel.flag()))
            .map_err(|error| CommandError::Refused {
                message: format!("Cannot listen to Ctrl+C: {error}"),
                hint: None,
            })?;
    }
    Ok(cancel)
}
