//! A kernel as its lesson launches it: the lesson runs it once, as a child, and its record
//! says with which macros and in which groups. What the driver keeps meanwhile goes to a
//! folder that is gone afterwards: the library in PoCL's cache, or the binary of its program.

use std::path::{Path, PathBuf};
use std::{fs, time::Duration};

use anyhow::{Context, Result};
use common::{Error, device::drivers, ndrange, record, record::Record, source::Source};
use diagnostics::near::did_you_mean;
use verify::element::Type;
use walkdir::{DirEntry, WalkDir};
use watchdog::{lessons, scratch::Scratch, worker, worker::Work};

use crate::{code::Code, file};

/// How long a launch may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which kernel, in which of its variants, for which device.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Wanted {
    /// A kernel of a lesson, or of the file that --source names
    #[arg(value_name = "KERNEL", index = 1)]
    pub kernel: String,
    /// One of its variants, where the lesson has several: 16x16, "8x8 64x64"
    #[arg(value_name = "VARIANT", index = 2)]
    pub variant: Vec<String>,
    /// Use this kernel file instead of the lesson's own
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(short, long, value_name = "SELECTOR")]
    pub device: Option<String>,
    /// Show a failed build's log in the driver's own words
    #[arg(long)]
    pub raw_log: bool,
    /// Type of the elements
    #[arg(long = "type", value_enum, default_value_t = Type::Float, value_name = "TYPE")]
    pub ty: Type,
    /// Size of the problem that it is launched for once, or a task's: rows=5,cols=70 [default: a
    /// small one]
    #[arg(short, long, value_name = "N|MxNxK")]
    pub size: Option<String>,
}

/// A kernel that was launched once.
pub struct Launched {
    /// What it is called: the kernel with its variant, or what laid an operand out.
    pub name: String,
    /// The kernel's name without its variant.
    pub kernel: String,
    /// Who launched it: "as in lesson 6", "as in exercise 4.2", "by its arguments".
    pub by: String,
    /// What the lesson says of it: device, groups, macros.
    pub record: Record,
    /// The other variants of the same kernel.
    pub others: Vec<String>,
    /// What PoCL compiled for it lies here.
    pub cache: Scratch,
}

impl Wanted {
    /// The kernel, with the variant where one is asked for.
    pub fn name(&self) -> String {
        let name = format!("{} {}", self.kernel, self.variant.join(" "));
        name.trim_end().into()
    }

    /// The lesson that has a kernel of this name, as a worker of this program.
    ///
    /// # Errors
    /// [`Error::Usage`] with the nearest names where no lesson has it.
    pub fn lesson(&self) -> Result<Work> {
        let name = &self.kernel;
        if let Some((lesson, _)) = lessons::with_kernel(name)? {
            return lesson.work();
        }
        let why = if name.ends_with(".cl") {
            let kernels = Source::read(Path::new(name))?.kernels().join(", ");
            let next = format!("next: name one, then the file: KERNEL --source {name}");
            format!("{name} is a file; its kernels: {kernels}\n  {next}")
        } else {
            format!("no lesson has a kernel {name}; {}", did_you_mean(name, &lessons::kernels()?))
        };
        Err(Error::Usage(why).into())
    }

    /// The kernel file: the learner's, or the lesson's.
    pub fn file(&self) -> Result<PathBuf> {
        if let Some(file) = &self.source {
            return Ok(file.clone());
        }
        let none = || format!("no lesson has a kernel {}", self.kernel);
        let (_, file) = lessons::with_kernel(&self.kernel)?.with_context(none)?;
        Ok(Source::path_in_course(&file))
    }

    /// Launches it once by this worker, a lesson or what takes a lesson's flags.
    ///
    /// # Errors
    /// [`Error::Usage`] for a variant that there is not, or a kernel that is skipped on
    /// this device; its failure where the worker itself refuses.
    pub fn launch(&self, mut work: Work) -> Result<Launched> {
        let usage = |why: String| Err(Error::Usage(why).into());
        let cache = Scratch::new()?;
        let flags = std::env::var("POCL_EXTRA_BUILD_FLAGS").unwrap_or_default();
        let variant = if self.variant.is_empty() { String::new() } else { self.name() };
        // A few tiles for a product; enough for vectors that PoCL takes for long ones.
        let size = self.size_or(32, 1 << 20);
        work.args(["--json", "--runs", "0", "--type", self.ty.name()])
            .args(["--only", &self.kernel, "--size", &size])
            // The other variants are named, and not launched.
            .args(["--variant", &variant])
            .args(self.device.iter().flat_map(|device| ["--device", device]))
            .args(self.raw_log.then_some("--raw-log"))
            .env(drivers::POCL_FOLDER_VARIABLE, &cache.0)
            // The lines of the source: the code stays the same.
            .env("POCL_EXTRA_BUILD_FLAGS", format!("{flags} -g").trim_start());
        if let Some(file) = &self.source {
            work.option("--source", file);
        }
        let mut ended = worker::finish(&work, PATIENCE)?;
        let mut all = std::mem::take(&mut ended.records);
        let helps = |one: &Record| one.helpers.iter().any(|one| one.kernel == self.kernel);
        all.retain(|one| one.platform != "host" && (one.function() == self.kernel || helps(one)));
        if all.is_empty() && ended.status == 0 {
            return usage(format!(
                "its lesson did not launch {}: a kernel that prints is left out where a program \
                 reads the results",
                self.kernel
            ));
        }
        if all.is_empty() {
            return Err(ended.refused().into());
        }
        let is_it = |record: &&Record| self.variant.is_empty() || record.kernel == self.name();
        let mut others: Vec<String> = all.iter().map(|one| one.kernel.clone()).collect();
        let Some(mut record) = all.iter().find(is_it).cloned() else {
            let hint = did_you_mean(&self.name(), &others);
            return usage(format!("no launch is called {}; {hint}", self.name()));
        };
        if let Some(reason) = record.skipped() {
            let kernel = &record.kernel;
            return usage(format!("{kernel} is not launched on this device: {reason}"));
        }
        let by = match record.of {
            record::Of::Task => "by its arguments".into(),
            record::Of::Lesson(number) => format!("as in lesson {number}"),
        };
        let mut name = record.kernel.clone();
        others.retain(|other| *other != name);
        if record.function() != self.kernel {
            // What lays an operand out has groups of its own, which nobody tells.
            record.group.clear();
            others.clear();
            name = self.name();
        }
        Ok(Launched { name, kernel: self.kernel.clone(), by, record, others, cache })
    }

    /// The size that is asked for, else this side of a product, or length of vectors.
    pub fn size_or(&self, side: usize, length: usize) -> String {
        let lesson = lessons::with_kernel(&self.kernel).ok().flatten();
        let small = if lesson.is_some_and(|(one, _)| one.is_of_vectors) { length } else { side };
        self.size.clone().unwrap_or(small.to_string())
    }
}

impl Launched {
    /// "as in lesson 6, with TS = 16, in groups of 16x16"
    pub fn how(&self) -> String {
        let Record { defines, group, .. } = &self.record;
        let defines = defines.iter().map(|(name, value)| format!("{name} = {value}"));
        let mut how = self.by.clone();
        if let defines @ [_, ..] = &Vec::from_iter(defines)[..] {
            how += &format!(", with {}", defines.join(", "));
        }
        if !group.is_empty() {
            how += &format!(", in groups of {}", ndrange::sides(group));
        }
        how
    }

    /// The machine code of the kernel. PoCL compiles one for each shape of groups:
    /// `CACHE/../KERNEL/16-16-1-.../KERNEL.so`.
    ///
    /// # Errors
    /// [`Error::Build`] with the reason where the driver gives none that can be read.
    pub fn code(&self, wanted: &Wanted) -> Result<Code> {
        let Record { platform, device, group, .. } = &self.record;
        let kernel = &wanted.kernel;
        if platform.contains("Oclgrind") {
            let why = "Oclgrind is a simulator: it makes no machine code; take another --device";
            return Err(Error::Usage(why.into()).into());
        }
        if !platform.contains(drivers::POCL) {
            let (bytes, log) = self.binary(wanted)?;
            let code = file::decode(&bytes, kernel);
            let mut code = code.with_context(|| format!("{device} ({platform})"))?;
            let resources = file::resources(&log, kernel);
            if resources.registers.is_some() {
                code.resources = resources;
            }
            return Ok(code);
        }
        let library = format!("{kernel}.so");
        let side = |at: usize| group.get(at).unwrap_or(&1);
        let shape = format!("{}-{}-{}-", side(0), side(1), side(2));
        let is_own = |file: &DirEntry| {
            let folder = file.path().parent().and_then(Path::file_name).unwrap_or_default();
            let has_shape = group.is_empty() || folder.to_string_lossy().starts_with(&shape);
            has_shape && file.file_name() == &*library
        };
        let written = |file: &DirEntry| file.metadata().ok().and_then(|data| data.modified().ok());
        let all = WalkDir::new(&self.cache.0).sort_by_file_name().into_iter().flatten();
        let first = all.filter(is_own).min_by_key(written);
        let none = || format!("PoCL left no library of {kernel} in its cache");
        let mut code = file::read(first.with_context(none)?.path(), kernel)?;
        code.language += ", of the library that PoCL keeps";
        if code.instructions.iter().all(|one| one.line.is_none()) {
            let why =
                "the lines of the source are not shown: PoCL noted none for the copy that runs";
            code.notes.push(why.into());
        }
        Ok(code)
    }

    /// The binary of the kernel's program, as the driver gives it, and what that said while building
    /// it: with the lesson's macros, by `oclcc`, which a driver may take down.
    pub fn binary(&self, wanted: &Wanted) -> Result<(Vec<u8>, String)> {
        let folder = Scratch::new()?;
        let [to, log] = ["program", "log"].map(|name| folder.0.join(name));
        let mut work = Work::of(watchdog::program("oclcc")?);
        work.args(self.record.defines.iter().map(|(name, value)| format!("-D{name}={value}")))
            .arg(wanted.file()?)
            .args(["--type", wanted.ty.name()])
            .args(wanted.device.iter().flat_map(|device| ["--device", device]))
            .args([Path::new("--log"), &log, Path::new("-o"), &to])
            // What comes from NVIDIA's cache comes without a log.
            .env("CUDA_CACHE_DISABLE", "1");
        let ended = worker::finish(&work, worker::PATIENCE)?;
        if ended.status != 0 {
            return Err(Error::build(ended.refused().to_string()).into());
        }
        Ok((fs::read(&to)?, fs::read_to_string(&log).unwrap_or_default()))
    }
}
