//! `--step` and `--present`: what is told, every key, how wide, and the terminal
//! as a whole. On a pty, as a person sees it.

mod keys;
mod stage;

use tests::{Program, Terminal, key, lesson};

/// Two kernels that differ in three lines, small and soon timed.
fn two_kernels(flag: &str) -> Program {
    lesson(5)
        .args("--size 64 --runs 1 --only matmul_global_sum --only matmul_private_sum")
        .with_limits_of_its_own()
        .args(flag)
}

/// The same on a terminal, at the first key.
fn stepping() -> Terminal {
    let mut terminal = two_kernels("--step").on_terminal(80, 24);
    terminal.waits_for("q quit");
    terminal
}

/// Goes on until this is on the screen, and the keys below it.
#[track_caller]
fn forward_to(terminal: &mut Terminal, text: &str) {
    for _ in 0..40 {
        terminal.reads_keys().press(key::ENTER);
        terminal.waits_until("keys", |since, _| since.contains("q quit"));
        if terminal.screen().contains(text) {
            return;
        }
    }
    panic!("never came to {text}\n{}", terminal.transcript());
}

/// Lets the lesson run to the next kernel's question.
#[track_caller]
fn to_question(terminal: &mut Terminal) {
    while !terminal.screen().contains("alone: skip") {
        terminal.reads_keys().press("n");
        terminal.waits_until("keys", |since, _| since.contains("q quit"));
    }
}
