//! A line of output that may repeat parts of earlier lines of its session.
//!
//! The samples of a session repeat each other: each has the context of the one before. What was
//! printed once is not printed, looked at and kept a second time; the line tells where it stands.

use std::ops::Range;
use std::sync::Arc;

use pitree_format::Value;
use pitree_sample::{ChatMessage, Memo};

/// What stands for a value when a line is looked at without it: any value will do.
const STAND_IN: &[u8] = b"0";

/// A line without its line feed, or a whole small file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// What is printed for the first time.
    pub text: String,
    /// What goes between, in order. Each one is one or more whole values of JSON.
    pub repeats: Vec<Repeat>,
    /// The bytes of the text that are whole values of JSON, items of lists, in order.
    pub items: Vec<Range<usize>>,
}

/// Something that stands in an earlier line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Before this byte of the text it is put in.
    pub at: usize,
    /// The bytes of the output of the session that are repeated.
    pub from: Range<u64>,
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl Line {
    /// The line with a short value in place of each item and each repeat: what holds it together.
    pub(crate) fn frame(&self) -> Vec<u8> {
        let items = self.items.iter().cloned();
        let mut gaps: Vec<Range<usize>> =
            items.chain(self.repeats.iter().map(|repeat| repeat.at..repeat.at)).collect();
        gaps.sort_by_key(|gap| (gap.start, gap.end));
        let (mut frame, mut copied) = (Vec::new(), 0);
        for gap in gaps {
            frame.extend_from_slice(&self.text.as_bytes()[copied..gap.start]);
            frame.extend_from_slice(STAND_IN);
            copied = gap.end;
        }
        frame.extend_from_slice(&self.text.as_bytes()[copied..]);
        frame
    }
}

/// A thing that stands in lists of several lines.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'a> {
    /// A message; one that must not be learned may be marked as such.
    Message { message: &'a Arc<ChatMessage>, is_marked: bool },
    /// A message of a request.
    Wire(&'a Arc<Value>),
}

/// Which items were printed, and where. For one session in one form.
#[derive(Debug, Default)]
pub struct Printed {
    messages: [Memo<ChatMessage, Range<u64>>; 2],
    wires: Memo<Value, Range<u64>>,
    /// Of the line that is being printed.
    repeats: Vec<Repeat>,
    fresh: Vec<Fresh>,
}

/// An item that is printed for the first time, and its bytes in the text of its line.
#[derive(Debug)]
struct Fresh {
    thing: Thing,
    bytes: Range<usize>,
}

#[derive(Debug)]
enum Thing {
    Message { message: Arc<ChatMessage>, is_marked: bool },
    Wire(Arc<Value>),
}

impl Printed {
    /// Begins a line. What was printed since the last one was kept is forgotten.
    pub(crate) fn begin(&mut self) {
        self.repeats.clear();
        self.fresh.clear();
    }

    /// The line that was printed.
    pub(crate) fn line(&mut self, text: String) -> Line {
        let items = self.fresh.iter().map(|fresh| fresh.bytes.clone()).collect();
        Line { text, repeats: std::mem::take(&mut self.repeats), items }
    }

    /// Notes that the text of the line stands in the output from this byte on.
    pub(crate) fn keep(&mut self, place: u64) {
        for Fresh { thing, bytes } in self.fresh.drain(..) {
            let place = place + bytes.start as u64..place + bytes.end as u64;
            match thing {
                Thing::Message { message, is_marked } => {
                    self.messages[usize::from(is_marked)].insert(&message, place);
                }
                Thing::Wire(value) => self.wires.insert(&value, place),
            }
        }
    }

    fn find(&self, item: Item<'_>) -> Option<&Range<u64>> {
        match item {
            Item::Message { message, is_marked } => {
                self.messages[usize::from(is_marked)].get(message)
            }
            Item::Wire(value) => self.wires.get(value),
        }
    }
}

/// A list whose items may have been printed before.
pub(crate) struct SharedList<'a> {
    printed: &'a mut Printed,
    out: &'a mut String,
    is_empty: bool,
}

impl<'a> SharedList<'a> {
    pub(crate) fn open(printed: &'a mut Printed, out: &'a mut String) -> Self {
        out.push('[');
        Self { printed, out, is_empty: true }
    }

    /// Adds an item, which is printed if it was not before.
    pub(crate) fn item(&mut self, item: Item<'_>, print: impl FnOnce(&mut String)) {
        let known = self.printed.find(item).cloned();
        if let Some(known) = &known
            && self.goes_on(known)
        {
            return;
        }
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(',');
        }
        let start = self.out.len();
        match known {
            Some(from) => self.printed.repeats.push(Repeat { at: start, from }),
            None => {
                print(self.out);
                let thing = match item {
                    Item::Message { message, is_marked } => {
                        Thing::Message { message: Arc::clone(message), is_marked }
                    }
                    Item::Wire(value) => Thing::Wire(Arc::clone(value)),
                };
                self.printed.fresh.push(Fresh { thing, bytes: start..self.out.len() });
            }
        }
    }

    /// Makes the repeat before longer, if there too this item comes next. Where one byte is
    /// between two items it is the comma of their list.
    fn goes_on(&mut self, next: &Range<u64>) -> bool {
        match self.printed.repeats.last_mut() {
            Some(last) if last.at == self.out.len() && last.from.end + 1 == next.start => {
                last.from.end = next.end;
                true
            }
            _ => false,
        }
    }

    pub(crate) fn close(self) {
        self.out.push(']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(printed: &mut Printed, values: &[&Arc<Value>]) -> Line {
        printed.begin();
        let mut text = String::new();
        let mut list = SharedList::open(printed, &mut text);
        for value in values {
            list.item(Item::Wire(value), |out| pitree_format::js::print(value, out));
        }
        list.close();
        printed.line(text)
    }

    fn whole(line: &Line, output: &str) -> String {
        let (mut whole, mut copied) = (String::new(), 0);
        for repeat in &line.repeats {
            whole.push_str(&line.text[copied..repeat.at]);
            whole.push_str(&output[repeat.from.start as usize..repeat.from.end as usize]);
            copied = repeat.at;
        }
        whole + &line.text[copied..]
    }

    #[test]
    fn items_are_printed_once_and_neighbours_are_one_repeat() {
        let values: Vec<Arc<Value>> =
            ["a", "b", "c", "d"].map(|text| Arc::new(Value::from(text))).to_vec();
        let [a, b, c, d] = [&values[0], &values[1], &values[2], &values[3]];
        let mut printed = Printed::default();
        let mut output = String::from("head ");
        for (list, repeats) in [
            (vec![a, b], 0),
            (vec![a, b, c], 1),
            (vec![b, a, c, d], 3),
            (vec![a, b, c, d, a, b], 4),
            (vec![], 0),
        ] {
            let line = line(&mut printed, &list);
            let texts: Vec<&str> =
                list.iter().filter_map(|value| value.as_string()?.as_str()).collect();
            let expected = format!("{texts:?}").replace(", ", ",");
            assert_eq!(whole(&line, &output), expected);
            assert_eq!(line.repeats.len(), repeats, "{expected}");
            assert!(pitree_format::js::parse(&line.frame()).is_ok());
            printed.keep(output.len() as u64);
            output.push_str(&line.text);
            output.push_str(" head ");
        }
    }

    #[test]
    fn a_line_that_is_not_kept_is_forgotten() {
        let value = Arc::new(Value::from("a"));
        let mut printed = Printed::default();
        line(&mut printed, &[&value]);
        let again = line(&mut printed, &[&value]);
        assert_eq!((again.text.as_str(), again.repeats.len()), ("[\"a\"]", 0));
    }
}
