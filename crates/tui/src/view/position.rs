//! The position in the session: what is in memory, what the file says, and how it is saved.

use pitree_host::live::{LiveError, LiveSession};
use pitree_session::{OpenOptions, Session, SessionError};

/// Whether the session has a file, or had one that somebody removed.
pub(crate) fn has_had_file(session: &Session) -> bool {
    session.file_len() > 0 || session.path().is_some_and(std::path::Path::exists)
}

/// Whether there is a position to be saved: the file says another one, or somebody removed it.
pub(crate) fn is_unsaved(session: &Session) -> bool {
    let is_there = session.path().is_some_and(std::path::Path::exists);
    has_had_file(session) && (!session.is_at_last_entry() || !is_there)
}

/// Saves the position: makes it the last line of the file, so that whoever opens the session
/// resumes there. `false` if it already exists, or if there has never been a file. A file that
/// was removed meanwhile is written again, as by every append. The mark of a position before the
/// first entry is a new root.
pub(crate) fn save(live: &mut LiveSession) -> Result<bool, LiveError> {
    let is_due = is_unsaved(live.session());
    if is_due {
        live.session_mut().save_position()?;
    }
    Ok(is_due)
}

/// What another program has done to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileChange {
    /// Nothing, or it appended what follows from the current position.
    On,
    /// It appended something that does not.
    Elsewhere,
    /// Another file has its name, and was read. The position is the same.
    Replaced,
    /// It is not what it was: it was cut off, or is another one without the current position. It
    /// was opened as for the first time.
    Reopened,
}

/// Reads what others did to the file, and goes on with what follows from the current position.
pub(crate) fn follow(live: &mut LiveSession) -> Result<FileChange, LiveError> {
    let session = live.session_mut();
    if session.file_len() == 0 && session.path().is_some_and(std::path::Path::exists) {
        // Somebody else has written the file that this session was going to have.
        open_again(session)?;
        return Ok(FileChange::On);
    }
    let identity = session.file_identity();
    match follow_appended(session) {
        Err(SessionError::Changed { .. }) => {
            open_again(session)?;
            Ok(FileChange::Reopened)
        }
        Ok(_) if session.file_identity() != identity => Ok(FileChange::Replaced),
        followed => Ok(followed?),
    }
}

fn open_again(session: &mut Session) -> Result<(), SessionError> {
    let Some(path) = session.path() else { return Ok(()) };
    let options = OpenOptions::new().cwd(session.cwd());
    *session = options.open(path, session.environment())?;
    Ok(())
}

fn follow_appended(session: &mut Session) -> Result<FileChange, SessionError> {
    let known = session.len();
    let was_empty = known == 0;
    let leaf = session.leaf().map(|leaf| leaf.index());
    if session.refresh()? == 0 {
        return Ok(FileChange::On);
    }
    let (mut last, mut elsewhere) = (leaf, false);
    // Entry by entry: what follows the leaf, or something new that does.
    let mut follows = vec![false; session.len() - known];
    for entry in session.entries().skip(known) {
        let parent = entry.parent().map(|parent| parent.index());
        let is_next = match parent {
            Some(parent) if parent >= known => follows[parent - known],
            parent => parent == leaf && (leaf.is_some() || was_empty),
        };
        follows[entry.index() - known] = is_next;
        if is_next {
            last = Some(entry.index());
        } else {
            elsewhere = true;
        }
    }
    if last != leaf
        && let Some(id) = last.and_then(|at| session.at(at)).map(|entry| entry.id().to_owned())
    {
        session.branch(&id)?;
    }
    Ok(if elsewhere { FileChange::Elsewhere } else { FileChange::On })
}

/// Goes to the end of the file, where the program stood that had the session meanwhile.
pub(crate) fn go_to_end(live: &mut LiveSession) -> Result<(), LiveError> {
    let session = live.session_mut();
    session.refresh()?;
    let last = session.entries().next_back().map(|entry| entry.id().to_owned());
    if let Some(id) = last {
        session.branch(&id)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pitree_format::{Object, Value};
    use pitree_host::live::LiveOptions;
    use pitree_session::compaction::NavigateOptions;
    use pitree_session::summary::Cancel;
    use pitree_session::{Environment, NewSession};

    use super::*;

    fn environment() -> Environment {
        let next = std::sync::atomic::AtomicU64::new(1);
        let random = move |bytes: &mut [u8]| {
            let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_le_bytes();
            bytes.iter_mut().zip(number.iter().cycle()).for_each(|(byte, new)| *byte = *new);
        };
        Environment::new("/home/ana", "/srv", || 1_770_159_126_410, random)
    }

    fn say(session: &mut Session, text: &str) -> String {
        let message: Value = Object::new().with("role", "user").with("content", text).into();
        session.append_message(message).unwrap().id
    }

    /// Two programs that have the same session open.
    fn two(folder: &std::path::Path) -> (LiveSession, Session, Vec<String>) {
        let environment = environment();
        let new = NewSession::default();
        let mut session =
            Session::create_in("/srv", folder.to_owned(), &new, &environment).unwrap();
        let ids = ["one", "two", "three"].map(|text| say(&mut session, text)).to_vec();
        let other = Session::open(session.path().unwrap(), &environment).unwrap();
        (LiveSession::new(session, LiveOptions::default()), other, ids)
    }

    #[test]
    fn what_follows_is_followed_and_what_does_not_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (mut live, mut other, ids) = two(folder.path());
        assert_eq!(follow(&mut live).unwrap(), FileChange::On);
        say(&mut other, "four");
        let last = say(&mut other, "five");
        assert_eq!(follow(&mut live).unwrap(), FileChange::On);
        assert_eq!(live.session().leaf_id(), Some(last.as_str()));
        other.branch(&ids[0]).unwrap();
        say(&mut other, "elsewhere");
        assert_eq!(follow(&mut live).unwrap(), FileChange::Elsewhere);
        assert_eq!(live.session().leaf_id(), Some(last.as_str()));
    }

    #[test]
    fn a_place_that_was_moved_to_is_not_left_when_the_old_branch_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let (mut live, mut other, ids) = two(folder.path());
        live.session_mut().branch(&ids[0]).unwrap();
        say(&mut other, "four");
        assert_eq!(follow(&mut live).unwrap(), FileChange::Elsewhere);
        assert_eq!(live.session().leaf_id(), Some(ids[0].as_str()));
    }

    #[test]
    fn a_position_is_saved_once() {
        let folder = tempfile::tempdir().unwrap();
        let (mut live, _, ids) = two(folder.path());
        assert!(!save(&mut live).unwrap());
        assert_eq!(live.session().len(), 3);
        // A user message is edited and resent, so the position is before it.
        live.navigate_tree(&ids[1], NavigateOptions::default(), &Cancel::new()).unwrap();
        assert!(save(&mut live).unwrap());
        assert!(!save(&mut live).unwrap());
        assert_eq!(live.session().len(), 4);
        let again = Session::open(live.session().path().unwrap(), &environment()).unwrap();
        assert_eq!(again.leaf().unwrap().parent_id(), Some(ids[0].as_str()));
    }

    #[test]
    fn a_position_is_saved_even_if_the_file_was_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (mut live, _, ids) = two(folder.path());
        let path = live.session().path().unwrap().to_owned();
        fs_err::remove_file(&path).unwrap();
        assert!(is_unsaved(live.session()));
        assert!(save(&mut live).unwrap());
        assert!(!is_unsaved(live.session()));
        let again = Session::open(&path, &environment()).unwrap();
        assert_eq!(again.len(), 4);
        assert_eq!(again.leaf().unwrap().parent_id(), Some(ids[2].as_str()));
    }
}
