//! The file of a session as a download: all its bytes, for the page alone, under a name that means
//! nothing to a header.

use crate::common::{BRANCHED, Served};

const ID: &str = "0198aaaa-0000-7000-8000-000000000001";

fn value<'h>(head: &'h str, name: &str) -> &'h str {
    let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_else(|| panic!("no {name} in {head}"))
}

#[test]
fn it_is_the_file_byte_for_byte() {
    // More than is read at once, with a line that is not an entry and one that has no end.
    let filler = format!("{{\"type\":\"custom\",\"text\":\"{}\"}}\n", "x".repeat(70_000));
    let text = format!("{BRANCHED}{}not JSON\r\n\u{feff}{{\"type\":\"cust", filler.repeat(10));
    let served = Served::new(&[("a.jsonl", text.as_bytes())]);
    let target = format!("/api/sessions/{}/jsonl", served.key(ID));
    let reply = served.get(&target);
    assert_eq!(reply.status, 200);
    assert!(reply.body == text.as_bytes(), "{} of {} bytes", reply.body.len(), text.len());
    assert_eq!(value(&reply.head, "content-type"), "application/jsonl");
    assert_eq!(value(&reply.head, "content-length"), text.len().to_string());
    assert_eq!(value(&reply.head, "cache-control"), "no-store");
    assert_eq!(value(&reply.head, "x-content-type-options"), "nosniff");
    let disposition = "attachment; filename=\"a.jsonl\"; filename*=UTF-8''a.jsonl";
    assert_eq!(value(&reply.head, "content-disposition"), disposition);
    // What has been appended comes along the next time.
    fs_err::write(served.file("a.jsonl"), format!("{text}om\"}}\n")).unwrap();
    assert_eq!(served.get(&target).body.len(), text.len() + 5);
    fs_err::remove_file(served.file("a.jsonl")).unwrap();
    assert!(matches!(served.get(&target).status, 404 | 422));
}

#[test]
fn nobody_else_gets_it() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let target = format!("/api/sessions/{}/jsonl", served.key(ID));
    let host = format!("Host: {}", served.address);
    let cookie = format!("Cookie: pitree_{}={}", served.address.port(), served.token);
    let ask = |first: &str, headers: &[&str]| {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        served.send(&format!("{first} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"))
    };
    let get = format!("GET {target}");
    assert_eq!(ask(&get, &[&host, &cookie]).status, 200);
    let head = ask(&format!("HEAD {target}"), &[&host, &cookie]);
    assert_eq!((head.status, head.body.len()), (200, 0));
    let evil = format!("Host: evil.example:{}", served.address.port());
    for (headers, status) in [
        (vec![&*host], 401),
        (vec![&*host, "Cookie: pitree_1=0"], 401),
        (vec![&*evil, &*cookie], 403),
        (vec![&*host, &*cookie, "Origin: http://evil.example"], 403),
        (vec![&*host, &*cookie, "Sec-Fetch-Site: cross-site"], 403),
        (vec![&*host, &*cookie, "Sec-Fetch-Site: same-site"], 403),
    ] {
        let reply = ask(&get, &headers);
        assert_eq!(reply.status, status, "{headers:?}");
        assert!(!reply.text().contains("forecast"), "{headers:?}");
    }
    assert_eq!(ask(&format!("POST {target}"), &[&host, &cookie]).status, 405);
    for (key, status) in [
        ("0000000000000000", 404),
        ("a.jsonl", 400),
        ("..%2fa", 400),
        (&*format!("{}-1-0", served.key(ID)), 400),
    ] {
        assert_eq!(served.get(&format!("/api/sessions/{key}/jsonl")).status, status, "{key}");
    }
}

#[test]
fn a_hostile_name_stays_a_name() {
    for name in [
        "a\r\nX-Evil: 1\r\n\r\n<script>.jsonl",
        "a\"; filename=\"b.exe\";.jsonl",
        "\u{202e}lnosj.exe.jsonl",
        "Wetter für Köln – 天気.jsonl",
        "a%0d%0aX-Evil: 1.jsonl",
        &format!("{}.jsonl", "w".repeat(240)),
    ] {
        let served = Served::new(&[(name, BRANCHED.as_bytes())]);
        let reply = served.get(&format!("/api/sessions/{}/jsonl", served.key(ID)));
        assert_eq!(reply.status, 200, "{name:?}");
        assert!(reply.body == BRANCHED.as_bytes(), "{name:?}");
        assert!(!reply.head.to_lowercase().lines().any(|line| line.starts_with("x-evil")));
        let disposition = value(&reply.head, "content-disposition");
        let (plain, spelled) = disposition
            .strip_prefix("attachment; filename=\"")
            .and_then(|rest| rest.split_once("\"; filename*=UTF-8''"))
            .unwrap_or_else(|| panic!("{disposition}"));
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
        assert!(plain.chars().all(is_plain) && !plain.starts_with('.'), "{disposition}");
        assert!(spelled.chars().all(|it| is_plain(it) || it == '%'), "{disposition}");
        assert!(!spelled.contains("%0D") && !spelled.contains("%E2%80%AE"), "{disposition}");
    }
}
