//! What is wrong with the file of a session, for a notice above its conversation.

use pitree_export::harmless::clean_line;
use pitree_format::{Object, Value};
use pitree_session::{LineProblem, Session, SessionError, Severity};

use crate::answer::{Problem, list};

/// So many problems are named; `pitree check` lists all.
const MOST: usize = 20;

/// Why no more problems are looked for.
enum Stop {
    Enough,
    Failed(SessionError),
}

impl From<SessionError> for Stop {
    fn from(error: SessionError) -> Self {
        Self::Failed(error)
    }
}

/// The first problems of a damaged file. A file whose lines are all there is not looked through.
pub(crate) fn of(session: &Session) -> Result<Value, Problem> {
    let is_bad = session.odd_lines().iter().any(|line| line.what != LineProblem::Header);
    let mut found = Vec::new();
    if is_bad || session.cut_off().is_some() {
        let looked = session.each_finding(|finding| {
            if finding.severity == Severity::Damage {
                found.push(finding);
            }
            if found.len() < MOST { Ok(()) } else { Err(Stop::Enough) }
        });
        if let Err(Stop::Failed(error)) = looked {
            return Err(error.into());
        }
    }
    Ok(list(found, |finding| {
        Object::new()
            .with("line", finding.line as f64)
            .with("text", clean_line(&finding.text).into_owned())
            .with("advice", finding.advice)
            .into()
    }))
}
