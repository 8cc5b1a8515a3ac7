//! Where the clone of the course lies: the one around this folder, and the one of this program.

use std::path::{Path, PathBuf};

/// The root of the workspace: the nearest folder above the current one that
/// holds `kernels/`, else the program's own. A binary that is carried to another
/// machine, along with `kernels/`, so finds its files.
pub fn workspace() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    workspace_above(&here).unwrap_or_else(own_workspace)
}

/// Whether the current folder lies in the workspace that this program belongs to.
pub fn is_in_the_clone() -> bool {
    std::env::current_dir().is_ok_and(|here| workspace_above(&here) == Some(own_workspace()))
}

/// The workspace that this program belongs to: the nearest one above the program's own
/// file, else the one in which it was built. Libraries are loaded from there only, never
/// from a folder that happens to lie above the current one.
pub fn own_workspace() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    workspace_above(&program).unwrap_or_else(built_in)
}

/// Whether `cargo install` has put this program elsewhere: where cargo builds, it also keeps what
/// it builds from.
pub fn is_installed() -> bool {
    let program = std::env::current_exe().unwrap_or_default();
    workspace_above(&program).is_none() && !program.with_file_name("deps").is_dir()
}

fn workspace_above(path: &Path) -> Option<PathBuf> {
    let is_it = |folder: &&Path| folder.join("kernels").is_dir() && folder.join("lessons").is_dir();
    path.ancestors().find(is_it).map(Path::to_path_buf)
}

/// The workspace in which this program was built.
pub fn built_in() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let root = root.unwrap_or(Path::new("/")).to_path_buf();
    root.canonicalize().unwrap_or(root)
}
