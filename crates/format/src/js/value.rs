//! A JSON value as JavaScript holds it.

use std::collections::HashMap;

use super::{Array, JsString};

/// A JSON value with JavaScript's meaning.
///
/// A parsed value is never deeper than [`super::MAX_VALUE_DEPTH`]. One that a caller built may be:
/// copying, comparing, printing and dropping it take no more stack than for any other.
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; `1e999` is infinite, as in JavaScript.
    Number(f64),
    /// A string
    String(JsString),
    /// An array
    Array(Array),
    /// An object
    Object(Object),
    /// The JSON text of a value nested deeper than [`super::MAX_VALUE_DEPTH`]. Keeping it as
    /// text bounds every recursion over values; nothing Pi gives a meaning to lies that deep.
    Deep(Box<[u8]>),
}

impl Value {
    /// A string value.
    pub fn text(text: impl Into<JsString>) -> Self {
        Self::String(text.into())
    }

    /// The member of an object; `None` for anything else.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object().and_then(|object| object.get(key))
    }

    /// The string member of an object.
    pub fn get_string(&self, key: &str) -> Option<&JsString> {
        self.get(key).and_then(Value::as_string)
    }

    /// The number member of an object.
    pub fn get_number(&self, key: &str) -> Option<f64> {
        self.get(key).and_then(Value::as_number)
    }

    /// The object inside, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The object inside, to change it.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The string inside, if it is one.
    pub fn as_string(&self) -> Option<&JsString> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The string inside, by value.
    pub fn into_string(self) -> Option<JsString> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The array inside, if it is one.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The number inside, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The boolean inside, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// What JavaScript's `if (value)` says.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::String(text) => !text.is_empty(),
            Self::Array(_) | Self::Object(_) | Self::Deep(_) => true,
        }
    }

    /// `true` for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// The members of an object in JavaScript's order: integer-like keys first, by number, then the
/// others as they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    pub(super) members: Vec<(JsString, Value)>,
}

impl Object {
    /// An object without members.
    pub const fn new() -> Self {
        Self { members: Vec::new() }
    }

    /// Builds an object from members in any number and order: the last of equal keys wins in the place of the
    /// first, and integer-like keys move to the front, as `JSON.parse` does it.
    pub fn from_members(mut members: Vec<(JsString, Value)>) -> Self {
        dedupe(&mut members);
        if members.iter().any(|(key, _)| array_index(key).is_some()) {
            members.sort_by_key(|(key, _)| array_index(key).map_or(u64::MAX, u64::from));
        }
        Self { members }
    }

    /// Adds a member while building; for keys that are not integer-like.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.set(key, value.into());
        self
    }

    /// Adds a member while building, unless the value is absent (JavaScript's `undefined`).
    #[must_use]
    pub fn with_some(mut self, key: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.set(key, value.into());
        }
        self
    }

    /// The member of this name.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.members.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// The member of this name, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.members.iter_mut().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Sets a member: in its old place, else at the end.
    pub fn set(&mut self, key: &str, value: Value) {
        match self.get_mut(key) {
            Some(slot) => *slot = value,
            None => self.members.push((key.into(), value)),
        }
    }

    /// Sets a member: in its old place, else right after another one, else at the end.
    pub fn set_after(&mut self, other: &str, key: &str, value: Value) {
        match self.members.iter().position(|(name, _)| *name == other) {
            Some(at) if self.get(key).is_none() => {
                self.members.insert(at + 1, (key.into(), value));
            }
            _ => self.set(key, value),
        }
    }

    /// Removes a member.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.members.iter().position(|(name, _)| *name == key)?;
        Some(self.members.remove(at).1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&JsString, &Value)> {
        self.members.iter().map(|(key, value)| (key, value))
    }

    /// The members in order, to change the values.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&JsString, &mut Value)> {
        self.members.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The members in order, by value.
    pub fn into_members(mut self) -> Vec<(JsString, Value)> {
        std::mem::take(&mut self.members)
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// `true` without members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

fn dedupe(members: &mut Vec<(JsString, Value)>) {
    const SMALL: usize = 12;
    if members.len() <= SMALL {
        let mut at = 1;
        while at < members.len() {
            match members[..at].iter().position(|(key, _)| *key == members[at].0) {
                Some(first) => members[first].1 = members.remove(at).1,
                None => at += 1,
            }
        }
        return;
    }
    // A hostile object may have a million members, so large ones go through a map.
    let mut places: HashMap<JsString, usize> = HashMap::with_capacity(members.len());
    let mut kept: Vec<(JsString, Value)> = Vec::with_capacity(members.len());
    for (key, value) in members.drain(..) {
        match places.get(&key) {
            Some(&place) => kept[place].1 = value,
            None => {
                places.insert(key.clone(), kept.len());
                kept.push((key, value));
            }
        }
    }
    *members = kept;
}

/// The number of an integer-like key (`"0"`, `"17"`; not `"01"`).
fn array_index(key: &JsString) -> Option<u32> {
    let bytes = key.as_bytes();
    if bytes.is_empty() || bytes.len() > 10 || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    if bytes.len() > 1 && bytes[0] == b'0' {
        return None;
    }
    // 2^32 - 1 is the array length limit and not an index.
    key.as_str()?.parse().ok().filter(|index| *index != u32::MAX)
}
