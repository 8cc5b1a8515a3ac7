//! One device's context and queue, which `open` makes. `buffer` makes its memory and moves
//! what lies there, `launch` sets a kernel's arguments and runs it, `fit` refuses what has no room.
//!
//! A call that fails gives the driver's status as [`crate::Error::OpenCl`], with the limits that it
//! may have met. What else can fail stands below "Errors".

#![allow(clippy::missing_errors_doc)]

mod buffer;
mod fit;
pub mod image;
mod launch;
mod open;

pub use buffer::Buffer;
pub use fit::Need;
pub use image::{Format, Image};
pub use launch::{Arg, Launch};
pub use open::Session;
