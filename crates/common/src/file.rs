//! Files that people name: read whole, and only where that has an end.

use std::fs::{File, FileType};
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
    let kind = std::fs::metadata(path)?.file_type();
    if !kind.is_file() {
        return refuse(format!("it is {}, not a regular file", name(kind)));
    }
    let mut bytes = Vec::new();
    // Its length may be a lie, or grow meanwhile.
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let most = numbers::bytes(most);
        return refuse(format!(
            "it is larger than {most}, which is far more than it can need"
        ));
    }
    Ok(bytes)
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
        if kind.is_socket() {
            return "a socket";
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
    fn what_has_no_end_is_refused_and_a_file_is_read_whole() {
        let folder = std::env::temp_dir();
        let told = |path: &Path| read(path, 4).unwrap_err().to_string();
        assert!(told(&folder).contains("a directory"));
        let file = folder.join(format!("course-file-{}", std::process::id()));
        std::fs::write(&file, "four").unwrap();
        assert_eq!(read(&file, 4).unwrap(), b"four");
        std::fs::write(&file, "five!").unwrap();
        assert!(told(&file).contains("larger than 4 B"));
        std::fs::remove_file(&file).unwrap();
        assert!(read(&file, 4).is_err_and(|error| error.kind() == ErrorKind::NotFound));
        #[cfg(unix)]
        assert!(told(Path::new("/dev/zero")).contains("a device"));
    }
}
