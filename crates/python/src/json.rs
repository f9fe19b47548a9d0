//! JSON as the command prints it, made into plain Python objects: dict, list, str, int, float, bool
//! and None, the same that `json.loads` makes of it.
//!
//! Nothing recurses, since the tree of a session may be as deep as the session is long. A half of a
//! surrogate pair, which JSON can name and JavaScript allows, becomes that half in the `str`, as it
//! does in `json.loads`; such a `str` can be compared and searched, but not encoded as UTF-8.

use std::collections::HashMap;

use pitree_format::js::decode_string;
use pitree_format::scan::string_end;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

/// Names of members up to this length are made once.
const LONGEST_KEPT: usize = 48;

/// No more names than this are kept.
const MOST_KEPT: usize = 1024;

/// Makes objects of many texts, which mostly have the same names of members.
#[derive(Default)]
pub(crate) struct Loader {
    names: HashMap<Vec<u8>, Py<PyString>>,
}

/// The object of one text.
pub(crate) fn load<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    Loader::default().load(py, text)
}

/// A list or a dict that is not complete yet.
enum Open<'py> {
    List(Vec<Bound<'py, PyAny>>),
    /// With the name of the member whose value comes next.
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
}

impl Loader {
    /// The object of a text.
    pub(crate) fn load<'py>(
        &mut self,
        py: Python<'py>,
        text: &[u8],
    ) -> PyResult<Bound<'py, PyAny>> {
        Reader { py, text, at: 0, names: &mut self.names }.read()
    }
}

struct Reader<'r, 'py> {
    py: Python<'py>,
    text: &'r [u8],
    at: usize,
    names: &'r mut HashMap<Vec<u8>, Py<PyString>>,
}

impl<'r, 'py> Reader<'r, 'py> {
    fn read(mut self) -> PyResult<Bound<'py, PyAny>> {
        let mut open: Vec<Open<'py>> = Vec::new();
        loop {
            let mut value = match self.next()? {
                b'[' => {
                    if self.peek() == Some(b']') {
                        self.at += 1;
                        PyList::empty(self.py).into_any()
                    } else {
                        open.push(Open::List(Vec::new()));
                        continue;
                    }
                }
                b'{' => {
                    let dict = PyDict::new(self.py);
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                        dict.into_any()
                    } else {
                        let name = self.name()?;
                        open.push(Open::Dict(dict, Some(name)));
                        continue;
                    }
                }
                first => self.scalar(first)?,
            };
            // A value is complete; it may complete what it is in.
            loop {
                let Some(mut around) = open.pop() else { return self.end(value) };
                let is_last = self.put(&mut around, value)?;
                if !is_last {
                    open.push(around);
                    break;
                }
                value = match around {
                    Open::List(items) => PyList::new(self.py, items)?.into_any(),
                    Open::Dict(dict, _) => dict.into_any(),
                };
            }
        }
    }

    /// Puts a value where it belongs, and gives whether that is complete then.
    fn put(&mut self, around: &mut Open<'py>, value: Bound<'py, PyAny>) -> PyResult<bool> {
        let end = match around {
            Open::List(items) => {
                items.push(value);
                b']'
            }
            Open::Dict(dict, name) => {
                let name = name.take().ok_or_else(|| self.wrong())?;
                dict.set_item(name, value)?;
                b'}'
            }
        };
        let next = self.next()?;
        if next == end {
            return Ok(true);
        }
        if next != b',' {
            return Err(self.wrong());
        }
        if let Open::Dict(_, name) = around {
            *name = Some(self.name()?);
        }
        Ok(false)
    }

    fn end(&mut self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.wrong()),
        }
    }

    /// The next byte that is not blank, without taking it.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.text.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn next(&mut self) -> PyResult<u8> {
        let byte = self.peek().ok_or_else(|| self.wrong())?;
        self.at += 1;
        Ok(byte)
    }

    fn wrong(&self) -> PyErr {
        PyValueError::new_err(format!("not valid JSON at byte {}", self.at))
    }

    /// The name of a member and the colon behind it.
    fn name(&mut self) -> PyResult<Bound<'py, PyString>> {
        if self.next()? != b'"' {
            return Err(self.wrong());
        }
        let raw = self.raw_string()?;
        let name = match self.names.get(raw) {
            Some(name) => name.bind(self.py).clone(),
            None => {
                let name = self.text_of(raw)?;
                if raw.len() <= LONGEST_KEPT && self.names.len() < MOST_KEPT {
                    self.names.insert(raw.to_vec(), name.clone().unbind());
                }
                name
            }
        };
        match self.next()? {
            b':' => Ok(name),
            _ => Err(self.wrong()),
        }
    }

    fn scalar(&mut self, first: u8) -> PyResult<Bound<'py, PyAny>> {
        match first {
            b'"' => {
                let raw = self.raw_string()?;
                Ok(self.text_of(raw)?.into_any())
            }
            b't' => self.word("rue", true.into_pyobject(self.py)?.to_owned().into_any()),
            b'f' => self.word("alse", false.into_pyobject(self.py)?.to_owned().into_any()),
            b'n' => self.word("ull", self.py.None().into_bound(self.py)),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(self.wrong()),
        }
    }

    fn word(&mut self, rest: &str, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if !self.text[self.at..].starts_with(rest.as_bytes()) {
            return Err(self.wrong());
        }
        self.at += rest.len();
        Ok(value)
    }

    fn number(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let start = self.at - 1;
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let len = self.text[start..].iter().position(|byte| !is_part(byte));
        let digits = &self.text[start..len.map_or(self.text.len(), |len| start + len)];
        self.at = start + digits.len();
        let digits = std::str::from_utf8(digits).map_err(|_| self.wrong())?;
        if digits.contains(['.', 'e', 'E']) {
            let number: f64 = digits.parse().map_err(|_| self.wrong())?;
            return Ok(PyFloat::new(self.py, number).into_any());
        }
        match digits.parse::<i64>() {
            Ok(number) => Ok(number.into_pyobject(self.py)?.into_any()),
            // Python has numbers of any length.
            Err(_) => self.py.get_type::<PyInt>().call1((digits,)),
        }
    }

    /// A string up to its end, as it is in the text; the quote before it was taken.
    fn raw_string(&mut self) -> PyResult<&'r [u8]> {
        let start = self.at;
        let end = string_end(self.text, start).ok_or_else(|| self.wrong())?;
        self.at = end + 1;
        Ok(&self.text[start..end])
    }

    fn text_of(&self, raw: &[u8]) -> PyResult<Bound<'py, PyString>> {
        if memchr::memchr(b'\\', raw).is_none() {
            return PyString::from_bytes(self.py, raw);
        }
        let text = decode_string(raw);
        match text.as_str() {
            Some(text) => Ok(PyString::new(self.py, text)),
            None => {
                let bytes = PyBytes::new(self.py, text.as_bytes());
                PyString::from_encoded_object(&bytes, Some(c"utf-8"), Some(c"surrogatepass"))
            }
        }
    }
}
