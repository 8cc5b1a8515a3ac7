//! Everyday kernels with their task files: each right one is right, and a fault that is planted
//! in it is found, its line named.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tests::{
    Oclgrind, Outcome, entries, files_below, has_its_day, is_due, pocl, program, read,
    scratch_folder, workspace,
};

/// A task, a text of its kernel, the fault in its place, and what is seen of it: by `run` a
/// wrong result, by `inspect` a line.
const FAULTS: [(&str, &str, &str, &str); 9] = [
    (
        "softmax",
        "    top = part[0];\n    barrier(CLK_LOCAL_MEM_FENCE);\n",
        "    top = part[0];\n",
        "races",
    ),
    ("histogram", "        mine[i] = 0;\n    barrier", "        ;\n    barrier", "uninitialised"),
    ("reduction", "i < n; i +=", "i <= n; i +=", "bounds"),
    ("stencil", "- 4 * in[at]", "- 4 * in[at - 1]", "result"),
    ("nbody", "begin < n", "begin < n - side", "result"),
    ("gemm", "p < k;", "p < k - TS;", "result"),
    (
        "dequant",
        "    part[me] = sum;\n    barrier(CLK_LOCAL_MEM_FENCE);\n",
        "    part[me] = sum;\n",
        "races",
    ),
    ("filter", "height - 1) *", "height) *", "bounds"),
    ("blur", "CLAMP_TO_EDGE", "CLAMP", "result"),
];

#[track_caller]
fn course(words: &str, file: &Path, pocl: &str) -> Outcome {
    let course = program("course").args(words).arg(file).args(pocl);
    course.args("--json").on_the_chosen_driver().run()
}

#[test]
fn everyday_kernels_are_right_and_their_faults_are_found() {
    let (Some(pocl), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let from = workspace().join("tests/kernels/everyday");
    let folder = scratch_folder("everyday");
    for file in ["cl", "toml"].iter().flat_map(|end| files_below(&from, end)) {
        let name = file.file_name().expect("a name");
        fs::copy(&file, folder.join(name)).expect("a copy");
    }
    for (task, right, wrong, seen_by) in FAULTS {
        if !is_due(task, 3, &format!("tests/kernels/everyday/{task}")) {
            continue;
        }
        let toml = folder.join(format!("{task}.toml"));
        let shown = course("run", &toml, &pocl).ends_with(0);
        assert_eq!(shown.records()[0]["verdict"], "right", "{shown}");
        let kernel = folder.join(format!("{task}.cl"));
        let text = fs::read_to_string(&kernel).expect("a kernel");
        assert!(text.contains(right), "{task}: {right}");
        fs::write(&kernel, text.replacen(right, wrong, 1)).expect("written");
        let shown = course("inspect", &toml, &pocl).ends_with(1);
        let all = shown.records().remove(0);
        assert_eq!(all["verdict"], "wrong", "{shown}");
        let observations = all["observations"].as_array().expect("a list");
        let is_found = |one: &&Value| {
            let detector = one["detector"].as_str().unwrap_or_default();
            one["outcome"] == "fault" && detector.contains(seen_by)
        };
        let found = observations.iter().find(is_found);
        let found = found.unwrap_or_else(|| panic!("{task}: {seen_by} says nothing\n{shown}"));
        let says_line = found["details"].to_string().contains("line ");
        assert!(says_line || seen_by == "result", "{task}: {found}");
    }
}

/// Fifty kernels, some of which PoCL takes two seconds to compile. That the last stages are right
/// is for the game's problems to say, of which all is tried that is tried here.
#[test]
#[ignore = "half a minute: every stage of every problem"]
fn every_stage_of_every_problem_is_right() {
    let Some(pocl) = pocl() else {
        return;
    };
    let mut stages = 0;
    let mut folders = entries(&workspace().join("exercises/problems"));
    folders.retain(|folder| folder.is_dir());
    for folder in folders {
        let is_stage = |file: &PathBuf| {
            let name = file.file_name().expect("a name").to_string_lossy();
            name.starts_with("solution") && name.ends_with("toml")
        };
        let mut before_the_last = files_below(&folder, "toml");
        before_the_last.retain(is_stage);
        before_the_last.sort();
        before_the_last.pop();
        // They may miss the problem's target, and are tried at its own size.
        let task = read(folder.join("task.toml"));
        let size = task.lines().find_map(|line| line.strip_prefix("size   = {"));
        let size = size.expect("a size").replace([' ', '}'], "");
        for stage in before_the_last {
            let run = course(&format!("run --size {size}"), &stage, &pocl);
            // PoCL's device is none for what asks for more.
            let meant = ["right", "unlaunchable"][usize::from(read(&stage).contains("needs "))];
            assert_eq!(run.records()[0]["verdict"], meant, "{run}");
            stages += 1;
        }
    }
    assert!(stages > 50, "{stages}");
}

/// What the first line of each task says: a verdict, and words of what is said with it.
#[test]
fn a_verdict_is_neither_too_hard_nor_too_soft() {
    let Some(pocl) = pocl() else {
        return;
    };
    let folder = "tests/kernels/verdicts";
    let mut files = files_below(&workspace().join(folder), "toml");
    files.retain(|file| is_due(&file.display().to_string(), 6, folder));
    let mut course = program("course").args("run --json");
    for file in &files {
        course = course.arg(file);
    }
    let shown = course.args(&pocl).on_the_chosen_driver().run();
    let records = shown.records();
    assert_eq!(records.len(), files.len(), "{shown}");
    for (file, told) in files.iter().zip(records) {
        let text = fs::read_to_string(file).expect("a task");
        let meant = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let (verdict, words) = meant.and_then(|line| line.split_once(": ")).expect("a verdict");
        assert_eq!(told["verdict"], verdict, "{file:?}: {told}");
        assert!(told.to_string().contains(words), "{file:?}: {told}");
    }
}

/// The kinds of kernels that Kernel Tuner's examples are, each in a task file of a few lines:
/// every candidate of its search is right.
#[test]
fn what_kernel_tuner_shows_is_tuned_from_a_few_lines() {
    let Some(pocl) = pocl() else {
        return;
    };
    let tasks = files_below(&workspace().join("tests/kernels/tuner"), "toml");
    assert_eq!(tasks.len(), 6);
    for task in tasks {
        if !has_its_day(&task.display().to_string(), 3) {
            continue;
        }
        let lines = fs::read_to_string(&task).expect("a task").lines().count();
        assert!(lines <= 15, "{}: {lines} lines", task.display());
        let shown = course("tune", &task, &pocl).ends_with(0);
        let records = shown.records();
        assert!(records.len() > 1, "{shown}");
        assert!(records.iter().all(|one| one["verdict"] == "right"), "{shown}");
    }
}
