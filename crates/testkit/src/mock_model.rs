//! A model on loopback that says what it was told to say.
//!
//! It speaks the chat completions of OpenAI and the messages of Anthropic, told apart by the path
//! of the request, streamed if the request wants it so. Replies come from a script, one a request,
//! in the order of arrival, or from a function; every request is recorded. It also knows how to
//! fail: refuse, stall, break off, run into the length limit, call a tool.

mod answer;
mod wire;

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use wire::Protocol;

pub use answer::{MockAnswer, MockCall};

/// How often a stalled reply looks whether it is still wanted.
const PAUSE: Duration = Duration::from_millis(10);

/// What the model does with one request.
#[derive(Clone, Debug, PartialEq)]
pub enum MockReply {
    /// Answers with this text.
    Text(String),
    /// Answers with this text and says that it cost so many tokens.
    Metered {
        /// The text.
        text: String,
        /// Tokens of the request.
        input: u64,
        /// Tokens of the answer.
        output: u64,
    },
    /// Answers with this text and stops at the length limit.
    CutOff(String),
    /// Answers with all that a chat-completions model can say.
    Answer(Box<MockAnswer>),
    /// Calls a tool instead of answering.
    ToolCall {
        /// The name of the tool.
        name: String,
        /// Its arguments as JSON.
        arguments: String,
    },
    /// Refuses with an HTTP status and a body.
    Status {
        /// The status, such as 429.
        code: u16,
        /// The body.
        body: String,
        /// The header `retry-after`, in seconds.
        retry_after: Option<u64>,
    },
    /// Begins to answer with this text and then says nothing more until the client leaves.
    Stall(String),
    /// Begins to answer with this text and closes the connection in the middle of an event.
    HalfEvent(String),
    /// Sends an event that is no JSON.
    InvalidJson,
    /// Closes the connection without a word.
    HangUp,
}

impl MockReply {
    /// Answers with this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Refuses with an HTTP status.
    pub fn status(code: u16) -> Self {
        let body = format!("{{\"error\":{{\"message\":\"refused with {code}\"}}}}");
        Self::Status { code, body, retry_after: None }
    }
}

/// A request as it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MockRequest {
    /// The method, such as `POST`.
    pub method: String,
    /// The path, such as `/v1/chat/completions`.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl MockRequest {
    /// The first header of this name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `null` if it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// The text of the last message, blocks joined.
    pub fn last_text(&self) -> String {
        let body = self.json();
        let last = body["messages"].as_array().and_then(|messages| messages.last().cloned());
        let content = last.map(|message| message["content"].clone()).unwrap_or_default();
        match content {
            serde_json::Value::String(text) => text,
            serde_json::Value::Array(blocks) => {
                blocks.iter().filter_map(|block| block["text"].as_str()).collect()
            }
            _ => String::new(),
        }
    }
}

/// A running model. Ends with the value.
#[derive(Debug)]
pub struct MockModel {
    address: SocketAddr,
    state: Arc<State>,
    listener: Option<JoinHandle<()>>,
}

type Responder = Box<dyn FnMut(&MockRequest) -> MockReply + Send>;

#[derive(Default)]
struct State {
    script: Mutex<VecDeque<MockReply>>,
    /// Asked instead of the script.
    responder: Option<Mutex<Responder>>,
    requests: Mutex<Vec<MockRequest>>,
    is_over: AtomicBool,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("script", &self.script).finish_non_exhaustive()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MockModel {
    /// Starts a model on a free port of loopback. A request beyond the script gets status 500.
    pub fn start(script: impl IntoIterator<Item = MockReply>) -> io::Result<Self> {
        let script = Mutex::new(script.into_iter().collect());
        Self::start_with(State { script, ..State::default() })
    }

    /// Starts a model that asks a function what to answer, one request at a time.
    pub fn answering(
        responder: impl FnMut(&MockRequest) -> MockReply + Send + 'static,
    ) -> io::Result<Self> {
        let responder: Responder = Box::new(responder);
        Self::start_with(State { responder: Some(Mutex::new(responder)), ..State::default() })
    }

    fn start_with(state: State) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(state);
        let shared = Arc::clone(&state);
        let listener = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&shared);
                // A client that leaves early is its own affair.
                std::thread::spawn(move || serve(stream, &shared).ok());
            }
        });
        Ok(Self { address, state, listener: Some(listener) })
    }

    /// The address with the path under which OpenAI-compatible endpoints lie.
    pub fn openai_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The address that Anthropic's clients add `/v1/messages` to.
    pub fn anthropic_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds a reply to the script.
    pub fn then(&self, reply: MockReply) {
        locked(&self.state.script).push_back(reply);
    }

    /// The requests so far, in the order of arrival.
    pub fn requests(&self) -> Vec<MockRequest> {
        locked(&self.state.requests).clone()
    }

    /// How many replies have not been asked for.
    pub fn replies_left(&self) -> usize {
        locked(&self.state.script).len()
    }
}

impl Drop for MockModel {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // Wakes the listener, which looks at the flag.
        drop(TcpStream::connect(self.address));
        if let Some(listener) = self.listener.take() {
            drop(listener.join());
        }
    }
}

/// Answers one request and closes the connection.
fn serve(mut stream: TcpStream, state: &State) -> io::Result<()> {
    let Some(request) = wire::read_request(&mut stream)? else { return Ok(()) };
    let protocol = Protocol::of(&request.path);
    let is_streamed = request.json()["stream"].as_bool().unwrap_or(false);
    let reply = {
        // Both under one lock, so that the order of the requests is that of the replies.
        let mut script = locked(&state.script);
        let answer = state.responder.as_ref().map(|responder| locked(responder)(&request));
        locked(&state.requests).push(request);
        answer.or_else(|| script.pop_front())
    };
    let reply = reply.unwrap_or_else(|| MockReply::Status {
        code: 500,
        body: "{\"error\":{\"message\":\"the script has no reply for this request\"}}".to_owned(),
        retry_after: None,
    });
    match reply {
        MockReply::HangUp => Ok(()),
        MockReply::Status { code, body, retry_after } => {
            let retry = retry_after.map(|seconds| format!("retry-after: {seconds}\r\n"));
            wire::write_head(&mut stream, code, "application/json", &retry.unwrap_or_default())?;
            stream.write_all(body.as_bytes())
        }
        reply if is_streamed => stream_reply(&mut stream, protocol, &reply, state),
        reply => {
            wire::write_head(&mut stream, 200, "application/json", "")?;
            let body = protocol.whole(&reply);
            match &reply {
                MockReply::HalfEvent(_) => stream.write_all(&body.as_bytes()[..body.len() / 2]),
                MockReply::Stall(_) => wait_for_the_end(&mut stream, state),
                _ => stream.write_all(body.as_bytes()),
            }
        }
    }
}

fn stream_reply(
    stream: &mut TcpStream,
    protocol: Protocol,
    reply: &MockReply,
    state: &State,
) -> io::Result<()> {
    wire::write_head(stream, 200, "text/event-stream", "")?;
    for event in protocol.events(reply) {
        stream.write_all(event.as_bytes())?;
        stream.flush()?;
    }
    match reply {
        MockReply::Stall(_) => wait_for_the_end(stream, state),
        MockReply::Answer(answer) if answer.stalls => wait_for_the_end(stream, state),
        _ => Ok(()),
    }
}

/// Says nothing until the client leaves or the model ends.
fn wait_for_the_end(stream: &mut TcpStream, state: &State) -> io::Result<()> {
    stream.flush()?;
    stream.set_read_timeout(Some(PAUSE))?;
    let mut byte = [0];
    while !state.is_over.load(Ordering::SeqCst) {
        match stream.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error)
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request by hand and returns everything that comes back.
    fn post(model: &MockModel, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(model.address).unwrap();
        let length = body.len();
        write!(stream, "POST {path} HTTP/1.1\r\nX-Test: yes\r\nContent-Length: {length}\r\n\r\n")
            .unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn replies_follow_the_script_and_requests_are_recorded() {
        let model = MockModel::start([
            MockReply::text("one two three"),
            MockReply::CutOff("so far".to_owned()),
            MockReply::HalfEvent("broken".to_owned()),
            MockReply::Status { code: 429, body: "slow down".to_owned(), retry_after: Some(2) },
        ])
        .unwrap();
        let asked = r#"{"stream":true,"messages":[{"role":"user","content":"hello"}]}"#;
        let whole = post(&model, "/v1/chat/completions", asked);
        assert!(whole.contains("data: [DONE]") && whole.contains("\"finish_reason\":\"stop\""));
        let cut_off = post(&model, "/v1/messages", asked);
        assert!(cut_off.contains("\"stop_reason\":\"max_tokens\""), "{cut_off}");
        let half = post(&model, "/v1/chat/completions", asked);
        assert!(!half.contains("[DONE]") && !half.ends_with('\n'), "{half}");
        let refused = post(&model, "/v1/messages", asked);
        assert!(refused.starts_with("HTTP/1.1 429") && refused.contains("retry-after: 2"));
        assert!(post(&model, "/v1/messages", asked).starts_with("HTTP/1.1 500"));
        let requests = model.requests();
        assert_eq!(requests.len(), 5);
        assert_eq!(requests[0].last_text(), "hello");
        assert_eq!(requests[0].header("x-test"), Some("yes"));
        assert_eq!(model.replies_left(), 0);
    }

    #[test]
    fn a_stalled_reply_ends_with_the_model() {
        let model = MockModel::start([MockReply::Stall("half a".to_owned())]).unwrap();
        let mut stream = TcpStream::connect(model.address).unwrap();
        let body = r#"{"stream":true}"#;
        write!(stream, "POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 15\r\n\r\n{body}")
            .unwrap();
        let mut begun = [0; 12];
        stream.read_exact(&mut begun).unwrap();
        assert_eq!(&begun, b"HTTP/1.1 200");
        drop(model);
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        assert!(!String::from_utf8_lossy(&rest).contains("[DONE]"));
    }
}
