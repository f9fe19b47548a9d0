//! The few changes that the page may make, if the user allowed it at the start.

use pitree_format::Object;
use pitree_format::Value;
use pitree_format::js::parse;
use pitree_session::{Durability, OpenOptions, Session, WriteOptions};
use pitree_store::shared_index::Announcement;

use crate::answer::{Answer, Json, Problem};
use crate::delete;
use crate::key::Key;
use crate::state::App;

/// What is to be changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edit {
    Name,
    Label,
    Goto,
    Delete,
}

/// Makes a change that is described by a JSON object.
pub(crate) fn change(app: &App, key: Key, edit: Edit, body: &[u8]) -> Answer {
    let wrong = || Problem::bad_request("A change is a JSON object");
    let body = parse(body).map_err(|_| wrong())?;
    let body = body.as_object().ok_or_else(wrong)?;
    if matches!(edit, Edit::Delete) {
        return delete::delete(app, key, body);
    }
    let snapshot = app.snapshots.get(&app.store);
    let path = &snapshot.sessions[snapshot.place(key)?].path;
    let _change = Announcement::changing(app.store.locations(), &[path], &app.environment);
    let writing = WriteOptions::new().durability(Durability::Durable);
    // A file of an old version is not migrated from here: that takes a yes.
    let mut session = OpenOptions::new().writing(writing).open(path, &app.environment)?;
    match edit {
        Edit::Name => {
            let name = text(body, "name")?;
            session.append_session_info(name.as_str())?;
        }
        Edit::Label => {
            let id = entry_id(&session, body)?;
            let label = Some(text(body, "label")?).filter(|label| !label.trim().is_empty());
            session.append_label(id.as_str(), label.as_deref())?;
        }
        Edit::Goto => {
            let id = entry_id(&session, body)?;
            session.branch(id.as_str())?;
            session.save_position()?;
        }
        Edit::Delete => {}
    }
    app.snapshots.expire();
    Ok(Json::of(Object::new().with("done", true)))
}

/// A text of a change. One that is missing clears nothing: only an empty one does.
fn text(body: &Object, name: &str) -> Result<String, Problem> {
    let text = body.get(name).and_then(Value::as_string).map(|text| text.to_text().into_owned());
    text.ok_or_else(|| Problem::bad_request(format!("`{name}` is not a string")))
}

fn entry_id(session: &Session, body: &Object) -> Result<String, Problem> {
    let at = body.get("at").and_then(Value::as_number);
    let at = at.filter(|at| *at >= 0.0 && at.fract() == 0.0);
    let entry = at.and_then(|at| session.at(at as usize));
    let entry = entry.ok_or_else(|| Problem::not_found("This entry is not there"))?;
    Ok(entry.id().to_owned())
}
