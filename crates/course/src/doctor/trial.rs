//! What every lesson needs of a device, tried on it: a kernel is built, exchanges values through
//! local memory, and loops for long; its result is checked.

use std::rc::Rc;

use common::device;
use common::error::{Error, Result};
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Session};
use common::source::Source;
use verify::element::Type;

const ITEMS: usize = 64;
const GROUP: usize = 16;
/// More than a 16-bit counter holds: some drivers end such loops early.
const ROUNDS: usize = 70_000;

/// What there is to say of the device of this number, where it did all that right.
pub fn trial(index: usize) -> Result<String> {
    let device = device::list()?.into_iter().nth(index);
    let device = device.ok_or_else(|| Error::Usage(format!("there is no device {index}")))?;
    let about = format!("{}, driver {}", device.c_version, device.driver);
    let session = Session::open(device, Rc::new(()))?;
    let source = Source { path: "doctor.cl".into(), text: include_str!("kernel.cl").into() };
    let options = program::options(Type::Float, &[]);
    let program = Program::build(&session, &source, &options, false)?;
    let range = NdRange::cover(&[ITEMS], &[GROUP]);
    let input: Vec<f32> = (0..ITEMS).map(|i| i as f32).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let x = session.upload("x", &bytes)?;
    let y = session.upload("y", &vec![0xff; bytes.len()])?;
    let [from, to] = [&x, &y].map(|buffer| Arg::Buffer(buffer.clone()));
    let args = [Arg::int(ROUNDS as i32), from, to];
    let launches = [program.launch(&session, "trial", range, &args)?];
    session.run(&launches)?;
    // Small whole numbers: exact in any order.
    let sum = |i: usize| ROUNDS as f32 * input[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    let expected: Vec<u8> = (0..ITEMS).flat_map(|i| sum(i).to_ne_bytes()).collect();
    if session.read(&y)? != expected {
        return Err(Error::Wrong("its result is wrong: do not trust it".into()));
    }
    let seconds = program.build_seconds;
    Ok(format!("{about}. A kernel was built in {seconds:.2} s and is right"))
}
