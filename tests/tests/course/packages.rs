//! What is fetched from elsewhere, and what cargo leaves out: packages that say that they hold no tests, so that no
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
        if manifest.contains("\ntest = false") {
            let never_run = with_tests(&package.join("src"));
            assert!(
                never_run.is_empty(),
                "nobody runs the tests in {never_run:?}"
            );
        }
    }
}

#[test]
fn what_comes_from_pypi_is_pinned_by_version_and_hash() {
    let read = |name: &str| fs::read_to_string(workspace().join(name)).expect("is there");
    let pins = read("packages.pypi");
    let is_pin = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let pins = pins.lines().filter(is_pin);
    let mut count = 0;
    for pin in pins {
        let (package, hash) = pin.split_once(" --hash=sha256:").expect(pin);
        let is_hex = hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit());
        assert!(package.contains("==") && is_hex, "{pin}");
        count += 1;
    }
    assert!(count > 0);
    let setup = read("setup");
    for line in setup.lines().filter(|line| line.contains("pip download")) {
        let pinned = ["--require-hashes", "--no-deps", "-r \"$tmp/pins\""];
        assert!(pinned.iter().all(|flag| line.contains(flag)), "{line}");
    }
}
