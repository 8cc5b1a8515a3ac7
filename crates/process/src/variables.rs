//! The variables that a process of the course sets for its child, which so knows what it is.

use std::ffi::OsString;

use crate::events::EVENTS_VARIABLE;

/// Set by the parent to the number of the device that the child must use.
pub(crate) const CHILD_DEVICE_VARIABLE: &str = "OPENCL_COURSE_CHILD_DEVICE";
/// Set by a parent that has run the same child before, to the device's limits that
/// were measured then.
pub(crate) const LIMITS_VARIABLE: &str = "OPENCL_COURSE_LIMITS";
/// Set to ask a lesson only which devices it sees: a label on each line.
pub(crate) const PROBE_VARIABLE: &str = "OPENCL_COURSE_PROBE";
/// Set by who reads a simulator's log by himself: a lesson then tells its results alone.
pub const LOG_IS_READ_VARIABLE: &str = "OPENCL_COURSE_LOG_IS_READ";

/// Variables that are set for the child.
pub type Environment = Vec<(&'static str, OsString)>;

/// True in a child.
pub fn is_child() -> bool {
    std::env::var_os(EVENTS_VARIABLE).is_some()
}

/// The device that the parent has chosen for this child, if it has.
pub fn device_of_child() -> Option<String> {
    std::env::var(CHILD_DEVICE_VARIABLE).ok()
}

/// True in a child that is only asked whether there is a device.
pub fn is_probe() -> bool {
    std::env::var_os(PROBE_VARIABLE).is_some()
}
