//! The server: who is let in, how many at a time, and how it ends.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use pitree_session::Environment;
use pitree_store::Store;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Notify, Semaphore, broadcast};
use tokio::time::{sleep, timeout};

use crate::events::Follower;
use crate::gate::Gate;
use crate::impatient::Impatient;
use crate::state::App;
use crate::{WebError, WebOptions, routes};

/// So many connections are served at a time; further ones wait.
const CONNECTIONS: usize = 256;

/// So long the head of a request may take.
const HEAD: Duration = Duration::from_secs(5);

/// The longest head of a request, in bytes.
const HEAD_BYTES: usize = 32 << 10;

/// So many changes may wait for a slow browser; it is told to read everything again after that.
const CHANGES: usize = 256;

/// So long answers may take that are under way when the server ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// After this a connection is asked for again that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// A server that listens.
pub struct WebServer {
    runtime: Runtime,
    listener: tokio::net::TcpListener,
    app: Arc<App>,
    stop: StopHandle,
}

/// Ends a server from another thread.
#[derive(Clone, Debug)]
pub struct StopHandle(Arc<Notify>);

impl StopHandle {
    /// Ends the server: answers under way are sent, new requests are not accepted.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

impl WebServer {
    /// Listens, and answers once it [runs](Self::run).
    pub fn bind(
        store: Store,
        environment: &Environment,
        options: &WebOptions,
    ) -> Result<Self, WebError> {
        let address = options.address;
        let listen = |source| WebError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        listener.set_nonblocking(true)?;
        let mut token = [0; 16];
        environment.fill_random(&mut token);
        let gate = Gate::new(address, token, options.allow_edit);
        let (changes, _) = broadcast::channel(CHANGES);
        let app = Arc::new(App::new(store, environment.clone(), gate, options, changes));
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        Ok(Self { runtime, listener, app, stop: StopHandle(Arc::default()) })
    }

    /// The address to open in a browser, with the token.
    pub fn url(&self) -> String {
        self.app.gate.url()
    }

    /// What ends the server.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Answers until it is stopped.
    pub fn run(self) -> Result<(), WebError> {
        let Self { runtime, listener, app, stop } = self;
        let follower = Follower::start(&app);
        runtime.block_on(serve(&listener, &app, &stop.0));
        follower.stop();
        // Work that is under way only reads; nobody waits for it.
        runtime.shutdown_background();
        Ok(())
    }
}

async fn serve(listener: &tokio::net::TcpListener, app: &Arc<App>, stop: &Notify) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let service = TowerToHyperService::new(routes::router(Arc::clone(app)));
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
    loop {
        let accepted = async {
            // The place is taken first: whoever comes beyond waits in the system's queue.
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = stop.notified() => break,
        };
        let Ok((stream, _)): Result<(_, SocketAddr), _> = accepted else {
            // There are no more files, say. It passes.
            sleep(PAUSE).await;
            continue;
        };
        let connection =
            protocol.serve_connection(TokioIo::new(Impatient::new(stream)), service.clone());
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A browser that goes away in the middle is no news.
            let _ = connection.await;
            drop(place);
        });
    }
    let _ = timeout(PATIENCE, graceful.shutdown()).await;
}
