//! Processes of the course. A lesson runs in a child process, so that a kernel that crashes
//! or hangs takes down the child and not the course; the parent names the kernel.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`events`] is what the child tells the parent: a file of JSON lines, one for each
//!   thing begun and each result.
//! - `environment` has the variables by which a child knows what it is, and those that
//!   decide which drivers it finds.
//! - [`worker`] starts one, which `wait` waits for, and says what it came to; `staff` are those that
//!   stay for another task.
//! - [`resume`] is what the next child needs not measure again.
//! - `ask` is a question to another process, which ends with this one.
//! - `all_devices` runs the lesson once for each device.
//! - `signals` are what ends a lesson from outside, and the terminal after that.
//! - [`watch`] is the parent in a loop: the lesson again after every save.
//! - [`built`] is where programs of the workspace lie.
//! - [`lessons`] is the one list of them, `status` the exit status of a program of the course.
//! - [`simulator`] is the OpenCL implementation that sees every access.
//! - [`devices`] are those that lesson 1 lists; [`machine`] is what this one tells of itself, and how it
//!   gets what it lacks; [`peak`] measures a device's own limits.
//! - [`scratch`] is for files that nobody needs later.

mod all_devices;
mod ask;
pub mod built;
pub mod devices;
mod environment;
pub mod events;
pub mod lessons;
pub mod machine;
pub mod peak;
pub mod resume;
pub mod scratch;
mod signals;
pub mod simulator;
pub mod staff;
mod status;
mod wait;
pub mod watch;
pub mod worker;

use common::error::Result;

use worker::{Ended, Work};

pub use ask::{ask, end_group, end_with_us, in_a_group, this_program};
pub use environment::{Environment, environment, fallback_driver, is_child};
pub use signals::{Signals, clear_line};
pub use status::{complain, end, leave, must_be_shown, status_of};
pub use wait::{Pause, Waits};
pub use worker::Orders;

/// Runs this very command by a worker, watches it to its end, and gives its exit status.
///
/// # Errors
/// [`Error::Died`] when the worker crashed or hung.
pub fn run(orders: &Orders) -> Result<u8> {
    let signals = orders.on_stage.then(Signals::heard).unwrap_or_default();
    let mut sleep = |time| {
        std::thread::sleep(time);
        signals.came()
    };
    let ended = run_until(&Work::as_typed()?, orders, &mut sleep);
    signals.obey();
    Ok(ended?.unwrap_or_default().status)
}

/// The same, with `--all-devices` once for each device; `None` when `pause` asked for an
/// early end.
fn run_until(work: &Work, orders: &Orders, pause: Pause) -> Result<Option<Ended>> {
    if orders.all_devices {
        return all_devices::run(work, orders, pause);
    }
    let ended = worker::run(work, orders.timeout, pause)?;
    ended.as_ref().and_then(Ended::lost).map_or(Ok(ended), Err)
}
