//! Candidates are tried in a process of their own: one that crashes takes only
//! that process down, and one that hangs is ended with it. Both ends are here.
//!
//! The worker is this very lesson, started again. It reads a request a line and
//! answers with a line. It ends when nobody can send requests any more, even
//! while a kernel hangs.

use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use common::error::{Error, Result};
use common::record::Record;
use common::shape::Shape;
use common::simulator::LOG_VARIABLE;
use common::timing::Runs;
use lesson::Lesson;
use process::messages;
use serde::{Deserialize, Serialize};

use crate::log::Trial;
use crate::space::Point;

/// Set in a worker, to the shape of the problem.
const WORKER_VARIABLE: &str = "OPENCL_COURSE_TUNING_WORKER";

/// A candidate, and the seconds of one run of the best so far.
#[derive(Serialize, Deserialize)]
struct Request(Point, Option<f64>);

#[derive(Serialize, Deserialize)]
enum Answer {
    /// This device is open, the matrices are filled.
    Ready(String),
    Tried(Trial),
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
    // The main thread may be waiting for a kernel when nobody wants its answer any
    // more. Not an orderly exit, which would wait for the driver.
    let requests = messages(std::io::stdin(), || std::process::abort())?;
    lesson.size = Some(shape);
    let problem = &lesson.problem()?;
    // A kernel that prints must not spoil an answer.
    lesson.console.report.only_messages();
    let ready = Answer::Ready(lesson.session()?.device.label());
    lesson.console.report.message(&ready)?;
    for Request(point, best_seconds) in requests {
        let runs = Runs::Against(best_seconds.unwrap_or(f64::INFINITY));
        let task = point.task("", problem)?;
        let (trial, failure) = match lesson.measured(&task, Some(runs)) {
            Ok(record) => (trial(record), Ok(())),
            Err(Error::Build(log)) => (Trial::NotBuilt(first_line(&log)), Ok(())),
            Err(error) => (Trial::Crashed(error.to_string()), Err(error)),
        };
        lesson.forget_programs();
        lesson.console.report.message(&Answer::Tried(trial))?;
        failure?;
    }
    Ok(())
}

/// What a record says about its candidate. The fastest run counts: whatever
/// disturbs a run makes it slower, and five runs have no trustworthy median.
fn trial(record: Record) -> Trial {
    let fastest = record.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let gflops = record.shape().flop() / fastest / 1e9;
    let runs = record.seconds.len();
    match (record.failed, record.skipped) {
        (Some(wrong), _) => Trial::Wrong(first_line(&wrong)),
        (_, Some(reason)) => Trial::Refused(reason),
        _ => Trial::Right { gflops, runs },
    }
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
        let mut child = process::this_program()?
            .args(std::env::args_os().skip(1))
            .env_clear()
            .envs(process::environment_at_start())
            .env(WORKER_VARIABLE, shape)
            // A worker that is ended while PoCL writes its cache would damage it.
            .env(common::device::pocl::CACHE_VARIABLE, "0")
            // A simulator's reports on a candidate are none on a row of this process.
            .env_remove(LOG_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What compilers and drivers say about a candidate is not for the terminal.
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (requests, stdout) = pipes.expect("both were asked for");
        let answers = messages(stdout, || ())?;
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
                worker.end()?
            ))),
        }
    }

    /// Tries a candidate. While it waits, `waiting` is called a few times a second. Where the
    /// candidate crashed or hung, this was the worker's end.
    pub fn try_one(
        &mut self,
        point: &Point,
        best_seconds: Option<f64>,
        limit: Duration,
        mut waiting: impl FnMut() -> Result<()>,
    ) -> Result<Trial> {
        let request = serde_json::to_string(&Request(point.clone(), best_seconds));
        // A worker that died meanwhile is noticed below.
        let _ = writeln!(self.requests, "{}", request.map_err(std::io::Error::from)?);
        let begin = Instant::now();
        loop {
            match self.answers.recv_timeout(Duration::from_millis(250)) {
                Ok(Answer::Tried(trial)) => return Ok(trial),
                Err(RecvTimeoutError::Disconnected) => return Ok(Trial::Crashed(self.end()?)),
                _ if begin.elapsed() > limit => {
                    let why = format!("no end after {:.0} s", limit.as_secs_f64());
                    return Ok(Trial::Hung(why));
                }
                _ => waiting()?,
            }
        }
    }

    /// Ends the process, if it has not ended by itself, and says how it ended.
    fn end(&mut self) -> Result<String> {
        self.child.kill()?;
        Ok(process::cause_of_death(self.child.wait()?))
    }
}

/// A worker that is still there when the search ends or fails, or whose candidate hangs.
impl Drop for Worker {
    fn drop(&mut self) {
        // It has ended already, or cannot be ended: nothing more to do.
        let _ = self.end();
    }
}
