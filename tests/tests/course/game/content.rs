//! What an exercise is made of: a gap, hints, a solution, a place in its lesson's page.

use tests::kernel_files;

use super::*;

#[test]
fn an_exercise_and_its_solution_differ_only_in_the_gap() {
    for exercise in exercises() {
        let (open, solved) = (read(exercise.join("exercise.cl")), solution(&exercise));
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
    let folders = entries(&workspace().join("exercises")).into_iter();
    for lesson in folders.filter(|lesson| is_of_a_lesson(lesson)) {
        let count = entries(&lesson).len();
        assert!(count >= 3, "{lesson:?} has {count}");
        let page = workspace().join("lessons").join(name(&lesson));
        // That every lesson has a page is for another test to say.
        let Ok(page) = fs::read_to_string(page.join("README.md")) else {
            continue;
        };
        for exercise in entries(&lesson) {
            let command = format!("exercise {}", id(&exercise));
            assert!(page.contains(&command), "the page of {lesson:?} does not name {command}");
        }
    }
}

#[test]
fn hints_come_one_at_a_time() {
    let learner = Learner::started("hints");
    for (command, id) in [("exercise", "6.2"), ("exercise", "d7")] {
        for (seen, next) in [(1, 2), (2, 3), (3, 4), (3, 4)] {
            let shown = learner.types(&format!("{command} {id} --hint")).run();
            let shown = shown.ends_with(0).says(&[&format!("Hint {seen}")]);
            let early = shown.stdout.contains(&format!("Hint {next}"));
            assert!(!early, "{shown}");
        }
        assert!(learner.progress().contains(&format!("{id} hints 3\n")), "{id}");
    }
}

#[test]
fn all_hints_and_answers_fit_a_terminal() {
    let learner = Learner::started("all-hints");
    let exercises = exercises().into_iter().map(|one| ("exercise", id(&one)));
    let broken =
        (1..=kernel_files("exercises/broken").len()).map(|one| ("diagnose", format!("d{one}")));
    for (command, id) in exercises.chain(broken) {
        let seen = format!("{id} hints 2\n");
        fs::write(learner.0.join("progress.txt"), seen).expect("writable");
        let shown = learner.types(&format!("{command} {id} --hint")).run();
        let shown = shown.ends_with(0).says(&["Hint 1", "Hint 2", "Hint 3"]);
        learner.sees_on_80_columns(&shown);
        let answer = format!("{command} {id} --solution");
        let shown = learner.types(&answer).run();
        let shown = shown.ends_with(0).says(&["You have not changed your file yet"]);
        learner.sees_on_80_columns(&shown);
    }
}
