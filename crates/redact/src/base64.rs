//! Base64, as far as secrets are hidden in it.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes that a text of base64 stands for, with or without its padding; `None` if it is not
/// base64.
pub(crate) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text);
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        if group.len() == 1 {
            return None;
        }
        let mut bits = 0_u32;
        for digit in group {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let missing = 4 - group.len();
        bits <<= 6 * missing;
        let bytes = bits.to_be_bytes();
        out.extend_from_slice(&bytes[1..4 - missing]);
    }
    Some(out)
}

/// What base64 makes of a value wherever it stands in the bytes that are encoded: three texts, one
/// for each place at which it may begin, without the digits that its neighbours have a part in.
pub(crate) fn spellings(value: &[u8]) -> impl Iterator<Item = String> {
    (0..3).map(move |before: usize| {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(value);
        let digits = bytes.len() * 8 / 6;
        let digit = |at: usize| {
            let bit = |bit: usize| bytes[bit / 8] >> (7 - bit % 8) & 1;
            let value = (6 * at..6 * at + 6).fold(0, |value, at| value << 1 | bit(at));
            char::from(DIGITS[usize::from(value)])
        };
        // The first digits hold bits of what stands before the value.
        let first = (before * 8).div_ceil(6);
        (first..digits).map(digit).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        assert_eq!(decoded(b"YW5hOmxlbW9u"), Some(b"ana:lemon".to_vec()));
        assert_eq!(decoded(b"YW5hOmxlbW9uIQ=="), Some(b"ana:lemon!".to_vec()));
        assert_eq!(decoded(b"YW5hOmxlbW9uISE="), Some(b"ana:lemon!!".to_vec()));
        assert_eq!(decoded(b"a b"), None);
        assert_eq!(decoded(b"A"), None);
    }

    #[test]
    fn a_value_is_known_wherever_it_begins() {
        let known: Vec<String> = spellings(b"lemontree").collect();
        for (encoded, at) in [("bGVtb250cmVl", 0), ("YWxlbW9udHJlZQ==", 1), ("YWJsZW1vbnRyZWU=", 2)]
        {
            assert!(encoded.contains(&known[at]), "{known:?}");
        }
    }
}
