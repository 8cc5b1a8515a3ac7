//! Checking a kernel that has a task: the right result on a device, no fault in the simulator, and
//! the counts and the rate that its task asks for.

use std::{path::Path, thread};

use anyhow::{Result, anyhow};
use common::record::Record;
use common::source::{Line, Source};
use task::form::{Count, Form};
use task::sizes::{SEED, Sizes, in_words};
use watchdog::worker::Work;

use crate::judge::answer::{End, judge, out_of_stack, simulated, wrong_result};
use crate::judge::asked::{self, Asked, Case, How};
use crate::judge::observation::{Detection, Detector, Evidence, Observation, Seen};
use crate::trace::accesses::{Kind, Memory};
use crate::trace::{Model, figures::Figures, trace};
use crate::{judge::rates, launched::Wanted};

struct Exercise<'a> {
    task: &'a Form,
    how: &'a How,
    /// What `course trace` is called with.
    name: &'a str,
    /// A kernel that does all of it; none of a problem, which the learner launches, too.
    solution: Option<&'a Path>,
}

/// A case of this task, which has this number, at a size.
fn case((number, task): (usize, &Form), sizes: Sizes, seed: u64) -> Case {
    let says = format!("{}{}", in_words(&sizes), task.variant());
    Case { task: number, says, seed: Some(seed), ..Case::of(sizes) }
}

/// What the file lacks is said by the name of the kernel.
fn asked(tasks: Vec<Form>, cases: Vec<Case>) -> Asked {
    let only = Some(tasks[0].launch.function.clone()).filter(|name| !name.is_empty());
    Asked { only, tasks, cases, ..Asked::default() }
}

/// The worker that checks these tasks in these cases.
fn work(tasks: Vec<Form>, cases: Vec<Case>, how: &How) -> Result<Work> {
    let mut work = asked(tasks, cases).work()?;
    asked::flags(&mut work, how, false);
    Ok(work)
}

/// The worker that launches a task once, where it is counted.
///
/// # Errors
/// When this program cannot be found.
pub fn launch(task: &Form) -> Result<Work> {
    let task = task.last_variant();
    let cases = vec![case((0, &task), task.counted(), SEED)];
    asked(vec![task], cases).unchecked().work()
}

/// Whether a task's kernel does what is asked: what every check saw. `name` is what the learner
/// calls the task, and `solution` a kernel that does all of it in the same launch; a problem, whose
/// launch is the learner's, has none.
///
/// # Errors
/// When no process can be started, or a file not be read.
pub fn check(task: &Form, name: &str, solution: Option<&Path>, how: &How) -> Result<Seen> {
    let exercise = Exercise { task, how, name, solution };
    // Two processes, at the same time: a driver compiles while the simulator runs.
    let (seen, simulated) = thread::scope(|scope| {
        let simulate = || simulate(&exercise);
        if !common::host::gives_threads(1) {
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
        faults.retain(|seen| seen.detector != Detector::Simulated);
    }
    seen.observations.extend(faults);
    let source = Source::read(&task.kernel)?;
    seen.observations.extend(called(&task.without, &source));
    // Nothing is timed that is not right; and not while the simulator runs.
    let right = !seen.observations.iter().any(Observation::is_fault);
    seen.observations.extend(counts);
    if right {
        seen.observations.extend(speed(&exercise)?);
    }
    Ok(seen)
}

/// Who compares what the device computed, in all cases.
const ON_DEVICE: Detector = Detector::Result(String::new());

/// What came of the cases that are checked on a device: known ones, and what is new in this check. Of
/// a problem all is tried that is of any task file.
fn on_device(exercise: &Exercise) -> Result<Seen> {
    let Exercise { task, how, name, solution } = exercise;
    let (seed, tasks) = (how.seed, task.in_variants());
    let each = tasks.iter().enumerate().flat_map(|one| {
        let known = task.all_sizes().into_iter().map(|sizes| (sizes, SEED));
        let new = one.1.drawn(seed).into_iter().next().map(|sizes| (sizes, seed));
        known.chain(new).map(move |(sizes, seed)| case(one, sizes, seed))
    });
    let tries = solution.map_or_else(|| Case::tries(task, seed), |_| Vec::new());
    let tries = tries.into_iter().map(|one| {
        let words = one.origin.words().unwrap_or_default();
        Case { says: format!("{}, {words}", in_words(&one.sizes)), seed: Some(seed), ..one }
    });
    let cases: Vec<Case> = each.chain(tries).collect();
    let work = || work(tasks.clone(), cases.clone(), how);
    let ended = asked::on_device(work()?, how)?;
    let mut end = End::of(&ended);
    if end.is_crash() && asked::wants_stack(&work, how)? {
        end = End::Excused(out_of_stack());
    }
    let mut seen = judge(ON_DEVICE, &end, &ended.records);
    let mut status = ended.status;
    let mut records = ended.records.iter().zip(&cases);
    if let Some((wrong, case)) = records.find_map(|(one, case)| Some((one.wrong()?, case))) {
        // A kernel that wrote where it should not may bring the process down later on.
        status = 1;
        seen = wrong_result(ON_DEVICE, wrong);
        seen.says = format!("at {}: {}", case.says, seen.says);
        if case.seed != Some(SEED) || !task.all_sizes().contains(&case.sizes) {
            let next =
                format!("the same numbers again: cargo course exercise {name} --seed {seed}");
            seen.details.push(next.into());
        }
    } else if seen.is_silent() {
        let sizes: Vec<String> = task.all_sizes().iter().map(in_words).collect();
        seen.says = format!("right at {}", sizes.join(", "));
        if let Some(drawn) = task.drawn(seed).first() {
            seen.says += &format!(", and {} of seed {seed}", in_words(drawn));
        }
        if tasks.len() > 1 {
            seen.says += &format!(", each in {} variants", tasks.len());
        }
    }
    Ok(Seen { observations: vec![seen], status, message: end.message() })
}

/// A function that the task does without, in the first line that calls it.
fn called(without: &[String], source: &Source) -> Option<Observation> {
    let tokens = diagnostics::tokens::Tokens::of(&source.text);
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
    let ended = asked::timed(&task, &sizes, exercise.how)?;
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
fn speed(exercise: &Exercise) -> Result<Option<Observation>> {
    if exercise.task.at_least.is_empty() {
        return Ok(None);
    }
    if exercise.how.no_timing {
        return Ok(Some(rates::not_judged("--no-timing")));
    }
    let seen = rate(exercise, &exercise.task.kernel)?;
    if let (Detection::Fault, Some(solution)) = (seen.outcome, exercise.solution) {
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

/// What the simulator sees: faults, or that there are none, in one line, or that nobody looked; and
/// counts beside what is asked for, none where something is wrong.
fn simulate(exercise: &Exercise) -> Result<(Vec<Observation>, Vec<Observation>)> {
    let tasks = exercise.task.in_variants();
    let all = || tasks.iter().enumerate();
    let mut cases: Vec<Case> = all().map(|one| case(one, one.1.small(), SEED)).collect();
    let last = all().next_back().filter(|(_, last)| last.counted() != last.small());
    cases.extend(last.map(|last| case(last, last.1.counted(), SEED)));
    let work = work(tasks, cases, exercise.how)?;
    let (records, mut seen) = simulated(work, exercise.how, &exercise.task.kernel)?;
    let result = seen.remove(0);
    // Of a reference the device has said whether the result is right.
    let is_sound = matches!(result.outcome, Detection::Silent | Detection::NotJudged);
    seen.retain(|one| if is_sound { !one.is_silent() } else { one.is_fault() });
    for fault in &mut seen {
        // The places say what to look at: two are enough.
        fault.details.retain(|detail| matches!(detail, Evidence::Line(_)));
        fault.details.truncate(2);
    }
    if !is_sound {
        seen.insert(0, result);
    }
    if !seen.is_empty() {
        return Ok((seen, Vec::new()));
    }
    let says = "no race, no access out of bounds, nothing read that was never written";
    let none = Observation::new(Detector::Oclgrind, Detection::Silent, says);
    Ok((vec![none], counts(exercise, records.last())?))
}

/// Counts beside what is asked for, of the kernel that ran last.
fn counts(exercise: &Exercise, ran: Option<&Record>) -> Result<Vec<Observation>> {
    let mut task = exercise.task.last_variant();
    if let Some(record) = ran {
        // The group that the kernel itself asks for, and the only kernel of its file.
        if task.launch.local.is_empty() {
            task.launch.local = record.group.iter().copied().map(Into::into).collect();
        }
        if task.launch.function.is_empty() {
            task.launch.function.clone_from(&record.kernel);
        }
    }
    let (size, targets) = task.targets()?;
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    let (kernel, source) = (task.launch.function.clone(), Some(task.kernel.clone()));
    let wanted = Wanted { kernel, source, ..Wanted::default() };
    let model = Model { widest: WIDEST, ..Model::default() };
    let (figures, [ran, all]) = match trace(&wanted, launch(&task)?, model) {
        Ok(traced) => (traced.figures, traced.launch.groups),
        Err(error) => {
            let why = format!("{error:#}");
            return Ok(vec![Observation::new(Detector::Counts, Detection::NotRun, why)]);
        }
    };
    let seen = |(count, most): (Count, f64)| {
        let (found, (_, unit)) = (come_to(count, &figures), count.words());
        let (outcome, says) = if count != Count::Barriers && !figures.images.is_empty() {
            (Detection::NotRun, "images are not counted".into())
        } else if found > most {
            (Detection::Fault, format!("{found}{unit} at {size}; too many: at most {most}"))
        } else if ran < all {
            let why = "groups were counted: too many accesses";
            (Detection::NotRun, format!("only {ran} of {all} {why}"))
        } else {
            (Detection::Silent, format!("{found}{unit} at {size}; at most {most}"))
        };
        let mut seen = Observation::new(Detector::Count(count), outcome, says);
        if seen.is_fault() && count != Count::Barriers {
            let trace = common::command::course(&format!("trace {}", exercise.name));
            seen.details.push(format!("each line's share: {trace}").into());
        }
        seen
    };
    Ok(targets.into_iter().map(seen).collect())
}

/// What a right kernel's counts are beside its task's `at-most`; `name` is what `course trace`
/// is called with.
pub fn counted(task: &Form, how: &How, name: &str) -> Result<Vec<Observation>> {
    if task.at_most.is_empty() {
        return Ok(Vec::new());
    }
    let (faults, counts) = simulate(&Exercise { task, how, name, solution: None })?;
    if !counts.is_empty() {
        return Ok(counts);
    }
    let why = faults.into_iter().find(|one| !one.is_silent());
    let why = why.map_or("nothing was counted".into(), |one| one.says);
    let says = format!("not judged: {why}");
    let seen = Observation::new(Detector::Counts, Detection::NotJudged, says);
    Ok(vec![seen])
}

/// Bytes of the widest access, double16: targets are told of the source's loads, however wide one is.
pub const WIDEST: u64 = 128;

/// Bytes of a float and of an int.
const ELEMENT: u64 = 4;

/// What a launch came to, as it was traced.
fn come_to(count: Count, figures: &Figures) -> f64 {
    use Count::*;
    use Memory::{Global, Local};
    let elements = |kind, memory| figures.moved(kind, memory).bytes_wanted / ELEMENT;
    let count = match count {
        GlobalLoads => elements(Kind::Load, Global),
        GlobalStores => elements(Kind::Store, Global),
        LocalLoads => elements(Kind::Load, Local),
        LocalStores => elements(Kind::Store, Local),
        LoadInstructions => figures.moved(Kind::Load, Global).accesses,
        StoreInstructions => figures.moved(Kind::Store, Global).accesses,
        // Of a group, and so of each of its items.
        Barriers => return figures.barriers as f64 / figures.groups.max(1) as f64,
        Sectors => figures.total(|_| true).sectors,
    };
    count as f64
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
