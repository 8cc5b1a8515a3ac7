//! `course occupancy`: how many groups of a kernel a unit of the device holds at once.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use common::Error;
use common::ndrange;
use diagnostics::terminal::Out;
use inspect::file;
use inspect::judge::{LaunchFlags, is_own};
use inspect::launched::Wanted;
use inspect::occupancy::{Architecture, Demand, LARGEST_GROUP, Occupancy};
use serde_json::json;
use verify::numbers::count;

use crate::asm;

/// The flags of `course occupancy`.
#[derive(Args)]
pub struct OccupancyArgs {
    #[command(flatten)]
    wanted: Wanted,
    /// Count for this GPU, by its name or its compute capability (h200, 8.9), not for the
    /// device
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
#[derive(Default)]
struct Known {
    name: String,
    group: Option<u32>,
    local: Option<u64>,
    private: Option<u64>,
    registers: Option<u32>,
    architecture: Option<&'static Architecture>,
    sources: Vec<String>,
}

/// Counts, and prints what came of it.
pub fn occupancy(options: &OccupancyArgs) -> Result<ExitCode> {
    let items = options.launch.group.as_deref().map(ndrange::count);
    let most = LARGEST_GROUP as usize;
    if items.is_some_and(|items| items > most) {
        let why = format!("--group: a unit holds groups of {most} items at most");
        return Err(Error::Usage(why).into());
    }
    let known = match options.wanted.kernel.is_empty() {
        // There is nobody to ask.
        true if options.model.is_none() || options.registers.is_none() || items.is_none() => {
            let why = "name a kernel, or tell --model, --registers and --group (and --local)";
            return Err(Error::Usage(why.into()).into());
        }
        true => Known { name: "A kernel".into(), ..Known::default() },
        false => told(options)?,
    };
    let Some(of) = options.model.or(known.architecture) else {
        return unknown(options, &known);
    };
    let by_hand = [
        options.registers.map(|n| format!("{n} registers")),
        options.local.map(|n| format!("{n} bytes of local memory")),
        items.map(|n| format!("groups of {n}")),
    ];
    let by_hand: Vec<String> = by_hand.into_iter().flatten().collect();
    let mut sources = known.sources;
    if !by_hand.is_empty() {
        sources.push(format!("given: {}", by_hand.join(", ")));
    }
    let never = |from: &String| format!("never measured by this course: the numbers are of {from}");
    sources.extend(of.source.as_ref().map(never));
    let demand = Demand {
        group: items.map(|items| items as u32).or(known.group).unwrap_or(1),
        registers: options.registers.or(known.registers),
        local_bytes: options.local.or(known.local).unwrap_or(0),
    };
    let occupancy = Occupancy { name: known.name, demand, sources, of };
    match options.json {
        true => writeln!(Out, "{}", occupancy.json())?,
        false => write!(Out, "{occupancy}")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What is said where no table says what the device's units share.
fn unknown(options: &OccupancyArgs, known: &Known) -> Result<ExitCode> {
    if options.json {
        let line = json!({
            "kernel": known.name,
            "capability": null,
            "sources": known.sources,
            "group": known.group,
            "local_bytes": known.local,
            "private_bytes": known.private,
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
    let launched = asm::launch(&mut wanted, &flags)?;
    let record = &launched.record;
    let (group, local) = (ndrange::count(&record.group), record.local_bytes);
    let mut known = Known {
        name: launched.name.clone(),
        group: u32::try_from(group.max(1)).ok(),
        local,
        private: record.private_bytes,
        ..Known::default()
    };
    known.sources.push(format!(
        "groups of {group}, {} of local memory: told by {} ({})",
        count(local.unwrap_or(0) as usize, "byte"),
        record.device,
        record.platform
    ));
    if !record.platform.contains("NVIDIA") {
        return Ok(known);
    }
    let (bytes, log) = launched.binary(&wanted)?;
    known.architecture =
        file::target(&String::from_utf8_lossy(&bytes)).and_then(Architecture::named);
    known.registers = file::resources(&log, &wanted.kernel).registers;
    let mut source = "the driver's build log";
    if known.registers.is_none() && options.registers.is_none() {
        known.registers = file::decode(&bytes, &wanted.kernel)?.resources.registers;
        source = "ptxas";
    }
    let told = |registers| format!("{registers} registers for each item: told by {source}");
    known.sources.extend(known.registers.map(told));
    Ok(known)
}
