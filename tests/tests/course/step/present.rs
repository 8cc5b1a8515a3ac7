//! For a room: how wide it is.

use super::*;

#[test]
fn a_presentation_fits_sixty_columns() {
    let mut terminal = two_kernels("--present").on_terminal(60, 24);
    terminal
        .waits_for("Lesson 5: private memory")
        .waits_for("q quit");
    for _ in 0..60 {
        let screen = terminal.screen();
        if screen.contains("all kernels") {
            break;
        }
        terminal
            .reads_keys()
            .press(key::ENTER)
            .waits_until("keys", |since, _| since.contains("q quit"));
        let screen = terminal.screen();
        assert!(
            screen.lines().all(|line| line.chars().count() <= 60),
            "{screen}"
        );
    }
    terminal.reads_keys().press(key::ENTER).ends_with(0);
    let all = terminal.raw();
    for text in [
        "┃  matmul_private_sum: launching",
        "clEnqueueNDRangeKernel",
        "████████",
    ] {
        assert!(all.contains(text), "no {text}");
    }
    must_be_tidy(&mut terminal);
}

#[test]
fn a_wide_terminal_does_not_widen_a_presentation() {
    let mut terminal = two_kernels("--present").on_terminal(200, 40);
    terminal.waits_for("q quit");
    forward_to(&mut terminal, "choosing a device");
    let screen = terminal.screen();
    assert!(
        screen.lines().all(|line| line.chars().count() <= 60),
        "{screen}"
    );
}

#[test]
fn a_lesson_keeps_to_the_width_of_the_terminal() {
    for number in [1, 2, 5] {
        let size = if number == 2 { "1000" } else { "64" };
        let mut terminal = lesson(number)
            .args("--runs 1 --size")
            .arg(size)
            .on_terminal(80, 24);
        terminal.ends_with(0);
        let broken = terminal.broken_rows();
        assert!(broken.is_empty(), "lesson {number}: {broken:#?}");
    }
}

#[test]
fn a_terminal_of_one_column_is_no_panic() {
    let mut terminal = two_kernels("--step").on_terminal(1, 24);
    terminal.reads_keys().press("q").ends_with(0);
}
