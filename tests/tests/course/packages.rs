//! What cargo leaves out: packages that say that they hold no tests, so that no
//! program of tests is built for them.

use std::fs;
use std::path::{Path, PathBuf};

use tests::{entries, workspace};

/// The source files below a folder that hold a test.
fn with_tests(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            found.extend(with_tests(&path));
        } else if fs::read_to_string(&path).is_ok_and(|text| text.contains("#[test]")) {
            found.push(path);
        }
    }
    found
}

#[test]
fn packages_that_say_they_hold_no_tests_hold_none() {
    let folders = ["lessons", "crates"].map(|name| entries(&workspace().join(name)));
    for package in folders.concat() {
        let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("a package");
        if manifest.contains("test = false") {
            let never_run = with_tests(&package.join("src"));
            assert!(
                never_run.is_empty(),
                "nobody runs the tests in {never_run:?}"
            );
        }
    }
}
