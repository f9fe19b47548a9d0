//! The jobs on our side.

use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use pitree_format::Value;
use pitree_format::draft::Draft;
use pitree_format::js::parse;
use pitree_session::{Durability, Environment, NewSession, OpenOptions, Session};

use crate::timing::timed;

/// The environment of this process, with the system's clock and random bytes as in the command.
pub(crate) fn environment() -> Result<Environment> {
    let random = Mutex::new(fs_err::File::open("/dev/urandom")?);
    let fill = move |buffer: &mut [u8]| {
        if let Ok(mut random) = random.lock() {
            // Short reads leave zeroes, and then the id is taken and drawn anew.
            let _ = random.read(buffer);
        }
    };
    Ok(Environment::new("/tmp", std::env::current_dir()?, now_ms, fill))
}

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// What opening a file took, in milliseconds, and what came out.
pub(crate) struct Opened {
    pub(crate) open_and_tree: f64,
    pub(crate) tree: f64,
    pub(crate) context: f64,
    pub(crate) facts: Facts,
}

impl Opened {
    pub(crate) fn open_and_context(&self) -> f64 {
        self.open_and_tree - self.tree + self.context
    }
}

/// What both sides must agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) entries: usize,
    pub(crate) leaves: usize,
    pub(crate) messages: usize,
}

/// Opens a file, builds its tree and the context at its leaf.
pub(crate) fn open(path: &Path, threads: usize, environment: &Environment) -> Result<Opened> {
    let options = OpenOptions::new().threads(threads);
    let (both, open_and_tree) = timed(|| {
        let session = options.open(path, environment)?;
        let tree = session.tree();
        anyhow::Ok((session, tree))
    });
    let (session, first_tree) = both?;
    let (second_tree, tree) = timed(|| session.tree());
    let (made, context) = timed(|| session.context());
    let messages = made?.messages.len();
    let leaves = first_tree.leaves().count();
    drop(second_tree);
    Ok(Opened {
        open_and_tree,
        tree,
        context,
        facts: Facts { entries: session.len(), leaves, messages },
    })
}

/// How entries are appended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appending {
    OneByOne,
    Batch,
}

/// The message that both sides append: a tool result of about 800 bytes.
pub(crate) fn message() -> String {
    let line = "warning: unused variable: `index` in \\\"src/main.rs\\\"\\n";
    let text = line.repeat(12);
    [
        r#"{"role":"toolResult","toolCallId":"toolu_1","toolName":"bash","#,
        r#""content":[{"type":"text","text":""#,
        &text,
        r#""}],"isError":false,"timestamp":1790000000000}"#,
    ]
    .concat()
}

/// Appends `count` messages to a new session in `folder`; gives the milliseconds.
pub(crate) fn append_new(
    folder: &Path,
    count: usize,
    (durability, how): (Durability, Appending),
    environment: &Environment,
) -> Result<f64> {
    let new = NewSession::default();
    let mut session =
        Session::create_in(Path::new("/srv/project"), folder.to_owned(), &new, environment)?;
    let first = parse(br#"{"role":"user","content":"go","timestamp":1790000000000}"#)?;
    session.append_message(first)?;
    session.set_durability(durability);
    let path = session.path().context("a session without a file")?.to_owned();
    let took = append_to(&mut session, count, how)?;
    fs_err::remove_file(path)?;
    Ok(took)
}

/// Appends `count` messages to a copy of a file that is open already; gives the milliseconds.
pub(crate) fn append_to_copy(
    path: &Path,
    copy: &Path,
    count: usize,
    environment: &Environment,
) -> Result<f64> {
    fs_err::copy(path, copy)?;
    let mut session = Session::open(copy, environment)?;
    append_to(&mut session, 10, Appending::OneByOne)?;
    let took = append_to(&mut session, count, Appending::OneByOne)?;
    fs_err::remove_file(copy)?;
    Ok(took)
}

fn append_to(session: &mut Session, count: usize, how: Appending) -> Result<f64> {
    let message = parse(message().as_bytes())?;
    let messages: Vec<Value> = std::iter::repeat_n(message, count).collect();
    let (result, took) = match how {
        Appending::OneByOne => timed(|| {
            messages.into_iter().try_for_each(|message| session.append_message(message).map(|_| ()))
        }),
        Appending::Batch => {
            let drafts: Vec<Draft> = messages.into_iter().map(Draft::Message).collect();
            timed(|| session.append_all(&drafts).map(|_| ()))
        }
    };
    result?;
    Ok(took)
}
