//! Candidates are tried in a process of their own: one that crashes takes only
//! that process down, and one that hangs is ended with it. Both ends are here.
//!
//! The worker is this very lesson, started again. It reads a request a line and
//! answers with a line. It ends when nobody can send requests any more, even
//! while a kernel hangs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use common::error::{Error, Result};
use common::record::Record;
use common::shape::Shape;
use common::timing::Runs;
use runner::Lesson;
use serde::{Deserialize, Serialize};

use crate::point::Point;
use crate::search::Outcome;

/// Set in a worker, to the shape of the problem.
const WORKER_VARIABLE: &str = "OPENCL_COURSE_TUNING_WORKER";

#[derive(Serialize, Deserialize)]
struct Request {
    point: String,
    /// Seconds of one run of the best so far.
    best_seconds: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// This device is open, the matrices are filled.
    Ready(String),
    Tried(Outcome),
}

/// In a worker, the shape of its problem.
pub fn problem_of_worker() -> Option<Shape> {
    serde_json::from_str(&std::env::var(WORKER_VARIABLE).ok()?).ok()
}

/// The worker's side: tries candidates until there are no more requests.
///
/// # Errors
/// When the device fails: a new worker must be started then, because after that
/// nothing that this one measures can be trusted.
pub fn serve(lesson: &mut Lesson, shape: Shape) -> Result<()> {
    let requests = requests();
    lesson.set_size(shape);
    let problem = &lesson.problem()?;
    answer(&Answer::Ready(lesson.session()?.device.label()))?;
    for request in requests {
        let Ok(point) = request.point.parse::<Point>() else {
            continue;
        };
        let runs = Runs::Against(request.best_seconds.unwrap_or(f64::INFINITY));
        let outcome = match lesson.measured(&point.step(""), problem, Some(runs)) {
            Ok(record) => outcome(record),
            Err(Error::Build(log)) => Outcome::NotBuilt(first_line(&log)),
            Err(error) => {
                answer(&Answer::Tried(Outcome::Crashed(error.to_string())))?;
                return Err(error);
            }
        };
        lesson.forget_programs();
        answer(&Answer::Tried(outcome))?;
    }
    Ok(())
}

/// What a record says about its candidate. The fastest run counts: whatever
/// disturbs a run makes it slower, and five runs have no trustworthy median.
fn outcome(record: Record) -> Outcome {
    let fastest = record.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let flop = record.shape().flop();
    match (record.failed, record.skipped) {
        (Some(wrong), _) => Outcome::Wrong(first_line(&wrong)),
        (_, Some(reason)) => Outcome::Refused(reason),
        _ => Outcome::Right {
            gflops: flop / fastest / 1e9,
            runs: record.seconds.len(),
        },
    }
}

/// Requests as they come. They are read by a thread, which ends the process when
/// the other side has gone away: the main one may be waiting for a kernel.
fn requests() -> Receiver<Request> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(|line| line.ok()) {
            if let Ok(request) = serde_json::from_str(&line) {
                // The receiver lives as long as the process.
                let _ = sender.send(request);
            }
        }
        // Not an orderly exit, which would wait for the driver.
        std::process::abort();
    });
    receiver
}

fn answer(answer: &Answer) -> Result<()> {
    let line = serde_json::to_string(answer).map_err(std::io::Error::from)?;
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

/// The other side of a running worker.
pub struct Worker {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Answer>,
}

impl Worker {
    /// Starts one, and waits until it has opened the device of this label and filled
    /// its matrices.
    ///
    /// # Errors
    /// When it cannot be started, dies at once, or gets another device.
    pub fn start(shape: Shape, device: &str, limit: Duration) -> Result<Worker> {
        let shape = serde_json::to_string(&shape).map_err(std::io::Error::from)?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env_clear()
            .envs(supervise::environment_at_start())
            .env(WORKER_VARIABLE, shape)
            // A worker that is ended while PoCL writes its cache would damage it.
            .env(supervise::CACHE_VARIABLE, "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What compilers and drivers say about a candidate is not for the terminal.
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(requests), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Died("a worker has no pipes".into()));
        };
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            // A kernel may print, too: what is no answer is passed over.
            let lines = BufReader::new(stdout).split(b'\n').map_while(|l| l.ok());
            for answer in lines.filter_map(|line| serde_json::from_slice(&line).ok()) {
                // The other end lives as long as the worker does.
                let _ = sender.send(answer);
            }
        });
        let mut worker = Worker {
            child,
            requests,
            answers,
        };
        match worker.answers.recv_timeout(limit) {
            Ok(Answer::Ready(opened)) if opened == device => Ok(worker),
            // A search on another device would find the best for that one.
            Ok(Answer::Ready(opened)) => Err(Error::Usage(format!(
                "the process that tries candidates gets {opened}, not {device}; \
                 name the device with --device, and look at cargo run -- doctor"
            ))),
            _ => Err(Error::Died(format!(
                "the process that tries candidates does not start: {}",
                supervise::cause_of_death(worker.end()?)
            ))),
        }
    }

    /// Tries a candidate; `None` for the worker where this was its end. While it
    /// waits, `waiting` is called a few times a second.
    ///
    /// # Errors
    /// Those of `waiting`.
    pub fn try_one(
        mut self,
        point: &Point,
        best_seconds: Option<f64>,
        limit: Duration,
        mut waiting: impl FnMut() -> Result<()>,
    ) -> Result<(Option<Worker>, Outcome)> {
        let request = Request {
            point: point.to_string(),
            best_seconds,
        };
        let line = serde_json::to_string(&request).map_err(std::io::Error::from)?;
        // A worker that died meanwhile is noticed below.
        let _ = writeln!(self.requests, "{line}");
        let begin = Instant::now();
        loop {
            match self.answers.recv_timeout(Duration::from_millis(250)) {
                Ok(Answer::Ready(_)) => {}
                Ok(Answer::Tried(crashed @ Outcome::Crashed(_))) => {
                    self.end()?;
                    return Ok((None, crashed));
                }
                Ok(Answer::Tried(outcome)) => return Ok((Some(self), outcome)),
                Err(RecvTimeoutError::Disconnected) => {
                    let died = supervise::cause_of_death(self.end()?);
                    return Ok((None, Outcome::Crashed(died)));
                }
                Err(RecvTimeoutError::Timeout) if begin.elapsed() > limit => {
                    self.end()?;
                    let after = format!("no end after {:.0} s", limit.as_secs_f64());
                    return Ok((None, Outcome::Hung(after)));
                }
                Err(RecvTimeoutError::Timeout) => waiting()?,
            }
        }
    }

    /// Ends the process, if it has not ended by itself.
    fn end(&mut self) -> Result<ExitStatus> {
        self.child.kill()?;
        Ok(self.child.wait()?)
    }
}

/// A worker that is still there when the search ends, or fails.
impl Drop for Worker {
    fn drop(&mut self) {
        // It has ended already, or cannot be ended: nothing more to do.
        let _ = self.end();
    }
}
