//! What the simulator has to say of a kernel: faults, each with its lines, and counts.

use anyhow::Result;
use common::command;
use common::record::Record;
use task::cases::Count;
use task::cases::SEED;
use task::form::Form;

use super::{Exercise, case, launch};
use crate::device::Model;
use crate::judge::{Case, Detection, Detector, Evidence, How, Observation, Part, simulator};
use crate::launched::Wanted;
use crate::trace::accesses::{Kind, Memory};
use crate::trace::figures::Figures;
use crate::trace::trace;

/// What the simulator saw: faults, or that there are none, or that nobody looked; and
/// counts beside what is asked for, none where something is wrong.
pub type Simulated = (Vec<Observation>, Vec<Observation>);

/// Runs the kernel in the simulator. Nothing against it is said in one line; what cannot be
/// looked for, too.
pub fn simulate(exercise: &Exercise) -> Result<Simulated> {
    let tasks = exercise.task.in_variants();
    let all = || tasks.iter().enumerate();
    let mut cases: Vec<Case> = all().map(|one| case(one, one.1.small(), SEED)).collect();
    let last = all().next_back().filter(|(_, last)| last.counted() != last.small());
    cases.extend(last.map(|last| case(last, last.1.counted(), SEED)));
    let work = exercise.work(tasks, cases)?;
    let (records, mut seen) = simulator::look(work, exercise.how, &exercise.task.kernel)?;
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
    let none = Observation::new(Detector::Oclgrind(Part::All), Detection::Silent, says);
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
    let traced = match trace(&wanted, launch(&task)?, model) {
        Ok(traced) => traced,
        Err(error) => {
            let why = format!("{error:#}");
            return Ok(vec![Observation::new(Detector::Counts, Detection::NotRun, why)]);
        }
    };
    let (figures, [ran, all]) = (traced.figures, traced.launch.groups);
    let seen = |(count, most): (Count, f64)| {
        let (found, (_, unit)) = (come_to(count, &figures), count.words());
        let (outcome, says) = if count.is_of_memory() && !figures.images.is_empty() {
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
        if seen.is_fault() && count.is_of_memory() {
            let trace = command::course(&format!("trace {}", exercise.name));
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
    let (faults, counts) = simulate(&Exercise { task, how, name, is_problem: false })?;
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
        Barriers => return figures.barriers_of_a_group(),
        Sectors => figures.total(|_| true).sectors,
    };
    count as f64
}
