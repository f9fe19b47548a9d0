//! The time zone by which days begin.

use std::fmt;
use std::sync::Arc;

use pitree_session::Environment;

use super::file::QUARTER_MS;

const MINUTE_MS: i64 = 60_000;

const DAY_MS: i64 = 1440 * MINUTE_MS;

/// A time zone: how far its clocks are ahead of UTC, which may change over the year. The rules of a
/// zone are those of the system, so the caller brings them.
#[derive(Clone)]
pub struct Zone(Kind);

#[derive(Clone)]
enum Kind {
    Fixed(i32),
    Rules(Arc<dyn Fn(i64) -> i32 + Send + Sync>),
}

impl Zone {
    /// The same offset all the year, in minutes ahead of UTC.
    pub fn fixed(minutes: i32) -> Self {
        Self(Kind::Fixed(minutes))
    }

    /// A zone with rules: the minutes ahead of UTC at a time in milliseconds since 1970.
    pub fn with_rules(offset: impl Fn(i64) -> i32 + Send + Sync + 'static) -> Self {
        Self(Kind::Rules(Arc::new(offset)))
    }

    /// The user's zone, as an environment has it.
    pub fn of(environment: &Environment) -> Self {
        let environment = environment.clone();
        let minutes = move |ms: i64| environment.local_ms(ms).saturating_sub(ms) / MINUTE_MS;
        Self::with_rules(move |ms| i32::try_from(minutes(ms)).unwrap_or(0))
    }

    /// What a clock of the zone shows at a time, as milliseconds since its own 1970.
    pub fn to_local(&self, ms: i64) -> i64 {
        ms.saturating_add(self.offset_ms(ms))
    }

    /// When a clock of the zone first shows a time, or one that is later: where clocks go forward,
    /// some times are never shown.
    pub fn from_local(&self, local_ms: i64) -> i64 {
        let with_offset_at = |ms: i64| local_ms.saturating_sub(self.offset_ms(ms));
        // Clocks change less often than every other day.
        let before = with_offset_at(local_ms.saturating_sub(DAY_MS));
        let after = with_offset_at(local_ms.saturating_add(DAY_MS));
        let shows = |ms: i64| self.to_local(ms) == local_ms;
        if let Some(first) =
            [before.min(after), before.max(after)].into_iter().find(|it| shows(*it))
        {
            return first;
        }
        let (mut early, mut late) = (before.min(after), before.max(after));
        while late.saturating_sub(early) > 1 {
            let middle = early + (late - early) / 2;
            if self.to_local(middle) < local_ms { early = middle } else { late = middle }
        }
        late
    }

    /// Whether days begin where a quarter hour does, as in all zones of the last decades.
    pub(super) fn is_on_quarter_hours(&self) -> bool {
        match self.0 {
            Kind::Fixed(minutes) => i64::from(minutes) * MINUTE_MS % QUARTER_MS == 0,
            Kind::Rules(_) => true,
        }
    }

    fn offset_ms(&self, ms: i64) -> i64 {
        let minutes = match &self.0 {
            Kind::Fixed(minutes) => *minutes,
            Kind::Rules(offset) => offset(ms),
        };
        i64::from(minutes) * MINUTE_MS
    }
}

impl Default for Zone {
    /// UTC.
    fn default() -> Self {
        Self::fixed(0)
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Fixed(minutes) => write!(f, "Zone({minutes} min)"),
            Kind::Rules(_) => f.write_str("Zone(rules)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One hour ahead, two from 1,000 hours on.
    fn zone() -> Zone {
        Zone::with_rules(|ms| if ms < 1000 * 60 * MINUTE_MS { 60 } else { 120 })
    }

    #[test]
    fn a_local_time_is_found_again_on_both_sides_of_a_change() {
        for hour in [0, 998, 999, 1000, 1001, 1002, 5000] {
            let ms = hour * 60 * MINUTE_MS;
            assert_eq!(zone().from_local(zone().to_local(ms)), ms, "{hour}");
        }
    }

    #[test]
    fn a_time_that_no_clock_shows_is_where_clocks_went_forward() {
        let hour = 60 * MINUTE_MS;
        // West of Greenwich the first guess is on the other side of the change.
        for standard in [-300, -180, 0, 60, 600] {
            let change = 1000 * hour;
            let zone = Zone::with_rules(move |ms| standard + if ms < change { 0 } else { 60 });
            let missing = zone.to_local(change) - hour;
            assert_eq!(zone.from_local(missing), change, "{standard}");
            assert_eq!(zone.from_local(missing + hour / 2), change, "{standard}");
            assert_eq!(zone.from_local(missing - 1), change - 1, "{standard}");
            let back = Zone::with_rules(move |ms| standard - if ms < change { 0 } else { 60 });
            let twice = back.to_local(change);
            assert_eq!(back.from_local(twice), change - hour, "{standard}");
        }
    }
}
