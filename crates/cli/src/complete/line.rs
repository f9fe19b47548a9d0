//! A command line as a shell reads it.

/// The words of a line up to the cursor, without their quotes. The last one is being typed; it is
/// empty if the line ends in white space.
pub(super) fn split_line(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None | Some('"'), '\\') => word.extend(letters.next()),
            (None, letter) if letter.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, letter) => word.push(letter),
        }
    }
    words.push(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_quotes() {
        assert_eq!(split_line("pitree show "), ["pitree", "show", ""]);
        assert_eq!(split_line("pitree  show 01a"), ["pitree", "show", "01a"]);
        assert_eq!(split_line(r#"a 'b c' "d\"e" f\ g"#), ["a", "b c", "d\"e", "f g"]);
        assert_eq!(split_line("a 'b c"), ["a", "b c"]);
        assert_eq!(split_line(""), [""]);
        assert_eq!(split_line("a \\"), ["a", ""]);
    }
}
