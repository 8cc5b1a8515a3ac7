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

use super::places::Files;
use super::*;

/// How tests read what a file includes.
pub fn from_disk(path: &std::path::Path) -> Option<File> {
    let text = fs::read_to_string(path).ok()?;
    let path = path.to_path_buf();
    Some(File { path, text })
}

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
            let lines = || body.lines().filter(|line| !line.is_empty()).map(String::from).collect();
            match (head, cases.len() > before) {
                ("program", _) => program = body.to_string(),
                ("told", false) => told = lines(),
                ("told", true) => {
                    cases.last_mut().map(|case: &mut Case| case.told = lines()).unwrap_or_default()
                }
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
    let source = File { path: "demo.cl".into(), text: case.program.clone() };
    let files = Files::of(&source, &from_disk);
    let log = plain(&case.log);
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
    let files = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
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
            wrong.push(format!("{}\n{told}\nand not\n{}", case.name, case.told.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(cases.len() >= 60, "{} logs", cases.len());
}

/// Whatever is damaged in a log, or in the program, something is told.
#[test]
fn a_damaged_log_or_program_is_told_all_the_same() {
    let text = fs::read_to_string(format!("{FOLDER}/places.txt")).unwrap();
    for case in cases(&text).into_iter().step_by(16) {
        // Both in one text, so that either is damaged.
        let both = format!("{}\u{1}{}", case.program, case.log);
        damage::must_be_survived(both.as_bytes(), |bytes| {
            let both = String::from_utf8_lossy(bytes);
            let (program, log) = both.split_once('\u{1}').unwrap_or((&both, &both));
            told(&Case { program: program.into(), log: log.into(), ..Case::default() });
        });
    }
}

fn demo(text: &str) -> File {
    File { path: "demo.cl".into(), text: text.into() }
}

/// As a terminal shows it, without colours.
fn diagnosed(log: &str, text: &str) -> String {
    let told = diagnose(log, &demo(text), &from_disk, false);
    console::strip_ansi_codes(&told.to_string()).into_owned()
}

#[test]
fn the_caret_stands_under_the_word() {
    let text = "kernel void demo()\n{\n    int y = missing;\n}\n";
    let shown = diagnosed("x.cl:3:13: \u{1b}[1;31merror:\u{1b}[0m no such name", text);
    assert!(shown.contains("demo.cl:3:13"), "{shown}");
    assert!(shown.contains("int y = missing;"), "{shown}");
    assert!(shown.contains("^^^^^^^"), "{shown}");
}

#[test]
fn a_log_without_a_place_is_shown_in_the_drivers_words() {
    let source = demo("kernel void demo() {}");
    let log = "\0\n use of undeclared identifier 'threadIdx' \n\0";
    let words = "demo.cl does not build; the driver says:\n\
                 use of undeclared identifier 'threadIdx'";
    let help = "CUDA's threadIdx.x is get_local_id(0) in OpenCL C";
    assert_eq!(diagnose(log, &source, &from_disk, false).to_string(), format!("{words}\n{help}"));
    assert_eq!(diagnose(log, &source, &from_disk, true).shown, words);
}

#[test]
fn a_located_error_comes_with_its_meaning_unless_the_raw_log_is_wanted() {
    let source = demo("int y = threadIdx;");
    let log = "x.cl:1:9: error: use of undeclared identifier 'threadIdx'";
    let log_read = diagnose(log, &source, &from_disk, false);
    let [place] = &log_read.places[..] else {
        panic!("{log_read:?}");
    };
    assert_eq!((place.line, place.column), (1, 9));
    let shown = log_read.to_string();
    let shown = console::strip_ansi_codes(&shown);
    assert!(shown.starts_with("demo.cl does not build\n"), "{shown}");
    for part in [
        "error: use of undeclared identifier 'threadIdx'",
        "= help: CUDA's threadIdx.x is get_local_id(0)",
        "(--raw-log shows the driver's own words)",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    assert_eq!(
        diagnose(log, &source, &from_disk, true).to_string(),
        format!("demo.cl does not build; the driver says:\n{log}")
    );
}

#[test]
fn three_errors_are_shown_and_the_others_counted() {
    let shown = |errors: usize| {
        let line = |i| format!("x.cl:1:9: error: odd {i}\n");
        diagnosed(&(0..errors).map(line).collect::<String>(), "int y = x;")
    };
    assert_eq!(shown(4).matches("error: odd").count(), 3);
    assert!(!shown(3).contains("mend the first"), "{}", shown(3));
    assert!(shown(4).contains("\n(and 1 more; mend the first one first)\n"));
    assert!(shown(5).contains("\n(and 2 more; mend the first one first)\n"));
    // The same error at the same place is one, as in a macro that repeats its argument.
    assert!(!diagnosed(&"x.cl:1:9: error: odd\n".repeat(4), "int y = x;").contains("1 more"));
}

#[test]
fn private_memory_is_named_only_where_memory_is_the_matter() {
    assert_eq!(
        plainly("from '__private int' to '__global float *__private'"),
        "from 'int' to '__global float *'"
    );
    let matter = "'__private int *' changes address space of pointer";
    assert_eq!(plainly(matter), matter);
}

#[test]
fn a_log_of_nothing_but_padding_is_empty() {
    assert!(is_empty("\0 \n\0"));
    assert!(!is_empty("\0 x\n"));
}

#[test]
fn of_a_line_the_first_error_alone_is_explained() {
    let log = "1:1:1: error: use of undeclared identifier 'one'\n\
               1:1:7: error: use of undeclared identifier 'two'\n\
               1:2:1: error: use of undeclared identifier 'three'\n";
    assert_eq!(diagnosed(log, "one = two;\nthree;\n").matches("help:").count(), 2);
}

#[test]
fn without_a_place_a_warning_is_not_explained() {
    let name = |level: &str| format!("{level}use of undeclared identifier 'threadIdx'");
    for less in ["warning: ", "a note: ", "remark: "] {
        assert!(!diagnosed(&name(less), "int x;").contains("get_local_id"), "{less}");
    }
    assert!(diagnosed(&name("Error: "), "int x;").contains("get_local_id"));
}

#[test]
fn thousands_of_errors_and_a_line_of_a_megabyte_are_told_at_once() {
    let wrong = |i| format!("    C[{i}] = no_such_name_{i};\n");
    let text = format!(
        "kernel void f(global float *C)\n{{\n{}}}\n",
        (0..2000).map(wrong).collect::<String>()
    );
    let line = |i| {
        format!(
            "error: /tmp/x.cl:{}:12: use of undeclared identifier 'no_such_name_{i}'\n\
             \x20   C[{i}] = no_such_name_{i};\n        ^\n",
            i + 3
        )
    };
    let log: String = (0..2000).map(line).collect();
    let begin = std::time::Instant::now();
    assert!(diagnosed(&log, &text).contains("(and 1997 more;"));
    let long = format!("void f() {{ {} nosuch; }}", "int x = 1; ".repeat(100_000));
    let log = format!("1:1:{}: error: use of undeclared identifier 'nosuch'", long.len() - 8);
    assert!(diagnosed(&log, &long).contains("nothing called nosuch"));
    let seconds = begin.elapsed().as_secs_f64();
    // Each of them looked at for each of the others would take minutes.
    assert!(seconds < 40.0, "{seconds} s");
}
