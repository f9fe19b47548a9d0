//! URLs of object stores: `s3://bucket/prefix`, `gs://`, `az://` and `file:///folder`.
//!
//! A URL is shown in reports and cards, so one with a password or a signature in it is refused.

use std::fmt;
use std::path::PathBuf;

use crate::remote_error::{RemoteError, RemoteProblem};

/// Which kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Amazon S3, and what speaks its protocol.
    S3,
    /// Google Cloud Storage.
    Gs,
    /// Azure Blob Storage; the bucket is a container.
    Az,
    /// A folder of this machine.
    File,
}

impl Scheme {
    const ALL: [Self; 4] = [Self::S3, Self::Gs, Self::Az, Self::File];

    /// As a URL begins.
    pub fn name(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Gs => "gs",
            Self::Az => "az",
            Self::File => "file",
        }
    }
}

/// A place in an object store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectUrl {
    scheme: Scheme,
    bucket: String,
    /// The parts of the path, none of them empty.
    parts: Vec<String>,
}

impl ObjectUrl {
    /// Whether a word of the command line is meant as a URL: what begins as one is never a file.
    pub fn is_url(text: &str) -> bool {
        Scheme::ALL.iter().any(|scheme| after_scheme(text, *scheme).is_some())
    }

    /// Reads a URL.
    ///
    /// # Errors
    /// Fails if it is not one of an object store, or holds a secret or parts such as `..`. The
    /// error repeats none of it that may be secret.
    pub fn parse(text: &str) -> Result<Self, RemoteError> {
        let found = Scheme::ALL.iter().find_map(|it| Some((*it, after_scheme(text, *it)?)));
        let wrong = |why| bad(text, why);
        let (scheme, rest) = found.ok_or_else(|| wrong("it is not the URL of an object store"))?;
        let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.contains('@') {
            return Err(wrong("it holds credentials; set them in the environment instead"));
        }
        if rest.contains(['?', '#']) {
            return Err(wrong("a URL with `?` or `#` is not taken: it may hold a signature"));
        }
        if rest.chars().any(char::is_control) {
            return Err(wrong("it holds control characters"));
        }
        if (scheme == Scheme::File) != bucket.is_empty() {
            return Err(wrong(match scheme {
                Scheme::File => "the path must be absolute, with three slashes: file:///folder",
                _ => "it names no bucket",
            }));
        }
        if bucket.contains([':', '\\', '%']) {
            return Err(wrong("the name of the bucket is not valid"));
        }
        let parts: Vec<String> =
            path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        if parts.iter().any(|part| part == "." || part == "..") {
            return Err(wrong("`.` and `..` are not taken in its path"));
        }
        Ok(Self { scheme, bucket: bucket.to_owned(), parts })
    }

    /// Which kind of store.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The bucket or container; empty for a folder.
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The path in the bucket, without a slash at either end.
    pub fn prefix(&self) -> String {
        self.parts.join("/")
    }

    /// The parts of the path.
    pub(crate) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The folder that it is, if it is one of this machine.
    pub fn folder(&self) -> Option<PathBuf> {
        (self.scheme == Scheme::File).then(|| PathBuf::from(format!("/{}", self.prefix())))
    }

    /// The URL of an object below this one.
    pub fn of_object(&self, below: &str) -> String {
        format!("{}/{}", self.to_string().trim_end_matches('/'), clean(below))
    }

    /// The place around it, and its last part; of a whole bucket that is empty.
    pub(crate) fn split_last(&self) -> (Self, String) {
        let mut around = self.clone();
        let last = around.parts.pop().unwrap_or_default();
        (around, last)
    }

    /// An error about it.
    pub(crate) fn error(&self, doing: &'static str, problem: RemoteProblem) -> RemoteError {
        RemoteError { doing, url: self.to_string(), problem }
    }
}

impl fmt::Display for ObjectUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}/{}", self.scheme.name(), self.bucket, self.prefix())
    }
}

/// What follows `s3://`, whatever the case of its letters.
fn after_scheme(text: &str, scheme: Scheme) -> Option<&str> {
    let (name, rest) = text.split_once("://")?;
    name.eq_ignore_ascii_case(scheme.name()).then_some(rest)
}

/// A name as it may be shown on a terminal.
pub(crate) fn clean(name: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    name.chars().map(shown).collect()
}

/// An error about a text that is not a URL: only its beginning is shown, up to what may be secret.
fn bad(text: &str, why: &'static str) -> RemoteError {
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let plain = host.split(['?', '#']).next().unwrap_or_default();
    let url = clean(&format!("{scheme}://{plain}"));
    RemoteError { doing: "use", url, problem: RemoteProblem::BadUrl(why) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_printed_as_it_is_read() {
        for (text, printed) in [
            ("s3://b", "s3://b/"),
            ("S3://b/p/q/", "s3://b/p/q"),
            ("gs://b//p", "gs://b/p"),
            ("az://c/a b/ü", "az://c/a b/ü"),
            ("file:///srv/x", "file:///srv/x"),
        ] {
            let url = ObjectUrl::parse(text).unwrap();
            assert_eq!(url.to_string(), printed);
            assert_eq!(ObjectUrl::parse(printed).unwrap(), url);
            assert!(ObjectUrl::is_url(text));
        }
        assert_eq!(ObjectUrl::parse("s3://b").unwrap().of_object("x"), "s3://b/x");
        assert_eq!(
            ObjectUrl::parse("s3://b/p").unwrap().of_object("x\u{1b}y"),
            "s3://b/p/x\u{fffd}y"
        );
        let folder = ObjectUrl::parse("file:///srv/x/").unwrap().folder();
        assert_eq!(folder, Some(PathBuf::from("/srv/x")));
        for text in ["019a3f52", "/a/b.jsonl", "http://x/y", "a://b", "s3:/b"] {
            assert!(!ObjectUrl::is_url(text), "{text}");
        }
    }

    #[test]
    fn what_may_be_secret_or_leads_elsewhere_is_refused() {
        for text in [
            "s3://AKIA:hunter2@b/p",
            "s3://b/p?X-Amz-Signature=hunter2",
            "az://c/p?sv=1&sig=hunter2",
            "s3://b/p#hunter2",
            "s3://b/../p",
            "s3://b/p/.",
            "s3:///p",
            "file://host/p",
            "s3://b\n/p",
            "s3://b:9000/p",
            "ftp://b/p",
        ] {
            let error = ObjectUrl::parse(text).unwrap_err().to_string();
            assert!(!error.contains("hunter2") && !error.contains('\n'), "{error}");
            assert!(error.starts_with("Cannot use "), "{error}");
        }
    }
}
