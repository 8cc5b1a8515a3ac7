//! Which devices a child sees. opencl3 loads its library once in a process, and the
//! environment of this one is not ours to change; so another process is asked.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use common::device;
use serde_json::json;

use crate::ask::ask;
use crate::bound::end_with_us;
use crate::variables::{Environment, PROBE_VARIABLE};

/// How long a driver may take to name its devices.
const PATIENCE: Duration = Duration::from_secs(60);

/// The labels of the devices that this program sees in this environment; it must answer
/// the probe ([`answer_probe`]). None when a driver fails, or stops for good.
pub fn devices(program: &Path, environment: &Environment) -> Vec<String> {
    let mut command = Command::new(program);
    end_with_us(&mut command)
        .env(PROBE_VARIABLE, "1")
        .envs(environment.iter().cloned());
    ask(&mut command, PATIENCE).unwrap_or_default()
}

/// The same of this very program.
pub(crate) fn devices_here(environment: &Environment) -> Vec<String> {
    let this = std::env::current_exe();
    this.map_or_else(|_| Vec::new(), |this| devices(&this, environment))
}

/// The child's side of [`devices`].
pub fn answer_probe() -> ExitCode {
    let devices = device::list().unwrap_or_default();
    let labels: Vec<String> = devices.iter().map(|device| device.label()).collect();
    // Who has asked may have gone away.
    let _ = writeln!(io::stdout(), "{}", json!(labels));
    ExitCode::SUCCESS
}
