//! The cost over time in one line.

use std::collections::BTreeMap;

use pitree_format::js::date::{format_iso, parse_iso};
use pitree_store::ledger::Group;
use pitree_tui::text::width;

use crate::chart;

/// So many marks at most.
const MOST_MARKS: usize = 60;

/// With fewer marks than these nothing is seen.
const LEAST_MARKS: usize = 3;

const DAY_MS: i64 = 86_400_000;

/// A mark for each day from the first to the last, those without a cost too, and which days these
/// are. Where there are more days than room, a mark stands for several. `None` if there are too few
/// days, or there is no room.
pub(super) fn of_days(groups: &[Group], room: usize) -> Option<String> {
    let day = |group: &Group| {
        let time = parse_iso(group.key.as_deref()?.as_bytes())?;
        Some((time.div_euclid(DAY_MS), group.sum.cost.dollars()))
    };
    let costs: BTreeMap<i64, f64> = groups.iter().filter_map(day).collect();
    let (&first, &last) = (costs.keys().next()?, costs.keys().next_back()?);
    let days = usize::try_from(last - first).ok()? + 1;
    // The words are longer if a mark stands for several days.
    let most = room.saturating_sub(width(&words(first, last, days)) + 2).min(MOST_MARKS);
    let each = if days <= most { 1 } else { days.div_ceil(most.max(1)) };
    let mut marks = vec![0.0; days.div_ceil(each)];
    for (day, cost) in &costs {
        marks[usize::try_from(day - first).ok()? / each] += cost;
    }
    let is_seen = (LEAST_MARKS..=most).contains(&marks.len());
    is_seen.then(|| format!("{}  {}", chart::sparkline(&marks), words(first, last, each)))
}

fn words(first: i64, last: i64, each: usize) -> String {
    let date = |day: i64| {
        let iso = format_iso(day.saturating_mul(DAY_MS));
        iso.split_once('T').map_or(iso.clone(), |(date, _)| date.to_owned())
    };
    let each = if each > 1 { format!(", {each} days each") } else { String::new() };
    format!("{} to {}{each}", date(first), date(last))
}

#[cfg(test)]
mod tests {
    use pitree_store::ledger::{Price, Sum, Tokens};

    use super::*;

    fn days(costs: &[(&str, f64)]) -> Vec<Group> {
        let group = |(day, cost): &(&str, f64)| Group {
            key: Some((*day).to_owned()),
            session: None,
            sum: Sum::of(&Tokens::default(), Price::from_dollars(*cost)),
        };
        costs.iter().map(group).collect()
    }

    #[test]
    fn each_day_has_a_mark_and_the_range_is_said() {
        let three = days(&[("2026-03-02", 1.0), ("2026-03-03", 2.0), ("2026-03-05", 4.0)]);
        let line = "▃▅ █  2026-03-02 to 2026-03-05";
        assert_eq!(of_days(&three, 80).as_deref(), Some(line));
        assert_eq!(of_days(&three, 10), None);
        assert_eq!(of_days(&three[..1], 80), None);
        assert_eq!(of_days(&[], 80), None);
    }

    #[test]
    fn a_long_time_is_shown_whole() {
        let year = days(&[("2025-03-02", 1.0), ("2025-06-01", 9.0), ("2026-03-01", 4.0)]);
        let line = of_days(&year, 80).unwrap();
        assert!(line.starts_with('▂') && line.contains("▄  2025-03-02 to 2026-03-01, "), "{line}");
        assert!(line.ends_with(" 10 days each") && width(&line) <= 80, "{line}");
        for room in 0..120 {
            let fits = of_days(&year, room).is_none_or(|line| width(&line) <= room);
            assert!(fits, "{room}");
        }
    }
}
