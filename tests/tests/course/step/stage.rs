//! The whole terminal: sizes, what others print, and how it is given back.

use tests::{scratch, workspace};

use super::*;

/// All rows that are shown fit so many columns, and the keys are among them.
fn fits(columns: usize) -> impl Fn(&str, &str) -> bool {
    move |since, screen| {
        let width = screen.lines().map(|line| line.chars().count()).max();
        since.contains("q quit") && width <= Some(columns)
    }
}

#[test]
fn a_screen_is_drawn_anew_when_the_terminal_changes() {
    for flag in ["--step", "--present"] {
        let mut terminal = two_kernels(flag).on_terminal(80, 24);
        terminal.waits_for("q quit").reads_keys();
        for columns in [44, 100, 60] {
            let new = fits(usize::from(columns));
            terminal.resize(columns, 30).waits_until("new drawing", new);
            terminal.waits_for("choosing a device");
        }
        // A text is, too.
        terminal.press("w").waits_for("Esc back");
        terminal.resize(40, 10).waits_for("Esc back");
        terminal.resize(80, 24).waits_for("One machine may have");
        terminal.press("q").waits_for("q quit");
        terminal.press("q").ends_with(0);
        assert!(terminal.is_in_order());
    }
}

#[test]
fn a_wide_terminal_does_not_widen_a_presentation() {
    let mut terminal = two_kernels("--present").on_terminal(200, 40);
    terminal.waits_for("q quit").reads_keys().resize(199, 40);
    terminal.waits_until("60 columns", fits(60));
}

#[test]
fn whoever_ends_it_the_terminal_is_given_back() {
    for key in ["", "w"] {
        let mut terminal = stepping();
        if !key.is_empty() {
            terminal.press(key).waits_for("Esc back");
        }
        terminal.terminate().ends_with(143);
        assert!(terminal.is_in_order(), "{key}");
    }
}

#[test]
fn no_terminal_is_too_small_for_it() {
    for (columns, rows) in [(1, 1), (2, 30), (40, 3)] {
        for flag in ["--step", "--present"] {
            let mut terminal = two_kernels(flag).on_terminal(columns, rows);
            terminal.reads_keys();
            for keys in ["b", key::ESCAPE, "w", key::ESCAPE, "k", key::ESCAPE, "z"] {
                terminal.press(keys);
            }
            terminal.press(key::CTRL_C).ends_with(130);
            assert!(terminal.is_in_order(), "{columns}x{rows}");
        }
    }
}

/// Some tell sizes that nobody sees.
#[test]
fn no_terminal_is_too_large_for_it() {
    let mut terminal = two_kernels("--step").on_terminal(80, 24);
    terminal.waits_for("q quit");
    terminal.tells_size(u16::MAX, u16::MAX).press("k");
    terminal.waits_for("No kernel has begun yet");
    terminal.press(key::CTRL_C).ends_with(130);
}

#[test]
fn what_a_kernel_prints_stands_there_when_the_lesson_has_ended() {
    let kernel = "kernels/05-private-memory.cl";
    let text = std::fs::read_to_string(workspace().join(kernel)).expect("a file of the course");
    let prints = "REAL sum = 0; if (row + column == 0) printf(\"from the kernel\\n\");";
    let file = scratch("prints-on-stage.cl", text.replacen("REAL sum = 0;", prints, 1));
    let mut terminal = lesson(5)
        .args("--step --only matmul_private_sum --size 4 --source")
        .arg(file)
        .on_terminal(80, 24);
    terminal.waits_for("q quit");
    forward_to(&mut terminal, "matmul_private_sum: reading");
    terminal.reads_keys().press("q").ends_with(0);
    assert!(terminal.is_in_order());
    assert_eq!(terminal.transcript().trim(), "from the kernel");
}

/// Who ends it is left with the results that he has seen, and with no head of a table to come.
#[test]
fn nothing_unfinished_stands_there_when_a_lesson_was_ended() {
    let mut terminal = stepping();
    forward_to(&mut terminal, "matmul_global_sum: launching");
    terminal.reads_keys().press(key::CTRL_C).ends_with(130);
    assert_eq!(terminal.transcript().trim(), "");
    let mut terminal = stepping();
    to_question(&mut terminal);
    terminal.reads_keys().press(key::ENTER).waits_for("the result ✓");
    terminal.press("q").ends_with(0);
    let left = terminal.transcript();
    let rows = left.lines().skip_while(|line| !line.contains("median"));
    let rows: Vec<&str> = rows.filter(|line| !line.is_empty()).collect();
    assert!(rows.len() == 3 && rows[1].contains(" matmul_global_sum "), "{left}");
}
