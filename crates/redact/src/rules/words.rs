//! Finding the words of all rules in one pass.
//!
//! Each word is represented by the three bytes of it that are least common in texts. The pass
//! looks up every three bytes of a text in a table that fits into the first cache; where they are
//! marked, the words are compared. Several places are looked up before the first decision, and
//! nothing depends on the step before, so a processor works on them at once: an automaton for these
//! words needs three times as long.

/// How many bytes represent a word. No word is shorter.
const GRAM: usize = 3;

/// Bits of the hash of three bytes.
const HASH_BITS: u32 = 15;

/// How many hashes there are.
const HASHES: usize = 1 << HASH_BITS;

/// How many places of a text are looked up at once: those whose three bytes lie in eight.
const STEP: usize = 8 - GRAM + 1;

/// Letters from the most to the least common in texts and code; all other bytes are rarer, except
/// for the signs that code is full of.
const COMMON: &[u8] = b"etaoinsrlcdupmhfgbywvkx";
const COMMON_SIGNS: &[u8] = b"-_./:=";

/// What stands often in texts and code though its letters may not be the most common ones.
const COMMON_GRAMS: &str = "\
    ace act add age ain all ame and ant api are arg ase ata ate ati bas cal cat cha che cod com \
    con dat dex dit edi end ens ent ere ers ess est exp ext fro gen her ide ild ime imp ine ink inp \
    int ion ire ist ith ive let lin log mes mod mpo nde ner new nst nte nti ode one ont ool ope ore \
    ort our out pac pat pla por pro put rce rea ree res ret rit ser ses set sio sta sto str tai tal \
    ten ter tes the thr tim tio tor tri ult unc urc use ver win wit";

/// A finder for a set of words, in any spelling.
#[derive(Debug)]
pub(super) struct Words {
    /// For each hash which bytes stand behind it in words that have it: one bit for all bytes that
    /// end with the same three bits, as both spellings of a letter do. 0 if no word has it.
    filter: Box<[u8; HASHES]>,
    /// For each hash the words that have it: where they begin in `places`, and where they end.
    buckets: Box<[(u16, u16)]>,
    places: Vec<WordPlace>,
}

/// A word behind its three bytes.
#[derive(Debug)]
struct WordPlace {
    word: Box<[u8]>,
    number: u16,
    /// Where in the word the three bytes stand.
    offset: u16,
    begin: Begin,
}

impl WordPlace {
    /// Which bytes may stand behind the three bytes: any, if they end the word.
    fn behind(&self) -> u8 {
        self.word.get(usize::from(self.offset) + GRAM).map_or(0xFF, |next| bit(*next))
    }
}

/// The first bytes of a word, which tell most other texts from it in one comparison.
#[derive(Clone, Copy, Debug)]
struct Begin {
    bytes: u64,
    /// The bytes that the word has.
    mask: u64,
}

impl Begin {
    /// The bit by which small letters differ from capital ones, in every byte.
    const SMALL: u64 = 0x2020_2020_2020_2020;

    fn of(word: &[u8]) -> Self {
        let mut bytes = [0; 8];
        let len = word.len().min(8);
        bytes[..len].copy_from_slice(&word[..len]);
        let mask = u64::MAX >> (64 - 8 * len);
        Self { bytes: (u64::from_le_bytes(bytes) | Self::SMALL) & mask, mask }
    }

    /// Whether a text may begin with the word.
    fn may_be(self, text: &[u8]) -> bool {
        let Some(first) = text.first_chunk::<8>() else { return true };
        (u64::from_le_bytes(*first) | Self::SMALL) & self.mask == self.bytes
    }
}

impl Words {
    /// Takes words in small letters; each is called by its place in the list.
    pub(super) fn new(words: &[String]) -> Self {
        let mut hashed: Vec<(usize, WordPlace)> = words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.len() >= GRAM)
            .map(|(number, word)| {
                let word: Box<[u8]> = word.as_bytes().into();
                let offset = rarest(&word);
                let gram = &word[offset..offset + GRAM];
                let hash = hash(u32::from_le_bytes([gram[0], gram[1], gram[2], 0]));
                let (number, offset, begin) = (number as u16, offset as u16, Begin::of(&word));
                (hash, WordPlace { word, number, offset, begin })
            })
            .collect();
        hashed.sort_by_key(|(hash, _)| *hash);
        let mut filter = Box::new([0; HASHES]);
        let mut buckets = vec![(0, 0); HASHES].into_boxed_slice();
        for (at, (hash, word_place)) in hashed.iter().enumerate() {
            filter[*hash] |= word_place.behind();
            let bucket: &mut (u16, u16) = &mut buckets[*hash];
            if bucket.1 == 0 {
                bucket.0 = at as u16;
            }
            bucket.1 = at as u16 + 1;
        }
        Self { filter, buckets, places: hashed.into_iter().map(|(_, place)| place).collect() }
    }

    /// Calls `met` with the number and the beginning of each word in a text.
    pub(super) fn each(&self, text: &[u8], mut met: impl FnMut(usize, usize)) {
        let mut at = 0;
        while let Some(eight) = text[at..].first_chunk::<8>() {
            let eight = u64::from_le_bytes(*eight);
            let hashes: [usize; STEP] =
                std::array::from_fn(|place| hash((eight >> (8 * place)) as u32));
            if hashes.iter().fold(0, |any, hash| any | self.filter[*hash]) != 0 {
                self.compare_marked(text, at, hashes, &mut met);
            }
            at += STEP;
        }
        for (place, gram) in text[at..].windows(GRAM).enumerate() {
            let hash = hash(u32::from_le_bytes([gram[0], gram[1], gram[2], 0]));
            if self.filter[hash] != 0 {
                self.compare(text, at + place, hash, &mut met);
            }
        }
    }

    /// Not inlined: the loop above is to stay small.
    #[inline(never)]
    fn compare_marked(
        &self,
        text: &[u8],
        at: usize,
        hashes: [usize; STEP],
        met: &mut impl FnMut(usize, usize),
    ) {
        for (place, hash) in hashes.into_iter().enumerate() {
            let behind = text.get(at + place + GRAM).map_or(0xFF, |next| bit(*next));
            if self.filter[hash] & behind != 0 {
                self.compare(text, at + place, hash, met);
            }
        }
    }

    fn compare(&self, text: &[u8], at: usize, hash: usize, met: &mut impl FnMut(usize, usize)) {
        let (begin, end) = self.buckets[hash];
        for place in &self.places[usize::from(begin)..usize::from(end)] {
            let Some(start) = at.checked_sub(usize::from(place.offset)) else { continue };
            let here = &text[start..];
            if place.begin.may_be(here)
                && here
                    .get(..place.word.len())
                    .is_some_and(|it| it.eq_ignore_ascii_case(&place.word))
            {
                met(usize::from(place.number), start);
            }
        }
    }
}

/// The hash of the first three bytes, the same for both spellings of a letter. With this factor few
/// of the bytes that are common in texts have the hash of a word by chance.
fn hash(gram: u32) -> usize {
    (((gram | 0x0020_2020) << 8).wrapping_mul(0x587F_D281) >> (32 - HASH_BITS)) as usize
}

/// The bit of a byte in the filter.
fn bit(byte: u8) -> u8 {
    1 << (byte & 7)
}

/// Where the three rarest bytes of a word stand. Those at its end are worth less: nothing behind
/// them tells other texts from it.
fn rarest(word: &[u8]) -> usize {
    let commonness = |byte: &u8| {
        let letter = COMMON.iter().position(|common| common == byte);
        let sign = COMMON_SIGNS.contains(byte);
        letter.map_or(if sign { 8 } else { 0 }, |place| COMMON.len() - place)
    };
    let of_gram = |at: &usize| {
        let gram = &word[*at..at + GRAM];
        let is_common = COMMON_GRAMS.split(' ').any(|common| common.as_bytes() == gram);
        let letters: usize = gram.iter().map(commonness).sum();
        letters + if is_common { 100 } else { 0 } + if at + GRAM == word.len() { 10 } else { 0 }
    };
    (0..=word.len() - GRAM).min_by_key(of_gram).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(words: &[&str], text: &str) -> Vec<(usize, usize)> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut met = Vec::new();
        Words::new(&words).each(text.as_bytes(), |word, at| met.push((word, at)));
        met.sort_unstable();
        met
    }

    #[test]
    fn words_are_met_in_any_spelling_and_within_each_other() {
        assert_eq!(met(&["key", "monkey"], "MonKey keyKEY"), [(0, 3), (0, 7), (0, 10), (1, 0)]);
        assert_eq!(met(&["://", "eyj"], "x:// eyJ"), [(0, 1), (1, 5)]);
    }

    #[test]
    fn a_word_is_met_whatever_stands_around_it() {
        let words = ["key", "config", "monkey", "install", "sk-proj-", "x-api-key"];
        for (number, word) in words.into_iter().enumerate() {
            for (before, next) in (0..9).flat_map(|before| (0..128).map(move |byte| (before, byte)))
            {
                let text = format!("{}{word}{}", "-".repeat(before), char::from(next));
                assert!(met(&words, &text).contains(&(number, before)), "{text:?}");
                let alone = text.strip_suffix(char::from(next)).unwrap_or_default();
                assert!(met(&words, alone).contains(&(number, before)), "{alone:?}");
            }
        }
    }

    #[test]
    fn bytes_that_only_look_alike_to_the_hash_are_no_words() {
        assert_eq!(met(&["ab_c"], "ab\u{7f}c"), []);
        assert_eq!(met(&["key"], "ke"), []);
    }
}
