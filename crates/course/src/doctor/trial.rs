//! What every lesson needs of a device, tried on it: a kernel is built, exchanges values through
//! local memory, and loops for long; its results and its times are checked.

use std::rc::Rc;

use common::device;
use common::error::{Error, Result};
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Session};
use common::source::Source;
use common::timing::{self, Clock, Runs};
use verify::element::Type;

use super::finding::{Finding, Topic};

const ITEMS: usize = 64;
const GROUP: usize = 16;
/// More than a 16-bit counter holds: some drivers end such loops early.
const ROUNDS: usize = 70_000;

/// What came of it, for the device of this number.
pub fn trial(index: usize) -> Finding {
    runs(index).unwrap_or_else(|error| {
        let says = format!("it cannot run a simple kernel: {error}");
        let finding = Topic::Devices.bad("", says);
        finding.next(error.mend().map(String::from))
    })
}

fn runs(index: usize) -> Result<Finding> {
    let device = device::list()?.into_iter().nth(index);
    let device = device.ok_or_else(|| Error::Usage(format!("there is no device {index}")))?;
    let about = format!("{}, driver {}", device.c_version, device.driver);
    let session = Session::open(device, Rc::new(()))?;
    let source = Source {
        path: "doctor.cl".into(),
        text: include_str!("kernel.cl").into(),
    };
    let options = program::options(Type::Float, &[]);
    let program = Program::build(&session, &source, &options, false)?;
    let range = NdRange::cover(&[ITEMS], &[GROUP]);
    let input: Vec<f32> = (0..ITEMS).map(|i| i as f32).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let x = session.upload(&bytes)?;
    let y = session.upload(&vec![0xff; bytes.len()])?;
    let [from, to] = [&x, &y].map(|buffer| Arg::Buffer(buffer.clone()));
    let args = [Arg::int(ROUNDS as i32), from, to];
    let launches = [program.launch(&session, "trial", range, &args)?];
    let run = || session.run(&launches);
    let timing = timing::measure(Runs::Exactly(3), None, |_| Ok(()), run)?;
    // Small whole numbers: exact in any order.
    let sum = |i: usize| ROUNDS as f32 * input[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    let expected: Vec<u8> = (0..ITEMS).flat_map(|i| sum(i).to_ne_bytes()).collect();
    if session.read(&y, bytes.len())? != expected {
        let says = "it runs a simple kernel, and the result is wrong: do not trust it";
        return Ok(Topic::Devices.bad("", says));
    }
    let seconds = program.build_seconds;
    let says = format!("{about}. A kernel was built in {seconds:.2} s and is right");
    Ok(match timing.clock {
        Clock::Event => Topic::Devices.good("", says + ". Its event times are credible"),
        Clock::Wall => {
            let but = ". But its event times cannot be true: lessons take the wall clock";
            Topic::Devices.note("", says + but)
        }
    })
}
