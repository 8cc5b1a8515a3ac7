//! Questions whose answer needs a driver: asked of a child process, which may
//! crash or hang over them.

use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, bail};
use common::Error;
use common::device;
use common::device::icd::{ICD_VARIABLE, LIBRARY_VARIABLE};
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Session};
use common::source::Source;
use common::timing::{self, Clock, Runs};
use dlopen2::raw::Library;
use serde_json::{Map, Value, json};
use verify::element::Type;
use watchdog::Environment;

/// A driver that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks a child of this program: its answer, or how it ended without one.
pub fn ask(question: &[&str], environment: &Environment) -> Result<Value, String> {
    let mut command = watchdog::this_program().map_err(|error| error.to_string())?;
    command.args(["doctor", "--probe"]).args(question);
    command.envs(environment.iter().cloned());
    if environment.iter().any(|(name, _)| *name == ICD_VARIABLE) {
        // A library that is opened in the loader's place reads no ICD file.
        command.env_remove(LIBRARY_VARIABLE);
    }
    // What a driver prints is no object.
    watchdog::ask::<Map<String, Value>>(&mut command, PATIENCE, u64::MAX).map(Value::Object)
}

/// Has a child open a library: what is wrong, if it cannot. A library runs code of its
/// own when it is opened, and can crash.
pub fn opens(name: &str) -> Result<(), String> {
    let answer = ask(&["library", name], &Environment::new())?;
    let wrong = answer["wrong"].as_str();
    wrong.map_or(Ok(()), |wrong| Err(wrong.to_string()))
}

/// The child's side of [`ask`].
pub fn answer(question: &[String]) -> Result<()> {
    let words: Vec<&str> = question.iter().map(String::as_str).collect();
    let answer = match words[..] {
        ["devices"] => devices(),
        ["library", name] => open(name),
        ["kernel", index] => kernel(index.parse()?)
            .unwrap_or_else(|error| json!({ "wrong": error.to_string(), "mend": error.mend() })),
        _ => bail!("nobody asks {question:?}"),
    };
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}

/// Every platform and device, and which one a lesson would choose.
fn devices() -> Value {
    let listed = device::list();
    let platforms = device::platforms()
        .into_iter()
        .map(|(platform, devices)| json!({ "name": platform.name, "devices": devices }));
    let platforms: Vec<Value> = platforms.collect();
    let devices = match listed {
        Ok(devices) => devices,
        Err(error) => {
            let (says, mend) = (error.to_string(), error.mend());
            let has_loader = device::has_loader();
            return json!({
                "error": says, "mend": mend, "platforms": platforms, "has_loader": has_loader,
            });
        }
    };
    let chosen = device::choose_as_told(&devices, None);
    let stale = match &chosen {
        Err(Error::Selector(why)) => why.lines().next(),
        _ => None,
    };
    let chosen = chosen.as_ref().ok().map(|choice| choice.index);
    json!({ "chosen": chosen, "stale": stale, "devices": devices, "platforms": platforms })
}

/// Opens a library, and says what is wrong if it cannot.
fn open(name: &str) -> Value {
    match Library::open(name) {
        Ok(library) => {
            // Left open: some drivers crash when they are unloaded.
            std::mem::forget(library);
            json!({})
        }
        // The dynamic linker's words, without those around them.
        Err(dlopen2::Error::OpeningLibraryError(error)) => json!({ "wrong": error.to_string() }),
        Err(error) => json!({ "wrong": error.to_string() }),
    }
}

/// What every lesson needs of a device, tried on it: a kernel is built, exchanges values through
/// local memory, and loops for long; its results and its times are checked.
const TEXT: &str = include_str!("kernel.cl");

const ITEMS: usize = 64;
const GROUP: usize = 16;
/// More than a 16-bit counter holds: some drivers end such loops early.
const ROUNDS: usize = 70_000;

/// What came of it, for the device of this number.
fn kernel(index: usize) -> common::Result<Value> {
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
    let [from, to] = [&x, &y].map(|buffer| Arg::Buffer(buffer.clone()));
    let args = [Arg::int(ROUNDS as i32), from, to];
    let launches = [program.launch(&session, "trial", range, &args)?];
    let run = || session.run(&launches);
    let timing = timing::measure(Runs::Exactly(3), None, |_| Ok(()), run)?;
    // Small whole numbers: exact in any order.
    let sum = |i: usize| ROUNDS as f32 * input[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    let expected: Vec<u8> = (0..ITEMS).flat_map(|i| sum(i).to_ne_bytes()).collect();
    Ok(json!({
        "build_seconds": program.build_seconds,
        "right": session.read(&y, bytes.len())? == expected,
        "credible": timing.clock == Clock::Event,
    }))
}
