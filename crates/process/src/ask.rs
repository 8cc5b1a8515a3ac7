//! Another process that answers in lines of JSON, and may crash or hang over what it is
//! asked.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde::de::DeserializeOwned;
use text::plain;

use crate::death::cause_of_death;

/// The messages that come through a pipe, read by a thread; `at_end` is called when the
/// other side has gone away. Drivers and kernels may print, too: what is no message is
/// passed over.
pub fn messages<Message: DeserializeOwned + Send + 'static>(
    pipe: impl Read + Send + 'static,
    at_end: impl FnOnce() + Send + 'static,
) -> io::Result<Receiver<Message>> {
    let (sender, messages) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let lines = BufReader::new(pipe)
            .split(b'\n')
            .map_while(|line| line.ok());
        for message in lines.filter_map(|line| serde_json::from_slice(&line).ok()) {
            // The receiver lives as long as anybody is interested.
            let _ = sender.send(message);
        }
        at_end();
    })?;
    Ok(messages)
}

/// The first message of a process, or how it ended without one. Then it is ended: nobody
/// awaits what its driver does at its own end.
pub fn ask<Answer: DeserializeOwned + Send + 'static>(
    command: &mut Command,
    patience: Duration,
) -> Result<Answer, String> {
    let failed = |error: io::Error| format!("it cannot be started ({error})");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let (Some(stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("it has no pipes".into());
    };
    let complaint = thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error counts.
        let _ = stderr.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let heard = complaint.and_then(|complaint| Ok((complaint, messages(stdout, || ())?)));
    let heard = heard.map(|(complaint, messages)| (complaint, messages.recv_timeout(patience)));
    // It may have ended already.
    let _ = child.kill();
    let status = child.wait().map_err(failed)?;
    let (complaint, answer) = heard.map_err(|error| format!("it cannot be heard ({error})"))?;
    answer.map_err(|why| match why {
        RecvTimeoutError::Timeout => format!("no answer after {} seconds", patience.as_secs()),
        RecvTimeoutError::Disconnected => {
            let complaint = plain(&complaint.join().unwrap_or_default());
            let mut lines = complaint.lines().map(str::trim);
            let first = lines.find(|line| !line.is_empty());
            let first = first.map_or(String::new(), |line| format!(": {line}"));
            format!("the process died ({}){first}", cause_of_death(status))
        }
    })
}
