//! HTTP as far as it is needed here, and the two ways in which models answer.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{MockReply, MockRequest};

/// What the tokens of an answer are said to be, where the script does not say.
const USUAL_TOKENS: (u64, u64) = (120, 30);

/// Reads a request; `None` if the client left without one.
pub(super) fn read_request(stream: &mut TcpStream) -> io::Result<Option<MockRequest>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = MockRequest { method, path, headers, body: String::new() };
    let body = if request.header("transfer-encoding").is_some_and(|value| value == "chunked") {
        read_chunks(&mut reader)?
    } else {
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body)?;
        body
    };
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(request))
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        body.extend_from_slice(&chunk[..size]);
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Writes the status and the headers. The end of the body is the end of the connection.
pub(super) fn write_head(
    stream: &mut TcpStream,
    code: u16,
    content_type: &str,
    more: &str,
) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {code} Mock\r\ncontent-type: {content_type}\r\nconnection: close\r\n{more}\r\n"
    )
}

/// How the client wants to be spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    OpenAi,
    Anthropic,
}

/// What a reply says, whatever the protocol.
struct Said<'a> {
    text: &'a str,
    tool: Option<(&'a str, &'a str)>,
    tokens: (u64, u64),
    is_cut_off: bool,
}

impl<'a> Said<'a> {
    fn of(reply: &'a MockReply) -> Self {
        let text = match reply {
            MockReply::Text(text)
            | MockReply::Metered { text, .. }
            | MockReply::CutOff(text)
            | MockReply::Stall(text)
            | MockReply::HalfEvent(text) => text,
            _ => "",
        };
        let tool = match reply {
            MockReply::ToolCall { name, arguments } => Some((name.as_str(), arguments.as_str())),
            _ => None,
        };
        let tokens = match reply {
            MockReply::Metered { input, output, .. } => (*input, *output),
            _ => USUAL_TOKENS,
        };
        Self { text, tool, tokens, is_cut_off: matches!(reply, MockReply::CutOff(_)) }
    }

    /// The text in a few pieces, as a model streams it.
    fn pieces(&self) -> impl Iterator<Item = String> + '_ {
        let chars: Vec<char> = self.text.chars().collect();
        let size = chars.len().div_ceil(3).max(1);
        let pieces: Vec<String> = chars.chunks(size).map(|piece| piece.iter().collect()).collect();
        pieces.into_iter()
    }
}

impl Protocol {
    pub(super) fn of(path: &str) -> Self {
        let path = path.split('?').next().unwrap_or_default();
        if path.ends_with("/messages") { Self::Anthropic } else { Self::OpenAi }
    }

    /// The reply in one piece.
    pub(super) fn whole(self, reply: &MockReply) -> String {
        if matches!(reply, MockReply::InvalidJson) {
            return "{\"choices\":[".to_owned();
        }
        let said = Said::of(reply);
        match self {
            Self::OpenAi => openai_whole(&said),
            Self::Anthropic => anthropic_whole(&said),
        }
        .to_string()
    }

    /// The reply as a stream of events; those that break off have no proper end.
    pub(super) fn events(self, reply: &MockReply) -> Vec<String> {
        if let MockReply::Answer(answer) = reply {
            return answer.events();
        }
        let said = Said::of(reply);
        let mut events = match self {
            Self::OpenAi => openai_events(&said),
            Self::Anthropic => anthropic_events(&said),
        };
        match reply {
            MockReply::Stall(_) => events.truncate(3),
            MockReply::HalfEvent(_) => {
                events.truncate(3);
                if let Some(last) = events.last_mut() {
                    last.truncate(last.trim_end().len() - 7);
                }
            }
            MockReply::InvalidJson => {
                events.insert(1, "data: {\"choices\":[}\n\n".to_owned());
            }
            _ => {}
        }
        events
    }
}

fn openai_finish(said: &Said<'_>) -> &'static str {
    match (said.is_cut_off, said.tool) {
        (true, _) => "length",
        (false, Some(_)) => "tool_calls",
        (false, None) => "stop",
    }
}

fn openai_usage((input, output): (u64, u64)) -> Value {
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}

fn openai_tool((name, arguments): (&str, &str)) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    json!([{"index": 0, "id": "call_1", "type": "function", "function": function}])
}

fn openai_whole(said: &Said<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": said.text});
    if let Some(tool) = said.tool {
        message["tool_calls"] = openai_tool(tool);
    }
    json!({
        "id": "mock", "object": "chat.completion", "created": 0, "model": "mock",
        "choices": [{"index": 0, "message": message, "finish_reason": openai_finish(said)}],
        "usage": openai_usage(said.tokens),
    })
}

fn openai_events(said: &Said<'_>) -> Vec<String> {
    let event = |delta: Value, finish: Option<&str>| {
        let choices = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        openai_event(&choices, &Value::Null)
    };
    let mut events = vec![event(json!({"role": "assistant", "content": ""}), None)];
    events.extend(said.pieces().map(|piece| event(json!({"content": piece}), None)));
    if let Some(tool) = said.tool {
        events.push(event(json!({"tool_calls": openai_tool(tool)}), None));
    }
    events.push(event(json!({}), Some(openai_finish(said))));
    events.push(openai_event(&json!([]), &openai_usage(said.tokens)));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn openai_event(choices: &Value, usage: &Value) -> String {
    let mut chunk = json!({
        "id": "mock", "object": "chat.completion.chunk", "created": 0, "model": "mock",
        "choices": choices,
    });
    if !usage.is_null() {
        chunk["usage"] = usage.clone();
    }
    format!("data: {chunk}\n\n")
}

fn anthropic_stop(said: &Said<'_>) -> &'static str {
    match (said.is_cut_off, said.tool) {
        (true, _) => "max_tokens",
        (false, Some(_)) => "tool_use",
        (false, None) => "end_turn",
    }
}

fn anthropic_block(said: &Said<'_>) -> Value {
    match said.tool {
        Some((name, arguments)) => {
            let input: Value = serde_json::from_str(arguments).unwrap_or_default();
            json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": input})
        }
        None => json!({"type": "text", "text": said.text}),
    }
}

fn anthropic_whole(said: &Said<'_>) -> Value {
    json!({
        "id": "msg_mock", "type": "message", "role": "assistant", "model": "mock",
        "content": [anthropic_block(said)],
        "stop_reason": anthropic_stop(said), "stop_sequence": null,
        "usage": {"input_tokens": said.tokens.0, "output_tokens": said.tokens.1},
    })
}

fn anthropic_events(said: &Said<'_>) -> Vec<String> {
    let event = |body: Value| {
        let name = body["type"].as_str().unwrap_or_default().to_owned();
        format!("event: {name}\ndata: {body}\n\n")
    };
    let message = json!({
        "id": "msg_mock", "type": "message", "role": "assistant", "model": "mock", "content": [],
        "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": said.tokens.0, "output_tokens": 1},
    });
    let mut events = vec![event(json!({"type": "message_start", "message": message}))];
    let (block, deltas): (Value, Vec<Value>) = match said.tool {
        Some((name, arguments)) => (
            json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}),
            vec![json!({"type": "input_json_delta", "partial_json": arguments})],
        ),
        None => (
            json!({"type": "text", "text": ""}),
            said.pieces().map(|piece| json!({"type": "text_delta", "text": piece})).collect(),
        ),
    };
    events.push(event(json!({"type": "content_block_start", "index": 0, "content_block": block})));
    for delta in deltas {
        events.push(event(json!({"type": "content_block_delta", "index": 0, "delta": delta})));
    }
    events.push(event(json!({"type": "content_block_stop", "index": 0})));
    events.push(event(json!({
        "type": "message_delta",
        "delta": {"stop_reason": anthropic_stop(said), "stop_sequence": null},
        "usage": {"output_tokens": said.tokens.1},
    })));
    events.push(event(json!({"type": "message_stop"})));
    events
}
