//! This system and its tools; the way from a program to a driver: variables, ICD files, platforms,
//! devices, and what each device does with a kernel. What needs a driver is asked of a child process,
//! which may crash or hang over it.

use std::path::{Path, PathBuf};
use std::{fs, io::Write, rc::Rc, time::Duration};

use anyhow::{Result, bail};
use common::device::drivers::{self, ICD_VARIABLE, LIBRARY_VARIABLE};
use common::device::{self, DEVICE_VARIABLE, Device, Kind, LLVMPIPE};
use common::session::{Arg, Session};
use common::{command, error::Error, failure::Told, host::variable};
use common::{ndrange::NdRange, program, source::Source};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use verify::{element::Type, numbers::count};
use watchdog::machine::{self, as_root, install, on_path};
use watchdog::{Environment, scratch::Scratch, simulator::oclgrind};

use super::Health::{Bad, Good, Note};
use super::{Finding, Topic};

/// Variables that change which devices there are, or how they behave, each with what it does.
const VARIABLES: &str = include_str!("variables.txt");

/// Those that are set, and whether there is what they name.
pub fn variables() -> Vec<Finding> {
    let lines = VARIABLES.lines().filter_map(|line| line.split_once("  "));
    let set = lines.filter_map(|(name, purpose)| {
        let value = variable(name)?.to_string_lossy().into_owned();
        let says = format!("{value}; {purpose}");
        Some(match missing(name, &value) {
            None => Good.of(Topic::Environment, name, says),
            Some(wrong) => {
                let finding = Bad.of(Topic::Environment, name, format!("{says}, but {wrong}"));
                finding.next(format!("unset {name}"))
            }
        })
    });
    set.collect()
}

/// What is wrong with the folder or the libraries that a variable names: who reads it says nothing.
fn missing(name: &str, value: &str) -> Option<String> {
    let fails = |library: &str| {
        let error = opens(library).err()?;
        Some(format!("it does not open ({error})"))
    };
    match name {
        ICD_VARIABLE if drivers::named_library().is_some() => fails(value),
        ICD_VARIABLE => (!drivers::icd_place().exists()).then(|| "it is not there".into()),
        // The first that opens is taken.
        LIBRARY_VARIABLE => {
            let errors: Option<Vec<String>> = value.split(';').map(fails).collect();
            errors?.pop()
        }
        "OCL_ICD_FILENAMES" | "OPENCL_LAYERS" => value.split(':').find_map(fails),
        _ => None,
    }
}

/// Every ICD file: whether it names a library, whether that opens, and which platforms it brings.
pub fn icd_files() -> Vec<Finding> {
    let finding = |file: &PathBuf| {
        let name = file.display().to_string();
        let brings = brings(file, &name);
        brings
            .unwrap_or_else(|wrong| Bad.of(Topic::Drivers, &name, wrong.happened).next(wrong.next))
    };
    drivers::icd_files().iter().map(finding).collect()
}

/// Which platforms a file brings, when the loader is told of it alone; else what is wrong with it.
fn brings(file: &Path, name: &str) -> Result<Finding, Told> {
    let word = command::word(file);
    let wrong = |why: String| {
        // What a package has put there is not to be taken away by hand.
        let mend = match file.starts_with("/etc/OpenCL/vendors") {
            true => command::setup(""),
            false => as_root(&format!("rm {word}")),
        };
        Told::new(why, Some(&mend))
    };
    let text = fs::read(file).map_err(|error| wrong(format!("cannot be read ({error})")))?;
    let text = String::from_utf8_lossy(&text);
    // The loader takes all before the end of the line for the name.
    let library = text.trim_end_matches('\n');
    let shown = diagnostics::terminal::wrap::cut(library.lines().next().unwrap_or_default(), 60);
    if library.contains('\r') {
        let why = "holds a carriage return (\\r), as editors on Windows write it, which the loader \
                   takes for a part of the library's name";
        let mend = as_root(&format!("sed -i 's/\\r//' {word}"));
        return Err(Told::new(why, Some(&mend)));
    }
    if library.is_empty() {
        return Err(wrong("names no library".into()));
    }
    opens(library)
        .map_err(|error| wrong(format!("names {shown}, which does not open ({error})")))?;
    let Ok(folder) = Scratch::new() else {
        let says = format!("names {shown}; to try it alone takes a temporary folder");
        return Ok(Note.of(Topic::Drivers, name, says));
    };
    let copy = folder.0.join(file.file_name().unwrap_or_default());
    fs::copy(file, copy).map_err(|error| wrong(format!("cannot be copied ({error})")))?;
    let place = Environment::from([(ICD_VARIABLE, folder.0.clone().into())]);
    let listing = ask::<Listing>(&["devices"], &place);
    let listing = listing.map_err(|how| wrong(format!("names {shown}, which fails: {how}")))?;
    Ok(match &listing.platforms[..] {
        [] => {
            let why = "no platform: it is no OpenCL driver, has no hardware, or there is no loader";
            Note.of(Topic::Drivers, name, format!("{shown} opens, but brings {why}"))
        }
        all => Good.of(Topic::Drivers, name, format!("{shown} brings {}", all.join(", "))),
    })
}

/// The machine itself, and the folder that lessons and compilers write to at every run.
pub fn system() -> [Finding; 2] {
    let manager = machine::manager().unwrap_or("no package manager that ./setup knows");
    let system = format!("{}, {manager}, {}", std::env::consts::OS, machine::host());
    let folder = std::env::temp_dir();
    let what = format!("temporary folder {}", folder.display());
    let is_named = std::env::var_os("TMPDIR").is_some();
    let mend = ["export TMPDIR=$HOME", "unset TMPDIR"][usize::from(is_named)];
    let folder = match drivers::can_write(&folder) {
        Ok(()) => Good.of(Topic::System, what, "can be written"),
        Err(error) => {
            let says = format!("cannot be written ({error}); lessons and compilers need it");
            Bad.of(Topic::System, what, says).next(mend.to_string())
        }
    };
    [Good.of(Topic::System, "system", system), folder]
}

/// Commands that something of the course uses.
pub fn optional() -> [Finding; 4] {
    #[rustfmt::skip]
    let tools = [
        ("linker", on_path("ld"), Bad, install("linker"), "ld is not here; PoCL calls it for every kernel, and aborts without it"),
        ("Oclgrind", oclgrind(), Note, install("oclgrind"), "not here; it simulates a device: names races, accesses out of bounds, values never written"),
        // No package has it.
        ("trace plugin", Some(inspect::trace::plugin_path()).filter(|path| path.is_file()), Note, Some(command::setup("--full")), "not built; by it Oclgrind counts what a kernel asks of memory"),
        ("clinfo", on_path("clinfo"), Note, install("clinfo"), "not here; it lists every property of every device"),
    ];
    tools.map(|(name, place, absent, mend, why)| match place {
        Some(place) => Good.of(Topic::Tools, name, place.display().to_string()),
        None => absent.of(Topic::Tools, name, why).next(mend),
    })
}

/// What a process finds that looks for devices.
#[derive(Default, Deserialize, Serialize)]
pub struct Listing {
    /// What each brings.
    pub platforms: Vec<String>,
    /// What there is to say without a trial.
    pub findings: Vec<Finding>,
    /// Those that a lesson may take unasked, by their numbers.
    pub devices: Vec<(usize, String)>,
    /// The one that it would choose.
    pub chosen: Option<usize>,
}

impl Listing {
    pub fn of_this_process() -> Listing {
        let platforms = device::platforms();
        let listed = device::list();
        let devices = listed.as_deref().unwrap_or_default();
        let chosen = device::choose_as_told(devices, None);
        let error = listed.as_ref().err().or(chosen.as_ref().err());
        let idle = platforms.iter().filter(|(_, count)| *count == 0);
        let idle = idle.map(|(platform, _)| {
            let what = format!("platform {}", platform.name);
            // Most of these are harmless, but not those whose hardware is here.
            if let Some(cause) = drivers::hidden(&platform.name) {
                return Bad.of(Topic::Devices, what, cause.happened).next(cause.next);
            }
            let says = "no device: its hardware is not here, not named (RUSTICL_ENABLE), or not \
                        yours to use; harmless";
            Note.of(Topic::Devices, what, says)
        });
        let mut findings: Vec<Finding> = idle.collect();
        findings.extend(error.map(|error| {
            let (what, says, next) = match error {
                Error::Selector(told) => (DEVICE_VARIABLE, told.in_short().into(), &told.next),
                Error::NoDevice(told) => ("devices", error.to_string(), &told.next),
                _ => ("devices", error.to_string(), &None),
            };
            Bad.of(Topic::Devices, what, says).next(next.clone().unwrap_or(command::setup("")))
        }));
        let (doubted, taken): (Vec<&Device>, Vec<_>) =
            devices.iter().partition(|one| one.is_llvmpipe());
        let doubted = doubted.into_iter();
        findings.extend(doubted.map(|one| Note.of(Topic::Devices, one.label(), LLVMPIPE)));
        if devices.iter().all(|one| one.kind != Kind::Gpu) {
            // A GPU that no driver brings to OpenCL.
            let files = ["/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128"];
            let file = files.into_iter().find(|file| Path::new(file).exists());
            findings.extend(file.map(|file| {
                let says =
                    format!("is here ({file}), but without a driver: see docs/setting-up.md");
                Note.of(Topic::Devices, "a GPU", says)
            }));
        }
        let brings = platforms.iter().map(|(platform, devices)| {
            format!("{} ({})", platform.name, count(*devices, "device"))
        });
        Listing {
            platforms: brings.collect(),
            findings,
            chosen: chosen.ok().map(|choice| choice.index),
            devices: taken.iter().map(|one| (one.index, one.label())).collect(),
        }
    }
}

/// What a device does with a kernel. PoCL's cache is left alone: where a file of it is damaged, the
/// lesson that dies of it says so.
pub fn tried((index, label): &(usize, String), environment: &Environment) -> Finding {
    let mut environment = environment.clone();
    environment.insert(drivers::POCL_CACHE_VARIABLE, "0".into());
    let tried = ask(&["kernel", &index.to_string()], &environment);
    let what = format!("{index}  {label}");
    match tried.and_then(|told: Result<String, String>| told) {
        Ok(says) => Good.of(Topic::Devices, what, says),
        Err(why) => Bad.of(Topic::Devices, what, format!("a simple kernel does not run: {why}")),
    }
}

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
            let opened = dlopen2::raw::Library::open(name).map_err(|error| error.to_string());
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
    let program = program::Program::build(&session, &source, &options, false)?;
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
