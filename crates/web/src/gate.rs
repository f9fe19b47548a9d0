//! Who may ask: the browser that was given the token of this start, on this page and no other.
//!
//! A page of another site can make a browser send requests here, and can make a name of its own lead
//! to this address. So the `Host` must be one of ours, an `Origin` too, and the cookie with the token
//! is never sent along from elsewhere (`SameSite=Strict`).

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::{Authority, Scheme};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect};

use crate::answer::Problem;
use crate::state::App;

/// Sent by the page with every change: a form of another site cannot add it.
const CHANGES: HeaderName = HeaderName::from_static("x-pitree");

/// From where a browser says that it asks.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The headers of every answer.
const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// What a request must show.
pub(crate) struct Gate {
    address: SocketAddr,
    token: String,
    allow_edit: bool,
}

impl Gate {
    /// `random` is the secret of this start.
    pub(crate) fn new(address: SocketAddr, random: [u8; 16], allow_edit: bool) -> Self {
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { address, token, allow_edit }
    }

    /// The address to open in a browser.
    pub(crate) fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => IpAddr::from([127, 0, 0, 1]),
                SocketAddr::V6(_) => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
            });
        }
        format!("http://{address}/?token={}", self.token)
    }

    /// Cookies do not know ports, and several servers may run.
    fn cookie_name(&self) -> String {
        format!("pitree_{}", self.address.port())
    }

    fn cookie(&self) -> String {
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name(), self.token)
    }

    /// Whether the page may make changes.
    pub(crate) fn allows_edits(&self) -> bool {
        self.allow_edit
    }

    fn check(&self, request: &Request) -> Result<(), Problem> {
        let refused = |why: &str| Problem::new(StatusCode::FORBIDDEN, why);
        let headers = request.headers();
        let host = one(headers, &header::HOST).ok_or_else(|| refused("A single Host is needed"))?;
        if !self.is_own_host(host) {
            return Err(refused("This Host is not served here"));
        }
        // Asked as a proxy is asked: the name in the address counts more than the header.
        let uri = request.uri();
        let is_own = |name: &Authority| self.is_own_host(name.as_str());
        if uri.authority().is_some_and(|name| !is_own(name))
            || uri.scheme().is_some_and(|scheme| *scheme != Scheme::HTTP)
        {
            return Err(refused("This address is not served here"));
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = one(headers, &header::ORIGIN).and_then(|it| it.strip_prefix("http://"));
            if origin != Some(host) {
                return Err(refused("Requests of other pages are not answered"));
            }
        }
        // A page on another port of this machine is of the same site, so cookies come along. A link
        // to the page itself may be anywhere, such as in a terminal that is a web page.
        let is_elsewhere = headers.get_all(FETCH_SITE).iter().any(|site| {
            let site = site.as_bytes();
            site != b"same-origin" && site != b"none"
        });
        if is_elsewhere && uri.path() != "/" {
            return Err(refused("Requests of other pages are not answered"));
        }
        let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
        if !is_reading && !self.allow_edit {
            let message = "This page is read-only; start `pitree serve` with --allow-edit";
            return Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, message));
        }
        if !is_reading && !headers.contains_key(CHANGES) {
            return Err(refused("A change needs the header X-Pitree"));
        }
        Ok(())
    }

    /// Whether a name leads here, and cannot be another site's: only addresses, and `localhost`.
    fn is_own_host(&self, host: &str) -> bool {
        let port = self.address.port();
        if let Some(name) = host.strip_suffix(&format!(":{port}"))
            && name.eq_ignore_ascii_case("localhost")
        {
            return true;
        }
        host.parse::<SocketAddr>().is_ok_and(|asked| {
            asked.port() == port && (asked.ip().is_loopback() || !self.address.ip().is_loopback())
        })
    }

    /// Whether the cookie of this start is there.
    fn is_let_in(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        let pairs = cookies.flat_map(|cookies| cookies.split(';'));
        let name = self.cookie_name();
        pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(key, value)| key == name && is_same(value.as_bytes(), self.token.as_bytes()))
    }

    /// Whether the query is the token that was printed.
    fn brings_token(&self, request: &Request) -> bool {
        let query = request.uri().query().unwrap_or_default();
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        request.uri().path() == "/"
            && token.is_some_and(|token| is_same(token.as_bytes(), self.token.as_bytes()))
    }
}

/// Lets a request through, or says why not. Every answer gets the headers of safety.
pub(crate) async fn guard(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let gate = &app.gate;
    let mut response = if let Err(problem) = gate.check(&request) {
        problem.into_response()
    } else if gate.brings_token(&request) {
        // The token must not stay in the history or in what is copied from the address bar.
        ([(header::SET_COOKIE, gate.cookie())], Redirect::to("/")).into_response()
    } else if gate.is_let_in(request.headers()) {
        next.run(request).await
    } else {
        let message = "Open the address that `pitree serve` printed: it has a token";
        Problem::new(StatusCode::UNAUTHORIZED, message).into_response()
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, value);
    }
    response
}

/// The value of a header that is there once.
fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Compares without telling by the time it takes how much of it was right.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
