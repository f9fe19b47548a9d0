//! Who is answered: nobody but the page that was given the token.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use pitree_web::WebOptions;

use crate::common::{BRANCHED, Served};

fn served() -> Served {
    Served::new(&[("a.jsonl", BRANCHED.as_bytes())])
}

/// Sends a request with these headers beside the first line.
fn status(served: &Served, first: &str, headers: &[&str]) -> u16 {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    served.send(&format!("{first} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n")).status
}

#[test]
fn the_token_is_changed_for_a_cookie() {
    let served = served();
    let host = format!("Host: {}", served.address);
    let reply = served.send(&format!(
        "GET /?token={} HTTP/1.1\r\n{host}\r\nConnection: close\r\n\r\n",
        served.token
    ));
    assert_eq!(reply.status, 303);
    let cookie = reply.head.lines().find(|line| line.starts_with("set-cookie: ")).unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(reply.head.contains("location: /\r\n"), "{}", reply.head);
    assert_eq!(status(&served, "GET /", &[&host]), 401);
    let (first, rest) = served.token.split_at(1);
    let other = if first == "0" { "1" } else { "0" };
    for wrong in ["", "x", first, &format!("{other}{rest}")] {
        assert_eq!(status(&served, &format!("GET /?token={wrong}"), &[&host]), 401, "{wrong}");
        let cookie = format!("Cookie: pitree_{}={wrong}", served.address.port());
        assert_eq!(status(&served, "GET /api/sessions", &[&host, &cookie]), 401, "{wrong}");
    }
    // The token counts at the door only.
    assert_eq!(
        status(&served, &format!("GET /api/sessions?token={}", served.token), &[&host]),
        401
    );
}

#[test]
fn only_our_own_page_is_answered() {
    let served = served();
    let port = served.address.port();
    let cookie = format!("Cookie: pitree_{port}={}", served.token);
    let ask = |headers: &[&str]| {
        let all: Vec<&str> = headers.iter().copied().chain([cookie.as_str()]).collect();
        status(&served, "GET /api/sessions", &all)
    };
    let own = format!("Host: 127.0.0.1:{port}");
    assert_eq!(ask(&[&own]), 200);
    assert_eq!(ask(&[&format!("Host: localhost:{port}")]), 200);
    assert_eq!(ask(&[&own, &format!("Origin: http://127.0.0.1:{port}")]), 200);
    for host in [
        format!("Host: evil.example:{port}"),
        format!("Host: localhost.evil.example:{port}"),
        format!("Host: 127.0.0.1.evil.example:{port}"),
        "Host: 127.0.0.1".to_owned(),
        format!("Host: 127.0.0.1:{}", port ^ 1),
        format!("Host: 192.168.1.7:{port}"),
        "Host: ".to_owned(),
    ] {
        assert_eq!(ask(&[&host]), 403, "{host}");
    }
    assert_eq!(ask(&[&own, &own]), 403);
    for origin in ["null", "http://evil.example", "https://127.0.0.1", "http://localhost:1"] {
        assert_eq!(ask(&[&own, &format!("Origin: {origin}")]), 403, "{origin}");
    }
}

#[test]
fn every_answer_forbids_what_a_page_of_ours_never_does() {
    let served = served();
    for target in ["/", "/assets/app.js", "/api/sessions", "/nothing", "/api/sessions/x"] {
        let head = served.get(target).head;
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self';",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(head.contains(header), "{target}: {head}");
        }
        let policy = head.lines().find(|line| line.starts_with("content-security-policy")).unwrap();
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[test]
fn nothing_is_changed_unless_that_is_allowed() {
    let served = served();
    let key = served.key("0198aaaa-0000-7000-8000-000000000001");
    let before = crate::common::stamps(served.folder.path());
    for part in ["name", "label", "goto"] {
        let reply = served.post(&format!("/api/sessions/{key}/{part}"), r#"{"name":"x","at":0}"#);
        assert_eq!(reply.status, 405, "{part}");
        assert!(reply.text().contains("--allow-edit"), "{}", reply.text());
    }
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        let host = format!("Host: {}", served.address);
        let cookie = format!("Cookie: pitree_{}={}", served.address.port(), served.token);
        let first = format!("{method} /api/sessions/{key}");
        assert_eq!(status(&served, &first, &[&host, &cookie]), 405, "{method}");
    }
    assert!(crate::common::stamps(served.folder.path()) == before);
}

#[test]
fn a_client_names_no_path() {
    let served = served();
    for target in [
        "/../../etc/passwd",
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e/page.html",
        "/api/sessions/..%2f..%2fetc%2fpasswd",
        "/api/sessions/%2fetc%2fpasswd/rows",
        "/api/sessions/0000000000000000",
        "/api/sessions/a.jsonl",
        "//etc/passwd",
    ] {
        let reply = served.get(target);
        assert!(matches!(reply.status, 400 | 404), "{target}: {}", reply.status);
        assert!(!reply.text().contains("root:"), "{target}");
    }
}

#[test]
fn large_odd_and_slow_requests_hurt_nobody() {
    let served = served();
    assert_eq!(served.get(&format!("/api/sessions?q={}", "x".repeat(60_000))).status, 431);
    for target in [
        "/api/sessions?limit=-1",
        "/api/sessions?limit=99999999999999999999999",
        "/api/sessions?sort=sideways",
        "/api/sessions?q=re%3A%28",
        "/api/spend?by=color",
        "/api/sessions?q=%FF%FE",
    ] {
        let reply = served.get(target);
        assert!(matches!(reply.status, 200 | 400), "{target}: {}", reply.status);
    }
    // One that never ends its head, and one that sends nothing, do not keep others waiting.
    let mut slow = served.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ").unwrap();
    let _silent = served.connect();
    let begun = Instant::now();
    assert_eq!(served.get("/api/sessions").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(5));
    // It is sent away in the end.
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
}

#[test]
fn thousands_of_connections_are_served_a_few_at_a_time() {
    let served = served();
    let mut open: Vec<_> = (0..200).map(|_| served.connect()).collect();
    assert_eq!(served.get("/api/sessions").status, 200);
    for number in 0..1_000 {
        open[number % 200] = served.connect();
    }
    drop(open);
    assert_eq!(served.get("/api/sessions").status, 200);
}

#[test]
fn an_open_address_still_needs_the_token_and_an_address_as_its_name() {
    let options = WebOptions::new().address(SocketAddr::from(([0, 0, 0, 0], 0)));
    let served = Served::with(&[("a.jsonl", BRANCHED.as_bytes())], &options);
    let port = served.address.port();
    let cookie = format!("Cookie: pitree_{port}={}", served.token);
    let ask = |host: &str, cookie: &str| status(&served, "GET /api/sessions", &[host, cookie]);
    assert_eq!(ask(&format!("Host: 192.168.1.7:{port}"), &cookie), 200);
    assert_eq!(ask(&format!("Host: 192.168.1.7:{port}"), "X: y"), 401);
    assert_eq!(ask(&format!("Host: evil.example:{port}"), &cookie), 403);
}
