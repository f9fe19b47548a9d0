//! JSON printed as it is made, for long lists: no value is built first.

use pitree_format::JsString;
use pitree_format::js::{print_number, print_string, print_text};

/// An object that is being printed. Names are not looked at: each must come once, and need no
/// escape.
pub(crate) struct JsonObject<'t> {
    out: &'t mut String,
    is_empty: bool,
}

/// Prints an object.
pub(crate) fn object(out: &mut String, members: impl FnOnce(&mut JsonObject<'_>)) {
    out.push('{');
    members(&mut JsonObject { out, is_empty: true });
    out.push('}');
}

impl JsonObject<'_> {
    /// Prints the name of the next member, whose value the caller prints.
    pub(crate) fn name(&mut self, name: &str) -> &mut String {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
        self.out
    }

    pub(crate) fn text(&mut self, name: &str, text: &str) {
        print_text(text, self.name(name));
    }

    pub(crate) fn js(&mut self, name: &str, text: &JsString) {
        print_string(text, self.name(name));
    }

    pub(crate) fn number(&mut self, name: &str, number: f64) {
        print_number(number, self.name(name));
    }

    pub(crate) fn count(&mut self, name: &str, count: usize) {
        print_number(count as f64, self.name(name));
    }

    pub(crate) fn bool(&mut self, name: &str, is_so: bool) {
        self.name(name).push_str(if is_so { "true" } else { "false" });
    }

    pub(crate) fn null(&mut self, name: &str) {
        self.name(name).push_str("null");
    }

    /// A text, or `null`.
    pub(crate) fn text_or_null(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(name, text),
            None => self.null(name),
        }
    }

    pub(crate) fn object(&mut self, name: &str, members: impl FnOnce(&mut JsonObject<'_>)) {
        object(self.name(name), members);
    }
}

/// Prints the items of an array, with commas between them.
pub(crate) fn array<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut print: impl FnMut(T, &mut String),
) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        print(item, out);
    }
    out.push(']');
}
