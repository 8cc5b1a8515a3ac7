//! A kernel's task: what a TOML file, or an exercise's page, says of it.
//!
//! `file` is the text's form; `signature` what a driver tells of a kernel; `make` makes of both
//! what runs; `child` is the process in which that happens, `race` times
//! several in turns.

pub mod child;
pub mod draft;
pub mod file;
mod make;
pub mod race;
pub mod signature;

pub use file::TaskFile;
