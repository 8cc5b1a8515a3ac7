//! What a lesson computes with: one device's session, the programs that were built for
//! it, the matrices that lie there, and the device's measured limits.

use std::collections::HashMap;
use std::rc::Rc;

use colored::Colorize;
use common::device;
use common::error::{Error, Result};
use common::memory::Input;
use common::probe::Peak;
use common::program::Program;
use common::session::Session;
use common::stage::Stage;
use common::tell::Listener;
use verify::element::Type;
use verify::problem::Problem;

use crate::cli::Flags;
use crate::console::Console;
use crate::step::Part;

/// A device that is ready to work, and what was made for it.
pub(crate) struct Workbench {
    pub session: Rc<Session>,
    /// By their options and kernels.
    pub programs: HashMap<String, Rc<Program>>,
    /// The inputs of the last task, and what they were made for.
    pub inputs: Vec<(String, Rc<Input>)>,
    /// The last products.
    pub problems: Vec<Rc<Problem>>,
    /// Unless nothing is timed.
    pub peak: Option<Peak>,
}

impl Workbench {
    /// Chooses a device, says which, and opens it.
    pub fn open(flags: &Flags, console: &mut Console) -> Result<Workbench> {
        console.begin(Part::Device, Stage::Loading)?;
        let mut devices = device::list()?;
        if let Some(step) = &console.step {
            step.platforms();
        }
        let mut choice = device::choose_as_told(&devices, flags.selector().as_deref())?;
        if flags.all_devices {
            choice.reason = format!("device {} of all {}", choice.index, devices.len());
        }
        let device = devices.swap_remove(choice.index);
        if flags.ty == Type::Double && !device.limits.fp64 {
            return Err(Error::Usage(format!(
                "{} has no type double (CL_DEVICE_DOUBLE_FP_CONFIG is 0); use --type float",
                device.label()
            )));
        }
        console.say(format!(
            "  device   {}, driver {}: {}",
            device.label().cyan(),
            device.driver,
            choice.reason
        ))?;
        if device.is_llvmpipe() {
            console.say(format!(
                "           {}",
                "good for a second opinion on a kernel: do not trust its times".yellow()
            ))?;
        }
        let listener: Rc<dyn Listener> = match &console.step {
            Some(step) => step.clone(),
            None => Rc::new(()),
        };
        let session = Session::open(device, listener)?;
        Ok(Workbench {
            session: Rc::new(session),
            programs: HashMap::new(),
            inputs: Vec::new(),
            problems: Vec::new(),
            peak: console.earlier.limits(),
        })
    }

    /// The input that was made for this.
    pub fn input(&self, key: &str) -> Option<Rc<Input>> {
        let mut inputs = self.inputs.iter();
        inputs
            .find(|(other, _)| other == key)
            .map(|one| one.1.clone())
    }
}
