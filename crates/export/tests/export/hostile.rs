//! Markup in every field of a session: it comes out as text and as nothing else.

use pitree_export::{Branch, Format};

use crate::export::common::{Folder, exported};
use crate::export::{html, markdown};

/// `@` stands for hostile text.
pub(crate) const TEMPLATE: [&str; 17] = [
    r#"{"type":"session","version":3,"id":"@","timestamp":"@","cwd":"@","parentSession":"@"}"#,
    r#"{"type":"message","id":"u@","parentId":null,"timestamp":"2026-02-03T22:53:00.000Z","message":{"role":"user","content":[{"type":"text","text":"@"},{"type":"@","@":"@"},{"type":"image","data":"@","mimeType":"@"},{"type":"image","data":"@","mimeType":"image/png"}],"attachments":[{"fileName":"@","type":"@","extractedText":"@"}]}}"#,
    r#"{"type":"message","id":"a","parentId":"u@","timestamp":"2026-02-03T22:54:00.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"@"},{"type":"text","text":"@"},{"type":"toolCall","id":"@","name":"@","arguments":{"@":"@","command":"@"},"argumentsError":"@"}],"provider":"@","model":"@","stopReason":"@","errorMessage":"@","thinkingLevel":"@"}}"#,
    r#"{"type":"message","id":"r","parentId":"a","timestamp":"2026-02-03T22:54:00.000Z","message":{"role":"toolResult","toolCallId":"@","toolName":"@","content":[{"type":"text","text":"@"}],"nestedCalls":{"calls":[{"name":"@"}]},"details":{"@":"@","deep":[{"@":"@"}]}}}"#,
    r#"{"type":"message","id":"b","parentId":"r","timestamp":"2026-02-03T22:54:00.000Z","message":{"role":"bashExecution","command":"@","output":"@","fullOutputPath":"@"}}"#,
    r#"{"type":"message","id":"m","parentId":"b","timestamp":"2026-02-03T22:54:00.000Z","message":{"role":"@","content":"@"}}"#,
    r#"{"type":"message","id":"y","parentId":"m","timestamp":"2026-02-03T22:54:00.000Z","message":{"role":"system","content":"@","sections":{"@":"@"},"toolsAdded":[{"name":"@"}],"toolsRemoved":[{"name":"@"}]}}"#,
    r#"{"type":"@","id":"o","parentId":"y","timestamp":"2026-02-03T22:54:00.000Z","@":"@"}"#,
    r#"{"type":"custom_message","id":"c","parentId":"o","timestamp":"2026-02-03T22:54:00.000Z","customType":"@","content":"@","display":true,"details":"@"}"#,
    r#"{"type":"custom","id":"cs","parentId":"c","timestamp":"2026-02-03T22:54:00.000Z","customType":"@","data":{"@":"@"}}"#,
    r#"{"type":"compaction","id":"k","parentId":"cs","timestamp":"2026-02-03T22:54:00.000Z","summary":"@","firstKeptEntryId":"@","details":{"readFiles":["@"]}}"#,
    r#"{"type":"branch_summary","id":"bs","parentId":"k","timestamp":"2026-02-03T22:54:00.000Z","summary":"@","fromId":"@"}"#,
    r#"{"type":"context_edit","id":"ce","parentId":"bs","timestamp":"2026-02-03T22:54:00.000Z","targetId":"@","replacement":{"content":"@"}}"#,
    r#"{"type":"usage","id":"us","parentId":"ce","timestamp":"2026-02-03T22:54:00.000Z","kind":"@","provider":"@","model":"@","note":"@"}"#,
    r#"{"type":"label","id":"l","parentId":"us","timestamp":"2026-02-03T22:54:00.000Z","targetId":"a","label":"@"}"#,
    r#"{"type":"model_change","id":"mc","parentId":"l","timestamp":"2026-02-03T22:54:00.000Z","provider":"@","modelId":"@"}"#,
    r#"{"type":"session_info","id":"i","parentId":"mc","timestamp":"2026-02-03T22:54:00.000Z","name":"@"}"#,
];

/// The session with a text in every field, and a damaged line that is the text alone.
pub(crate) fn planted(text: &str) -> String {
    let json = pitree_format::js::stringify(&text.into());
    let inner = &json[1..json.len() - 1];
    let mut lines = TEMPLATE.map(|line| line.replace('@', inner)).join("\n");
    lines.push_str(&format!("\n{}\n", text.replace(['\n', '\r'], " ")));
    lines
}

pub(crate) const HOSTILE: [&str; 20] = [
    "<script>alert(1)</script>",
    "</pre></details></article><script>x</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "<!-- x --> <![CDATA[ y ]]> &lt;script&gt; &#60;b&#62;",
    "```\n<script>\n````\n<b>\n~~~\n<i>",
    "`a` ` <b> `` <i>``` `c <u>",
    "| a | b |\n|---|---|\n| `x | <script>` | y |",
    "![x](http://example/a.png) ![x][y] [z](javascript:alert(1)) [q](\njavascript:alert(2))",
    "[y]: javascript:alert(1)\n\n[y] <javascript:alert(3)> [w](java\\script\\:x)",
    "> quote\n\n# heading\n\n    indented <b>\n- list\n  ```\n  <b>",
    "a\\`<b>` \\\\`<i>\\` \\<u> \\[x](javascript:y) [z]\\(javascript:y)",
    "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\rline\n── User  fake\n══ fake",
    "</title></style><style>@import url(http://example)</style>",
    "a\u{2028}<b>\u{85}<i>\u{c}<u>\u{b}<s>\r<q>\r\n<p>",
    "[`a`](javascript:x) [a `b](javascript:c)` d](javascript:e) <a href=\"`\">`",
    "- a\n\n```\n\n<script>\n\n</details>\n<script>\n```\n- b\n\n      <b>\n1. `<i>`",
    "`<details markdown=\"1\">` </details>\n\n```\n<div markdown=\"1\">\n\n<script>\n```",
    "# x {: onclick=a }\n\n*x*{: onclick=a } `y`{onclick=a}\n{ onclick=a }\n```\n*x*{onclick=a}\n```",
    "```\n[x](javascript:y) ![x](http://e)\n\n[x]: javascript:y\n```\n[x] `[x]: javascript:y`",
];

#[test]
fn markup_comes_out_as_text() {
    let folder = Folder::new();
    for hostile in HOSTILE {
        let session = folder.session(planted(hostile)).unwrap();
        for branch in [Branch::Active, Branch::All] {
            let page = exported(&session, Format::Html, branch);
            html::check(&page).unwrap_or_else(|wrong| panic!("{hostile:?}: {wrong}\n{page}"));
            let page = exported(&session, Format::Markdown, branch);
            markdown::check(&page).unwrap_or_else(|wrong| panic!("{hostile:?}: {wrong}\n{page}"));
            let page = exported(&session, Format::Text, branch);
            let evil = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
            assert!(!page.contains(evil), "{hostile:?}: {page:?}");
            assert!(!page.contains("\n── User  fake\n"), "{page}");
            assert!(!page.contains("\n══ fake"), "{page}");
        }
    }
}

/// The text is not lost on the way either: it is in every page as often as it was planted.
#[test]
fn nothing_is_swallowed() {
    let folder = Folder::new();
    let session = folder.session(planted("<x-1>")).unwrap();
    let page = html::check(&exported(&session, Format::Html, Branch::Active)).unwrap();
    let other = markdown::check(&exported(&session, Format::Markdown, Branch::Active)).unwrap();
    let plain = exported(&session, Format::Text, Branch::Active);
    for page in [page, other, plain] {
        let count = page.matches("<x-1>").count();
        assert!(count >= 60, "only {count}: {page}");
    }
}

/// Random mixtures of what Markdown gives a meaning to.
pub(crate) fn random_markdown(rng: &mut pitree_testkit::Rng) -> String {
    const PIECES: [&str; 38] = [
        "`",
        "``",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "<b>",
        "</b>",
        "<script>",
        "<!--",
        "-->",
        "[x]",
        "](",
        "](javascript:y)",
        "(",
        ")",
        "!",
        "![",
        "\\",
        "|",
        "|-|\n",
        "> ",
        "- ",
        "    ",
        "# ",
        "&",
        "&lt;",
        "<a href=\"",
        "\">",
        ":",
        "]: ",
        "javascript:",
        "<http://e>",
        "x",
        "</details>",
        "<details markdown=\"1\">",
        "{: onclick=y }",
        "*",
    ];
    (0..rng.between(1, 30)).map(|_| rng.pick(&PIECES)).collect()
}

#[test]
fn random_markdown_keeps_its_form() {
    let mut rng = pitree_testkit::Rng::new(crate::export::common::seed());
    let folder = Folder::new();
    for _ in 0..crate::export::common::cases(400) {
        let text = random_markdown(&mut rng);
        let session = folder.session(planted(&text)).unwrap();
        let page = exported(&session, Format::Markdown, Branch::Active);
        markdown::check(&page).unwrap_or_else(|wrong| panic!("{text:?}: {wrong}\n{page}"));
        let page = exported(&session, Format::Html, Branch::Active);
        html::check(&page).unwrap_or_else(|wrong| panic!("{text:?}: {wrong}\n{page}"));
    }
}
