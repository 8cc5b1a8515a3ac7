//! A kernel's task: what a TOML file, or an exercise's page, says of it.
//!
//! `file` is the text's form, with its `sizes`, and `draft` a first text from a kernel's signature;
//! `make` makes of text and signature what runs; `drawn` tells at which sizes that no file says, as
//! `other` does numbers. `child` is the process in which that happens; `beside` runs other kernels
//! there, and `reference` says what a result is held against.

mod beside;
pub mod child;
pub mod draft;
pub mod drawn;
pub mod file;
mod make;
pub mod other;
mod reference;
pub mod sizes;

pub use file::TaskFile;
