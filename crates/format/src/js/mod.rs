//! JSON with JavaScript's rules.
//!
//! Pi is a JavaScript program: what it reads is what `JSON.parse` returns and what it writes is
//! what `JSON.stringify` prints. Rust's usual JSON types differ in ways that lose data (lone
//! surrogates, `1e999`, duplicate keys, invalid UTF-8), so this module has its own value.

mod convert;
pub mod date;
mod deep;
mod members;
mod parse;
mod print;
mod string;
mod strings;
mod value;
mod words;

pub use deep::Array;
pub use members::{Members, print_list};
pub(crate) use parse::no_name;
pub use parse::{JsonError, MAX_VALUE_DEPTH, decode_string, parse, parse_noting_repeats};
pub use print::{print, print_number, print_string, print_text, stringify};
pub use string::JsString;
pub(crate) use string::is_js_whitespace;
pub use value::{Object, Value};
