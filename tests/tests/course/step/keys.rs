//! Every key, as a person presses it.

use std::time::Duration;

use super::*;

#[test]
fn enter_leads_through_the_lesson_to_its_tables() {
    let mut terminal = stepping();
    let script = "
        Enter | measuring the limits | q quit
        Enter | kernel matmul_global_sum | q quit
        Enter | matmul_global_sum: building | q quit
        Enter | matmul_global_sum: allocating and writing | q quit
        Enter | matmul_global_sum: setting arguments | q quit
        Enter | matmul_global_sum: poisoning C | q quit
        Enter | matmul_global_sum: launching | q quit
        Enter | matmul_global_sum: waiting | q quit
        Enter | matmul_global_sum: reading | q quit
        Enter | matmul_global_sum: checking | q quit
        Space | matmul_global_sum: timing | skip
        Enter | no prediction | the result ✓ | q quit
        Right | kernel matmul_private_sum | 3 of its 15 lines are new against matmul_global_sum
        n | How many times as fast as matmul_global_sum
        skip | x matmul_global_sum
        n | all kernels | q quit
        Enter
        ends 0";
    play(&mut terminal, script);
    let all = terminal.transcript();
    assert!(
        all.contains("kernel                               median"),
        "{all}"
    );
    must_be_tidy(&mut terminal);
}

#[test]
fn a_prediction_stands_beside_the_measurement() {
    let mut terminal = stepping();
    let script = "
        question | What share of the device's limit
        5 | > 5
        z | > 5
        Backspace | >
        12,5%
        Enter | predicted: 12.5 | predicted 12 %, measured | predicted          | q quit
        to kernel matmul_private_sum
        n | How many times as fast
        2.5x
        Enter | predicted 2.50x, measured | q quit";
    play(&mut terminal, script);
    let screen = terminal.screen();
    // Three bars: the step before, this one, and what was expected.
    for name in [
        "  matmul_global_sum   ",
        "  matmul_private_sum  ",
        "  predicted           ",
    ] {
        let mut lines = screen.lines().filter(|line| line.starts_with(name));
        let is_bar = |line: &str| line.contains('█') && line.contains("GFLOP/s");
        assert!(lines.any(is_bar), "no bar {name}\n{screen}");
    }
}

#[test]
fn b_leads_back_to_the_explanation_and_to_what_was_told() {
    // The arrow up begins at the end of what was told. What the lesson and the kernel's comment
    // say of the step stands there, too.
    let script = "
        to matmul_global_sum: setting arguments
        b | Arguments are set one by one | Esc back | the running sum lives in C | The sum is in global memory
        End | int K = 64
        PgUp | measuring the limits
        Home | Arguments are set one by one
        Down | Esc back
        Esc | q quit | int K = 64
        Up | int K = 64 | Esc back
        q | q quit
        Left | Arguments are set one by one
        Enter | q quit
        q
        ends 0";
    play(&mut stepping(), script);
}

#[test]
fn k_shows_the_kernel_and_marks_its_new_lines() {
    let mut terminal = stepping();
    let script = "
        k | No kernel has begun yet
        Esc | q quit
        to kernel matmul_global_sum
        k | nothing to compare | C[row * N + column] = 0;
        Esc | q quit
        question
        skip
        to kernel matmul_private_sum
        k | Esc back | + marks what is new";
    play(&mut terminal, script);
    let screen = terminal.screen();
    let new: Vec<&str> = screen.lines().filter(|line| line.contains(" + ")).collect();
    let is_new = |code: &str| new.iter().any(|line| line.contains(code));
    for (code, expected) in [
        ("REAL sum = 0;", true),
        ("C[row * N + column] = sum;", true),
        ("return;", false),
        ("get_global_id", false),
    ] {
        assert_eq!(is_new(code), expected, "{code}\n{screen}");
    }
}

#[test]
fn m_shows_the_poison_before_the_launch_and_the_product_after_it() {
    let mut terminal = stepping();
    let script = "
        m | No buffer has been made yet
        Esc | q quit
        to matmul_global_sum: poisoning C
        m | C, 64 x 64 float | Esc back";
    play(&mut terminal, script);
    let screen = terminal.screen();
    let poisoned = screen.matches("poison ").count() + screen.matches("poison\n").count();
    assert_eq!(poisoned, 64, "{screen}");
    let script = "
        Esc | q quit
        to matmul_global_sum: waiting
        m | C, 64 x 64 float | Esc back | !poison
        PgDn | B, 64 x 64 float";
    play(&mut terminal, script);
}

#[test]
fn r_runs_the_kernel_again() {
    let mut terminal = stepping();
    let script = "
        to matmul_global_sum: reading
        r | once more | matmul_global_sum: building | q quit
        question
        skip
        r | once more | matmul_global_sum: building | q quit
        question
        skip
        n | kernel matmul_private_sum | q quit
        question
        skip
        n | all kernels | q quit
        q
        ends 0";
    play(&mut terminal, script);
    // Run three times, it is one row of the table.
    let rows = terminal.transcript();
    let is_row = |line: &&str| line.starts_with("  matmul_global_sum      ") && line.contains('±');
    assert_eq!(rows.lines().filter(is_row).count(), 1);
}

#[test]
fn q_ends_the_lesson_and_control_c_interrupts_it_and_both_leave_the_terminal_in_order() {
    // In a text q leads back to the lesson.
    for (place, back) in [
        ("", ""),
        ("to matmul_global_sum: launching", ""),
        ("question", ""),
        ("b | Esc back", "q | q quit"),
    ] {
        play(&mut stepping(), &format!("{place}\n\x03\nends 130"));
        play(&mut stepping(), &format!("{place}\n{back}\nq\nends 0"));
    }
}

#[test]
fn waiting_for_a_person_is_no_hang() {
    let stepping = || two_kernels("--step --timeout 4").on_terminal(80, 24);
    let [mut at_a_step, mut at_a_question] = [stepping(), stepping()];
    at_a_step.waits_for("q quit");
    at_a_question.waits_for("q quit");
    play(&mut at_a_question, "question");
    std::thread::sleep(Duration::from_secs(5));
    play(&mut at_a_step, "x | q quit\nq\nends 0");
    play(&mut at_a_question, "q\nends 0");
}
