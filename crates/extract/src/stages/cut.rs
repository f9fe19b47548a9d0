//! Cutting a row of things into parts of about the same weight.

/// Where each of so many parts ends. Each gets its share of the weight, and none is empty as long as
/// there are things for it.
pub(crate) fn ends(weights: &[u64], parts: usize) -> Vec<usize> {
    let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let (mut end, mut done) = (0, 0_u128);
    let next = |part: usize| {
        let share = total * part as u128 / parts as u128;
        let least = end + 1;
        let most = weights.len().saturating_sub(parts - part);
        while end < most && (end < least || done < share) {
            done += u128::from(weights[end]);
            end += 1;
        }
        if part == parts { weights.len() } else { end }
    };
    (1..=parts).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_in_one_part_and_none_is_empty_for_nothing() {
        for (weights, parts) in [
            (vec![], 1),
            (vec![], 3),
            (vec![5], 3),
            (vec![0, 0, 0, 0], 2),
            (vec![1, 1, 1, 1, 1, 1, 1, 1], 4),
            (vec![100, 1, 1, 1], 4),
            (vec![1, 1, 1, 100], 3),
            ((0..1000).collect(), 7),
            (vec![u64::MAX; 4], 2),
        ] {
            let ends = ends(&weights, parts);
            assert_eq!(ends.len(), parts);
            assert_eq!(ends.last(), Some(&weights.len()), "{weights:?} in {parts}");
            let starts = [0].into_iter().chain(ends.iter().copied());
            let lens: Vec<usize> = starts.zip(&ends).map(|(from, to)| to - from).collect();
            let empty = lens.iter().filter(|len| **len == 0).count();
            assert_eq!(empty, parts.saturating_sub(weights.len()), "{weights:?}: {lens:?}");
        }
        assert_eq!(ends(&[1; 8], 4), [2, 4, 6, 8]);
    }
}
