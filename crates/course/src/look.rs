//! `course asm`, `occupancy` and `trace`: what a kernel becomes, and what it asks for. It is launched
//! once, by what it is named by: an exercise's number or file, a task file, a lesson's kernel, or one
//! of a file.

use std::{io::Write, path::PathBuf, process::ExitCode};

use anyhow::Result;
use common::{Error, ndrange, source::Source};
use diagnostics::terminal::Out;
use inspect::judge::{How, LaunchFlags, Subject, exercise, is_own, is_task};
use inspect::launched::{Launched, Wanted};
use inspect::occupancy::{Architecture, Demand, LARGEST_GROUP, Occupancy};
use inspect::{file, listing::Listing, trace as traffic};
use verify::{Shape, numbers::count};
use watchdog::{lessons, worker::Work};

use crate::{game::folder::Folder, game::puzzle::Kind, puzzles};

/// Seconds in which a driver tells a kernel's arguments to who asks for no other time.
const PATIENCE: u64 = 60;

/// What launches a kernel once, by a lesson's flags.
struct Taken {
    work: Work,
    /// "as in exercise 4.2"; none where the launch tells it.
    by: Option<String>,
    /// Whether what it does is counted by a puzzle's check.
    is_counted: bool,
}

/// What launches once what `wanted` means. Puts its kernel and file there. Of a kernel `without_data`
/// nobody asks what it is given.
///
/// # Errors
/// [`Error::Usage`] where nothing of that name can be launched.
fn taken(wanted: &mut Wanted, flags: &LaunchFlags, without_data: bool) -> Result<Taken> {
    if let Some(taken) = of_puzzle(wanted, flags)? {
        return Ok(taken);
    }
    let word = PathBuf::from(&wanted.kernel);
    let how = How {
        device: wanted.device.clone(),
        timeout: PATIENCE,
        raw_log: wanted.raw_log,
        ..How::default()
    };
    let subject = match &wanted.source {
        _ if is_task(&word) => Some(Subject::of_task(&word, flags, &how)?),
        Some(file) => {
            let only = [wanted.kernel.clone()];
            Subject::all(file, &only, flags, wanted.ty, &how, without_data)?.pop()
        }
        None => None,
    };
    if let Some(subject) = subject.filter(|subject| subject.task().is_some()) {
        // Of the size the program knows, and nobody need tell it.
        let work = subject.launch(wanted.size.take().as_deref())?;
        let by = subject.has_file().then_some(subject.launched);
        wanted.kernel = subject.form.launch.function;
        wanted.source = Some(subject.form.kernel);
        return Ok(Taken { work, by, is_counted: false });
    }
    if let Some(size) = wanted.size.as_ref().filter(|size| size.parse::<Shape>().is_err()) {
        let why = "a lesson's kernel takes N or MxNxK, such as 64 or 37x91x53";
        return Err(Error::Usage(format!("--size {size}: {why}")).into());
    }
    Ok(Taken { work: wanted.lesson()?, by: None, is_counted: false })
}

/// The same of a puzzle: of that whose number stands in the place of a kernel's name, or, where no
/// kernel is called so, whose name or file. Its kernel is in the learner's file.
fn of_puzzle(wanted: &mut Wanted, flags: &LaunchFlags) -> Result<Option<Taken>> {
    let word = &wanted.kernel;
    let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.') && !word.is_empty();
    if !is_number && (is_own(wanted) || lessons::with_kernel(word)?.is_some()) {
        return Ok(None);
    }
    let mut all = puzzles::all(None)?;
    all.retain(|one| one.kind != Kind::Program);
    let puzzle = match puzzles::find(&Vec::from_iter(&all), word) {
        Err(_) if !is_number => return Ok(None),
        found => found?,
    };
    let file = match &wanted.source {
        Some(file) => file.clone(),
        None => {
            let folder = Folder::find()?;
            let file = puzzles::file(puzzle, &folder, word);
            puzzles::must_be_there(&file, &folder)?;
            file
        }
    };
    let name = format!("{} {}", puzzle.kind.noun(), puzzle.id);
    let by = Some(format!("as in {name}"));
    wanted.source = Some(file.clone());
    if let (Kind::Broken, Some(lesson)) = (puzzle.kind, puzzle.lesson) {
        wanted.kernel.clone_from(&puzzle.task.launch.function);
        return Ok(Some(Taken { work: lesson.work()?, by, is_counted: false }));
    }
    if wanted.size.is_some() || !wanted.variant.is_empty() || *flags != LaunchFlags::default() {
        let why =
            "says how its kernel is launched: leave a size, a variant and flags of the launch out";
        return Err(Error::Usage(format!("{name} {why}")).into());
    }
    let task = puzzles::task_of(puzzle, &file)?;
    wanted.kernel.clone_from(&task.launch.function);
    Ok(Some(Taken { work: exercise::launch(&task)?, by, is_counted: true }))
}

/// Launches once what is wanted, whose data are of no interest.
fn launch(wanted: &mut Wanted, flags: &LaunchFlags) -> Result<Launched> {
    let Taken { work, by, .. } = taken(wanted, flags, true)?;
    let mut launched = wanted.launch(work)?;
    launched.by = by.unwrap_or(launched.by);
    Ok(launched)
}

/// The flags of `course asm`.
#[derive(clap::Args)]
pub struct AsmArgs {
    #[command(flatten)]
    wanted: Wanted,
    /// Print the loop alone, without head and counts
    #[arg(long = "loop")]
    loop_alone: bool,
    /// Read the code from this file, not from a device: an ELF library, PTX, a cubin, or
    /// what nvdisasm printed
    #[arg(long, value_name = "FILE", conflicts_with = "device")]
    binary: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// Prints the innermost loop as the device's compiler made it, and what one round of it does.
pub fn asm(options: &AsmArgs) -> Result<ExitCode> {
    let mut wanted = options.wanted.clone();
    let (launched, source, code) = match &options.binary {
        Some(path) => {
            let source = wanted.source.as_deref().map(Source::read).transpose()?;
            (None, source, file::read(path, &wanted.kernel)?)
        }
        None => {
            let launched = launch(&mut wanted, &options.launch)?;
            let code = launched.code(&wanted)?;
            let source = Source::read(&wanted.file()?)?;
            (Some(launched), Some(source), code)
        }
    };
    let listing = Listing {
        name: launched.as_ref().map_or(wanted.name(), |one| one.name.clone()),
        launched: launched.as_ref(),
        source: source.as_ref(),
        code: &code,
    };
    if options.json {
        writeln!(Out, "{}", listing.json())?;
    } else if options.loop_alone {
        write!(Out, "{}", listing.loop_alone())?;
    } else {
        write!(Out, "{listing}")?;
        let others = launched.map(|launched| launched.others).unwrap_or_default();
        if wanted.variant.is_empty() && !others.is_empty() {
            writeln!(Out, "\nThere is also: {}", others.join(", "))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The flags of `course trace`.
#[derive(clap::Args)]
pub struct TraceArgs {
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    model: traffic::Model,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// Prints the memory traffic as a simulator saw it: the operands, the worst first, the kernel with
/// figures, and a picture.
pub fn trace(options: &TraceArgs) -> Result<ExitCode> {
    let mut wanted = options.wanted.clone();
    if wanted.device.is_some() {
        let why = "a trace is made in the simulator, on any machine: leave --device out";
        return Err(Error::Usage(why.into()).into());
    }
    let taken = taken(&mut wanted, &options.launch, false)?;
    let mut model = options.model;
    if taken.is_counted {
        // As its check counts.
        model.widest = exercise::WIDEST;
    }
    let mut traced = traffic::trace(&wanted, taken.work, model)?;
    traced.launched.by = taken.by.unwrap_or(traced.launched.by);
    match options.json {
        true => writeln!(Out, "{}", traced.json())?,
        false => write!(Out, "{traced}")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The flags of `course occupancy`.
#[derive(clap::Args)]
pub struct OccupancyArgs {
    #[command(flatten)]
    wanted: Wanted,
    /// Count for this GPU, by its name or its compute capability (h200, 8.9), not for the device
    #[arg(long, value_name = "NAME", value_parser = Architecture::asked)]
    model: Option<&'static Architecture>,
    /// Registers of an item [default: as the driver or the assembler tells]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=512))]
    registers: Option<u32>,
    /// Bytes of local memory of a group [default: as the driver tells]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(..1 << 30))]
    local: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// What is known of a kernel, and from whom.
struct Known {
    name: String,
    demand: Demand,
    local_bytes: Option<u64>,
    private_bytes: Option<u64>,
    architecture: Option<&'static Architecture>,
    sources: Vec<String>,
}

/// Counts how many groups a unit of the device holds at once, and prints what came of it.
pub fn occupancy(options: &OccupancyArgs) -> Result<ExitCode> {
    let OccupancyArgs { wanted, model, registers, local, json, launch } = options;
    let items = launch.group.as_deref().map(ndrange::count);
    if items.is_some_and(|items| items > LARGEST_GROUP as usize) {
        let why = format!("--group: a unit holds groups of {LARGEST_GROUP} items at most");
        return Err(Error::Usage(why).into());
    }
    let mut known = match wanted.kernel.is_empty() {
        // There is nobody to ask.
        true if model.is_none() || registers.is_none() || items.is_none() => {
            let why = "name a kernel, or tell --model, --registers and --group (and --local)";
            return Err(Error::Usage(why.into()).into());
        }
        true => Known {
            name: "A kernel".into(),
            demand: Demand { group: 1, registers: None, local_bytes: 0 },
            local_bytes: None,
            private_bytes: None,
            architecture: None,
            sources: Vec::new(),
        },
        false => told(options)?,
    };
    let Some(of) = model.or(known.architecture) else { return unknown(options, &known) };
    let by_hand = [
        registers.map(|n| format!("{n} registers")),
        local.map(|n| format!("{n} bytes of local memory")),
        items.map(|n| format!("groups of {n}")),
    ];
    let by_hand = Vec::from_iter(by_hand.into_iter().flatten()).join(", ");
    known.sources.extend((!by_hand.is_empty()).then(|| format!("given: {by_hand}")));
    let never = |from: &String| format!("never measured by this course: the numbers are of {from}");
    known.sources.extend(of.source.as_ref().map(never));
    let Known { name, sources, mut demand, .. } = known;
    demand.group = items.map_or(demand.group, |items| items as u32);
    demand.registers = registers.or(demand.registers);
    demand.local_bytes = local.unwrap_or(demand.local_bytes);
    let occupancy = Occupancy { name, demand, sources, of };
    match json {
        true => writeln!(Out, "{}", occupancy.json())?,
        false => write!(Out, "{occupancy}")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What is said where no table says what the device's units share.
fn unknown(options: &OccupancyArgs, known: &Known) -> Result<ExitCode> {
    if options.json {
        let line = serde_json::json!({
            "kernel": known.name,
            "capability": null,
            "sources": known.sources,
            "group": known.demand.group,
            "local_bytes": known.local_bytes,
            "private_bytes": known.private_bytes,
        });
        writeln!(Out, "{line}")?;
    } else {
        writeln!(
            Out,
            "{}: unknown\n  {}\n  No table says what a unit of this device shares among groups. A \
             core of a CPU runs\n  one group at a time, so there is nothing to count: see its \
             registers and spills with\n  `cargo course asm {}`.\n  next: --model h200 counts for \
             that GPU",
            known.name,
            known.sources.join("\n  "),
            options.wanted.name()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the driver tells of a kernel that is launched once; on NVIDIA's also what its program
/// was built for, and the registers.
fn told(options: &OccupancyArgs) -> Result<Known> {
    let (mut wanted, mut flags) = (options.wanted.clone(), options.launch.clone());
    if !is_own(&wanted) {
        // A lesson's kernel is launched by its lesson.
        flags.group = None;
    }
    let launched = launch(&mut wanted, &flags)?;
    let record = &launched.record;
    let (group, local_bytes) = (ndrange::count(&record.group), record.local_bytes.unwrap_or(0));
    let mut sources = vec![format!(
        "groups of {group}, {} of local memory: told by {} ({})",
        count(local_bytes as usize, "byte"),
        record.device,
        record.platform
    )];
    let (mut registers, mut architecture) = (None, None);
    if record.platform.contains("NVIDIA") {
        let (bytes, log) = launched.binary(&wanted)?;
        let target = String::from_utf8_lossy(&bytes);
        architecture = file::target(&target).and_then(Architecture::named);
        registers = file::resources(&log, &wanted.kernel).registers;
        let mut source = "the driver's build log";
        if registers.is_none() && options.registers.is_none() {
            registers = file::decode(&bytes, &wanted.kernel)?.resources.registers;
            source = "ptxas";
        }
        let told = |registers| format!("{registers} registers for each item: told by {source}");
        sources.extend(registers.map(told));
    }
    let demand = Demand { group: group.max(1) as u32, registers, local_bytes };
    let (local_bytes, private_bytes) = (record.local_bytes, record.private_bytes);
    Ok(Known { name: launched.name, demand, local_bytes, private_bytes, architecture, sources })
}
