//! Addresses that were checked: of links, and of images.

use crate::harmless::is_harmless;
use crate::redact::is_base64_text;

/// Longer addresses are text.
const MOST_LINK: usize = 2048;

/// The schemes of links. None of them runs anything.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// Image types that no browser takes for a document with scripts in it.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Where a link leads: http, https or mailto.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link(Box<str>);

impl Link {
    /// A link, unless the address has another scheme, or anything in it that does not belong there.
    pub fn checked(address: &str) -> Option<Self> {
        let scheme = |scheme: &&str| {
            let head = address.as_bytes().get(..scheme.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(scheme.as_bytes()))
        };
        let length = SCHEMES.iter().find(|it| scheme(it))?.len();
        let fits = |c: char| is_harmless(c) && !c.is_whitespace() && !"<>\"'`\\".contains(c);
        let is_fine =
            (length + 1..=MOST_LINK).contains(&address.len()) && address.chars().all(fits);
        is_fine.then(|| Self(address.into()))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An image that stands on the page itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    mime_type: &'static str,
    base64: Box<str>,
}

impl Image {
    /// An image of a type that is only an image, in base64.
    pub fn checked(mime_type: &str, base64: &str) -> Option<Self> {
        let mime_type = IMAGES.into_iter().find(|known| *known == mime_type)?;
        is_base64_text(base64).then(|| Self { mime_type, base64: base64.into() })
    }

    /// Its type.
    pub fn mime_type(&self) -> &'static str {
        self.mime_type
    }

    /// Its bytes, in base64.
    pub fn base64(&self) -> &str {
        &self.base64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_web_or_to_a_mailbox() {
        for fine in ["http://a", "https://a.b/c?d=e&f#g", "HTTPS://A", "mailto:a@b"] {
            assert_eq!(Link::checked(fine).unwrap().as_str(), fine);
        }
        let long = format!("https://{}", "a".repeat(MOST_LINK));
        let bad = [
            "javascript:alert(1)",
            "data:text/html,x",
            "https://",
            "//a",
            "a",
            " https://a",
            "https://a\"b",
            "https://a\u{202e}b",
            "https://a b",
            "java\nscript:x",
            "file:///etc/passwd",
            &long,
        ];
        for bad in bad {
            assert_eq!(Link::checked(bad), None, "{bad}");
        }
    }
}
