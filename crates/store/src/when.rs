//! Times as people type them: for `--since` and `--until` of the command, for `after:` and `before:`
//! of a search.
//!
//! A date, a week, a month, a year and words such as `yesterday` are periods of the user's clock,
//! with a beginning and an end. Whether a day has 23, 24 or 25 hours is up to the zone.

use std::str::FromStr;

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Weekday};
use pitree_format::js::date::{parse_iso, parse_span};
use thiserror::Error;

use crate::ledger::Zone;

/// What to type, for messages.
pub(crate) const EXAMPLES: &str = "a date (2026-02-03, 2026-02, 2026-W32), a time span (30m, 12h, 7d, 4w), \
                        today, yesterday, \"3 days ago\", \"last week\" or \"last month\"";

/// A text is not a time.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("give {EXAMPLES}")]
pub struct WhenError;

/// A time that somebody typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Milliseconds since 1970.
    At(i64),
    /// A date or a time without a zone: milliseconds since 1970 on the clock of whoever reads it.
    Local {
        begin: i64,
        /// Where the day, week, month or year ends; of a time it is the beginning.
        end: i64,
    },
    /// So many milliseconds before now.
    Before(i64),
    /// A period that is counted from today.
    Calendar(CalendarPeriod),
}

/// A period so many periods before the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CalendarPeriod {
    Day(u32),
    /// The day so many months before today, or the last one of a shorter month.
    DayMonthsAgo(u32),
    /// From Monday on.
    Week(u32),
    Month(u32),
    Year(u32),
}

impl FromStr for When {
    type Err = WhenError;

    fn from_str(text: &str) -> Result<Self, WhenError> {
        parse(text.trim()).map(Self).ok_or(WhenError)
    }
}

fn parse(text: &str) -> Option<Kind> {
    if let Some(ms) = parse_iso(text.as_bytes()) {
        let time = text.split_once('T').map(|(_, time)| time);
        let has_zone = time.is_some_and(|time| time.contains(['Z', '+', '-']));
        let end = end_of_date(text).unwrap_or(ms);
        return Some(if has_zone { Kind::At(ms) } else { Kind::Local { begin: ms, end } });
    }
    // Nobody means a time to come.
    if text.starts_with(['-', '+']) {
        return None;
    }
    let found = parse_iso_week(text).or_else(|| parse_span(text).map(Kind::Before));
    found.or_else(|| parse_words(text))
}

/// The end of a day, month or year as ISO 8601 writes it; `None` for a time of day.
fn end_of_date(text: &str) -> Option<i64> {
    let mut numbers = text.split('-').map(|number| number.parse::<u32>().ok());
    let year = i32::try_from(numbers.next()??).ok()?;
    let (month, day) = (numbers.next(), numbers.next());
    let first = NaiveDate::from_ymd_opt(year, month.unwrap_or(Some(1))?, 1)?;
    let end = match (month, day) {
        (None, _) => first.checked_add_months(Months::new(12))?,
        (Some(_), None) => first.checked_add_months(Months::new(1))?,
        (Some(_), Some(day)) => first.with_day(day?)?.succ_opt()?,
    };
    Some(local_ms(end))
}

/// A week such as `2026-W32`, from Monday on.
fn parse_iso_week(text: &str) -> Option<Kind> {
    let (year, week) = text.split_once("-W").or_else(|| text.split_once("-w"))?;
    let is_number =
        |text: &str, digits| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(year, 4) || !is_number(week, 2) {
        return None;
    }
    let monday = NaiveDate::from_isoywd_opt(year.parse().ok()?, week.parse().ok()?, Weekday::Mon)?;
    let next = monday.checked_add_days(Days::new(7))?;
    Some(Kind::Local { begin: local_ms(monday), end: local_ms(next) })
}

/// `yesterday`, `last week`, `3 days ago`. Hyphens do as well, since they need no quotes.
fn parse_words(text: &str) -> Option<Kind> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split([' ', '\t', '-', '_']).filter(|it| !it.is_empty()).collect();
    match words.as_slice() {
        ["now"] => Some(Kind::Before(0)),
        ["today"] => Some(Kind::Calendar(CalendarPeriod::Day(0))),
        ["yesterday"] => Some(Kind::Calendar(CalendarPeriod::Day(1))),
        ["this" | "last", unit] => {
            let before = u32::from(words[0] == "last");
            Some(Kind::Calendar(match *unit {
                "week" => CalendarPeriod::Week(before),
                "month" => CalendarPeriod::Month(before),
                "year" => CalendarPeriod::Year(before),
                _ => return None,
            }))
        }
        ["a" | "an" | "one", unit, "ago"] => ago(1, unit),
        [number, unit, "ago"] => ago(number.parse().ok()?, unit),
        _ => None,
    }
}

/// Minutes and hours are counted from now, days and more from today.
fn ago(number: u32, unit: &str) -> Option<Kind> {
    let span = |unit_ms: i64| Some(Kind::Before(i64::from(number) * unit_ms));
    let period = match unit.strip_suffix('s').unwrap_or(unit) {
        "minute" | "min" => return span(60_000),
        "hour" => return span(3_600_000),
        "day" => CalendarPeriod::Day(number),
        "week" => CalendarPeriod::Day(number.checked_mul(7)?),
        "month" => CalendarPeriod::DayMonthsAgo(number),
        "year" => CalendarPeriod::DayMonthsAgo(number.checked_mul(12)?),
        _ => return None,
    };
    Some(Kind::Calendar(period))
}

/// Midnight at the beginning of a day, on the clock of whoever reads it.
fn local_ms(day: NaiveDate) -> i64 {
    day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis()
}

impl CalendarPeriod {
    /// The first day, and the one after the last; `None` if that was before any calendar.
    fn days(self, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
        let day = |day: NaiveDate| Some((day, day.succ_opt()?));
        let months = |first: NaiveDate, before: u32, count: u32| {
            let begin = first.checked_sub_months(Months::new(before.checked_mul(count)?))?;
            Some((begin, begin.checked_add_months(Months::new(count))?))
        };
        match self {
            Self::Day(before) => day(today.checked_sub_days(Days::new(before.into()))?),
            Self::DayMonthsAgo(before) => day(today.checked_sub_months(Months::new(before))?),
            Self::Week(before) => {
                let past = u64::from(today.weekday().num_days_from_monday());
                let begin = today.checked_sub_days(Days::new(past + 7 * u64::from(before)))?;
                Some((begin, begin.checked_add_days(Days::new(7))?))
            }
            Self::Month(before) => months(today.with_day(1)?, before, 1),
            Self::Year(before) => months(today.with_day(1)?.with_month(1)?, before, 12),
        }
    }
}

impl When {
    /// Where it begins and where it ends, in milliseconds since 1970; days are those of the zone. A
    /// moment ends where it begins.
    pub fn range_ms(self, zone: &Zone, now_ms: i64) -> (i64, i64) {
        match self.0 {
            Kind::At(ms) => (ms, ms),
            Kind::Local { begin, end } => (zone.from_local(begin), zone.from_local(end)),
            Kind::Before(span) => (now_ms.saturating_sub(span), now_ms.saturating_sub(span)),
            Kind::Calendar(period) => {
                let today = DateTime::from_timestamp_millis(zone.to_local(now_ms));
                // Before the calendar begins there is nothing.
                let days = today.and_then(|today| period.days(today.date_naive()));
                days.map_or((i64::MIN, i64::MIN), |(first, next)| {
                    (zone.from_local(local_ms(first)), zone.from_local(local_ms(next)))
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::date::format_iso;
    use pitree_testkit::Rng;

    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    /// Sunday, 2026-03-29, an hour before clocks in Berlin go forward.
    const NOW: &str = "2026-03-29T00:00:00.000Z";

    fn utc(text: &str) -> i64 {
        parse_iso(text.as_bytes()).unwrap()
    }

    /// Clocks go from one offset to another at a moment and back later.
    fn summer(standard: i32, begin: i64, end: i64) -> Zone {
        Zone::with_rules(move |ms| standard + if (begin..end).contains(&ms) { 60 } else { 0 })
    }

    fn berlin() -> Zone {
        summer(60, utc("2026-03-29T01:00:00.000Z"), utc("2026-10-25T01:00:00.000Z"))
    }

    #[track_caller]
    fn range(text: &str, zone: &Zone, now: &str) -> (String, String) {
        let (begin, end) = text.parse::<When>().unwrap().range_ms(zone, utc(now));
        let short = |ms| format_iso(ms).trim_end_matches(":00.000Z").to_owned();
        (short(begin), short(end))
    }

    #[test]
    fn a_date_ends_where_the_next_one_begins() {
        for (text, next) in [
            ("2026-02-03", "2026-02-04"),
            ("2026-02-28", "2026-03-01"),
            ("2026-12-31", "2027-01-01"),
            ("2026-02", "2026-03-01"),
            ("2026-12", "2027-01-01"),
            ("2026", "2027-01-01"),
            ("2026-W32", "2026-08-10"),
            ("2026-W53", "2027-01-04"),
            ("2026-02-03T10:00", "2026-02-03T10:00:00Z"),
        ] {
            let Some(Kind::Local { end, .. }) = parse(text) else { panic!("{text}") };
            assert_eq!(Some(end), parse_iso(next.as_bytes()), "{text}");
        }
        assert!(matches!(parse("2026-02-03T10:00Z"), Some(Kind::At(_))));
        assert!(matches!(parse("7d"), Some(Kind::Before(_))));
    }

    #[test]
    fn words_are_periods_of_the_users_calendar() {
        for (text, begin, end) in [
            ("today", "2026-03-28T23:00", "2026-03-29T22:00"),
            ("Yesterday", "2026-03-27T23:00", "2026-03-28T23:00"),
            ("this week", "2026-03-22T23:00", "2026-03-29T22:00"),
            ("last week", "2026-03-15T23:00", "2026-03-22T23:00"),
            ("last-week", "2026-03-15T23:00", "2026-03-22T23:00"),
            ("2026-W12", "2026-03-15T23:00", "2026-03-22T23:00"),
            ("this month", "2026-02-28T23:00", "2026-03-31T22:00"),
            ("last  month", "2026-01-31T23:00", "2026-02-28T23:00"),
            ("last year", "2024-12-31T23:00", "2025-12-31T23:00"),
            ("3 days ago", "2026-03-25T23:00", "2026-03-26T23:00"),
            ("a week ago", "2026-03-21T23:00", "2026-03-22T23:00"),
            ("1 month ago", "2026-02-27T23:00", "2026-02-28T23:00"),
            ("2 years ago", "2024-03-28T23:00", "2024-03-29T23:00"),
            ("90 minutes ago", "2026-03-28T22:30", "2026-03-28T22:30"),
            ("an hour ago", "2026-03-28T23:00", "2026-03-28T23:00"),
            ("now", "2026-03-29T00:00", "2026-03-29T00:00"),
        ] {
            assert_eq!(range(text, &berlin(), NOW), (begin.into(), end.into()), "{text}");
        }
        for wrong in [
            "",
            "last",
            "week",
            "last day",
            "days ago",
            "x days ago",
            "-3 days ago",
            "2026-W54",
            "2026-W00",
            "2025-W53",
            "2026-W1",
            "26-W10",
            "3 fortnights ago",
            "2026-13",
            "tomorrow",
            "99999999999 days ago",
            "2026-02-30",
        ] {
            assert_eq!(wrong.parse::<When>(), Err(WhenError), "{wrong}");
        }
        let (begin, end) = "4000000000 days ago".parse::<When>().unwrap().range_ms(&berlin(), 0);
        assert_eq!((begin, end), (i64::MIN, i64::MIN));
    }

    /// Whatever the zone and its changes: today has now in it, each period begins with its first
    /// moment, and periods follow each other without a gap.
    #[test]
    fn periods_hold_their_moments_in_any_zone() {
        let mut rng = Rng::new(pitree_testkit::seed());
        for _ in 0..2_000 {
            let now = 1_600_000_000_000 + rng.below(300_000_000_000) as i64;
            let change = now + (rng.below(960) as i64 - 480) * HOUR_MS / 4;
            let standard = (rng.below(105) as i32 - 48) * 15;
            let zone = match rng.chance(50) {
                true => summer(standard, change, i64::MAX),
                false => summer(standard, i64::MIN, change),
            };
            let of = |text: &str| text.parse::<When>().unwrap().range_ms(&zone, now);
            let told = format!("{standard} {change} {now}");
            let (begin, end) = of("today");
            // Where clocks go back over midnight, a part of the day before comes twice.
            let is_doubled = (end - change).abs() <= HOUR_MS;
            assert!(is_doubled || (begin..end).contains(&now), "{told}");
            for text in ["today", "yesterday", "this week", "last week", "last month"] {
                let (begin, end) = of(text);
                assert!(begin < end, "{text} {told}");
                let day = |ms: i64| zone.to_local(ms).div_euclid(24 * HOUR_MS);
                assert!(day(begin - 1) < day(begin), "{text} {told}");
                assert!(day(end - 1) < day(end), "{text} {told}");
            }
            assert_eq!(of("yesterday").1, of("today").0, "{told}");
            assert_eq!(of("last week").1, of("this week").0, "{told}");
            assert_eq!(of("last month").1, of("this month").0, "{told}");
        }
    }
}
