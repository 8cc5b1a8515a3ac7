//! Checking a kernel that has a task: the right result on a device, no fault in the simulator, and
//! the counts and the rate that its task asks for. `runs` are those of a check, `simulated` what the
//! simulator has to say.

mod runs;
mod simulated;

use std::path::Path;
use std::thread;

use anyhow::{Result, anyhow};
use common::host;
use common::source::Source;
use diagnostics::tokens::Tokens;
use watchdog::simulator::Line;
use watchdog::worker::Work;

use crate::judge::answer::{End, judge, out_of_stack};
use crate::judge::how::{How, Seen};
use crate::judge::observation::{Detection, Detector, Evidence, Observation, Part};
use crate::judge::rates;
use crate::judge::task::asked::Asked;
use crate::judge::work;
use simulated::{first_wrong, simulate};
use task::form::Form;
use task::sizes::in_words;

pub use runs::launch;
pub use simulated::{WIDEST, counted};

/// What is checked.
pub(crate) struct Exercise<'a> {
    pub task: &'a Form,
    pub how: &'a How,
    /// What `course trace` is called with.
    pub name: &'a str,
    /// Whether the learner launches it, too.
    pub is_problem: bool,
}

impl Exercise<'_> {
    /// The worker that checks these.
    fn work(&self, asked: &Asked) -> Result<Work> {
        let mut work = asked.work()?;
        work::flags(&mut work, self.how, false);
        Ok(work)
    }
}

/// Whether a task's kernel does what is asked: what every check saw. `name` is what the learner
/// calls the task, and `solution` a kernel that does all of it in the same launch; a problem, whose
/// launch is the learner's, has none.
///
/// # Errors
/// When no process can be started, or a file not be read.
pub fn check(task: &Form, name: &str, solution: Option<&Path>, how: &How) -> Result<Seen> {
    let is_problem = solution.is_none();
    let exercise = Exercise { task, how, name, is_problem };
    // Two processes, at the same time: a driver compiles while the simulator runs.
    let (seen, simulated) = thread::scope(|scope| {
        let simulate = || simulate(&exercise);
        if !host::gives_threads(1) {
            return (on_device(&exercise), Ok(simulate()));
        }
        let simulated = scope.spawn(simulate);
        (on_device(&exercise), simulated.join())
    });
    let mut seen = seen?;
    let outcome = seen.observations[0].outcome;
    if outcome == Detection::NotRun || seen.status == 4 {
        return Ok(seen);
    }
    let (mut faults, counts) =
        simulated.map_err(|_| anyhow!("the simulator's thread panicked"))??;
    if outcome == Detection::Fault {
        // The same wrong result need not be told twice.
        faults.retain(|seen| seen.detector != Detector::Simulator(Part::Result));
    }
    seen.observations.extend(faults);
    let source = Source::read(&task.kernel)?;
    seen.observations.extend(called(&task.without, &source));
    // Nothing is timed that is not right; and not while the simulator runs.
    let mut all = seen.observations.iter();
    let right = all.all(|seen| !seen.is_fault());
    seen.observations.extend(counts);
    if right {
        seen.observations.extend(speed(&exercise, solution)?);
    }
    Ok(seen)
}

/// Who compares what the device computed, in all cases.
const ON_DEVICE: Detector = Detector::Result(String::new());

fn on_device(exercise: &Exercise) -> Result<Seen> {
    let Exercise { task, how, name, .. } = exercise;
    let seed = how.seed;
    let asked = runs::results(task, seed, exercise.is_problem);
    let work = || exercise.work(&asked);
    let ended = work::on_device(work()?, how)?;
    let mut end = End::of(&ended);
    if end.is_crash() && work::wants_stack(&work, how)? {
        end = End::Excused(out_of_stack());
    }
    let mut seen = judge(ON_DEVICE, &end, &ended.records);
    let mut status = ended.status;
    let drawn = task.drawn(seed).into_iter().next();
    if seen.is_silent() {
        let sizes: Vec<String> = task.all_sizes().iter().map(in_words).collect();
        seen.says = format!("right at {}", sizes.join(", "));
        if let Some(drawn) = &drawn {
            seen.says += &format!(", and {} of seed {seed}", in_words(drawn));
        }
        let launches = task.in_variants().len();
        if launches > 1 {
            seen.says += &format!(", each in {launches} variants");
        }
    } else if let Some((at, wrong)) = first_wrong(ON_DEVICE, &ended.records) {
        // A kernel that wrote where it should not may bring the process down later on.
        status = 1;
        seen = wrong;
        let case = &asked.cases[at];
        seen.says = format!("at {}: {}", case.says, seen.says);
        let is_new = drawn.is_some_and(|drawn| drawn == case.sizes);
        if is_new && !task.all_sizes().contains(&case.sizes) {
            let next =
                format!("the same numbers again: cargo course exercise {name} --seed {seed}");
            seen.details.push(next.into());
        }
    }
    Ok(Seen {
        observations: vec![seen],
        status,
        message: match end {
            End::Excused(_) => String::new(),
            end => end.told().to_string(),
        },
    })
}

/// A function that the task does without, in the first line that calls it.
fn called(without: &[String], source: &Source) -> Option<Observation> {
    let tokens = Tokens::of(&source.text);
    let is_meant = |i: &usize| without.iter().any(|name| name == tokens.text(*i));
    let at = tokens.all().find(is_meant)?;
    let number = source.text[..tokens.byte(at)].matches('\n').count();
    let line = source.text.lines().nth(number).unwrap_or_default().trim();
    let says = format!("it calls {}, which the task does without", tokens.text(at));
    let line = Evidence::Line(Line { number: number + 1, included: None, code: line.into() });
    Some(Observation::new(Detector::Task, Detection::Fault, says).with([line]))
}

/// The rate of a kernel file as a share of what the device does in the same run.
fn rate(exercise: &Exercise, file: &Path) -> Result<Observation> {
    let mut task = exercise.task.last_variant();
    task.kernel = file.into();
    let sizes = task.timed();
    let ended = work::timed(&task, &sizes, exercise.how)?;
    let end = End::of(&ended);
    let record = ended.records.first();
    let speed = record.and_then(|record| rates::speed(record, &sizes, &task));
    Ok(match (speed, judge(Detector::Speed, &end, &ended.records)) {
        (Some(speed), _) => speed.beside(&task.at_least),
        (None, _) if ended.status == 0 => {
            rates::not_judged("a simulator's times say nothing about a device")
        }
        // It died or hung, which is told as for any run.
        (None, seen) => seen,
    })
}

/// What is asked of the kernel's speed, if anything is. A kernel is too slow only where the
/// solution is not, on the same machine at the same time.
fn speed(exercise: &Exercise, solution: Option<&Path>) -> Result<Option<Observation>> {
    if exercise.task.at_least.is_empty() {
        return Ok(None);
    }
    if exercise.how.no_timing {
        return Ok(Some(rates::not_judged("--no-timing")));
    }
    let seen = rate(exercise, &exercise.task.kernel)?;
    if let (Detection::Fault, Some(solution)) = (seen.outcome, solution) {
        let best = rate(exercise, solution)?;
        if !best.is_silent() {
            let why = format!(
                "this device does not tell, the solution has {}; yours: {}",
                best.says, seen.says
            );
            return Ok(Some(rates::not_judged(&why)));
        }
    }
    Ok(Some(seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_the_task_does_without_is_seen_where_it_is_called() {
        let called = |text: &str| {
            let (path, text) = ("a.cl".into(), text.into());
            called(&["get_global_id".into()], &Source { path, text })
        };
        assert!(called("// without get_global_id\nint i = get_local_id(0);\n").is_none());
        let seen = called("// one\n\n    int i = get_global_id(0);\n").unwrap();
        assert_eq!(seen.details[0].to_string(), "line 3: int i = get_global_id(0);");
    }
}
