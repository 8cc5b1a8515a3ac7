//! Which devices a child sees. opencl3 loads its library once in a process, and the
//! environment of this one is not ours to change; so another process is asked.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use common::device;

use super::{PROBE_VARIABLE, println_quietly};

/// How long a driver may take to name its devices.
const PATIENCE: Duration = Duration::from_secs(60);
/// The line behind the last label: what the driver does at its own end is awaited by
/// nobody.
const END: &str = "-- these are all";

/// The labels of the devices that this program sees in this environment; it must answer
/// the probe ([`answer_probe`]). None when a driver fails, or stops for good.
pub fn devices(program: &Path, environment: &[(&'static str, impl AsRef<OsStr>)]) -> Vec<String> {
    let mut command = Command::new(program);
    command
        .env(PROBE_VARIABLE, "1")
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return Vec::new();
    };
    let said = child.stdout.take();
    let (sender, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let mut labels = Vec::new();
        let lines = said
            .into_iter()
            .flat_map(|said| BufReader::new(said).lines());
        for line in lines.map_while(Result::ok) {
            if line == END {
                // Whoever asked may have lost patience.
                let _ = sender.send(labels);
                return;
            }
            labels.push(line);
        }
    });
    let labels = answer.recv_timeout(PATIENCE).unwrap_or_default();
    // It may have ended already.
    let _ = child.kill();
    let _ = child.wait();
    labels
}

/// The child's side of [`devices`].
pub fn answer_probe() -> ExitCode {
    for device in device::list().unwrap_or_default() {
        println_quietly(&device.label());
    }
    println_quietly(END);
    ExitCode::SUCCESS
}
