//! The exercises, as a learner meets them: copied out, checked, hinted at, solved. No
//! exercise is solved as it stands, each solution is, and what differs is the gap.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
#[cfg(unix)]
use tests::pty::key;
use tests::{Oclgrind, Outcome, Program, entries, program, scratch_folder, workspace};

const GAP_BEGINS: &str = "// ---- your lines begin";
const GAP_ENDS: &str = "// ---- your lines end";

/// A learner's folder, outside of the clone, that goes away with its owner.
struct Learner(PathBuf);

impl Learner {
    /// One who has no folder yet.
    fn new(name: &str) -> Learner {
        let name = format!("opencl-course-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // What an earlier process of the same number left.
        let _ = fs::remove_dir_all(&folder);
        Learner(folder)
    }

    /// One who has started.
    fn started(name: &str) -> Learner {
        let learner = Learner::new(name);
        learner.types("start").run().ends_with(0);
        learner
    }

    fn types(&self, words: &str) -> Program {
        let program = program("course").args(words);
        program.env("OPENCL_COURSE_EXERCISES", &self.0)
    }

    fn file(&self, exercise: &Path) -> PathBuf {
        let lesson = exercise.parent().and_then(Path::file_name);
        let lesson = self.0.join(lesson.expect("a lesson's folder"));
        lesson.join(name(exercise)).with_extension("cl")
    }

    fn writes(&self, exercise: &Path, text: &str) {
        fs::write(self.file(exercise), text).expect("the folder can be written");
    }

    fn progress(&self) -> String {
        fs::read_to_string(self.0.join("progress.txt")).unwrap_or_default()
    }
}

impl Drop for Learner {
    fn drop(&mut self) {
        // Nothing to do about a folder that cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

/// The folders of all exercises, in order.
fn exercises() -> Vec<PathBuf> {
    let lessons = entries(&workspace().join("exercises"));
    lessons.iter().flat_map(|lesson| entries(lesson)).collect()
}

fn name(exercise: &Path) -> String {
    let name = exercise.file_name().expect("a folder below exercises/");
    name.to_string_lossy().into_owned()
}

/// "6.2", by the names of the folders.
fn id(exercise: &Path) -> String {
    let lesson = name(exercise.parent().expect("a lesson's folder"));
    let number = |name: &str| -> u32 {
        let digits = name.split('-').next().unwrap_or("");
        digits
            .parse()
            .unwrap_or_else(|_| panic!("{name}: no number"))
    };
    format!("{}.{}", number(&lesson), number(&name(exercise)))
}

/// The exercise with this number.
fn numbered(wanted: &str) -> PathBuf {
    let found = exercises().into_iter().find(|one| id(one) == wanted);
    found.unwrap_or_else(|| panic!("there is no exercise {wanted}"))
}

fn solution(exercise: &Path) -> String {
    read(&exercise.join("solution.cl"))
}

/// What stands before, in and behind the gap.
fn parts(text: &str) -> [String; 3] {
    let (before, rest) = text.split_once(GAP_BEGINS).expect("the gap begins");
    let (gap, after) = rest.split_once(GAP_ENDS).expect("the gap ends");
    [before, gap, after].map(String::from)
}

fn fits_a_terminal(shown: &Outcome) {
    // A path may be long.
    let lines = shown.stdout.lines().filter(|line| !line.contains("/"));
    for line in lines {
        assert!(
            line.trim_end().chars().count() <= 80,
            "too long: {line}\n{shown}"
        );
    }
}

#[test]
fn an_exercise_and_its_solution_differ_only_in_the_gap() {
    for exercise in exercises() {
        let (open, solved) = (read(&exercise.join("exercise.cl")), solution(&exercise));
        let ([before, gap, after], [other_before, filled, other_after]) =
            (parts(&open), parts(&solved));
        assert_eq!(before, other_before, "{exercise:?}");
        assert_eq!(after, other_after, "{exercise:?}");
        assert_ne!(gap, filled, "{exercise:?}");
        for text in [&open, &solved] {
            assert_eq!(text.matches("// ---- ").count(), 2, "{exercise:?}: one gap");
            assert!(text.lines().count() <= 80, "{exercise:?}: short");
            assert!(text.lines().all(|line| line.chars().count() <= 100));
            let title = format!("// Exercise {}: ", id(&exercise));
            assert!(text.starts_with(&title), "{exercise:?}: {title}");
        }
    }
}

#[test]
fn every_lesson_with_kernels_has_three_exercises_that_its_page_names() {
    for lesson in entries(&workspace().join("exercises")) {
        let count = entries(&lesson).len();
        assert!(count >= 3, "{lesson:?} has {count}");
        let page = workspace().join("lessons").join(name(&lesson));
        // That every lesson has a page is for another test to say.
        let Ok(page) = fs::read_to_string(page.join("README.md")) else {
            continue;
        };
        for exercise in entries(&lesson) {
            let command = format!("exercise {}", id(&exercise));
            assert!(
                page.contains(&command),
                "the page of {lesson:?} does not name {command}"
            );
        }
    }
}

#[test]
fn hints_come_one_at_a_time_and_everything_fits_a_terminal() {
    let learner = Learner::started("hints");
    for exercise in exercises() {
        let id = id(&exercise);
        for (seen, next) in [(1, 2), (2, 3), (3, 4), (3, 4)] {
            let shown = learner.types(&format!("exercise {id} --hint")).run();
            let shown = shown.ends_with(0).says(&[&format!("Hint {seen}")]);
            let early = shown.stdout.contains(&format!("Hint {next}"));
            assert!(!early, "{shown}");
            fits_a_terminal(&shown);
        }
        assert!(learner.progress().contains(&format!("{id} hints 3\n")));
        let shown = learner.types(&format!("exercise {id} --solution")).run();
        let shown = shown
            .ends_with(0)
            .says(&["You have not changed your file yet"]);
        fits_a_terminal(&shown);
    }
}

/// Each exercise as it stands is found wanting, by a message; each solution is solved.
fn unsolved_fails_and_solved_passes(lesson: &str) {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started(&format!("lesson-{lesson}"));
    let is_ours = |exercise: &PathBuf| id(exercise).starts_with(&format!("{lesson}."));
    for exercise in exercises().into_iter().filter(is_ours) {
        let id = id(&exercise);
        // A busy machine may judge speed as it likes, a test may not.
        let check = || {
            let words = format!("exercise {id} --no-timing");
            learner.types(&words).run()
        };
        let shown = check().ends_with(1);
        let shown = shown.says(&["✗", "not solved yet", "--hint", "Task"]);
        assert!(!shown.stdout.contains("does not build"), "{shown}");
        fits_a_terminal(&shown);
        assert!(!learner.progress().contains(&format!("{id} solved")));
        learner.writes(&exercise, &solution(&exercise));
        let shown = check().ends_with(0).says(&[&format!("{id}: solved")]);
        assert!(!shown.stdout.contains('✗'), "{shown}");
        fits_a_terminal(&shown);
        assert!(learner.progress().contains(&format!("{id} solved\n")));
    }
}

each! { unsolved_fails_and_solved_passes:
    exercises_of_lesson_1_fail_unsolved_and_pass_solved "1"
    exercises_of_lesson_2_fail_unsolved_and_pass_solved "2"
    exercises_of_lesson_3_fail_unsolved_and_pass_solved "3"
    exercises_of_lesson_4_fail_unsolved_and_pass_solved "4"
    exercises_of_lesson_5_fail_unsolved_and_pass_solved "5"
    exercises_of_lesson_6_fail_unsolved_and_pass_solved "6"
    exercises_of_lesson_7_fail_unsolved_and_pass_solved "7"
    exercises_of_lesson_8_fail_unsolved_and_pass_solved "8"
    exercises_of_lesson_9_fail_unsolved_and_pass_solved "9"
    exercises_of_lesson_10_fail_unsolved_and_pass_solved "10"
}

/// Where speed is the point: a ratio is shown, or why there is none. Which, depends on
/// the machine.
#[test]
fn speed_is_a_ratio_to_the_lessons_kernel_or_not_judged() {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    let learner = Learner::started("speed");
    for (id, kernel) in [
        ("4.2", "matmul_id0_columns"),
        ("7.3", "matmul_dot4"),
        ("8.2", "matmul_column_strip"),
    ] {
        let exercise = numbered(id);
        learner.writes(&exercise, &solution(&exercise));
        let check = |program: Program| {
            let answer = program.arg("--json").run().records().remove(0);
            let seen = answer["observations"].as_array().expect("a list").clone();
            let speed = seen.into_iter().find(|one| one["detector"] == "speed");
            (speed.expect("a line on speed"), answer)
        };
        let says = |seen: &Value| seen["says"].as_str().expect("text").to_string();
        let types = || learner.types(&format!("exercise {id} --timeout 120"));
        let (speed, _) = check(types());
        let said = says(&speed);
        assert!(said.contains(kernel) && said.contains("(±"), "{said}");
        assert_ne!(speed["outcome"], "not run", "{said}");
        // What is not judged counts neither for nor against a kernel.
        let simulated = types().env("OPENCL_DYLIB_PATH", oclgrind.library());
        for (program, why) in [
            (types().arg("--no-timing"), "--no-timing"),
            (simulated, "a simulator's times say nothing"),
        ] {
            let (speed, answer) = check(program);
            assert_eq!(speed["outcome"], "not judged", "{answer}");
            assert!(says(&speed).contains(why), "{answer}");
            assert_eq!(answer["verdict"], "solved", "{answer}");
        }
    }
    // What is wrong is not timed.
    let exercise = numbered("7.3");
    let wrong = solution(&exercise).replacen("k += 4", "k += 5", 1);
    assert_ne!(wrong, solution(&exercise));
    learner.writes(&exercise, &wrong);
    let shown = learner.types("exercise 7.3").run().ends_with(1);
    assert!(!shown.stdout.contains("of the speed"), "{shown}");
}

/// Solutions that nearly are: what is said must be what is wrong.
fn plausible_wrong_answers_are_told_what_is_wrong(lesson: &str) {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started(&format!("plausible-{lesson}"));
    let barrier = "        barrier(CLK_LOCAL_MEM_FENCE);       // nobody needs them any longer\n";
    let add = "            sum += a_tile[y][k] * b_tile[k][x];\n";
    let guard = "first_column + y < columns && first_row + x < rows";
    let cases: [(&str, &str, &str, &[&str]); 15] = [
        // Right on PoCL, and a race.
        ("6.2", barrier, "", &["✗ races", "✓ result"]),
        // Right everywhere, and eight times as many as are needed.
        (
            "6.2",
            add,
            "        { sum += a_tile[y][k] * b_tile[k][x]; barrier(CLK_LOCAL_MEM_FENCE); }\n",
            &["✗ barriers", "too many"],
        ),
        (
            "6.4",
            guard,
            "first_row + y < rows && first_column + x < columns",
            &["✗ result", "at 37x91"],
        ),
        (
            "6.5",
            "            tile[me] += tile[me + others];\n        barrier(CLK_LOCAL_MEM_FENCE);\n",
            "        { tile[me] += tile[me + others]; barrier(CLK_LOCAL_MEM_FENCE); }\n",
            &["✗ barriers"],
        ),
        // Only the corner beyond both edges is sent home.
        (
            "3.1",
            "row >= M || column",
            "row >= M && column",
            &["✗ result", "✗ races"],
        ),
        // A neighbour's element, and the guard of the other one.
        (
            "2.3",
            "i + half_of_n;",
            "2 * i + 1;",
            &["✗ result", "at 1000"],
        ),
        (
            "2.2",
            "i += get_global_size(0)",
            "i += get_local_size(0)",
            &["✗ races"],
        ),
        // Item by item in a row: the same loads in four times the sectors.
        (
            "4.1",
            "round * items + item",
            "4 * item + (round + 1) % 4",
            &["✗ sectors"],
        ),
        // The guard of the first lane alone.
        ("7.1", "i + 4 <= n", "i < n", &["✗ bounds"]),
        // Right, and each element of B is loaded four times.
        (
            "8.2",
            "a * b[c]",
            "a * B[k * N + column + c]",
            &["✗ global loads"],
        ),
        // One column of A's tile more or less.
        ("8.3", "a_tile[i / DEEP]", "a_tile[i / T]", &["✗ result"]),
        // Right at every size that is padded to one panel, and at no other.
        ("9.1", "column % PANEL] = b", "column] = b", &["✗ result"]),
        // The fetch of this round instead of the next.
        ("9.3", "k0 + TS;", "k0;", &["✗ result"]),
        // Right for the default; another value shows it.
        (
            "10.1",
            "(row0 + r) * N",
            "(row0 + r % 2) * N",
            &["✗", "ROWS = 8"],
        ),
        // The tile's sides, where the group's are meant.
        ("10.3", "across * across <=", "s * s <=", &["✗ result"]),
    ];
    let of_lesson = |id: &str| id.split('.').next() == Some(lesson);
    assert!(cases.iter().any(|(id, ..)| of_lesson(id)));
    for (id, old, new, words) in cases.into_iter().filter(|(id, ..)| of_lesson(id)) {
        let exercise = numbered(id);
        let text = solution(&exercise);
        assert_eq!(text.matches(old).count(), 1, "{id}: {old}");
        learner.writes(&exercise, &text.replacen(old, new, 1));
        let shown = learner.types(&format!("exercise {id} --no-timing")).run();
        shown.ends_with(1).says(words);
    }
}

each! { plausible_wrong_answers_are_told_what_is_wrong:
    plausible_wrong_answers_of_lesson_2_are_told_what_is_wrong "2"
    plausible_wrong_answers_of_lesson_3_are_told_what_is_wrong "3"
    plausible_wrong_answers_of_lesson_4_are_told_what_is_wrong "4"
    plausible_wrong_answers_of_lesson_6_are_told_what_is_wrong "6"
    plausible_wrong_answers_of_lesson_7_are_told_what_is_wrong "7"
    plausible_wrong_answers_of_lesson_8_are_told_what_is_wrong "8"
    plausible_wrong_answers_of_lesson_9_are_told_what_is_wrong "9"
    plausible_wrong_answers_of_lesson_10_are_told_what_is_wrong "10"
}

#[test]
fn what_is_there_is_never_overwritten_and_what_is_new_is_added() {
    let learner = Learner::started("start");
    let all = exercises();
    let (mine, missing) = (learner.file(&all[0]), learner.file(&all[1]));
    assert_eq!(read(&missing), read(&all[1].join("exercise.cl")));
    fs::write(&mine, "// mine\n").expect("writable");
    fs::remove_file(&missing).expect("there");
    let shown = learner.types("start").run().ends_with(0);
    shown.says(&["1 new exercises", "untouched"]);
    assert_eq!(read(&mine), "// mine\n");
    assert_eq!(read(&missing), read(&all[1].join("exercise.cl")));
    let names: Vec<String> = entries(&learner.0).iter().map(|path| name(path)).collect();
    assert!(names.contains(&"README.md".to_string()), "{names:?}");
    let text = read(&learner.file(&all[2]));
    assert!(
        !text.contains("Hint"),
        "neither hints nor solutions are copied"
    );
}

#[test]
fn the_clone_stays_clean() {
    for folder in ["here", "exercises", "lessons/here/there"] {
        let path = workspace().join(folder);
        let there = path.exists();
        let shown = program("course").arg("start").arg(&path).run();
        shown.fails(2, &["lies in the clone", "outside"]);
        assert_eq!(path.exists(), there, "nothing was made");
    }
    // A file that stands where the folder is to be.
    let learner = Learner::new("no-folder");
    fs::write(&learner.0, "a file").expect("writable");
    let run = learner.types("start").run();
    run.fails(1, &["no-folder", "name another folder"]);
    fs::remove_file(&learner.0).expect("there");
}

/// As a user without any variable: `start DIR` is remembered, and the home folder is
/// the default.
#[test]
fn the_folder_is_found_again() {
    let home = Learner::new("home");
    fs::create_dir_all(&home.0).expect("writable");
    let types = |words: &str| {
        let program = program("course").args(words);
        program
            .env("HOME", &home.0)
            .env("XDG_CONFIG_HOME", home.0.join("config"))
    };
    types("exercise 6.2")
        .run()
        .fails(2, &["no exercises yet", "course -- start"]);
    types("check-all").run().fails(2, &["no exercises yet"]);
    types("start")
        .run()
        .ends_with(0)
        .says(&["~/opencl-exercises", "exercise"]);
    assert!(home.0.join("opencl-exercises/README.md").is_file());
    let elsewhere = home.0.join("else where");
    types("start")
        .arg(&elsewhere)
        .run()
        .ends_with(0)
        .says(&["else where"]);
    let listed = types("exercise --json").run().ends_with(0).records();
    let file = listed[0]["file"].as_str().expect("a path").to_string();
    assert!(Path::new(&file).starts_with(&elsewhere), "{file}");
    // A pointer that means nothing is no harm.
    fs::write(home.0.join("config/opencl-course/exercises"), "\n\n").expect("writable");
    types("").run().ends_with(0).says(&["exercises"]);
    let listed = types("exercise").env("OPENCL_COURSE_EXERCISES", "").run();
    listed
        .ends_with(0)
        .says(&["next: cargo run -p course -- exercise"]);
}

#[test]
fn progress_is_text_that_may_be_edited_or_lost() {
    let learner = Learner::started("progress");
    let all = exercises();
    let first = id(&all[0]);
    let file = learner.0.join("progress.txt");
    fs::write(
        &file,
        format!("my own note\n{first} solved\n9 9 9\n\u{0}\n77.7 solved\n"),
    )
    .expect("writable");
    let tally = format!("1 of {} solved", all.len());
    learner.types("exercise").run().ends_with(0).says(&[&tally]);
    learner
        .types(&format!("exercise {first} --hint"))
        .run()
        .ends_with(0);
    let text = learner.progress();
    assert!(text.contains("my own note\n9 9 9\n"), "{text}");
    assert!(
        text.contains(&format!("{first} solved\n{first} hints 1\n")),
        "{text}"
    );
    fs::write(&file, [0xff, 0xfe, 0x00]).expect("writable");
    learner.types("").run().ends_with(0);
    fs::remove_file(&file).expect("there");
    let none = format!("0 of {} solved", all.len());
    learner.types("exercise").run().ends_with(0).says(&[&none]);
}

#[test]
fn the_map_shows_what_is_solved_and_the_next_command() {
    let all = exercises();
    let newcomer = Learner::new("newcomer");
    let map = newcomer.types("").run().ends_with(0);
    let map = map.says(&["cargo run -p lesson01", "cargo run -p course -- start"]);
    assert!(map.stdout.lines().count() <= 24, "{map}");
    let learner = Learner::started("map");
    let (first, second) = (id(&all[0]), id(&all[1]));
    let next = |id: &str| format!("cargo run -p course -- exercise {id}\n");
    learner.types("").run().ends_with(0).says(&[&next(&first)]);
    fs::write(learner.0.join("progress.txt"), format!("{first} solved\n")).expect("writable");
    let map = learner
        .types("")
        .run()
        .ends_with(0)
        .says(&[&next(&second), "1 of "]);
    assert!(map.stdout.lines().count() <= 24, "{map}");
    fits_a_terminal(&map);
}

#[test]
fn check_all_checks_what_was_begun_and_names_what_is_wrong() {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started("check-all");
    let untouched = learner.types("check-all").run().ends_with(0);
    assert!(!untouched.stdout.contains("solved\n  ✗"), "{untouched}");
    untouched.says(&["not begun"]);
    let (good, bad) = (numbered("6.2"), numbered("6.3"));
    learner.writes(&good, &solution(&good));
    let wrong = solution(&bad).replace("sum +=", "sum -=");
    learner.writes(&bad, &wrong);
    let shown = learner.types("check-all").run().ends_with(1);
    let line = |id: &str, words: &str| {
        let has = |line: &str| line.contains(id) && line.contains(words);
        assert!(shown.stdout.lines().any(has), "{id}: {words}\n{shown}");
    };
    line("6.2", "solved");
    line("6.3", "not yet: result");
    fits_a_terminal(&shown);
    let records = learner
        .types("check-all --json")
        .run()
        .ends_with(1)
        .records();
    let solved: Vec<&Value> = records.iter().map(|record| &record["solved"]).collect();
    assert_eq!(solved, [true, false]);
}

#[test]
fn an_exercise_is_known_by_number_name_and_file() {
    let learner = Learner::started("names");
    let exercise = numbered("6.2");
    let file = learner.file(&exercise);
    for word in [
        "6.2",
        "two-barriers",
        "2-two-barriers",
        file.to_str().expect("UTF-8"),
    ] {
        let shown = learner
            .types("exercise --hint")
            .arg(word)
            .run()
            .ends_with(0);
        shown.says(&["Exercise 6.2: Two barriers"]);
    }
    let wrong = learner.types("exercise two-bariers").run();
    wrong.fails(2, &["no exercise two-bariers", "did you mean two-barriers"]);
    fs::remove_file(&file).expect("there");
    let gone = learner.types("exercise 6.2").run();
    gone.fails(2, &["2-two-barriers.cl is not there", "course -- start"]);
}

/// Files that do not build, that never end, that crash, that are empty.
#[test]
fn a_file_of_any_kind_gets_an_answer() {
    let learner = Learner::started("any-kind");
    let exercise = numbered("6.3");
    let text = solution(&exercise);
    let check = |text: &str| {
        learner.writes(&exercise, text);
        learner.types("exercise 6.3").run()
    };
    let shown = check(&text.replace("float sum = 0;", "float sum = 0"));
    shown
        .ends_with(4)
        .says(&["does not build", "float sum = 0", "not solved yet"]);
    learner.writes(&exercise, &text.replace("k0 += TS", "k0 += C[0] == 1"));
    let shown = learner.types("exercise 6.3 --timeout 3").run().ends_with(5);
    shown.says(&["no end after 3 seconds", "not solved yet"]);
    let shown = check(&text.replace("C[row", "((global float *)64)[row"));
    shown
        .ends_with(5)
        .says(&["the process died", "matmul_tiled"]);
    let shown = check(&text.replace("matmul_tiled", "matmul_tilde"));
    shown.ends_with(4).says(&["matmul_tiled"]);
    check("").fails(2, &["3-one-barrier.cl", "empty"]);
}

/// A save is checked, and nothing begins without one.
#[cfg(unix)]
#[test]
fn a_watched_exercise_is_checked_again_after_a_save() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started("watch");
    let exercise = numbered("6.2");
    let mut watching = learner
        .types("exercise 6.2 --watch")
        .command()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the course starts");
    let pid = watching.id().to_string();
    let signal = |name: &str| Command::new("kill").args([name, &pid]).status();
    let mut words = BufReader::new(watching.stderr.take().expect("piped")).lines();
    let mut waits = || {
        let found = words.find(|line| {
            line.as_ref()
                .is_ok_and(|line| line.contains("watching: save"))
        });
        assert!(found.is_some(), "it ended instead of waiting for a save");
    };
    waits();
    learner.writes(&exercise, &solution(&exercise));
    waits();
    signal("-INT").expect("kill runs");
    let mut shown = String::new();
    let mut stdout = watching.stdout.take().expect("piped");
    stdout.read_to_string(&mut shown).expect("text");
    assert!(watching.wait().expect("it ends").success());
    assert_eq!(shown.matches("6.2: not solved yet").count(), 1, "{shown}");
    assert_eq!(shown.matches("6.2: solved").count(), 1, "{shown}");
    let told = words.any(|line| line.is_ok_and(|line| line == "watching ended"));
    assert!(told);
}

/// From the list to a solved exercise in a plain terminal, by the screen's own words.
#[cfg(unix)]
#[test]
fn on_a_terminal_of_80_columns_no_row_is_broken_on_the_way_to_a_solution() {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started("tty");
    let exercise = numbered("6.2");
    let on_terminal = |words: &str| learner.types(words).on_terminal(80, 24);
    let ends = |words: &str, status: i32, says: &[&str]| {
        let mut terminal = on_terminal(words);
        terminal.ends_with(status);
        let shown = terminal.transcript();
        for text in says {
            assert!(shown.contains(text), "{text}: {shown}");
        }
        assert_eq!(terminal.broken_rows(), [""; 0], "{shown}");
    };
    ends("", 0, &["Next is exercise 1.1", "course -- exercise 1.1"]);
    let wanting = ["races", "not solved yet", "0 of 3 hints seen"];
    ends("exercise 6.2", 1, &wanting);
    let barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
    let mistyped = solution(&exercise).replacen(barrier, "barier(CLK_LOCAL_MEM_FENCE);", 1);
    learner.writes(&exercise, &mistyped);
    ends("exercise 6.2", 4, &["does not build", "barier(", "^"]);
    ends("exercise 6.2 --hint", 0, &["Hint 1", "2 more"]);
    ends("check-all", 4, &["not yet: result", "next: cargo run"]);

    let mut terminal = on_terminal("exercise 6.2 --watch");
    terminal.waits_for("2-two-barriers.cl: checking");
    terminal.waits_for("watching: save 2-two-barriers.cl");
    // No key begins anything.
    terminal.press("x");
    learner.writes(&exercise, &solution(&exercise));
    terminal.waits_for("2-two-barriers.cl saved: checking");
    terminal.waits_for("6.2: solved");
    // What comes next is named, and left to the learner.
    terminal.waits_for("course -- exercise 6.3");
    terminal.waits_for("watching: save 2-two-barriers.cl");
    terminal.press(key::CTRL_C).waits_for("watching ended");
    terminal.ends_with(0);
    assert!(terminal.is_in_order(), "{}", terminal.screen());
    assert_eq!(terminal.broken_rows(), [""; 0], "{}", terminal.transcript());
    ends("check-all", 0, &["6.2   Two barriers", "solved"]);
}

#[test]
fn without_a_device_the_message_names_setup() {
    let learner = Learner::started("no-device");
    let drivers = scratch_folder("no-drivers");
    let run = learner
        .types("exercise 6.2")
        .env("OCL_ICD_VENDORS", drivers)
        .run();
    run.fails(
        3,
        &["no usable OpenCL device", "./setup", "course -- doctor"],
    )
    .says(&["did not run"]);
    let exercise = numbered("6.2");
    learner.writes(&exercise, &solution(&exercise));
    let run = learner
        .types("check-all")
        .env("OCL_ICD_VENDORS", scratch_folder("no-drivers"))
        .run();
    run.fails(3, &["no usable OpenCL device", "course -- doctor"])
        .says(&["did not run"]);
}

/// Right, and nobody has looked for a race: that is not solved.
#[test]
fn without_the_simulator_a_right_result_is_not_a_solution() {
    let learner = Learner::started("no-oclgrind");
    let exercise = numbered("6.2");
    learner.writes(&exercise, &solution(&exercise));
    let types = |words: &str| learner.types(words).env("OCLGRIND_LIBRARY", "/nowhere");
    let shown = types("exercise 6.2").run().ends_with(0);
    shown.says(&["✓ result", "not proven free of races", "./setup --full"]);
    assert!(learner.progress().contains("6.2 right\n"));
    types("").run().ends_with(0).says(&["0 of "]);
    types("check-all")
        .run()
        .ends_with(0)
        .says(&["right, not proven"]);
}
