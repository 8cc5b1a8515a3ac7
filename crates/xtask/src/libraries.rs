//! `cargo xtask libraries`: the kernel that the course chooses for a device and a shape, beside
//! the library that the device's owner would call instead, cuBLAS or OpenBLAS. Each round both have
//! one turn. Who begins changes from round to round, so that a clock that falls hits both alike.
//!
//! Layout: `library` measures one, by `cublas` or `openblas`; `comparison` is what comes of it, and
//! what `docs/data/peers/` keeps.

pub mod comparison;
mod cublas;
mod library;
mod openblas;
mod shapes;

use std::io::Write;

use anyhow::{Result, ensure};
use clap::Args;
use common::record::Record;
use diagnostics::aside;
use diagnostics::terminal::Out;
use serde_json::{Value, json};
use verify::element::Type;
use verify::numbers::significant;
use verify::shape::Shape;
use watchdog::devices::{self, Device};
use watchdog::machine::date;
use watchdog::worker::{self, Orders};
use watchdog::{lessons, machine};

use comparison::{Comparison, OURS, OURS_BY_VENDOR, Rate};
use cublas::OnGpu;
use library::{Library, Multiply, measure};
use openblas::OnHost;
use verify::numbers::quantile;

/// What is compared.
#[derive(Args)]
pub struct LibrariesArgs {
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type [default: as the lessons choose]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// The library [default: cublas on NVIDIA's GPUs, else openblas]
    #[arg(long)]
    library: Option<Library>,
    /// Sizes of the products, N or MxNxK; may be a list
    #[arg(
        short,
        long,
        value_name = "N|MxNxK",
        value_delimiter = ',',
        required_unless_present_any = ["like", "seed"]
    )]
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
    runs: Option<u32>,
    /// Type of A and B: half, or tf32 as lesson 13 has it; sums are floats
    #[arg(long = "type", value_name = "TYPE", default_value = "float", value_parser = inputs)]
    inputs: Type,
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
    let device = devices::chosen(options.device.as_deref(), false)?.remove(0);
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
        let ended = again.envs(library.environment(options.inputs)).status()?;
        std::process::exit(ended.code().unwrap_or(1));
    }
    writeln!(Out, "{}", about(&device)?)?;
    let mut players = Players {
        device: &device,
        library,
        open: match library {
            Library::Cublas => Box::new(OnGpu::open(device.index, options.inputs)?),
            Library::Openblas => Box::new(OnHost::open()?),
        },
        options,
    };
    let mut is_timed = false;
    let mut shapes = options.size.clone();
    if let Some(name) = &options.like {
        shapes.extend(Comparison::read(name)?.shapes());
    }
    if let Some(seed) = options.seed {
        // On a CPU such products take a second at most.
        let most = if device.is_cpu() { 4e9 } else { 1e12 };
        shapes.extend(shapes::thirty(seed, most));
    }
    // So few that the turns of one size are seconds apart, and so many that a lesson for each
    // turn costs little.
    let together = if device.is_cpu() { 4 } else { 10 };
    for some in shapes.chunks(together) {
        aside!("of {} sizes now {}", shapes.len(), list(some));
        for rate in players.take_turns(some)? {
            let words = rate.gflops.map_or("no".into(), significant);
            aside!("  {} {}: {words} GFLOP/s", rate.shape, rate.library);
            is_timed |= rate.gflops.is_some();
            writeln!(Out, "{}", json!(rate))?;
        }
    }
    ensure!(is_timed, "nothing could be timed");
    Ok(())
}

/// The first line: where and when.
fn about(device: &Device) -> Result<Value> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    Ok(json!({
        "command": format!("cargo xtask {}", words.join(" ")),
        "date": date("+%Y-%m-%d")?,
        "device": device.name,
        "platform": device.platform,
        "driver": device.driver,
        "host": machine::host(),
    }))
}

/// "1024x1024x1024,37x91x53".
fn list(shapes: &[Shape]) -> String {
    let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    shapes.join(",")
}

/// The course and the library.
struct Players<'a> {
    device: &'a Device,
    library: Library,
    open: Box<dyn Multiply>,
    options: &'a LibrariesArgs,
}

impl Players<'_> {
    /// All rounds on these sizes: the rates, ours first at each size.
    fn take_turns(&mut self, shapes: &[Shape]) -> Result<Vec<Rate>> {
        let LibrariesArgs { inputs, runs, .. } = *self.options;
        let mut turns: Vec<(&str, Shape, Record)> = Vec::new();
        for round in 0..self.options.rounds {
            for is_theirs in [round % 2 == 1, round % 2 == 0] {
                if !is_theirs {
                    turns.extend(self.our_turn(shapes)?);
                    continue;
                }
                for &shape in shapes {
                    let record = measure(&mut *self.open, shape, inputs, runs)?;
                    turns.push((self.library.name(), shape, record));
                }
            }
        }
        let mut rates = Vec::new();
        for &shape in shapes {
            for name in [OURS, OURS_BY_VENDOR, self.library.name()] {
                let here = turns.iter().filter(|one| (one.0, one.1) == (name, shape));
                let here = Vec::from_iter(here.map(|(_, _, record)| record));
                rates.extend(self.rate(name, shape, &here));
            }
        }
        Ok(rates)
    }

    fn our_turn(&self, shapes: &[Shape]) -> Result<Vec<(&'static str, Shape, Record)>> {
        // It leads to the limit of such a device, with what it chooses beforehand.
        let mut work = lessons::numbered(self.lesson())?.work()?;
        work.args(["--json", "--device", &self.device.index.to_string()]);
        if self.library == Library::Cublas {
            work.arg("--in-a-row");
        }
        work.args(["--size", &list(shapes)]);
        match self.options.inputs {
            Type::Float => work.arg("--chosen"),
            Type::Tf32 => work.args(["--inputs", "tf32"]),
            other => work.args(["--inputs", other.name()]),
        };
        if let Some(runs) = self.options.runs {
            work.args(["--runs", &runs.to_string()]);
        }
        let mut ended = worker::finish(&work, &Orders::default())?;
        if ended.status != 0 {
            return Err(ended.refused().into());
        }
        ended.records.retain(|record| record.platform != "host");
        let name = |one: &Record| [OURS, OURS_BY_VENDOR][usize::from(one.vendor_specific)];
        let turn = |one: Record| (name(&one), one.shape(), one);
        Ok(ended.records.into_iter().map(turn).collect())
    }

    fn lesson(&self) -> u32 {
        match self.options.inputs {
            Type::Float if self.device.is_cpu() => 9,
            Type::Float => 10,
            _ => 13,
        }
    }

    /// What all turns of one come to at a size, if it had any. Beside a library on the host ours
    /// is timed by the wall clock, as that is.
    fn rate(&self, library: &str, shape: Shape, turns: &[&Record]) -> Option<Rate> {
        let last = turns.last()?;
        let is_ours = library.starts_with(OURS);
        let by_the_wall = self.library == Library::Openblas && !last.wall_seconds.is_empty();
        let seconds = turns.iter().flat_map(|one| match by_the_wall {
            true => &one.wall_seconds[..],
            false => &one.seconds,
        });
        let seconds: Vec<f64> = seconds.copied().collect();
        // One wrong result, and nothing of it is believed.
        let why = turns.iter().find_map(|one| one.why());
        let why = why.or_else(|| seconds.is_empty().then(|| "nothing was measured".into()));
        let at = |q| (why.is_none()).then(|| shape.flop() / quantile(&seconds, q) / 1e9);
        Some(Rate {
            shape,
            library: library.into(),
            kernel: is_ours.then(|| last.kernel.clone()),
            version: match is_ours {
                true => format!("lesson {}", self.lesson()),
                false => self.open.version(),
            },
            clock: match by_the_wall {
                true => Some("wall".into()),
                false => last.clock.clone(),
            },
            gflops: at(0.5),
            q1: at(0.75),
            q3: at(0.25),
            runs: seconds.len(),
            why: why.map(|why| why.lines().next().unwrap_or_default().into()),
        })
    }
}
