//! PoCL makes a device of the CPU. Its hardware is always there; without a folder for
//! what it compiles it shows none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::codes::Told;
use crate::host::variable;

/// What PoCL's platform is called.
pub const PLATFORM: &str = "Portable Computing Language";

/// The variable that names another folder for what it compiles.
pub const FOLDER_VARIABLE: &str = "POCL_CACHE_DIR";

/// Set to 0, PoCL compiles every kernel anew and leaves its cache alone.
pub const CACHE_VARIABLE: &str = "POCL_KERNEL_CACHE";

/// The line that clears its cache: PoCL believes what it finds there, and where a file was cut short (a
/// full disk, a process that was ended while it wrote) ends the process, or finds no kernel.
pub const CLEAR_CACHE: &str = "rm -r \"${POCL_CACHE_DIR:-$HOME/.cache/pocl}\"";

/// The line that gives it a folder.
const NEW_FOLDER: &str = "export POCL_CACHE_DIR=$(mktemp -d)";

/// Where PoCL keeps what it compiles (pocl_cache_init_topdir in its pocl_cache.c).
fn cache_folder() -> PathBuf {
    if let Some(folder) = variable(FOLDER_VARIABLE) {
        return folder.into();
    }
    let below =
        if variable(CACHE_VARIABLE) == Some("0".into()) { "pocl/uncached" } else { "pocl/kcache" };
    let base = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| {
        // Empty, it is the root: PoCL puts a text behind it.
        let mut home = std::env::var_os("HOME")?;
        home.push("/.cache");
        Some(home.into())
    });
    base.unwrap_or_else(|| "/tmp".into()).join(below)
}

/// Whether a process may have died by this signal of what it found in the cache.
pub fn may_be_damaged(signal: i32) -> bool {
    let holds_something = || fs::read_dir(cache_folder()).is_ok_and(|mut all| all.next().is_some());
    [6, 7].contains(&signal) && variable(CACHE_VARIABLE) != Some("0".into()) && holds_something()
}

/// What comes of it where PoCL cannot use that folder, which is made where it is missing, as PoCL
/// does; and how it is mended.
pub fn fault(what: &str) -> Option<Told> {
    let folder = cache_folder();
    let (error, is) = match fs::create_dir_all(&folder) {
        Err(error) => (error, "made"),
        Ok(()) => (can_write(&folder).err()?, "written"),
    };
    let shown = folder.display();
    let says = format!("PoCL {what}, since its folder {shown} cannot be {is} ({error})");
    Some(Told::new(says, Some(NEW_FOLDER)))
}

/// Whether a file can be made in this folder, and written.
///
/// # Errors
/// That of the system where it cannot.
pub fn can_write(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!("tempfile-opencl-course-{}", std::process::id()));
    let written = fs::write(&file, "?");
    // There may be none.
    let _ = fs::remove_file(&file);
    written
}
