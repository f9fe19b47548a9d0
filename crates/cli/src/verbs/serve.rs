//! `pitree serve`: all sessions in the browser.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use clap::Args;
use pitree_format::Object;
use pitree_host::models::Models;
use pitree_session::{Environment, cause};
use pitree_store::delete::Trash;
use pitree_web::{ModelWindows, StopHandle, WebError, WebOptions, WebServer};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::environment::find_program;
use crate::error::{CommandError, Exit, Result};
use crate::option_values::seconds;
use crate::output::Output;
use crate::target::Workspace;

/// What opens an address on a desktop.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// Listen on this port (default: a free one)
    #[arg(long, value_name = "PORT", value_parser = port)]
    port: Option<u16>,

    /// Listen on this address and port, such as 0.0.0.0:8080 (default: 127.0.0.1 and a free port)
    #[arg(long, value_name = "ADDRESS", conflicts_with = "port", value_parser = address)]
    bind: Option<SocketAddr>,

    /// Open the page in your browser
    #[arg(long)]
    open: bool,

    /// Let the page rename and delete sessions, label entries and save positions
    #[arg(long)]
    allow_edit: bool,

    /// Stop after this many seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    duration: Option<Duration>,
}

fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "give a port from 0 to 65535".to_owned())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let hint = "give an address and a port, such as 127.0.0.1:8080 or [::1]:8080";
    text.parse().map_err(|_| hint.to_owned())
}

pub(crate) fn run(args: &ServeArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let loopback = SocketAddr::from(([127, 0, 0, 1], args.port.unwrap_or(0)));
    let address = args.bind.unwrap_or(loopback);
    let options = WebOptions::new()
        .address(address)
        .allow_edit(args.allow_edit)
        .trash(Trash::new(find_program("trash")))
        .windows(model_windows(&workspace.environment));
    let server = WebServer::bind(workspace.silent_store(), &workspace.environment, &options)?;
    let url = server.url();
    end_on_signal(server.stop_handle())?;
    if let Some(duration) = args.duration {
        let server = server.stop_handle();
        thread::spawn(move || {
            thread::sleep(duration);
            server.stop();
        });
    }
    if output.json {
        output.value(&Object::new().with("url", url.as_str()).into())?;
    } else {
        output.line(&url)?;
    }
    if !address.ip().is_loopback() {
        let warning = "warning: other machines can reach this address; whoever has the token can \
                       read every session";
        output.remark(warning)?;
    }
    output.remark("serving all sessions; Ctrl+C stops it")?;
    // Whoever started it waits for the address.
    output.flush()?;
    if args.open && !open(&url) {
        output.remark("no program was found that opens a browser; open the address yourself")?;
    }
    server.run()?;
    output.remark("stopped")?;
    Ok(Exit::Ok)
}

/// How much fits into the context of each known model. A mistake in the list of models is no reason
/// to show no sessions.
pub(crate) fn model_windows(environment: &Environment) -> ModelWindows {
    let Ok(models) = Models::load(environment) else { return ModelWindows::default() };
    let all = models.all().iter().filter(|model| model.context_window() >= 1.0);
    all.map(|model| (model.provider(), model.id(), model.context_window() as u64)).collect()
}

/// Ends the server in good order when a signal comes, and at once when another one does.
fn end_on_signal(server: StopHandle) -> Result<()> {
    let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
    let mut signals = Signals::new(all).map_err(CommandError::Input)?;
    thread::spawn(move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            server.stop();
        }
        if let Some(signal) = signals.next() {
            #[allow(clippy::exit, reason = "somebody does not want to wait any longer")]
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

fn open(url: &str) -> bool {
    let Some(program) = OPENERS.iter().find_map(|name| find_program(name)) else { return false };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

/// What to do about an address that cannot be listened on.
fn listen_hint(reason: ErrorKind) -> &'static str {
    match reason {
        ErrorKind::AddrInUse => {
            "another program uses this port; pass another `--port`, or leave it out for a free one"
        }
        ErrorKind::PermissionDenied => "ports below 1024 are reserved; pass another `--port`",
        _ => "choose an address of this machine, and port 0 for any free port",
    }
}

impl From<WebError> for CommandError {
    fn from(error: WebError) -> Self {
        let hint = match &error {
            WebError::Listen { source, .. } => Some(listen_hint(cause(source).kind()).to_owned()),
            _ => None,
        };
        Self::Refused { message: error.to_string(), hint }
    }
}
