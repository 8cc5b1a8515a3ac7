//! Questions whose answer needs a driver: asked of a child process, which may
//! crash or hang over them.

use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, bail};
use common::device;
use common::device::icd::{ICD_VARIABLE, LIBRARY_VARIABLE};
use common::error::Error;
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Session};
use common::source::Source;
use dlopen2::raw::Library;
use serde::de::DeserializeOwned;
use serde_json::json;
use verify::element::Type;
use watchdog::Environment;

use super::devices::Listing;

/// A driver that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks a child of this program: its answer, or how it ended without one.
pub fn ask<Answer: DeserializeOwned + Send + 'static>(
    question: &[&str],
    environment: &Environment,
) -> Result<Answer, String> {
    let mut command = watchdog::this_program().map_err(|error| error.to_string())?;
    command.args(["doctor", "--probe"]).args(question);
    command.envs(environment);
    if environment.contains_key(ICD_VARIABLE) {
        // A library that is opened in the loader's place reads no ICD file.
        command.env_remove(LIBRARY_VARIABLE);
    }
    watchdog::ask(&mut command, PATIENCE, u64::MAX)
}

/// Has a child open a library: what is wrong, if it cannot. A library runs code of its
/// own when it is opened, and can crash.
pub fn opens(name: &str) -> Result<(), String> {
    ask(&["library", name], &Environment::new())?
}

/// The child's side of [`ask`].
pub fn answer(question: &[String]) -> Result<()> {
    let words: Vec<&str> = question.iter().map(String::as_str).collect();
    let answer = match words[..] {
        ["devices"] => json!(Listing::of_this_process()),
        ["library", name] => {
            let opened = Library::open(name).map_err(|error| error.to_string());
            // Left open: some drivers crash when they are unloaded.
            json!(opened.map(std::mem::forget))
        }
        ["kernel", index] => json!(trial(index.parse()?).map_err(|error| error.to_string())),
        _ => bail!("nobody asks {question:?}"),
    };
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}

const ITEMS: usize = 64;
const GROUP: usize = 16;
/// More than a 16-bit counter holds: some drivers end such loops early.
const ROUNDS: usize = 70_000;

/// What every lesson needs of a device, tried on the one of this number: a kernel is built, exchanges
/// values through local memory, and loops for long; its result is checked. What there is to say of
/// it, where that is right.
fn trial(index: usize) -> common::error::Result<String> {
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
