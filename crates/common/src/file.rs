//! Files that people name: read whole, and only where that has an end; written whole, or not at all.

use std::fs::{self, File, FileType};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

use verify::numbers;

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
        let most = numbers::bytes(most);
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
