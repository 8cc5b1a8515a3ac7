//! Questions whose answer needs a driver: asked of a child process, which may
//! crash or hang over them.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use common::device;
use serde_json::{Value, json};

use super::{kernel, library};

/// Variables of a child: with a value they are set, without one they are taken away.
pub type Environment = Vec<(OsString, Option<OsString>)>;

/// What came of a question.
pub enum Answer {
    /// The child's answer.
    Said(Value),
    /// How the child ended without one.
    Failed(String),
}

/// A driver that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks a child of this program.
pub fn ask(question: &[&str], environment: &Environment) -> Answer {
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
    match child {
        Ok(child) => wait(child),
        Err(error) => Answer::Failed(format!("this program cannot be started again ({error})")),
    }
}

fn wait(mut child: Child) -> Answer {
    let said = child.stdout.take().map(listen);
    let complained = child.stderr.take().map(listen);
    let begin = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Err(error) => return Answer::Failed(error.to_string()),
            Ok(None) if begin.elapsed() > PATIENCE => {
                // The pipes close with the child.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let heard = |stream: Option<JoinHandle<String>>| stream.and_then(|stream| stream.join().ok());
    let said = heard(said).unwrap_or_default();
    // Drivers print to standard output, too: the answer is the last line.
    let answer = said
        .lines()
        .last()
        .and_then(|line| serde_json::from_str(line).ok());
    match (answer, status) {
        // Who has answered may stop for good at its end.
        (Some(answer), None) => Answer::Said(answer),
        (Some(answer), Some(status)) if status.success() => Answer::Said(answer),
        (None, None) => Answer::Failed(format!("no answer after {} seconds", PATIENCE.as_secs())),
        (_, Some(status)) => Answer::Failed(death(
            &status.to_string(),
            &heard(complained).unwrap_or_default(),
        )),
    }
}

/// All that a stream brings.
fn listen(mut stream: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes); // What came before an error counts.
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// How a process ended, and the first thing that it said about it.
fn death(status: &str, complaint: &str) -> String {
    let first = complaint
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty());
    match first {
        Some(line) => format!("the process died ({status}): {line}"),
        None => format!("the process died ({status})"),
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

/// Every platform and device, and which libraries were loaded to find them.
fn devices() -> Value {
    let listed = device::list();
    let platforms: Vec<Value> = device::platforms()
        .into_iter()
        .map(|(platform, devices)| {
            json!({ "name": platform.name, "version": platform.version, "devices": devices })
        })
        .collect();
    // Without a loader: the driver that OPENCL_DYLIB_PATH names in its place.
    let mut loaders = library::loaded(&["libopencl", "opencl.framework"]);
    if loaders.is_empty() {
        loaders = library::loaded(&["oclgrind", "intelocl", "pocl"]);
    }
    json!({
        "error": listed.as_ref().err().map(ToString::to_string),
        "devices": listed.unwrap_or_default(),
        "platforms": platforms,
        "loader_version": loaders.first().and_then(|path| library::loader_version(path)),
        "loaders": loaders,
    })
}
