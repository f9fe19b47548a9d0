//! What `--since` and `--until` mean.

use pitree_store::ledger::Zone;
pub(crate) use pitree_store::when::When;

use crate::error::CommandError;
use crate::target::Workspace;

/// The milliseconds from which and before which something counts.
pub(crate) type Range = (Option<i64>, Option<i64>);

/// What `--since` and `--until` mean in a zone: a date is included in both.
pub(crate) fn range(
    (since, until): (Option<When>, Option<When>),
    zone: &Zone,
    workspace: &Workspace,
) -> Result<Range, CommandError> {
    let now_ms = workspace.environment.now_ms();
    let since_ms = since.map(|since| since.range_ms(zone, now_ms).0);
    let until_ms = until.map(|until| until.range_ms(zone, now_ms).1);
    if let (Some(since), Some(until)) = (since_ms, until_ms)
        && since >= until
    {
        return Err(CommandError::usage("`--since` is later than `--until`"));
    }
    Ok((since_ms, until_ms))
}
