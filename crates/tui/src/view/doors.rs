//! The other screens that commands of the view lead to.

use super::commands::Command;
use crate::desk::Desk;
use crate::screen::Screen;

/// The screen that a command opens, or why there is none.
pub(super) fn open(
    _command: Command,
    _argument: &str,
    _desk: &mut Desk,
) -> Result<Box<dyn Screen>, String> {
    Err("This screen is not part of this build.".to_owned())
}
