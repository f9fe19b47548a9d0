//! What all sessions have given, wherever it lies.

use super::session::SessionResult;
use crate::error::ExtractError;
use crate::output::spool::Summary;

/// The results of all sessions, as often as somebody goes through them.
pub(crate) trait Results {
    /// Shows the result of each session, in their final order.
    fn each(
        &self,
        show: &mut dyn FnMut(usize, &SessionResult) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError>;

    /// The sessions that the last round has worked on, in order.
    fn changed(&self) -> Result<Vec<usize>, ExtractError>;
}

impl dyn Results + '_ {
    /// Shows the results of the sessions that are not left out.
    pub(crate) fn each_summary(
        &self,
        mut show: impl FnMut(usize, &Summary) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        self.each(&mut |at, result| result.summary().map_or(Ok(()), |summary| show(at, summary)))
    }
}

/// Results that are in memory.
pub(crate) struct ResultsInMemory<'r> {
    pub(crate) results: &'r [SessionResult],
    pub(crate) changed: &'r [usize],
}

impl Results for ResultsInMemory<'_> {
    fn each(
        &self,
        show: &mut dyn FnMut(usize, &SessionResult) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        self.results.iter().enumerate().try_for_each(|(at, result)| show(at, result))
    }

    fn changed(&self) -> Result<Vec<usize>, ExtractError> {
        Ok(self.changed.to_vec())
    }
}
