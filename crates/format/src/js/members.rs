//! JSON printed as it is made, for long lists and long texts: no value is built first.

use super::{JsString, print_number, print_string, print_text};

/// The members of an object that is being printed. Names are not looked at: each must come once,
/// and need no escape.
pub struct Members<'a> {
    out: &'a mut String,
    is_empty: bool,
}

impl<'a> Members<'a> {
    /// Begins an object.
    pub fn open(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, is_empty: true }
    }

    /// Begins a member; its value is to be printed into what is returned.
    pub fn key(&mut self, key: &str) -> &mut String {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
        self.out
    }

    /// A text.
    pub fn text(&mut self, key: &str, text: &str) {
        print_text(text, self.key(key));
    }

    /// A text, or `null`.
    pub fn text_or_null(&mut self, key: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(key, text),
            None => self.null(key),
        }
    }

    /// A JavaScript string.
    pub fn string(&mut self, key: &str, text: &JsString) {
        print_string(text, self.key(key));
    }

    /// A number.
    pub fn number(&mut self, key: &str, number: f64) {
        print_number(number, self.key(key));
    }

    /// A whole number.
    pub fn count(&mut self, key: &str, count: usize) {
        self.number(key, count as f64);
    }

    /// `true` or `false`.
    pub fn bool(&mut self, key: &str, value: bool) {
        self.key(key).push_str(if value { "true" } else { "false" });
    }

    /// `null`.
    pub fn null(&mut self, key: &str) {
        self.key(key).push_str("null");
    }

    /// Ends the object.
    pub fn close(self) {
        self.out.push('}');
    }
}

/// Prints a list: `item` is called with each thing and where to print it.
pub fn print_list<T>(
    things: impl IntoIterator<Item = T>,
    out: &mut String,
    mut item: impl FnMut(T, &mut String),
) {
    out.push('[');
    for (at, thing) in things.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        item(thing, out);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_items_have_commas_between_them() {
        let mut out = String::new();
        let mut object = Members::open(&mut out);
        object.text("a", "\"");
        object.count("b", 2);
        print_list([true, false], object.key("c"), |is, out| out.push(if is { '1' } else { '0' }));
        object.text_or_null("d", None);
        object.close();
        print_list(Vec::<u8>::new(), &mut out, |_, _| {});
        assert_eq!(out, r#"{"a":"\"","b":2,"c":[1,0],"d":null}[]"#);
    }
}
