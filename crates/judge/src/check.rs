//! Is a kernel right? Its results on a device, at the sizes that its task says, at sizes that
//! nobody said, and with extreme numbers; and what a simulator sees of it. Each runs as a child
//! process, so that a crash or a hang is one more answer.

mod results;

use std::process::Command;

use anyhow::Result;
use common::Error;
use common::record::Record;
use common::simulator::GAVE_UP;
use common::source::Source;
use process::simulator::oclgrind;
use process::{Finished, child_status};
use verify::element::Type;

use crate::answer::judge;
use crate::how::How;
use crate::observation::{Detection, Observation};
use crate::simulator;
use crate::subject::{By, Subject};
use crate::task::child::{self, Purpose, Run};
use crate::task::other::Other;
use crate::verdict::Verdict;
use task::drawn::drawn_size;
use task::file::TaskFile;
use task::sizes::{FEW, Sizes, in_words, product};

pub use results::{At, Results, Tried};

/// Where most faults of a product's indices show: three odd sides, none a multiple of a group's;
/// a long sum, which kernels take in pieces; and one that divides by nothing.
pub const SIZES: [&str; 3] = ["37x91x53", "5x6x1030", "65x63x17"];
/// For the simulator, which is slow: partial groups and tiles in every dimension,
/// several groups in two. K is below N, so that rows of the wrong width overlap.
pub const SIMULATED: &str = "17x35x19";
/// The same for what works on vectors, as lesson 2 does; the simulator takes the first.
pub const LENGTHS: [&str; 2] = ["1303", "7"];

/// Of a size that was drawn.
pub const DRAWN: &str = "drawn";

/// A lesson's exit status where there is nothing to run on.
pub const NO_DEVICE: u8 = 3;

/// A kernel, and how it is checked.
pub struct Check<'a> {
    /// The kernel, and who launches it.
    pub subject: &'a Subject,
    /// By which flags.
    pub how: &'a How,
    /// Type of its elements, where a lesson launches it.
    pub ty: Type,
    /// At which sizes; none of those that are known, and then at others.
    pub sizes: Option<Vec<Sizes>>,
    /// Whether it is timed where it is right.
    pub times: bool,
}

impl Check<'_> {
    /// The results on the device.
    pub fn results(&self) -> Result<Results> {
        let (known, mut untried) = (self.known()?, [None, None]);
        let more = match (&self.subject.by, &self.sizes) {
            (By::Task(task, ..), None) => self.more(task, &mut untried),
            _ => Vec::new(),
        };
        let count = known.len();
        let mut tried = self.tried(known.into_iter().chain(more).collect())?;
        let more = tried.split_off(count.min(tried.len()));
        let mut results = Results {
            tried,
            untried: Vec::new(),
        };
        if !more.is_empty() {
            take_in(more, untried, &mut results);
        }
        let record = results.tried.iter().flat_map(|one| &one.records).next();
        let uncompared = record.map(|record| record.uncompared.join(", "));
        let uncompared = uncompared.filter(|names| !names.is_empty());
        let told = |names| format!("Not compared: {names}, of which check says nothing.");
        results.untried.extend(uncompared.map(told));
        Ok(results)
    }

    /// What is asked for, else what the task says; of a lesson's kernel what shows most faults,
    /// and a size that is new.
    fn known(&self) -> Result<Vec<At>> {
        let at = |size| At {
            size,
            timed: true,
            ..At::default()
        };
        let task = match (&self.sizes, &self.subject.by) {
            (Some(sizes), _) => return Ok(sizes.iter().cloned().map(at).collect()),
            (None, By::Lesson(_)) if self.times => return Ok(vec![at(Sizes::new())]),
            (None, By::Lesson(_)) => {
                return self
                    .known_of_lesson()
                    .map_err(|why| Error::Usage(why).into());
            }
            (None, By::Task(task, ..)) => task,
        };
        // Where the task says a size at which it is timed, no other is.
        let own = task.all_sizes()?.into_iter().map(|size| At {
            timed: task.time.is_empty(),
            ..at(size)
        });
        let timed = Some(task.timed()).filter(|_| self.times && !task.time.is_empty());
        Ok(own.chain(timed.map(at)).collect())
    }

    fn known_of_lesson(&self) -> Result<Vec<At>, String> {
        let drawn = drawn_size(self.how.seed);
        let (known, new) = if self.subject.is_on_vectors() {
            (&LENGTHS[..], (drawn.m * drawn.n).to_string())
        } else {
            (&SIZES[..], drawn.to_string())
        };
        let known = known.iter().map(|words| (*words, None));
        let all = known.chain([(&*new, Some(DRAWN))]);
        let at = |(words, drawn)| {
            Ok(At {
                size: self.subject.of_lesson(words)?,
                drawn,
                ..At::default()
            })
        };
        all.map(at).collect()
    }

    /// What the task does not say: other sizes, and other numbers.
    fn more(&self, task: &TaskFile, untried: &mut [Option<String>; 2]) -> Vec<At> {
        let drawn = task.drawn(self.how.seed);
        let first = drawn.first().cloned().unwrap_or_else(|| task.small());
        if drawn.is_empty() && !task.size.is_empty() {
            let why = "No other size was tried: the task allows none near it.";
            untried[0] = Some(why.into());
        } else if !task.size.is_empty() && !task.takes_more() {
            let why = "No larger size was tried: the launch does not grow with the size.";
            untried[0] = Some(why.into());
        }
        let sizes = drawn.into_iter().map(|size| At {
            size,
            drawn: Some(DRAWN),
            ..At::default()
        });
        let others = Other::ALL.map(|(other, words)| At {
            size: first.clone(),
            drawn: Some(words),
            other: Some(other),
            ..At::default()
        });
        sizes.chain(others).collect()
    }

    /// Whether a kernel took the process down in which a simulator sees nothing wrong: PoCL dies
    /// of some that return before a barrier.
    fn is_of_driver(&self, at: &At, child: &Finished) -> Result<bool> {
        if !child.complaint().starts_with("the process died") {
            return Ok(false);
        }
        let seen = self.simulated_at(at)?;
        Ok(seen.iter().skip(1).any(Observation::is_silent)
            && !seen.iter().any(Observation::is_fault))
    }

    /// Runs it at all of these: a task in one process, which is begun anew behind a size that took
    /// it down; a lesson in one for each.
    fn tried(&self, mut left: Vec<At>) -> Result<Vec<Tried>> {
        let mut tried = Vec::new();
        while !left.is_empty() {
            let child = child::on_device(&mut self.command(&left)?, self.how)?;
            let mut records: Vec<Record> = child.records().collect();
            if let By::Task(..) = &self.subject.by {
                let ended = left.drain(..records.len().min(left.len()));
                tried.extend(ended.zip(records).map(|(at, record)| Tried {
                    at,
                    records: vec![record],
                    end: None,
                    is_of_driver: false,
                }));
                records = Vec::new();
                if left.is_empty() || child_status(child.status) <= 1 {
                    break;
                }
            }
            let at = left.remove(0);
            let one = Tried {
                is_of_driver: self.is_of_driver(&at, &child)?,
                at,
                records,
                end: Some(child),
            };
            let is_hopeless = one.is_hopeless();
            if one.at.drawn.is_none() {
                left.retain(|at| at.drawn.is_none());
            }
            tried.push(one);
            if is_hopeless {
                break;
            }
        }
        Ok(tried)
    }

    /// The program that checks it by a lesson's flags: a task at all of these, a lesson at the
    /// first.
    fn command(&self, all: &[At]) -> Result<Command> {
        let Subject { kernel, file, by } = self.subject;
        let mut command = match by {
            By::Lesson(lesson) => {
                let mut command = lesson.command()?;
                command.args(["--only", kernel, "--source"]).arg(file);
                let size = all.first().filter(|at| !at.size.is_empty());
                command.args(
                    size.iter()
                        .flat_map(|at| ["--size".into(), in_words(&at.size)]),
                );
                command
            }
            By::Task(task, ..) => {
                let runs = all.iter().map(|at| Run {
                    other: at.other,
                    is_try: at.drawn.is_some(),
                    timed: at.timed,
                    ..Run::of(task, at.size.clone())
                });
                child::command(runs.collect(), Purpose::Results)?
            }
        };
        let is_asked = self.times && !self.how.no_timing;
        let times = is_asked && all.iter().any(|at| at.timed);
        child::flags(&mut command, self.how, times).args(["--type", self.ty.name()]);
        Ok(command)
    }

    /// The first of the learner's own sizes that the simulator can do in a few seconds.
    pub fn small_size(&self) -> Option<&Sizes> {
        let mut own = self.sizes.iter().flatten();
        own.find(|size| product(size) <= FEW)
    }

    /// At which the simulator looks for faults, in the order in which they are tried.
    pub fn sizes_to_simulate(&self) -> Result<Vec<Sizes>> {
        Ok(match (self.small_size(), &self.subject.by) {
            (Some(small), _) => vec![small.clone()],
            (None, By::Task(task, ..)) => task.simulated(),
            (None, By::Lesson(_)) => {
                let size = if self.subject.is_on_vectors() {
                    LENGTHS[0]
                } else {
                    SIMULATED
                };
                vec![self.subject.of_lesson(size).map_err(Error::Usage)?]
            }
        })
    }

    /// What the simulator sees at a size: one answer for the result, one for each kind of fault.
    pub fn simulated(&self, size: &Sizes) -> Result<Vec<Observation>> {
        self.simulated_at(&At {
            size: size.clone(),
            ..At::default()
        })
    }

    fn simulated_at(&self, at: &At) -> Result<Vec<Observation>> {
        let Some(library) = oclgrind() else {
            return Ok(vec![simulator::missing()]);
        };
        let mut command = self.command(std::slice::from_ref(at))?;
        simulator::aim(&mut command, &library);
        let simulation = simulator::run(command)?;
        let mut result = judge("Oclgrind: result", &simulation.child);
        if simulation.log.contains(GAVE_UP) && result.is_fault() {
            result.outcome = Detection::Doubtful;
        }
        let text = Source::read(&self.subject.file).map_or(String::new(), |one| one.text);
        let mut sorted = simulator::sort(&simulation.log, &text);
        if child_status(simulation.child.status) > 1 {
            for one in sorted.iter_mut().filter(|one| one.is_silent()) {
                one.outcome = Detection::NotRun;
                one.says = "saw nothing, up to where it was ended".into();
            }
        }
        Ok([result].into_iter().chain(sorted).collect())
    }
}

/// Takes in what came of that: what could not be tried is nothing against the kernel, nor for
/// it.
fn take_in(tried: Vec<Tried>, mut untried: [Option<String>; 2], results: &mut Results) {
    let (mut right, mut late): (Option<Tried>, Vec<&str>) = (None, Vec::new());
    for one in tried {
        let untried = &mut untried[usize::from(one.at.other.is_some())];
        match (one.verdict(), one.at.other, &mut right) {
            (Verdict::Unlaunchable, Some(_), _) if one.is_too_long() => {
                late.extend(one.at.drawn);
            }
            (Verdict::Unlaunchable, Some(Other::Reversed), _) => (),
            (Verdict::Unlaunchable | Verdict::Undecided, other, _) => {
                let what = match other {
                    Some(_) => "No other numbers were tried".into(),
                    None => format!("Not tried: {}", in_words(&one.at.size)),
                };
                untried.get_or_insert(format!("{what}: {}.", one.why()));
            }
            (Verdict::Unchecked, Some(_), _) => (),
            // One is enough: at that size, or with such numbers.
            (Verdict::Wrong, Some(_), _) if results.is_wrong_at(&one.at.size) => (),
            (Verdict::Right, Some(_), None) => right = Some(one),
            (Verdict::Right, Some(_), Some(right)) => right.and(one),
            _ => results.tried.push(one),
        }
    }
    if right.is_some() || results.wrong().is_some() {
        untried[1] = None;
    }
    results.tried.extend(right);
    results.untried.extend(untried.into_iter().flatten());
    if !late.is_empty() {
        let told = format!("Not tried, since that took too long: {}.", late.join("; "));
        results.untried.push(told);
    }
}
