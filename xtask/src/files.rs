//! The files that belong to the project: tracked by git, or new and not ignored.

use std::path::Path;

use anyhow::Result;

use crate::process::Workspace;

/// Folders that are never part of the project, for a checkout without git.
const FOREIGN_FOLDERS: [&str; 4] = [".git", "target", "node_modules", "corpus"];

/// One file of the project that is text.
pub(crate) struct SourceFile {
    /// Relative to the root, with `/` between the parts.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn extension(&self) -> &str {
        Path::new(&self.path).extension().and_then(|ext| ext.to_str()).unwrap_or_default()
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Every text file of the project, sorted by path. Binary files are left out.
pub(crate) fn list(workspace: &Workspace) -> Result<Vec<SourceFile>> {
    let mut paths = match listed_by_git(workspace) {
        Some(paths) => paths,
        None => {
            let mut paths = Vec::new();
            walk(&workspace.root, "", &mut paths)?;
            paths
        }
    };
    paths.sort_unstable();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        let full = workspace.root.join(&path);
        // A deleted file is still listed until the deletion is committed.
        if !full.is_file() {
            continue;
        }
        if let Ok(text) = String::from_utf8(fs_err::read(&full)?)
            && !text.contains('\0')
        {
            files.push(SourceFile { path, text });
        }
    }
    Ok(files)
}

fn listed_by_git(workspace: &Workspace) -> Option<Vec<String>> {
    let args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let output = workspace.command("git", &args).output().ok()?;
    let listed = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<_> = listed.split_terminator('\0').map(str::to_owned).collect();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) -> Result<()> {
    for entry in fs_err::read_dir(root.join(folder))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() && !FOREIGN_FOLDERS.contains(&name.as_str()) {
            walk(root, &path, paths)?;
        } else if kind.is_file() {
            paths.push(path);
        }
    }
    Ok(())
}
