//! The cases of an exercise's check: on a device, in a simulator, and where it is counted.

use anyhow::Result;
use task::cases::SEED;
use task::form::Form;
use task::sizes::{Sizes, in_words};
use watchdog::worker::Work;

use crate::judge::task::asked::{Asked, Case, Purpose};

/// A case of this task, which has this number, at a size.
fn case((number, task): (usize, &Form), sizes: Sizes, seed: u64) -> Case {
    Case {
        task: number,
        says: format!("{}{}", in_words(&sizes), task.variant()),
        seed: Some(seed),
        ..Case::of(sizes)
    }
}

fn asked(purpose: Purpose, tasks: Vec<Form>, cases: Vec<Case>) -> Asked {
    let function = tasks.first().map(|task| task.launch.function.clone());
    Asked {
        purpose,
        // What the file lacks is said by its name.
        only: function.filter(|name| !name.is_empty()),
        tasks,
        cases,
    }
}

/// Those that are checked on a device; `seed` is what is new in this check. Of a problem all is tried
/// that is of any task file.
pub(super) fn results(task: &Form, seed: u64, is_problem: bool) -> Asked {
    let sizes = task.all_sizes();
    let tasks = task.in_variants();
    let all = tasks.iter().enumerate();
    let known = all.clone().flat_map(|one| {
        let sizes = sizes.iter();
        sizes.map(move |size| case(one, size.clone(), SEED))
    });
    let new = all.filter_map(|one| Some(case(one, one.1.drawn(seed).into_iter().next()?, seed)));
    let tries = is_problem.then(|| Case::tries(task, seed)).into_iter();
    let tries = tries.flatten().map(|one| Case {
        says: one
            .origin
            .words()
            .map_or(String::new(), |words| format!("{}, {words}", in_words(&one.sizes))),
        seed: Some(seed),
        ..one
    });
    let cases = known.chain(new).chain(tries).collect();
    asked(Purpose::Results, tasks, cases)
}

/// Those in which a simulator looks for faults; counts are those of the last one.
pub(super) fn faults(task: &Form) -> Asked {
    let tasks = task.in_variants();
    let mut all = tasks.iter().enumerate();
    let small = all.clone().map(|one| case(one, one.1.small(), SEED));
    let counted = all.next_back().filter(|(_, one)| one.counted() != one.small());
    let counted = counted.map(|one| case(one, one.1.counted(), SEED));
    let cases = small.chain(counted).collect();
    asked(Purpose::Results, tasks, cases)
}

/// The worker that launches a task once, where it is counted.
pub fn launch(task: &Form) -> Result<Work> {
    let task = task.last_variant();
    let cases = vec![case((0, &task), task.counted(), SEED)];
    asked(Purpose::Launch, vec![task], cases).work()
}
