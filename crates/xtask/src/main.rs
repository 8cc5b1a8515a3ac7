//! What makers of the course use: pages and recordings.
//!
//! # Layout
//!
//! - `pages` writes into the Markdown files what kernels and recordings say; `figures` draws
//!   what they show.
//! - What they quote is kept by `record` (lessons, problems), `asm` (machine code) and `machine`
//!   (parts of a device); `kept` reads and writes the files, what lessons measured and
//!   what libraries did.
//! - `libraries` holds the course's kernels beside cuBLAS and OpenBLAS.
//!
//! What is measured is printed as JSON, an object a line.

mod asm;
mod figures;
mod kept;
mod libraries;
mod machine;
mod pages;
mod record;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;

/// What makers of the course use. `cargo build --workspace` comes first: these run lessons.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
enum Command {
    /// Write kernels, recorded outputs and tables into the Markdown pages
    Pages {
        /// Change nothing; fail if a page differs from what would be written
        #[arg(long)]
        check: bool,
        /// Pages [default: every Markdown file of the course]
        files: Vec<PathBuf>,
    },
    /// Run every lesson and keep what it prints and measures, for the pages
    Record {
        /// Folder below docs/data/ that receives the recording, for example pocl-1024
        #[arg(value_parser = kept::name)]
        name: String,
        /// Lessons to record [default: all]
        #[arg(long, value_name = "NUMBER")]
        lesson: Vec<u32>,
        /// Flags handed to the lessons, for example -- --size 1024
        #[arg(last = true)]
        flags: Vec<String>,
    },
    /// The kernel that the course chooses beside cuBLAS or OpenBLAS, in turns
    Libraries(libraries::LibrariesArgs),
    /// Time every stage of every problem by `course run`, and keep it in docs/data/problems/
    Problems(record::Problems),
    /// Keep the machine code of kernels on a device, for the pages
    Asm(asm::AsmArgs),
    /// Measure what the parts of a device take, for docs/latency.md
    Machine(machine::MachineArgs),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Pages { check, files } => pages::update(&files, check),
        Command::Record { name, lesson, flags } => record::record(&name, &lesson, &flags),
        Command::Libraries(options) => libraries::libraries(&options),
        Command::Problems(asked) => record::problems(&asked),
        Command::Asm(options) => asm::record(&options),
        Command::Machine(options) => machine::machine(&options),
    };
    watchdog::end(done.map(|()| ExitCode::SUCCESS))
}
