//! What is an image and no text.

use pitree_format::JsString;

/// Beginnings of the base64 of images: PNG, JPEG, GIF, WebP, BMP, TIFF.
const IMAGES: [&str; 7] = ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "Qk0", "SUkq", "TU0A"];

/// Whether a text is the base64 of an image.
pub(crate) fn is_image_data(data: &JsString) -> bool {
    data.as_str().is_some_and(is_image)
}

/// Whether a text is an address that holds an image: `data:image/png;base64,…`.
pub(crate) fn is_image_address(text: &str) -> bool {
    let Some((kind, data)) =
        text.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"))
    else {
        return false;
    };
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    kind.len() <= 32 && kind.bytes().all(is_part) && is_image(data)
}

fn is_image(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    IMAGES.iter().any(|begin| data.starts_with(begin))
        && data.len() - digits.len() <= 2
        && digits.bytes().all(allowed)
}
