//! Every detector on one kernel: its check on a device at several sizes, and the
//! simulator. Each runs as a child process, so that a crash or a hang is one more answer.

use std::process::Command;

use anyhow::Result;
use process::Finished;
use process::child_status;
use process::implementations::oclgrind;

use crate::game::how::Seen;
use crate::judge::judge;
use crate::observation::{Detection, Observation};
use crate::simulator;

/// Sizes for a product besides one that shows a fault: a long sum, which kernels take in
/// pieces, and one that divides by nothing.
pub const OTHER_SIZES: [&str; 2] = ["5x6x1030", "65x63x17"];
/// For the simulator, which is slow: partial groups and tiles in every dimension,
/// several groups in two. K is below N, so that rows of the wrong width overlap.
pub const SIMULATED: &str = "17x35x19";

/// A kernel that is to be tried.
pub struct Trial<'a> {
    /// The program that checks it once, at this size, and prints JSON.
    pub command: &'a dyn Fn(&str) -> Result<Command>,
    /// For the results; none leaves the choice to that program.
    pub device: Option<String>,
    /// At which the device checks it.
    pub sizes: Vec<String>,
    /// At which the simulator does.
    pub simulated: String,
}

impl Trial<'_> {
    /// What every detector saw. What does not build, or cannot start, is asked no more;
    /// without a device the simulator is asked all the same.
    pub fn run(&self) -> Result<Seen> {
        let mut all = Seen {
            observations: Vec::new(),
            status: 0,
            message: String::new(),
        };
        for size in &self.sizes {
            let child = self.on_device(size)?;
            let seen = judge(&format!("result, {size}"), &child);
            let status = child_status(child.status);
            all.status = all.status.max(status);
            let hopeless = seen.outcome == Detection::NotRun || status == 4;
            let hung = seen.says.starts_with("no end after");
            all.observations.push(seen);
            if hopeless {
                all.message = child.stderr.trim().into();
            }
            if hopeless && status != NO_DEVICE {
                return Ok(all);
            }
            if hopeless || hung {
                break;
            }
        }
        let simulated = self.simulate()?.into_iter();
        // The simulator has no time for a reference: what is right the device has said.
        let is_checked = all.observations.iter().any(|one| one.says == "right");
        let says = |one: &Observation| !is_checked || one.outcome != Detection::NotJudged;
        all.observations.extend(simulated.filter(says));
        Ok(all)
    }

    fn on_device(&self, size: &str) -> Result<Finished> {
        let mut command = (self.command)(size)?;
        command.args(self.device.iter().flat_map(|device| ["--device", device]));
        Finished::of(&mut command)
    }

    /// The kernel in the simulator: one answer for the result, one for each kind of fault.
    fn simulate(&self) -> Result<Vec<Observation>> {
        let Some(library) = oclgrind() else {
            return Ok(vec![simulator::missing()]);
        };
        let mut command = (self.command)(&self.simulated)?;
        simulator::aim(&mut command, &library);
        let simulation = simulator::run(command)?;
        let mut seen = vec![judge("Oclgrind: result", &simulation.child)];
        seen.extend(simulator::sort(&simulation.log));
        Ok(seen)
    }
}

/// A lesson's exit status where there is nothing to run on.
const NO_DEVICE: u8 = 3;
