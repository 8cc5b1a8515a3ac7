//! `course inspect`: every detector on a kernel of the learner's own, for any fault that
//! it may have, and what it asks of memory.

mod screen;
mod traffic;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use ::process::data::size_name;
use ::process::lessons::{self, Lesson};
use anyhow::Result;
use common::Error;
use common::element::Type;
use common::shape::Shape;
use common::source::Source;
use serde_json::json;
use text::Out;

use crate::game::playable::{Checked, How, drawn_size, sign_of_life};
use crate::game::verdict::Verdict;
use crate::launch::{Launch, process};
use crate::trial::{OTHER_SIZES, SIMULATED, Trial};
use traffic::Traffic;

/// Where most faults of indices show: three odd sides, none a multiple of a group's.
const ODD: &str = "37x91x53";
/// The same for what works on vectors, as lesson 2 does.
const LENGTHS: [&str; 2] = ["1303", "7"];
/// Multiply-adds that the simulator does in a few seconds.
const FEW: usize = 50_000;

/// The flags of `course inspect`.
#[derive(clap::Args)]
pub struct Options {
    /// A file with kernels of your own
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Inspect this kernel only; may be given more than once [default: all of the file]
    #[arg(short, long, value_name = "KERNEL")]
    only: Vec<String>,
    /// Sizes of the problem: N, or MxNxK; several, with commas between them. The
    /// simulator takes the first that is small [default: three odd ones]
    #[arg(short, long = "size", value_name = "N|MxNxK", value_delimiter = ',')]
    sizes: Vec<Shape>,
    /// Type of the elements
    #[arg(long = "type", value_enum, default_value_t = Type::Float, value_name = "TYPE")]
    ty: Type,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    launch: Launch,
}

/// Inspects the kernels of a file, one after the other; the status is the largest.
pub fn inspect(options: &Options) -> Result<ExitCode> {
    let source = Source::read(&options.file)?;
    let mut kernels = options.only.clone();
    kernels
        .iter()
        .try_for_each(|name| source.must_define(name))?;
    if kernels.is_empty() {
        kernels = source.kernels();
    }
    if kernels.is_empty() {
        let file = options.file.display();
        return Err(Error::Build(format!("{file} defines no kernel")).into());
    }
    let mut worst = 0;
    for kernel in &kernels {
        let inspection = Inspection::new(options, kernel, &source)?;
        worst = worst.max(inspection.show()?);
    }
    Ok(ExitCode::from(worst))
}

/// One kernel, and how it is launched.
struct Inspection<'a> {
    options: &'a Options,
    kernel: &'a str,
    /// The lesson that has a kernel of this name; none where it is launched by flags.
    lesson: Option<&'static Lesson>,
    launch: Launch,
}

impl Inspection<'_> {
    fn new<'a>(options: &'a Options, kernel: &'a str, source: &Source) -> Result<Inspection<'a>> {
        let lesson = if options.launch.is_chosen() {
            None
        } else {
            lessons::with_kernel(kernel)?
        };
        Ok(Inspection {
            options,
            kernel,
            lesson,
            launch: options.launch.of(source, kernel),
        })
    }

    /// Runs every detector, and tells what they saw; the exit status.
    fn show(&self) -> Result<u8> {
        let json = self.options.how.json;
        if !json {
            screen::head(self)?;
        }
        let waiting = sign_of_life(self.options.how.timeout);
        let checked = self.check();
        let traffic = checked.as_ref().map(|checked| self.traffic(checked));
        waiting.finish_and_clear();
        let (traffic, checked) = (traffic.ok().flatten(), checked?);
        if json {
            self.print_json(&checked, traffic.as_ref())?;
        } else {
            screen::checked(self, &checked)?;
            traffic.map_or(Ok(()), |traffic| traffic.print())?;
        }
        Ok(checked.seen.status)
    }

    fn check(&self) -> Result<Checked> {
        let trial = Trial {
            command: &|size| self.command(size),
            device: self.options.how.device.clone(),
            sizes: self.sizes(),
            simulated: self.simulated(),
        };
        let mut seen = trial.run()?;
        let verdict = Verdict::of(&seen.observations, true, true);
        seen.status = verdict.status(seen.status);
        Ok(Checked { seen, verdict })
    }

    /// Who launches the kernel.
    fn program(&self) -> Result<Command> {
        match self.lesson {
            Some(lesson) => lesson.command(),
            None => process::command(&self.launch),
        }
    }

    /// The program that checks the kernel once at a size.
    fn command(&self, size: &str) -> Result<Command> {
        let Options { file, how, ty, .. } = self.options;
        let mut command = self.program()?;
        command
            .args(["--json", "--runs", "0", "--only", self.kernel])
            .args(["--size", size, "--type", ty.name()])
            .args(["--seed", &how.seed.to_string()])
            .args(["--timeout", &how.timeout.to_string(), "--source"])
            .arg(file)
            .stdin(Stdio::null());
        Ok(command)
    }

    fn is_on_vectors(&self) -> bool {
        self.lesson
            .map_or(self.launch.is_on_vectors(), |lesson| lesson.number == 2)
    }

    /// On the device.
    fn sizes(&self) -> Vec<String> {
        if !self.options.sizes.is_empty() {
            return self
                .options
                .sizes
                .iter()
                .map(|size| size_name(*size))
                .collect();
        }
        let drawn = drawn_size(self.options.how.seed);
        let (sizes, new): (Vec<&str>, String) = if self.is_on_vectors() {
            (LENGTHS.into(), (drawn.m * drawn.n).to_string())
        } else {
            let sizes = std::iter::once(ODD).chain(OTHER_SIZES);
            (sizes.collect(), drawn.to_string())
        };
        sizes.into_iter().map(String::from).chain([new]).collect()
    }

    /// The first of the learner's own sizes that the simulator can do in a few seconds.
    fn small_size(&self) -> Option<Shape> {
        let on_vectors = self.is_on_vectors();
        let is_small = |size: &&Shape| {
            let work = if on_vectors { size.m } else { size.terms() };
            work <= FEW
        };
        self.options.sizes.iter().find(is_small).copied()
    }

    /// At which the simulator looks for faults.
    fn simulated(&self) -> String {
        let own = if self.is_on_vectors() {
            LENGTHS[0]
        } else {
            SIMULATED
        };
        self.small_size().map_or(own.into(), size_name)
    }

    /// How it is launched, in words.
    fn launched(&self) -> String {
        match self.lesson {
            Some(lesson) => format!(
                "as in lesson {}, which has a kernel of this name",
                lesson.number
            ),
            None => self.launch.words(),
        }
    }

    fn print_json(&self, checked: &Checked, traffic: Option<&Traffic>) -> Result<()> {
        use std::io::Write;
        let line = json!({
            "file": self.options.file,
            "kernel": self.kernel,
            "lesson": self.lesson.map(|lesson| lesson.number),
            "launched": self.launched(),
            "simulated": self.simulated(),
            "seed": self.options.how.seed,
            "observations": checked.seen.observations,
            "verdict": screen::verdict(checked.verdict),
            "memory": traffic.map(Traffic::json),
        });
        Ok(writeln!(Out, "{line}")?)
    }
}
