//! What is noted of a file follows the file; a file can be given back; and who asks for
//! help before there is a folder is helped, too.

use super::*;

/// What was solved and is broken again is so on every list, and comes next.
#[test]
fn check_all_and_the_map_agree_on_what_is_broken_again() {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started("broken-again");
    let exercise = numbered("2.2");
    let types = |words: &str| learner.types(words).run();
    learner.writes(&exercise, &solution(&exercise));
    types("exercise 2.2").ends_with(0);
    types("").ends_with(0).says(&["1 of 3"]);
    let wrong = solution(&exercise).replace("i < n", "i <= n");
    assert_ne!(wrong, solution(&exercise));
    learner.writes(&exercise, &wrong);
    let next = "next: cargo course exercise 2.2";
    let shown = types("check-all").ends_with(1);
    shown.says(&["✗ 2.2", "now broken: ", "0 of ", next]);
    assert!(learner.progress().contains("2.2 broken\n"));
    let map = types("").ends_with(0);
    let map = map.says(&["0 of 3", "Next: Exercise 2.2"]);
    assert!(!map.stdout.contains("1 of 3"), "{map}");
    types("exercise --list").says(&["✗ 2.2", next]);
    learner.writes(&exercise, &solution(&exercise));
    // A number is not needed: it is the next one.
    types("exercise").ends_with(0).says(&["2.2: solved"]);
    types("check-all").ends_with(0).says(&["1 of "]);
}

/// What is right is checked by workers that stay; what crashes takes its own along.
#[test]
fn check_all_tells_a_death_of_the_kernel_that_died_alone() {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started("deaths");
    for (id, line) in [("1.1", ""), ("1.2", "*(volatile global int *)8 = 1;\n"), ("1.3", "")] {
        let exercise = numbered(id);
        let text = solution(&exercise).replace(GAP_ENDS, &format!("{line}{GAP_ENDS}"));
        learner.writes(&exercise, &text);
    }
    let shown = learner.types("check-all --no-timing").run();
    shown.ends_with(5).says(&["✓ 1.1", "✗ 1.2", "✓ 1.3", &solved(2)]);
}

/// Who looks at another learner's file does not lose, or win, by what is in it.
#[test]
fn a_file_of_somebody_else_changes_no_progress() {
    let [own, other] = ["own-file", "other-file"].map(Learner::started);
    let exercise = numbered("1.1");
    let noted = "1.1 solved\n";
    fs::write(own.0.join("progress.txt"), noted).expect("writable");
    for flag in ["", "--reset", "--hint", "--solution"] {
        let file = other.file(&exercise);
        own.types("exercise").arg(file).args(flag).run();
        assert_eq!(own.progress(), noted, "{flag}");
    }
    own.types("exercise 1.1 --solution").run().ends_with(0);
    assert!(own.progress().contains("1.1 solution\n"));
    let file = own.file(&exercise);
    own.types("exercise").arg(file).run().ends_with(1);
    assert!(own.progress().contains("1.1 broken\n"), "{}", own.progress());
}

#[test]
fn a_file_is_given_back_and_the_old_one_is_kept() {
    let learner = Learner::started("reset");
    for (words, place) in
        [("exercise 6.2", "06-local-memory/2-two-barriers"), ("diagnose 7", "diagnose/07")]
    {
        let at = |end: &str| learner.0.join(format!("{place}{end}"));
        let fresh = read(at(".cl"));
        let resets = || learner.types(words).arg("--reset").run().ends_with(0);
        for (mine, kept) in [("// one\n", ".old.cl"), ("// two\n", ".old-2.cl")] {
            fs::write(at(".cl"), mine).expect("writable");
            let shown = resets().says(&["is as it came"]);
            assert!(shown.stdout.contains(kept), "{shown}");
            assert_eq!(read(at(".cl")), fresh);
            assert_eq!(read(at(kept)), mine);
        }
        // What is as it came already is left alone; what is gone comes back.
        resets();
        assert!(!at(".old-3.cl").exists());
        fs::remove_file(at(".cl")).expect("there");
        resets();
        assert_eq!(read(at(".cl")), fresh);
    }
}

#[test]
fn a_diff_shows_what_the_solution_does_in_another_way() {
    let learner = Learner::started("own-diff");
    let shown = learner.types("exercise 6.2 --diff").run().ends_with(0);
    shown.says(&["- yours", "+         barrier(CLK_LOCAL_MEM_FENCE);"]);
    let exercise = numbered("6.2");
    learner.writes(&exercise, &solution(&exercise));
    let shown = learner.types("exercise 6.2 --diff").run().ends_with(0);
    shown.says(&["Your file is our solution"]);
}

#[test]
fn a_hint_before_there_is_a_folder_says_where_more_are_counted() {
    let learner = Learner::new("no-folder-yet");
    for _ in 0..2 {
        let shown = learner.types("exercise 6.2 --hint").run().ends_with(0);
        shown.says(&["Hint 1", "2 more: --hint shows the next, in a folder of your own"]);
    }
    assert!(!learner.0.exists(), "nothing was made");
    for words in ["exercise", "diagnose", "exercise --watch"] {
        let run = learner.types(words).run();
        run.fails(2, &["no exercises yet", "cargo course start"]);
    }
}
