//! A session whose every text is an attack on the terminal.

use super::{Home, answer_of};
use crate::screens::harness::{LARGE, SMALL};

/// CSI, OSC 8, OSC 52, a title, DCS, C1, backspaces, carriage returns, bidirectional marks,
/// letters that nobody sees.
const ATTACK: &str = r"\u001b[2J\u001b]8;;http://x\u0007a\u001b]8;;\u0007\u001b]52;c;eA==\u0007\u001b]0;t\u0007\u001bPq\u001b\\\u009b31m\b\b\r\u202ez\u2066\u200f\u2028h\udb40\udc68\u200b\u2060\ufeff\ty";

fn attacks() -> Vec<String> {
    let x = ATTACK;
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    vec![
        format!(r#""type":"model_change","provider":"{x}","modelId":"{x}""#),
        format!(r#""type":"thinking_level_change","thinkingLevel":"{x}""#),
        format!(
            r#""type":"message","message":{{"role":"user","content":"{x}","attachments":[{{"fileName":"{x}","mimeType":"{x}","size":1}}]}}"#
        ),
        answer_of(&format!(
            r#"{{"type":"thinking","thinking":"{x}"}},{},{},{{"type":"toolCall","id":"{x}","name":"{x}","arguments":{{"{x}":"{x}","n":"a\n{x}","command":"{x}"}}}},{{"type":"{x}"}},{{"type":"image","mimeType":"{x}","data":"{x}"}}"#,
            text(x),
            text(&format!(
                "# {x}\\n\\n- {x}\\n\\n```{x}\\n{x}\\n```\\n\\n| {x} | b |\\n|--|--|\\n| {x} | {x} |\\n\\n[{x}](http://{x})"
            )),
        )),
        format!(
            r#""type":"message","message":{{"role":"toolResult","toolCallId":"{x}","toolName":"{x}","content":[{}],"isError":true}}"#,
            text(x)
        ),
        format!(
            r#""type":"message","message":{{"role":"toolResult","content":[{}],"details":{{"diff":"+{x}"}}}}"#,
            text(x)
        ),
        format!(
            r#""type":"message","message":{{"role":"bashExecution","command":"{x}","output":"{x}\n{x}","exitCode":1,"fullOutputPath":"{x}"}}"#
        ),
        format!(r#""type":"message","message":{{"role":"{x}","content":"{x}"}}"#),
        format!(r#""type":"custom_message","customType":"{x}","content":"{x}","display":true"#),
        format!(r#""type":"branch_summary","fromId":"{x}","summary":"{x}""#),
        format!(r#""type":"compaction","summary":"{x}","firstKeptEntryId":"{x}","tokensBefore":1"#),
        format!(r#""type":"label","targetId":"00000002","label":"{x}""#),
        format!(r#""type":"session_info","name":"{x}""#),
        format!(r#""type":"{x}""#),
        format!(
            r#""type":"message","message":{{"role":"assistant","content":[],"provider":"{x}","model":"{x}","stopReason":"error","errorMessage":"{x}"}}"#
        ),
    ]
}

#[test]
fn nothing_but_visible_text_reaches_the_terminal() {
    let home = Home::with(&attacks());
    for size in [SMALL, LARGE] {
        let mut driven = home.view(size);
        driven.wait_for("in context");
        // Up recalls the user's message into the editor.
        driven.press("Alt+o Ctrl+t Ctrl+Home PgDn PgDn PgDn PgDn Up");
        driven.press("Ctrl+c");
        driven.type_text("/session");
        driven.press("Enter");
        driven.assert_harmless();
    }
}
