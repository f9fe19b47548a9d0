//! Text as it stands in session files: source code, prose, terminal output, base64.

use std::ops::Range;

use pitree_testkit::Rng;

/// Lines of text to draw from; a longer text repeats them.
const POOL_LINES: usize = 20_000;

/// The same for [`Pool::rich`], and the names in them.
const RICH_LINES: usize = 60_000;
const RICH_NAMES: usize = 30_000;

const SYLLABLES: [&str; 24] = [
    "ba", "cor", "den", "fil", "ga", "hun", "in", "jo", "kel", "lo", "mar", "ni", "or", "pro",
    "qui", "ras", "sto", "tem", "u", "ver", "wan", "xi", "yo", "zen",
];

const WORDS: [&str; 40] = [
    "let", "self", "fn", "return", "match", "session", "entries", "the", "parent", "const",
    "import", "if", "else", "for", "index", "value", "Result", "await", "string", "offset", "test",
    "should", "not", "found", "path", "config", "write", "read", "buffer", "line", "message",
    "and", "of", "cargo", "build", "error", "expected", "=>", "==", "&&",
];

/// Pieces that stand in real sessions now and then, escaped as JSON.
const RARE: [&str; 10] = [
    "\\u001b[32m",
    "\\u001b[0m",
    "日本語のテスト",
    "—",
    "é",
    "🦀",
    "\\\\d+\\\\.",
    "C:\\\\src\\\\main",
    "├──",
    "✓",
];

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Text that is escaped already, so that a long one is a copy.
pub(crate) struct Pool {
    escaped: String,
    /// The lines, each with its `\n` at the end.
    lines: Vec<Range<usize>>,
    base64: String,
}

impl Pool {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let mut escaped = String::new();
        let mut lines = Vec::with_capacity(POOL_LINES);
        for _ in 0..POOL_LINES {
            let start = escaped.len();
            push_line(rng, &mut escaped);
            lines.push(start..escaped.len());
        }
        let base64 = (0..300_000).map(|_| char::from(rng.pick(BASE64))).collect();
        Self { escaped, lines, base64 }
    }

    /// A pool for many sessions: more lines, and thousands of names of which most are rare.
    pub(crate) fn rich(rng: &mut Rng) -> Self {
        let names: Vec<String> = (0..RICH_NAMES).map(|_| name(rng)).collect();
        let mut pool = Self::new(rng);
        for _ in 0..RICH_LINES {
            let start = pool.escaped.len();
            for _ in 0..rng.between(1, 4) {
                // The least of three draws: the first names are common, the last ones rare.
                let at = (0..3).map(|_| rng.below(names.len())).min().unwrap_or(0);
                pool.escaped.push_str(&names[at]);
                pool.escaped.push(' ');
            }
            push_line(rng, &mut pool.escaped);
            pool.lines.push(start..pool.escaped.len());
        }
        rng.shuffle(&mut pool.lines);
        pool
    }

    /// Appends whole lines of about `length` bytes together.
    pub(crate) fn push_text(&self, rng: &mut Rng, length: usize, out: &mut String) {
        let mut left = length;
        let mut at = rng.below(self.lines.len());
        while left > 0 {
            let line = &self.escaped[self.lines[at].clone()];
            out.push_str(line);
            left = left.saturating_sub(line.len());
            at = (at + 1) % self.lines.len();
        }
    }

    /// Appends so many characters of base64.
    pub(crate) fn push_base64(&self, rng: &mut Rng, length: usize, out: &mut String) {
        let length = length.min(self.base64.len());
        let start = rng.between(0, self.base64.len() - length);
        out.push_str(&self.base64[start..start + length]);
    }
}

/// A word or a name from source code.
fn name(rng: &mut Rng) -> String {
    let mut name = String::new();
    for at in 0..rng.between(2, 5) {
        if at > 1 && rng.chance(20) {
            name.push('_');
        }
        name.push_str(rng.pick(&SYLLABLES));
    }
    name
}

/// One line of something like source code or terminal output, with its line feed.
fn push_line(rng: &mut Rng, out: &mut String) {
    let indent = rng.weighted(&[(4, 0), (3, 4), (2, 8), (1, 12)]);
    let tabs = rng.chance(12);
    for _ in 0..indent / 4 {
        out.push_str(if tabs { "\\t" } else { "    " });
    }
    for at in 0..rng.weighted(&[(1, 0), (2, 2), (3, 5), (3, 8), (2, 13)]) {
        if at > 0 {
            out.push(' ');
        }
        match rng.below(100) {
            0..=3 => out.push_str(rng.pick(&RARE)),
            4..=8 => {
                out.push_str("\\\"");
                out.push_str(rng.pick(&WORDS));
                out.push_str("\\\"");
            }
            9..=20 => {
                out.push_str(rng.pick(&WORDS));
                out.push_str("();");
            }
            _ => out.push_str(rng.pick(&WORDS)),
        }
    }
    out.push_str("\\n");
}
