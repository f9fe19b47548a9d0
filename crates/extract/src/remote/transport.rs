//! HTTP for object stores: one client with time limits, which speaks TLS with the libraries that
//! pitree has anyway.
//!
//! Nothing waits forever: connecting, the beginning of an answer, and each gap within it have a
//! limit. What fails is reported in the kinds by which `object_store` decides whether to retry.

use std::error::Error as StdError;
use std::io::ErrorKind;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, SizeHint};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use thiserror::Error;
use tokio::time::{Instant, Sleep, timeout};

use super::RemoteLimits;

/// A connection that nobody uses is closed after this time.
const IDLE: Duration = Duration::from_secs(20);

/// A request is given time for its body as if so many bytes went out in a second.
const SLOWEST_UPLOAD: u64 = 32 << 10;

#[derive(Debug, Error)]
enum TransportError {
    #[error("plain http is refused: the credentials would be sent in the clear")]
    PlainHttp,
    #[error("no answer in {} s", .0.as_secs_f32())]
    NoAnswer(Duration),
    #[error("the answer stopped for {} s", .0.as_secs_f32())]
    Stalled(Duration),
}

/// The certificates that are trusted: those of public authorities, and those of a file in PEM.
pub(super) fn trusted_roots(file: Option<&Path>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let Some(file) = file else { return Ok(roots) };
    let failed = |why: String| format!("{} has no certificates: {why}", file.display());
    let pem = fs_err::read(file).map_err(|error| error.to_string())?;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| failed(error.to_string()))?;
        roots.add(certificate).map_err(|error| failed(error.to_string()))?;
    }
    Ok(roots)
}

/// Makes the clients of a store.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    client: Client<HttpsConnector<TcpConnector>, HttpRequestBody>,
    limits: RemoteLimits,
}

impl Connector {
    pub(super) fn new(roots: RootCertStore, limits: RemoteLimits) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(limits.connect));
        tcp.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(connector.enable_http1().wrap_connector(tcp));
        Ok(Self { client, limits })
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allowed = options.get_config_value(&ClientConfigKey::AllowHttp);
        let allow_http = allowed.as_deref() == Some("true");
        Ok(HttpClient::new(Transport { connector: self.clone(), allow_http }))
    }
}

#[derive(Debug)]
struct Transport {
    connector: Connector,
    allow_http: bool,
}

#[async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if !self.allow_http && request.uri().scheme_str() != Some("https") {
            return Err(HttpError::new(HttpErrorKind::Unknown, TransportError::PlainHttp));
        }
        let Connector { client, limits } = &self.connector;
        let sending = Duration::from_secs(request.body().content_length() as u64 / SLOWEST_UPLOAD);
        let limit = limits.answer + sending;
        let no_answer = |_| HttpError::new(HttpErrorKind::Timeout, TransportError::NoAnswer(limit));
        let answer = timeout(limit, client.request(request)).await.map_err(no_answer)?;
        let answer = answer.map_err(|error| {
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { kind_of(&error) };
            HttpError::new(kind, error)
        })?;
        let (parts, body) = answer.into_parts();
        let failed = |error: hyper::Error| HttpError::new(kind_of(&error), error);
        let body = Watched::new(body.map_err(failed), limits.stall);
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}

/// Why a request ended early. What was cut off may be asked for again.
fn kind_of(error: &(dyn StdError + 'static)) -> HttpErrorKind {
    let mut source = Some(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<hyper::Error>()
            && error.is_timeout()
        {
            return HttpErrorKind::Timeout;
        }
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return match error.kind() {
                ErrorKind::TimedOut => HttpErrorKind::Timeout,
                _ => HttpErrorKind::Interrupted,
            };
        }
        source = error.source();
    }
    HttpErrorKind::Request
}

/// A body that fails if nothing of it comes for a while.
struct Watched<B> {
    body: B,
    stall: Duration,
    alarm: Pin<Box<Sleep>>,
}

impl<B> Watched<B> {
    fn new(body: B, stall: Duration) -> Self {
        Self { body, stall, alarm: Box::pin(tokio::time::sleep(stall)) }
    }
}

impl<B: Body<Data = Bytes, Error = HttpError> + Unpin> Body for Watched<B> {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let stall = self.stall;
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.alarm.as_mut().reset(Instant::now() + stall);
            return Poll::Ready(frame);
        }
        if self.alarm.as_mut().poll(context).is_ready() {
            let error = HttpError::new(HttpErrorKind::Timeout, TransportError::Stalled(stall));
            return Poll::Ready(Some(Err(error)));
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
