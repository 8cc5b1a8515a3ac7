//! Sets of somebody's own, and problems: a folder with a page and a task file is all that it
//! takes.

use std::fs;

use tests::{Oclgrind, is_due, pocl, program, read, scratch_folder, workspace};

use super::Learner;

const PAGE: &str = "# Twice\n\n```toml\nfunction = 'twice'\nsize = { n = 100 }\n\
    sizes = [{ n = 1 }]\nglobal = ['n']\nlocal = [32]\n\
    args = ['n', { name = 'x', in = 'n', fill = 'random' }, { name = 'y', out = 'n' }]\n\
    check = '2*x[i]'\nat-most = { global-loads = 'n' }\n```\n\nWrite twice x to y.\n\n\
    ## Hint 1\n\nOne.\n\n## Hint 2\n\nTwo.\n\n## Hint 3\n\nThree.\n\n## Why\n\nSo.\n";

fn kernel(line: &str) -> String {
    format!(
        "kernel void twice(int n, global const float *x, global float *y)\n{{\n    \
         const int i = get_global_id(0);\n    if (i < n)\n        {line}\n}}\n"
    )
}

#[test]
fn a_set_in_a_folder_is_played_with_hints_solution_and_progress() {
    let (Some(pocl), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let set = scratch_folder("set-of-mine");
    let first = set.join("1-twice");
    fs::create_dir_all(&first).expect("a folder");
    for (name, text) in [
        ("README.md", PAGE.to_string()),
        ("exercise.cl", kernel("y[i] = 0;")),
        ("solution.cl", kernel("y[i] = 2 * x[i];")),
    ] {
        fs::write(first.join(name), text).expect("written");
    }
    let own = std::env::temp_dir().join(format!("course-set-{}", std::process::id()));
    let play = |words: &str| {
        let course = program("course").env("OPENCL_COURSE_EXERCISES", &own);
        let course = course.args("exercise --from").arg(&set).args(words);
        course.on_the_chosen_driver()
    };
    let list = play("--list").run().ends_with(0);
    list.says(&["set-of-mine.1", "Twice"]);
    #[cfg(unix)]
    play("--watch").on_terminal(80, 24).sees("set-of-mine.1: not solved yet");
    play("1 --hint").run().ends_with(0).says(&["One."]);
    play("twice --solution").run().ends_with(0).says(&["y[i] = 2 * x[i];"]);
    let file = own.join("set-of-mine/1-twice.cl");
    let check = || play("twice").args(&pocl).run();
    check().ends_with(1).says(&["✗ result", "at n=100: 100 of 100", "not solved yet"]);
    fs::write(&file, kernel("y[i] = x[i] + x[i];")).expect("written");
    check().ends_with(1).says(&["right at n=100, n=1", "too many: at most 100"]);
    fs::write(&file, kernel("y[i] = 2 * x[i];")).expect("written");
    check().ends_with(0).says(&["set-of-mine.1: solved", "So."]);
    play("--list").run().says(&["✓ set-of-mine.1"]);
    let graded = program("course").args("grade --only twice --from");
    let graded = graded.arg(&set).arg(&own).args(&pocl).run().ends_with(0);
    graded.says(&["1 done  set-of-mine.1✓s\n"]);
    let _ = fs::remove_dir_all(own);
}

/// The first problem: empty it is wrong, and a solution, with its launch, is right.
#[test]
fn a_problem_begins_empty_and_the_launch_is_the_learners() {
    let (Some(pocl), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let learner = Learner::started("problem");
    let check = || learner.types("problem 1 --no-timing").args(&pocl).run();
    check().ends_with(1).says(&["Problem p1", "never written", "not solved yet"]);
    let from = workspace().join("exercises/problems/01-sum");
    let to = learner.0.join("problems/01-sum");
    fs::copy(from.join("solution-1.cl"), to.join("start.cl")).expect("a copy");
    check().ends_with(0).says(&["✓ result", "p1: solved"]);
    let task = to.join("task.toml");
    let text = read(&task);
    // What is right is not the learner's to say.
    fs::write(&task, text.replace("check  =", "check = '0'\n#")).expect("written");
    let zero = read(to.join("start.cl")).replace("out[0] = sum", "out[0] = 0 * sum");
    fs::write(to.join("start.cl"), zero).expect("written");
    check().ends_with(1).says(&["✗ result"]);
    fs::write(&task, text.replace("local  = [256]", "local  = [100000]")).expect("written");
    check().ends_with(4).says(&["not decided"]);
    let list = learner.types("problem --list").run().ends_with(0);
    list.says(&["p1", "p17"]);
}

/// The last solution of each problem, with its launch, solves it: what is asked can be done.
#[test]
fn every_problem_is_solved_by_its_last_solution() {
    let (Some(pocl), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let learner = Learner::started("problems");
    let all = workspace().join("exercises/problems");
    let folders = fs::read_dir(all).expect("problems").map(|one| one.expect("one").path());
    let mut folders: Vec<_> = folders.filter(|one| one.is_dir()).collect();
    folders.sort();
    assert_eq!(folders.len(), 21);
    for (from, number) in folders.iter().zip(1..) {
        let name = from.file_name().expect("a name").to_str().expect("letters");
        if !is_due(name, 6, &format!("exercises/problems/{name}")) {
            continue;
        }
        let to = learner.0.join("problems").join(name);
        let last = (1..).map(|at| format!("solution-{at}"));
        let last = last.take_while(|last| from.join(format!("{last}.cl")).is_file());
        let last = last.last().expect("a solution");
        fs::copy(from.join(format!("{last}.cl")), to.join("start.cl")).expect("a copy");
        fs::copy(to.join("task.toml"), to.join("base.toml")).expect("a copy");
        let launch = read(from.join(format!("{last}.toml")));
        let launch = launch.replace("task.toml", "base.toml");
        let launch = launch.replace(&format!("{last}.cl"), "start.cl");
        fs::write(to.join("task.toml"), launch).expect("written");
        let check = format!("problem {number} --no-timing");
        let check = learner.types(&check).args(&pocl).run().ends_with(0);
        check.says(&[&format!("p{number}: solved")]);
    }
}
