//! `course occupancy`: how many groups of a kernel a unit of the device holds at once.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use common::Error;
use common::ndrange;
use diagnostics::terminal::Out;
use inspect::device::{Architecture, LARGEST_GROUP};
use inspect::judge::{LaunchFlags, Sides, is_own};
use inspect::launched::{Launched, Wanted};
use inspect::occupancy::{Demand, Occupancy};
use inspect::{file, program};
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
    group: Option<u32>,
    local: Option<u64>,
    registers: Option<u32>,
    architecture: Option<&'static Architecture>,
    sources: Vec<String>,
}

/// Counts, and prints what came of it.
pub fn occupancy(options: &OccupancyArgs) -> Result<ExitCode> {
    let named = options.model;
    let LaunchFlags { group, define } = options.launch.clone();
    let items = group.as_ref().map(|Sides(sides)| ndrange::count(sides));
    let most = LARGEST_GROUP as usize;
    if items.is_some_and(|items| items > most) {
        let why = format!("--group: a unit holds groups of {most} items at most");
        return Err(Error::Usage(why).into());
    }
    let items = items.map(|items| items as u32);
    let mut known = Known::default();
    let mut name = "A kernel".to_string();
    let mut device = None;
    if options.wanted.kernel.is_empty() {
        // There is nobody to ask.
        if named.is_none() || options.registers.is_none() || items.is_none() {
            let why = "name a kernel, or tell --model, --registers and --group (and --local)";
            return Err(Error::Usage(why.into()).into());
        }
    } else {
        let mut wanted = options.wanted.clone();
        // A lesson's kernel is launched by its lesson.
        let group = group.filter(|_| is_own(&wanted));
        let flags = LaunchFlags { group, define };
        let launched = asm::launch(&mut wanted, &flags)?;
        known = told(options, &wanted, &launched)?;
        name.clone_from(&launched.name);
        device = Some(launched.record);
    }
    let Some(of) = named.or(known.architecture) else {
        // No table says what its units share.
        let Known { sources, .. } = known;
        if options.json {
            let line = json!({
                "kernel": name,
                "capability": null,
                "sources": sources,
                "group": known.group,
                "local_bytes": known.local,
                "private_bytes": device.and_then(|record| record.private_bytes),
            });
            writeln!(Out, "{line}")?;
        } else {
            writeln!(Out, "{name}: unknown")?;
            for source in &sources {
                writeln!(Out, "  {source}")?;
            }
            writeln!(
                Out,
                "  No table says what a unit of this device shares among groups. A core of a CPU runs\n  \
                 one group at a time, so there is nothing to count: see its registers and spills with\n  \
                 `cargo course asm {}`.\n  next: --model h200 counts for that GPU",
                options.wanted.name()
            )?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let by_hand = [
        options.registers.map(|n| format!("{n} registers")),
        options.local.map(|n| format!("{n} bytes of local memory")),
        items.map(|n| format!("groups of {n}")),
    ];
    let by_hand: Vec<String> = by_hand.into_iter().flatten().collect();
    if !by_hand.is_empty() {
        known.sources.push(format!("given: {}", by_hand.join(", ")));
    }
    let never =
        |source: &String| format!("never measured by this course: the numbers are of {source}");
    known.sources.extend(of.source.as_ref().map(never));
    let occupancy = Occupancy {
        name,
        demand: Demand {
            group: items.or(known.group).unwrap_or(1),
            registers: options.registers.or(known.registers),
            local_bytes: options.local.or(known.local).unwrap_or(0),
        },
        sources: known.sources,
        of,
    };
    if options.json {
        writeln!(Out, "{}", occupancy.json())?;
    } else {
        write!(Out, "{occupancy}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the driver tells of a kernel that was launched; on NVIDIA's also what its program
/// was built for, and the registers.
fn told(options: &OccupancyArgs, wanted: &Wanted, launched: &Launched) -> Result<Known> {
    let record = &launched.record;
    let group = ndrange::count(&record.group);
    let local = record.local_bytes;
    let mut known = Known { group: u32::try_from(group.max(1)).ok(), local, ..Known::default() };
    let device = format!("{} ({})", record.device, record.platform);
    known.sources.push(format!(
        "groups of {group}, {} of local memory: told by {device}",
        count(local.unwrap_or(0) as usize, "byte")
    ));
    if !record.platform.contains("NVIDIA") {
        return Ok(known);
    }
    let kernel = &wanted.kernel;
    let binary = program::binary(wanted, launched)?;
    let target = binary.architecture();
    known.architecture = target.as_deref().and_then(Architecture::named);
    known.registers = binary.resources(kernel).registers;
    let mut source = "the driver's build log";
    if known.registers.is_none() && options.registers.is_none() {
        known.registers = file::decode(&binary.bytes, kernel)?.resources.registers;
        source = "ptxas";
    }
    if let Some(registers) = known.registers {
        let line = format!("{registers} registers for each item: told by {source}");
        known.sources.push(line);
    }
    Ok(known)
}
