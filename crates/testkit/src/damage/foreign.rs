//! Old versions, dialects of other programs, and files that only look like sessions.

use super::{DamagedFile, HEADER, file, lines, sound_lines};

pub(super) fn files() -> Vec<DamagedFile> {
    let [header, first, second, third] = sound_lines();
    let sound = lines(&[&header, &first, &second, &third]);
    vec![
        file("event stream of JSON mode", lines(&EVENT_STREAM)),
        file("store with kind headers", lines(&KIND_HEADER)),
        file("OpenClaw style", lines(&OPENCLAW)),
        file("title slot before the header", format!("{TITLE_SLOT}\n{sound}")),
        file("entry that stores the leaf", format!("{sound}{LEAF_ENTRY}\n")),
        file("version 1", lines(&VERSION_1)),
        file("version 1 with a non-object line", lines(&VERSION_1) + "42\n"),
        file("version 2", lines(&VERSION_2)),
        file("Rust port", lines(&RUST_PORT)),
        file("one JSON array", format!("[{header},{first}]\n")),
        file("not JSON at all", "# Notes\n\n- a list\n"),
    ]
}

const EVENT_STREAM: [&str; 5] = [
    HEADER,
    r#"{"type":"agent_start"}"#,
    r#"{"type":"turn_start"}"#,
    r#"{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1794725595000}}"#,
    r#"{"type":"agent_end","messages":[]}"#,
];

const KIND_HEADER: [&str; 2] = [
    r#"{"v":4,"kind":"header","id":"0197","storageVersion":1,"createdAt":1794725595000,"cwd":"/work"}"#,
    r#"{"v":4,"kind":"entry","id":"a1","parentId":null,"seq":1,"type":"message","message":{"role":"user","content":"hi","timestamp":1}}"#,
];

/// A fork that writes the session id of its own kind, cached costs and delivery marks.
const OPENCLAW: [&str; 3] = [
    r#"{"type":"session","version":3,"id":"agent:main:main","timestamp":"2026-11-15T06:53:14.778Z","cwd":"/srv/project"}"#,
    r#"{"type":"custom","customType":"model-snapshot","data":{"timestamp":1794725595000,"provider":"local","modelApi":"openai-completions","modelId":"m1"},"id":"a1b2c3d4","parentId":null,"timestamp":"2026-11-15T06:53:14.900Z"}"#,
    r#"{"type":"message","id":"a1b2c3d5","parentId":"a1b2c3d4","timestamp":"2026-11-15T06:53:15.000Z","message":{"role":"assistant","content":[{"type":"text","text":"delivered"}],"api":"openai-responses","provider":"openclaw","model":"delivery-mirror","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1794725595000}}"#,
];

/// A line of fixed width that can be overwritten in place.
const TITLE_SLOT: &str = r#"{"type":"title","v":1,"title":"A title","source":"auto","updatedAt":"2026-11-15T06:53:14.778Z","pad":"                                "}"#;

const LEAF_ENTRY: &str = r#"{"type":"leaf","id":"0197-leaf","parentId":"aaaaaaa3","timestamp":"2026-11-15T06:53:19.000Z","targetId":"aaaaaaa1"}"#;

const VERSION_1: [&str; 7] = [
    r#"{"type":"session","id":"7d0c8a1e-0000-4000-8000-000000000001","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/srv/project","provider":"anthropic","modelId":"claude-sonnet-4-5","thinkingLevel":"off","branchedFrom":"/old/session.jsonl"}"#,
    r#"{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{"role":"user","content":"one","timestamp":1763632801000}}"#,
    r#"{"type":"message","timestamp":"2025-11-20T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0},"stopReason":"stop","timestamp":1763632802000}}"#,
    r#"{"type":"message","timestamp":"2025-11-20T10:00:03.000Z","message":{"role":"user","content":"three","timestamp":1763632803000}}"#,
    r#"{"type":"compaction","timestamp":"2025-11-20T10:00:04.000Z","summary":"short","firstKeptEntryIndex":3,"tokensBefore":100}"#,
    r#"{"type":"message","timestamp":"2025-11-20T10:00:05.000Z","message":{"role":"hookMessage","customType":"note","content":"four","display":true,"timestamp":1763632805000}}"#,
    r#"{"type":"compaction","timestamp":"2025-11-20T10:00:06.000Z","summary":"later","firstKeptEntryIndex":99,"tokensBefore":200}"#,
];

const VERSION_2: [&str; 4] = [
    r#"{"type":"session","version":2,"id":"7d0c8a1e-0000-4000-8000-000000000002","timestamp":"2025-12-20T10:00:00.000Z","cwd":"/srv/project"}"#,
    r#"{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2025-12-20T10:00:01.000Z","message":{"role":"user","content":"one","timestamp":1766224801000}}"#,
    r#"{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2025-12-20T10:00:02.000Z","message":{"role":"hookMessage","customType":"note","content":[{"type":"text","text":"two"}],"display":false,"timestamp":1766224802000}}"#,
    r#"{"type":"label","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2025-12-20T10:00:03.000Z","targetId":"aaaa0001","label":"start"}"#,
];

/// Sorted keys, a header that names the leaf, and an image kept outside of the file.
const RUST_PORT: [&str; 4] = [
    r#"{"branchedFrom":"/old/session.jsonl","cwd":"/srv/project","id":"7d0c8a1e-0000-4000-8000-000000000003","leafId":"bbbb0002","modelId":"m1","provider":"local","timestamp":"2026-06-01T10:00:00.000Z","type":"session","version":3}"#,
    r#"{"id":"bbbb0001","message":{"content":"one","role":"user","timestamp":1780308001000},"timestamp":"2026-06-01T10:00:01.000Z","type":"message"}"#,
    r#"{"id":"bbbb0002","message":{"content":[{"data":{"$piBlob":"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","encoding":"base64","sizeBytes":70000},"mimeType":"image/png","type":"image"}],"role":"user","timestamp":1780308002000},"parentId":"bbbb0001","timestamp":"2026-06-01T10:00:02.000Z","type":"message"}"#,
    r#"{"id":"bbbb0003","message":{"api":"openai-completions","content":[{"text":"three","type":"text"}],"model":"m1","provider":"local","role":"assistant","stopReason":"stop","timestamp":1780308003000,"usage":{"cacheRead":0,"cacheWrite":0,"cost":{"cacheRead":0.0,"cacheWrite":0.0,"input":0.0,"output":0.0,"total":0.0},"input":1,"output":2,"totalTokens":3}},"parentId":"bbbb0001","timestamp":"2026-06-01T10:00:03.000Z","type":"message"}"#,
];
