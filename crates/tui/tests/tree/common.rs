//! Sessions and an environment for the tests.

use std::path::Path;

use pitree_session::{Environment, Session};
use pitree_tui::tree::{TreeLine, TreeModel, lines};

/// 2026-03-17T12:00:00Z
pub(crate) const NOW_MS: i64 = 1_773_748_800_000;
/// Of Kathmandu, all the year round; what Pi is told too.
const ZONE_MINUTES: i32 = 5 * 60 + 45;
pub(crate) const HOME: &str = "/home/ana";

pub(crate) fn environment() -> Environment {
    let next = std::sync::atomic::AtomicU64::new(1);
    let random = move |bytes: &mut [u8]| {
        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_be_bytes();
        bytes.iter_mut().zip(number.iter().rev().cycle()).for_each(|(to, from)| *to = *from);
    };
    let environment = Environment::new(HOME, "/srv/project", || NOW_MS, random);
    environment.with_zone(|_| ZONE_MINUTES)
}

pub(crate) fn open(path: &Path) -> Session {
    Session::open(path, &environment()).unwrap()
}

/// The lines of the tree as plain text, with the cursor.
pub(crate) fn drawn(
    model: &mut TreeModel,
    session: &Session,
    columns: usize,
    height: usize,
) -> Vec<String> {
    lines(model, session, (columns, height)).iter().map(plain).collect()
}

fn plain(line: &TreeLine) -> String {
    let cursor = if line.is_selected { "› " } else { "  " };
    line.parts.iter().fold(cursor.to_owned(), |text, (_, part)| text + part)
}

/// The lines of a session in the making.
pub(crate) struct Lines(String);

impl Lines {
    /// So many entries, each below one that `parent_of` chooses among those before it. Most are
    /// messages of the user and the assistant, some are labels and changes of the model.
    pub(crate) fn grow(count: usize, mut parent_of: impl FnMut(usize) -> Option<usize>) -> Self {
        let mut lines = String::from(concat!(
            r#"{"type":"session","version":3,"id":"s1","#,
            r#""timestamp":"2026-03-17T10:00:00.000Z","cwd":"/srv/project"}"#,
            "\n"
        ));
        for at in 0..count {
            let parent = match parent_of(at).filter(|parent| *parent < at) {
                Some(parent) => format!(r#""{parent:08x}""#),
                None => "null".to_owned(),
            };
            let body = match at % 16 {
                7 => r#""type":"model_change","provider":"p","modelId":"m1""#.to_owned(),
                11 => {
                    let target = at / 2;
                    format!(r#""type":"label","targetId":"{target:08x}","label":"mark {at}""#)
                }
                even if even % 2 == 0 => message("user", &format!("question {at}")),
                _ => message("assistant", &format!("answer {at}")),
            };
            let (minutes, seconds) = (at / 60 % 60, at % 60);
            let time = format!("2026-03-17T11:{minutes:02}:{seconds:02}.000Z");
            lines += &format!(
                "{{{body},\"id\":\"{at:08x}\",\"parentId\":{parent},\"timestamp\":\"{time}\"}}\n"
            );
        }
        Self(lines)
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

fn message(role: &str, text: &str) -> String {
    format!(
        r#""type":"message","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}],"timestamp":1773745200000}}"#
    )
}
