//! How well the letters of a word stand in a text, in their order: the last guess.

/// How well the letters of a word stand in this order in a text, as Pi counts it: in a row and at
/// the beginnings of words is good, gaps and late places are bad. Letters and digits may have
/// changed places (`3sonnet` for `sonnet3`). `None` if they do not stand there.
pub(crate) fn letter_by_letter(word: &str, text: &str) -> Option<f64> {
    if let Some(score) = subsequence(word, text) {
        return Some(score);
    }
    let letters_end = word.find(|c: char| !c.is_ascii_lowercase())?;
    let digits_end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let (first, second) = word.split_at(letters_end.max(digits_end));
    let is_other = |c: char| {
        if letters_end > 0 { c.is_ascii_digit() } else { c.is_ascii_lowercase() }
    };
    let swapped =
        (!first.is_empty() && second.chars().all(is_other)).then(|| format!("{second}{first}"))?;
    subsequence(&swapped, text).map(|score| score + 5.0)
}

/// The best of the leftmost letters and of the whole word wherever it stands.
fn subsequence(word: &str, text: &str) -> Option<f64> {
    // Places are counted as JavaScript counts them.
    let letters: Vec<u16> = text.encode_utf16().collect();
    let word: Vec<u16> = word.encode_utf16().collect();
    if word.is_empty() {
        return Some(0.0);
    }
    let mut places = Vec::with_capacity(word.len());
    let mut next = 0;
    for letter in &word {
        let at = next + letters.get(next..)?.iter().position(|other| other == letter)?;
        places.push(at);
        next = at + 1;
    }
    let mut score = score_of(places.into_iter(), &letters);
    for (start, part) in letters.windows(word.len()).enumerate() {
        if part == word {
            score = score.min(score_of(start..start + word.len(), &letters));
        }
    }
    Some(if word == letters { score - 100.0 } else { score })
}

fn score_of(places: impl Iterator<Item = usize>, letters: &[u16]) -> f64 {
    let mut score = 0.0;
    let (mut next, mut run) = (0, 0);
    for at in places {
        // Nothing stands before the first letter, so at the very beginning it counts as a row.
        if at == next {
            run += 1;
            score -= f64::from(run) * 5.0;
        } else {
            run = 0;
            score += if next > 0 { (at - next) as f64 * 2.0 } else { 0.0 };
        }
        if at == 0 || begins_word_after(letters[at - 1]) {
            score -= 10.0;
        }
        score += at as f64 * 0.1;
        next = at + 1;
    }
    score
}

/// Whether a word begins behind this.
fn begins_word_after(unit: u16) -> bool {
    let c = char::from_u32(unit.into()).unwrap_or('x');
    c.is_whitespace() || "-_./:".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_may_change_places() {
        assert!(letter_by_letter("3sonnet", "sonnet 3").is_some());
        assert!(letter_by_letter("sonnet3", "3 sonnet").is_some());
        assert_eq!(letter_by_letter("3-sonnet", "sonnet 3"), None);
        assert_eq!(letter_by_letter("longer than", "short"), None);
        assert_eq!(letter_by_letter("", "x"), Some(0.0));
    }
}
