//! The lessons: the one list of them outside the folders themselves; and where their programs and
//! others of the workspace lie.

use std::env::{consts, current_exe, var_os};
use std::{collections::HashSet, path::PathBuf, process::Command};

use anyhow::Result;
use common::file::{built_in, is_installed, own_workspace};
use common::{Error, command::word, source::Source};

use crate::{processes::end_with_us, worker::Work};

/// A lesson of the course.
pub struct Lesson {
    /// Its number; the package is `lesson05`.
    pub number: u32,
    /// Its folder below `lessons/`.
    pub folder: &'static str,
    /// What it teaches, in one line.
    pub teaches: &'static str,
    /// Minutes for reading and running; exercises come on top.
    pub minutes: u32,
    /// Whether its size is a length, and not M, N and K.
    pub is_of_vectors: bool,
    /// Its kernel files below `kernels/`, where it has not one of its folder's name.
    files: &'static [&'static str],
}

impl Lesson {
    /// The package, and the binary's name.
    pub fn package(&self) -> String {
        format!("lesson{:02}", self.number)
    }

    /// Its kernel files below `kernels/`: of the first lesson none.
    pub fn kernel_files(&self) -> Vec<String> {
        let mut files: Vec<String> = match self.files {
            [] => vec![format!("{}.cl", self.folder)],
            files => files.iter().map(|file| (*file).into()).collect(),
        };
        files.retain(|file| Source::path_in_course(file).is_file());
        files
    }

    /// Their kernels, in teaching order.
    pub fn kernels(&self) -> Result<Vec<String>> {
        let mut kernels = Vec::new();
        for file in self.kernel_files() {
            kernels.extend(Source::of_course(&file)?.kernels());
        }
        Ok(kernels)
    }

    /// The lesson's binary.
    pub fn binary(&self) -> Result<PathBuf> {
        Ok(program(&self.package())?)
    }

    /// The lesson as a worker of this program, by a lesson's flags.
    pub fn work(&self) -> Result<Work> {
        Ok(Work::of(self.binary()?))
    }
}

/// The lesson of this number.
pub fn numbered(number: u32) -> Result<&'static Lesson> {
    let lesson = LESSONS.iter().find(|lesson| lesson.number == number);
    let none = format!("there is no lesson {number}; there are 1 to {}", LESSONS.len());
    Ok(lesson.ok_or(Error::Usage(none))?)
}

/// The first lesson that has a kernel of this name, and which of its files that is in.
pub fn with_kernel(kernel: &str) -> Result<Option<(&'static Lesson, String)>> {
    for lesson in LESSONS {
        for file in lesson.kernel_files() {
            if Source::of_course(&file)?.kernel(kernel).is_some() {
                return Ok(Some((lesson, file)));
            }
        }
    }
    Ok(None)
}

/// The kernels of all lessons, each name once.
pub fn kernels() -> Result<Vec<String>> {
    let all: Vec<_> = LESSONS.iter().map(Lesson::kernels).collect::<Result<_>>()?;
    let mut seen = HashSet::new();
    let mut all = all.concat();
    all.retain(|kernel| seen.insert(kernel.clone()));
    Ok(all)
}

const fn lesson(number: u32, folder: &'static str, minutes: u32, teaches: &'static str) -> Lesson {
    Lesson { number, folder, teaches, minutes, is_of_vectors: false, files: &[] }
}

/// In teaching order.
#[rustfmt::skip]
pub const LESSONS: &[Lesson] = &[
    lesson(1, "01-device-discovery", 15, "what this machine offers: platforms, devices, limits"),
    Lesson {
        is_of_vectors: true,
        ..lesson(2, "02-saxpy", 35, "a whole OpenCL program in eleven steps, and how to time it")
    },
    lesson(3, "03-naive-matmul", 30, "a matrix product, one element per work-item"),
    lesson(4, "04-coalescing", 30, "neighbouring work-items, neighbouring addresses"),
    lesson(5, "05-private-memory", 25, "what an item keeps to itself, and when it spills"),
    lesson(6, "06-local-memory", 40, "tiles shared by a work-group, barriers, bank conflicts"),
    lesson(7, "07-vectorization", 25, "float4 and its relatives: lanes and wide loads"),
    lesson(8, "08-tiling", 40, "many elements per item: where the speed is"),
    lesson(9, "09-tiling-for-a-cpu", 35, "a tile in registers, panels and blocks: to a CPU's limit"),
    lesson(10, "10-feeding-the-tile", 45, "operands asked for early, with less work: to a GPU's limit"),
    lesson(11, "11-autotuning", 40, "a search for the best shape of a kernel, and why it wins"),
    lesson(12, "12-three-other-kernels", 35, "a sum, a histogram and softmax: what binds then"),
    Lesson {
        files: &["13-half-storage.cl", "13-copies.cl", "13-matrix-units.cl"],
        ..lesson(13, "13-beyond-fp32", 45, "half storage, one vendor's instructions, matrix units")
    },
    lesson(14, "14-several-devices", 40, "hidden transfers, several devices, several machines"),
    lesson(15, "15-around-the-product", 40, "fused, in a batch, in four bits, in few launches"),
];

/// A program of the workspace, by its package.
///
/// # Errors
/// Where it is not built, and this program was not started by cargo, which then builds it.
pub fn program(package: &str) -> common::Result<PathBuf> {
    file(package, &format!("{package}{}", consts::EXE_SUFFIX))
}

/// The library that a package makes for programs of others.
pub fn library(package: &str) -> common::Result<PathBuf> {
    let name = format!("{}{package}{}", consts::DLL_PREFIX, consts::DLL_SUFFIX);
    file(package, &name)
}

/// A learner has built what was run, and no more: the rest is built when it is wanted.
fn file(package: &str, name: &str) -> common::Result<PathBuf> {
    let folder = match is_installed() {
        true => built_in().join("target/debug"),
        false => current_exe()?.with_file_name(""),
    };
    // Libraries that another package uses lie in the second alone.
    let places = [folder.join(name), folder.join("deps").join(name)];
    let there = || places.iter().find(|place| place.is_file()).cloned();
    if let Some(there) = there() {
        return Ok(there);
    }
    let manifest = own_workspace().join("Cargo.toml");
    if let Some(cargo) = var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "-p", package, "--manifest-path"]);
        end_with_us(build.arg(&manifest));
        build.status()?;
    }
    there().ok_or_else(|| {
        let manifest = word(&manifest);
        let next = format!("cargo build -p {package} --manifest-path {manifest}");
        Error::file(&places[0], format!("it is not there\n  next: {next}"))
    })
}
