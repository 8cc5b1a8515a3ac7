//! One of many processes that mpirun has started: its place and its device.

use std::io::{self, Write, stderr, stdout};
use std::slice;

use clap::Parser;
use common::error::{Error, Result};
use common::source::Source;
use mpi::topology::{Communicator, SimpleCommunicator};
use verify::shape::Shape;

use crate::engine::Engine;
use crate::flags::Own;
use crate::ranks::places;
use crate::summa::summa;

/// The flags of a rank.
#[derive(Parser)]
#[command(
    about = "A rank of lesson 14, which mpirun starts: --size, --seed, --fail and --json count"
)]
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
    let universe = mpi::initialize();
    let universe = universe.ok_or_else(|| Error::Died("MPI could not be initialised".into()))?;
    let world = universe.world();
    work(&flags, &world).or_else(|error| {
        // Those that wait for this rank would wait for ever: MPI ends them.
        let host = mpi::environment::processor_name().unwrap_or_default();
        let who = format!("rank {} on {host}", world.rank());
        diagnostics::terminal::show_error("", &format!("{who}: {}", error.told()));
        stderr().flush()?;
        world.abort(i32::from(error.status()))
    })
}

fn work(flags: &Flags, world: &SimpleCommunicator) -> Result<()> {
    let here = world.split_shared(world.rank()).rank() as usize;
    let places = places()?;
    let device = &places[here % places.len()];
    let source = Source::of_course("14-several-devices.cl")?;
    let engine = Engine::all(slice::from_ref(device), &source, false)?.remove(0);
    let measured = summa(world, &engine, flags)?;
    if world.rank() == 0 {
        let json = serde_json::to_string(&measured).map_err(io::Error::from)?;
        writeln!(stdout(), "{}", if flags.json { json } else { measured.row() })?;
    }
    Ok(())
}
