//! A file of OpenCL C.

use std::path::PathBuf;

/// A file of OpenCL C.
#[derive(Clone, Debug)]
pub struct File {
    /// As messages show it.
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
}
