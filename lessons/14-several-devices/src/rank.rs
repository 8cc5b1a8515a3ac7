//! One of many processes that mpirun has started: its place and its device.

use std::env;
use std::io::{self, Write, stderr, stdout};
use std::slice;

use clap::Parser;
use common::error::{Error, Result};
use common::source::Source;
use mpi::topology::{Communicator, SimpleCommunicator};
use verify::shape::Shape;

use crate::engine::Engine;
use crate::flags::Own;
use crate::ranks::own_devices;
use crate::summa::summa;

/// The flags of a rank.
#[derive(Parser)]
pub struct Flags {
    #[command(flatten)]
    pub own: Own,
    #[arg(long, default_value = "1024")]
    pub size: Shape,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[arg(long)]
    json: bool,
}

/// A rank: its exit status is mpirun's.
pub fn rank() -> Result<()> {
    let flags = Flags::parse();
    let started = ["OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"];
    if started.iter().all(|name| env::var_os(name).is_none()) {
        let why = "--mpi is for a process that mpirun has started\n  \
                   next: mpirun -n 4 target/debug/lesson14 --mpi\n    \
                   or: cargo run -p lesson14 --features mpi -- --ranks 4";
        return Err(Error::Usage(why.into()));
    }
    let universe = mpi::initialize();
    let universe = universe.ok_or_else(|| Error::Died("MPI could not be initialised".into()))?;
    let world = universe.world();
    let host = mpi::environment::processor_name().unwrap_or_default();
    let who = format!("rank {} on {host}", world.rank());
    if let Err(error) = work(&flags, &world) {
        // Those that wait for this rank would wait for ever: MPI ends them.
        diagnostics::terminal::show_error("", &format!("{who}: {}", error.told()));
        let _ = stderr().flush();
        world.abort(i32::from(error.status()));
    }
    Ok(())
}

fn work(flags: &Flags, world: &SimpleCommunicator) -> Result<()> {
    let beside = world.split_shared(world.rank());
    let here = beside.rank() as usize;
    let (devices, places) = own_devices()?;
    // A GPU for each rank of a machine, or a core of its CPU where the driver gives one away.
    let mut device = devices[here % devices.len().min(places)].clone();
    if devices.len() < places {
        let parts = device.parts(places);
        device = parts.map_or(device, |parts| parts[here % places].clone());
    }
    let source = Source::of_course("14-several-devices.cl")?;
    let engine = Engine::all(slice::from_ref(&device), &source, false)?.remove(0);
    let measured = summa(world, &engine, flags)?;
    if world.rank() == 0 {
        let json = serde_json::to_string(&measured).map_err(io::Error::from)?;
        let line = if flags.json { json } else { measured.row() };
        writeln!(stdout(), "{line}")?;
    }
    Ok(())
}
