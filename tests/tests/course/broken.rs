//! The kernels that are wrong on purpose: each says in its header what the
//! learner sees, how to run it, and what finds the fault. All of it is held to.
//!
//! ```text
//! // Symptom: right when K is a multiple of the tile, else every sum is a little off.
//! // Run: lesson06 --only matmul_tiled --size 37x91x53
//! // Seen by: checker, races
//! ```

use std::fs;
use std::path::PathBuf;

use tests::{FAULTS, Oclgrind, Outcome, Program, kernel_files, kernels_of, lesson, pocl};

/// What finds faults on PoCL, and the exit status that it means.
const ON_POCL: [(&str, i32); 4] = [("checker", 1), ("build", 4), ("watchdog", 5), ("crash", 5)];

/// Partial groups and tiles in every dimension, several groups in two of them.
const SMALL: &str = "17x35x19";

/// A broken kernel and what its header claims.
struct Broken {
    file: PathBuf,
    name: String,
    text: String,
    lesson: u32,
    flags: String,
    seen_by: Vec<String>,
}

fn all() -> Vec<Broken> {
    kernel_files("broken").into_iter().map(read).collect()
}

/// The broken kernels of one lesson.
fn of_lesson(number: u32) -> Vec<Broken> {
    let mut broken = all();
    broken.retain(|broken| broken.lesson == number);
    assert!(!broken.is_empty(), "lesson {number} has no broken kernel");
    broken
}

/// Reads the header: comments at the top, in this order. A symptom may take
/// several lines.
fn read(file: PathBuf) -> Broken {
    let text = fs::read_to_string(&file).expect("kernel files are text");
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut header = text
        .lines()
        .map_while(|line| line.strip_prefix("// "))
        .peekable();
    let symptom = header
        .next()
        .and_then(|line| line.strip_prefix("Symptom: "));
    assert!(
        symptom.is_some_and(|text| text.len() > 10),
        "{name}: // Symptom: comes first"
    );
    while header.next_if(|line| !line.starts_with("Run: ")).is_some() {}
    let run = header
        .next()
        .and_then(|line| line.strip_prefix("Run: lesson"));
    let run = run.unwrap_or_else(|| panic!("{name}: // Run: lessonNN ... comes second"));
    let (lesson, flags) = run.split_once(' ').expect("flags");
    let seen_by = header
        .next()
        .and_then(|line| line.strip_prefix("Seen by: "));
    let seen_by = seen_by.unwrap_or_else(|| panic!("{name}: // Seen by: comes third"));
    Broken {
        lesson: lesson.parse().expect("a lesson's number"),
        flags: flags.into(),
        seen_by: seen_by.split(", ").map(String::from).collect(),
        file,
        name,
        text,
    }
}

impl Broken {
    fn claims(&self, detector: &str) -> bool {
        self.seen_by.iter().any(|seen| seen == detector)
    }

    fn program(&self) -> Program {
        self.with(&self.flags)
    }

    /// The same with a smaller problem than the header's.
    fn small(&self) -> Program {
        let mut words: Vec<&str> = self.flags.split_whitespace().collect();
        let size = words.iter().position(|word| *word == "--size");
        words[size.expect("a size") + 1] = SMALL;
        self.with(&words.join(" "))
    }

    fn with(&self, flags: &str) -> Program {
        lesson(self.lesson)
            .args(flags)
            .args("--runs 0 --source")
            .arg(&self.file)
    }

    /// The detectors that a run on a device set off.
    fn seen_on_device(&self, run: &Outcome) -> Vec<&'static str> {
        let died = run.stderr.contains("the process died");
        let hung = run.stderr.contains("no end after");
        let fits = |detector: &str| match detector {
            "watchdog" => hung,
            "crash" => died,
            _ => true,
        };
        let seen = ON_POCL
            .iter()
            .filter(|(name, status)| run.status == Some(*status) && fits(name));
        seen.map(|(name, _)| *name).collect()
    }
}

#[test]
fn every_header_says_what_is_seen_how_to_run_it_and_what_finds_it() {
    let known: Vec<&str> = ON_POCL
        .iter()
        .map(|(name, _)| *name)
        .chain(FAULTS.iter().map(|(name, _)| *name))
        .collect();
    for broken in all() {
        let Broken {
            name,
            flags,
            seen_by,
            ..
        } = &broken;
        let kebab = name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(kebab, "{name}: the file's name is in kebab case");
        for detector in seen_by {
            assert!(
                known.contains(&detector.as_str()),
                "{name}: no detector is called {detector}"
            );
        }
        let words: Vec<&str> = flags.split_whitespace().collect();
        let only = words
            .iter()
            .position(|word| *word == "--only")
            .and_then(|at| words.get(at + 1));
        let only = only.unwrap_or_else(|| panic!("{name}: Run: names its kernel by --only"));
        let kernels = kernels_of(broken.lesson);
        assert!(
            kernels.iter().any(|kernel| kernel == only),
            "{name}: no kernel {only} in the lesson"
        );
        let list = tests::lesson_without_device(broken.lesson)
            .args("--list --source")
            .arg(&broken.file)
            .run();
        assert_eq!(
            list.ends_with(0).stdout.trim(),
            *only,
            "{name}: the file holds that one kernel"
        );
        assert!(
            (3..=10).contains(&broken.lesson),
            "{name}: below are no tests for lesson {}",
            broken.lesson
        );
        assert!(
            !broken.claims("watchdog") || flags.contains("--timeout"),
            "{name}: give it a --timeout"
        );
    }
}

fn the_cpu_driver_finds_what_headers_claim(number: u32) {
    let Some(pocl) = pocl() else { return };
    for broken in of_lesson(number) {
        let run = broken.program().args(&pocl).run();
        let seen = broken.seen_on_device(&run);
        for (detector, _) in ON_POCL {
            let (claimed, found) = (broken.claims(detector), seen.contains(&detector));
            // A kernel that races or reads what it should not may also come out
            // wrong, or crash, on a day or a CPU other than its author's.
            let by_luck = found
                && broken
                    .seen_by
                    .iter()
                    .any(|seen| FAULTS.iter().any(|(name, _)| name == seen));
            assert!(
                claimed == found || by_luck,
                "{}: {detector} claimed {claimed}, found {found}\n{run}",
                broken.name
            );
        }
    }
}

fn the_simulator_finds_what_headers_claim(number: u32) {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    for broken in of_lesson(number) {
        let missing = |log: &str| -> Vec<&str> {
            let claimed = FAULTS.iter().filter(|(name, _)| broken.claims(name));
            let silent = claimed.filter(|(_, words)| !log.contains(words));
            silent.map(|(name, _)| *name).collect()
        };
        if missing("").is_empty() {
            continue;
        }
        // A small problem shows most faults, in less time.
        let (_, log) = oclgrind.run(&broken.name, broken.small());
        if missing(&log).is_empty() {
            continue;
        }
        let (run, log) = oclgrind.run(&broken.name, broken.program());
        let silent = missing(&log);
        assert!(
            silent.is_empty(),
            "{}: {silent:?} claimed, not found\n{log}\n{run}",
            broken.name
        );
    }
}

each! { the_cpu_driver_finds_what_headers_claim:
    the_cpu_driver_finds_what_headers_of_lesson_3_claim 3
    the_cpu_driver_finds_what_headers_of_lesson_4_claim 4
    the_cpu_driver_finds_what_headers_of_lesson_5_claim 5
    the_cpu_driver_finds_what_headers_of_lesson_6_claim 6
    the_cpu_driver_finds_what_headers_of_lesson_7_claim 7
    the_cpu_driver_finds_what_headers_of_lesson_8_claim 8
    the_cpu_driver_finds_what_headers_of_lesson_9_claim 9
    the_cpu_driver_finds_what_headers_of_lesson_10_claim 10
}

each! { the_simulator_finds_what_headers_claim:
    the_simulator_finds_what_headers_of_lesson_3_claim 3
    the_simulator_finds_what_headers_of_lesson_4_claim 4
    the_simulator_finds_what_headers_of_lesson_5_claim 5
    the_simulator_finds_what_headers_of_lesson_6_claim 6
    the_simulator_finds_what_headers_of_lesson_7_claim 7
    the_simulator_finds_what_headers_of_lesson_8_claim 8
    the_simulator_finds_what_headers_of_lesson_9_claim 9
    the_simulator_finds_what_headers_of_lesson_10_claim 10
}

#[test]
fn no_broken_kernel_is_the_correct_one() {
    let files = kernel_files("");
    let correct: String = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .collect();
    for broken in all() {
        let body = broken.text.split_once("\n{\n").map(|(_, body)| body);
        let body = body.unwrap_or_else(|| panic!("{}: a body", broken.name));
        assert!(
            !correct.contains(body),
            "{}: nothing is broken",
            broken.name
        );
    }
}
