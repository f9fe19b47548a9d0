//! The strings inside a value.

use super::{JsString, Object, Value};

impl Value {
    /// All strings inside, in their order, without the names of members.
    pub fn strings(&self) -> impl Iterator<Item = &JsString> {
        self.strings_but(usize::MAX, |_, _| false)
    }

    /// The strings among the first `most` values inside, in their order, without the members that
    /// `is_left_out` names: it is asked with the object and the name of each of them. No depth
    /// exhausts the stack.
    pub fn strings_but(
        &self,
        most: usize,
        is_left_out: impl Fn(&Object, &JsString) -> bool,
    ) -> impl Iterator<Item = &JsString> {
        let mut pending = vec![self];
        let values = std::iter::from_fn(move || {
            let value = pending.pop()?;
            match value {
                Self::Array(items) => pending.extend(items.iter().rev()),
                Self::Object(object) => {
                    let from = pending.len();
                    let members = object.iter().filter(|(name, _)| !is_left_out(object, name));
                    pending.extend(members.map(|(_, value)| value));
                    pending[from..].reverse();
                }
                _ => {}
            }
            Some(value)
        });
        values.take(most).filter_map(Self::as_string)
    }
}

#[cfg(test)]
mod tests {
    use crate::js::parse;

    #[test]
    fn strings_come_in_their_order() {
        let value = parse(br#"{"a":["x",1,{"b":"y","no":"z"}],"c":"w"}"#).unwrap();
        let all: Vec<_> = value.strings().map(ToString::to_string).collect();
        assert_eq!(all, ["x", "y", "z", "w"]);
        let some = value.strings_but(5, |_, name| *name == "no");
        assert_eq!(some.map(ToString::to_string).collect::<Vec<_>>(), ["x"]);
        assert_eq!(value.strings_but(6, |_, name| *name == "no").count(), 2);
    }
}
