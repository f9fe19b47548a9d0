//! `Date`: ISO 8601 text to milliseconds and back.
//!
//! `new Date(text)` in V8 also takes many informal spellings. Pi writes only the 24-character
//! form of `toISOString`, so informal ones count as invalid here. A time without a zone is local
//! time in JavaScript; here it is UTC, because a library must not depend on the machine.

use super::Value;

const MS_PER_DAY: i64 = 86_400_000;

/// `new Date(value).getTime()`; `None` is JavaScript's `NaN`.
pub fn time_of(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::String(text) => parse_iso(text.as_str()?.as_bytes()),
        Value::Number(number) if number.abs() <= 8.64e15 => Some(number.trunc() as i64),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Null => Some(0),
        _ => None,
    }
}

/// Milliseconds since 1970 of an ISO 8601 date or date-time.
pub fn parse_iso(text: &[u8]) -> Option<i64> {
    parse_usual(text).or_else(|| parse_any(text))
}

/// The form that `toISOString` prints: `2026-02-03T22:52:06.410Z`.
fn parse_usual(text: &[u8]) -> Option<i64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    let digit =
        |at: usize| Some(i64::from(text[at].wrapping_sub(b'0'))).filter(|digit| *digit < 10);
    let two = |at: usize| Some(digit(at)? * 10 + digit(at + 1)?);
    let signs = [4, 7, 10, 13, 16, 19, 23].map(|at| text[at]);
    if signs != *b"--T::.Z" {
        return None;
    }
    let (year, month, day) = (two(0)? * 100 + two(2)?, two(5)?, two(8)?);
    let (hour, minute, second) = (two(11)?, two(14)?, two(17)?);
    let ms = two(20)? * 10 + digit(22)?;
    let is_date = (1..=12).contains(&month) && (1..=28).contains(&day);
    // What is rare is left to the careful reader.
    (is_date && hour < 24 && minute < 60 && second < 60).then(|| {
        let in_day = ((hour * 60 + minute) * 60 + second) * 1000 + ms;
        days_from_civil(year, month, day) * MS_PER_DAY + in_day
    })
}

fn parse_any(text: &[u8]) -> Option<i64> {
    let mut reader = Reader { text, at: 0 };
    let year = reader.year()?;
    let (mut month, mut day) = (1, 1);
    if reader.eat(b'-') {
        month = reader.digits(2)?;
        if reader.eat(b'-') {
            day = reader.digits(2)?;
        }
    }
    if !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    let mut ms = days_from_civil(year, month, day) * MS_PER_DAY;
    if reader.eat(b'T') {
        ms += reader.time_of_day()?;
        ms -= reader.zone()?;
    }
    (reader.at == text.len() && ms.abs() <= 8_640_000_000_000_000).then_some(ms)
}

/// `new Date(ms).toISOString()`, for times of the years 0 to 9999; others print the long form.
pub fn format_iso(ms: i64) -> String {
    let mut text = String::with_capacity(24);
    print_iso(ms, &mut text);
    text
}

/// Appends what [`format_iso`] gives.
pub fn print_iso(ms: i64, out: &mut String) {
    let (year, month, day) = civil_from_days(ms.div_euclid(MS_PER_DAY));
    let in_day = ms.rem_euclid(MS_PER_DAY);
    let mut text = *b"+000000-00-00T00:00:00.000Z";
    let numbers = [
        (1..7, year.abs()),
        (8..10, month),
        (11..13, day),
        (14..16, in_day / 3_600_000),
        (17..19, in_day / 60_000 % 60),
        (20..22, in_day / 1000 % 60),
        (23..26, in_day % 1000),
    ];
    for (place, mut number) in numbers {
        for digit in text[place].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
    if year < 0 {
        text[0] = b'-';
    }
    let start = match year {
        // A usual year has four digits and no sign.
        0..=9999 => 3,
        -999_999..=999_999 => 0,
        // No date of JavaScript, but a number that a file may hold.
        _ => {
            let sign = if year < 0 { '-' } else { '+' };
            out.push_str(&format!("{sign}{}", year.abs()));
            7
        }
    };
    out.push_str(std::str::from_utf8(&text[start..]).unwrap_or_default());
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(hit);
        hit
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let part = self.text.get(self.at..self.at + count)?;
        let mut value = 0;
        for digit in part {
            if !digit.is_ascii_digit() {
                return None;
            }
            value = value * 10 + i64::from(digit - b'0');
        }
        self.at += count;
        Some(value)
    }

    fn year(&mut self) -> Option<i64> {
        if self.eat(b'+') {
            return self.digits(6);
        }
        if self.eat(b'-') {
            // The specification has no year -000000.
            return self.digits(6).filter(|year| *year != 0).map(|year| -year);
        }
        self.digits(4)
    }

    fn time_of_day(&mut self) -> Option<i64> {
        let hour = self.digits(2)?;
        if !self.eat(b':') {
            return None;
        }
        let minute = self.digits(2)?;
        let (mut second, mut milli) = (0, 0);
        if self.eat(b':') {
            second = self.digits(2)?;
            if self.eat(b'.') {
                milli = self.fraction()?;
            }
        }
        let in_range = hour < 24 && minute < 60 && second < 60;
        let midnight = hour == 24 && minute == 0 && second == 0 && milli == 0;
        (in_range || midnight).then_some(((hour * 60 + minute) * 60 + second) * 1000 + milli)
    }

    /// Any number of digits; those past the third do not count.
    fn fraction(&mut self) -> Option<i64> {
        let start = self.at;
        let mut milli = 0;
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            if self.at - start < 3 {
                milli = milli * 10 + i64::from(digit - b'0');
            }
            self.at += 1;
        }
        match self.at - start {
            0 => None,
            1 => Some(milli * 100),
            2 => Some(milli * 10),
            _ => Some(milli),
        }
    }

    fn zone(&mut self) -> Option<i64> {
        if self.at == self.text.len() || self.eat(b'Z') {
            return Some(0);
        }
        let sign = if self.eat(b'+') {
            1
        } else if self.eat(b'-') {
            -1
        } else {
            return None;
        };
        let hours = self.digits(2)?;
        self.eat(b':');
        let minutes = self.digits(2)?;
        (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01, counted in 400-year eras that begin in March so that the leap day is
/// the last day of a year.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The milliseconds of a span of minutes, hours, days or weeks: `30m`, `12h`, `7d`, `4w`.
pub fn parse_span(text: &str) -> Option<i64> {
    let unit = match text.chars().last()? {
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        'w' => 604_800_000,
        _ => return None,
    };
    let number: i64 = text[..text.len() - 1].parse().ok()?;
    Some(number.saturating_mul(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times() {
        assert_eq!(parse_iso(b"2026-02-03T22:52:06.410Z"), Some(1_770_159_126_410));
        assert_eq!(parse_iso(b"1970-01-01"), Some(0));
        assert_eq!(parse_iso(b"2026-02-03T23:52:06.410+01:00"), Some(1_770_159_126_410));
        assert_eq!(parse_iso(b"2026-02-03T22:52Z"), Some(1_770_159_120_000));
        assert_eq!(parse_iso(b"2026-02-03T22:52:06.41Z"), Some(1_770_159_126_410));
        for bad in
            ["", "not a date", "2026-13-01", "2026-02-30", "2026-02-03T25:00Z", "2026-02-03T22"]
        {
            assert_eq!(parse_iso(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn the_usual_form_is_read_as_any_other() {
        let usual = b"2026-02-28T22:52:06.410Z";
        for at in 0..usual.len() {
            for byte in b"0123456789-:TZ. +" {
                let mut text = *usual;
                text[at] = *byte;
                if let Some(ms) = parse_usual(&text) {
                    assert_eq!(parse_any(&text), Some(ms), "{}", text.escape_ascii());
                }
            }
        }
        assert_eq!(parse_usual(usual), parse_any(usual));
        assert!(parse_usual(usual).is_some() && parse_usual(b"2026-02-28T22:52:06Z").is_none());
    }

    #[test]
    fn printing_and_reading_agree() {
        for ms in [0, 1, -1, 1_770_159_126_410, -62_135_596_800_000, 253_402_300_799_999] {
            assert_eq!(parse_iso(format_iso(ms).as_bytes()), Some(ms), "{}", format_iso(ms));
        }
        assert_eq!(format_iso(1_770_159_126_410), "2026-02-03T22:52:06.410Z");
    }

    #[test]
    fn years_of_any_length() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-62_198_755_200_000, "-000001-01-01T00:00:00.000Z"),
            (8_640_000_000_000_000, "+275760-09-13T00:00:00.000Z"),
            (i64::MAX, "+292278994-08-17T07:12:55.807Z"),
        ] {
            assert_eq!(format_iso(ms), text);
        }
    }
}
