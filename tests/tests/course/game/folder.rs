//! The learner's folder: what is copied there, found again, kept and never overwritten.

use super::*;

#[test]
fn what_is_there_is_never_overwritten_and_what_is_new_is_added() {
    let learner = Learner::started("start");
    let all = exercises();
    let (mine, missing) = (learner.file(&all[0]), learner.file(&all[1]));
    assert_eq!(read(&missing), read(all[1].join("exercise.cl")));
    fs::write(&mine, "// mine\n").expect("writable");
    fs::remove_file(&missing).expect("there");
    let shown = learner.types("start").run().ends_with(0);
    shown.says(&["1 new file in", "untouched"]);
    assert_eq!(read(&mine), "// mine\n");
    assert_eq!(read(&missing), read(all[1].join("exercise.cl")));
    let names: Vec<String> = entries(&learner.0).iter().map(|path| name(path)).collect();
    assert!(names.contains(&"README.md".to_string()), "{names:?}");
    let text = read(learner.file(&all[2]));
    assert!(!text.contains("Hint"), "neither hints nor solutions are copied");
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
    // The same by the variable, from within the clone.
    let shown = program("course").args("start").env("OPENCL_COURSE_EXERCISES", "mine").run();
    shown.fails(2, &["lies in the clone", "outside"]);
    // A file that stands where the folder is to be.
    let learner = Learner::new("no-folder");
    fs::write(&learner.0, "a file").expect("writable");
    let run = learner.types("start").run();
    run.fails(2, &["no-folder", "name another folder"]);
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
        program.env("HOME", &home.0).env("XDG_CONFIG_HOME", home.0.join("config"))
    };
    types("exercise 6.2").run().fails(2, &["no exercises yet", "cargo course start"]);
    types("start").run().ends_with(0).says(&["~/opencl-exercises", "exercise"]);
    assert!(home.0.join("opencl-exercises/README.md").is_file());
    let elsewhere = home.0.join("else where");
    types("start").arg(&elsewhere).run().ends_with(0).says(&["else where"]);
    let listed = types("exercise --list --json").run().ends_with(0).records();
    let file = listed[0]["file"].as_str().expect("a path").to_string();
    assert!(Path::new(&file).starts_with(&elsewhere), "{file}");
    // A pointer that means nothing is no harm.
    fs::write(home.0.join("config/opencl-course/exercises"), "\n\n").expect("writable");
    types("").run().ends_with(0).says(&["exercises"]);
    let listed = types("exercise --list").env("OPENCL_COURSE_EXERCISES", "").run();
    listed.ends_with(0).says(&["next: cargo course exercise"]);
}

#[test]
fn progress_is_text_that_may_be_edited_or_lost() {
    let learner = Learner::started("progress");
    let all = exercises();
    let first = id(&all[0]);
    let file = learner.0.join("progress.txt");
    fs::write(&file, format!("my own note\n{first} solved\n9 9 9\n\u{0}\n77.7 solved\n"))
        .expect("writable");
    let tally = solved(1);
    learner.types("exercise --list").run().ends_with(0).says(&[&tally]);
    learner.types(&format!("exercise {first} --hint")).run().ends_with(0);
    let text = learner.progress();
    assert!(text.contains("my own note\n9 9 9\n"), "{text}");
    assert!(text.contains(&format!("{first} solved\n{first} hints 1\n")), "{text}");
    fs::write(&file, [0xff, 0xfe, 0x00]).expect("writable");
    learner.types("").run().ends_with(0);
    fs::remove_file(&file).expect("there");
    let none = solved(0);
    learner.types("exercise --list").run().ends_with(0).says(&[&none]);
}

#[test]
fn the_map_shows_what_is_solved_and_the_next_command() {
    let all = exercises();
    let newcomer = Learner::new("newcomer");
    let map = newcomer.types("").run().ends_with(0);
    let map = map.says(&["cargo run -p lesson01", "cargo course start"]);
    assert!(map.stdout.lines().count() <= 24, "{map}");
    let learner = Learner::started("map");
    let (first, second) = (id(&all[0]), id(&all[1]));
    let next = |id: &str| format!("cargo course exercise {id}\n");
    learner.types("").run().ends_with(0).says(&[&next(&first)]);
    fs::write(learner.0.join("progress.txt"), format!("{first} solved\n")).expect("writable");
    let map = learner.types("").run().ends_with(0).says(&[&next(&second), "1 of "]);
    assert!(map.stdout.lines().count() <= 24, "{map}");
    learner.sees_on_80_columns(&map);
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
    learner.sees_on_80_columns(&shown);
    let records = learner.types("check-all --json").run().ends_with(1).records();
    let solved: Vec<&Value> = records.iter().map(|record| &record["solved"]).collect();
    assert_eq!(solved, [true, false]);
}

#[test]
fn an_exercise_is_known_by_number_name_and_file() {
    let learner = Learner::started("names");
    let exercise = numbered("6.2");
    let file = learner.file(&exercise);
    for word in ["6.2", "two-barriers", "2-two-barriers", file.to_str().expect("UTF-8")] {
        let shown = learner.types("exercise --hint").arg(word).run().ends_with(0);
        shown.says(&["Exercise 6.2: Two barriers"]);
    }
    let wrong = learner.types("exercise two-bariers").run();
    wrong.fails(2, &["no exercise two-bariers", "did you mean two-barriers"]);
    fs::remove_file(&file).expect("there");
    let gone = learner.types("exercise 6.2").run();
    gone.fails(2, &["2-two-barriers.cl is not there", "cargo course start"]);
}
