//! The labels of the entries, and when they were set.

use std::collections::HashMap;

use pitree_format::js::date::{format_iso, parse_iso};
use pitree_session::{Environment, Session, SessionError};

/// The label of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryLabel {
    /// The label, as it stands in the file.
    pub text: String,
    /// The same in lower case, to search in.
    pub(super) lower: String,
    /// When it was set, in Unix milliseconds.
    pub time_ms: Option<i64>,
}

/// The labels by the entries that have them.
pub(super) fn labels_of(session: &Session) -> Result<HashMap<u32, EntryLabel>, SessionError> {
    let with_entry = session.labels()?.iter().filter_map(|label| {
        let entry = session.entry(&label.target_id)?.index() as u32;
        let text = label.text.to_string();
        let time_ms = label.timestamp.as_ref().and_then(|time| parse_iso(time.as_bytes()));
        Some((entry, EntryLabel { lower: text.to_lowercase(), text, time_ms }))
    });
    Ok(with_entry.collect())
}

/// A time near now in a few characters: `14:05` today, `3/17 14:05` this year, else
/// `25/3/17 14:05`, by the user's clock.
pub fn short_time(time_ms: i64, environment: &Environment) -> String {
    let local = |ms| Date::of(environment.local_ms(ms));
    let (time, now) = (local(time_ms), local(environment.now_ms()));
    let clock = &time.clock;
    if time.year != now.year {
        let short = &time.year[time.year.len() - 2..];
        format!("{short}/{}/{} {clock}", time.month, time.day)
    } else if (time.month, time.day) != (now.month, now.day) {
        format!("{}/{} {clock}", time.month, time.day)
    } else {
        clock.clone()
    }
}

struct Date {
    year: String,
    month: u8,
    day: u8,
    /// Hours and minutes.
    clock: String,
}

impl Date {
    fn of(ms: i64) -> Self {
        // Counted from its end: a year may have a sign and more than four digits.
        let iso = format_iso(ms);
        let from_end = |start: usize, len: usize| {
            let start = iso.len().saturating_sub(start);
            iso.get(start..start + len).unwrap_or("00")
        };
        let year = iso.get(..iso.len().saturating_sub(20)).filter(|year| year.len() >= 2);
        Self {
            year: year.unwrap_or("00").to_owned(),
            month: from_end(19, 2).parse().unwrap_or(0),
            day: from_end(16, 2).parse().unwrap_or(0),
            clock: from_end(13, 5).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(now_ms: i64) -> Environment {
        Environment::new("/home/ana", "/srv", move || now_ms, |bytes| bytes.fill(7))
    }

    fn ms(iso: &str) -> i64 {
        parse_iso(iso.as_bytes()).unwrap_or_default()
    }

    #[test]
    fn times_are_as_short_as_they_can_be() {
        let now = at(ms("2026-03-17T15:00:00.000Z"));
        let short = |iso: &str| short_time(ms(iso), &now);
        assert_eq!(short("2026-03-17T04:05:06.000Z"), "04:05");
        assert_eq!(short("2026-03-07T14:05:06.000Z"), "3/7 14:05");
        assert_eq!(short("2025-12-31T23:59:59.999Z"), "25/12/31 23:59");
    }

    #[test]
    fn times_are_those_of_the_users_clock() {
        // Summer time begins in between.
        let zone = |time_ms| if time_ms < ms("2026-03-29T01:00:00.000Z") { 60 } else { 120 };
        let now = at(ms("2026-03-29T22:30:00.000Z")).with_zone(zone);
        let short = |iso: &str| short_time(ms(iso), &now);
        assert_eq!(short("2026-03-29T22:10:00.000Z"), "00:10");
        assert_eq!(short("2026-03-29T21:30:00.000Z"), "3/29 23:30");
        assert_eq!(short("2026-03-17T23:30:00.000Z"), "3/18 00:30");
    }

    #[test]
    fn no_time_is_too_far_away() {
        for ms in [i64::MIN, -8_640_000_000_000_000, 0, 8_640_000_000_000_000, i64::MAX] {
            assert!(short_time(ms, &at(0).with_zone(|_| -720)).contains(':'));
        }
    }
}
