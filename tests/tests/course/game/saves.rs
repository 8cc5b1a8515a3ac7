//! With a person at the keyboard: each save is checked, in a plain terminal.

use tests::pty::key;

use super::*;

/// A save is checked, and nothing begins without one.
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
