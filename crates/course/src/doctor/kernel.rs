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
    let types = ["int", "float*", "float*"].map(String::from);
    let mut launch = Launch::new(program.kernel("trial", &types)?, "trial", range);
    let [from, to] = [&x, &y].map(|buffer| Arg::Buffer(buffer.clone()));
    session.set_args(&mut launch, &[Arg::int(ROUNDS as i32), from, to])?;
    let launches = [launch];
    let timing = timing::measure(
        Runs::Exactly(3),
        None,
        |_| Ok(()),
        || session.run(&launches),
    )?;
    let bytes = session.read(&y, bytes.len())?;
    let (words, _) = bytes.as_chunks();
    let mut results = words
        .iter()
        .map(|word| f32::from_ne_bytes(*word))
        .enumerate();
    // Small whole numbers: exact in any order.
    let sum = |i: usize| ROUNDS as f32 * input[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    Ok(json!({
        "build_seconds": program.build_seconds,
        "right": results.all(|(i, y)| y == sum(i)),
        "credible": timing.clock == Clock::Event,
    }))
}
