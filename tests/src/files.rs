//! What lies where: the workspace, its programs, and what tests make.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use crate::outcome::json_lines;

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    let this = Path::new(env!("CARGO_MANIFEST_DIR"));
    this.parent().expect("tests/ lies in the workspace")
}

/// What cargo says of the workspace's programs. Built here, once for each test process:
/// cargo builds no binaries of other packages for a test.
fn built() -> &'static [Value] {
    static BUILT: OnceLock<Vec<Value>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--workspace", "--bins", "--examples"])
            .arg("--message-format=json")
            .current_dir(workspace())
            .stderr(Stdio::inherit())
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "the course's programs build");
        json_lines(&String::from_utf8_lossy(&output.stdout))
    })
}

/// The text of a file, whose path may begin at the workspace.
#[track_caller]
pub fn read(path: impl AsRef<Path>) -> String {
    let path = workspace().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

/// The workspace's programs by name.
pub(crate) fn programs() -> &'static HashMap<String, PathBuf> {
    static PROGRAMS: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let programs = built().iter().filter_map(|message| {
            let path = message["executable"].as_str()?;
            let name = message["target"]["name"].as_str()?;
            // `cargo course` is that program.
            Some((name.trim_start_matches("cargo-").into(), path.into()))
        });
        programs.collect()
    })
}

/// A library that the programs use, as it was compiled for them.
pub fn library(name: &str) -> PathBuf {
    let mut libraries = built().iter().filter(|one| one["target"]["name"] == name);
    let files = libraries.find_map(|one| one["filenames"].as_array());
    let mut names = files.into_iter().flatten().filter_map(Value::as_str);
    let path = names.find(|name| name.ends_with(".rlib"));
    path.unwrap_or_else(|| panic!("no program uses {name}")).into()
}

/// `PATH` as it is where the course is installed; for short, `course` is a word of its own.
pub fn search_path() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let (short, long) = (scratch_folder("bin"), programs_folder().display());
        let (program, link) = (&programs()["course"], short.join("course"));
        // Another test process may have made it; where the clone lay elsewhere then, it leads there.
        if fs::read_link(&link).ok().as_ref() != Some(program) {
            let _ = fs::remove_file(&link);
            let _ = std::os::unix::fs::symlink(program, &link);
        }
        let path = std::env::var("PATH").unwrap_or_default();
        format!("{}:{long}:{path}", short.display())
    })
}

/// The folder that holds the programs, as `PATH` would name it.
pub fn programs_folder() -> &'static Path {
    programs()["lesson01"].parent().expect("a file in a folder")
}

/// A file of this name and text, in a folder that git does not see. Tests run at
/// the same time: each uses names of its own.
pub fn scratch(name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = scratch_folder("files").join(name);
    fs::write(&path, text).expect("the target folder can be written");
    path
}

/// A folder of this name for what a test makes.
pub fn scratch_folder(name: &str) -> PathBuf {
    let path = programs_folder().with_file_name("tmp").join(name);
    fs::create_dir_all(&path).expect("the target folder can be written");
    path
}

/// What is in a folder, in order.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a folder can be read").path()).collect();
    paths.sort();
    paths
}

/// The files below a folder that end like this.
pub fn files_below(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files_below(&path, end));
        } else if path.extension().is_some_and(|extension| extension == end) {
            found.push(path);
        }
    }
    found
}
