//! The tool calls of a reply, taken from its raw content.

use memchr::memmem;
use pitree_format::scan::{each_member, skip_value};

/// A tool call with the raw members that are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawCall<'r> {
    pub(super) id: Option<&'r [u8]>,
    pub(super) name: Option<&'r [u8]>,
    /// The file that the tool is given.
    pub(super) path: Option<&'r [u8]>,
    /// The line for the shell.
    pub(super) command: Option<&'r [u8]>,
}

/// Shows the tool calls of a content, which is valid JSON.
pub(super) fn each_call<'r>(content: &'r [u8], mut take: impl FnMut(RawCall<'r>)) {
    // Most replies are text, and need no closer look.
    if !content.starts_with(b"[") || memmem::find(content, b"\"toolCall\"").is_none() {
        return;
    }
    let mut at = 1;
    while let Some(byte) = content.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b',' => at += 1,
            b']' => return,
            _ => {
                let Ok(end) = skip_value(content, at) else { return };
                if let Some(call) = read_block(&content[at..end]) {
                    take(call);
                }
                at = end;
            }
        }
    }
}

/// A block, if it is a tool call. Of equal names the last one counts.
fn read_block(block: &[u8]) -> Option<RawCall<'_>> {
    if !block.starts_with(b"{") {
        return None;
    }
    let (mut kind, mut arguments, mut call) = (None, None, RawCall::default());
    let end = each_member(block, 0, |name, at| {
        let end = skip_value(block, at)?;
        let slot = match name {
            b"type" => &mut kind,
            b"id" => &mut call.id,
            b"name" => &mut call.name,
            b"arguments" => &mut arguments,
            _ => return Ok(end),
        };
        *slot = Some(&block[at..end]);
        Ok(end)
    });
    end.ok().filter(|_| kind == Some(&b"\"toolCall\""[..]))?;
    let Some(arguments) = arguments.filter(|raw| raw.starts_with(b"{")) else { return Some(call) };
    let mut file_path = None;
    let end = each_member(arguments, 0, |name, at| {
        let end = skip_value(arguments, at)?;
        let slot = match name {
            b"path" => &mut call.path,
            b"file_path" => &mut file_path,
            b"command" => &mut call.command,
            _ => return Ok(end),
        };
        *slot = Some(&arguments[at..end]);
        Ok(end)
    });
    end.ok()?;
    call.path = call.path.or(file_path);
    Some(call)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_among_other_blocks() {
        let content = br#"[ {"type":"text","text":"\"toolCall\""}, {"arguments":{"path":"a","x":
{"path":"no"}},"id":"1","type":"toolCall","name":"read"},7,null,[{"type":"toolCall"}],
{"type":"toolCall","name":"bash","arguments":"ls"},{"type":"toolCall","name":"w","arguments":
{"file_path":"b","command":"c","command":"d"}} ]"#;
        let mut calls = Vec::new();
        each_call(content, |call| calls.push(call));
        let read: [RawCall<'_>; 3] = [
            RawCall {
                id: Some(b"\"1\""),
                name: Some(b"\"read\""),
                path: Some(b"\"a\""),
                command: None,
            },
            RawCall { name: Some(b"\"bash\""), ..RawCall::default() },
            RawCall {
                id: None,
                name: Some(b"\"w\""),
                path: Some(b"\"b\""),
                command: Some(b"\"d\""),
            },
        ];
        assert_eq!(calls, read);
        for other in [&b"\"toolCall\""[..], b"{\"type\":\"toolCall\"}", b"[]", b""] {
            each_call(other, |call| panic!("{call:?}"));
        }
    }
}
