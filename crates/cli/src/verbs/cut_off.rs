//! What `export`, `clone` and `fork` say about entries that a damaged line cuts off from the branch
//! they copy.

use pitree_export::Branch;
use pitree_session::{CutOff, Session};

use crate::error::Result;
use crate::output::Output;
use crate::text::counted;

/// The member of the JSON that counts these entries; absent if there are none.
pub(crate) const MEMBER: &str = "cutOff";

/// The entries that are missing from a branch because of a damaged or missing line.
pub(crate) fn of_branch(session: &Session, branch: Branch) -> Option<CutOff> {
    match branch {
        Branch::Active => session.cut_off(),
        Branch::All => None,
        Branch::To(at) => session.cut_off_from(at),
    }
}

/// Warns of them; `keeps` is what to pass or run to keep them.
pub(crate) fn warn(cut: CutOff, keeps: &str, output: &mut Output) -> Result<()> {
    let entries = counted(cut.entries, "entry", "entries");
    let reason = cut.reason();
    output.remark(&format!("warning: left out {entries} {reason}; `{keeps}` keeps everything"))
}
