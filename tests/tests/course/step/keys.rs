//! Keys that show what is looked at more closely; the others are in `tests/sessions/step_keys.txt`.

use std::time::Duration;

use super::*;
use crate::keys::{STEP, press_all};

#[test]
fn each_key_does_what_the_screen_says() {
    let mut terminal = stepping();
    press_all(&mut terminal, STEP);
    terminal.press("q").ends_with(0);
}

#[test]
fn k_marks_a_kernels_new_lines() {
    let mut terminal = stepping();
    terminal.press("k").waits_for("No kernel has begun yet");
    terminal.press(key::ESCAPE).waits_for("q quit");
    to_question(&mut terminal);
    terminal.press(key::ENTER).waits_for("q quit");
    forward_to(&mut terminal, "kernel matmul_private_sum");
    terminal.press("k").waits_for("Esc back").waits_for("+ marks what is new");
    let screen = terminal.screen();
    let new: Vec<&str> = screen.lines().filter(|line| line.contains(" + ")).collect();
    for (code, expected) in [
        ("REAL sum = 0;", true),
        ("C[row * N + column] = sum;", true),
        ("return;", false),
        ("get_global_id", false),
    ] {
        let is_new = new.iter().any(|line| line.contains(code));
        assert_eq!(is_new, expected, "{code}\n{screen}");
    }
}

#[test]
fn waiting_for_a_person_is_no_hang() {
    let stepping = || two_kernels("--step --timeout 2").on_terminal(80, 24);
    let [mut at_a_step, mut at_a_question] = [stepping(), stepping()];
    at_a_step.waits_for("q quit");
    at_a_question.waits_for("q quit");
    to_question(&mut at_a_question);
    // Longer than the limit, which a kernel on a busy machine keeps.
    std::thread::sleep(Duration::from_secs(3));
    at_a_step.press("x").waits_for("q quit");
    at_a_step.press("q").ends_with(0);
    at_a_question.press("q").ends_with(0);
}
