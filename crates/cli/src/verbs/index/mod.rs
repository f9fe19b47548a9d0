//! `pitree index`: the caches, and the index that is shared with other programs.

mod shared;

use std::path::Path;
use std::time::Duration;

use clap::Args;
use pitree_export::numbers::size;
use pitree_format::{Object, Value};
use pitree_session::cause;
use pitree_session::location::Layout;
use pitree_store::cache::{CacheInfo, cache_directory, caches_in};
use pitree_store::shared_index;

use crate::error::{CommandError, Exit, Result};
use crate::option_values::duration;
use crate::output::Output;
use crate::target::Workspace;
use crate::text::{clean_line, counted};

#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// Build or refresh session-index.sqlite, the index that pi_agent_rust and scripts read
    #[arg(long, conflicts_with_all = ["rebuild", "verify"])]
    shared: bool,

    /// With --shared: also include the sessions that pi_agent_rust rejects
    #[arg(long, requires = "shared")]
    all: bool,

    /// With --shared: how long to wait if another program has locked the index, such as 500ms, 30s
    /// or 2m
    #[arg(long, requires = "shared", value_name = "DURATION", default_value = "15s",
        value_parser = duration)]
    wait: Duration,

    /// Delete the cache and rebuild it
    #[arg(long, conflicts_with = "verify")]
    rebuild: bool,

    /// Read every cached file again and compare
    #[arg(long)]
    verify: bool,
}

pub(crate) fn run(args: &IndexArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    if args.shared {
        return shared::run(args.all, args.wait, workspace, output);
    }
    if args.verify {
        return verify(workspace, output);
    }
    if args.rebuild {
        require_writable(&cache_directory(&workspace.environment), workspace)?;
        let listing = workspace.store().rebuild_caches();
        if !output.json {
            let count = counted(listing.sessions.len(), "session", "sessions");
            output.remark(&format!("re-read {count}"))?;
        }
    }
    show(workspace, output)
}

/// Elsewhere a cache that cannot be written is gone without; here it is what was asked for.
fn require_writable(directory: &Path, workspace: &Workspace) -> Result<()> {
    let probe = fs_err::create_dir_all(directory).map_err(|error| cause(&error).to_string());
    let probe = probe.and_then(|()| {
        let file = tempfile::tempfile_in(directory);
        file.map(|_| ()).map_err(|error| cause(&error).to_string())
    });
    probe.map_err(|reason| CommandError::BadData {
        message: format!("Cannot write the cache in {}: {reason}", workspace.display(directory)),
        hint: Some("make the folder writable, or set XDG_CACHE_HOME to another one".to_owned()),
    })
}

/// Where the caches are, what they know and how large they are.
fn show(workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let directory = cache_directory(&workspace.environment);
    let caches = caches_in(&directory);
    let roots =
        workspace.locations.iter().filter(|workspace| workspace.layout == Layout::PerDirectory);
    let shared: Vec<_> = roots
        .filter_map(|root| Some((root, shared_index::read(&root.path, &workspace.environment)?)))
        .collect();
    if output.json {
        let shared: Vec<Value> = shared
            .iter()
            .map(|(root, list)| {
                let path = shared_index::path_below(&root.path);
                Object::new()
                    .with("path", path.to_string_lossy().into_owned())
                    .with("rows", list.rows.len())
                    .with("current", list.current)
                    .into()
            })
            .collect();
        let value = Object::new()
            .with("directory", directory.to_string_lossy().into_owned())
            .with("caches", caches.iter().map(cache_value).collect::<Vec<Value>>())
            .with("shared", shared);
        output.value(&value.into())?;
        return Ok(Exit::Ok);
    }
    output.line(&format!("caches in {}", clean_line(&workspace.display(&directory))))?;
    if caches.is_empty() {
        output.line("  none yet")?;
    }
    for cache in &caches {
        let state = match cache.files {
            Some(files) => counted(files, "file", "files"),
            None => "damaged; it will be rebuilt".to_owned(),
        };
        let (name, generation, bytes) = (&cache.name, cache.generation, size(cache.bytes as f64));
        output
            .line(&format!("  {} generation {generation}: {state}, {bytes}", clean_line(name)))?;
    }
    for (root, list) in &shared {
        let path = workspace.display(&shared_index::path_below(&root.path));
        let state = if list.current { "current" } else { "not current" };
        let count = counted(list.rows.len(), "session", "sessions");
        output.line(&format!("{}: {count}, {state}", clean_line(&path)))?;
    }
    Ok(Exit::Ok)
}

fn cache_value(cache: &CacheInfo) -> Value {
    Object::new()
        .with("path", cache.path.to_string_lossy().into_owned())
        .with("name", cache.name.as_str())
        .with("generation", cache.generation as usize)
        .with("bytes", cache.bytes as f64)
        .with("files", cache.files.map(|files| files as f64))
        .into()
}

fn verify(workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let verified = workspace.store().verify_cache();
    if output.json {
        let differences: Vec<Value> = verified
            .differences
            .iter()
            .map(|(path, facts)| {
                let facts: Vec<Value> = facts.iter().map(|fact| Value::from(*fact)).collect();
                let path = path.to_string_lossy().into_owned();
                Object::new().with("path", path).with("facts", facts).into()
            })
            .collect();
        let value = Object::new()
            .with("files", verified.files)
            .with("known", verified.known)
            .with("differences", differences);
        output.value(&value.into())?;
    } else {
        for (path, facts) in &verified.differences {
            let path = clean_line(&workspace.display(path));
            output.line(&format!("{path}: the cache differs in {}", facts.join(", ")))?;
        }
        let result = match verified.differences.len() {
            0 => "and is correct".to_owned(),
            count => {
                let rebuild = workspace.command("index", &[], "--rebuild");
                format!("and is wrong about {count}; `{rebuild}` corrects that")
            }
        };
        output.line(&format!(
            "the cache covers {} of {}, {result}",
            verified.known,
            counted(verified.files, "file", "files")
        ))?;
    }
    Ok(if verified.differences.is_empty() { Exit::Ok } else { Exit::BadData })
}
