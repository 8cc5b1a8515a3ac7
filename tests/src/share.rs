//! What a run leaves out today. CI runs everything (`-- --include-ignored`), and so does whoever
//! names a test. A plain `cargo test` takes a share of what is exhaustive, another one each day, and
//! always what has just been changed.

use std::env;
use std::process::Command;
use std::sync::LazyLock;
use std::thread;
use std::time::SystemTime;

use crate::workspace;

/// Whether nothing is left out.
pub fn everything() -> bool {
    static EVERYTHING: LazyLock<bool> = LazyLock::new(|| {
        let mut before = String::new();
        env::args().skip(1).any(|word| {
            let takes_it = ["--skip", "--test-threads", "--format", "--color"];
            let is_name = !word.starts_with('-') && !takes_it.contains(&&*before);
            before = word;
            is_name || before.ends_with("ignored")
        })
    });
    *EVERYTHING
}

/// Whether it is the turn of what has this name, each of which has one of so many days.
pub fn has_its_day(name: &str, days: u64) -> bool {
    let name = name.bytes().map(u64::from).sum::<u64>();
    let has = everything() || (name + today()).is_multiple_of(days);
    if !has {
        crate::seconds::left_out();
    }
    has
}

/// The same, or whether something has just been changed whose path begins so.
pub fn is_due(name: &str, days: u64, path: &str) -> bool {
    CHANGED.iter().any(|changed| changed.starts_with(path)) || has_its_day(name, days)
}

/// Whether it is the turn of the test that asks.
pub fn this_test_has_its_day(days: u64) -> bool {
    // libtest names the thread after its test.
    has_its_day(thread::current().name().unwrap_or_default(), days)
}

/// Days since 1970.
fn today() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed();
    since.map_or(0, |time| time.as_secs() / (24 * 60 * 60))
}

/// What the last commit changed, and what none has yet.
static CHANGED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut git = Command::new("git");
    git.args(["diff", "--name-only", "HEAD~1"]);
    let told = git.current_dir(workspace()).output();
    let names = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
    names.unwrap_or_default().lines().map(String::from).collect()
});
