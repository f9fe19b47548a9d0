//! Which programs are extensions.
//!
//! Only the user's own configuration names them: `$XDG_CONFIG_HOME/pitree/extensions` (or
//! `~/.config/pitree/extensions`) and `<agent folder>/pitree/extensions`. A project and a session
//! file never do. A file that somebody else could change is refused, because running it would
//! give that somebody the user's account.

use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::events::Trouble;
use pitree_session::Environment;
use pitree_session::location::agent_directory;

/// Bits that let the group or everybody write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
const EXECUTABLE: u32 = 0o111;

/// What was found in the folders of extensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Programs that may run, in the order in which they hear: by folder, then by name.
    pub programs: Vec<PathBuf>,
    /// Files that look like extensions but may not run, and why.
    pub refused: Vec<Trouble>,
}

/// The folders that hold extensions, whether they exist or not.
pub fn extension_directories(environment: &Environment) -> [PathBuf; 2] {
    // A relative path would count from a project.
    let config =
        environment.var("XDG_CONFIG_HOME").map(Path::new).filter(|path| path.is_absolute());
    let config = config.map_or_else(|| environment.home().join(".config"), Path::to_owned);
    [
        config.join("pitree").join("extensions"),
        agent_directory(environment).join("pitree").join("extensions"),
    ]
}

/// Looks for extensions.
pub fn find(environment: &Environment) -> Found {
    let mut found = Found::default();
    for folder in extension_directories(environment) {
        let Ok(entries) = fs_err::read_dir(&folder) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| !is_hidden(path));
        files.sort();
        for path in files {
            match judge(&folder, &path) {
                Verdict::Runs(program) if found.programs.contains(&program) => {}
                Verdict::Runs(program) => found.programs.push(program),
                Verdict::NoExtension => {}
                Verdict::Refused(problem) => {
                    let observer = path.display().to_string();
                    found.refused.push(Trouble { observer, event: None, problem });
                }
            }
        }
    }
    found
}

enum Verdict {
    /// The program, with links followed.
    Runs(PathBuf),
    NoExtension,
    Refused(String),
}

fn judge(folder: &Path, path: &Path) -> Verdict {
    // A link that leads nowhere, or a file that is gone by now, is nothing to talk about.
    let Ok(program) = fs_err::canonicalize(path) else { return Verdict::NoExtension };
    let Ok(metadata) = fs_err::metadata(&program) else { return Verdict::NoExtension };
    if !metadata.is_file() {
        return Verdict::NoExtension;
    }
    if metadata.mode() & EXECUTABLE == 0 {
        return if begins_like_a_script(&program) {
            let advice = format!("chmod u+x {}", program.display());
            Verdict::Refused(format!("is not executable, so it does not run; `{advice}` helps"))
        } else {
            Verdict::NoExtension
        };
    }
    let own_folder = program.parent().unwrap_or(Path::new("/"));
    for place in [&*program, own_folder, folder] {
        if let Some(problem) = unsafe_because(place) {
            return Verdict::Refused(problem);
        }
    }
    Verdict::Runs(program)
}

/// Why somebody else could change what lies here.
fn unsafe_because(place: &Path) -> Option<String> {
    let Ok(metadata) = fs_err::metadata(place) else {
        return Some(format!("{} cannot be read", place.display()));
    };
    let shown = place.display();
    if !belongs_to_user(&metadata) {
        return Some(format!("{shown} belongs to another user, so the extension does not run"));
    }
    (metadata.mode() & WRITABLE_BY_OTHERS != 0).then(|| {
        format!(
            "others may write to {shown}, so the extension does not run; run `chmod go-w {shown}`"
        )
    })
}

fn belongs_to_user(metadata: &Metadata) -> bool {
    metadata.uid() == 0 || metadata.uid() == rustix::process::geteuid().as_raw()
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'))
}

fn begins_like_a_script(path: &Path) -> bool {
    let mut start = [0; 2];
    let file = fs_err::File::open(path);
    file.and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"#!"
}
