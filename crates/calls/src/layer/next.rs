//! The tables of functions that come after ours.

use std::sync::OnceLock;

use opencl_sys::cl_icd::cl_icd_dispatch;

/// The three tables.
pub struct Layer {
    /// What comes after us.
    pub driver: cl_icd_dispatch,
    /// The same with profiling, which the program does not notice.
    pub next: cl_icd_dispatch,
    /// What the loader is given: the same, told.
    pub told: cl_icd_dispatch,
}

/// Those of this process.
pub static LAYER: OnceLock<Layer> = OnceLock::new();

/// What comes after us. Only what the loader calls by our table asks for it.
pub fn driver() -> &'static cl_icd_dispatch {
    &LAYER.get().expect("the layer was initialised").driver
}

/// The same with profiling.
pub fn next() -> &'static cl_icd_dispatch {
    &LAYER.get().expect("the layer was initialised").next
}
