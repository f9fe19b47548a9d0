//! A local web page over all Pi sessions.
//!
//! [`WebServer`] answers one browser on this machine: the list of sessions, windows of the rows of
//! one, its branches, its context, the requests that were sent, what was spent.
//!
//! * **Windows, not dumps.** A session of any size is sent in windows of rows, each entry as a tree
//!   of allow-listed nodes that [`pitree_export::nodes`] makes. The page builds its elements from
//!   that; it parses no Markdown and no HTML.
//! * **Nobody else gets in.** The address is on the loopback interface unless the caller says
//!   otherwise. A request needs the token of this start, the right `Host` and `Origin`, and names a
//!   session by a key, never by a path.
//! * **Reading does not write**, unless the caller allows edits.
//!
//! The store and the sessions are synchronous; they are asked on threads of their own.
//!
//! ```no_run
//! use pitree_session::Environment;
//! use pitree_session::location::Location;
//! use pitree_store::Store;
//! use pitree_web::{WebOptions, WebServer};
//!
//! # fn main() -> Result<(), pitree_web::WebError> {
//! let environment = Environment::system();
//! let store = Store::new(vec![Location::usual(&environment)], &environment);
//! let server = WebServer::bind(store, &environment, &WebOptions::default())?;
//! println!("{}", server.url());
//! server.run()
//! # }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answer;
mod assets;
mod breaks;
mod context;
mod delete;
mod edit;
mod events;
mod family;
mod find;
mod gate;
mod impatient;
mod key;
mod lanes;
mod last_search;
mod left_out;
mod marks;
mod opened;
mod page_contexts;
mod page_file;
mod page_light;
mod page_requests;
mod problems;
mod requests;
mod routes;
mod rows;
mod serve;
mod session;
mod sessions;
mod snapshot;
mod spend;
mod state;
mod subagents;
mod tree;
mod windows;

use std::io;
use std::net::SocketAddr;

use pitree_store::delete::Trash;
use thiserror::Error;

pub use page_file::{PageFile, ToolDetail};
pub use serve::{StopHandle, WebServer};
pub use windows::ModelWindows;

/// How the page is served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WebOptions {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// Whether the page may name sessions, label entries, save positions and delete.
    pub allow_edit: bool,
    /// Where sessions go that the page deletes.
    pub trash: Trash,
    /// How much fits into the context of each model.
    pub windows: ModelWindows,
}

impl Default for WebOptions {
    /// A free port of the loopback interface, read-only.
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            allow_edit: false,
            trash: Trash::new(None),
            windows: ModelWindows::default(),
        }
    }
}

impl WebOptions {
    /// A free port of the loopback interface, read-only.
    pub fn new() -> Self {
        Self::default()
    }

    pitree_format::setters! {
        /// Sets where to listen; port 0 takes a free one.
        address: SocketAddr,
        /// Sets whether the page may change sessions.
        allow_edit: bool,
        /// Sets where sessions go that the page deletes.
        trash: Trash,
        /// Sets how much fits into the context of each model.
        windows: ModelWindows,
    }
}

/// Why the page cannot be served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WebError {
    /// The address is taken, or is not one of this machine.
    #[error("Cannot listen on {address}: {}", pitree_session::cause(source))]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The system has no more threads or files.
    #[error("The web server failed: {}", pitree_session::cause(.0))]
    Server(#[from] io::Error),
}

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
