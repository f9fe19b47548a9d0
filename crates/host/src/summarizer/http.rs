//! One request over HTTP, and what its answer means.

use std::io::{BufReader, Read};
use std::path::Path;

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_session::summary::SummaryError;
use ureq::http::{Response, StatusCode};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, Proxy};

use crate::models::Tokens;

use super::answer::{Answer, Fault, server_error};
use super::endpoint::{Limits, Target};
use super::sse::{Events, SseError};

const MOST_ERROR_BYTES: u64 = 64 << 10;
/// How much is shown of something that is no reply.
const MOST_SHOWN: usize = 120;
const MOST_WHOLE_BYTES: u64 = 8 << 20;

/// A client for one summary. Redirects are not followed: keys stay with the host they are for.
pub(super) fn agent(target: &Target, limits: &Limits) -> Result<Agent, String> {
    let proxy = match &target.proxy {
        None => None,
        Some(address) => {
            Some(Proxy::new(address).map_err(|_| "the address of the proxy is wrong".to_owned())?)
        }
    };
    let mut tls = TlsConfig::builder();
    if let Some(path) = &target.authorities {
        let certificates = certificates(path)
            .ok_or_else(|| format!("{} holds no certificates (SSL_CERT_FILE)", path.display()))?;
        tls = tls.root_certs(RootCerts::new_with_certs(&certificates));
    }
    let config = Agent::config_builder()
        .tls_config(tls.build())
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(proxy)
        .user_agent(concat!("pitree/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(limits.connect))
        .timeout_connect(Some(limits.connect))
        .timeout_per_read(Some(limits.idle))
        .timeout_per_write(Some(limits.idle))
        .timeout_global(Some(limits.total))
        .build();
    Ok(config.into())
}

/// The certificates in a file; `None` if there are none.
fn certificates(path: &Path) -> Option<Vec<Certificate<'static>>> {
    let text = fs_err::read(path).ok()?;
    let certificates: Vec<_> = parse_pem(&text)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    Some(certificates).filter(|certificates| !certificates.is_empty())
}

/// Asks once and reads the whole answer.
pub(super) fn ask_once(
    agent: &Agent,
    target: &Target,
    body: &str,
) -> Result<(String, Option<Tokens>), Fault> {
    let mut request = agent
        .post(target.address())
        .header("content-type", "application/json")
        .header("accept", "text/event-stream, application/json");
    for (name, value) in target.headers() {
        request = request.header(name, value);
    }
    let mut response = request.send(body).map_err(|error| not_sent(&error, &target.address()))?;
    let status = response.status();
    if status.is_redirection() {
        return Err(Fault::failed(
            "the endpoint redirects elsewhere, which is not followed, since the key is not for \
             another place; name the right address",
        ));
    }
    if !status.is_success() {
        return Err(refused(status, &mut response));
    }
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("no content type").to_owned();
    let mut answer = Answer::default();
    if kind.starts_with("application/json") {
        let bytes = read_whole(&mut response)?;
        let value = parse(&bytes).map_err(|_| not_a_reply(&kind, &bytes))?;
        target.take(&mut answer, &value)?;
        if answer.stop.is_none() && !answer.is_over {
            // All of it is there, so asking again would not help.
            return Err(not_a_reply(&kind, &bytes));
        }
    } else {
        read_stream(&mut answer, target, &kind, &mut response)?;
    }
    answer.finish()
}

/// Something came that is no reply of a model: says what, at once.
fn not_a_reply(kind: &str, bytes: &[u8]) -> Fault {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_SHOWN)]);
    Fault::failed(format!(
        "the endpoint answered with something that is not a model's reply ({kind}): {shown}"
    ))
}

fn read_stream(
    answer: &mut Answer,
    target: &Target,
    kind: &str,
    response: &mut Response<Body>,
) -> Result<(), Fault> {
    let reader = response.body_mut().with_config().limit(u64::MAX).reader();
    let mut events = Events::new(BufReader::new(reader));
    loop {
        let data = match events.next() {
            Ok(Some(data)) => data,
            Ok(None) => return Ok(()),
            Err(SseError::TooLong) => {
                return Err(Fault::failed("the endpoint sent a line that is far too long"));
            }
            Err(SseError::NotEvents(shown)) => return Err(not_a_reply(kind, shown.as_bytes())),
            // An answer whose end has come is whole, however the connection ends.
            Err(SseError::Io(_)) if answer.stop.is_some() => return Ok(()),
            Err(SseError::Io(error)) => {
                return Err(Fault::passing(format!("the connection broke: {error}")));
            }
        };
        if data == b"[DONE]" {
            answer.is_over = true;
            return Ok(());
        }
        target.take(answer, &json(&data)?)?;
        if answer.is_over {
            return Ok(());
        }
    }
}

fn read_whole(response: &mut Response<Body>) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let reader = response.body_mut().with_config().limit(MOST_WHOLE_BYTES + 1).reader();
    reader
        .take(MOST_WHOLE_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::passing(format!("the connection broke: {error}")))?;
    Ok(bytes)
}

fn json(bytes: &[u8]) -> Result<Value, Fault> {
    parse(bytes).map_err(|_| Fault::failed("the endpoint did not send valid JSON"))
}

/// No answer at all. What will not get better by waiting is final.
fn not_sent(error: &ureq::Error, address: &str) -> Fault {
    use std::io::ErrorKind;
    match error {
        ureq::Error::HostNotFound => Fault::failed(host_not_found(address)),
        // So the standard library says that there is no such name; it has no kind for that.
        ureq::Error::Io(io) if io.to_string().starts_with("failed to lookup address") => {
            Fault::passing(host_not_found(address))
        }
        ureq::Error::Timeout(_) => Fault::passing(format!("no answer in time ({error})")),
        ureq::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => {
            Fault::failed("the connection was refused; is the server running?")
        }
        // So rustls says that it does not trust the other side.
        ureq::Error::Io(io) if io.kind() == ErrorKind::InvalidData => Fault::failed(format!(
            "{io}; set SSL_CERT_FILE to a file with the certificates of your network"
        )),
        ureq::Error::Io(io) => Fault::passing(format!("the connection broke: {io}")),
        ureq::Error::ConnectionFailed | ureq::Error::Protocol(_) => {
            Fault::passing(format!("the connection broke: {error}"))
        }
        ureq::Error::BadUri(_) => Fault::failed("the address is wrong"),
        // A header that cannot be sent may hold a key, so the error is not quoted.
        ureq::Error::Http(_) => Fault::failed("a header or the address cannot be sent"),
        other => Fault::failed(other.to_string()),
    }
}

fn host_not_found(address: &str) -> String {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    // Before an at sign there may be a password.
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("cannot find the host {host}")
}

fn refused(status: StatusCode, response: &mut Response<Body>) -> Fault {
    let wait_ms = retry_after(response);
    let mut bytes = Vec::new();
    let reader = response.body_mut().with_config().limit(MOST_ERROR_BYTES + 1).reader();
    // What cannot be read does not explain anything either.
    let _ = reader.take(MOST_ERROR_BYTES).read_to_end(&mut bytes);
    let said = match parse(&bytes) {
        Ok(value) => match server_error(value.get("error").unwrap_or(&value)) {
            Fault::Passing { message, .. } | Fault::Final(SummaryError::Failed(message)) => message,
            Fault::Final(other) => other.to_string(),
        },
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let message = format!("{status}: {said}");
    let code = status.as_u16();
    match code {
        408 | 409 | 425 | 429 | 500..=599 => Fault::Passing { message, wait_ms },
        _ => Fault::failed(message),
    }
}

/// How long the server asks to wait. A date is not understood: that would need the clock.
fn retry_after(response: &Response<Body>) -> Option<u64> {
    let number = |name: &str, factor: f64| {
        let text = response.headers().get(name)?.to_str().ok()?;
        let number: f64 = text.trim().parse().ok()?;
        (number >= 0.0).then_some((number * factor) as u64)
    };
    number("retry-after-ms", 1.0).or_else(|| number("retry-after", 1000.0))
}

/// An address without what may be secret: a password before the host, anything after the path.
pub(super) fn shown(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = &url[..end];
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let host_end = rest.find('/').unwrap_or(rest.len());
    let host_start = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host_start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_secrets() {
        for (url, text) in [
            ("https://api.example.com/v1", "https://api.example.com/v1"),
            ("https://ana:secret@host:8/v1?key=secret#x", "https://host:8/v1"),
            ("https://a@b@host/x@y", "https://host/x@y"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(shown(url), text);
        }
    }
}
