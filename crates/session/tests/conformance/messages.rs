//! Which messages may be appended: those by which the real Pi can still build and measure a
//! context.

use pitree_format::js::parse;
use pitree_session::check_message;
use pitree_testkit::{run_in_pi, working_session};

use crate::{Plan, ready};

/// Appends each line to a session of the real Pi and says for each whether it can go on.
const APPEND_EACH: &str = r#"
const answers = args[0].split("\n").map((line) => {
  try {
    const session = pi.SessionManager.inMemory("/tmp");
    session.appendMessage({ role: "user", content: "before", timestamp: 1 });
    session.appendMessage(JSON.parse(line));
    session.appendMessage({ role: "user", content: "after", timestamp: 2 });
    const { messages } = session.buildSessionContext();
    pi.convertToLlm(messages);
    messages.forEach((message) => pi.estimateTokens(message));
    return "takes";
  } catch (error) { return "throws"; }
});
console.log(answers.join("\n"));
"#;

/// Messages that lack something, or have it in another form, for every role.
fn odd_messages() -> Vec<String> {
    let roles = [
        "system",
        "user",
        "assistant",
        "toolResult",
        "custom",
        "bashExecution",
        "branchSummary",
        "compactionSummary",
        "wizard",
        "",
    ];
    let contents = [
        "",
        r#","content":null"#,
        r#","content":5"#,
        r#","content":{}"#,
        r#","content":"x""#,
        r#","content":[]"#,
        r#","content":[null]"#,
        r#","content":["x"]"#,
        r#","content":[{}]"#,
        r#","content":[{"type":"text"}]"#,
        r#","content":[{"type":"text","text":"x"}]"#,
        r#","content":[{"type":"thinking"}]"#,
        r#","content":[{"type":"toolCall"}]"#,
        r#","content":[{"type":"toolCall","id":"a","name":"b"}]"#,
        r#","content":[{"type":"toolCall","id":"a","arguments":{}}]"#,
        r#","content":[{"type":"toolCall","id":"a","name":"b","arguments":null}]"#,
        r#","command":"ls""#,
        r#","output":"x""#,
        r#","command":"ls","output":"x""#,
        r#","summary":"s""#,
        r#","summary":null"#,
    ];
    let mut messages: Vec<String> =
        ["null", "5", "true", "\"x\"", "[]", "{}", r#"{"content":"x"}"#, r#"{"role":5}"#]
            .map(str::to_owned)
            .into();
    for role in roles {
        messages.extend(contents.map(|content| format!(r#"{{"role":"{role}"{content}}}"#)));
    }
    messages
}

#[test]
fn a_message_that_pi_stumbles_over_is_not_appended() {
    if !ready("a_message_that_pi_stumbles_over_is_not_appended") {
        return;
    }
    let messages = odd_messages();
    let answers = run_in_pi(APPEND_EACH, &[&messages.join("\n")]).unwrap();
    let mut throws = 0;
    for (message, answer) in messages.iter().zip(answers.lines()) {
        let checked = check_message(&parse(message.as_bytes()).unwrap());
        throws += usize::from(answer == "throws");
        assert!(answer == "takes" || checked.is_err(), "Pi throws for {message}");
    }
    assert!(throws > 10 && throws < messages.len() / 2, "Pi throws for {throws}");
}

#[test]
fn messages_of_real_conversations_may_be_appended() {
    let mut count = 0;
    for seed in Plan::new(50, 500).seeds() {
        for line in working_session(seed).bytes.split(|byte| *byte == b'\n') {
            let message = parse(line).ok().and_then(|entry| entry.get("message").cloned());
            if let Some(message) = message {
                count += 1;
                check_message(&message).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            }
        }
    }
    assert!(count > 100, "{count}");
}
