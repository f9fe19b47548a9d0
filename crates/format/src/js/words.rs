//! Words that nearly every line of a session has: names of members, roles, kinds of blocks.
//!
//! More than half of the strings of a session are one of these. They are kept as they stand here
//! instead of being copied each time.

/// The words. One that is missing costs a copy and nothing else.
const WORDS: [&str; 84] = [
    "api",
    "arguments",
    "assistant",
    "bash",
    "branch_summary",
    "cacheRead",
    "cacheWrite",
    "command",
    "compaction",
    "content",
    "cost",
    "custom",
    "customType",
    "custom_message",
    "cwd",
    "data",
    "description",
    "details",
    "diff",
    "display",
    "edit",
    "edits",
    "firstKeptEntryId",
    "function",
    "id",
    "image",
    "input",
    "isError",
    "label",
    "limit",
    "message",
    "messages",
    "metadata",
    "mimeType",
    "model",
    "modelId",
    "model_change",
    "name",
    "newText",
    "object",
    "offset",
    "oldText",
    "output",
    "parameters",
    "parentId",
    "path",
    "properties",
    "provider",
    "read",
    "reasoning_content",
    "required",
    "responseId",
    "role",
    "session",
    "stop",
    "stopReason",
    "string",
    "summary",
    "system",
    "targetId",
    "text",
    "textSignature",
    "thinking",
    "thinkingLevel",
    "thinkingSignature",
    "thinking_level_change",
    "thoughtSignature",
    "timestamp",
    "tokensBefore",
    "tool",
    "toolCall",
    "toolCallId",
    "toolName",
    "toolResult",
    "toolUse",
    "tool_call_id",
    "tool_calls",
    "total",
    "totalTokens",
    "type",
    "usage",
    "user",
    "version",
    "write",
];

/// No word is longer.
const LONGEST: usize = 21;

/// How many places there are: a power of two with which each word has its own.
const PLACES: usize = 512;

/// Each word at its place.
static TABLE: [&str; PLACES] = {
    let mut table = [""; PLACES];
    let mut at = 0;
    while at < WORDS.len() {
        table[place(WORDS[at].as_bytes())] = WORDS[at];
        at += 1;
    }
    table
};

/// Where a word that is not empty has its place.
const fn place(word: &[u8]) -> usize {
    let (first, middle, last) = (word[0], word[word.len() / 2], word[word.len() - 1]);
    (word.len() * 6 + first as usize * 17 + last as usize * 12 + middle as usize) % PLACES
}

/// The word that a text is, if it is one of them.
pub(super) fn word(text: &[u8]) -> Option<&'static str> {
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let word = TABLE[place(text)];
    (word.as_bytes() == text).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_place_of_its_own() {
        for known in WORDS {
            assert_eq!(word(known.as_bytes()), Some(known));
        }
        for other in ["", "Type", "typ", "types", "a", "a text that is longer than any word"] {
            assert_eq!(word(other.as_bytes()), None, "{other}");
        }
    }
}
