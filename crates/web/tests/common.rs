//! A server over sessions in a temporary folder, and a client that sends what it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use pitree_session::Environment;
use pitree_session::location::Location;
use pitree_store::Store;
use pitree_store::delete::Trash;
use pitree_web::{StopHandle, WebOptions, WebServer};
use serde_json::Value;
use tempfile::TempDir;

/// Nothing that is right takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server that runs, and the store that it serves.
pub(crate) struct Served {
    pub(crate) folder: TempDir,
    pub(crate) environment: Environment,
    pub(crate) store: Store,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    stop: StopHandle,
    thread: Option<JoinHandle<()>>,
}

/// An answer: its head as it came, and its body.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

impl Served {
    /// Serves these files, read-only.
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        Self::with(files, &WebOptions::new())
    }

    pub(crate) fn with(files: &[(&str, &[u8])], options: &WebOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs_err::write(folder.path().join(name), bytes).unwrap();
        }
        let random = AtomicI64::new(1);
        let environment = Environment::new(
            "/home/ana",
            "/srv/shop",
            || 1_770_200_000_000,
            move |buffer| {
                let mut number = random.fetch_add(1, Ordering::Relaxed);
                buffer.iter_mut().for_each(|byte| {
                    number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    *byte = (number >> 33) as u8;
                });
            },
        );
        let location = Location::folder(folder.path());
        let store = Store::new(vec![location], &environment);
        let server = WebServer::bind(store.clone(), &environment, options).unwrap();
        let url = server.url();
        let (address, token) = url.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let (address, token) = (address.parse().unwrap(), token.to_owned());
        let stop = server.stop_handle();
        let thread = Some(std::thread::spawn(move || server.run().unwrap()));
        Self { folder, environment, store, address, token, stop, thread }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn cookie(&self) -> String {
        format!("Cookie: pitree_{}={}\r\n", self.address.port(), self.token)
    }

    /// What a browser sends that was let in.
    pub(crate) fn get(&self, target: &str) -> Reply {
        let head = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n{}", self.address, self.cookie());
        self.send(&format!("{head}Connection: close\r\n\r\n"))
    }

    /// The JSON that is answered.
    pub(crate) fn ask(&self, target: &str) -> Value {
        let reply = self.get(target);
        assert_eq!(reply.status, 200, "{target}: {}", reply.text());
        reply.json()
    }

    pub(crate) fn post(&self, target: &str, body: &str) -> Reply {
        let length = body.len();
        let head = format!("POST {target} HTTP/1.1\r\nHost: {}\r\n{}", self.address, self.cookie());
        let head = format!("{head}X-Pitree: 1\r\nContent-Length: {length}\r\nConnection: close");
        self.send(&format!("{head}\r\n\r\n{body}"))
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes and reads until the end.
    pub(crate) fn send(&self, request: &str) -> Reply {
        let mut stream = self.connect();
        // It may be refused before all of it was sent.
        let _ = stream.write_all(request.as_bytes());
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while reader.read_line(&mut head).unwrap() > 2 {}
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let mut body = Vec::new();
        let _ = reader.read_to_end(&mut body);
        if head.contains("transfer-encoding: chunked") {
            body = unchunked(&body);
        }
        Reply { status, head, body }
    }

    /// Follows the news; gives each event to `take` until that has seen enough.
    pub(crate) fn follow(&self, begun: impl FnOnce(), mut take: impl FnMut(Value) -> bool) {
        let mut stream = self.connect();
        let head = format!("GET /api/events HTTP/1.1\r\nHost: {}\r\n", self.address);
        stream.write_all(format!("{head}{}\r\n", self.cookie()).as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines();
        while !lines.next().unwrap().unwrap().is_empty() {}
        begun();
        for line in lines {
            if let Some(data) = line.unwrap().strip_prefix("data: ")
                && take(serde_json::from_str(data).unwrap())
            {
                return;
            }
        }
        panic!("the news ended");
    }

    /// Waits until the list has so many sessions: it is not made again each time it is asked for.
    pub(crate) fn settle(&self, sessions: usize) {
        let started = std::time::Instant::now();
        while self.ask("/api/sessions")["total"] != sessions {
            assert!(started.elapsed() < PATIENCE, "there are not {sessions} sessions");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The key of the session in a file.
    pub(crate) fn key(&self, id: &str) -> String {
        let list = self.ask("/api/sessions");
        let mut rows = list["rows"].as_array().unwrap().iter();
        let row = rows.find(|row| row["id"] == id).unwrap_or_else(|| panic!("no {id} in {list}"));
        row["key"].as_str().unwrap().to_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.stop();
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.unwrap().unwrap();
        }
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|pair| pair == b"\r\n") {
        let size = usize::from_str_radix(str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + size + 4..];
    }
    whole
}

/// A trash that is a folder.
pub(crate) fn into_folder(trash: &Path) -> Trash {
    let script = trash.join("trash");
    fs_err::write(&script, format!("#!/bin/sh\nmv \"$1\" '{}'\n", trash.display())).unwrap();
    fs_err::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    Trash::new(Some(script))
}

/// A session with two branches, a label, a failed tool and a summary.
pub(crate) const BRANCHED: &str = include_str!("branched.jsonl");

/// Whether all files are as they were, with their times.
pub(crate) fn stamps(folder: &Path) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut files: Vec<_> = fs_err::read_dir(folder)
        .unwrap()
        .map(|file| {
            let path = file.unwrap().path();
            let changed = fs_err::metadata(&path).unwrap().modified().unwrap();
            (path.clone(), fs_err::read(&path).unwrap(), changed)
        })
        .collect();
    files.sort();
    files
}
