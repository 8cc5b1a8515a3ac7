//! What the simulator has to say of a kernel: faults, each with its lines, and counts.

use anyhow::Result;
use common::command;
use task::cases::Count;
use task::cases::SEED;
use task::form::Form;

use super::{Exercise, case, launch};
use crate::device::Model;
use crate::judge::asked::Case;
use crate::judge::how::How;
use crate::judge::observation::{Detection, Detector, Evidence, Observation, Part};
use crate::judge::simulator;
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
    let counted = all().next_back().filter(|(_, last)| last.counted() != last.small());
    cases.extend(counted.map(|last| case(last, last.1.counted(), SEED)));
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
    } else if seen.is_empty() {
        let says = "no race, no access out of bounds, nothing read that was never written";
        let all = Detector::Oclgrind(Part::All);
        seen.push(Observation::new(all, Detection::Silent, says));
    }
    let mut task = exercise.task.last_variant();
    if let Some(record) = records.last() {
        // The group that the kernel itself asks for, and the only kernel of its file.
        if task.launch.local.is_empty() {
            task.launch.local = record.group.iter().copied().map(Into::into).collect();
        }
        if task.launch.function.is_empty() {
            task.launch.function.clone_from(&record.kernel);
        }
    }
    let (size, targets) = task.targets()?;
    if targets.is_empty() || seen.iter().any(|one| !one.is_silent()) {
        return Ok((seen, Vec::new()));
    }
    let (figures, [ran, all]) = match figures(&task) {
        Ok(counted) => counted,
        Err(error) => {
            let why = Observation::new(Detector::Counts, Detection::NotRun, format!("{error:#}"));
            return Ok((seen, vec![why]));
        }
    };
    let targets = targets.into_iter().map(|(count, most)| {
        if !figures.images.is_empty() && count.is_of_memory() {
            let says = "images are not counted";
            return Observation::new(Detector::Count(count), Detection::NotRun, says);
        }
        let mut seen = compare(count, come_to(count, &figures), most, &size);
        if seen.is_silent() && ran < all {
            let says = format!("only {ran} of {all} groups were counted: too many accesses");
            seen = Observation::new(seen.detector, Detection::NotRun, says);
        }
        if seen.is_fault() && count.is_of_memory() {
            let trace = command::course(&format!("trace {}", exercise.name));
            let next = format!("each line's share: {trace}");
            seen.details.push(next.into());
        }
        seen
    });
    Ok((seen, targets.collect()))
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

/// What the kernel asks of memory, as `course trace` counts it; how many of its groups were
/// counted, and how many there are.
fn figures(task: &Form) -> Result<(Figures, [u64; 2])> {
    let wanted = Wanted {
        kernel: task.launch.function.clone(),
        source: Some(task.kernel.clone()),
        ..Wanted::default()
    };
    let model = Model { widest: WIDEST, ..Model::default() };
    let traced = trace(&wanted, launch(task)?, model)?;
    Ok((traced.figures, traced.launch.groups))
}

fn compare(count: Count, found: f64, most: f64, size: &str) -> Observation {
    let (_, unit) = count.words();
    let (outcome, comment) = match found <= most {
        true => (Detection::Silent, "at most"),
        false => (Detection::Fault, "too many: at most"),
    };
    let says = format!("{found}{unit} at {size}; {comment} {most}");
    Observation::new(Detector::Count(count), outcome, says)
}

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
        Sectors => figures.sectors(),
    };
    count as f64
}
