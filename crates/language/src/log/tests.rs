//! Build logs of many compilers, of programs that are wrong in a known way: the place that
//! is told is the right one, and no explanation is given but those that are listed.
//!
//! The files of `logs/` hold cases, each of these parts:
//!
//! ```text
//! === a name
//! --- program
//! the kernel file
//! --- told
//! LINE:COLUMN, or FILE:LINE:COLUMN, or `nowhere`; behind it the explanation's beginning
//! --- log of PoCL 3.1
//! what this compiler says of the program
//! --- told
//! only where it is not what was told above
//! ```

use std::fs;

use super::diagnose::{findings, help_without_place};
use super::from_disk;
use super::places::Files;
use crate::File;

/// Where the cases are, and the files that their programs include: from the folder of the
/// package, in which its tests run.
const FOLDER: &str = "src/log/logs";

/// One log, and what is to be told of it.
#[derive(Default)]
struct Case {
    name: String,
    program: String,
    log: String,
    told: Vec<String>,
}

/// The cases of a file.
fn cases(file: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for text in file.split("=== ").skip(1) {
        let mut parts = text.split("--- ");
        let name = parts.next().unwrap_or_default().trim();
        let (mut program, mut told) = (String::new(), Vec::new());
        let before = cases.len();
        for part in parts {
            let (head, body) = part.split_once('\n').unwrap_or((part, ""));
            let lines = || {
                body.lines()
                    .filter(|line| !line.is_empty())
                    .map(String::from)
                    .collect()
            };
            match (head, cases.len() > before) {
                ("program", _) => program = body.to_string(),
                ("told", false) => told = lines(),
                ("told", true) => cases
                    .last_mut()
                    .map(|case: &mut Case| case.told = lines())
                    .unwrap_or_default(),
                (of, _) => cases.push(Case {
                    name: format!("{name}, {of}"),
                    program: program.clone(),
                    log: body.to_string(),
                    told: told.clone(),
                }),
            }
        }
    }
    cases
}

/// What is told of a log: `3:12 help`, a line for each error.
fn told(case: &Case) -> Vec<String> {
    let source = File {
        path: "demo.cl".into(),
        text: case.program.clone(),
    };
    let files = Files::of(&source, &from_disk);
    let log = text::plain(&case.log);
    let findings = findings(&log, &files);
    if findings.is_empty() {
        let help = help_without_place(&log, &source);
        return vec![format!("nowhere {}", help.unwrap_or_default())];
    }
    let lines = findings.iter().map(|one| {
        let spot = &one.spot;
        let above = &spot.file.text[..spot.span.start];
        let line = spot.line;
        let column = above.len() - above.rfind('\n').map_or(0, |end| end + 1) + 1;
        let file = match spot.file.path.file_name() {
            Some(name) if name != "demo.cl" => format!("{}:", name.display()),
            _ => String::new(),
        };
        let help = one.help().unwrap_or_default();
        format!("{file}{line}:{column} {help}")
    });
    lines.collect()
}

#[test]
fn every_log_is_told_with_the_right_place_and_no_other_help_than_is_listed() {
    let files = fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts = files.filter(|path| path.is_file()).map(fs::read_to_string);
    let cases: Vec<Case> = texts.flat_map(|text| cases(&text.unwrap())).collect();
    let mut wrong = Vec::new();
    for case in &cases {
        let told = told(case);
        let fits = |(told, listed): (&String, &String)| {
            let place = |line: &str| line.split(' ').next().map(String::from);
            let has_help = |line: &str| line.trim().contains(' ');
            place(told) == place(listed)
                && has_help(told) == has_help(listed)
                && told.starts_with(listed.trim())
        };
        if told.len() != case.told.len() || !told.iter().zip(&case.told).all(fits) {
            let told = told.join("\n");
            wrong.push(format!(
                "{}\n{told}\nand not\n{}",
                case.name,
                case.told.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(cases.len() >= 60, "{} logs", cases.len());
}

/// Whatever is damaged in a log, or in the program, something is told.
#[test]
fn a_damaged_log_or_program_is_told_all_the_same() {
    let text = fs::read_to_string(format!("{FOLDER}/places.txt")).unwrap();
    for case in cases(&text).into_iter().step_by(8) {
        // Both in one text, so that either is damaged.
        let both = format!("{}\u{1}{}", case.program, case.log);
        damage::must_be_survived(both.as_bytes(), |bytes| {
            let both = String::from_utf8_lossy(bytes);
            let (program, log) = both.split_once('\u{1}').unwrap_or((&both, &both));
            told(&Case {
                program: program.into(),
                log: log.into(),
                ..Case::default()
            });
        });
    }
}
