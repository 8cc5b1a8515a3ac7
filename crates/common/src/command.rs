//! How a command of the course is typed where this program runs.

use std::env::{self, consts};

use crate::file::{is_in_the_clone, own_workspace};

/// `cargo course WORDS`; where `./setup` has not installed that yet, what does the same.
pub fn course(words: &str) -> String {
    let name = format!("cargo-course{}", consts::EXE_SUFFIX);
    // Cargo looks into its own folder, too.
    let home = env::var_os("CARGO_HOME").map(Into::into);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = env::split_paths(&path).chain(home.map(|home| home.join("bin")));
    match folders.any(|folder| folder.join(&name).is_file()) {
        true => format!("cargo course {words}"),
        false => format!("{} -- {words}", cargo_run("course")),
    }
}

/// `cargo run -p PACKAGE`, which outside of the clone is told where that is.
pub fn cargo_run(package: &str) -> String {
    let manifest = || word(&own_workspace().join("Cargo.toml"));
    match is_in_the_clone() {
        true => format!("cargo run -p {package}"),
        false => format!("cargo run --manifest-path {} -p {package}", manifest()),
    }
}

/// `./setup` with these flags, by its whole path outside of the clone.
pub fn setup(flags: &str) -> String {
    let setup = match is_in_the_clone() {
        true => "./setup".into(),
        false => word(&own_workspace().join("setup")),
    };
    format!("{setup} {flags}").trim_end().into()
}

/// A path as one word of a shell.
pub fn word(path: &std::path::Path) -> String {
    let path = path.display().to_string();
    match path.contains([' ', '\'', '"', '$', '\\']) {
        true => format!("'{}'", path.replace('\'', r"'\''")),
        false => path,
    }
}
