//! What a request is answered with.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::{Response, StatusCode, header};
use axum::response::IntoResponse;
use pitree_export::ExportError;
use pitree_export::harmless::clean_block;
use pitree_format::js::print;
use pitree_format::{Object, Value};
use pitree_sample::request::RequestError;
use pitree_session::SessionError;

/// JSON, or why there is none.
pub(crate) type Answer = Result<Json, Problem>;

/// A JSON document.
pub(crate) struct Json(String);

impl Json {
    /// Whatever a session says is harmless when it leaves: no text of an answer controls anything.
    pub(crate) fn of(value: impl Into<Value>) -> Self {
        let mut value = value.into();
        make_harmless(&mut value);
        let mut text = String::new();
        print(&value, &mut text);
        Self(text)
    }
}

impl IntoResponse for Json {
    fn into_response(self) -> Response<Body> {
        json(StatusCode::OK, self.0)
    }
}

fn json(status: StatusCode, text: String) -> Response<Body> {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, text).into_response()
}

/// Why a request was not answered, for the page to show.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// What to tell the user.
    pub(crate) fn into_message(self) -> String {
        self.message
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let object = Object::new().with("error", self.message);
        json(self.status, Json::of(object).0)
    }
}

impl From<SessionError> for Problem {
    fn from(error: SessionError) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
    }
}

impl From<ExportError> for Problem {
    fn from(error: ExportError) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Session(error) => error.into(),
            error => Self::bad_request(error.to_string()),
        }
    }
}

/// Replaces what controls or reorders text, in all texts of a value.
pub(crate) fn make_harmless(value: &mut Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                if let Cow::Owned(harmless) = clean_block(&text.to_text()) {
                    *text = harmless.into();
                }
            }
            Value::Array(items) => open.extend(items.iter_mut()),
            Value::Object(object) => open.extend(object.iter_mut().map(|(_, value)| value)),
            _ => {}
        }
    }
}

/// A list of values.
pub(crate) fn list<T>(items: impl IntoIterator<Item = T>, value: impl Fn(T) -> Value) -> Value {
    Value::Array(items.into_iter().map(value).collect())
}
