//! Processes of the course. A lesson runs in a child process, so that a kernel that crashes
//! or hangs takes down the child and not the course; the parent names the kernel.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`events`] is what the child tells the parent: a file of JSON lines, one for each
//!   thing begun and each result.
//! - [`worker`] starts one, which `wait` waits for, and says what it came to; `staff` are those that
//!   stay for another task.
//! - [`resume`] is what the next child needs not measure again.
//! - `processes` are others: what they find in their environment, those that end with this one, and
//!   a question to one.
//! - `all_devices` runs the lesson once for each device.
//! - [`watch`] is the parent in a loop: the lesson again after every save.
//! - [`lessons`] is the one list of them, with their programs.
//! - `ending` is how a process of the course ends: by a signal, or with a status of its own.
//! - [`simulator`] is the OpenCL implementation that sees every access.
//! - [`machine`] is what this one tells of itself, its devices, and how it gets what it lacks; [`peak`]
//!   measures a device's own limits.
//! - [`scratch`] is for files that nobody needs later.

mod all_devices;
mod ending;
pub mod events;
pub mod lessons;
pub mod machine;
pub mod peak;
mod processes;
pub mod resume;
pub mod scratch;
pub mod simulator;
pub mod staff;
mod wait;
pub mod watch;
pub mod worker;

use common::Result;

use worker::{Ended, Work};

pub use ending::{Signals, clear_line, complain, end, leave, must_be_shown, status_of};
pub use events::is_child;
pub use lessons::{library, program};
pub use processes::{
    Environment, ask, end_group, end_with_us, environment, fallback_driver, in_a_group,
    this_program,
};
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
    let ended = run_until(&Work::as_typed(orders.all_devices)?, orders, &mut sleep);
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
