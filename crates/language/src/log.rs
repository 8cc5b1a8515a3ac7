//! From a compiler's build log to errors in the learner's files, each with its meaning.

mod diagnose;
mod explain;
mod messages;
mod page;
mod places;
#[cfg(test)]
mod tests;

pub use diagnose::{diagnose, is_empty};
pub use places::{File, Read};

/// How tests read what a file includes.
#[cfg(test)]
fn from_disk(path: &std::path::Path) -> Option<crate::File> {
    let text = std::fs::read_to_string(path).ok()?;
    let path = path.to_path_buf();
    Some(crate::File { path, text })
}
