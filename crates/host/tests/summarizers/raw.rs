//! Answers that no model would give: redirects, endless lines, bodies that are not streamed.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use pitree_host::summarizer::Api;
use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryRequest};

use crate::summarizers::{KEY, SOON, ask, cancelled, failure, impatient, request, target};

/// Answers every connection with these bytes and passes on what it was sent.
fn server(answer: impl Into<Vec<u8>>) -> (String, Receiver<String>) {
    let answer = answer.into();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut request = vec![0; 1 << 16];
            let count = stream.read(&mut request).unwrap_or_default();
            let text = String::from_utf8_lossy(&request[..count]).into_owned();
            if sender.send(text).is_err() {
                break;
            }
            // A client that has seen enough may leave.
            let _ = stream.write_all(&answer);
            let _ = stream.shutdown(Shutdown::Write);
            // Closing with something unread would take back what was sent.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
    });
    (url, receiver)
}

fn with_body(kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}")
}

#[test]
fn a_redirect_is_not_followed_and_the_key_stays() {
    let (elsewhere, visits) = server(with_body("application/json", "{}"));
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let answer =
            format!("HTTP/1.1 {status}\r\nlocation: {elsewhere}/v1\r\ncontent-length: 0\r\n\r\n");
        let (url, _requests) = server(answer);
        for api in [Api::OpenAi, Api::Anthropic] {
            let message = failure(&impatient(target(api, url.as_str())));
            assert!(message.contains("redirects elsewhere"), "{message}");
        }
    }
    assert!(visits.recv_timeout(Duration::from_millis(100)).is_err());
}

#[test]
fn a_line_without_end_is_given_up() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ";
    let (url, _requests) = server(head.to_owned() + &"x".repeat(8 << 20));
    let message = failure(&impatient(target(Api::OpenAi, url)));
    assert!(message.contains("far too long"), "{message}");
}

#[test]
fn events_without_end_are_given_up() {
    let event = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n",
        "y".repeat(100_000)
    );
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let (url, _requests) = server(head.to_owned() + &event.repeat(50));
    let message = failure(&impatient(target(Api::OpenAi, url)));
    assert!(message.contains("longer than 4 MiB"), "{message}");
}

#[test]
fn an_answer_that_is_not_streamed_counts_too() {
    let openai = r#"{"choices":[{"message":{"role":"assistant","content":"whole"},
        "finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#;
    let (url, _requests) = server(with_body("application/json", openai));
    let reply = ask(&impatient(target(Api::OpenAi, url))).unwrap();
    assert_eq!(reply.text, "whole");
    assert_eq!(reply.usage.unwrap().get_number("input"), Some(7.0));
    let anthropic = r#"{"type":"message","content":[{"type":"text","text":"whole"}],
        "stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":2}}"#;
    let (url, _requests) = server(with_body("application/json; charset=utf-8", anthropic));
    let reply = ask(&impatient(target(Api::Anthropic, url))).unwrap();
    assert_eq!(reply.text, "whole");
    assert_eq!(reply.usage.unwrap().get_number("output"), Some(2.0));
}

#[test]
fn what_is_no_reply_is_told_at_once() {
    for (kind, body, shown) in [
        ("text/html", "<!doctype html>\n<title>\u{1b}[2JLog in</title>\n", "<!doctype html>"),
        ("text/event-stream", "<html>", "<html>"),
        ("text/plain", "[1,2,3]", "[1,2,3]"),
        ("application/json", "[1,2,3]", "[1,2,3]"),
        ("application/json", "{\"ok\":true}", "{\"ok\":true}"),
        ("application/json", "no \u{1b}[2J JSON", "no"),
    ] {
        for api in [Api::OpenAi, Api::Anthropic] {
            let (url, requests) = server(with_body(kind, body));
            let message = failure(&impatient(target(api, url)));
            assert!(message.contains(kind) && message.contains(shown), "{message}");
            assert!(!message.contains('\u{1b}'), "{message:?}");
            assert_eq!(requests.try_iter().count(), 1, "{kind} {body}: asked once");
        }
    }
}

#[test]
fn errors_in_the_stream_count() {
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let (url, requests) = server(with_body("text/event-stream", overloaded));
    assert!(failure(&impatient(target(Api::Anthropic, url))).contains("Overloaded"));
    assert_eq!(requests.try_iter().count(), 4, "an overload may pass");
    let wrong = "data: {\"error\":{\"message\":\"bad model\",\"code\":400}}\n\n";
    let (url, requests) = server(with_body("text/event-stream", wrong));
    assert!(failure(&impatient(target(Api::OpenAi, url))).contains("bad model"));
    assert_eq!(requests.try_iter().count(), 1);
}

#[test]
fn other_reasons_to_stop_are_told() {
    let filtered = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n";
    let (url, _requests) = server(with_body("text/event-stream", filtered));
    let message = failure(&impatient(target(Api::OpenAi, url)));
    assert!(message.contains("content_filter"), "{message}");
    let refused = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
    let (url, _requests) = server(with_body("text/event-stream", refused));
    let message = failure(&impatient(target(Api::Anthropic, url)));
    assert!(message.contains("it refused"), "{message}");
    let nothing = "data: {\"choices\":[]}\n\ndata: [DONE]\n\n";
    let (url, _requests) = server(with_body("text/event-stream", nothing));
    assert_eq!(ask(&impatient(target(Api::OpenAi, url))), Err(SummaryError::Empty));
}

#[test]
fn a_server_without_tls_is_not_trusted() {
    let (url, requests) = server(with_body("application/json", "{}"));
    let secure = url.replace("http://", "https://");
    let message = failure(&impatient(target(Api::OpenAi, secure.as_str())));
    assert!(message.contains("SSL_CERT_FILE"), "{message}");
    assert!(!requests.try_iter().any(|request| request.contains(KEY)));
    let mut target = target(Api::OpenAi, secure);
    target.authorities = Some("/dev/null".into());
    let message = failure(&impatient(target));
    assert!(message.contains("/dev/null holds no certificates"), "{message}");
}

#[test]
fn cancel_is_noticed_while_the_server_neither_reads_nor_writes() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let summarizer = impatient(target(Api::OpenAi, url));
    let (result, time) = cancelled(&summarizer);
    assert_eq!(result, Err(SummaryError::Cancelled));
    assert!(time < SOON, "{time:?}");
    // Far more than the system buffers, so that sending does not end.
    let request = SummaryRequest { prompt: "x".repeat(64 << 20), ..request() };
    let cancel = Cancel::new();
    let flag = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        flag.cancel();
    });
    assert_eq!(summarizer.summarize(&request, &cancel), Err(SummaryError::Cancelled));
}
