//! The tables of functions: the driver's, and ours.

use std::collections::HashMap;
use std::sync::OnceLock;

use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::told::Told;

/// What this process was given, and gave.
pub struct Layer {
    /// What comes after us.
    pub driver: cl_icd_dispatch,
    /// What the loader is given.
    pub told: cl_icd_dispatch,
    /// The calls that are told, by their places in the tables.
    pub calls: HashMap<usize, &'static Told>,
}

/// That of this process.
pub static LAYER: OnceLock<Layer> = OnceLock::new();

/// Only what the loader calls by our table asks for it.
pub fn layer() -> &'static Layer {
    LAYER.get().expect("the layer was initialised")
}

/// What comes after us.
pub fn driver() -> &'static cl_icd_dispatch {
    &layer().driver
}
