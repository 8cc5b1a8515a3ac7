//! The commands, one after the other: each save is checked, and what is printed fits a
//! plain terminal.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use super::*;

/// The command, with its words in pipes.
fn piped(learner: &Learner, words: &str) -> Child {
    let mut command = learner.types(words).command();
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the course starts")
}

/// Without a number the next exercise comes by itself when one is solved; there are no keys.
#[test]
fn all_exercises_are_watched_one_after_the_other() {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started("watch-all");
    let mut watching = piped(&learner, "exercise --watch --no-timing");
    let mut words = BufReader::new(watching.stderr.take().expect("piped")).lines();
    let mut says = |text: &str| {
        let found = words.find(|line| line.as_ref().is_ok_and(|line| line.contains(text)));
        assert!(found.is_some(), "it ended without: {text}");
    };
    says("watching: save 1-number-of-an-item.cl");
    let first = numbered("1.1");
    // A save ends the check of a kernel that does not end.
    let endless = solution(&first).replace(GAP_ENDS, &format!("for (;;) ;\n{GAP_ENDS}"));
    learner.writes(&first, &endless);
    says("1-number-of-an-item.cl saved: checking");
    std::thread::sleep(std::time::Duration::from_secs(1));
    learner.writes(&first, &solution(&first));
    says("1-number-of-an-item.cl saved (the run before was ended): checking");
    says("2-rows-and-columns.cl is next: checking");
    says("watching: save 2-rows-and-columns.cl");
    let pid = watching.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    says("watching ended");
    let mut shown = String::new();
    let mut stdout = watching.stdout.take().expect("piped");
    stdout.read_to_string(&mut shown).expect("text");
    assert!(watching.wait().expect("it ends").success());
    assert_eq!(shown.matches("1.1: solved").count(), 1, "{shown}");
    assert_eq!(shown.matches("1.2: not solved yet").count(), 1, "{shown}");
}

/// From the list to a solved exercise in a plain terminal, by the screen's own words.
#[test]
fn on_a_terminal_of_80_columns_no_row_is_broken_on_the_way_to_a_solution() {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started("tty");
    let exercise = numbered("6.2");
    let ends = |words: &str, status: i32, says: &[&str]| {
        let mut terminal = learner.types(words).on_terminal(80, 24);
        terminal.ends_with(status);
        let shown = terminal.transcript();
        for text in says {
            assert!(shown.contains(text), "{text}: {shown}");
        }
        assert_eq!(terminal.broken_rows(), [""; 0], "{shown}");
    };
    let wanting = ["races", "not solved yet", "0 of 3 hints seen"];
    ends("exercise 6.2", 1, &wanting);
    let barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
    let mistyped = solution(&exercise).replacen(barrier, "barier(CLK_LOCAL_MEM_FENCE);", 1);
    learner.writes(&exercise, &mistyped);
    ends("exercise 6.2", 4, &["does not build", "barier(", "^"]);
    ends("exercise 6.2 --hint", 0, &["Hint 1", "2 more"]);
    ends("check-all", 4, &["not yet: result", "next: cargo course"]);
    learner.writes(&exercise, &solution(&exercise));
    let next = "cargo course exercise 6.3";
    ends("exercise 6.2", 0, &["6.2: solved", next]);
    ends("check-all", 0, &["6.2   Two barriers", "solved"]);
}
