//! PoCL keeps what it has compiled in a folder, and believes what it finds there.
//! Where a file of it was cut short (a full disk, a process ended while writing)
//! or overwritten, PoCL 3.1 ends the process (SIGABRT, SIGBUS), or says that a
//! kernel does not exist. So after a failure the folder is looked at; a damaged
//! file is named, and the lesson goes on without the cache.
//!
//! Mesa's cache (rusticl) holds checksums: damaged entries are compiled anew.
//! Intel's CPU runtime keeps no cache on disk.

use std::fs;
use std::path::{Path, PathBuf};

pub use common::device::pocl::{CACHE_VARIABLE, cache_folder};

/// A damaged file of PoCL's cache, if there is one.
pub fn damaged_file() -> Option<PathBuf> {
    let mut folders = vec![cache_folder()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_damaged(&path) {
                return Some(path);
            }
        }
    }
    None
}

/// What to tell the learner.
pub fn message(file: &Path) -> String {
    format!(
        "The driver failed, and PoCL's cache of compiled kernels is damaged:\n  \
         {} is cut short or overwritten.\n  \
         It is tried again without the cache. To clear it: rm -r {}",
        file.display(),
        cache_folder().display()
    )
}

fn is_damaged(path: &Path) -> bool {
    // What another process is just writing: it gets its name when it is whole.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with("tempfile") {
        return false;
    }
    let is_whole = match path.extension().and_then(|end| end.to_str()) {
        Some("bc") => is_whole_bitcode,
        Some("so") => is_whole_library,
        _ => return false,
    };
    fs::read(path).is_ok_and(|bytes| is_whole(&bytes) == Some(false))
}

/// LLVM bitcode: four bytes of magic, then blocks. Each has a word for what it is
/// and one for its length in words; the last one ends where the file ends.
/// (LLVM, "LLVM Bitcode File Format", section "Blocks".)
fn is_whole_bitcode(bytes: &[u8]) -> Option<bool> {
    let Some(mut rest) = bytes.strip_prefix(b"BC\xC0\xDE") else {
        return Some(false);
    };
    while let Some((head, after)) = rest.split_at_checked(8) {
        let words = u32::from_le_bytes(head[4..].try_into().ok()?) as usize;
        match after.get(4 * words..) {
            Some(next) => rest = next,
            None => return Some(false),
        }
    }
    Some(rest.is_empty())
}

/// An ELF library: the table of sections, which the header names, is its end.
/// `None` for the 32-bit and big-endian kinds, whose headers look different.
fn is_whole_library(bytes: &[u8]) -> Option<bool> {
    if !bytes.starts_with(b"\x7fELF") {
        return Some(false);
    }
    const LITTLE_64_BIT: [u8; 2] = [2, 1];
    if bytes.get(4..6)? != LITTLE_64_BIT {
        return None;
    }
    let Some(header) = bytes.get(..64) else {
        return Some(false);
    };
    let half = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let table = u64::from_le_bytes(header[40..48].try_into().ok()?);
    let end = table.checked_add(half(58) * half(60));
    Some(end.is_some_and(|end| end <= bytes.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitcode_that_ends_inside_of_a_block_is_damaged() {
        let mut whole = b"BC\xC0\xDE".to_vec();
        for words in [1u32, 2] {
            whole.extend([0; 4]);
            whole.extend(words.to_le_bytes());
            whole.extend(vec![7; 4 * words as usize]);
        }
        assert_eq!(is_whole_bitcode(&whole), Some(true));
        for length in 0..whole.len() {
            let first_block_alone = length == 16;
            let nothing_but_magic = length == 4;
            let expected = first_block_alone || nothing_but_magic;
            assert_eq!(
                is_whole_bitcode(&whole[..length]),
                Some(expected),
                "{length}"
            );
        }
        assert_eq!(is_whole_bitcode(b"what?"), Some(false));
    }

    #[test]
    fn a_library_without_its_end_is_damaged() {
        let mut whole = vec![0; 64 + 2 * 64];
        whole[..6].copy_from_slice(b"\x7fELF\x02\x01");
        whole[40..48].copy_from_slice(&64u64.to_le_bytes());
        whole[58] = 64;
        whole[60] = 2;
        assert_eq!(is_whole_library(&whole), Some(true));
        for length in [0, 3, 40, 64, 191] {
            let damaged = is_whole_library(&whole[..length]) != Some(true);
            assert!(damaged, "{length}");
        }
        let this_program = std::env::current_exe()
            .and_then(fs::read)
            .expect("can be read");
        if cfg!(all(
            target_os = "linux",
            target_pointer_width = "64",
            target_endian = "little"
        )) {
            assert_eq!(is_whole_library(&this_program), Some(true));
        }
    }

    #[test]
    fn no_damage_is_too_odd_to_be_looked_at() {
        let mut bitcode = b"BC\xC0\xDE".to_vec();
        for words in [1u32, 2, 30] {
            bitcode.extend([0; 4]);
            bitcode.extend(words.to_le_bytes());
            bitcode.extend(vec![7; 4 * words as usize]);
        }
        let mut library = vec![0; 64 + 2 * 64];
        library[..6].copy_from_slice(b"\x7fELF\x02\x01");
        library[40] = 64;
        library[58] = 64;
        library[60] = 2;
        for file in [bitcode, library] {
            damage::must_be_survived(&file, |bytes| {
                is_whole_bitcode(bytes);
                is_whole_library(bytes);
            });
        }
    }
}
