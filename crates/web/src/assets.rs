//! The files of the page, which are part of the program.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::answer::Problem;

/// Name, type and bytes of each file.
const FILES: &[(&str, &str, &[u8])] = &[
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("../assets/app.js")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../assets/app.css")),
    ("icon.svg", "image/svg+xml", include_bytes!("../assets/icon.svg")),
];

/// The page itself: it holds nothing of a session.
pub(crate) async fn page() -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (headers, include_str!("../assets/page.html")).into_response()
}

/// A file by its name. A browser that has it already is told so.
pub(crate) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some((_, kind, bytes)) = FILES.iter().find(|(known, ..)| *known == name) else {
        return Problem::not_found("There is no such file").into_response();
    };
    let tag = format!("\"{}\"", &blake3::hash(bytes).to_hex()[..16]);
    let has_it = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
    let cache = [(header::ETAG, tag), (header::CACHE_CONTROL, "no-cache".to_owned())];
    if has_it {
        return (StatusCode::NOT_MODIFIED, cache).into_response();
    }
    (cache, [(header::CONTENT_TYPE, *kind)], *bytes).into_response()
}
