//! The life of a lesson: its device, its problem, its programs and its tables.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use colored::Colorize;
use common::device::{self, Kind};
use common::element::Type;
use common::error::{Error, Result};
use common::matrix::{Fill, Matrix};
use common::numbers::significant;
use common::probe::{self, Peak};
use common::program::{self, Program};
use common::record::Record;
use common::session::Session;
use common::shape::Shape;
use common::source::Source;
use common::tell::{Call, Listener};
use common::timing::Runs;
use common::verify::Problem;
use indicatif::{ProgressBar, ProgressStyle};
use narrate::{Audience, Beat, Narrator};
use supervise::events::{Event, Sender};
use supervise::resume::{self, Before};

use crate::ablate;
use crate::cli::Flags;
use crate::measure::Operands;
use crate::report::Report;

/// Matrices up to this many rows and columns are printed by `--show`.
const SHOWN: usize = 16;

/// A running lesson.
pub struct Lesson {
    /// Its number.
    pub number: u32,
    /// What the learner asked for.
    pub flags: Flags,
    /// Where its output goes.
    pub report: Report,
    /// Who tells what it does, with `--step`.
    pub narrator: Narrator,
    title: &'static str,
    file: Option<&'static str>,
    events: Sender,
    pub(crate) spinner: ProgressBar,
    session: Option<Rc<Session>>,
    pub(crate) peak: Option<Peak>,
    programs: HashMap<String, Rc<Program>>,
    pub(crate) operands: Option<Rc<Operands>>,
    wrong: Vec<String>,
    /// The kernels that took a process down.
    pub(crate) died: Vec<Record>,
    /// What needs not be measured again.
    pub(crate) before: Before,
    /// Whether `--ablate` found something to take out.
    pub(crate) ablated: bool,
}

impl Lesson {
    pub(crate) fn begin(
        number: u32,
        title: &'static str,
        file: Option<&'static str>,
        flags: Flags,
    ) -> Result<Lesson> {
        let spinner = ProgressBar::new_spinner();
        let narrator = narrator(&flags, &spinner)?;
        let mut report = Report::new(flags.json);
        if narrator.speaks_for_the_lesson() {
            report.silence();
        } else if narrator.is_attended() {
            report.defer_tables();
        }
        let before = Before::from_environment();
        if !before.is_over() {
            report.mute(true);
            narrator.mute();
        }
        let lesson = Lesson {
            number,
            report,
            narrator,
            flags,
            title,
            file,
            events: Sender::from_environment()?,
            spinner,
            session: None,
            peak: before.limits(),
            programs: HashMap::new(),
            operands: None,
            wrong: Vec::new(),
            died: Vec::new(),
            before,
            ablated: false,
        };
        let heading = format!("Lesson {number}: {title}");
        lesson.narrator.title(&heading);
        lesson.report.line(heading.bold())?;
        Ok(lesson)
    }

    /// Says what begins now: to the process that watches, and on the terminal.
    ///
    /// # Errors
    /// When the watching process cannot be told.
    pub fn doing(&mut self, what: impl Into<String>) -> Result<()> {
        self.show_progress("  {spinner} {msg} {elapsed}", what.into())
    }

    /// The same within long work of which a share, from 0 to 1, is done.
    ///
    /// # Errors
    /// When the watching process cannot be told.
    pub fn doing_share(&mut self, share: f64, what: impl Into<String>) -> Result<()> {
        self.spinner.set_length(1000);
        self.spinner
            .set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
        self.show_progress("  {bar:20} {percent:>3} %  {wide_msg}", what.into())
    }

    fn show_progress(&mut self, template: &str, what: String) -> Result<()> {
        // A key that was awaited has put it away.
        if self.spinner.is_finished() {
            self.spinner.reset();
        }
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.spinner.set_style(style.progress_chars("█▌░"));
        }
        self.spinner.set_message(what.clone());
        self.spinner.tick();
        self.spinner.enable_steady_tick(Duration::from_millis(100));
        self.tell(&Event::Doing(what))
    }

    /// Tells the process that watches.
    pub(crate) fn tell(&mut self, event: &Event) -> Result<()> {
        self.events.send(event)
    }

    /// Prints a line for people, none in JSON mode.
    ///
    /// # Errors
    /// When standard output fails.
    pub fn say(&self, text: impl std::fmt::Display) -> Result<()> {
        self.spinner.suspend(|| self.report.line(&text))?;
        if self.narrator.is_on() {
            self.narrator.remember(&text.to_string());
        }
        Ok(())
    }

    /// Prints a record, and hands it to the watching process.
    ///
    /// # Errors
    /// When standard output fails.
    pub fn row(&mut self, mut record: Record) -> Result<()> {
        record.step_factor = self.report.step_factor(&record);
        record.limits = self.peak;
        self.narrator.result(&record, record.step_factor)?;
        self.keep(&record)?;
        self.spinner.suspend(|| self.report.row(record))
    }

    /// Hands a record to the watching process, and remembers a wrong result.
    pub(crate) fn keep(&mut self, record: &Record) -> Result<()> {
        self.note(record);
        self.tell(&Event::Record(record.to_value()?))
    }

    /// Remembers what the lesson's last line must tell.
    pub(crate) fn note(&mut self, record: &Record) {
        if let Some(wrong) = &record.failed {
            self.wrong.push(format!("{}: {wrong}", record.kernel));
        }
        if record.died.is_some() {
            self.died.push(record.clone());
        }
    }

    /// The device that the child is to use, if its parent says so.
    pub fn selector(&self) -> Option<String> {
        std::env::var(supervise::CHILD_DEVICE_VARIABLE)
            .ok()
            .or_else(|| self.flags.device.clone())
    }

    /// The session with the chosen device; opened, and announced, at first use.
    ///
    /// # Errors
    /// When there is no device, or none that matches, or it cannot be opened.
    pub fn session(&mut self) -> Result<Rc<Session>> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        self.narrator.beat(Beat::Device)?;
        self.doing("looking for devices")?;
        let mut devices = device::list()?;
        self.tell_platforms();
        let candidates: Vec<_> = devices.iter().map(device::Candidate::from).collect();
        let choice = device::choose(&candidates, self.selector().as_deref())?;
        let device = devices.swap_remove(choice.index);
        if self.flags.ty == Type::Double && !device.limits.fp64 {
            return Err(Error::Usage(format!(
                "{} has no type double (CL_DEVICE_DOUBLE_FP_CONFIG is 0); use --type float",
                device.label()
            )));
        }
        self.say(format!(
            "  device   {}, driver {}: {}",
            device.label().cyan(),
            device.driver,
            choice.reason
        ))?;
        let session = Rc::new(Session::heard(device, Rc::new(self.narrator.clone()))?);
        self.session = Some(session.clone());
        Ok(session)
    }

    /// Tells which platforms and devices there are.
    pub fn tell_platforms(&self) {
        if !self.narrator.is_on() {
            return;
        }
        let platforms = device::platforms();
        let tell = |call: Call| self.narrator.hear(&call);
        tell(Call::new("clGetPlatformIDs").gave(format!("{} platform(s)", platforms.len())));
        for (platform, count) in platforms {
            let found = match count {
                0 => "CL_DEVICE_NOT_FOUND: none".to_string(),
                n => format!("{n} device(s)"),
            };
            let call = Call::new("clGetDeviceIDs").arg("", platform.name);
            tell(call.also("CL_DEVICE_TYPE_ALL").gave(found));
        }
    }

    /// How often to time each kernel; `None` when nothing is to be timed.
    ///
    /// # Errors
    /// Those of [`Lesson::session`].
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
    ///
    /// # Errors
    /// When the probe kernels fail.
    pub fn peak(&mut self) -> Result<Option<Peak>> {
        if self.peak.is_none() && self.runs()?.is_some() {
            let session = self.session()?;
            let (peak, when) = match peak_of_before() {
                Some(peak) => (peak, "in the first run"),
                None => (self.measure_peak(&session)?, "now"),
            };
            self.say(format!(
                "  limits   {} GFLOP/s of fp32 multiply-adds, {} GB/s of copying (measured {when})",
                significant(peak.gflops),
                significant(peak.gbytes_per_second)
            ))?;
            self.peak = Some(peak);
        }
        Ok(self.peak)
    }

    fn measure_peak(&mut self, session: &Session) -> Result<Peak> {
        self.narrator.beat(Beat::Limits)?;
        self.doing("measuring the device's own limits")?;
        let peak = {
            let _hush = self.narrator.hush();
            probe::peak(session)?
        };
        self.narrator
            .note(|| "probe_fma and probe_copy: several launches each, not told one by one".into());
        Ok(peak)
    }

    /// The sizes to work on, one after another; `None` stands for the lesson's own.
    pub(crate) fn sizes(&self) -> Vec<Option<Shape>> {
        match self.flags.sizes.as_slice() {
            [] => vec![None],
            sizes => sizes.iter().copied().map(Some).collect(),
        }
    }

    /// The size that was asked for, or one that takes seconds on this device.
    ///
    /// # Errors
    /// Those of [`Lesson::session`].
    pub fn shape(&mut self) -> Result<Shape> {
        let device = &self.session()?.device;
        Ok(self.flags.size.unwrap_or(match device.kind {
            _ if device.is_simulator() => Shape::cube(40),
            Kind::Gpu => Shape::cube(2048),
            _ => Shape::cube(512),
        }))
    }

    /// A, B and what C must be, announced.
    ///
    /// # Errors
    /// When the problem does not fit the device.
    pub fn problem(&mut self) -> Result<Problem> {
        let shape = self.shape()?;
        shape.must_be_countable()?;
        let session = self.session()?;
        let Flags { ty, fill, seed, .. } = self.flags;
        session.must_fit(shape, ty, 0)?;
        let filled = match fill {
            Fill::Random => format!("random (seed {seed})"),
            Fill::Count => "1, 2, 3, ...".into(),
        };
        self.say(format!(
            "  problem  C[{}][{}] = A[{}][{}] * B[{}][{}], {}, {}",
            shape.m,
            shape.n,
            shape.m,
            shape.k,
            shape.k,
            shape.n,
            ty.name(),
            filled
        ))?;
        let problem = Problem::new(shape, ty, fill, seed);
        if self.flags.show {
            self.show("A", &problem.a)?;
            self.show("B", &problem.b)?;
        }
        Ok(problem)
    }

    /// Prints a matrix, or says why not.
    ///
    /// # Errors
    /// When standard output fails.
    pub fn show(&self, name: &str, matrix: &Matrix) -> Result<()> {
        let Matrix { rows, cols, .. } = *matrix;
        if rows > SHOWN || cols > SHOWN {
            return self.say(format!(
                "  {name} is {rows} x {cols}: too large to print, use --size {SHOWN} or less"
            ));
        }
        self.say(format!("  {name} ({rows} x {cols})\n{matrix}").trim_end())
    }

    /// The lesson's kernel file, or the one that `--source` names.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn source(&self) -> Result<Source> {
        match (&self.flags.source, self.file) {
            (Some(path), _) => Source::read(path),
            (None, Some(name)) => Source::of_course(name),
            (None, None) => Err(Error::Usage("this lesson has no kernel file".into())),
        }
    }

    /// The lesson's kernel file, built with these macros; built once for each set.
    ///
    /// # Errors
    /// [`Error::Build`] with a diagnostic.
    pub fn program(&mut self, defines: &[(String, usize)]) -> Result<Rc<Program>> {
        let options = program::options(self.flags.ty, defines);
        self.narrator.beat(Beat::Build)?;
        if let Some(program) = self.programs.get(&options) {
            self.narrator
                .note(|| format!("built already, with {options}"));
            return Ok(program.clone());
        }
        let source = self.source()?;
        self.doing(format!("building {}", source.path.display()))?;
        let session = self.session()?;
        let program = Program::build(&session, &source, &options, self.flags.raw_log)?;
        let program = Rc::new(program);
        self.programs.insert(options, program.clone());
        Ok(program)
    }

    /// Frees the programs built so far: a lesson may build hundreds.
    pub fn forget_programs(&mut self) {
        self.programs.clear();
    }

    /// A record with everything filled in that does not depend on the kernel.
    ///
    /// # Errors
    /// Those of [`Lesson::session`].
    pub fn record(&mut self, kernel: &str, says: &str, shape: Shape) -> Result<Record> {
        let device = &self.session()?.device;
        Ok(Record {
            lesson: self.number,
            kernel: kernel.into(),
            says: says.into(),
            platform: device.platform.name.clone(),
            device: device.name.clone(),
            driver: device.driver.clone(),
            m: shape.m,
            n: shape.n,
            k: shape.k,
            ty: Some(self.flags.ty),
            fill: Some(self.flags.fill),
            seed: self.flags.seed,
            ..Record::default()
        })
    }

    /// Prints the head of a table; rows before it no longer count for factors.
    ///
    /// # Errors
    /// When the probes or standard output fail.
    pub fn table(&mut self, unit: &str) -> Result<()> {
        self.peak()?;
        self.report.start_table();
        let head = |lesson: &Lesson| {
            if lesson.flags.ablate {
                lesson
                    .report
                    .line(format!("\n{}", ablate::heading().bold()))
            } else {
                lesson.report.head(unit)
            }
        };
        self.spinner.suspend(|| head(self))
    }

    /// The lesson's last words; an error where something was wrong.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.speak_up();
        self.spinner.finish_and_clear();
        self.report.flush()?;
        self.narrator.end()?;
        if self.flags.ablate && !self.ablated {
            return Err(ablate::nothing());
        }
        if !self.died.is_empty() {
            let lesson = format!("lesson {} ({})", self.number, self.title);
            let last_words = resume::last_words(&self.died, &lesson, self.wrong.len());
            return Err(Error::Died(last_words));
        }
        if self.wrong.is_empty() {
            return Ok(());
        }
        Err(Error::Wrong(format!(
            "{} kernel(s) gave a wrong result in lesson {} ({})\n  \
             next: --size 5x7x3 --fill count --show prints the matrices; --only KERNEL runs one kernel",
            self.wrong.len(),
            self.number,
            self.title
        )))
    }
}

/// Who tells of the calls, if the learner asked for it.
fn narrator(flags: &Flags, spinner: &ProgressBar) -> Result<Narrator> {
    let audience = if flags.present {
        Audience::Room
    } else if flags.step {
        Audience::Learner
    } else {
        return Ok(Narrator::default());
    };
    Narrator::new(audience, spinner.clone())
}

/// What the parent knows from a run before: `--watch` measures the limits once, so
/// that a save is checked sooner, and all runs are held against the same.
fn peak_of_before() -> Option<Peak> {
    let known = std::env::var(supervise::LIMITS_VARIABLE).ok()?;
    serde_json::from_str(&known).ok()
}
