//! Drawings of a kernel, which PoCL's compiler writes into the current folder where it gives
//! up: `matmul_naive.dot`, `broken.dot.1`. Nobody asked for them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::file;

/// What stands in each block of such a drawing.
const IN_EACH: &[u8] = b"...program instructions...";
/// Bytes of one at most.
const LONGEST: u64 = 16 << 20;

/// Removes those that are new when it is dropped.
pub(crate) struct Drawings {
    folder: PathBuf,
    before: BTreeSet<PathBuf>,
}

impl Drawings {
    /// What is there before PoCL runs stays.
    pub fn new(folder: &Path) -> Drawings {
        Drawings {
            folder: folder.into(),
            before: drawings(folder),
        }
    }
}

impl Drop for Drawings {
    fn drop(&mut self) {
        for path in drawings(&self.folder).difference(&self.before) {
            let text = file::read(path, LONGEST).unwrap_or_default();
            if text.windows(IN_EACH.len()).any(|words| words == IN_EACH) {
                // One that cannot be removed does no harm.
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// The files that have such a name.
fn drawings(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let end = name.rsplit_once(".dot").map(|(_, end)| end);
        end.is_some_and(|end| {
            end.trim_start_matches('.')
                .bytes()
                .all(|b| b.is_ascii_digit())
        })
    };
    entries.map(|entry| entry.path()).filter(is_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_drawings_of_the_compiler_go() {
        let folder = std::env::temp_dir().join(format!("course-drawings-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        let drawing = "digraph f {\nlabel=\"a:\\n...program instructions...\\n\"\n}\n";
        write("before.dot", drawing);
        let guard = Drawings::new(&folder);
        write("f.dot", drawing);
        write("f.dot.10", drawing);
        write("f.dotted", drawing);
        write("mine.dot", "digraph mine {}\n");
        drop(guard);
        let left = fs::read_dir(&folder)
            .unwrap()
            .map(|one| one.unwrap().file_name());
        let left: BTreeSet<_> = left.collect();
        assert_eq!(
            left,
            ["before.dot", "f.dotted", "mine.dot"]
                .map(Into::into)
                .into()
        );
        fs::remove_dir_all(folder).unwrap();
    }
}
