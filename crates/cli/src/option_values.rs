//! Numbers and durations that options take, refused in words.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use crate::text::number_and_unit;

/// Any whole number.
pub(crate) fn any_number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "give a whole number of at least 0".to_owned())
}

/// A number that can be compared with others.
pub(crate) fn real_number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "give a number such as 1 or 0.5".to_owned())
}

/// A number of things of which there must be one.
pub(crate) fn at_least_one<T: FromStr>(text: &str) -> Result<T, String> {
    if let Ok(number) = text.parse()
        && text.parse::<NonZeroU64>().is_ok()
    {
        return Ok(number);
    }
    // A number that no list is as long as is still a number.
    match text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte > b'0') {
        true => Err("the number is too large".to_owned()),
        false => Err("give a whole number of at least 1".to_owned()),
    }
}

/// A number within bounds.
pub(crate) fn within(text: &str, range: &RangeInclusive<u16>) -> Result<u16, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("give a whole number from {} to {}", range.start(), range.end()))
}

/// A duration as it is typed: seconds, or a number with `ms`, `s`, `m` or `h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text).ok_or("give a duration such as 500ms, 30s or 2m")?;
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("the units are ms, s, m and h".to_owned()),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "give a shorter duration".to_owned())
}

/// A number of seconds, such as `30` or `0.5`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|number| Duration::try_from_secs_f64(number).ok());
    seconds.ok_or_else(|| "give a number of seconds, such as 30 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_they_are_typed() {
        let ms = |text| duration(text).map(|duration| duration.as_millis());
        let good = [
            ("0", 0),
            ("2", 2000),
            ("1.5s", 1500),
            ("500ms", 500),
            ("2m", 120_000),
            ("1 h", 3_600_000),
        ];
        for (text, want) in good {
            assert_eq!(ms(text), Ok(want), "{text}");
        }
        for text in ["", "s", "-1s", "1d", "1e999", "1.2.3", "99999999999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
