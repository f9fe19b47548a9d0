//! Finding a session by words, as Pi's picker does.
//!
//! All words must match: in the name, else in the id, the first message or the directory, else,
//! letter by letter, in the name or the directory. A part in double quotes is one word.

use std::cmp::Reverse;

use pitree_store::SessionFacts;

/// How well a session fits; less is better.
type Rank = (u32, i64);

/// The sessions that fit, the best first, and how many of them are the best.
pub(super) fn matching(sessions: Vec<SessionFacts>, query: &str) -> (Vec<SessionFacts>, usize) {
    let words = words_of(query);
    let mut fitting: Vec<(Rank, SessionFacts)> = sessions
        .into_iter()
        .filter_map(|facts| Some((Fields::of(&facts).rank(&words)?, facts)))
        .collect();
    // Letters that are scattered over a name count only where no word is found whole.
    if fitting.iter().any(|(rank, _)| rank.0 < FUZZY) {
        fitting.retain(|(rank, _)| rank.0 < FUZZY);
    }
    fitting.sort_by_key(|(rank, facts)| (*rank, Reverse(facts.modified_ms)));
    let best = fitting.first().map(|(rank, _)| *rank);
    let count = fitting.iter().take_while(|(rank, _)| Some(*rank) == best).count();
    (fitting.into_iter().map(|(_, facts)| facts).collect(), count)
}

/// From this rank on a word was found only letter by letter.
const FUZZY: u32 = 1000;

/// The words of a query, in lower case; without a second quote a quote is a plain character.
fn words_of(query: &str) -> Vec<String> {
    let query = query.to_lowercase();
    if query.matches('"').count() % 2 == 1 {
        return query.split_whitespace().map(str::to_owned).collect();
    }
    let mut words = Vec::new();
    for (at, part) in query.split('"').enumerate() {
        if at % 2 == 1 {
            words.push(with_plain_spaces(part));
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn with_plain_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is searched of a session, in lower case.
struct Fields {
    name: String,
    others: [String; 3],
}

impl Fields {
    fn of(facts: &SessionFacts) -> Self {
        let text = |text: Option<&pitree_format::JsString>| {
            with_plain_spaces(&text.map(|text| text.to_text().to_lowercase()).unwrap_or_default())
        };
        let name = text(facts.name.as_ref());
        let first = text(facts.first_message.as_ref());
        Self { name, others: [facts.id.to_lowercase(), first, facts.cwd.to_lowercase()] }
    }

    fn rank(&self, words: &[String]) -> Option<Rank> {
        let mut rank = (0, 0);
        for word in words {
            if self.name.contains(word) {
                continue;
            }
            if self.others.iter().any(|field| field.contains(word)) {
                rank.0 += 1;
                continue;
            }
            let fuzzy = [&self.name, &self.others[2]].map(|field| scattered(word, field));
            rank.1 += fuzzy.into_iter().flatten().min()?;
            rank.0 += FUZZY;
        }
        (!words.is_empty()).then_some(rank)
    }
}

/// How well the letters of a word are found in this order in a text; less is better. Letters in a
/// row and at the beginnings of words are good, gaps are bad.
fn scattered(word: &str, text: &str) -> Option<i64> {
    let letters: Vec<char> = text.chars().collect();
    let (mut from, mut run, mut score) = (0, 0, 0);
    for letter in word.chars() {
        let gap = letters.get(from..)?.iter().position(|other| *other == letter)?;
        let at = from + gap;
        run = if gap == 0 && from > 0 { run + 1 } else { 0 };
        let begins = at == 0 || " -_./:".contains(letters[at - 1]);
        score += 20 * gap as i64 - 50 * run - if begins { 100 } else { 0 } + at as i64;
        from = at + 1;
    }
    Some(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases() {
        assert_eq!(words_of("Fix  the BUG"), ["fix", "the", "bug"]);
        assert_eq!(words_of(r#"a "B  c" d"#), ["a", "b c", "d"]);
        assert_eq!(words_of(r#"say "hi"#), ["say", "\"hi"]);
        assert_eq!(words_of(" \"\" "), Vec::<String>::new());
    }

    #[test]
    fn letters_in_a_row_are_better() {
        assert!(scattered("wth", "weather").is_some());
        assert!(scattered("wx", "weather").is_none());
        assert!(scattered("abc", "xx abc") < scattered("abc", "a1b1c1"));
    }
}
