//! The user's time zone.

use std::path::Path;
use std::sync::Once;

use chrono::{Local, Offset, TimeZone};
use pitree_store::ledger::Zone;

use crate::environment::variable;
use crate::output;
use crate::text::clean_line;

/// Where systems keep their time zones.
const ZONE_FOLDERS: [&str; 4] =
    ["/usr/share/zoneinfo", "/share/zoneinfo", "/etc/zoneinfo", "/usr/share/lib/zoneinfo"];

static WARNED: Once = Once::new();

/// The zone of the variable `TZ`, or of the system.
pub(crate) fn local() -> Zone {
    Zone::with_rules(minutes_at)
}

/// Says once that a zone counts as UTC because the system does not know its name.
pub(crate) fn warn_if_unknown() {
    WARNED.call_once(|| {
        if let Some(name) = variable("TZ").filter(|name| !is_known(name)) {
            let name = clean_line(&name);
            output::say(&format!("warning: the time zone TZ={name} is unknown; times are UTC\n"));
        }
    });
}

/// How many minutes the user's clock is ahead of UTC at a time.
pub(crate) fn minutes_at(ms: i64) -> i32 {
    warn_if_unknown();
    let time = Local.timestamp_millis_opt(ms).single();
    time.map_or(0, |time| time.offset().fix().local_minus_utc() / 60)
}

/// What the zone is called, if it has a name, and where that comes from.
pub(crate) fn name() -> (Option<String>, &'static str) {
    match variable("TZ") {
        Some(name) if !is_known(&name) => (None, "TZ, which names an unknown zone"),
        Some(name) => {
            let name = name.strip_prefix(':').unwrap_or(&name).to_owned();
            (Some(name).filter(|name| !name.is_empty()), "TZ")
        }
        None => {
            let link = fs_err::read_link("/etc/localtime").ok();
            let link = link.map(|link| link.to_string_lossy().into_owned());
            let name = link
                .and_then(|link| link.split_once("/zoneinfo/").map(|(_, name)| name.to_owned()));
            (name, "system")
        }
    }
}

/// How far the user's clock is ahead of UTC at a time: `UTC+02:00`.
pub(crate) fn offset(ms: i64) -> String {
    let minutes = minutes_at(ms);
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.abs();
    format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Whether a value of `TZ` is a zone: empty, a file, a name of the zone database, or rules such as
/// `CET-1CEST`.
fn is_known(value: &str) -> bool {
    let name = value.strip_prefix(':').unwrap_or(value);
    let is_file = |folder: &str| Path::new(folder).join(name).is_file();
    matches!(name, "" | "UTC" | "GMT") || ZONE_FOLDERS.into_iter().any(is_file) || is_rule(name)
}

/// Whether it begins with a name and an offset, as POSIX has it.
fn is_rule(text: &str) -> bool {
    let offset = match text.strip_prefix('<') {
        Some(quoted) => quoted.split_once('>').map(|(_, offset)| offset),
        None => {
            let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
            (end >= 3).then(|| &text[end..])
        }
    };
    offset.is_some_and(|offset| {
        offset.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_told_from_other_words() {
        for known in ["", "UTC", ":UTC", "CET-1CEST", "<+03>-3", "EST5EDT,M3.2.0,M11.1.0"] {
            assert!(is_known(known), "{known}");
        }
        for unknown in ["Foo/Bar", "nonsense", "/no/such/file", "<+03", "ab1"] {
            assert!(!is_known(unknown), "{unknown}");
        }
    }
}
