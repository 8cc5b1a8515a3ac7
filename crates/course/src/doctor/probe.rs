//! Questions whose answer needs a driver: asked of a child process, which may
//! crash or hang over them.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use anyhow::{Result, bail};
use common::device::{self, Candidate};
use serde_json::{Value, json};

use super::{kernel, library};

/// Variables of a child: with a value they are set, without one they are taken away.
pub type Environment = Vec<(OsString, Option<OsString>)>;

/// A driver that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks a child of this program: its answer, or how it ended without one.
pub fn ask(question: &[&str], environment: &Environment) -> Result<Value, String> {
    let child = std::env::current_exe().and_then(|this| {
        let mut command = Command::new(this);
        for (name, value) in environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .args(["doctor", "--probe"])
            .args(question)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    });
    let child = child.map_err(|error| format!("this program cannot be started again ({error})"))?;
    wait(child).map_err(|error| error.to_string())?
}

fn wait(mut child: Child) -> std::io::Result<Result<Value, String>> {
    let said = listen(child.stdout.take());
    let complained = listen(child.stderr.take());
    let in_time = said.recv_timeout(PATIENCE);
    let hangs = in_time.is_err();
    if hangs {
        // The pipes close with the child.
        child.kill()?;
    }
    let status = child.wait()?;
    let said = in_time.or_else(|_| said.recv()).unwrap_or_default();
    // Drivers print to standard output, too: the answer is the last line.
    let last = said.lines().last().unwrap_or_default();
    Ok(match serde_json::from_str(last) {
        // Who has answered may stop for good at its end.
        Ok(answer) if hangs || status.success() => Ok(answer),
        _ if hangs => Err(format!("no answer after {} seconds", PATIENCE.as_secs())),
        _ => {
            let complaint = complained.recv().unwrap_or_default();
            let mut lines = complaint.lines().map(str::trim);
            let first = lines.find(|line| !line.is_empty());
            let first = first.map_or(String::new(), |line| format!(": {line}"));
            Err(format!("the process died ({status}){first}"))
        }
    })
}

/// All that a stream brings, when it has ended.
fn listen(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error counts; and perhaps nobody is interested any more.
        let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    heard
}

/// Has a child open a library: what is wrong, if it cannot. A library runs code of its
/// own when it is opened, and can crash.
pub fn opens(name: &str) -> Result<(), String> {
    let answer = ask(&["library", name], &Environment::new())?;
    match answer["wrong"].as_str() {
        Some(wrong) => Err(wrong.to_string()),
        None => Ok(()),
    }
}

/// The child's side of [`ask`].
pub fn answer(question: &[String]) -> Result<()> {
    let words: Vec<&str> = question.iter().map(String::as_str).collect();
    let answer = match words[..] {
        ["devices"] => devices(),
        ["library", name] => library::open(name),
        ["kernel", index] => kernel::check(index.parse()?),
        _ => bail!("nobody asks {question:?}"),
    };
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}

/// Every platform and device, which one a lesson would choose, and which libraries
/// were loaded to find them.
fn devices() -> Value {
    let listed = device::list();
    let platforms = device::platforms().into_iter().map(|(platform, devices)| {
        json!({ "name": platform.name, "version": platform.version, "devices": devices })
    });
    // Without a loader: the driver that OPENCL_DYLIB_PATH names in its place.
    let mut loaders = library::loaded(&["libopencl", "opencl.framework"]);
    if loaders.is_empty() {
        loaders = library::loaded(&["oclgrind", "intelocl", "pocl"]);
    }
    let error = listed.as_ref().err().map(ToString::to_string);
    let devices = listed.unwrap_or_default();
    let candidates: Vec<Candidate> = devices.iter().map(Candidate::from).collect();
    let chosen = device::choose(&candidates, None).ok();
    json!({
        "error": error,
        "chosen": chosen.map(|choice| choice.index),
        "devices": devices,
        "platforms": platforms.collect::<Vec<Value>>(),
        "loader_version": loaders.first().and_then(|path| library::loader_version(path)),
        "loaders": loaders,
    })
}
