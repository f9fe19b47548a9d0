//! Conversions between JavaScript's values and Rust's, so that callers seldom have to spell one.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::{Array, JsString, JsonError, Object, Value, parse, stringify};

/// Reads JSON as `JSON.parse` does.
///
/// ```
/// use pitree_format::Value;
///
/// let value: Value = r#"{"role":"user","content":"Hello"}"#.parse()?;
/// assert_eq!(value.get("role"), Some(&Value::from("user")));
/// assert_eq!(value.to_string(), r#"{"role":"user","content":"Hello"}"#);
/// # Ok::<(), pitree_format::js::JsonError>(())
/// ```
impl FromStr for Value {
    type Err = JsonError;

    fn from_str(text: &str) -> Result<Self, JsonError> {
        parse(text.as_bytes())
    }
}

/// Prints JSON as `JSON.stringify` does.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&stringify(self))
    }
}

/// Prints JSON as `JSON.stringify` does.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&stringify(&Value::Object(self.clone())))
    }
}

/// Texts of Rust become JavaScript's.
macro_rules! from_texts {
    ($($Text:ty),*) => {$(
        impl From<$Text> for Value {
            fn from(text: $Text) -> Self {
                Self::String(text.into())
            }
        }

        impl From<$Text> for JsString {
            fn from(text: $Text) -> Self {
                Self::from(String::from(text))
            }
        }
    )*};
}

from_texts!(&str, &String, Cow<'_, str>);

/// What a value holds becomes one.
macro_rules! from_held {
    ($($Type:ty => $Variant:ident),*) => {$(
        impl From<$Type> for Value {
            fn from(held: $Type) -> Self {
                Self::$Variant(held.into())
            }
        }
    )*};
}

from_held!(bool => Bool, f64 => Number, String => String, JsString => String);
from_held!(Vec<Value> => Array, Array => Array, Object => Object);

impl From<&JsString> for Value {
    fn from(text: &JsString) -> Self {
        Self::String(text.clone())
    }
}

/// All numbers of JavaScript are `f64`: an integer beyond 2^53 is rounded, as there.
macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        /// As an `f64`, like every number of JavaScript; beyond 2^53 it is rounded.
        impl From<$integer> for Value {
            fn from(number: $integer) -> Self {
                Self::Number(number as f64)
            }
        }
    )*};
}

from_integers!(i32, u32, i64, u64, usize);

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<&JsString> for JsString {
    fn from(text: &JsString) -> Self {
        text.clone()
    }
}

/// The text for people, as [`JsString::to_text`] gives it: a lone surrogate becomes U+FFFD.
impl From<JsString> for String {
    fn from(text: JsString) -> Self {
        text.into_text()
    }
}

impl From<&JsString> for String {
    fn from(text: &JsString) -> Self {
        text.to_text().into_owned()
    }
}

macro_rules! compares_with {
    ($($text:ty),*) => {$(
        impl PartialEq<$text> for JsString {
            fn eq(&self, other: &$text) -> bool {
                self.as_bytes() == other.as_bytes()
            }
        }

        impl PartialEq<JsString> for $text {
            fn eq(&self, other: &JsString) -> bool {
                self.as_bytes() == other.as_bytes()
            }
        }
    )*};
}

compares_with!(str, &str, String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_from_what_a_program_has_at_hand() {
        let now: i64 = 1_770_159_126_410;
        let object = Object::new()
            .with("timestamp", now)
            .with("count", 3)
            .with("name", String::from("a"))
            .with("cow", Cow::Borrowed("b"))
            .with("js", JsString::from("c"))
            .with("none", None::<&str>);
        let printed =
            r#"{"timestamp":1770159126410,"count":3,"name":"a","cow":"b","js":"c","none":null}"#;
        assert_eq!(object.to_string(), printed);
        let value: Value = printed.parse().unwrap();
        assert_eq!(value, Value::Object(object));
        assert_eq!(value.to_string(), printed);
        assert!("{\"a\":".parse::<Value>().is_err());
    }

    #[test]
    fn strings_compare_and_convert_both_ways() {
        let (text, owned) = (JsString::from("x"), String::from("x"));
        for equal in [text == "x", text == *"x", text == owned, "x" == text, owned == text] {
            assert!(equal);
        }
        assert_eq!(String::from(&text), "x");
        assert_eq!(String::from(text), "x");
        let half: Value = r#""a\ud83d""#.parse().unwrap();
        assert_eq!(String::from(half.into_string().unwrap()), "a\u{FFFD}");
    }
}
