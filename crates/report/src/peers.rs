//! `course peers`: the kernel that the course chooses for a device and a shape, beside the
//! libraries that the device's owner would call instead, in turns within one run.
//!
//! Layout: `peer` lists the libraries, `library` says what each of them is here, and `child`
//! measures one in a process of its own, by `cblas`, `cublas` and `clblast`.
//! `turns` runs these children and a lesson one after another, on `shapes`
//! that a seed draws or on others; `table` shows what came of it.

mod cblas;
mod child;
mod clblast;
mod cublas;
mod library;
pub mod peer;
mod shapes;
mod table;
pub(crate) mod turns;

use std::io::Write;
use std::time::SystemTime;

use anyhow::{Result, bail};
use clap::Args;
use common::Error;
use common::shape::Shape;
use process::data::date;
use process::data::peers::{About, Comparison};
use serde::Serialize;
use text::Out;
use text::aside;

pub use child::{Options as PeerOptions, run as peer};
use peer::Peer;
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
    let countable = shape.must_be_countable();
    countable
        .map(|()| Sizes::One(shape))
        .map_err(|error| error.to_string())
}

/// Measures, and prints a table, or lines of JSON as soon as they are known.
pub fn peers(options: &Options) -> Result<()> {
    let device = devices::chosen(options.device.as_deref(), false)?.remove(0);
    let peers = if options.only.is_empty() {
        Peer::beside(&device)
    } else {
        options.only.clone()
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
        peers,
        rounds: options.rounds as usize,
        runs: options.runs,
    };
    let shapes = wanted(&options.size, &device, seed);
    let mut left = shapes.len();
    if let Some(seed) = seed {
        aside!("thirty shapes drawn from --seed {seed}");
    }
    for some in shapes.chunks(together(&device)) {
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
        writeln!(Out, "{}", table::text(&comparison))?;
    }
    if comparison.rates.iter().all(|rate| rate.gflops.is_none()) {
        bail!("nothing could be timed");
    }
    Ok(())
}

fn print<Line: Serialize>(line: &Line) -> Result<()> {
    writeln!(Out, "{}", serde_json::to_string(line)?)?;
    Ok(())
}

/// How many sizes take turns together: so few that the turns of one size are seconds apart,
/// and so many that a process for each turn costs little.
fn together(device: &Device) -> usize {
    if device.is_cpu() { 4 } else { 10 }
}

/// What the thirty shapes are drawn from: as asked, or by the clock.
fn seed(options: &Options) -> Result<Option<u64>> {
    if !options.size.iter().any(|one| matches!(one, Sizes::Thirty)) {
        return match options.seed {
            Some(_) => Err(Error::Usage("--seed is that of --size thirty".into()).into()),
            None => Ok(None),
        };
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let new = now.map_or(1, |now| u64::from(now.subsec_nanos()) % 1_000_000);
    Ok(Some(options.seed.unwrap_or(new)))
}

/// Multiply-adds of a product that a device is still given time for.
fn most(device: &Device) -> f64 {
    if device.is_cpu() { 4e9 } else { 1e12 }
}

fn wanted(sizes: &[Sizes], device: &Device, seed: Option<u64>) -> Vec<Shape> {
    if sizes.is_empty() {
        let own = if device.is_cpu() {
            [512, 1024, 2048]
        } else {
            [1024, 2048, 4096]
        };
        return own.map(Shape::cube).to_vec();
    }
    let named = sizes.iter().flat_map(|one| match one {
        Sizes::One(shape) => vec![*shape],
        Sizes::Thirty => shapes::thirty(seed.unwrap_or_default(), most(device)),
    });
    let mut shapes = Vec::new();
    for shape in named {
        if !shapes.contains(&shape) {
            shapes.push(shape);
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
