//! Attacks on the server: by other pages in the same browser, by names that lead here, by other
//! programs of this machine. None of them learns anything, and none keeps the page from its owner.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use pitree_web::WebOptions;

use crate::common::{BRANCHED, Served, stamps};

pub(crate) const ID: &str = "0198aaaa-0000-7000-8000-000000000001";

pub(crate) fn served() -> Served {
    Served::new(&[("a.jsonl", BRANCHED.as_bytes())])
}

pub(crate) fn editable() -> Served {
    Served::with(&[("a.jsonl", BRANCHED.as_bytes())], &WebOptions::new().allow_edit(true))
}

/// The headers that a browser sends which was let in.
pub(crate) fn own(served: &Served) -> String {
    let address = served.address;
    format!("Host: {address}\r\nCookie: pitree_{}={}\r\n", address.port(), served.token)
}

/// Sends bytes as they are, and returns whatever comes until the end.
fn raw(served: &Served, bytes: &[u8]) -> String {
    let mut stream = served.connect();
    // It may be refused before all of it was sent.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

pub(crate) fn statuses(answer: &str) -> Vec<u16> {
    let mut statuses = Vec::new();
    for (at, _) in answer.match_indices("HTTP/1.") {
        statuses.extend(answer.get(at + 9..at + 12).and_then(|code| code.parse::<u16>().ok()));
    }
    statuses
}

/// The answer to a request of these lines.
fn ask(served: &Served, lines: &str) -> u16 {
    let answer = raw(served, format!("{lines}Connection: close\r\n\r\n").as_bytes());
    assert!(!answer.contains("sqlite") && !answer.contains("forecast"), "{lines}: {answer}");
    statuses(&answer).first().copied().unwrap_or(0)
}

/// Whether it tells nothing: refused by the gate, or not even taken for a request.
fn is_refused(status: u16) -> bool {
    matches!(status, 400 | 401 | 403 | 405 | 414 | 431)
}

pub(crate) fn is_alive(served: &Served) {
    let begun = Instant::now();
    assert_eq!(served.get("/api/sessions").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn names_that_lead_here_are_not_ours() {
    let served = served();
    let port = served.address.port();
    let cookie = format!("Cookie: pitree_{port}={}\r\n", served.token);
    let names = [
        "evil.example",
        "127.0.0.1.nip.io",
        "localhost.evil.example",
        "localhost.",
        "a.localhost",
        "localhost.localdomain",
        "0.0.0.0",
        "0",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "192.168.0.1",
        "user@127.0.0.1",
        "127.0.0.1#",
        "127.0.0.1/",
        "127.0.0.1%00",
        "127.0.0.1\t",
        "evil.example, 127.0.0.1",
        "127.0.0.1,evil.example",
        "１２７.0.0.1",
        "ⓛocalhost",
        "",
    ];
    for name in names {
        for host in [format!("{name}:{port}"), name.to_owned(), format!("{name}:80")] {
            let status =
                ask(&served, &format!("GET /api/sessions HTTP/1.1\r\nHost: {host}\r\n{cookie}"));
            assert!(is_refused(status), "{host}: {status}");
            let token = served.token.as_str();
            let status = ask(&served, &format!("GET /?token={token} HTTP/1.1\r\nHost: {host}\r\n"));
            assert!(is_refused(status), "{host} with the token: {status}");
        }
    }
    for head in ["GET /api/sessions HTTP/1.1\r\n", "GET /api/sessions HTTP/1.0\r\n"] {
        assert!(is_refused(ask(&served, &format!("{head}{cookie}"))), "without a Host");
    }
    is_alive(&served);
}

/// Only proxies are asked like this, and the name in the address counts more than the header.
#[test]
fn an_absolute_address_is_that_of_this_server() {
    let served = served();
    let (address, own) = (served.address, own(&served));
    for target in [
        "http://evil.example/api/sessions".to_owned(),
        format!("http://evil.example:{}/api/sessions", address.port()),
        format!("http://{address}@evil.example/api/sessions"),
        format!("http://evil.example@{address}/api/sessions"),
        format!("https://{address}/api/sessions"),
        "http://127.0.0.1/api/sessions".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let status = ask(&served, &format!("GET {target} HTTP/1.1\r\n{own}"));
        assert!(is_refused(status), "{target}: {status}");
    }
    let status = ask(&served, &format!("GET http://{address}/assets/app.css HTTP/1.1\r\n{own}"));
    assert_eq!(status, 200);
    for line in ["CONNECT evil.example:443", "CONNECT 127.0.0.1:1", "OPTIONS *", "PRI * HTTP/2.0"] {
        assert!(is_refused(ask(&served, &format!("{line} HTTP/1.1\r\n{own}"))), "{line}");
    }
}

/// A page on another port of this machine is of the same site: its cookies come along.
#[test]
fn other_pages_of_this_machine_are_not_answered() {
    let served = editable();
    let own = own(&served);
    let (port, key) = (served.address.port(), served.key(ID));
    let before = stamps(served.folder.path());
    for origin in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        "http://127.0.0.1".to_owned(),
        "http://127.0.0.1:1".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://evil.example:{port}"),
        format!("http://127.0.0.1:{port}/"),
        format!("HTTP://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        String::new(),
        "file://".to_owned(),
        format!("http://127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}"),
    ] {
        for (method, target) in
            [("GET", "/api/sessions"), ("POST", &*format!("/api/sessions/{key}/name"))]
        {
            let head =
                format!("{method} {target} HTTP/1.1\r\n{own}X-Pitree: 1\r\nOrigin: {origin}\r\n");
            assert_eq!(ask(&served, &head), 403, "{method} from {origin}");
        }
    }
    for site in ["cross-site", "same-site"] {
        let head = format!("GET /api/sessions HTTP/1.1\r\n{own}Sec-Fetch-Site: {site}\r\n");
        assert_eq!(ask(&served, &head), 403, "{site}");
        let head =
            format!("GET /?token={} HTTP/1.1\r\n{own}Sec-Fetch-Site: {site}\r\n", served.token);
        assert_eq!(ask(&served, &head), 303, "a link in another page, such as a terminal's");
    }
    for site in ["same-origin", "none"] {
        let head = format!("GET /api/sessions HTTP/1.1\r\n{own}Sec-Fetch-Site: {site}\r\n");
        assert_eq!(
            statuses(&raw(&served, format!("{head}Connection: close\r\n\r\n").as_bytes())),
            [200]
        );
    }
    // What a form can send.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let body = r#"{"name":"stolen"}"#;
        let length = body.len();
        let head =
            format!("POST /api/sessions/{key}/name HTTP/1.1\r\n{own}Content-Type: {kind}\r\n");
        let answer =
            raw(&served, format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes());
        assert_eq!(statuses(&answer), [403], "{kind}");
    }
    // What a browser asks before it would send the header.
    let head = format!("OPTIONS /api/sessions/{key}/name HTTP/1.1\r\nHost: {}\r\n", served.address);
    let head =
        format!("{head}Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n");
    let answer =
        raw(&served, format!("{head}Access-Control-Request-Headers: x-pitree\r\n\r\n").as_bytes());
    assert!(!answer.to_lowercase().contains("access-control-allow"), "{answer}");
    assert!(stamps(served.folder.path()) == before, "something was written");
}

#[test]
fn only_the_cookie_of_this_start_opens() {
    let served = served();
    let (host, port) = (format!("Host: {}\r\n", served.address), served.address.port());
    let ask = |cookies: &str| {
        let answer = raw(
            &served,
            format!("GET /api/sessions HTTP/1.1\r\n{host}{cookies}Connection: close\r\n\r\n")
                .as_bytes(),
        );
        statuses(&answer)[0]
    };
    let token = served.token.as_str();
    let other = port ^ 1;
    let jar = format!("Cookie: theme=dark; pitree_{other}=00ff; pitree_{port}={token}; x=y\r\n");
    assert_eq!(ask(&jar), 200, "beside the cookies of others");
    assert_eq!(ask(&format!("Cookie: a=b\r\nCookie: pitree_{port}={token}\r\n")), 200);
    for cookies in [
        String::new(),
        format!("Cookie: pitree_{other}={token}\r\n"),
        format!("Cookie: pitree_{other}=pitree_{port}={token}\r\n"),
        format!("Cookie: pitree={token}\r\n"),
        format!("Cookie: pitree_{port}\r\n"),
        format!("Cookie: pitree_{port}=\r\n"),
        format!("Cookie: PITREE_{port}={token}\r\n"),
        format!(
            "Cookie: pitree_{port}={}\r\n",
            token.to_uppercase().replace(|c: char| c.is_ascii_digit(), "F")
        ),
        format!("Cookie: pitree_{port}={token}0\r\n"),
        format!("Cookie: pitree_{port}=\"{token}\"\r\n"),
        format!("Cookie: pitree_{port}={}\r\n", &token[1..]),
        format!("Authorization: Bearer {token}\r\n"),
        format!("X-Token: {token}\r\nX-Forwarded-For: 127.0.0.1\r\n"),
    ] {
        assert_eq!(ask(&cookies), 401, "{cookies}");
    }
    let ask = |target: &str| super_ask(&served, target);
    for target in [
        format!("/api/sessions?token={token}"),
        format!("/assets/app.js?token={token}"),
        format!("/?x=1;token={token}"),
        format!("/?TOKEN={token}"),
        format!("/?token={token}%00"),
        format!("/?token=wrong&token={token}"),
        format!("/?token[]={token}"),
        format!("//?token={token}"),
    ] {
        assert!(is_refused(ask(&target)), "{target}");
    }
}

fn super_ask(served: &Served, target: &str) -> u16 {
    ask(served, &format!("GET {target} HTTP/1.1\r\nHost: {}\r\n", served.address))
}

#[test]
fn nothing_but_reading_without_a_yes() {
    let served = served();
    let (own, key) = (own(&served), served.key(ID));
    let before = stamps(served.folder.path());
    for method in [
        "POST",
        "PUT",
        "DELETE",
        "PATCH",
        "OPTIONS",
        "TRACE",
        "PROPFIND",
        "MKCOL",
        "COPY",
        "LOCK",
        "get",
        "G\u{0}T",
        "X".repeat(2000).as_str(),
    ] {
        for part in ["", "/name", "/label", "/goto", "/delete", "/rows"] {
            let status = ask(
                &served,
                &format!("{method} /api/sessions/{key}{part} HTTP/1.1\r\n{own}X-Pitree: 1\r\n"),
            );
            assert!(is_refused(status), "{method} {part}: {status}");
        }
    }
    for header in ["X-HTTP-Method-Override: POST", "X-Method-Override: DELETE"] {
        let head = format!("GET /api/sessions/{key}/name HTTP/1.1\r\n{own}{header}\r\n");
        assert_eq!(ask(&served, &head), 404);
    }
    assert!(stamps(served.folder.path()) == before);
}

#[test]
fn no_address_leads_to_a_file() {
    let served = served();
    let own = own(&served);
    let up = [
        "..",
        "%2e%2e",
        "%2E.",
        ".%2e",
        "%252e%252e",
        "..%00",
        "%c0%ae%c0%ae",
        "..;",
        "..\\",
        "%5c..",
        "．．",
    ];
    let bases =
        ["/", "/assets/", "/assets", "/api/", "/api/sessions/", "/api/sessions/0000000000000000/"];
    for base in bases {
        for up in up {
            for slash in ["/", "%2f", "%252f", "\\", "%5c", "//", "/./"] {
                let target = format!("{base}{up}{slash}{up}{slash}{up}{slash}etc{slash}passwd");
                let answer = raw(
                    &served,
                    format!("GET {target} HTTP/1.1\r\n{own}Connection: close\r\n\r\n").as_bytes(),
                );
                assert!(!answer.contains("root:"), "{target}: {answer}");
                assert!(
                    statuses(&answer).iter().all(|status| matches!(status, 400 | 404)),
                    "{target}: {answer}"
                );
            }
        }
    }
    for target in [
        "/a.jsonl",
        "/assets/a.jsonl",
        "/api/sessions/a.jsonl/rows",
        "/.git/config",
        "/assets/",
        "/%00",
    ] {
        let answer = raw(
            &served,
            format!("GET {target} HTTP/1.1\r\n{own}Connection: close\r\n\r\n").as_bytes(),
        );
        assert!(
            statuses(&answer).iter().all(|status| matches!(status, 400 | 404)),
            "{target}: {answer}"
        );
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let served = editable();
    let (own, key) = (own(&served), served.key(ID));
    let many: String = (0..500).map(|number| format!("X-{number}: y\r\n")).collect();
    for (what, head) in [
        ("address", format!("GET /{} HTTP/1.1\r\n{own}", "a".repeat(70_000))),
        ("query", format!("GET /api/sessions?q={} HTTP/1.1\r\n{own}", "%41".repeat(30_000))),
        ("header", format!("GET / HTTP/1.1\r\n{own}X: {}\r\n", "a".repeat(1 << 20))),
        ("name", format!("GET / HTTP/1.1\r\n{own}{}: x\r\n", "a".repeat(70_000))),
        ("cookie", format!("GET / HTTP/1.1\r\n{own}Cookie: {}\r\n", "a=b; ".repeat(20_000))),
        ("number of headers", format!("GET / HTTP/1.1\r\n{own}{many}")),
    ] {
        let status = ask(&served, &head);
        assert!(matches!(status, 400 | 414 | 431), "{what}: {status}");
    }
    let post = format!("POST /api/sessions/{key}/name HTTP/1.1\r\n{own}X-Pitree: 1\r\n");
    let body = "x".repeat(100_000);
    let answer = raw(&served, format!("{post}Content-Length: 100000\r\n\r\n{body}").as_bytes());
    assert_eq!(statuses(&answer), [413]);
    let chunks = format!("4000\r\n{}\r\n", "x".repeat(0x4000)).repeat(8);
    let answer = raw(
        &served,
        format!("{post}Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n").as_bytes(),
    );
    assert_eq!(statuses(&answer), [413]);
    for body in ["", "[]", "{", "null", "\u{0}", "{\"at\":1e308}", "{\"at\":-1,\"label\":\"x\"}"] {
        let reply = served.post(&format!("/api/sessions/{key}/label"), body);
        assert!(matches!(reply.status, 400 | 404), "{body}: {}", reply.status);
    }
    let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
    assert_eq!(served.post(&format!("/api/sessions/{key}/name"), &deep).status, 400);
    is_alive(&served);
}

/// Where two programs could read two different requests, there is none.
#[test]
fn odd_heads_are_no_requests() {
    let served = served();
    let own = own(&served);
    let hidden = format!("GET /api/sessions HTTP/1.1\r\n{own}\r\n");
    let length = hidden.len();
    for head in [
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "X : y\r\n",
        "X\r\n y\r\n",
        ": y\r\n",
        "X: \u{0}\r\n",
        "X: a\rb\r\n",
    ] {
        let answer = raw(
            &served,
            format!("GET / HTTP/1.1\r\n{own}{head}Connection: close\r\n\r\n").as_bytes(),
        );
        // Whatever it makes of the head, the body is not taken for a second request.
        assert!(statuses(&answer).len() <= 1, "{head}: {answer}");
    }
    let both = format!(
        "GET / HTTP/1.1\r\n{own}Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
    );
    assert!(!raw(&served, both.as_bytes()).contains("\"rows\""), "a request inside of another one");
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /\r\n",
        b"\0\0\0\0\0\0\0\0",
        b"\r\n\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET  / HTTP/1.1\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"SSH-2.0-x\r\n",
        b"*1\r\n$4\r\nPING\r\n",
    ] {
        let answer = raw(&served, garbage);
        assert!(
            statuses(&answer).iter().all(|status| is_refused(*status)),
            "{garbage:?}: {answer}"
        );
    }
    is_alive(&served);
}

#[test]
fn each_request_in_a_row_is_checked() {
    let served = served();
    let own = own(&served);
    let good = format!("GET /assets/icon.svg HTTP/1.1\r\n{own}\r\n");
    let last = format!("GET /assets/icon.svg HTTP/1.1\r\n{own}Connection: close\r\n\r\n");
    let bad = "GET /api/sessions HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let unknown = format!("GET /api/sessions HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
    let answer = raw(&served, format!("{good}{bad}{unknown}{last}").as_bytes());
    assert_eq!(statuses(&answer), [200, 403, 401, 200]);
    let answer = raw(&served, (good.repeat(199) + &last).as_bytes());
    assert_eq!(statuses(&answer), vec![200; 200]);
}
