//! Kernels that are wrong: a copy that gives nothing away, detectors that speak until it is
//! mended, hints, explanations.

use tests::{kernel_files, lesson, pocl, scratch};

use super::*;
use crate::broken::must_be_found_as_claimed;

/// Those that have broken kernels.
const LESSONS: [u64; 10] = [3, 4, 5, 6, 7, 8, 10, 11, 13, 15];

impl Learner {
    fn copy(&self, number: usize) -> PathBuf {
        self.0.join(format!("diagnose/{number:02}.cl"))
    }

    fn diagnoses(&self, words: &str) -> Outcome {
        self.types(&format!("diagnose {words}")).run()
    }
}

/// The list: number, lesson and symptom of each, and what is known of it.
fn listed(learner: &Learner) -> Vec<Value> {
    learner.diagnoses("--list --json").ends_with(0).records()
}

/// The broken kernel's file: the one whose header has this symptom.
fn file_of(number: usize) -> PathBuf {
    let symptom = listed(&Learner::new("file-of"))[number - 1]["title"].clone();
    let symptom = symptom.as_str().expect("a symptom").to_string();
    let has_it = |path: &PathBuf| {
        let text = read(path).replace("\n// ", " ");
        text.contains(&format!("Symptom: {symptom}"))
    };
    let found = kernel_files("exercises/broken").into_iter().find(has_it);
    found.unwrap_or_else(|| panic!("no file has the symptom: {symptom}"))
}

/// The sections of a broken kernel's explanation, by title.
fn sections(kernel: &Path) -> Vec<(String, String)> {
    let name = kernel.with_extension("md");
    let name = name.file_name().expect("a file");
    let text = read(kernel.with_file_name("explanations").join(name));
    let sections = text.split("\n## ").skip(1);
    let part = |section: &str| {
        let (title, body) = section.split_once('\n').expect("text below the title");
        (title.trim().to_string(), body.trim().to_string())
    };
    sections.map(part).collect()
}

/// The kernel with the mended lines of its explanation: in every ```diff fence,
/// the lines that begin with " " or "-" give way to those with " " or "+".
fn mended(kernel: &Path) -> String {
    let (_, explanation) = sections(kernel).pop().expect("an explanation");
    let mut text = read(kernel);
    let fences = explanation.split("```diff\n").skip(1);
    let hunks = fences.flat_map(|rest| rest.split("```").next().unwrap_or("").split("...\n"));
    for hunk in hunks {
        let side = |other: char| -> String {
            let lines = hunk.lines().filter(|line| !line.starts_with(other));
            lines.map(|line| format!("{}\n", line.get(1..).unwrap_or(""))).collect()
        };
        let (old, new) = (side('+'), side('-'));
        assert_eq!(text.matches(&old).count(), 1, "{kernel:?}: not once in it:\n{old}");
        text = text.replacen(&old, &new, 1);
    }
    text
}

#[test]
fn every_broken_kernel_is_listed_in_teaching_order_by_its_symptom_alone() {
    let learner = Learner::new("broken");
    let listed = listed(&learner);
    let files = kernel_files("exercises/broken");
    assert_eq!(listed.len(), files.len(), "a new kernel needs its number");
    let lessons = listed.iter().filter_map(|one| one["lesson"].as_u64());
    let mut lessons: Vec<u64> = lessons.collect();
    assert!(lessons.is_sorted(), "{lessons:?}");
    lessons.dedup();
    assert_eq!(lessons, LESSONS, "another lesson needs tests below");
    let shown = learner.diagnoses("--list").ends_with(0);
    for file in &files {
        let name = file.file_stem().expect("a name").to_string_lossy();
        assert!(!shown.stdout.contains(&*name), "{name} is in\n{shown}");
    }
    learner.sees_on_80_columns(&shown);
}

#[test]
fn every_broken_kernel_has_three_hints_and_an_explanation() {
    for file in kernel_files("exercises/broken") {
        let sections = sections(&file);
        let titles: Vec<&str> = sections.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["Hint 1", "Hint 2", "Hint 3", "Explanation"], "{file:?}");
        let explanation = &sections[3].1;
        assert!(explanation.contains("```diff\n"), "{file:?}: no mended lines");
        for (title, text) in &sections[..3] {
            let short = text.len() > 20 && text.len() < explanation.len();
            assert!(short && !text.contains("```"), "{file:?}: {title}");
        }
    }
}

/// A fresh copy gives away neither the file's name nor the cause, and the detectors that
/// its header names find it wrong. Takes long in lesson 8, most of it in the simulator.
fn fresh_copies_are_found_wrong(lesson: u64) {
    let (Some(_), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    assert!(LESSONS.contains(&lesson), "there are none");
    let learner = Learner::started(&format!("fresh-{lesson}"));
    for (number, listed) in (1..).zip(listed(&learner)) {
        if listed["lesson"] != lesson {
            continue;
        }
        // What a page claims is seen of kernels as learners have them.
        let program = learner.types(&format!("diagnose {number}")).optimised();
        let shown = program.run();
        assert!(matches!(shown.status, Some(1 | 5)), "{shown}");
        let shown = shown.says(&["✗", "not solved yet", "--hint"]);
        learner.sees_on_80_columns(&shown);
        let file = file_of(number);
        must_be_found_as_claimed(file.clone(), &shown);
        let name = file.file_stem().expect("a name").to_string_lossy();
        let copy = read(learner.copy(number));
        for text in [&copy, &shown.stdout] {
            assert!(!text.contains(&*name), "{name} is in\n{text}");
        }
        assert_eq!(copy, read(&file));
    }
    assert_eq!(learner.progress(), "", "nothing was done yet");
}

each! { fresh_copies_are_found_wrong on a day of 3:
    fresh_copies_of_lesson_3_are_found_wrong 3
    fresh_copies_of_lesson_4_are_found_wrong 4
    fresh_copies_of_lesson_5_are_found_wrong 5
    #[ignore = "half a minute: most of the broken kernels, each under every detector"]
    fresh_copies_of_lesson_6_are_found_wrong 6
    fresh_copies_of_lesson_7_are_found_wrong 7
    fresh_copies_of_lesson_8_are_found_wrong 8
    fresh_copies_of_lesson_10_are_found_wrong 10
    fresh_copies_of_lesson_11_are_found_wrong 11
    fresh_copies_of_lesson_13_are_found_wrong 13
    fresh_copies_of_lesson_15_are_found_wrong 15
}

/// Whether the kernel in this text is, but for its comments, one of the lesson's.
fn is_the_lessons_own(text: &str, number: u32) -> bool {
    let code = |text: &str| -> String {
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or(""));
        lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    };
    let is_of_lesson = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&format!("{number:02}-"))
    };
    let files = kernel_files("kernels");
    let lesson = files.iter().find(is_of_lesson).expect("a kernel file");
    let text = code(text);
    let kernel = text.split_once("kernel ").expect("a kernel").1;
    // Attributes may stand in between.
    let (_, kernel) = kernel.split_once("void ").expect("a kernel's name");
    code(&read(lesson)).contains(kernel)
}

/// The mended lines of all explanations: they make the lesson's own kernel of it, or one
/// that builds, and the result is right.
fn the_lines_of_explanations_mend_the_kernels(number: u32) {
    assert!(LESSONS.contains(&u64::from(number)), "there are none");
    let pocl = pocl().unwrap_or_default();
    for file in kernel_files("exercises/broken") {
        let text = mended(&file);
        let run = text.lines().find_map(|line| line.strip_prefix("// Run: "));
        let (program, flags) = run.and_then(|run| run.split_once(' ')).expect("a run line");
        if program != format!("lesson{number:02}") || is_the_lessons_own(&text, number) {
            continue;
        }
        let name = file.file_name().expect("a name").to_string_lossy();
        let copy = scratch(&format!("mended-{name}"), &text);
        lesson(number)
            .args(flags)
            .args(&pocl)
            .args("--runs 0 --source")
            .arg(copy)
            .run()
            .ends_with(0);
    }
}

each! { the_lines_of_explanations_mend_the_kernels on a day of 3:
    the_lines_of_explanations_mend_the_kernels_of_lesson_3 3
    the_lines_of_explanations_mend_the_kernels_of_lesson_4 4
    the_lines_of_explanations_mend_the_kernels_of_lesson_5 5
    the_lines_of_explanations_mend_the_kernels_of_lesson_6 6
    the_lines_of_explanations_mend_the_kernels_of_lesson_7 7
    the_lines_of_explanations_mend_the_kernels_of_lesson_8 8
    the_lines_of_explanations_mend_the_kernels_of_lesson_10 10
    the_lines_of_explanations_mend_the_kernels_of_lesson_11 11
    the_lines_of_explanations_mend_the_kernels_of_lesson_13 13
    the_lines_of_explanations_mend_the_kernels_of_lesson_15 15
}

/// Faults that only the checker sees (1), that only the simulator sees (13), that kill
/// the process (23), and that several detectors see (18). Takes long: each is run by every
/// detector, and so is right at every size.
#[test]
fn a_mended_copy_is_reported_explained_and_noted() {
    let (Some(_), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let learner = Learner::started("mended");
    let numbers = [1, 13, 18, 23];
    for number in numbers {
        let (copy, file) = (learner.copy(number), file_of(number));
        let text = mended(&file);
        fs::write(&copy, &text).expect("the copy can be written");
        let (_, why) = sections(&file).pop().expect("an explanation");
        let why = why.replace('`', "");
        let why: Vec<&str> = why.split_whitespace().take(5).collect();
        let program = learner.types(&format!("diagnose {number}"));
        let shown = program.run().ends_with(0);
        let shown = shown.says(&[&format!("d{number}: solved"), &why.join(" ")]);
        assert!(!shown.stdout.contains('✗'), "{shown}");
        assert_eq!(read(&copy), text, "the learner's copy is not touched");
        assert!(learner.progress().contains(&format!("d{number} solved\n")));
    }
    for (number, listed) in (1..).zip(listed(&learner)) {
        let is_mended = listed["mark"] == "solved";
        assert_eq!(is_mended, numbers.contains(&number), "{listed}");
    }
}

/// A copy that does not build, and one that never ends: that one takes its second on the
/// device and in the simulator.
#[test]
fn a_copy_of_any_kind_gets_an_answer() {
    let learner = Learner::started("any-copy");
    let text = read(learner.copy(1));
    let write = |text: &str| fs::write(learner.copy(1), text).expect("the copy can be written");
    write(&text.replace("REAL sum = 0;", "REAL sum = 0"));
    let shown = learner.diagnoses("1").ends_with(4);
    let shown = shown.says(&["does not build", "REAL sum = 0", "not solved yet"]);
    assert!(!shown.stdout.contains("Oclgrind"), "{shown}");
    let answer = learner.diagnoses("1 --json").records().remove(0);
    assert_eq!(answer["solved"], false);
    assert_eq!(answer["observations"][0]["outcome"], "fault", "{answer}");
    write(&text.replace("k < K; k++", "k < K; k += C[0] == 1"));
    let endless = learner.types("diagnose 1 --timeout 1").on_one_core();
    let shown = endless.run().ends_with(5);
    shown.says(&["no end after 1 second", "not solved yet"]);
}

/// The copy is right, and nobody has looked for the race that it may still have.
#[test]
fn without_the_simulator_a_right_result_of_a_racy_kernel_proves_nothing() {
    let learner = Learner::started("racy");
    fs::write(learner.copy(20), mended(&file_of(20))).expect("the copy can be written");
    let types = learner.types("diagnose 20");
    let shown = types.env("OCLGRIND_LIBRARY", "/nowhere").run().ends_with(0);
    shown.says(&["✓ result", "not proven free of races", "installs it"]);
    assert!(learner.progress().contains("d20 right\n"));
}

#[test]
fn what_is_no_number_is_answered_by_the_list() {
    let learner = Learner::new("errors");
    for number in ["0", "99", "1000", "one"] {
        let says = [number, "no broken kernel", "exercise --list"];
        learner.diagnoses(number).fails(2, &says);
    }
    assert!(!learner.0.exists(), "nothing was made");
    let started = Learner::started("no-device");
    let run = started.diagnoses("1 --device nosuch");
    run.fails(2, &["no device matches"]);
}
