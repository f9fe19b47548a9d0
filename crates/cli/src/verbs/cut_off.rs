//! What `export`, `clone` and `fork` say about entries that a damaged line cuts off from the branch
//! they copy.

use pitree_export::Branch;
use pitree_session::{CutOff, EntryRef, Session};

use crate::error::Result;
use crate::output::Output;
use crate::text::counted;

/// The member of the JSON that counts these entries; absent if there are none.
pub(crate) const MEMBER: &str = "cutOff";

/// The entries that are missing from a branch because of a damaged or missing line.
pub(crate) fn of_branch(session: &Session, branch: Branch) -> Option<CutOff> {
    let cut = session.cut_off()?;
    let begins_after = |at| {
        let path = std::iter::successors(session.at(at), EntryRef::parent);
        path.last().is_some_and(|root| root.index() == cut.root)
    };
    let is_cut = match branch {
        Branch::Active => true,
        Branch::All => false,
        Branch::To(at) => begins_after(at),
    };
    is_cut.then_some(cut)
}

/// Warns of them; `keeps` is what to pass or run to keep them.
pub(crate) fn warn(cut: CutOff, keeps: &str, output: &mut Output) -> Result<()> {
    let entries = counted(cut.entries, "entry", "entries");
    let why = match cut.is_damaged {
        true => format!("line {} is damaged, and the current branch begins after it", cut.line),
        false => "an entry is missing, and the current branch begins after it".to_owned(),
    };
    output.remark(&format!(
        "warning: left out {entries} before line {}: {why}; `{keeps}` keeps everything",
        cut.line
    ))
}
