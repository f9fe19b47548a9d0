//! Keys that come more than once. Of hundreds of thousands few do, so what is kept of those alone
//! needs little room.

/// The keys that come more than once among these, each once, in order.
pub(crate) fn repeated<K: Copy + Ord>(mut keys: Vec<K>) -> Vec<K> {
    keys.sort_unstable();
    let same = keys.chunk_by(|one, other| one == other);
    same.filter(|same| same.len() > 1).map(|same| same[0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_once_is_not_repeated() {
        assert_eq!(repeated(vec![5, 1, 5, 2, 1, 5, 9]), [1, 5]);
        assert!(repeated(Vec::<u8>::new()).is_empty());
    }
}
