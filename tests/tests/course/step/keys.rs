//! Every key, as a person presses it.

use std::time::Duration;

use super::*;

#[test]
fn enter_leads_through_the_lesson_to_its_tables() {
    let mut terminal = stepping();
    for title in [
        "measuring the limits",
        "kernel matmul_global_sum",
        "matmul_global_sum: building",
        "matmul_global_sum: allocating and writing",
        "matmul_global_sum: setting arguments",
        "matmul_global_sum: poisoning C",
        "matmul_global_sum: launching",
        "matmul_global_sum: waiting",
        "matmul_global_sum: reading",
        "matmul_global_sum: checking",
    ] {
        terminal
            .reads_keys()
            .press(key::ENTER)
            .waits_for(title)
            .waits_for("q quit");
    }
    // Space and the right arrow lead on, too.
    terminal
        .press(" ")
        .waits_for("matmul_global_sum: timing")
        .waits_for("skip");
    terminal
        .reads_keys()
        .press(key::ENTER)
        .waits_for("no prediction")
        .waits_for("the result ✓");
    terminal
        .waits_for("q quit")
        .press(key::RIGHT)
        .waits_for("kernel matmul_private_sum");
    terminal.waits_for("3 of its 15 lines are new against matmul_global_sum");
    // n leads to the next question.
    terminal
        .press("n")
        .waits_for("How many times as fast as matmul_global_sum");
    skip_question(&mut terminal);
    assert!(terminal.screen().contains("x matmul_global_sum"));
    terminal.press("n").waits_for("all kernels");
    terminal
        .waits_for("q quit")
        .reads_keys()
        .press(key::ENTER)
        .ends_with(0);
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
    to_question(&mut terminal);
    assert!(
        terminal
            .screen()
            .contains("What share of the device's limit")
    );
    // What is no number is not accepted, and can be taken back.
    terminal.press("5").waits_for("> 5");
    terminal.press("z").waits_for("> 5").reads_keys();
    terminal.press(key::BACKSPACE).waits_for("  >");
    terminal.press("12,5%").press(key::ENTER);
    terminal
        .waits_for("predicted: 12.5")
        .waits_for("predicted 12 %, measured");
    terminal
        .waits_for("predicted          ")
        .waits_for("q quit");
    forward_to(&mut terminal, "kernel matmul_private_sum");
    terminal.press("n").waits_for("How many times as fast");
    terminal.press("2.5x").press(key::ENTER);
    terminal
        .waits_for("predicted 2.50x, measured")
        .waits_for("q quit");
    let screen = terminal.screen();
    // Three bars: the step before, this one, and what was expected.
    for name in [
        "  matmul_global_sum   ",
        "  matmul_private_sum  ",
        "  predicted           ",
    ] {
        let bar = screen
            .lines()
            .find(|line| line.starts_with(name) && line.contains('█'));
        assert!(
            bar.is_some_and(|bar| bar.contains("GFLOP/s")),
            "no bar {name}\n{screen}"
        );
    }
}

#[test]
fn b_leads_back_to_the_explanation_and_to_what_was_told() {
    let mut terminal = stepping();
    forward_to(&mut terminal, "matmul_global_sum: setting arguments");
    terminal
        .press("b")
        .waits_for("Arguments are set one by one")
        .waits_for("Esc back");
    // What the lesson and the kernel's comment say of the step.
    terminal
        .waits_for("the running sum lives in C")
        .waits_for("The sum lives in global memory");
    terminal.press("\x1b[F").waits_for("int K = 64");
    terminal
        .press(key::PAGE_UP)
        .waits_for("measuring the limits");
    terminal
        .press("\x1b[H")
        .waits_for("Arguments are set one by one");
    terminal.press(key::DOWN).waits_for("Esc back");
    terminal.press(key::ESCAPE).waits_for("q quit");
    assert!(terminal.screen().contains("int K = 64"));
    // The arrow up begins at the end of what was told.
    terminal
        .press(key::UP)
        .waits_for("int K = 64")
        .waits_for("Esc back");
    terminal.press("q").waits_for("q quit");
    terminal
        .press(key::LEFT)
        .waits_for("Arguments are set one by one");
    terminal.reads_keys().press(key::ENTER).waits_for("q quit");
    terminal.press("q").ends_with(0);
    assert!(terminal.is_in_order());
}

#[test]
fn k_shows_the_kernel_and_marks_its_new_lines() {
    let mut terminal = stepping();
    terminal
        .press("k")
        .waits_for("No kernel has begun yet")
        .press(key::ESCAPE)
        .waits_for("q quit");
    forward_to(&mut terminal, "kernel matmul_global_sum");
    terminal
        .press("k")
        .waits_for("nothing to compare")
        .waits_for("C[row * N + column] = 0;");
    terminal.press(key::ESCAPE).waits_for("q quit");
    to_question(&mut terminal);
    skip_question(&mut terminal);
    forward_to(&mut terminal, "kernel matmul_private_sum");
    terminal
        .press("k")
        .waits_for("Esc back")
        .waits_for("+ marks what is new");
    let screen = terminal.screen();
    let new: Vec<&str> = screen.lines().filter(|line| line.contains(" + ")).collect();
    let is_new = |code: &str| new.iter().any(|line| line.trim_end().ends_with(code));
    assert!(
        is_new("REAL sum = 0;") && is_new("C[row * N + column] = sum;"),
        "{screen}"
    );
    assert!(!is_new("return;"), "{screen}");
    assert!(
        !new.iter().any(|line| line.contains("get_global_id")),
        "{screen}"
    );
}

#[test]
fn m_shows_the_poison_before_the_launch_and_the_product_after_it() {
    let mut terminal = stepping();
    terminal
        .press("m")
        .waits_for("No buffer has been made yet")
        .press(key::ESCAPE)
        .waits_for("q quit");
    forward_to(&mut terminal, "matmul_global_sum: poisoning C");
    terminal
        .press("m")
        .waits_for("C, 64 x 64 float")
        .waits_for("Esc back");
    let screen = terminal.screen();
    assert_eq!(
        screen.matches("poison ").count() + screen.matches("poison\n").count(),
        64,
        "{screen}"
    );
    terminal.press(key::ESCAPE).waits_for("q quit");
    forward_to(&mut terminal, "matmul_global_sum: waiting");
    terminal
        .press("m")
        .waits_for("C, 64 x 64 float")
        .waits_for("Esc back");
    let screen = terminal.screen();
    assert!(!screen.contains("poison"), "{screen}");
    terminal.press(key::PAGE_DOWN).waits_for("B, 64 x 64 float");
}

#[test]
fn r_runs_the_kernel_again() {
    let mut terminal = stepping();
    forward_to(&mut terminal, "matmul_global_sum: reading");
    terminal
        .press("r")
        .waits_for("once more")
        .waits_for("matmul_global_sum: building")
        .waits_for("q quit");
    to_question(&mut terminal);
    skip_question(&mut terminal);
    terminal
        .press("r")
        .waits_for("once more")
        .waits_for("matmul_global_sum: building")
        .waits_for("q quit");
    to_question(&mut terminal);
    skip_question(&mut terminal);
    // Run three times, it is one row of the table.
    terminal
        .press("n")
        .waits_for("kernel matmul_private_sum")
        .waits_for("q quit");
    to_question(&mut terminal);
    skip_question(&mut terminal);
    terminal
        .press("n")
        .waits_for("all kernels")
        .waits_for("q quit");
    terminal.press("q").ends_with(0);
    let rows = terminal.transcript();
    let rows = rows
        .lines()
        .filter(|line| line.starts_with("  matmul_global_sum      ") && line.contains('±'));
    assert_eq!(rows.count(), 1);
}

#[test]
fn q_ends_the_lesson_and_control_c_interrupts_it_and_both_leave_the_terminal_in_order() {
    type Place = fn(&mut Terminal);
    let places: [Place; 4] = [
        |_| {},
        |terminal| forward_to(terminal, "matmul_global_sum: launching"),
        to_question,
        |terminal| {
            terminal.press("b").waits_for("Esc back");
        },
    ];
    for (i, place) in places.into_iter().enumerate() {
        let mut terminal = stepping();
        place(&mut terminal);
        terminal.reads_keys().press(key::CTRL_C).ends_with(130);
        assert!(terminal.is_in_order(), "place {i}");
        let mut terminal = stepping();
        place(&mut terminal);
        if i == 3 {
            // In a text q leads back to the lesson.
            terminal.press("q").waits_for("q quit");
        }
        terminal.press("q").ends_with(0);
        assert!(terminal.is_in_order(), "place {i}");
    }
}

#[test]
fn waiting_for_a_person_is_no_hang() {
    let stepping = || two_kernels("--step --timeout 4").on_terminal(80, 24);
    let [mut at_a_step, mut at_a_question] = [stepping(), stepping()];
    at_a_step.waits_for("q quit");
    at_a_question.waits_for("q quit");
    to_question(&mut at_a_question);
    std::thread::sleep(Duration::from_secs(5));
    at_a_step.press("x").waits_for("q quit");
    at_a_step.press("q").ends_with(0);
    at_a_question.press("q").ends_with(0);
}
