//! Which request is answered by what.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use pitree_session::TreeFilter;
use serde::Deserialize;
use tokio::time::timeout;

use crate::answer::{Answer, Json, Problem};
use crate::edit::Edit;
use crate::key::{Key, Name};
use crate::opened::OpenSession;
use crate::rows::Window;
use crate::sessions::{ListQuery, Wanted};
use crate::spend::SpendQuery;
use crate::state::App;
use crate::{
    assets, context, delete, edit, events, family, find, gate, requests, rows, session, sessions,
    spend, tree,
};

/// The longest body of a request.
const BODY_BYTES: usize = 64 << 10;

/// So long it may take to arrive.
const BODY: Duration = Duration::from_secs(5);

/// What part of a session is asked for. Each kind of answer looks at some of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PartQuery {
    leaf: Option<usize>,
    at: Option<usize>,
    from: Option<usize>,
    count: Option<usize>,
    brief: Option<u8>,
    line: Option<u64>,
    id: Option<String>,
    filter: String,
    q: String,
}

impl PartQuery {
    fn window(&self) -> Window {
        Window::new(self.from, self.count)
    }

    fn filter(&self, usual: TreeFilter) -> Result<TreeFilter, Problem> {
        match self.filter.as_str() {
            "" => Ok(usual),
            "user" => Ok(TreeFilter::UserOnly),
            "labeled" => Ok(TreeFilter::LabeledOnly),
            name => TreeFilter::ALL
                .into_iter()
                .find(|filter| filter.name() == name)
                .ok_or_else(|| Problem::bad_request(format!("There is no filter {name}"))),
        }
    }

    fn at(&self) -> Result<usize, Problem> {
        self.at.ok_or_else(|| Problem::bad_request("An entry is needed: at=N"))
    }
}

type Part = Result<Query<PartQuery>, axum::extract::rejection::QueryRejection>;

/// All routes, behind the gate.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(assets::page))
        .route("/assets/{name}", get(assets::asset))
        .route("/api/sessions", get(list))
        .route("/api/projects", get(projects))
        .route("/api/spend", get(spending))
        .route("/api/stats", get(stats))
        .route("/api/events", get(events::events))
        .route("/api/sessions/{key}", get(head))
        .route("/api/sessions/{key}/{part}", get(part))
        .route("/api/sessions/{key}/{part}", post(change))
        .fallback(|| async { Problem::not_found("Unknown address") })
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(from_fn_with_state(Arc::clone(&app), gate::guard))
        .with_state(app)
}

async fn list(
    State(app): State<Arc<App>>,
    query: Result<Query<ListQuery>, axum::extract::rejection::QueryRejection>,
) -> Answer {
    let Query(query) = query.map_err(|error| Problem::bad_request(error.body_text()))?;
    // Dropped with the request: whoever types on does not wait for what was typed before.
    let (_wanted, is_wanted) = Wanted::new();
    app.work(move |app| sessions::window(app, &query, &is_wanted)).await
}

async fn projects(State(app): State<Arc<App>>) -> Answer {
    app.work(sessions::projects).await
}

async fn spending(
    State(app): State<Arc<App>>,
    query: Result<Query<SpendQuery>, axum::extract::rejection::QueryRejection>,
) -> Answer {
    let Query(query) = query.map_err(|error| Problem::bad_request(error.body_text()))?;
    app.work(move |app| spend::spend(app, &query)).await
}

async fn stats(State(app): State<Arc<App>>) -> Answer {
    app.work(spend::stats).await
}

async fn head(State(app): State<Arc<App>>, Path(name): Path<String>) -> Answer {
    let name = name_of(&name)?;
    app.work(move |app| session::head(app, &name)).await
}

async fn part(
    State(app): State<Arc<App>>,
    Path((name, part)): Path<(String, String)>,
    query: Part,
) -> Answer {
    let name = name_of(&name)?;
    let Query(query) = query.map_err(|error| Problem::bad_request(error.body_text()))?;
    app.work(move |app| match part.as_str() {
        "family" => family::whole(app, &name),
        "deletion" => delete::preview(app, listed(&name)?),
        part => app.with_session(&name, |opened| answer_part(app, opened, part, &query)),
    })
    .await
}

fn answer_part(app: &App, opened: &mut OpenSession, part: &str, query: &PartQuery) -> Answer {
    match part {
        "rows" => {
            let (leaf, is_brief) = (query.leaf, query.brief.is_some());
            rows::window(opened, leaf, query.filter(TreeFilter::All)?, &query.window(), is_brief)
        }
        "path" => rows::path(opened, query.leaf, query.filter(TreeFilter::All)?),
        "entry" => rows::one(opened, query.at()?),
        "locate" => rows::locate(opened, query.at, query.line, query.id.as_deref()),
        "lanes" => session::lanes(opened, &query.window()),
        "marks" => session::marks(opened),
        "tree" => {
            tree::window(opened, query.filter(TreeFilter::Default)?, &query.window(), query.at)
        }
        "find" => find::find(app, opened, &query.q),
        "context" => {
            let leaf = opened.leaf_or(query.at)?;
            Ok(Json::of(context::at(&opened.session, leaf, &app.windows, None)?))
        }
        "request" => requests::of_reply(opened, query.at()?, query.from),
        _ => Err(Problem::not_found("Unknown address")),
    }
}

async fn change(
    State(app): State<Arc<App>>,
    Path((name, part)): Path<(String, String)>,
    request: Request,
) -> Answer {
    let late = |_| Problem::new(StatusCode::REQUEST_TIMEOUT, "The change took too long to arrive");
    let body = timeout(BODY, Bytes::from_request(request, &())).await.map_err(late)?;
    let body = body.map_err(|error| Problem::new(error.status(), error.body_text()))?;
    let key = listed(&name_of(&name)?)?;
    let edit = match part.as_str() {
        "name" => Edit::Name,
        "label" => Edit::Label,
        "goto" => Edit::Goto,
        "delete" => Edit::Delete,
        _ => return Err(Problem::new(StatusCode::NOT_FOUND, "Unknown address")),
    };
    app.work(move |app| edit::change(app, key, edit, &body)).await
}

fn name_of(text: &str) -> Result<Name, Problem> {
    text.parse().map_err(|()| Problem::bad_request("This is not the key of a session"))
}

/// The key of what may be changed.
fn listed(name: &Name) -> Result<Key, Problem> {
    let message = "The record of a sub-agent cannot be changed here";
    name.runs.is_empty().then_some(name.session).ok_or_else(|| Problem::bad_request(message))
}
