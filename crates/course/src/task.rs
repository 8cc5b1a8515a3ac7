//! A kernel's task: what a TOML file, or an exercise's page, says of it.
//!
//! `file` is the text's form; `signature` what a driver tells of a kernel, and `draft` a first
//! text from that; `make` makes of text and signature what runs, `groups` tells
//! of what groups, `drawn` at which sizes besides those of the file. `child` is the process in which
//! that happens, `reference` runs what a result is held against, `race` times several in turns.

pub mod child;
pub mod draft;
mod drawn;
pub mod file;
mod groups;
mod make;
pub mod race;
mod reference;
pub mod signature;

pub use file::TaskFile;
