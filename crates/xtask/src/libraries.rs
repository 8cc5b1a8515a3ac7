//! `course peers`: the kernel that the course chooses for a device and a shape, beside the
//! libraries that the device's owner would call instead, in turns within one run.
//!
//! Layout: `library` lists the libraries, and `child` measures one in a process of its own, by
//! `host`, `cublas` and `clblast`.
//! `turns` runs these children and a lesson one after another, on `shapes`
//! that a seed draws or on others; `table` shows what came of it.

mod child;
mod clblast;
mod cublas;
mod host;
mod library;
mod shapes;
mod table;
mod turns;

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use clap::Args;
use common::Error;
use common::element::Type;
use common::shape::Shape;
use process::data::date;
use process::data::peers::{About, Comparison};
use serde::Serialize;
use text::{Out, aside};

pub use child::{Options as PeerOptions, run as peer};
use library::Peer;
use process::devices::{self, Device};
use process::machine;
use turns::Turns;

/// What is compared.
#[derive(Args)]
pub struct Options {
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type [default: as the lessons choose]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Sizes of the products, N or MxNxK; may be a list. `thirty` stands for thirty shapes
    /// that are drawn from a seed [default: 512, 1024 and 2048 on a CPU; 1024, 2048 and 4096
    /// elsewhere]
    #[arg(short, long, value_name = "LIST", value_delimiter = ',', value_parser = sizes)]
    size: Vec<Sizes>,
    /// What the thirty shapes are drawn from [default: another one each time]
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
    /// Libraries [default: those for this device]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<Peer>,
    /// Print one JSON object a line, as `data/peers/` keeps them
    #[arg(long)]
    json: bool,
}

/// What one word of `--size` stands for.
#[derive(Clone)]
enum Sizes {
    One(Shape),
    Thirty,
}

fn sizes(word: &str) -> Result<Sizes, String> {
    if word == shapes::NAME {
        return Ok(Sizes::Thirty);
    }
    let shape = word.parse::<Shape>();
    let shape = shape.map_err(|why| format!("{why}; or write {}", shapes::NAME))?;
    let countable = shape.must_be_countable().map(|()| Sizes::One(shape));
    countable.map_err(|error| error.to_string())
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

/// Measures, and prints a table, or lines of JSON as soon as they are known.
pub fn peers(options: &Options) -> Result<()> {
    let device = devices::chosen(options.device.as_deref(), false)?.remove(0);
    let peers = match &options.only[..] {
        [] if options.inputs != Type::Float => vec![Peer::Cublas],
        [] => Peer::beside(&device),
        only => only.to_vec(),
    };
    let seed = seed(options)?;
    let mut comparison = Comparison {
        about: about(&device, seed)?,
        rates: Vec::new(),
        missing: Vec::new(),
    };
    if options.json {
        print(&comparison.about)?;
    }
    let mut turns = Turns {
        device: &device,
        inputs: options.inputs,
        peers,
        rounds: options.rounds as usize,
        runs: options.runs,
    };
    let shapes = wanted(&options.size, device.is_cpu(), seed);
    let mut left = shapes.len();
    if let Some(seed) = seed {
        aside!("thirty shapes drawn from --seed {seed}");
    }
    // So few that the turns of one size are seconds apart, and so many that a process for each
    // turn costs little.
    let together = if device.is_cpu() { 4 } else { 10 };
    for some in shapes.chunks(together) {
        aside!("{left} sizes left; now {}", turns::list(some));
        left -= some.len();
        let (rates, missing) = turns.take(some)?;
        if options.json {
            rates.iter().try_for_each(print)?;
            missing.iter().try_for_each(print)?;
        }
        comparison.rates.extend(rates);
        comparison.missing.extend(missing);
    }
    if !options.json {
        write!(Out, "{}", table::text(&comparison)?)?;
    }
    if comparison.rates.iter().all(|rate| rate.gflops.is_none()) {
        bail!("nothing could be timed");
    }
    Ok(())
}

fn print<Line: Serialize>(line: &Line) -> Result<()> {
    Ok(writeln!(Out, "{}", serde_json::to_string(line)?)?)
}

/// What the thirty shapes are drawn from: as asked, or by the clock.
fn seed(options: &Options) -> Result<Option<u64>> {
    let is_drawn = options.size.iter().any(|one| matches!(one, Sizes::Thirty));
    match options.seed {
        Some(_) if !is_drawn => Err(Error::Usage("--seed is that of --size thirty".into()).into()),
        None if is_drawn => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
            Ok(Some(u64::from(now.subsec_nanos()) % 1_000_000))
        }
        seed => Ok(seed),
    }
}

fn wanted(sizes: &[Sizes], on_cpu: bool, seed: Option<u64>) -> Vec<Shape> {
    if sizes.is_empty() {
        let least = if on_cpu { 512 } else { 1024 };
        return [least, 2 * least, 4 * least].map(Shape::cube).to_vec();
    }
    // Multiply-adds of a product that a device is still given time for.
    let most = if on_cpu { 4e9 } else { 1e12 };
    let mut shapes = Vec::new();
    for one in sizes {
        let named = match one {
            Sizes::One(shape) => vec![*shape],
            Sizes::Thirty => shapes::thirty(seed.unwrap_or_default(), most),
        };
        for shape in named {
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
    }
    shapes
}

fn about(device: &Device, seed: Option<u64>) -> Result<About> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    Ok(About {
        command: format!("cargo run -p course -- {}", words.join(" ")),
        date: date("+%Y-%m-%d")?,
        device: device.name.clone(),
        platform: device.platform.clone(),
        driver: device.driver.clone(),
        host: machine::host(),
        seed,
    })
}
