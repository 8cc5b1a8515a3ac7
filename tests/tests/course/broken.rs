//! The kernels that are wrong on purpose: each says in its header what the learner sees, and how
//! to run it, and its page what finds the fault. All of it is held to, the last by the runs of
//! diagnose.rs.
//!
//! ```text
//! // Symptom: right when K is a multiple of the tile, else every sum is a little off.
//! // Run: lesson06 --only matmul_tiled --size 37x91x53
//! ```

use std::path::PathBuf;

use tests::{FAULTS, Oclgrind, Outcome, kernel_files, kernels_of, lesson, lesson_without_device};

/// What finds a wrong result on PoCL, and what else may come of a run there, with the words
/// that say so.
const CHECKER: &str = "checker";
const ON_POCL: [(&str, &str); 3] =
    [("build", "does not build"), ("watchdog", "no end after"), ("crash", "the process died")];

fn detectors_on_pocl() -> impl Iterator<Item = &'static str> {
    std::iter::once(CHECKER).chain(ON_POCL.iter().map(|(name, _)| *name))
}

/// A broken kernel and what its header claims.
struct Broken {
    file: PathBuf,
    name: String,
    text: String,
    lesson: u32,
    kernel: String,
    size: String,
    seen_by: Vec<String>,
}

fn all() -> Vec<Broken> {
    let files = kernel_files("exercises/broken").into_iter();
    files.map(read).collect()
}

/// Reads the header, comments at the top, where a symptom may take several lines, and the first
/// block of the page.
fn read(file: PathBuf) -> Broken {
    let text = tests::read(&file);
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let page = tests::read(file.with_file_name(format!("explanations/{name}.md")));
    let field = |key: &str| {
        let mut lines = page.lines().filter_map(|line| line.split_once('='));
        let line = lines.find(|(name, _)| name.trim() == key);
        let value = line.unwrap_or_else(|| panic!("{name}: {key} is missing")).1;
        value.replace(['"', '[', ']'], "").trim().to_string()
    };
    let (kernel, size) = (field("function"), field("size"));
    let lesson: u32 = field("lesson").parse().expect("a lesson's number");
    let (symptom, rest) = text.split_once("// Run: ").expect("how it is run");
    let is_one = symptom.starts_with("// Symptom: ") && symptom.len() > 22;
    assert!(is_one, "{name}: {symptom}");
    let run = format!("lesson{lesson:02} --only {kernel} --size {size}\n");
    assert!(rest.starts_with(&run), "{name}: the header says {run}");
    Broken {
        lesson,
        kernel,
        size,
        seen_by: field("seen-by").split(", ").map(String::from).collect(),
        name: name.into(),
        file,
        text,
    }
}

impl Broken {
    fn claims(&self, detector: &str) -> bool {
        self.seen_by.iter().any(|seen| seen == detector)
    }

    /// The detectors that the run of the header set off, by what `course diagnose` shows.
    fn seen_on_pocl(&self, shown: &str) -> Option<&'static str> {
        let run = format!(" result, {} ", self.size);
        let (before, after) = shown.split_once(&run).expect("the header's run is shown");
        // The words stand in a column, and are folded.
        let words: Vec<&str> = after.split(" result").next()?.split_whitespace().collect();
        let words = words.join(" ");
        let named = ON_POCL.iter().find(|(_, says)| words.contains(says));
        let seen = before.ends_with('✗');
        seen.then(|| named.map_or(CHECKER, |(detector, _)| detector))
    }

    /// The faults that the simulator saw, by what `course diagnose` shows.
    fn seen_by_the_simulator(&self, shown: &str) -> Vec<&'static str> {
        let names = FAULTS.iter().map(|(name, _)| *name);
        let seen = names.filter(|name| shown.contains(&format!("✗ Oclgrind: {name}")));
        seen.collect()
    }
}

/// Holds what the header of a broken kernel claims against what `course diagnose` shows of
/// its copy, on PoCL and in the simulator.
pub fn must_be_found_as_claimed(file: PathBuf, shown: &Outcome) {
    let broken = read(file);
    let on_pocl = broken.seen_on_pocl(&shown.stdout);
    let by_fault = |seen: &String| FAULTS.iter().any(|(name, _)| name == seen);
    for detector in detectors_on_pocl() {
        let (claimed, found) = (broken.claims(detector), on_pocl == Some(detector));
        // A kernel that races or reads what it should not may come out wrong, or crash
        // instead, on a day or a CPU other than its author's.
        let by_luck = on_pocl.is_some() && broken.seen_by.iter().any(by_fault);
        assert!(
            claimed == found || by_luck,
            "{}: {detector} claimed {claimed}, found {found}\n{shown}",
            broken.name
        );
    }
    let seen = broken.seen_by_the_simulator(&shown.stdout);
    let claimed = FAULTS.iter().filter(|(name, _)| broken.claims(name));
    let missing: Vec<_> = claimed.filter(|(name, _)| !seen.contains(name)).collect();
    if missing.is_empty() {
        return;
    }
    // Some faults want the whole problem to show, and a race may be one of equal values.
    let oclgrind = Oclgrind::find().expect("it has run already");
    let Broken { name, kernel, size, .. } = &broken;
    let words = format!("--only {kernel} --size {size} --runs 0 --source");
    let program = lesson(broken.lesson).args(&words).arg(&broken.file);
    let (run, log) = oclgrind.run(name, program);
    for (fault, words) in missing {
        let found = log.contains(words);
        assert!(found, "{name}: {fault} claimed, not found\n{log}\n{run}");
    }
}

#[test]
fn every_header_says_what_is_seen_how_to_run_it_and_what_finds_it() {
    let faults = FAULTS.iter().map(|(name, _)| *name);
    let known: Vec<&str> = detectors_on_pocl().chain(faults).collect();
    for broken in all() {
        let Broken { name, kernel, .. } = &broken;
        let kebab = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(kebab, "{name}: the file's name is in kebab case");
        for detector in &broken.seen_by {
            let is_known = known.contains(&detector.as_str());
            assert!(is_known, "{name}: no detector is called {detector}");
        }
        let is_there = kernels_of(broken.lesson).contains(kernel);
        assert!(is_there, "{name}: no kernel {kernel} in the lesson");
        let list = lesson_without_device(broken.lesson).args("--list --source");
        let list = list.arg(&broken.file).run().ends_with(0).stdout;
        // Before it stand those that pack its operands.
        let others = list.lines().filter(|kernel| !kernel.starts_with("pack_"));
        let others: Vec<&str> = others.collect();
        assert_eq!(others, [kernel], "{name}: the file holds that one kernel");
        let has_tests = (3..=13).contains(&broken.lesson) || broken.lesson == 15;
        assert!(has_tests, "{name}: none for lesson {}", broken.lesson);
        assert!(!broken.claims("watchdog"), "{name}: its run has no --timeout");
    }
}

#[test]
fn no_broken_kernel_is_the_correct_one() {
    let files = kernel_files("kernels").into_iter();
    let correct: String = files.map(tests::read).collect();
    for broken in all() {
        let body = broken.text.split_once("\n{\n").map(|(_, body)| body);
        let body = body.unwrap_or_else(|| panic!("{}: a body", broken.name));
        let is_broken = !correct.contains(body);
        assert!(is_broken, "{}: nothing is broken", broken.name);
    }
}
