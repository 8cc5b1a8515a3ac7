//! Kernels: their files as text, and their names.

use std::path::PathBuf;

use serde_json::Value;

use crate::{entries, lesson_without_device, workspace};

/// The kernel files of a folder, in order.
pub fn kernel_files(folder: &str) -> Vec<PathBuf> {
    let mut files = entries(&workspace().join(folder));
    files.retain(|path| path.extension().is_some_and(|end| end == "cl"));
    files
}

/// The name of the kernel that a line of the course's files begins, if it
/// begins one: the word before the parenthesis of `kernel ... void name(`. A line
/// that holds attributes alone is followed by one that begins with `void`.
pub fn kernel_name(line: &str) -> Option<&str> {
    let begins = ["kernel void ", "void "].iter().find_map(|start| line.strip_prefix(start))?;
    Some(begins.split('(').next().unwrap_or(begins))
}

/// The file's text with the body of every kernel taken away, and the names of
/// the kernels. The files are laid out alike: a body stands between lines that
/// hold a brace alone.
pub fn with_empty_bodies(text: &str) -> (String, Vec<&str>) {
    let (mut emptied, mut names) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        emptied.push_str(line);
        emptied.push('\n');
        let Some(name) = kernel_name(line) else {
            continue;
        };
        names.push(name);
        for line in lines.by_ref().take_while(|line| *line != "{") {
            emptied.push_str(line);
            emptied.push('\n');
        }
        emptied.push_str("{\n}\n");
        lines.by_ref().find(|line| *line == "}");
    }
    (emptied, names)
}

/// The function's name in a record: the kernel without its variant.
pub fn kernel_of(record: &Value) -> &str {
    let name = record["kernel"].as_str().expect("a record names its kernel");
    name.split(' ').next().unwrap_or(name)
}

/// Whether a kernel had a part in a record: as the kernel itself, or as one that
/// laid out what it reads.
pub fn ran(record: &Value, kernel: &str) -> bool {
    let helpers = record["helpers"].as_array();
    let mut others = helpers.into_iter().flatten();
    kernel_of(record) == kernel || others.any(|one| one["kernel"] == kernel)
}

/// The kernels that a lesson lists.
pub fn kernels_of(number: u32) -> Vec<String> {
    let list = lesson_without_device(number).args("--list").run_once();
    let list = list.ends_with(0);
    list.stdout.lines().map(String::from).collect()
}
