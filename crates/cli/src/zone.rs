//! The user's time zone.

use chrono::{Local, Offset, TimeZone};
use pitree_store::ledger::Zone;

/// The zone of the variable `TZ`, or of the system.
pub(crate) fn local() -> Zone {
    Zone::with_rules(|ms| {
        let time = Local.timestamp_millis_opt(ms).single();
        time.map_or(0, |time| time.offset().fix().local_minus_utc() / 60)
    })
}
