//! One of many processes that mpirun has started: its place, its device, and who watches it.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Write, stderr, stdout};
use std::process::abort;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use common::error::{Error, Result};
use common::shape::Shape;
use common::source::Source;
use mpi::collective::CommunicatorCollectives;
use mpi::topology::{Communicator, SimpleCommunicator};
use text::aside;

use crate::engine::{Engine, Target};
use crate::flags::Own;
use crate::ranks::{crowded, must_fit, own_devices};
use crate::summa::Grid;

/// Without a new stage for so long, a rank is taken to hang; one that waits for others gets
/// two seconds more, in which the one at fault speaks.
const PATIENCE: Duration = Duration::from_secs(5);

/// The flags of a rank.
#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    own: Own,
    #[arg(long, default_value = "1024")]
    size: Shape,
    #[arg(long, default_value_t = 1)]
    seed: u64,
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
    if let Err(error) = work(&flags, &world, &who) {
        // Those that wait for this rank would wait for ever: MPI ends them.
        text::show_error(format!("{who}: {}", error.with_hint()));
        let _ = stderr().flush();
        world.abort(i32::from(error.status()));
    }
    Ok(())
}

fn work(flags: &Flags, world: &SimpleCommunicator, who: &str) -> Result<()> {
    let me = world.rank() as usize;
    let watchdog = Watchdog::new(
        who,
        [flags.own.fail, flags.own.hang].map(|it| it == Some(me)),
    );
    watchdog.stage("waiting for the other ranks");
    must_be_one_build(world)?;
    watchdog.stage("opening its device");
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
    let parts = Target::parts(device, places).filter(|_| devices.len() < places);
    let target = parts.map_or(Target::of(device), |parts| parts[here % places].clone());
    let engines = Engine::open(&[target], &Source::of_course("14-several-devices.cl")?)?;
    let engine = engines[0].clone();
    let mut grid = Grid::new(world, engine, flags.size, flags.seed, &watchdog)?;
    let measured = grid.run(&watchdog)?;
    if me == 0 {
        let json = serde_json::to_string(&measured).map_err(std::io::Error::from)?;
        writeln!(
            stdout(),
            "{}",
            if flags.json { json } else { measured.row() }
        )?;
    }
    watchdog.stage("waiting for the other ranks");
    world.barrier();
    // What follows is MPI's own end, which nobody has to watch.
    watchdog.stage("");
    Ok(())
}

/// Two builds that exchange messages may take them for something else.
fn must_be_one_build(world: &SimpleCommunicator) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    std::fs::read(env::current_exe()?)?.hash(&mut hasher);
    let own = hasher.finish();
    let mut all = vec![0u64; world.size() as usize];
    world.all_gather_into(&own, &mut all[..]);
    match all.iter().position(|other| *other != all[0]) {
        None => Ok(()),
        Some(rank) if rank == world.rank() as usize => {
            let why = "it runs another build of this program than rank 0\n  \
                       next: copy the same target/debug/lesson14 to every machine";
            Err(Error::Usage(why.into()))
        }
        // That rank says so, and ends all.
        Some(_) => loop {
            thread::sleep(Duration::from_secs(1));
        },
    }
}

/// Where a rank stands, and since when. A thread watches it: a rank that does not get on ends
/// itself and says where, and MPI then ends all.
pub struct Watchdog {
    stage: Arc<Mutex<(String, Instant)>>,
    who: String,
    /// What is to go wrong after the first panel.
    fails: bool,
    hangs: bool,
}

impl Watchdog {
    fn new(who: &str, [fails, hangs]: [bool; 2]) -> Watchdog {
        let watchdog = Watchdog {
            stage: Arc::new(Mutex::new(("starting".into(), Instant::now()))),
            who: who.into(),
            fails,
            hangs,
        };
        let (watched, who) = (watchdog.stage.clone(), who.to_string());
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(200));
                let (stage, since) = watched
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone();
                let more = if stage.starts_with("waiting") { 2 } else { 0 };
                let patience = PATIENCE + Duration::from_secs(more);
                if !stage.is_empty() && since.elapsed() > patience {
                    let seconds = patience.as_secs();
                    aside!("{who}: no progress for {seconds} s while {stage}; ending all");
                    abort();
                }
            }
        });
        watchdog
    }

    /// What begins now; nothing, where nobody has to watch any more.
    pub fn stage(&self, what: &str) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        *stage = (what.into(), Instant::now());
    }

    /// What was asked to go wrong.
    pub fn mishap(&self) {
        if self.fails {
            aside!("{}: it dies, as --fail asks", self.who);
            abort();
        }
        if self.hangs {
            self.stage("doing nothing, as --hang asks");
            thread::sleep(Duration::from_secs(3600));
        }
    }
}
