//! `cargo xtask libraries`: the kernel that the course chooses for a device and a shape, beside
//! the library that the device's owner would call instead, cuBLAS or OpenBLAS. Each round both have
//! one turn. Who begins changes from round to round, so that a clock that falls hits both alike.
//!
//! Layout: `library` measures one, `cublas` or OpenBLAS; what comes of it is a `Comparison` of `kept`.

mod cublas;
mod library;

use std::{io::Write, mem::take};

use anyhow::{Result, ensure};
use common::{record::Record, timing::Runs};
use diagnostics::{aside, terminal::Out};
use verify::{Shape, element::Type, numbers};
use watchdog::{machine, worker};

use crate::kept::{self, Comparison, OURS, OURS_BY_VENDOR, Rate};
use library::{Library, Multiply, OnHost, environment, measure};

/// What is compared.
#[derive(clap::Args)]
pub struct LibrariesArgs {
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type [default: as the lessons choose]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// The library [default: cublas on NVIDIA's GPUs, else openblas]
    #[arg(long)]
    library: Option<Library>,
    /// Sizes of the products, N or MxNxK; may be a list
    #[arg(short, long, value_name = "N|MxNxK", value_delimiter = ',')]
    #[arg(required_unless_present_any = ["like", "seed"])]
    size: Vec<Shape>,
    /// Sizes of a comparison that is kept: those of h200-sixty were drawn by chance
    #[arg(long, value_name = "NAME")]
    like: Option<String>,
    /// Thirty sizes that are drawn from this number
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How many times each has its turn
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Timed runs in a turn [default: at least 3, until a quarter of a second or 20 runs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// Type of A and B: half, or tf32 as lesson 13 has it; sums are floats
    #[arg(long = "type", value_name = "TYPE", default_value = "float", value_parser = inputs)]
    pub inputs: Type,
}

/// The type of A and B.
fn inputs(word: &str) -> Result<Type, String> {
    match word {
        "float" => Ok(Type::Float),
        "half" => Ok(Type::Half),
        "tf32" => Ok(Type::Tf32),
        _ => Err("there are float, half and tf32".into()),
    }
}

/// Set in the process that has the library's environment.
const READY: &str = "OPENCL_COURSE_LIBRARY";

/// Measures, and prints lines as `docs/data/peers/` keeps them.
pub fn libraries(options: &LibrariesArgs) -> Result<()> {
    let device = machine::chosen(options.device.as_deref(), false)?.remove(0);
    let library = options.library.unwrap_or(match device.platform.contains("NVIDIA") {
        true => Library::Cublas,
        false => Library::Openblas,
    });
    // It reads its environment when it is loaded. Drivers get a lesson's: it is measured as the
    // kernels are.
    if std::env::var_os(READY).is_none() {
        let mut again = watchdog::this_program()?;
        again.args(std::env::args_os().skip(1)).env(READY, "1");
        again.envs(watchdog::environment(Default::default()));
        let ended = again.envs(environment(options.inputs)).status()?;
        std::process::exit(ended.code().unwrap_or(1));
    }
    writeln!(Out, "{}", kept::about_device(&device)?)?;
    let mut shapes = options.size.clone();
    if let Some(name) = &options.like {
        shapes.extend(Comparison::read(name)?.shapes());
    }
    if let Some(seed) = options.seed {
        // On a CPU such products take a second at most.
        shapes.extend(thirty(seed, if device.is_cpu() { 4e9 } else { 1e12 }));
    }
    // So few that the turns of one size are seconds apart, and so many that a lesson for each
    // turn costs little.
    let together = if device.is_cpu() { 4 } else { 10 };
    let open: Box<dyn Multiply> = match library {
        Library::Cublas => Box::new(cublas::OnGpu::open(device.index, options.inputs)?),
        Library::Openblas => Box::new(OnHost::open()?),
    };
    let mut players = Players { device, library, open, options };
    let mut is_timed = false;
    for some in shapes.chunks(together) {
        aside!("of {} sizes now {}", shapes.len(), list(some));
        for rate in players.take_turns(some)? {
            let words = rate.gflops.map_or("no".into(), numbers::significant);
            aside!("  {} {}: {words} GFLOP/s", rate.shape, rate.library);
            is_timed |= rate.gflops.is_some();
            writeln!(Out, "{}", serde_json::json!(rate))?;
        }
    }
    ensure!(is_timed, "nothing could be timed");
    Ok(())
}

/// "1024x1024x1024,37x91x53".
fn list(shapes: &[Shape]) -> String {
    let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    shapes.join(",")
}

/// Thirty different shapes, of no more multiply-adds than this each, that nobody can have tuned to:
/// six squares, four with a single row or column; sides are as often between 16 and 32 as between
/// 4096 and 8192.
fn thirty(seed: u64, most: f64) -> Vec<Shape> {
    // SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
    let mut state = seed;
    let mut up_to = |longest: f64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let share = (z ^ (z >> 31)) as f64 / u64::MAX as f64;
        (16.0 * (longest / 16.0).powf(share)) as usize
    };
    let mut shapes: Vec<Shape> = Vec::new();
    while shapes.len() < 30 {
        let [m, n, k] = [8192.0, 8192.0, 16384.0].map(&mut up_to);
        let shape = match shapes.len() {
            0..6 => Shape::cube(m),
            6..8 => Shape { m: 1, n, k },
            8..10 => Shape { m, n: 1, k },
            _ => Shape { m, n, k },
        };
        if shape.flop() / 2.0 <= most && !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

/// The course and the library.
struct Players<'a> {
    device: machine::Device,
    library: Library,
    open: Box<dyn Multiply>,
    options: &'a LibrariesArgs,
}

impl Players<'_> {
    /// All rounds on these sizes: the rates, ours first at each size.
    fn take_turns(&mut self, shapes: &[Shape]) -> Result<Vec<Rate>> {
        let mut turns: Vec<(&str, Shape, Record)> = Vec::new();
        for round in 0..self.options.rounds {
            for is_theirs in [round % 2 == 1, round % 2 == 0] {
                if !is_theirs {
                    turns.extend(self.our_turn(shapes)?);
                    continue;
                }
                for &shape in shapes {
                    let &LibrariesArgs { inputs, runs, .. } = self.options;
                    let runs = runs.map_or(Runs::Enough, |runs| Runs::Exactly(runs as usize));
                    let record = measure(&mut *self.open, shape, inputs, runs)?;
                    turns.push((self.library.name(), shape, record));
                }
            }
        }
        let names = [OURS, OURS_BY_VENDOR, self.library.name()];
        let all = shapes.iter().flat_map(|shape| names.map(|name| (name, *shape)));
        let rates = all.filter_map(|(name, shape)| {
            let here = turns.iter().filter(|one| (one.0, one.1) == (name, shape));
            self.rate(name, shape, &Vec::from_iter(here.map(|(_, _, record)| record)))
        });
        Ok(rates.collect())
    }

    /// The lesson that has the kernel, and leads to the limit of such a device.
    fn lesson(&self) -> u32 {
        match self.options.inputs {
            Type::Float if self.device.is_cpu() => 9,
            Type::Float => 10,
            _ => 13,
        }
    }

    fn our_turn(&self, shapes: &[Shape]) -> Result<Vec<(&'static str, Shape, Record)>> {
        let mut work = watchdog::lessons::numbered(self.lesson())?.work()?;
        work.args(["--json", "--device", &self.device.index.to_string()]);
        work.args(["--size", &list(shapes)]);
        work.args((self.library == Library::Cublas).then_some("--in-a-row"));
        match self.options.inputs {
            Type::Float => work.arg("--chosen"),
            Type::Tf32 => work.args(["--inputs", "tf32"]),
            other => work.args(["--inputs", other.name()]),
        };
        work.args(self.options.runs.map(|runs| format!("--runs={runs}")));
        let mut ended = worker::finish(&work, worker::PATIENCE)?;
        if ended.status != 0 {
            return Err(ended.refused().into());
        }
        ended.records.retain(|record| record.platform != "host");
        for ours in &mut ended.records {
            // Beside a library on the host it is timed by the wall clock, as that is.
            if self.library == Library::Openblas && !ours.wall_seconds.is_empty() {
                (ours.seconds, ours.clock) = (take(&mut ours.wall_seconds), Some("wall".into()));
            }
        }
        let name = |one: &Record| [OURS, OURS_BY_VENDOR][usize::from(one.vendor_specific)];
        Ok(ended.records.into_iter().map(|one| (name(&one), one.shape(), one)).collect())
    }

    /// What all turns of one come to at a size, if it had any.
    fn rate(&self, library: &str, shape: Shape, turns: &[&Record]) -> Option<Rate> {
        let last = turns.last()?;
        let is_ours = library.starts_with(OURS);
        let seconds: Vec<f64> = turns.iter().flat_map(|one| &one.seconds).copied().collect();
        // One wrong result, and nothing of it is believed.
        let why = turns.iter().find_map(|one| one.why());
        let why = why.or_else(|| seconds.is_empty().then(|| "nothing was measured".into()));
        let at = |q| why.is_none().then(|| shape.flop() / numbers::quantile(&seconds, q) / 1e9);
        Some(Rate {
            shape,
            library: library.into(),
            kernel: is_ours.then(|| last.kernel.clone()),
            version: match is_ours {
                true => format!("lesson {}", self.lesson()),
                false => self.open.version(),
            },
            clock: last.clock.clone(),
            gflops: at(0.5),
            q1: at(0.75),
            q3: at(0.25),
            runs: seconds.len(),
            why: why.as_ref().and_then(|why| why.lines().next()).map(String::from),
        })
    }
}
