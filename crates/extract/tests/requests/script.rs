//! What Pi is told to do, and what the models answer.

use pitree_testkit::Rng;

use crate::requests::models::MODELS;

/// What a model answers.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Text,
    /// Text after thinking in a member of this name.
    Thought(&'static str),
    /// Text after thinking in `reasoning_details`.
    Details,
    /// Calls of tools: their names and arguments.
    Calls(Vec<(&'static str, &'static str)>),
    /// Thinking, text and calls in one.
    Everything,
    Empty,
    Blank,
    /// Text that fills the context.
    Heavy,
    CutOff,
    Filtered,
    BrokenOff,
    /// Refused for good.
    Refused,
    /// Refused for now.
    Busy,
    /// Refused because the context is too long.
    Overflow,
}

/// One step of a script. A model that is asked more often than there are replies says a text.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Say {
        images: usize,
        replies: Vec<Reply>,
    },
    /// A message while a tool runs.
    Steer {
        follow_up: bool,
    },
    /// The user stops the model in the middle of its answer.
    AbortAnswer,
    /// The user stops while a tool runs.
    AbortTool,
    /// An extension speaks, and a model may have to answer. The content is JSON.
    Custom {
        content: &'static str,
        replies: Option<Vec<Reply>>,
    },
    Bash {
        command: &'static str,
        excluded: bool,
    },
    Model(usize),
    Thinking(&'static str),
    Tools(&'static [&'static str]),
    Compact,
    /// To an entry by its place, modulo their number.
    Goto {
        entry: usize,
        summarize: bool,
    },
    /// To the last reply that called tools, before their results.
    GotoCalls,
    Fork(usize),
    Clone,
    New,
    /// Back to a file of this script, by its place, modulo their number.
    Switch(usize),
    /// A context edit of a message by its place; an empty content omits it.
    Edit {
        message: usize,
        content: &'static str,
    },
}

const BASH: (&str, &str) = ("bash", r#"{"command":"printf 'one\\ntwo'"}"#);
const FAILING_BASH: (&str, &str) = ("bash", r#"{"command":"echo no; exit 3"}"#);
const WRITE: (&str, &str) = ("write", r#"{"path":"a.txt","content":"written"}"#);
const READ: (&str, &str) = ("read", r#"{"path":"a.txt"}"#);
const READ_PICTURE: (&str, &str) = ("read", r#"{"path":"dot.png"}"#);
const READ_NOTHING: (&str, &str) = ("read", r#"{"path":"gone.txt"}"#);
const LOOK: (&str, &str) = ("look", r#"{"what":"a house"}"#);
const LOOK_MUTELY: (&str, &str) = ("look", r#"{"what":"mute"}"#);
const HUSH: (&str, &str) = ("hush", "{}");
const FAIL: (&str, &str) = ("fail", "{}");
const RECITE: (&str, &str) = ("recite", r#"{"number":"seven"}"#);
/// Half of an emoji in the arguments.
const HALF: (&str, &str) = ("recite", r#"{"number":"\ud83d \u00e9"}"#);
const UNKNOWN: (&str, &str) = ("juggle", r#"{"balls":3}"#);
const NO_JSON: (&str, &str) = ("bash", r#"{"command":"#);
const WRONG: (&str, &str) = ("read", r#"{"file":1}"#);

const CALLS: [(&str, &str); 15] = [
    BASH,
    FAILING_BASH,
    WRITE,
    READ,
    READ_PICTURE,
    READ_NOTHING,
    LOOK,
    LOOK_MUTELY,
    HUSH,
    FAIL,
    RECITE,
    HALF,
    UNKNOWN,
    NO_JSON,
    WRONG,
];
const FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];
const LEVELS: [&str; 3] = ["off", "low", "high"];
const TOOL_SETS: [&[&str]; 6] = [
    &["read", "bash", "edit", "write", "look", "hush", "fail", "recite"],
    &["read", "bash", "write"],
    &["read", "bash", "write", "look"],
    &["hush", "recite"],
    &[],
    &["read", "bash", "write", "look", "late"],
];
const CONTENTS: [&str; 4] = [
    r#""the build is green""#,
    r#"[{"type":"text","text":"half \ud83d"},{"type":"text","text":""}]"#,
    r#"[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]"#,
    "[]",
];
const COMMANDS: [&str; 4] = ["echo hello", "true", "exit 4", "printf 'a\\nb\\n'"];
const EDITS: [&str; 3] = ["", r#""said differently""#, r#"[{"type":"text","text":"otherwise"}]"#];

fn say(replies: impl Into<Vec<Reply>>) -> Step {
    Step::Say { images: 0, replies: replies.into() }
}

/// The place of a model.
fn model(id: &str) -> Step {
    Step::Model(MODELS.iter().position(|(_, own)| *own == id).unwrap())
}

/// Everything that is to be covered, once.
pub(crate) fn tour() -> Vec<Step> {
    use Reply::*;
    let mut steps = vec![
        say([Text]),
        Step::Say {
            images: 2,
            replies: vec![Calls(vec![BASH]), Calls(vec![LOOK, READ_PICTURE, WRITE, READ])],
        },
        say([
            Calls(vec![FAILING_BASH, READ_NOTHING, FAIL, HUSH]),
            Calls(vec![UNKNOWN, NO_JSON, WRONG]),
        ]),
        Step::Bash { command: "echo hello", excluded: false },
        Step::Bash { command: "exit 4", excluded: true },
        say([Busy, BrokenOff, Text]),
        say([Refused]),
        Step::AbortAnswer,
        say([Text]),
        model("seeing"),
        Step::Thinking("high"),
        say([Thought("reasoning_content"), Text]),
        Step::Say { images: 1, replies: vec![Everything, Calls(vec![LOOK_MUTELY, HALF])] },
        say([Details]),
        Step::AbortTool,
        say([Empty]),
        say([Blank]),
        Step::GotoCalls,
        say([Text]),
        Step::Custom { content: CONTENTS[0], replies: None },
        Step::Custom { content: CONTENTS[1], replies: Some(vec![Text]) },
        Step::Custom { content: CONTENTS[2], replies: Some(vec![Text]) },
        Step::Steer { follow_up: false },
        Step::Steer { follow_up: true },
    ];
    steps.extend(models_and_branches());
    steps
}

/// The second part of the tour: models with peculiarities, then branches, files and limits.
fn models_and_branches() -> Vec<Step> {
    use Reply::*;
    vec![
        Step::Tools(TOOL_SETS[1]),
        say([Text]),
        model("midway"),
        Step::Tools(TOOL_SETS[2]),
        say([Calls(vec![LOOK])]),
        Step::Tools(TOOL_SETS[5]),
        say([Calls(vec![LOOK])]),
        Step::Tools(TOOL_SETS[4]),
        say([Text]),
        Step::Tools(TOOL_SETS[0]),
        say([Everything]),
        model("updated"),
        say([Text]),
        model("fussy"),
        say([Everything, Calls(vec![LOOK])]),
        say([Thought("reasoning")]),
        model("strict"),
        say([Calls(vec![RECITE])]),
        Step::Tools(TOOL_SETS[1]),
        say([Text]),
        Step::Tools(TOOL_SETS[0]),
        model("deep"),
        say([Thought("reasoning_text"), Text]),
        model("marked"),
        say([Text]),
        model("cut"),
        say([Calls(vec![BASH, READ])]),
        model("anthropic/routed"),
        say([Details]),
        say([Text]),
        model("chat"),
        say([Text]),
        Step::Edit { message: 3, content: EDITS[1] },
        Step::Edit { message: 8, content: EDITS[0] },
        say([Text]),
        say([Text]),
        Step::Goto { entry: 9, summarize: true },
        say([Text]),
        Step::Fork(1),
        say([Calls(vec![BASH])]),
        Step::Switch(0),
        Step::Compact,
        say([Text]),
        say([Overflow, Text]),
        say([CutOff, Text]),
        say([Filtered]),
        say([Heavy]),
        say([Text]),
        Step::Clone,
        say([Text]),
        Step::New,
        say([Text]),
    ]
}

/// A script of random steps.
pub(crate) fn random(seed: u64, length: usize) -> Vec<Step> {
    let mut rng = Rng::new(seed);
    let begin = Step::Say { images: 1, replies: vec![Reply::Text] };
    let mut steps = vec![Step::Model(rng.below(MODELS.len())), begin];
    for _ in 0..length {
        steps.push(step(&mut rng));
        if rng.chance(70) {
            steps.push(say(replies(&mut rng)));
        }
    }
    steps
}

fn step(rng: &mut Rng) -> Step {
    match rng.below(24) {
        0..8 => Step::Say { images: rng.below(3), replies: replies(rng) },
        8 => Step::Steer { follow_up: rng.chance(50) },
        9 => Step::AbortAnswer,
        10 => Step::AbortTool,
        11 => {
            let replies = rng.chance(60).then(|| replies(rng));
            Step::Custom { content: rng.pick(&CONTENTS), replies }
        }
        12 => Step::Bash { command: rng.pick(&COMMANDS), excluded: rng.chance(30) },
        13..16 => Step::Model(rng.below(MODELS.len())),
        16 => Step::Thinking(rng.pick(&LEVELS)),
        17 => Step::Tools(rng.pick(&TOOL_SETS)),
        18 => Step::Compact,
        19 => Step::Goto { entry: rng.below(1000), summarize: rng.chance(50) },
        20 => Step::GotoCalls,
        21 => Step::Edit { message: rng.below(1000), content: rng.pick(&EDITS) },
        22 => Step::Fork(rng.below(1000)),
        _ => match rng.below(4) {
            0 => Step::Clone,
            1 => Step::New,
            _ => Step::Switch(rng.below(1000)),
        },
    }
}

fn replies(rng: &mut Rng) -> Vec<Reply> {
    (0..rng.between(1, 3)).map(|_| reply(rng)).collect()
}

fn reply(rng: &mut Rng) -> Reply {
    match rng.below(90) {
        0..25 => Reply::Text,
        25..36 => Reply::Thought(rng.pick(&FIELDS)),
        36..41 => Reply::Details,
        41..72 => Reply::Calls((0..rng.between(1, 4)).map(|_| rng.pick(&CALLS)).collect()),
        72..82 => Reply::Everything,
        82 => Reply::Empty,
        83 => Reply::Blank,
        84 => Reply::Heavy,
        85 => Reply::CutOff,
        86 => Reply::BrokenOff,
        87 => Reply::Busy,
        88 => Reply::Overflow,
        _ => rng.pick(&[Reply::Refused, Reply::Filtered]),
    }
}
