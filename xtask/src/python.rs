//! The Python package: built as a wheel, installed from its file into a fresh environment without a
//! network, and tested there. On the oldest Python that it is for, if that is here, it is at least
//! imported and asked something.
//!
//! What builds and tests it lies in an environment of its own, `<target>/python`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::consumers;
use crate::process::{self, Workspace};

/// The folder of the package.
const PACKAGE: &str = "crates/python";

/// The oldest Python that the package is for.
const OLDEST: &str = "python3.9";

/// Builds and tests the package; `false` if that is not possible on this machine.
pub(crate) fn test(workspace: &Workspace) -> Result<bool> {
    let Some(tools) = consumers::install_python_tools(workspace)? else { return Ok(false) };
    let wheel = build(workspace, &tools, "dev")?;
    let fresh = install(workspace, &tools, &tools.join("bin/python"), &wheel, "python-fresh")?;
    see_packages_of(&tools, &fresh)?;
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", PACKAGE];
    let mut command = workspace.command(&program(&fresh, "python"), &pytest);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    // The command that Cargo has built, so that the package is not compared with itself.
    let command_file = workspace.target.join("debug/pitree");
    if command_file.exists() {
        command.env("PITREE_PROGRAM", command_file);
    }
    process::run(&mut command)?;
    on_oldest(workspace, &tools, &wheel)?;
    Ok(true)
}

/// A Python that has the package as it is handed out.
pub(crate) fn with_package(workspace: &Workspace) -> Result<PathBuf> {
    let tools = consumers::install_python_tools(workspace)?.context("the tools are missing")?;
    let wheel = build(workspace, &tools, "wheel")?;
    let fresh = install(workspace, &tools, &tools.join("bin/python"), &wheel, "python-bench")?;
    Ok(fresh.join("bin/python"))
}

/// Builds the wheel with a profile, in the target folder that all builds share.
pub(crate) fn build(workspace: &Workspace, tools: &Path, profile: &str) -> Result<PathBuf> {
    let wheels = workspace.target.join("wheels").join(profile);
    if wheels.exists() {
        fs_err::remove_dir_all(&wheels)?;
    }
    // maturin looks at what other platforms need too.
    process::run(&mut workspace.cargo(&["fetch", "--quiet"]))?;
    let mut maturin = workspace.command(
        &program(tools, "maturin"),
        &["build", "--offline", "--quiet", "--profile", profile, "--auditwheel", "skip"],
    );
    maturin.arg("--manifest-path").arg(format!("{PACKAGE}/Cargo.toml"));
    maturin.arg("--interpreter").arg(tools.join("bin/python"));
    // Nobody downloads a wheel for tests, so it need not be small.
    maturin.args(["--compression-method", "stored"]);
    maturin.arg("--out").arg(&wheels).env("CARGO_TARGET_DIR", &workspace.target);
    process::run(&mut maturin)?;
    let mut files = fs_err::read_dir(&wheels)?;
    Ok(files.next().context("maturin has made no wheel")??.path())
}

/// Makes a new environment with nothing but the package.
pub(crate) fn install(
    workspace: &Workspace,
    tools: &Path,
    python: &Path,
    wheel: &Path,
    folder: &str,
) -> Result<PathBuf> {
    let fresh = workspace.target.join(folder);
    if fresh.exists() {
        fs_err::remove_dir_all(&fresh)?;
    }
    let mut command = consumers::python_command(&python.to_string_lossy());
    command.args(["-m", "venv", "--without-pip"]).arg(&fresh);
    process::run(&mut command)?;
    let mut pip = workspace.command(&program(tools, "pip"), &[]);
    pip.arg("--python").arg(fresh.join("bin/python"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]);
    process::run(pip.arg(wheel))?;
    Ok(fresh)
}

/// Lets an environment find the packages of another one too.
pub(crate) fn see_packages_of(other: &Path, environment: &Path) -> Result<()> {
    let path = fs_err::canonicalize(packages(other)?)?;
    let file = packages(environment)?.join("tools.pth");
    Ok(fs_err::write(file, format!("{}\n", path.display()))?)
}

/// The folder of the packages of an environment.
fn packages(environment: &Path) -> Result<PathBuf> {
    let mut command = Command::new(environment.join("bin/python"));
    let printed = process::capture(
        command.args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]),
    )?;
    Ok(PathBuf::from(printed.trim()))
}

fn program(environment: &Path, name: &str) -> String {
    environment.join("bin").join(name).to_string_lossy().into_owned()
}

/// The wheel is one for all versions; on the oldest one a few questions are asked.
fn on_oldest(workspace: &Workspace, tools: &Path, wheel: &Path) -> Result<()> {
    let is_there = consumers::python_command(OLDEST)
        .args(["-c", "import sys; sys.exit(sys.version_info[:2] != (3, 9))"])
        .output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        println!("there is no {OLDEST}: the package is tested on a newer Python only");
        return Ok(());
    }
    let fresh = install(workspace, tools, Path::new(OLDEST), wheel, "python-oldest")?;
    let smoke = format!("{PACKAGE}/tests/smoke.py");
    let printed = process::capture(&mut workspace.command(&program(&fresh, "python"), &[&smoke]))?;
    ensure!(printed.contains("passed"), "{smoke} on {OLDEST}: {printed}");
    println!("{OLDEST}: {}", printed.trim());
    Ok(())
}
