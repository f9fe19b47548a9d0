//! What a round asks for, as it lies in the work folder.

use serde::{Deserialize, Serialize};

use super::cut::ends;
use super::executor::Round;
use super::plan::ExtractPlan;
use super::rounds::{Family, RoundState};
use super::session::{JobOrder, PlannedSource};
use super::work_folder::{self, WorkFolder};
use crate::error::ExtractError;
use crate::guard::Guard;

/// The ending of its file.
const ROUND: &str = "round";

/// What a round asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RoundOrders {
    /// The round before; `None` for the first one.
    pub(super) before: Option<Round>,
    /// What is asked for, by shard, in the final order of the sessions.
    pub(super) shards: Vec<Vec<JobOrder>>,
    /// How far the rounds have come. It has the families whose secrets are looked for.
    pub(super) state: RoundState,
}

impl RoundOrders {
    /// The first round.
    pub(super) fn first(plan: &ExtractPlan, sources: &[PlannedSource], guard: &dyn Guard) -> Self {
        let all = RoundState::first(sources, guard);
        let shards = plan.first_shards(sources).into_iter();
        let shards = shards.map(|own| own.into_iter().map(|at| all[at].clone()).collect());
        Self { before: None, shards: shards.collect(), state: RoundState::default() }
    }

    /// A later round, shared out into shards of about the size that those of the plan have.
    pub(super) fn again(
        before: &Round,
        orders: &[JobOrder],
        state: RoundState,
        plan: &ExtractPlan,
        sources: &[PlannedSource],
    ) -> Self {
        let weight = |order: &JobOrder| sources[order.session].pinned.unwrap_or(0);
        let weights: Vec<u64> = orders.iter().map(weight).collect();
        let each = plan.bytes() / plan.shards() as u64 + 1;
        let shards = weights.iter().sum::<u64>().div_ceil(each).max(1);
        let mut from = 0;
        let shard = |end: usize| {
            let own = orders[from..end].to_vec();
            from = end;
            own
        };
        let ends = ends(&weights, (shards as usize).clamp(1, orders.len().max(1)));
        let shards = ends.into_iter().map(shard).collect();
        Self { before: Some(before.clone()), shards, state }
    }

    /// Puts it into the work folder.
    pub(super) fn save(&self, folder: &WorkFolder) -> Result<Round, ExtractError> {
        let hash = blake3::hash(&work_folder::encoded(self)?).to_hex();
        let id = folder.address(ROUND, &[&hash]);
        work_folder::write(&folder.reduced(&id, ROUND), self)?;
        let number = self.before.as_ref().map_or(0, |before| before.number + 1);
        Ok(Round { number, id, shards: self.shards.len() })
    }

    /// Reads what a later round asks for.
    pub(super) fn load(folder: &WorkFolder, round: &Round) -> Result<Self, ExtractError> {
        let path = folder.reduced(&round.id, ROUND);
        let unknown = || {
            let (number, folder) = (round.number, folder.path().display());
            let message =
                format!("{folder} does not know round {number} of this plan; reduce again");
            ExtractError::Plan(message)
        };
        let is_name = round.id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let orders: Option<Self> = if is_name { work_folder::read(&path)? } else { None };
        let orders = orders.ok_or_else(unknown)?;
        let number = orders.before.as_ref().map_or(0, |before| before.number + 1);
        if number != round.number || orders.shards.len() != round.shards {
            return Err(unknown());
        }
        Ok(orders)
    }

    pub(super) fn families(&self) -> &[Family] {
        self.state.families()
    }
}
