//! The life of a lesson: what was asked for, its device, its problem, its end.

use std::{collections::HashMap, path::Path, rc::Rc};

use colored::Colorize;
use common::device::{self, Device, Kind};
use common::error::{Error, Result};
use common::record::{Of, Record};
use common::session::{Listener, Session};
use common::timing::{Peak, Runs};
use common::{memory::Input, program::Program, source::Source, stage::Stage};
use task::signature::Signature;
use verify::numbers::{percent, significant};
use verify::{Shape, element::Type, matrix::Fill, problem::Problem};
use watchdog::{events::Event, simulator::Simulator, watch};

use crate::flags::{Flags, place_of, sources};
use crate::{console::Console, report::heading, step::Part};

/// A running lesson.
pub struct Lesson {
    /// Which one it is.
    pub of: Of,
    /// What it says.
    pub console: Console,
    /// The one of the sizes asked for that is worked on now; `None` for its own.
    pub size: Option<Shape>,
    /// The tables that `--long` shows.
    pub(crate) more: Vec<String>,
    /// A kernel that `--only` names, whose rows are for other devices or sizes: for which.
    pub(crate) left_out: Option<(String, String)>,
    /// What is done with the binary of each program, before it is used.
    pub rewrite: Option<fn(&str) -> String>,
    pub(crate) title: &'static str,
    pub(crate) files: &'static [&'static str],
    /// Its kernel files, or the one that `--source` names.
    sources: Vec<Rc<Source>>,
    /// What the learner asked for.
    pub flags: Flags,
    workbench: Option<Workbench>,
}

impl Lesson {
    pub(crate) fn begin(
        of: Of,
        title: &'static str,
        files: &'static [&'static str],
        flags: Flags,
    ) -> Result<Lesson> {
        let sources = sources(files, &flags)?;
        let heading = format!("{of}: {title}");
        let console = Console::new(&flags, &heading)?;
        console.report.line(heading.bold())?;
        Ok(Lesson {
            of,
            console,
            size: None,
            more: Vec::new(),
            left_out: None,
            rewrite: None,
            title,
            files,
            sources,
            flags,
            workbench: None,
        })
    }

    /// Turns to another kernel file, as if it were the first: what was made for another one goes.
    pub fn turn_to(&mut self, file: &Path, kernel: Option<&str>) -> Result<()> {
        let source = Source::read(file)?;
        if let Some(kernel) = kernel {
            source.must_define(kernel)?;
        }
        self.sources = vec![source.into()];
        self.flags.source = Some(file.into());
        (self.console.skipped, self.console.checked) = (0, 0);
        if let Some(before) = self.workbench.take() {
            self.workbench()?.peak = before.peak;
        }
        Ok(())
    }

    /// Prints a line for people, none in JSON mode.
    pub fn say(&self, text: impl std::fmt::Display) -> Result<()> {
        self.console.say(text)
    }

    /// The rows of the table as far as it is printed.
    pub fn rows(&self) -> &[Record] {
        self.console.report.rows()
    }

    /// What it computes with: at first use a device is chosen, announced and opened.
    pub(crate) fn workbench(&mut self) -> Result<&mut Workbench> {
        let none = match &mut self.workbench {
            Some(workbench) => return Ok(workbench),
            none => none,
        };
        self.console.begin(Part::Device, Stage::Loading)?;
        let mut devices = device::list()?;
        if let Some(step) = &self.console.step {
            step.platforms();
        }
        let mut choice = device::choose_as_told(&devices, self.flags.device.as_deref())?;
        if self.flags.all_devices {
            choice.reason = format!("device {} of all {}", choice.index, devices.len());
        }
        let all = devices.iter().filter(|_| self.flags.all_devices).map(Device::label).collect();
        let device = devices.swap_remove(choice.index);
        let platform = device.platform.name.clone();
        self.console.events.send(&Event::Device { platform, all })?;
        if self.flags.ty == Type::Double && !device.limits.fp64 {
            return Err(Error::Usage(format!(
                "{} has no type double (CL_DEVICE_DOUBLE_FP_CONFIG is 0); use --type float",
                device.label()
            )));
        }
        self.console.say(format!(
            "  device   {}, driver {}: {}",
            device.label().cyan(),
            device.driver,
            choice.reason
        ))?;
        if device.is_llvmpipe() {
            self.console.say(format!(
                "           {}",
                "good for a second opinion on a kernel: do not trust its times".yellow()
            ))?;
        }
        let listener: Rc<dyn Listener> = match &self.console.step {
            Some(step) => step.clone(),
            None => Rc::new(()),
        };
        let session = Session::open(device, listener)?;
        // Whose context began the log anew.
        let simulator = session.device.is_simulator().then(Simulator::from_environment);
        self.console.simulator = simulator.flatten();
        Ok(none.insert(Workbench {
            session: Rc::new(session),
            programs: HashMap::new(),
            inputs: Vec::new(),
            problems: Vec::new(),
            peak: self.console.earlier.peak,
        }))
    }

    /// The session with the chosen device.
    pub fn session(&mut self) -> Result<Rc<Session>> {
        Ok(self.workbench()?.session.clone())
    }

    /// How often to time each kernel; `None` when nothing is to be timed.
    pub fn runs(&mut self) -> Result<Option<Runs>> {
        let simulator = self.session()?.device.is_simulator();
        Ok(match self.flags.runs {
            Some(0) => None,
            Some(runs) => Some(Runs::Exactly(runs)),
            None if simulator => None,
            None => Some(Runs::Enough),
        })
    }

    /// The device's measured limits; `None` when nothing is to be timed.
    pub fn peak(&mut self) -> Result<Option<Peak>> {
        let known = self.workbench()?.peak;
        if known.is_some() || self.runs()?.is_none() {
            return Ok(known);
        }
        let (peak, when) = match watch::peak_of_earlier_run() {
            Some(peak) => (peak, ", in the first run"),
            None => (self.measured_peak()?, ""),
        };
        let spreads =
            peak.spreads.map(|spreads| spreads.map(|one| format!(" (±{})", percent(one))));
        let [fma, copy] = spreads.unwrap_or_default();
        self.say(format!(
            "  limits   {} GFLOP/s in fp32{fma}, {} GB/s of copying{copy}{when}",
            significant(peak.gflops),
            significant(peak.gbytes_per_second),
        ))?;
        if !peak.is_certain() {
            let why = "they scatter, and so does each share of them: other programs run, too";
            self.say(format!("           {}", why.yellow()))?;
        }
        self.console.events.send(&Event::Peak(peak))?;
        self.workbench()?.peak = Some(peak);
        Ok(Some(peak))
    }

    /// These limits as they are now.
    pub fn measured_peak(&mut self) -> Result<Peak> {
        let session = self.session()?;
        self.console.begin(Part::Limits, Stage::Limits)?;
        let hush = self.console.hush();
        let peak = watchdog::peak::peak(&session)?;
        drop(hush);
        let told = "probe_fma and probe_copy: several launches each, not shown one by one";
        self.console.note(|| told);
        Ok(peak)
    }

    /// The size that was asked for, or one that takes seconds on this device.
    pub fn shape(&mut self) -> Result<Shape> {
        let device = &self.session()?.device;
        Ok(self.size.unwrap_or(match device.kind {
            _ if device.is_simulator() => Shape::cube(40),
            Kind::Gpu => Shape::cube(2048),
            // No power of two: there the sets of a CPU's caches would decide.
            _ => Shape::cube(500),
        }))
    }

    /// Refuses `--type` in a lesson that computes with floats alone.
    pub fn must_be_of_floats(&self) -> Result<()> {
        match self.flags.ty {
            Type::Float => Ok(()),
            _ => Err(Error::Usage("this lesson computes with floats: leave --type out".into())),
        }
    }

    /// A, B and what C must be, announced.
    pub fn problem(&mut self) -> Result<Rc<Problem>> {
        let shape = self.shape()?;
        shape.must_be_countable().map_err(Error::Usage)?;
        let session = self.session()?;
        let Flags { ty, fill, seed, .. } = self.flags;
        session.must_fit(shape, ty)?;
        let filled = match fill {
            Fill::Random => format!("random (seed {seed})"),
            Fill::Count => "1, 2, 3, ...".into(),
            Fill::Far(_) => "far from random".into(),
        };
        let Shape { m, n, k } = shape;
        self.say(format!(
            "  problem  C[{m}][{n}] = A[{m}][{k}] * B[{k}][{n}], {}, {filled}",
            ty.name()
        ))?;
        let problem = self.known(Problem::new(shape, ty, fill, seed))?;
        if self.flags.show {
            self.console.show("A", problem.a())?;
            self.console.show("B", problem.b())?;
        }
        Ok(problem)
    }

    /// The same product, made once: its reference takes as long as a slow kernel.
    pub(crate) fn known(&mut self, problem: Problem) -> Result<Rc<Problem>> {
        /// Of larger ones the memory is needed.
        const KEPT: usize = 2;
        let problems = &mut self.workbench()?.problems;
        if let Some(known) = problems.iter().find(|one| one.is(&problem)) {
            return Ok(known.clone());
        }
        problems.truncate(KEPT - 1);
        let problem = Rc::new(problem);
        problems.insert(0, problem.clone());
        Ok(problem)
    }

    /// The lesson's first kernel file, or the one that `--source` names.
    pub fn source(&self) -> Result<Rc<Source>> {
        self.source_of("")
    }

    /// The one that has this kernel, of several.
    pub fn source_of(&self, kernel: &str) -> Result<Rc<Source>> {
        let none = || Error::Usage("this lesson has no kernel file".into());
        let source = self.sources.get(place_of(kernel, &self.sources));
        source.cloned().ok_or_else(none)
    }

    /// The lesson's first kernel file, built with these options; built once for all that are alike.
    pub fn program(&mut self, options: &str) -> Result<Rc<Program>> {
        let source = self.source()?;
        let stage = Stage::building(source.path.display());
        self.console.begin(Part::Build, stage)?;
        self.built_once(&source, options)
    }

    /// A program of another file, for other runs of it, too: drivers take long over a text that
    /// they have built before.
    pub fn built_once(&mut self, source: &Source, options: &str) -> Result<Rc<Program>> {
        let (raw_log, rewrite) = (self.flags.raw_log, self.rewrite);
        let key = format!("{options} {rewrite:?} {}", source.text);
        let workbench = self.workbench()?;
        if let Some(program) = workbench.programs.get(&key).cloned() {
            self.console.note(|| format!("built already, with {options}"));
            return Ok(program);
        }
        let mut program = Program::build(&workbench.session, source, options, raw_log)?;
        if let Some(change) = rewrite {
            program = program.rewritten(&workbench.session, change)?;
        }
        let program = Rc::new(program);
        workbench.programs.insert(key, program.clone());
        Ok(program)
    }

    /// What the driver tells of all kernels of a program, which `source` is the text of.
    pub fn signatures(
        &mut self,
        program: &Program,
        source: &Source,
        options: &str,
    ) -> Result<Vec<Signature>> {
        let session = self.session()?;
        Signature::all(&session, program, source, |source| self.built_once(source, options))
    }

    /// A record with everything filled in that does not depend on the kernel.
    pub fn record(&mut self, kernel: &str, says: &str, shape: Shape) -> Result<Record> {
        let limits = self.workbench()?.peak;
        let device = &self.session()?.device;
        Ok(Record {
            of: self.of,
            kernel: kernel.into(),
            says: says.into(),
            platform: device.platform.name.clone(),
            device: device.name.clone(),
            kind: Some(device.kind),
            driver: device.driver.clone(),
            m: shape.m,
            n: shape.n,
            k: shape.k,
            ty: Some(self.flags.ty),
            fill: Some(self.flags.fill),
            seed: self.flags.seed,
            limits,
            ..Record::default()
        })
    }

    /// Prints the head of a table; rows before it no longer count for factors.
    pub fn table(&mut self, unit: &str) -> Result<()> {
        self.peak()?;
        self.console.head(&heading(unit))
    }
}

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
