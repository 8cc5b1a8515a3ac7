//! `course peers`: the kernel that the course chooses for a device and a shape, beside the
//! libraries that the device's owner would call instead, in turns within one run.
//!
//! Layout: `peer` lists the libraries, `library` says what each of them is here, and `child`
//! measures one in a process of its own, by `cblas`, `vendor`, `clblast` with `tuned`, and
//! `matrixmultiply`. `turns` runs these children and a lesson one after another, `table` shows
//! what came of it.

mod cblas;
mod child;
mod clblast;
mod library;
mod matrixmultiply;
pub mod peer;
mod table;
mod tuned;
pub(crate) mod turns;
mod vendor;

use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use common::shape::Shape;
use process::data::peers::{About, Comparison};
use process::data::{date, shapes};
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
    /// Sizes of the products, N or MxNxK; may be a list. `forty` stands for the forty
    /// shapes of the course's own comparison [default: 512, 1024 and 2048 on a CPU; 1024,
    /// 2048 and 4096 elsewhere]
    #[arg(short, long, value_name = "LIST", value_delimiter = ',', value_parser = sizes)]
    size: Vec<Sizes>,
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
struct Sizes(Vec<Shape>);

fn sizes(word: &str) -> Result<Sizes, String> {
    if word == shapes::NAME {
        return Ok(Sizes(shapes::FORTY.to_vec()));
    }
    let shape = word.parse::<Shape>();
    let shape = shape.map_err(|why| format!("{why}; or write {}", shapes::NAME))?;
    shape.must_be_countable()?;
    Ok(Sizes(vec![shape]))
}

/// Measures, and prints a table, or lines of JSON as soon as they are known.
pub fn peers(options: &Options) -> Result<()> {
    let device = devices::chosen(options.device.as_deref(), false)?.remove(0);
    let peers = if options.only.is_empty() {
        Peer::beside(&device)
    } else {
        options.only.clone()
    };
    let mut comparison = Comparison {
        about: about(&device)?,
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
    let shapes = wanted(&options.size, &device);
    let mut left = shapes.len();
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

fn wanted(sizes: &[Sizes], device: &Device) -> Vec<Shape> {
    if sizes.is_empty() {
        let own = if device.is_cpu() {
            [512, 1024, 2048]
        } else {
            [1024, 2048, 4096]
        };
        return own.map(Shape::cube).to_vec();
    }
    let mut shapes = Vec::new();
    for shape in sizes.iter().flat_map(|sizes| &sizes.0) {
        if !shapes.contains(shape) {
            shapes.push(*shape);
        }
    }
    shapes
}

fn about(device: &Device) -> Result<About> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    Ok(About {
        command: format!("cargo run -p course -- {}", words.join(" ")),
        date: date("+%Y-%m-%d")?,
        device: device.name.clone(),
        platform: device.platform.clone(),
        driver: device.driver.clone(),
        host: machine::host(),
    })
}
