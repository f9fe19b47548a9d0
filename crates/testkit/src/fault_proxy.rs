//! A proxy between a client and a server of HTTP/1.1 that does harm on demand.
//!
//! Each request is passed on over a connection of its own, and the whole answer is read before it
//! is decided what the client gets to see of it. All requests are recorded.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};

/// What is done to one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The server is not asked; the client gets this status.
    Status(u16),
    /// The server is not asked; the connection is closed.
    HangUp,
    /// The server is asked, but its answer is lost.
    LoseAnswer,
    /// Half of the body comes, then the connection is closed.
    CutBody,
    /// Half of the body comes, then nothing for this long.
    StallBody(Duration),
    /// The whole answer comes after this time.
    Late(Duration),
    /// A body with some bytes less, and a head that agrees with it.
    ShortBody,
    /// A head that tells of more bytes than the body has.
    LongHead,
}

/// A request as it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxiedRequest {
    /// The method, such as `GET`.
    pub method: String,
    /// The path with the query.
    pub target: String,
    /// The header `range`, if there is one.
    pub range: Option<String>,
}

type Decide = dyn FnMut(&ProxiedRequest) -> Option<Fault> + Send;

struct Shared {
    server: String,
    decide: Mutex<Box<Decide>>,
    requests: Mutex<Vec<ProxiedRequest>>,
    is_over: AtomicBool,
}

/// A proxy that works as long as this value lives.
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

impl FaultProxy {
    /// A proxy before the server at this address. `decide` is asked for each request.
    pub fn before(
        server: &str,
        decide: impl FnMut(&ProxiedRequest) -> Option<Fault> + Send + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            server: server.to_owned(),
            decide: Mutex::new(Box::new(decide)),
            requests: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let listener = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if own.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let own = Arc::clone(&own);
                // A client may leave at any time; that is its own business.
                std::thread::spawn(move || drop(own.serve(stream)));
            }
        });
        Ok(Self { address, shared, listener: Some(listener) })
    }

    /// Its host and port.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// All requests so far, in order.
    pub fn requests(&self) -> Vec<ProxiedRequest> {
        lock(&self.shared.requests).clone()
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        lock(&self.shared.requests).clear();
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        // This wakes the listener.
        drop(TcpStream::connect(self.address));
        self.listener.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}

fn lock<T: ?Sized>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Serves the requests of one connection.
    fn serve(&self, mut client: TcpStream) -> Result<()> {
        let mut buffer = Vec::new();
        while let Some((head, body)) = message(&mut client, &mut buffer)? {
            let mut words = head.split(' ');
            let mut word = || words.next().unwrap_or_default().to_owned();
            let (method, target) = (word(), word());
            let request = ProxiedRequest { method, target, range: header(&head, "range") };
            let fault = (lock(&self.decide))(&request);
            let is_head = request.method == "HEAD";
            lock(&self.requests).push(request);
            match fault {
                Some(Fault::HangUp) => break,
                Some(Fault::Status(code)) => {
                    let answer = format!("HTTP/1.1 {code} Fault\r\ncontent-length: 0\r\n\r\n");
                    client.write_all(answer.as_bytes())?;
                    continue;
                }
                _ => {}
            }
            let (head, body) = self.ask(&head, &body)?;
            let go_on = harm(&mut client, (head, body), fault, is_head)?;
            if !go_on || self.is_over.load(Ordering::Relaxed) {
                break;
            }
        }
        client.shutdown(Shutdown::Both)?;
        Ok(())
    }

    /// Passes a request on, and gives head and body of the answer.
    fn ask(&self, head: &str, body: &[u8]) -> Result<(String, Vec<u8>)> {
        let mut server = TcpStream::connect(&self.server)?;
        let lines = head.lines().filter(|line| !is_header(line, "connection"));
        let mut request = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\r\n");
        request.push_str("\r\nconnection: close\r\n\r\n");
        server.write_all(request.as_bytes())?;
        server.write_all(body)?;
        let mut answer = Vec::new();
        server.read_to_end(&mut answer)?;
        let end = head_end(&answer).context("the server gave no answer")?;
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        Ok((head, answer.split_off(end)))
    }
}

/// Gives the client what the fault leaves of an answer. `false` if the connection is to be closed.
fn harm(
    client: &mut TcpStream,
    (head, body): (String, Vec<u8>),
    fault: Option<Fault>,
    is_head: bool,
) -> Result<bool> {
    let half = &body[..body.len() / 2];
    let with_length = |head: &str, length: usize| {
        let lines = head.lines().map(|line| match is_header(line, "content-length") {
            true => format!("content-length: {length}"),
            false => line.to_owned(),
        });
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\r\n") + "\r\n\r\n"
    };
    // Without a length only the end of the connection ends the body.
    let has_length = is_head || header(&head, "content-length").is_some();
    let lines = head.lines().filter(|line| !is_header(line, "connection") && !line.is_empty());
    let head = lines.collect::<Vec<_>>().join("\r\n") + "\r\n\r\n";
    match fault {
        None | Some(Fault::Status(_) | Fault::HangUp) => {
            client.write_all(head.as_bytes())?;
            client.write_all(&body)?;
            return Ok(has_length);
        }
        Some(Fault::LoseAnswer) => {}
        Some(Fault::CutBody) => {
            client.write_all(head.as_bytes())?;
            client.write_all(half)?;
        }
        Some(Fault::StallBody(time)) => {
            client.write_all(head.as_bytes())?;
            client.write_all(half)?;
            std::thread::sleep(time);
        }
        Some(Fault::Late(time)) => {
            std::thread::sleep(time);
            client.write_all(head.as_bytes())?;
            client.write_all(&body)?;
            return Ok(has_length);
        }
        Some(Fault::ShortBody) => {
            client.write_all(with_length(&head, half.len()).as_bytes())?;
            client.write_all(half)?;
            return Ok(has_length);
        }
        Some(Fault::LongHead) => {
            client.write_all(with_length(&head, body.len() + 10).as_bytes())?;
            client.write_all(&body)?;
        }
    }
    Ok(false)
}

/// The next message of a connection, head and body; `None` at its end.
fn message(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<Option<(String, Vec<u8>)>> {
    let mut chunk = [0; 64 << 10];
    let end = loop {
        if let Some(end) = head_end(buffer) {
            break end;
        }
        match stream.read(&mut chunk)? {
            0 => return Ok(None),
            count => buffer.extend_from_slice(&chunk[..count]),
        }
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let length = header(&head, "content-length").and_then(|length| length.parse().ok());
    let length: usize = length.unwrap_or_default();
    while buffer.len() < end + length {
        let count = stream.read(&mut chunk)?;
        anyhow::ensure!(count > 0, "the client left in the middle of a request");
        buffer.extend_from_slice(&chunk[..count]);
    }
    let rest = buffer.split_off(end + length);
    let body = buffer.split_off(end);
    *buffer = rest;
    Ok(Some((head, body)))
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|at| at == b"\r\n\r\n").map(|at| at + 4)
}

fn is_header(line: &str, name: &str) -> bool {
    line.split_once(':').is_some_and(|(own, _)| own.eq_ignore_ascii_case(name))
}

fn header(head: &str, name: &str) -> Option<String> {
    let line = head.lines().find(|line| is_header(line, name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
