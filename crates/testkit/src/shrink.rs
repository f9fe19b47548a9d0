//! Cutting a failing case down to what makes it fail.

/// The smallest list found that still fails, by leaving out runs of items.
///
/// The given items are taken to fail. Runs get shorter until no single item can be left out.
pub fn shrink_items<T: Clone>(items: &[T], mut still_fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut kept = items.to_vec();
    let mut run = kept.len().div_ceil(2);
    while run > 0 {
        let mut shrunk = false;
        let mut start = 0;
        while start < kept.len() {
            let end = (start + run).min(kept.len());
            let candidate = [&kept[..start], &kept[end..]].concat();
            if still_fails(&candidate) {
                kept = candidate;
                shrunk = true;
            } else {
                start = end;
            }
        }
        // With single items another round may succeed where the first did not.
        if run > 1 {
            run = run.div_ceil(2);
        } else if !shrunk {
            break;
        }
    }
    kept
}

/// The smallest file found that still fails, by leaving out lines.
pub fn shrink_lines(bytes: &[u8], mut still_fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    shrink_items(&lines, |candidate| still_fails(&candidate.concat())).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_two_lines_that_matter() {
        let text: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let fails = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            text.contains("line 17\n") && text.contains("line 80\n")
        };
        assert_eq!(shrink_lines(text.as_bytes(), fails), b"line 17\nline 80\n");
    }

    #[test]
    fn keeps_what_cannot_shrink() {
        assert_eq!(shrink_items(&[1, 2, 3], |items| items.len() == 3), [1, 2, 3]);
        assert_eq!(shrink_items(&[1, 2, 3], |_| true), Vec::<i32>::new());
        assert_eq!(shrink_items(&[], |_: &[u8]| true), Vec::<u8>::new());
    }
}
