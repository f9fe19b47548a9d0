//! Values of any depth: arrays and objects that are copied, compared and dropped without using the
//! stack once for each level.
//!
//! The parser bounds the depth of what it decodes, but callers build values too. Recursion goes
//! [`MAX_VALUE_DEPTH`] levels down at most; what lies deeper is handled as text or on a list.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::parse::MAX_VALUE_DEPTH;
use super::{Object, Value, stringify};

/// The items of an array. Behaves like the `Vec` that it holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Array(Vec<Value>);

impl Array {
    /// The items as a `Vec`.
    pub fn into_vec(mut self) -> Vec<Value> {
        std::mem::take(&mut self.0)
    }
}

impl From<Vec<Value>> for Array {
    fn from(items: Vec<Value>) -> Self {
        Self(items)
    }
}

impl FromIterator<Value> for Array {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl Deref for Array {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.0
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        &mut self.0
    }
}

impl IntoIterator for Array {
    type Item = Value;
    type IntoIter = std::vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a mut Array {
    type Item = &'a mut Value;
    type IntoIter = std::slice::IterMut<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // Shallow ones, nearly all, are dropped as usual.
        if self.0.iter().any(holds_containers) {
            dismantle(self.0.drain(..).filter(is_container).collect());
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if self.members.iter().any(|(_, value)| holds_containers(value)) {
            let values = self.members.drain(..).map(|(_, value)| value);
            dismantle(values.filter(is_container).collect());
        }
    }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

fn holds_containers(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.0.iter().any(is_container),
        Value::Object(object) => object.members.iter().any(|(_, value)| is_container(value)),
        _ => false,
    }
}

/// Drops values of any depth: each is emptied onto the list before it goes.
fn dismantle(mut pending: Vec<Value>) {
    while let Some(mut value) = pending.pop() {
        match &mut value {
            Value::Array(items) => pending.extend(items.0.drain(..).filter(is_container)),
            Value::Object(object) => {
                let values = object.members.drain(..).map(|(_, value)| value);
                pending.extend(values.filter(is_container));
            }
            _ => {}
        }
    }
}

impl Value {
    /// Turns whatever is nested deeper than [`MAX_VALUE_DEPTH`] into text, as the parser does, so
    /// that a recursion over the value is bounded.
    pub fn limit_depth(&mut self) {
        limit(self, 0);
    }

    fn clone_at(&self, depth: usize) -> Self {
        match self {
            Self::Null => Self::Null,
            Self::Bool(value) => Self::Bool(*value),
            Self::Number(number) => Self::Number(*number),
            Self::String(text) => Self::String(text.clone()),
            Self::Deep(text) => Self::Deep(text.clone()),
            Self::Array(_) | Self::Object(_) if depth >= MAX_VALUE_DEPTH => as_text(self),
            Self::Array(items) => {
                Self::Array(items.0.iter().map(|item| item.clone_at(depth + 1)).collect())
            }
            Self::Object(object) => {
                let members = object.members.iter();
                let copy =
                    |(key, value): &(_, Self)| (Clone::clone(key), value.clone_at(depth + 1));
                Self::Object(Object { members: members.map(copy).collect() })
            }
        }
    }

    fn eq_at(&self, other: &Self, depth: usize) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::String(one), Self::String(other)) => one == other,
            (Self::Deep(one), Self::Deep(other)) if one == other => true,
            (Self::Array(_) | Self::Object(_) | Self::Deep(_), Self::Deep(_))
            | (Self::Deep(_), Self::Array(_) | Self::Object(_)) => {
                stringify(self) == stringify(other)
            }
            (Self::Array(_), Self::Array(_)) | (Self::Object(_), Self::Object(_))
                if depth >= MAX_VALUE_DEPTH =>
            {
                stringify(self) == stringify(other)
            }
            (Self::Array(one), Self::Array(other)) => {
                one.len() == other.len()
                    && one.0.iter().zip(&other.0).all(|(one, other)| one.eq_at(other, depth + 1))
            }
            (Self::Object(one), Self::Object(other)) => {
                let pairs = one.members.iter().zip(&other.members);
                one.len() == other.len()
                    && pairs.into_iter().all(|((key, value), (other_key, other))| {
                        key == other_key && value.eq_at(other, depth + 1)
                    })
            }
            _ => false,
        }
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        self.clone_at(0)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.eq_at(other, 0)
    }
}

/// Shown as JSON.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&stringify(self))
    }
}

fn as_text(value: &Value) -> Value {
    Value::Deep(stringify(value).into_bytes().into())
}

fn limit(value: &mut Value, depth: usize) {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= MAX_VALUE_DEPTH => *value = as_text(value),
        Value::Array(items) => items.0.iter_mut().for_each(|item| limit(item, depth + 1)),
        Value::Object(object) => {
            object.members.iter_mut().for_each(|(_, value)| limit(value, depth + 1));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js::parse;

    const DEPTH: usize = 200_000;

    fn nested(in_objects: bool) -> Value {
        let wrap = |value| match in_objects {
            true => Object::new().with("a", value).into(),
            false => Value::from(vec![value, Value::Null]),
        };
        (0..DEPTH).fold(Value::Bool(true), |value, _| wrap(value))
    }

    #[test]
    fn no_depth_exhausts_the_stack() {
        let work = || {
            for in_objects in [false, true] {
                let value = nested(in_objects);
                let copy = value.clone();
                assert!(value == copy && value != nested(!in_objects));
                let printed = stringify(&value);
                assert_eq!(printed, stringify(&copy));
                assert_eq!(format!("{value:?}").len(), printed.len());
                let mut limited = value;
                limited.limit_depth();
                assert_eq!(limited, parse(printed.as_bytes()).unwrap());
            }
        };
        // A small stack, so that the test sees a recursion that a large one would hide.
        let small = std::thread::Builder::new().stack_size(1 << 20);
        small.spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn values_are_equal_as_javascript_prints_them() {
        let value = |text: &str| parse(text.as_bytes()).unwrap();
        assert_eq!(value("[1,{\"a\":[]}]"), value("[1, {\"a\": [ ]}]"));
        for other in ["[1,{\"a\":[0]}]", "[1,{\"b\":[]}]", "[1]", "{}", "null", "\"[1]\""] {
            assert_ne!(value("[1,{\"a\":[]}]"), value(other));
        }
        assert_ne!(Value::Number(f64::NAN), Value::Number(f64::NAN));
    }
}
