//! Files that people name: read whole, and only where that has an end; written whole, or not at all.
//! And where the clone of the course lies: the one around this folder, and the one of this program.

use std::fs::{self, File, FileType};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Path, PathBuf};

/// The bytes of a regular file of at most `most` bytes: a pipe would be waited for, and
/// /dev/zero has no end.
///
/// # Errors
/// `InvalidInput` for what is no regular file or is longer, else that of the system.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let refuse = |why: String| Err(Error::new(ErrorKind::InvalidInput, why));
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() {
        return refuse(format!("it is {}, not a regular file", name(kind)));
    }
    let mut bytes = Vec::new();
    // Its length may be a lie, or grow meanwhile.
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let most = verify::numbers::bytes(most);
        return refuse(format!("it is larger than {most}, which is far more than it can need"));
    }
    Ok(bytes)
}

/// Writes a file beside its place first: where the disk is full, what was there before stays.
///
/// # Errors
/// That of the system; nothing is left of the new one.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    // A link stays one, and what is no regular file cannot be replaced.
    let path = path.canonicalize().unwrap_or(path.into());
    if path.exists() && !path.is_file() {
        return fs::write(path, bytes);
    }
    let mut new = path.clone().into_os_string();
    new.push(".new");
    let written = fs::write(&new, bytes).and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        // It may not even have begun.
        let _ = fs::remove_file(&new);
    }
    written
}

/// What it is instead of a regular file.
pub fn name(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    match kind {
        kind if kind.is_dir() => "a directory",
        kind if kind.is_file() => "a file",
        _ => "something else",
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_a_device_is_not_replaced() {
        let file = std::env::temp_dir().join(format!("course-write-{}", std::process::id()));
        write(&file, "before").unwrap();
        // Where a folder is nothing can be written, as on a full disk.
        let new = file.with_extension("new");
        fs::create_dir(&new).unwrap();
        assert!(write(&file, "after").is_err());
        assert_eq!(fs::read(&file).unwrap(), b"before");
        fs::remove_dir(&new).unwrap();
        write(&file, "after").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"after");
        fs::remove_file(&file).unwrap();
        #[cfg(unix)]
        assert!(write(Path::new("/dev/null"), "").is_ok() && !Path::new("/dev/null").is_file());
    }

    #[test]
    fn what_has_no_end_is_refused_and_a_file_is_read_whole() {
        let folder = std::env::temp_dir();
        let told = |path: &Path| read(path, 4).unwrap_err().to_string();
        assert!(told(&folder).contains("a directory"));
        let file = folder.join(format!("course-file-{}", std::process::id()));
        fs::write(&file, "four").unwrap();
        assert_eq!(read(&file, 4).unwrap(), b"four");
        fs::write(&file, "five!").unwrap();
        assert!(told(&file).contains("larger than 4 B"));
        fs::remove_file(&file).unwrap();
        assert!(read(&file, 4).is_err_and(|error| error.kind() == ErrorKind::NotFound));
        #[cfg(unix)]
        assert!(told(Path::new("/dev/zero")).contains("a device"));
    }
}
