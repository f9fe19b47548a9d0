//! Whether letters and digits look drawn by lot.

use crate::dictionary::{Reading, is_words_alone, reading};
use crate::names::words;

/// Letters alone are a key if they are as many as this and no words.
const LONG_KEY: usize = 24;

/// Of fewer letters too many can be read by chance, so that each part must be a word.
const SHORT_KEY: usize = 20;

/// Shannon's entropy in bits for each byte.
pub(crate) fn entropy(bytes: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f32;
    let share = |count: &u32| {
        let share = *count as f32 / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(share).sum()
}

/// Whether a text looks drawn by lot: it has a digit, or its case changes about as often as lots
/// would change it (names in camel case change less).
pub(crate) fn looks_random(bytes: &[u8]) -> bool {
    let changes = |pair: &&[u8]| {
        pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
            || pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase()
    };
    bytes.iter().any(u8::is_ascii_digit)
        || bytes.windows(2).filter(changes).count() * 10 >= bytes.len() * 4
}

/// The same for what stands where a key is expected, where less has to be said: of twenty letters
/// and digits drawn by lot, none is a digit in three cases of a hundred.
pub(crate) fn looks_like_key(bytes: &[u8]) -> bool {
    looks_random(bytes) || bytes.iter().all(u8::is_ascii_uppercase) || is_unreadable(bytes)
}

/// Whether letters of both cases are no words.
fn is_unreadable(bytes: &[u8]) -> bool {
    has_both_cases(bytes) && !(is_camel_case(bytes) && reading(bytes) >= Reading::Mostly)
}

/// Whether letters of both cases are no words, and so many that no name has them. Where a key is
/// likely this is enough.
pub(crate) fn is_long_key(bytes: &[u8]) -> bool {
    bytes.len() >= LONG_KEY && is_unreadable(bytes)
}

/// The same for what begins as only keys do, or has the name of one, where nothing more is asked
/// than that it is not a text: every word in it would have to be one.
pub(crate) fn is_no_wording(bytes: &[u8]) -> bool {
    let may_be_key = || has_both_cases(bytes) || bytes.iter().all(u8::is_ascii_lowercase);
    let has_words = || match has_both_cases(bytes) && bytes.len() < SHORT_KEY {
        true => is_words_alone(bytes),
        false => reading(bytes) == Reading::Throughout,
    };
    looks_random(bytes)
        || bytes.iter().all(u8::is_ascii_uppercase)
        || may_be_key() && !(is_camel_case(bytes) && has_words())
}

fn has_both_cases(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase)
}

/// Whether letters have the shape of words, each with a capital. Letters drawn by lot change their
/// case after every second, but not all of them do.
fn is_camel_case(bytes: &[u8]) -> bool {
    let (count, letters) =
        words(bytes).fold((0, 0), |(count, sum), word| (count + 1, sum + word.len()));
    letters >= count * 4
}

/// How often digits and letters take turns.
fn turns(bytes: &[u8]) -> usize {
    let turns = bytes.windows(2).filter(|pair| {
        pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
            || pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
    });
    turns.count()
}

/// Whether a text consists of words and numbers, as names and sentences do: `issue-1234-fix-login`,
/// `reports/2024/q1.csv`. At most one part may look like `k8s`.
pub(crate) fn is_worded(text: &[u8]) -> bool {
    let is_odd = |part: &&[u8]| turns(part) > 1;
    let is_short =
        |part: &[u8]| part.len() <= 4 && part.iter().all(|byte| !byte.is_ascii_uppercase());
    let has_words = |part: &[u8]| {
        let letters = part.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        letters < 4 || letters >= 3 * words(part).count()
    };
    let parts = || text.split(|byte| !byte.is_ascii_alphanumeric());
    let odd = parts().filter(is_odd).count();
    parts().all(has_words) && odd <= 1 && parts().filter(is_odd).all(is_short)
}

/// Whether digits and letters take turns as in a key. Names have a number here and there.
pub(crate) fn is_mixed(bytes: &[u8]) -> bool {
    turns(bytes) >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_shannons() {
        assert_eq!(entropy(b"aaaa"), 0.0);
        assert_eq!(entropy(b"abab"), 1.0);
        assert_eq!(entropy(b"abcdefgh"), 3.0);
        assert_eq!(entropy(b""), 0.0);
    }

    #[test]
    fn words_do_not_look_random() {
        assert!(!looks_random(b"getSomeVeryLongFunctionName"));
        assert!(!looks_random(b"just_a_name"));
        assert!(looks_random(b"aXbYcZdQwErT"));
        assert!(looks_random(b"a1"));
    }

    #[test]
    fn keys_need_no_digits() {
        assert!(looks_like_key(b"kgSochiqjOOewtRIfrMM") && looks_like_key(b"OJUMYVCLGCPZCQDL"));
        assert!(!looks_like_key(b"just-words-in-a-row"));
        assert!(!looks_like_key(b"TransformersModelForCausalLMOutput"));
    }

    /// Drawn by lot, with few changes of the case.
    #[test]
    fn letters_in_the_shape_of_words_are_a_key_if_they_cannot_be_read() {
        for key in ["mGouaMtgoIyygxwvfNFXGrpv", "vbcSdzIxzWgunrgnksdl", "JnZJNQWMgWcobbnlBauw"] {
            let key = key.as_bytes();
            assert!(is_camel_case(key) && looks_like_key(key) && is_no_wording(key), "{key:?}");
        }
        assert!(is_no_wording(b"vczzuaqeopfilmlhxehm") && !looks_like_key(b"vczzuaqeopfilmlhxehm"));
        for text in ["mySuperSecretStripeKey", "yourkeyhere", "MyKubernetesClusterToken"] {
            let text = text.as_bytes();
            assert!(!looks_like_key(text) && !is_no_wording(text), "{text:?}");
        }
    }

    #[test]
    fn words_are_told_from_keys() {
        for value in
            ["issue-1234-fix-login-bug", "theme.colors.primary.500", "value123", "my-k8s-1"]
        {
            assert!(is_worded(value.as_bytes()), "{value}");
        }
        for value in ["q7Zk-2mPx-9LwT", "q7zk2mpx9lwt", "kgSochiqjOOewtRIfrMM", "Autumn2024lemons"]
        {
            assert!(!is_worded(value.as_bytes()), "{value}");
        }
    }
}
