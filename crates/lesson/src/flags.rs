//! The flags that every lesson shares, and the kernel files that they come to.

use std::{path::PathBuf, rc::Rc, time::Duration};

use clap::{ColorChoice, Parser};
use common::error::{Error, Result};
use common::source::Source;
use verify::{Shape, element::Type, matrix::Fill};
use watchdog::Orders;

/// What a learner can ask of a lesson.
#[derive(Clone, Debug, Parser)]
#[command(disable_version_flag = true)]
pub struct Flags {
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type (gpu, cpu, pocl) [default: what the variable
    /// OPENCL_COURSE_DEVICE says, else the best GPU, else the best CPU]
    #[arg(short, long, value_name = "SELECTOR")]
    pub device: Option<String>,

    /// Run on every device of this machine, and end with one table
    #[arg(long, conflicts_with = "device")]
    pub all_devices: bool,

    /// Size of the problem: N, or MxNxK for M x K times K x N; several, with commas
    /// between them, are worked on one after another
    /// [default: seconds on a CPU, larger on a GPU]
    #[arg(
        short,
        long = "size",
        value_name = "N|MxNxK",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub sizes: Vec<Shape>,

    /// Timed runs of each kernel; 0 checks the results and times nothing
    /// [default: at least 3, until a quarter of a second or 20 runs]
    #[arg(long, value_name = "N")]
    pub runs: Option<usize>,

    /// Time short kernels as often in a row as fits a millisecond, twenty times at most: what lies
    /// between their launches counts then, and no event of their own does
    #[arg(long)]
    pub in_a_row: bool,

    /// Seed of the random matrices
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Run this kernel only (see --list); may be given more than once
    #[arg(short, long, value_name = "KERNEL")]
    pub only: Vec<String>,

    /// Of a kernel's variants run this one, or the first where the name is empty
    #[arg(long, hide = true, value_name = "NAME")]
    pub variant: Option<String>,

    /// Use this kernel file instead of the lesson's own
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,

    /// Type of the elements
    #[arg(long = "type", value_enum, default_value_t = Type::Float, value_name = "TYPE")]
    pub ty: Type,

    /// What the matrices are filled with: seeded random numbers, or 1, 2, 3, ...
    #[arg(long, value_enum, default_value_t = Fill::Random)]
    pub fill: Fill,

    /// Fill them with numbers far from random ones instead, of one kind after the other
    #[arg(long, hide = true)]
    pub extreme: bool,

    /// Show what stands beside the lesson's own line, too
    #[arg(long)]
    pub long: bool,

    /// Print the matrices (up to 16 rows and columns)
    #[arg(long)]
    pub show: bool,

    /// Print one JSON object a line instead of tables
    #[arg(long)]
    pub json: bool,

    /// Colour the output; auto is on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,

    /// Tell each step as it happens, and wait for a key in between
    #[arg(long, conflicts_with_all = ["all_devices", "watch"])]
    pub step: bool,

    /// The same for a projector: few words, 60 columns
    #[arg(long, conflicts_with_all = ["all_devices", "watch"])]
    pub present: bool,

    /// Print the speaker's notes on this lesson, for a second terminal
    #[arg(long, conflicts_with_all = ["step", "present", "watch", "all_devices", "json"])]
    pub notes: bool,

    /// List the lesson's kernels and stop
    #[arg(long)]
    pub list: bool,

    /// Run again after every save of the kernel file, until Ctrl-C
    #[arg(long, conflicts_with_all = ["step", "present"])]
    pub watch: bool,

    /// Show a failed build's log in the driver's own words
    #[arg(long)]
    pub raw_log: bool,

    /// Seconds that one launch (or build) may take before it is ended
    #[arg(long, default_value_t = 300, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: u64,
}

/// Tells the two crates that colour the output what was asked for.
pub fn apply_color(choice: ColorChoice) {
    let colored = match choice {
        ColorChoice::Auto => return colored::control::unset_override(),
        ColorChoice::Always => true,
        ColorChoice::Never => false,
    };
    colored::control::set_override(colored);
    console::set_colors_enabled_stderr(colored);
}

impl Flags {
    /// What the parent process must know.
    pub fn orders(&self) -> Orders {
        Orders {
            timeout: Duration::from_secs(self.timeout),
            all_devices: self.all_devices,
            json: self.json,
            on_stage: self.step || self.present,
        }
    }

    /// The kernel files: the one that `--source` names, or else the lesson's own.
    pub fn kernel_files(&self, own: &[&str]) -> Vec<PathBuf> {
        let own = || own.iter().copied().map(Source::path_in_course).collect();
        self.source.clone().map_or_else(own, |one| vec![one])
    }

    /// Whether `--only` asks for this kernel, or for all.
    pub fn wants(&self, kernel: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == kernel)
    }

    /// Whether it asks for a kernel that this task runs.
    pub fn wants_task(&self, task: &task::Task) -> bool {
        task.kernels().any(|kernel| self.wants(kernel))
    }
}

/// Which of the files has this kernel: the first where none has.
pub(crate) fn place_of(kernel: &str, sources: &[Rc<Source>]) -> usize {
    let mut others = sources.iter().skip(1);
    let has = |source: &Rc<Source>| source.kernels().iter().any(|one| one == kernel);
    others.position(has).map_or(0, |at| at + 1)
}

/// The kernel files, each read once.
///
/// # Errors
/// Where one cannot be read or holds nothing that the lesson launches, and where `--only` has a name
/// that they do not hold.
pub(crate) fn sources(files: &[&str], flags: &Flags) -> Result<Vec<Rc<Source>>> {
    let read = flags.kernel_files(files);
    let read = read.iter().map(|file| Source::read(file).map(Rc::new));
    let read: Vec<Rc<Source>> = read.collect::<Result<_>>()?;
    // Who has typed a lesson's command was told that before its worker began.
    let is_known = watchdog::is_child() && !watchdog::worker::is_heard();
    if is_known || flags.only.is_empty() && flags.source.is_none() {
        return Ok(read);
    }
    let kernels = || read.iter().flat_map(|source| source.kernels());
    let known: Vec<String> = match flags.source {
        // An exercise, or a kernel of the learner's own.
        _ if files.is_empty() => flags.only.clone(),
        None => kernels().collect(),
        Some(_) => {
            let own = files.iter().map(|name| Ok(Source::of_course(name)?.kernels()));
            own.collect::<Result<Vec<_>>>()?.concat()
        }
    };
    for only in &flags.only {
        if !known.contains(only) {
            return Err(Error::Usage(format!(
                "this lesson has no kernel {only}; {}",
                diagnostics::near::did_you_mean(only, &known)
            )));
        }
        if flags.source.is_some() && !files.is_empty() {
            read[0].must_define(only)?;
        }
    }
    if let Some(own) = flags.source.as_ref().filter(|_| !files.is_empty())
        && !kernels().any(|kernel| known.contains(&kernel))
    {
        return Err(Error::Unlaunchable(format!(
            "{} defines none of this lesson's kernels; there are: {}",
            own.display(),
            known.join(", ")
        )));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_is_consistent() {
        use clap::CommandFactory;
        Flags::command().debug_assert();
    }
}
