//! The game of the broken kernels, played as its players do: a copy that gives
//! nothing away, detectors that speak until it is mended, hints, explanations.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tests::{Oclgrind, Outcome, kernel_files, lesson, pocl, program, scratch, scratch_folder};

/// A folder of this name that a test begins with, as a player begins: without it.
fn no_folder(name: &str) -> PathBuf {
    let folder = scratch_folder("diagnose").join(name);
    // What an earlier test run left.
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn diagnose(words: &str, folder: &Path) -> Outcome {
    let program = program("course").args("diagnose").args(words);
    program.arg("--dir").arg(folder).run()
}

/// The list: number, lesson and symptom of each.
fn listed() -> Vec<Value> {
    let folder = no_folder("listed");
    diagnose("--json", &folder).ends_with(0).records()
}

/// The broken kernel's file: the one whose header has this symptom.
fn file_of(number: usize) -> PathBuf {
    let symptom = listed()[number - 1]["symptom"].clone();
    let symptom = symptom.as_str().expect("a symptom").to_string();
    let has_it = |path: &PathBuf| {
        let text = read(path).replace("\n// ", " ");
        text.contains(&format!("Symptom: {symptom}"))
    };
    let found = kernel_files("broken").into_iter().find(has_it);
    found.unwrap_or_else(|| panic!("no file has the symptom: {symptom}"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

/// The sections of a broken kernel's explanation, by title.
fn sections(kernel: &Path) -> Vec<(String, String)> {
    let name = kernel.with_extension("md");
    let name = name.file_name().expect("a file");
    let text = read(&kernel.with_file_name("explanations").join(name));
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
            lines
                .map(|line| format!("{}\n", line.get(1..).unwrap_or("")))
                .collect()
        };
        let (old, new) = (side('+'), side('-'));
        assert_eq!(
            text.matches(&old).count(),
            1,
            "{kernel:?}: not once in it:\n{old}"
        );
        text = text.replacen(&old, &new, 1);
    }
    text
}

#[test]
fn every_broken_kernel_is_listed_in_teaching_order_by_its_symptom_alone() {
    let listed = listed();
    let files = kernel_files("broken");
    assert_eq!(listed.len(), files.len(), "a new kernel needs its number");
    let lessons: Vec<u64> = listed
        .iter()
        .filter_map(|one| one["lesson"].as_u64())
        .collect();
    assert!(lessons.is_sorted(), "{lessons:?}");
    let shown = diagnose("", &no_folder("list")).ends_with(0);
    for file in &files {
        let name = file.file_stem().expect("a name").to_string_lossy();
        assert!(!shown.stdout.contains(&*name), "{name} is in\n{shown}");
    }
    fits_a_terminal(&shown);
}

#[test]
fn every_broken_kernel_has_three_hints_and_an_explanation() {
    for file in kernel_files("broken") {
        let sections = sections(&file);
        let titles: Vec<&str> = sections.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(
            titles,
            ["Hint 1", "Hint 2", "Hint 3", "Explanation"],
            "{file:?}"
        );
        let explanation = &sections[3].1;
        assert!(
            explanation.contains("```diff\n"),
            "{file:?}: no mended lines"
        );
        for (title, text) in &sections[..3] {
            let short = text.len() > 20 && text.len() < explanation.len();
            assert!(short && !text.contains("```"), "{file:?}: {title}");
        }
    }
}

#[test]
fn hints_come_one_at_a_time_and_explanations_fit_a_terminal() {
    let folder = no_folder("hints");
    for number in 1..=listed().len() {
        fits_a_terminal(&diagnose(&format!("{number} --explain"), &folder).ends_with(0));
        for (seen, next) in [(1, 2), (2, 3), (3, 4), (3, 4)] {
            let shown = diagnose(&format!("{number} --hint"), &folder).ends_with(0);
            let shown = shown.says(&[&format!("Hint {seen}")]);
            let early = shown.stdout.contains(&format!("Hint {next}"));
            assert!(!early, "{shown}");
            fits_a_terminal(&shown);
        }
    }
    let other = diagnose("1 --hint", &no_folder("more-hints")).ends_with(0);
    assert!(!other.stdout.contains("Hint 2"), "each folder for itself");
}

/// The test's own folder has a long path, which is left out.
fn fits_a_terminal(shown: &Outcome) {
    let own = scratch_folder("diagnose").display().to_string();
    for line in shown.stdout.lines().filter(|line| !line.contains(&own)) {
        assert!(line.chars().count() <= 80, "too long: {line}\n{shown}");
    }
}

/// A fresh copy gives away neither the file's name nor the cause, and at least one
/// detector finds it wrong.
fn fresh_copies_are_found_wrong(lesson: u64) {
    let (Some(_), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let folder = no_folder(&format!("fresh-{lesson}"));
    let listed = listed();
    let ours = listed.iter().filter(|one| one["lesson"] == lesson);
    for number in ours.filter_map(|one| one["number"].as_u64()) {
        let shown = diagnose(&number.to_string(), &folder).ends_with(0);
        let shown = shown.says(&["✗", "not mended yet", "--hint"]);
        fits_a_terminal(&shown);
        let file = file_of(number as usize);
        let name = file.file_stem().expect("a name").to_string_lossy();
        let copy = read(&folder.join(format!("{number:02}.cl")));
        for text in [&copy, &shown.stdout] {
            assert!(!text.contains(&*name), "{name} is in\n{text}");
            assert!(!text.contains("Seen by"), "{text}");
        }
        let lines = read(&file).lines().count();
        assert_eq!(copy.lines().count() + 1, lines, "one line is gone:\n{copy}");
    }
    assert!(
        !folder.join("progress.txt").exists(),
        "nothing was done yet"
    );
}

each! { fresh_copies_are_found_wrong:
    fresh_copies_of_lesson_3_are_found_wrong 3
    fresh_copies_of_lesson_4_are_found_wrong 4
    fresh_copies_of_lesson_5_are_found_wrong 5
    fresh_copies_of_lesson_6_are_found_wrong 6
    fresh_copies_of_lesson_7_are_found_wrong 7
    fresh_copies_of_lesson_8_are_found_wrong 8
    fresh_copies_of_lesson_9_are_found_wrong 9
    fresh_copies_of_lesson_10_are_found_wrong 10
}

/// The mended lines of all explanations: they build, and the result is right.
fn the_lines_of_explanations_mend_the_kernels(number: u32) {
    let pocl = pocl().unwrap_or_default();
    for file in kernel_files("broken") {
        let text = mended(&file);
        let run = text.lines().find_map(|line| line.strip_prefix("// Run: "));
        let (program, flags) = run.and_then(|run| run.split_once(' ')).expect("a run line");
        if program != format!("lesson{number:02}") {
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

each! { the_lines_of_explanations_mend_the_kernels:
    the_lines_of_explanations_mend_the_kernels_of_lesson_3 3
    the_lines_of_explanations_mend_the_kernels_of_lesson_4 4
    the_lines_of_explanations_mend_the_kernels_of_lesson_5 5
    the_lines_of_explanations_mend_the_kernels_of_lesson_6 6
    the_lines_of_explanations_mend_the_kernels_of_lesson_7 7
    the_lines_of_explanations_mend_the_kernels_of_lesson_8 8
    the_lines_of_explanations_mend_the_kernels_of_lesson_9 9
    the_lines_of_explanations_mend_the_kernels_of_lesson_10 10
}

/// Faults that only the checker sees (1, 11), that only the simulator sees (13, 20),
/// that kill the process (23), and that several detectors see (18).
#[test]
fn a_mended_copy_is_reported_explained_and_noted() {
    let (Some(_), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let folder = no_folder("mended");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    for number in [1, 11, 13, 18, 20, 23] {
        let copy = folder.join(format!("{number:02}.cl"));
        let text = mended(&file_of(number));
        fs::write(&copy, &text).expect("the copy can be written");
        let shown = diagnose(&number.to_string(), &folder).ends_with(0);
        let shown = shown.says(&["mended: every detector is silent", "explained"]);
        assert!(!shown.stdout.contains('✗'), "{shown}");
        assert_eq!(read(&copy), text, "the learner's copy is not touched");
        assert!(read(&folder.join("progress.txt")).contains(&format!("{number:02} mended")));
    }
    let list = diagnose("--json", &folder).ends_with(0).records();
    let mended = list.iter().filter(|one| one["mended"] == true);
    let numbers: Vec<u64> = mended.filter_map(|one| one["number"].as_u64()).collect();
    assert_eq!(numbers, [1, 11, 13, 18, 20, 23]);
}

#[test]
fn json_says_what_each_detector_saw() {
    let folder = no_folder("json");
    let answer = diagnose("1 --json", &folder)
        .ends_with(0)
        .records()
        .remove(0);
    assert_eq!(answer["mended"], false);
    let seen = &answer["observations"][0];
    assert_eq!(seen["outcome"], "fault", "{answer}");
    let command = answer["command"].as_str().unwrap_or_default();
    assert!(command.starts_with("cargo run -p lesson03 -- --source "));
}

/// A copy that does not build, one that never ends, and one that is empty.
#[test]
fn a_copy_of_any_kind_gets_an_answer() {
    let folder = no_folder("any-kind");
    diagnose("1", &folder).ends_with(0);
    let copy = folder.join("01.cl");
    let text = read(&copy);
    let write = |text: &str| fs::write(&copy, text).expect("the copy can be written");
    write(&text.replace("REAL sum = 0;", "REAL sum = 0"));
    let shown = diagnose("1", &folder).ends_with(0);
    let shown = shown.says(&["does not build", "REAL sum = 0", "not mended yet"]);
    assert!(!shown.stdout.contains("Oclgrind"), "{shown}");
    write(&text.replace("k < K; k++", "k < K; k += C[0] == 1"));
    let shown = diagnose("1 --timeout 2", &folder).ends_with(0);
    shown.says(&["no end after 2 seconds", "not mended yet"]);
    write("");
    diagnose("1", &folder).fails(2, &["01.cl", "empty", "delete"]);
}

#[test]
fn an_edited_copy_is_never_overwritten_and_git_does_not_see_it() {
    let folder = no_folder("edited");
    diagnose("1", &folder).ends_with(0);
    let copy = folder.join("01.cl");
    let text = read(&copy) + "// mine\n";
    fs::write(&copy, &text).expect("the copy can be written");
    diagnose("1", &folder).ends_with(0);
    assert_eq!(read(&copy), text);
    assert_eq!(read(&folder.join(".gitignore")), "*\n");
}

#[test]
fn a_number_out_of_range_and_a_folder_that_cannot_be_are_clear_errors() {
    let folder = no_folder("errors");
    let range = format!("1 to {}", listed().len());
    for number in ["0", "99", "1000", "one"] {
        diagnose(number, &folder).fails(2, &[number, &range]);
    }
    assert!(!folder.exists(), "nothing was made");
    let file = scratch("no-folder", "a file");
    diagnose("1", &file.join("below")).fails(1, &["below", "--dir DIR"]);
    diagnose("1", &file).fails(1, &["no-folder", "--dir DIR"]);
}
