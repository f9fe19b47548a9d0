//! A long session from a seed, with the line lengths and the mix of real ones.

use std::fmt::Write as _;
use std::io::{self, Write};

use pitree_format::js::date::format_iso;
use pitree_testkit::Rng;

use crate::text::Pool;

/// How long lines are, by thousandths of all lines; between two points they are spread evenly.
/// Taken from 12,418 lines of public sessions: half are below 1 KB, a hundredth above 25 KB.
const LENGTHS: [(usize, usize); 12] = [
    (0, 150),
    (100, 250),
    (250, 430),
    (500, 1_000),
    (750, 2_200),
    (900, 5_000),
    (950, 8_500),
    (980, 16_000),
    (990, 25_000),
    (995, 36_000),
    (999, 72_000),
    (1000, 110_000),
];

/// Lines of an ordinary length are only for the files whose bytes count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Lengths as in real sessions.
    Real,
    /// Short ones throughout.
    Short,
}

pub(crate) const START_MS: i64 = 1_790_000_000_000;
const MODEL: &str =
    r#""api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5""#;

/// What a session is, beside what is said in it.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) id: &'a str,
    pub(crate) cwd: &'a str,
    pub(crate) start_ms: i64,
    pub(crate) entries: usize,
    pub(crate) lines: Lines,
}

/// Writes a header and so many entries.
pub(crate) fn write_session(
    out: &mut impl Write,
    seed: u64,
    entries: usize,
    lines: Lines,
) -> io::Result<()> {
    let mut rng = Rng::new(seed);
    let pool = Pool::new(&mut rng);
    let id = "01a1ddfb-4699-7700-9c99-078c5356990e";
    let plan = Plan { id, cwd: "/srv/project", start_ms: START_MS, entries, lines };
    write_planned(out, rng, &pool, plan).map(|_| ())
}

/// Writes a session with the words of a pool; gives the id of its leaf.
pub(crate) fn write_planned(
    out: &mut impl Write,
    rng: Rng,
    pool: &Pool,
    plan: Plan<'_>,
) -> io::Result<String> {
    let time = format_iso(plan.start_ms);
    let Plan { id, cwd, .. } = plan;
    write!(out, r#"{{"type":"session","version":3,"id":"{id}","#)?;
    writeln!(out, r#""timestamp":"{time}","cwd":"{cwd}"}}"#)?;
    let mut writer = Writer {
        rng,
        pool,
        lines: plan.lines,
        line: String::new(),
        path: Vec::new(),
        time: plan.start_ms,
        pending: None,
    };
    for at in 0..plan.entries {
        writer.next_entry(at);
        writer.line.push('\n');
        out.write_all(writer.line.as_bytes())?;
    }
    Ok(writer.path.pop().unwrap_or_default())
}

struct Writer<'p> {
    rng: Rng,
    pool: &'p Pool,
    lines: Lines,
    line: String,
    /// The ids from the root to the leaf.
    path: Vec<String>,
    time: i64,
    /// The tool call that waits for its result.
    pending: Option<String>,
}

impl Writer<'_> {
    /// Makes the next line.
    fn next_entry(&mut self, at: usize) {
        self.line.clear();
        self.time += self.rng.between(200, 15_000) as i64;
        if let Some(call) = self.pending.take() {
            return self.tool_result(&call);
        }
        match self.rng.below(1000) {
            _ if at == 0 => self.user(),
            0..=4 => self.compaction(),
            5..=11 => self.branch(),
            12..=17 => self.label(),
            18..=21 => self.plain("model_change", r#""provider":"anthropic","modelId":"opus""#),
            22..=25 => self.plain("thinking_level_change", r#""thinkingLevel":"high""#),
            26..=27 => self.plain("session_info", r#""name":"Fix the reader""#),
            28..=57 => self.custom(),
            58..=67 => self.custom_message(),
            68..=77 => self.bash(),
            78..=217 => self.user(),
            218..=337 => self.assistant(false),
            _ => self.assistant(true),
        }
    }

    /// A length for the text of a line whose other parts have about `other` bytes.
    fn length(&mut self, other: usize) -> usize {
        if self.lines == Lines::Short {
            return self.rng.between(10, 120);
        }
        let place = self.rng.below(1000);
        let above = LENGTHS.iter().position(|&(share, _)| share > place).unwrap_or(1);
        let ((low_share, low), (high_share, high)) = (LENGTHS[above - 1], LENGTHS[above]);
        let whole = low + (high - low) * (place - low_share) / (high_share - low_share);
        let whole = whole + self.rng.below((high - low) / (high_share - low_share) + 1);
        whole.saturating_sub(other).max(8)
    }

    fn begin(&mut self, kind: &str) {
        let id = self.rng.hex(8);
        write_to(&mut self.line, format_args!(r#"{{"type":"{kind}","id":"{id}","#));
        self.end_of_envelope(id);
    }

    fn end_of_envelope(&mut self, id: String) {
        match self.path.last() {
            Some(parent) => write_to(&mut self.line, format_args!(r#""parentId":"{parent}","#)),
            None => self.line.push_str(r#""parentId":null,"#),
        }
        let time = format_iso(self.time);
        write_to(&mut self.line, format_args!(r#""timestamp":"{time}""#));
        self.path.push(id);
    }

    fn message(&mut self, role: &str) {
        self.begin("message");
        write_to(&mut self.line, format_args!(r#","message":{{"role":"{role}","#));
    }

    fn text(&mut self, length: usize) {
        self.pool.push_text(&mut self.rng, length, &mut self.line);
    }

    fn plain(&mut self, kind: &str, rest: &str) {
        self.begin(kind);
        write_to(&mut self.line, format_args!(",{rest}}}"));
    }

    fn user(&mut self) {
        self.message("user");
        let length = self.length(260) / 2;
        self.line.push_str(r#""content":[{"type":"text","text":""#);
        self.text(length);
        let time = self.time;
        write_to(&mut self.line, format_args!(r#""}}],"timestamp":{time}}}}}"#));
    }

    fn assistant(&mut self, calls: bool) {
        self.message("assistant");
        self.line.push_str(r#""content":["#);
        let mut length = self.length(700);
        if self.rng.chance(35) {
            self.line.push_str(r#"{"type":"thinking","thinking":""#);
            self.text(length / 3);
            self.line.push_str(r#"","thinkingSignature":""#);
            let signature = self.rng.between(200, 200 + length / 3);
            self.pool.push_base64(&mut self.rng, signature, &mut self.line);
            self.line.push_str("\"},");
            length = (length / 3).saturating_sub(200);
        }
        if calls {
            let id = format!("toolu_{}", self.rng.hex(24));
            self.line.push_str(r#"{"type":"toolCall","id":""#);
            self.line.push_str(&id);
            self.line.push_str(r#"","name":"bash","arguments":{"command":""#);
            self.text(length);
            self.line.push_str("\",\"timeout\":120}}],");
            self.pending = Some(id);
        } else {
            self.line.push_str(r#"{"type":"text","text":""#);
            self.text(length);
            self.line.push_str("\"}],");
        }
        self.usage(calls);
    }

    fn usage(&mut self, calls: bool) {
        let (input, output) = (self.rng.below(90_000), self.rng.below(4_000));
        let stop = if calls { "toolUse" } else { "stop" };
        let (time, response) = (self.time, self.rng.hex(24));
        let parts = [
            format!(r#"{MODEL},"usage":{{"input":{input},"output":{output},"cacheRead":{input},"#),
            format!(r#""cacheWrite":0,"totalTokens":{input},"cost":{{"input":0.0{input},"#),
            format!(r#""output":0.00{output},"cacheRead":0.000{input},"cacheWrite":0,"#),
            format!(r#""total":0.1{input}}}}},"stopReason":"{stop}","timestamp":{time},"#),
            format!(r#""responseId":"msg_{response}"}}}}"#),
        ];
        self.line.extend(parts);
    }

    fn tool_result(&mut self, call: &str) {
        self.message("toolResult");
        write_to(&mut self.line, format_args!(r#""toolCallId":"{call}","toolName":"bash","#));
        self.line.push_str(r#""content":[{"type":"text","text":""#);
        let length = self.length(330);
        let text = length * 5 / 4;
        self.text(text);
        self.line.push_str("\"}");
        if self.lines == Lines::Real && self.rng.below(500) == 0 {
            self.line.push_str(r#",{"type":"image","data":""#);
            let image = self.rng.between(20_000, 200_000);
            self.pool.push_base64(&mut self.rng, image, &mut self.line);
            self.line.push_str(r#"","mimeType":"image/png"}"#);
        }
        let time = self.time;
        self.line.push_str(r#"],"details":{"truncated":false},"isError":false,"#);
        write_to(&mut self.line, format_args!(r#""timestamp":{time}}}}}"#));
    }

    fn bash(&mut self) {
        self.message("bashExecution");
        self.line.push_str(r#""command":"cargo test","output":""#);
        let length = self.length(330);
        self.text(length);
        let time = self.time;
        self.line.push_str(r#"","exitCode":0,"cancelled":false,"truncated":false,"#);
        write_to(&mut self.line, format_args!(r#""timestamp":{time}}}}}"#));
    }

    /// Pi writes the id of these two behind their data.
    fn custom(&mut self) {
        self.line.push_str(r#"{"type":"custom","customType":"todo","data":{"open":["#);
        let count = self.rng.between(1, 40);
        for at in 0..count {
            let done = self.rng.chance(50);
            let comma = if at == 0 { "" } else { "," };
            write_to(&mut self.line, format_args!(r#"{comma}{{"n":{at},"done":{done}}}"#));
        }
        self.line.push_str("]},");
        self.late_envelope();
    }

    fn custom_message(&mut self) {
        self.line.push_str(r#"{"type":"custom_message","customType":"note","content":""#);
        let length = self.length(260) / 2;
        self.text(length);
        self.line.push_str(r#"","display":true,"#);
        self.late_envelope();
    }

    fn late_envelope(&mut self) {
        let id = self.rng.hex(8);
        write_to(&mut self.line, format_args!(r#""id":"{id}","#));
        self.end_of_envelope(id);
        self.line.push('}');
    }

    fn compaction(&mut self) {
        let back = self.rng.between(20, 80).min(self.path.len() - 1);
        let kept = self.path[self.path.len() - 1 - back].clone();
        self.begin("compaction");
        self.line.push_str(r#","summary":""#);
        self.text(3_000);
        write_to(&mut self.line, format_args!(r#"","firstKeptEntryId":"{kept}","#));
        self.line.push_str(r#""tokensBefore":150000,"details":{"readFiles":["src/main.rs"],"#);
        self.line.push_str(r#""modifiedFiles":[]}}"#);
    }

    /// Goes back some way and leaves a summary of what was left.
    fn branch(&mut self) {
        let left = self.path[self.path.len() - 1].clone();
        let back = self.rng.between(1, 30).min(self.path.len() - 1);
        self.path.truncate(self.path.len() - back);
        self.begin("branch_summary");
        write_to(&mut self.line, format_args!(r#","fromId":"{left}","summary":""#));
        self.text(800);
        self.line.push_str("\"}");
    }

    fn label(&mut self) {
        let back = self.rng.between(0, 40).min(self.path.len() - 1);
        let target = self.path[self.path.len() - 1 - back].clone();
        let number = self.rng.below(1000);
        self.plain("label", &format!(r#""targetId":"{target}","label":"mark {number}""#));
    }
}

fn write_to(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}
