//! Many processes, one product: starting the ranks by mpirun, being one of them, and what a
//! model says of more ranks than there are.

use std::process::ExitCode;

use common::error::Result;
use lesson::Lesson;

/// Where this program was built without MPI.
#[cfg(not(feature = "mpi"))]
mod without {
    use super::*;
    use common::error::Error;

    const BUILD: &str = "this lesson14 was built without MPI\n  next: ./setup --mpi\n        \
                         cargo run -p lesson14 --features mpi -- --ranks 4";

    pub fn start(_: &mut Lesson, _: u16, _: [Option<usize>; 2]) -> Result<()> {
        Err(Error::Usage(BUILD.into()))
    }

    pub fn rank() -> ExitCode {
        text::show_error(format!("error: {BUILD}"));
        ExitCode::from(2)
    }
}

#[cfg(not(feature = "mpi"))]
pub use without::{rank, start};

#[cfg(feature = "mpi")]
pub use with::{Line, rank, start};

#[cfg(feature = "mpi")]
mod with {
    use std::os::unix::fs::MetadataExt;
    use std::process::{Command, Stdio};

    use clap::Parser;
    use common::device::{self, Device, Kind};
    use common::error::Error;
    use common::numbers::{percent, seconds, significant};
    use common::shape::Shape;
    use mpi::collective::CommunicatorCollectives;
    use mpi::topology::Communicator;
    use serde::{Deserialize, Serialize};
    use text::aside;

    use super::*;
    use crate::engine::{Engine, Target};
    use crate::model::Model;
    use crate::summa::Grid;
    use crate::watchdog::Watchdog;

    /// What the first rank prints, as JSON.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct Line {
        pub lesson: u32,
        pub part: String,
        pub ranks: usize,
        pub m: usize,
        pub n: usize,
        pub k: usize,
        pub device: String,
        pub seconds_median: f64,
        pub gflops: f64,
        /// The kernels alone, on all ranks at once.
        pub seconds_kernels: f64,
        pub latency: f64,
        pub bytes_per_second: f64,
        pub verified: bool,
    }

    /// The flags of a rank.
    #[derive(Parser)]
    #[command(disable_help_flag = true)]
    struct Flags {
        #[arg(long)]
        mpi: bool,
        #[arg(long, default_value = "1024")]
        size: Shape,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long)]
        json: bool,
        #[arg(long)]
        fail: Option<usize>,
        #[arg(long)]
        hang: Option<usize>,
    }

    /// A rank: its exit status is mpirun's.
    pub fn rank() -> ExitCode {
        let flags = Flags::parse();
        let started = ["OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"];
        if started.iter().all(|name| std::env::var_os(name).is_none()) {
            let why = "--mpi is for a process that mpirun has started\n  \
                       next: mpirun -n 4 target/debug/lesson14 --mpi\n    \
                       or: cargo run -p lesson14 --features mpi -- --ranks 4";
            text::show_error(format!("error: {why}"));
            return ExitCode::from(2);
        }
        let Some(universe) = mpi::initialize() else {
            text::show_error("error: MPI could not be initialised".into());
            return ExitCode::from(5);
        };
        let world = universe.world();
        let host = mpi::environment::processor_name().unwrap_or_default();
        let who = format!("rank {} on {host}", world.rank());
        if let Err(error) = work(&flags, who.clone()) {
            // Those that wait for this rank would wait for ever: MPI ends them.
            text::show_error(format!("{who}: {}", error.with_hint()));
            std::io::Write::flush(&mut std::io::stderr()).ok();
            world.abort(i32::from(error.status()));
        }
        ExitCode::SUCCESS
    }

    fn work(flags: &Flags, who: String) -> Result<()> {
        let world = mpi::topology::SimpleCommunicator::world();
        let me = world.rank() as usize;
        let mut watchdog = Watchdog::new(who);
        (watchdog.fails, watchdog.hangs) = (flags.fail == Some(me), flags.hang == Some(me));
        watchdog.stage("waiting for the other ranks");
        must_be_one_build(&world)?;
        watchdog.stage("opening its device");
        let (engine, device) = own_device(&world)?;
        let Shape { m, n, k } = flags.size;
        let grid = Grid::new(world.duplicate(), [m, n, k], flags.seed)?;
        let measured = grid.run(&engine, &watchdog)?;
        if me == 0 {
            let gflops = 2.0 * (m * n * k) as f64 / measured.seconds * 1e-9;
            let line = Line {
                lesson: 14,
                part: "summa".into(),
                ranks: world.size() as usize,
                m,
                n,
                k,
                device,
                seconds_median: measured.seconds,
                gflops,
                seconds_kernels: measured.kernels_alone,
                latency: measured.latency,
                bytes_per_second: measured.bandwidth,
                verified: true,
            };
            let text = if flags.json {
                serde_json::to_string(&line).map_err(std::io::Error::from)?
            } else {
                table_row(&line)
            };
            use std::io::Write;
            writeln!(std::io::stdout(), "{text}")?;
        }
        watchdog.stage("waiting for the other ranks");
        world.barrier();
        // What follows is MPI's own end, which nobody has to watch.
        std::mem::forget(watchdog);
        Ok(())
    }

    /// Two builds that exchange messages may take them for something else.
    fn must_be_one_build(world: &impl Communicator) -> Result<()> {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        std::fs::read(std::env::current_exe()?)?.hash(&mut hasher);
        let own = hasher.finish();
        let mut all = vec![0u64; world.size() as usize];
        world.all_gather_into(&own, &mut all[..]);
        match all.iter().position(|other| *other != all[0]) {
            Some(rank) if own != all[0] && rank == world.rank() as usize => {
                let why = "it runs another build of this program than rank 0\n  \
                           next: copy the same target/debug/lesson14 to every machine";
                Err(Error::Usage(why.into()))
            }
            // That rank says so, and ends all.
            Some(_) => loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
            },
            None => Ok(()),
        }
    }

    /// A GPU for each rank of a machine, as long as there are any; else a core of its CPU.
    fn own_device(world: &impl Communicator) -> Result<(Engine, String)> {
        let here = world.split_shared(world.rank()).rank() as usize;
        let all = device::list()?;
        let is_real = |one: &&Device| !one.is_simulator() && !one.is_llvmpipe();
        let gpus: Vec<&Device> = all
            .iter()
            .filter(is_real)
            .filter(|one| one.kind == Kind::Gpu)
            .collect();
        if !gpus.is_empty() {
            let own = gpus[here % gpus.len()];
            return Ok((Engine::open(&Target::of(own))?, own.label()));
        }
        let cpu = all.iter().find(is_real).unwrap_or(&all[0]);
        let units = cpu.limits.compute_units.max(1);
        let label = format!("a core of {}", cpu.label());
        match Target::parts(cpu, units) {
            Some(parts) => Ok((Engine::open(&parts[here % units])?, label)),
            None => Ok((Engine::open(&Target::of(cpu))?, cpu.label())),
        }
    }

    fn heading() -> String {
        format!(
            "  {:>5}  {:<18}{:>9}{:>9}{:>14}{:>16}",
            "ranks", "size", "median", "GFLOP/s", "of kernels", "model says"
        )
    }

    fn table_row(line: &Line) -> String {
        let size = Shape {
            m: line.m,
            n: line.n,
            k: line.k,
        };
        let model = Model::of(line);
        format!(
            "  {:>5}  {:<18}{:>9}{:>9}{:>14}{:>16} ✓",
            line.ranks,
            size.to_string(),
            seconds(line.seconds_median),
            significant(line.gflops),
            percent(line.seconds_kernels / line.seconds_median),
            seconds(model.seconds(line.ranks, [line.m, line.n, line.k]))
        )
    }

    /// Strong scaling, then weak: 1, 2, 4, ... ranks, each by mpirun.
    pub fn start(lesson: &mut Lesson, ranks: u16, [fail, hang]: [Option<usize>; 2]) -> Result<()> {
        let shape = lesson.size.unwrap_or(Shape::cube(1024));
        let seed = lesson.flags().seed;
        let device = lesson.session()?.device.clone();
        let units = device.limits.compute_units;
        if device.kind == Kind::Cpu && usize::from(ranks) > units {
            lesson.say(format!(
                "  {ranks} ranks share {units} cores here: their times tell what MPI costs, \
                 and not how the product scales"
            ))?;
        }
        let mut counts: Vec<usize> = (0..)
            .map(|i| 1 << i)
            .take_while(|&p| p < ranks.into())
            .collect();
        counts.push(ranks.into());
        if fail.or(hang).is_some() {
            counts = vec![ranks.into()];
        }
        let mut last = None;
        for (title, weak) in [
            ("Strong scaling: the same product on more ranks", false),
            ("Weak scaling: as much memory for each rank", true),
        ] {
            lesson.say(format!("\n  {title}\n\n{}", heading()))?;
            for &count in &counts {
                let grown = |side: usize| {
                    let factor = if weak { (count as f64).sqrt() } else { 1.0 };
                    (side as f64 * factor).round() as usize
                };
                let size = Shape {
                    m: grown(shape.m),
                    n: grown(shape.n),
                    k: grown(shape.k),
                };
                lesson.console.doing(format!("mpirun -n {count}, {size}"))?;
                let line = mpirun(count, size, seed, [fail, hang])?;
                lesson.say(table_row(&line))?;
                lesson.console.report.json(&line)?;
                last = Some(line);
            }
        }
        match last {
            Some(line) => lesson.say(Model::of(&line).table()),
            None => Ok(()),
        }
    }

    /// One run of so many ranks of this very program.
    fn mpirun(
        ranks: usize,
        size: Shape,
        seed: u64,
        [fail, hang]: [Option<usize>; 2],
    ) -> Result<Line> {
        let mut command = Command::new("mpirun");
        process::end_with_us(&mut command);
        command.args(["-n", &ranks.to_string(), "--oversubscribe"]);
        // Where ranks share a core, one that waits must let the others work.
        command.args(["--mca", "mpi_yield_when_idle", "1", "--bind-to", "none"]);
        if std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
            command.arg("--allow-run-as-root"); // as in a container
        }
        command.arg(std::env::current_exe()?).args([
            "--mpi",
            "--json",
            "--size",
            &size.to_string(),
        ]);
        command.args(["--seed", &seed.to_string()]);
        for (flag, value) in [("--fail", fail), ("--hang", hang)] {
            if let Some(rank) = value {
                command.args([flag, &rank.to_string()]);
            }
        }
        let missing = |error: std::io::Error| {
            Error::Usage(format!(
                "mpirun cannot be started: {error}\n  next: ./setup --mpi"
            ))
        };
        let output = command.stderr(Stdio::inherit()).output().map_err(missing)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text
            .lines()
            .find_map(|line| serde_json::from_str(line).ok());
        match line.filter(|_| output.status.success()) {
            Some(line) => Ok(line),
            None => {
                aside!("{}", text.trim_end());
                let why = "a rank did not come to the end, so all were ended; which, stands above";
                Err(Error::Died(why.into()))
            }
        }
    }
}
