//! What servers and libraries say, as it may be shown.
//!
//! An answer of a server may repeat the request with its signature, and an error of the library the
//! URL with it. So only the code and the message of an answer are shown, URLs lose what follows `?`,
//! and the values of secret variables are hidden wherever they stand.

use object_store::Error as StoreError;

use super::url::clean;
use crate::remote_error::{Detail, RemoteProblem};

/// More of a message is not shown.
const MOST_CHARACTERS: usize = 300;

/// Shorter values are not looked for: they would be found in everything.
const SHORTEST_SECRET: usize = 6;

/// Where cloud machines ask for their own credentials. Elsewhere nobody answers there.
const METADATA_SERVICES: [&str; 3] = ["169.254.169.254", "169.254.170.2", "metadata.google"];

/// The values of variables that nobody may see.
#[derive(Debug, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn of(variables: &[(String, String)]) -> Self {
        const NAMES: [&str; 6] = ["KEY", "SECRET", "TOKEN", "SAS", "PASSWORD", "CREDENTIAL"];
        let is_secret = |name: &str| NAMES.iter().any(|part| name.contains(part));
        let secret = variables.iter().filter(|(name, _)| is_secret(&name.to_ascii_uppercase()));
        let values = secret.map(|(_, value)| value.trim().to_owned());
        let mut values: Vec<String> =
            values.filter(|value| value.len() >= SHORTEST_SECRET).collect();
        // One may be a part of another.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// A text of one line without secrets.
    pub(super) fn hidden(&self, text: &str) -> String {
        let text = without_queries(text);
        let text = self.0.iter().fold(text, |text, secret| text.replace(secret, "[hidden]"));
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(MOST_CHARACTERS) {
            Some((end, _)) => format!("{}…", clean(&line[..end])),
            None => clean(&line),
        }
    }
}

/// What is wrong, by an error of the library.
pub(super) fn problem_of(error: &StoreError, secrets: &Secrets) -> RemoteProblem {
    let detail = |source: &dyn std::error::Error| Detail(secrets.hidden(&message(source)));
    match error {
        StoreError::NotFound { .. } => RemoteProblem::NotFound,
        StoreError::Precondition { .. } | StoreError::NotModified { .. } => RemoteProblem::Changed,
        StoreError::PermissionDenied { source, .. } => RemoteProblem::Denied(detail(&**source)),
        StoreError::Unauthenticated { source, .. } => {
            RemoteProblem::Unauthenticated(detail(&**source))
        }
        StoreError::InvalidPath { source } => RemoteProblem::BadName(name_in(source)),
        other => {
            let text = other.to_string();
            if METADATA_SERVICES.iter().any(|host| text.contains(host)) {
                let why = "no credentials are set, and this machine is not given any by its cloud";
                return RemoteProblem::Settings(why.to_owned());
            }
            let said = match other {
                StoreError::Generic { source, .. } => message(&**source),
                _ => text.clone(),
            };
            let said = secrets.hidden(&said);
            // Not all requests have kinds of errors of their own.
            match status_in(&text) {
                Some("401") => RemoteProblem::Unauthenticated(Detail(said)),
                Some("403") => RemoteProblem::Denied(Detail(said)),
                Some("404") => RemoteProblem::NotFound,
                _ => RemoteProblem::Unavailable(said),
            }
        }
    }
}

/// The status of an answer that an error tells.
fn status_in(text: &str) -> Option<&str> {
    text.split_once("status code: ")?.1.get(..3)
}

/// The name of an object that the library cannot use.
fn name_in(error: &object_store::path::Error) -> String {
    use object_store::path::Error;
    match error {
        Error::EmptySegment { path }
        | Error::BadSegment { path, .. }
        | Error::NonUnicode { path, .. }
        | Error::PrefixMismatch { path, .. } => format!("{path:?}"),
        other => other.to_string(),
    }
}

/// What was said at last, without how it was asked.
fn message(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let said = text.split_once(" - ").map_or(text.as_str(), |(_, said)| said);
    let retries = text.split_once("after ").and_then(|(_, rest)| rest.split_once(" retries"));
    let said = match said.split_once('<') {
        Some((before, answer)) => {
            let parts = ["Code", "Message"].iter().filter_map(|name| element(answer, name));
            let parts: Vec<&str> = parts.collect();
            format!("{}{}", before.trim_end_matches([' ', ':']), in_words(&parts))
        }
        None => said.to_owned(),
    };
    let said = said.replace("Server returned non-2xx status code:", "the server answered");
    let said = with_cause(said.trim_end_matches([' ', ':']), error);
    match retries.and_then(|(count, _)| count.parse::<usize>().ok()) {
        Some(count) => format!("{said} (after {count} retries)"),
        None => said,
    }
}

/// What was said, with what is behind it all, if that is not said yet.
fn with_cause(said: &str, error: &dyn std::error::Error) -> String {
    let last = std::iter::successors(error.source(), |error| error.source()).last();
    match last.map(ToString::to_string) {
        Some(cause) if !error.to_string().contains(&cause) => format!("{said}: {cause}"),
        _ => said.to_owned(),
    }
}

fn in_words(parts: &[&str]) -> String {
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(": ")) }
}

/// The text of the first element of this name.
fn element<'x>(xml: &'x str, name: &str) -> Option<&'x str> {
    let (_, rest) = xml.split_once(&format!("{name}>"))?;
    let (text, _) = rest.split_once("</")?;
    Some(text.trim_start_matches("<![CDATA[").trim_end_matches("]]>"))
}

/// A text whose URLs end before what follows `?`.
fn without_queries(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | '>');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let end = rest[at..].find(is_end).map_or(rest.len(), |end| at + end);
        let url = &rest[..end];
        let plain = url[at..].find(['?', '#']).map_or(url, |query| &url[..at + query]);
        out.push_str(plain);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_signatures_are_never_shown() {
        let variables = [
            ("AWS_SECRET_ACCESS_KEY", "hunter2hunter2"),
            ("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=abcdef"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_SESSION_TOKEN", "x"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let secrets = Secrets::of(&variables);
        for (text, shown) in [
            ("key hunter2hunter2!", "key [hidden]!"),
            ("GET https://h/p?sig=abcdef&x=1 in 2s", "GET https://h/p in 2s"),
            ("a (http://h/p#x) b s3://c?d", "a (http://h/p) b s3://c"),
            ("sv=1&sig=abcdef in us-east-1\n\u{1b}[2J x", "[hidden] in us-east-1 \u{fffd}[2J x"),
        ] {
            assert_eq!(secrets.hidden(text), shown);
        }
        assert_eq!(secrets.hidden(&"é".repeat(400)).chars().count(), MOST_CHARACTERS + 1);
    }

    #[derive(Debug, thiserror::Error)]
    #[error("no connection")]
    struct Behind(#[source] std::io::Error);

    #[test]
    fn of_an_answer_only_the_code_and_the_message_are_shown() {
        let said = |text: &str| message(&std::io::Error::other(text.to_owned()));
        let answer = "Error performing GET http://h/b?list-type=2 in 1.2s, after 3 retries, \
            max_retries: 3, retry_timeout: 180s  - Server returned non-2xx status code: 403 \
            Forbidden: <?xml version=\"1.0\"?><Error><Code>SignatureDoesNotMatch</Code>\
            <Message>no match</Message><StringToSign>secret</StringToSign></Error>";
        let shown = "the server answered 403 Forbidden: SignatureDoesNotMatch: no match \
            (after 3 retries)";
        assert_eq!(said(answer), shown);
        let answer = "Error performing GET http://h/b in 1s - HTTP error: no answer in 2 s";
        assert_eq!(said(answer), "HTTP error: no answer in 2 s");
        let error = Behind(std::io::Error::other("connection refused"));
        assert_eq!(message(&error), "no connection: connection refused");
    }
}
