//! oclcc: an offline compiler. Builds a kernel file for one device, writes the
//! program's binary, and loads it back to show what that saves.
//!
//! No compiler ships with OpenCL: it is part of every driver, and works when the
//! program runs. A binary skips most of that work, but fits only the device and
//! driver that made it, and clBuildProgram must still be called.
//!
//! A driver's compiler may crash, on a kernel or on its own damaged cache. So a child
//! does the work.

use std::path::{Path, PathBuf};
use std::{io::Write, process::ExitCode, rc::Rc, time};

use clap::Parser;
use common::program::{Program, options};
use common::{Error, Result, device, session::Session, source::Source, stage::Stage};
use diagnostics::terminal::{stream::Stream, wrap::fitted};
use verify::element::Type;
use verify::numbers::{bytes, factor, seconds};
use watchdog::{Orders, events, events::Event};

/// Build an OpenCL kernel file ahead of time, into a binary for one device
#[derive(Parser)]
#[command(name = "oclcc", version)]
struct Arguments {
    /// The kernel file
    source: PathBuf,

    /// The binary to write [default: the kernel file's name, ending in .bin]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Device to build for: its number in `lesson01`'s listing, or part of a name
    #[arg(short, long)]
    device: Option<String>,

    /// A macro for the compiler, as NAME=NUMBER, or NAME for 1; may be given more than once
    #[arg(short = 'D', value_name = "NAME[=NUMBER]", value_parser = parse_define)]
    define: Vec<(String, usize)>,

    /// Type of the elements: what the kernels see as REAL
    #[arg(long = "type", value_enum, default_value_t = Type::Float)]
    ty: Type,

    /// Write here what the driver says of a build that came right: NVIDIA's tells the
    /// registers of each kernel
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Show a failed build's log in the driver's own words
    #[arg(long)]
    raw_log: bool,
}

fn parse_define(text: &str) -> Result<(String, usize), String> {
    // As C compilers take it.
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(format!("\"{name}\" is not a macro's name"));
    }
    let number = value.parse().map_err(|_| format!("\"{value}\" is not a whole number"))?;
    Ok((name.to_string(), number))
}

/// How long a driver may take to compile a file.
const PATIENCE: time::Duration = time::Duration::from_secs(600);

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if watchdog::is_child() {
        let status = watchdog::status_of(compile(&arguments).map(|()| 0));
        watchdog::leave(status);
        return ExitCode::from(status);
    }
    let done = watchdog::run(&Orders { timeout: PATIENCE, ..Orders::default() });
    ExitCode::from(watchdog::status_of(done))
}

fn compile(arguments: &Arguments) -> Result<()> {
    let source = Source::read(&arguments.source)?;
    let beside = || arguments.source.with_extension("bin");
    let output = arguments.output.clone().unwrap_or_else(beside);
    if output.canonicalize().ok() == arguments.source.canonicalize().ok() {
        return Err(Error::Usage(format!(
            "the binary would overwrite the kernel file {}; name another file with -o",
            output.display()
        )));
    }
    let parent = events::Sender::from_environment()?;
    parent.send(&Event::Doing(Stage::Loading))?;
    let mut devices = device::list()?;
    let choice = device::choose_as_told(&devices, arguments.device.as_deref())?;
    let session = Session::open(devices.swap_remove(choice.index), Rc::new(()))?;

    parent.send(&Event::Doing(Stage::building(arguments.source.display())))?;
    let mut options = options(arguments.ty, &arguments.define);
    if arguments.log.is_some() && session.device.limits.nvidia_compute_capability > 0 {
        options.push_str(" -cl-nv-verbose");
    }
    let program = Program::build(&session, &source, &options, arguments.raw_log)?;
    if let Some(file) = &arguments.log {
        let log = program.cl.get_build_log(session.device.cl.id());
        write(file, log.unwrap_or_default().as_bytes())?;
    }
    let binary = program.binary()?;
    write(&output, &binary)?;

    // Loaded as a program would, to see how long that takes.
    let binary = std::fs::read(&output)?;
    let start = time::Instant::now();
    Program::of_binary(&session, &binary, &options)?;
    let loaded = start.elapsed().as_secs_f64();
    let told = format!(
        "{}: {} for {}\n  kernels: {}\n  built from source in {}\n  \
         loaded from the binary in {}: {} as fast (a driver's own cache may have helped either)",
        output.display(),
        bytes(binary.len() as u64),
        session.device.label(),
        source.kernels().join(", "),
        seconds(program.build_seconds),
        seconds(loaded),
        factor(program.build_seconds / loaded)
    );
    Ok(writeln!(std::io::stdout(), "{}", fitted(Stream::Output, &told))?)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    common::file::write(path, bytes).map_err(|error| Error::file(path, error))
}
