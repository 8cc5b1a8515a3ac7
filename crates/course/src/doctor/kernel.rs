//! What every lesson needs of a device, tried on it: a kernel is built, exchanges
//! values through local memory, and loops for long; its results and its times are
//! checked. In a child process: see `child`.

use std::rc::Rc;

use common::device;
use common::element::Type;
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Launch, Session};
use common::source::Source;
use common::timing::{self, Clock, Runs};
use common::{Error, Result};
use serde_json::{Value, json};

const TEXT: &str = include_str!("kernel.cl");

const ITEMS: usize = 64;
const GROUP: usize = 16;
/// More than a 16-bit counter holds: some drivers end such loops early.
const ROUNDS: usize = 70_000;

/// What came of it, for the device of this number.
pub fn check(index: usize) -> Value {
    let wrong = |error: Error| json!({ "wrong": error.to_string(), "mend": error.mend() });
    run(index).unwrap_or_else(wrong)
}

fn run(index: usize) -> Result<Value> {
    let device = device::list()?.into_iter().nth(index);
    let device = device.ok_or_else(|| Error::Usage(format!("there is no device {index}")))?;
    let session = Session::open(device, Rc::new(()))?;
    let source = Source {
        path: "doctor.cl".into(),
        text: TEXT.into(),
    };
    let options = program::options(Type::Float, &[]);
    let program = Program::build(&session, &source, &options, false)?;
    let range = NdRange::cover(&[ITEMS], &[GROUP]);
    let input: Vec<f32> = (0..ITEMS).map(|i| i as f32).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let x = session.upload(&bytes)?;
    let y = session.upload(&vec![0xff; bytes.len()])?;
    let result = || -> Result<Vec<f32>> {
        let bytes = session.read(&y, bytes.len())?;
        let (words, _) = bytes.as_chunks();
        Ok(words.iter().map(|word| f32::from_ne_bytes(*word)).collect())
    };
    let launch = |name: &str, types: &[&str], args: &[Arg]| -> Result<[Launch; 1]> {
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        let kernel = program.kernel(name, &types)?;
        let mut launch = Launch::new(kernel, name, range.clone());
        session.set_args(&mut launch, args)?;
        Ok([launch])
    };
    let [from, to] = [&x, &y].map(|buffer| Arg::Buffer(buffer.clone()));

    let mirror = launch("mirror", &["float*"; 2], &[from.clone(), to.clone()])?;
    session.run(&mirror)?;
    let mirrored = |i: usize| input[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    let is_mirrored = |(i, y): (usize, &f32)| *y == 2.0 * mirrored(i) + 1.0;
    let right = result()?.iter().enumerate().all(is_mirrored);

    let args = [Arg::int(ROUNDS as i32), from, to];
    let long_sum = launch("long_sum", &["int", "float*", "float*"], &args)?;
    let run = || session.run(&long_sum);
    let timing = timing::measure(Runs::Exactly(3), None, |_| Ok(()), run)?;
    // Small whole numbers: exact in any order.
    let sum: f32 = (0..ROUNDS).map(|i| input[i % ITEMS]).sum();
    let long_loops = result()?.iter().all(|y| *y == sum);
    let mut faults = Vec::new();
    if !long_loops {
        faults.push("it ends loops after some 65,000 rounds: results of long sums are wrong");
    }
    if timing.clock != Clock::Event {
        faults.push("its event times cannot be true: lessons take the wall clock");
    }
    Ok(json!({ "build_seconds": program.build_seconds, "right": right, "faults": faults }))
}
