//! Which session comes first: pitree and fast-resume on the queries of the ranking test.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use pitree_format::Value;
use pitree_format::js::parse;
use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::search::{Query, SearchOptions, SessionSearch};
use pitree_store::{Scope, Store};
use pitree_testkit::{RankedQuery, held_out_queries, ranking_queries, write_ranking_store};

use crate::corpus::target_folder;
use crate::peers;

/// 2026-02-02, of which the sessions are so many days old.
const NOW_MS: i64 = 1_770_000_000_000;

/// Prints how often each of them has the right session first.
pub(crate) fn report() -> Result<()> {
    let folder = target_folder()?.join("bench-ranking");
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    let sessions = folder.join("agent/sessions/--home-u--");
    fs_err::create_dir_all(&sessions)?;
    write_ranking_store(&sessions, NOW_MS)?;
    let environment = Environment::new(&folder, &folder, || NOW_MS, |bytes| bytes.fill(7));
    let (path, layout) = (sessions.clone(), Layout::Flat);
    let location = Location { path, layout, origin: Origin::SessionDirFlag };
    let store = Store::new(vec![location], &environment);
    let fast_resume = peers::fast_resume();
    for (set, queries) in [("tuned on", ranking_queries()), ("held out", held_out_queries())] {
        println!("{} queries, {set}", queries.len());
        score("pitree search", &queries, |typed| {
            let options = SearchOptions { scope: Scope::All, conversation: false, limit: 1000 };
            let found = store.search(&Query::parse(typed, NOW_MS)?, &options);
            Ok(each_once(found.hits.into_iter().map(|hit| hit.session.id)))
        })?;
        score("pitree picker", &queries, |typed| {
            let search = SessionSearch { scope: Scope::All, is_wanted: &|| true };
            let found = store.search_sessions(&Query::parse(typed, NOW_MS)?, &search);
            let files = found.unwrap_or_default().into_iter().map(|found| found.path);
            Ok(files.map(|path| path.to_string_lossy().into_owned()).collect())
        })?;
        match &fast_resume {
            Ok(program) => score("fast-resume", &queries, |query| {
                let mut command = tool(program, &folder);
                command.args(["--json", "--limit", "50", "--", query]);
                sessions_of(&mut command, every_session)
            })?,
            Err(error) => println!("  fast-resume cannot be had: {error:#}"),
        }
    }
    Ok(())
}

fn tool(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("XDG_DATA_HOME", folder.join("cache"))
        .env("PI_CODING_AGENT_DIR", folder.join("agent"))
        .env_remove("PI_CODING_AGENT_SESSION_DIR")
        .env_remove("PI_SESSIONS_DIR");
    command
}

/// What a tool finds, each session once. Nothing found is no error.
fn sessions_of(command: &mut Command, read: impl Fn(&Value) -> Vec<String>) -> Result<Vec<String>> {
    let output = command.output()?;
    let Ok(answer) = parse(&output.stdout) else { return Ok(Vec::new()) };
    Ok(each_once(read(&answer).into_iter()))
}

fn each_once(found: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    found.filter(|found| seen.insert(found.clone())).collect()
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get_string(name).map(ToString::to_string)
}

/// The ids or files in fast-resume's list.
fn every_session(answer: &Value) -> Vec<String> {
    let list = answer.as_array().or_else(|| answer.get("sessions")?.as_array());
    list.unwrap_or_default().iter().filter_map(|session| text(session, "id")).collect()
}

fn score(
    name: &str,
    queries: &[RankedQuery],
    find: impl Fn(&str) -> Result<Vec<String>>,
) -> Result<()> {
    let (mut first, mut in_three) = (0, 0);
    for query in queries {
        let found = find(&query.text).with_context(|| query.text.clone())?;
        let is_right = |found: &String| {
            let name = found.rsplit(['/', '_']).next().unwrap_or(found);
            query.best.iter().any(|best| name.trim_end_matches(".jsonl") == best)
        };
        let place = found.iter().position(is_right);
        first += usize::from(place == Some(0));
        in_three += usize::from(place.is_some_and(|place| place < 3));
    }
    let percent = |count: usize| count as f64 * 100.0 / queries.len() as f64;
    println!(
        "  {name:<14} first {first:3} ({:.0} %), in the first three {in_three:3} ({:.0} %)",
        percent(first),
        percent(in_three)
    );
    Ok(())
}
