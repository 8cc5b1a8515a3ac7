//! One of many processes that mpirun has started: its place, its device, and who watches it.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Write, stderr, stdout};
use std::process::abort;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use common::error::{During, Error, Result};
use common::source::Source;
use diagnostics::aside;
use mpi::collective::CommunicatorCollectives;
use mpi::topology::{Communicator, SimpleCommunicator};
use opencl3::context::Context;
use verify::shape::Shape;

use crate::flags::Own;
use crate::ranks::{crowded, must_fit, own_devices};
use crate::summa::Grid;
use crate::worker::Engine;

/// Without a new stage for so long, a rank is taken to hang.
const PATIENCE: Duration = Duration::from_secs(5);

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

impl Flags {
    /// What was asked to go wrong with this rank.
    pub fn mishap(&self, me: usize) {
        if self.own.mishap.hang == Some(me) {
            stage("doing nothing, as --hang asks");
        }
        if self.own.mishap.strike(me).is_err() {
            aside!("rank {me}: it dies, as --fail asks");
            abort();
        }
    }
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
    if let Err(error) = work(flags, &world, &who) {
        // Those that wait for this rank would wait for ever: MPI ends them.
        diagnostics::terminal::show_error(format!("{who}: {}", error.with_hint()));
        let _ = stderr().flush();
        world.abort(i32::from(error.status()));
    }
    Ok(())
}

fn work(flags: Flags, world: &SimpleCommunicator, who: &str) -> Result<()> {
    let me = world.rank() as usize;
    watch(who.into());
    stage("waiting for the other ranks");
    must_be_one_build(world)?;
    stage("opening its device");
    let beside = world.split_shared(world.rank());
    let (here, ranks) = (beside.rank() as usize, beside.size() as usize);
    must_fit(flags.size, [ranks, world.size() as usize])?;
    let (devices, places) = own_devices()?;
    let words = crowded(ranks, &devices, places);
    if let Some(words) = words.filter(|_| here == 0 && !flags.json) {
        aside!("{who}: {}", words.trim_start());
    }
    // A GPU for each rank of a machine, or a core of its CPU where the driver gives one away.
    let device = &devices[here % devices.len().min(places)];
    let parts = (devices.len() < places)
        .then(|| device.parts(places))
        .flatten();
    let device = parts.map_or(device.clone(), |parts| parts[here % places].clone());
    let context = Context::from_device(&device.cl()).during("creating a context")?;
    let source = Source::of_course("14-several-devices.cl")?;
    let engine = Engine::open(&device, &Arc::new(context), &source, false)?;
    let is_json = flags.json;
    world.barrier(); // so that nobody waits impatiently for one whose driver compiles
    let mut grid = Grid::new(world, engine, flags)?;
    let measured = grid.run()?;
    if me == 0 {
        let json = serde_json::to_string(&measured).map_err(std::io::Error::from)?;
        writeln!(stdout(), "{}", if is_json { json } else { measured.row() })?;
    }
    stage("waiting for the other ranks");
    world.barrier();
    // What follows is MPI's own end, which nobody has to watch.
    stage("");
    Ok(())
}

/// Two builds that exchange messages may take them for something else.
fn must_be_one_build(world: &SimpleCommunicator) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    std::fs::read(env::current_exe()?)?.hash(&mut hasher);
    let own = hasher.finish();
    let mut all = vec![0u64; world.size() as usize];
    world.all_gather_into(&own, &mut all[..]);
    let Some(other) = all.iter().position(|other| *other != all[0]) else {
        return Ok(());
    };
    while other != world.rank() as usize {
        thread::sleep(Duration::from_secs(1)); // that rank says so, and ends all
    }
    let why = "it runs another build of this program than rank 0\n  \
               next: copy the same target/debug/lesson14 to every machine";
    Err(Error::Usage(why.into()))
}

/// Where this rank stands, and since when.
static STAGE: Mutex<Option<(String, Instant)>> = Mutex::new(None);

/// What begins now; nothing, where nobody has to watch any more.
pub fn stage(what: &str) {
    let mut stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    *stage = (!what.is_empty()).then(|| (what.into(), Instant::now()));
}

/// A thread that ends this rank, and so all, where it does not get on, and says at what.
fn watch(who: String) {
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(200));
            let stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let Some((stage, since)) = stage else {
                continue;
            };
            let more = match stage.split(' ').next() {
                Some("waiting") => 2,  // for a rank at fault, which speaks first
                Some("opening") => 55, // a driver compiles
                _ => 0,
            };
            let patience = PATIENCE + Duration::from_secs(more);
            if since.elapsed() > patience {
                let seconds = patience.as_secs();
                aside!("{who}: no progress for {seconds} s while {stage}; ending all");
                abort();
            }
        }
    });
}
