//! The whole terminal: pages, sizes, the way back, the list, the speaker's view, and how
//! it is given back.

use tests::{scratch, scratch_folder, workspace};

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
        terminal.waits_for("q quit");
        if flag == "--present" {
            terminal.reads_keys().press(key::ENTER);
        }
        terminal.waits_for("q quit").reads_keys();
        for columns in [44, 100, 60] {
            let size = usize::from(columns);
            terminal
                .resize(columns, 30)
                .waits_until("new drawing", fits(size))
                .waits_for("choosing a device");
        }
        // A text is, too.
        terminal.press("b").waits_for("Esc back");
        terminal.resize(40, 10).waits_for("Esc back");
        terminal.resize(80, 24).waits_for("One machine may have");
        terminal.press("q").waits_for("q quit");
        terminal.press("q").ends_with(0);
        assert!(terminal.is_in_order());
    }
}

#[test]
fn what_does_not_fit_comes_in_pages_each_with_its_headline() {
    let flags = "--present --size 32 --runs 1 --only matmul_private_sums";
    let mut terminal = lesson(5).args(flags).on_terminal(80, 24);
    terminal
        .waits_for("Lesson 5: private memory")
        .waits_for("q quit");
    // The first table names its kernels; the last of six is chosen.
    forward_to(&mut terminal, "kernel matmul_private_sums x2");
    terminal.press("j").waits_for("x128  ahead");
    terminal
        .press("\x1b[F")
        .waits_for("> matmul_private_sums x128");
    terminal
        .press(key::ENTER)
        .waits_for("kernel matmul_private_sums x128")
        .waits_for("q quit");
    to_question(&mut terminal);
    skip_question(&mut terminal);
    forward_to(&mut terminal, "all kernels");
    terminal.waits_for("page 1 of 2");
    terminal.press(key::ENTER).waits_for("page 2 of 2");
    let screen = terminal.screen();
    assert!(screen.contains("┃  all kernels"), "{screen}");
    assert!(screen.contains("matmul_private_sums x128"), "{screen}");
    terminal.press(key::PAGE_UP).waits_for("page 1 of 2");
    terminal.press(key::ENTER).waits_for("page 2 of 2");
    terminal.press(key::ENTER).ends_with(0);
    // The tables follow when the terminal is free.
    assert!(terminal.transcript().contains("kernel             "));
    must_be_tidy(&mut terminal);
}

#[test]
fn the_way_back_leads_to_every_screen_and_the_list_to_every_kernel() {
    let mut terminal = stepping();
    forward_to(&mut terminal, "matmul_global_sum: building");
    terminal
        .press("b")
        .waits_for("A program is text until")
        .waits_for("Esc back");
    terminal
        .press("b")
        .waits_for("── kernel matmul_global_sum")
        .waits_for("Esc now");
    terminal
        .press(key::LEFT)
        .waits_for("── measuring the limits")
        .waits_for("Esc now");
    terminal.press("w").waits_for("A rate alone says little");
    terminal.press(key::ESCAPE).waits_for("Esc now");
    terminal
        .press(key::RIGHT)
        .waits_for("── kernel matmul_global_sum")
        .waits_for("Esc now");
    terminal
        .press(key::ESCAPE)
        .waits_for("matmul_global_sum: building")
        .waits_for("q quit");
    terminal
        .press("j")
        .waits_for("> matmul_global_sum")
        .waits_for("matmul_private_sum  ahead");
    // What was told is shown again, what comes is gone to.
    terminal
        .press(key::ENTER)
        .waits_for("── kernel matmul_global_sum")
        .waits_for("Esc now");
    terminal.press(key::ESCAPE).waits_for("q quit");
    terminal.press("j").waits_for("q quit");
    terminal
        .press(key::DOWN)
        .waits_for("> matmul_private_sum")
        .press(key::ENTER)
        .waits_for("── kernel matmul_private_sum")
        .waits_for("q quit");
    terminal
        .press("f")
        .waits_for("A group on C")
        .waits_for("The rates so far");
    terminal.press(key::CTRL_C).ends_with(130);
    assert!(terminal.is_in_order());
}

#[test]
fn the_speaker_s_view_follows_and_leaves_nothing_behind() {
    let folder = scratch_folder("speaker");
    let here = |program: Program| program.env("TMPDIR", &folder);
    let mut notes = here(lesson(5).args("--notes")).on_terminal(80, 24);
    notes.waits_for("Nobody shows this lesson now");
    let mut terminal = here(two_kernels("--present")).on_terminal(80, 24);
    terminal.waits_for("q quit");
    notes
        .waits_for("Before the kernels, 5 minutes")
        .waits_for("0 min used, 25 min left of 25");
    forward_to(&mut terminal, "kernel matmul_global_sum");
    notes
        .waits_for("matmul_global_sum, 2 minutes")
        .waits_for("What comes     matmul_private_sum");
    to_question(&mut terminal);
    notes.waits_for("What share of the device's limit");
    // The terminal of the speaker may be small, and may be resized.
    notes
        .resize(40, 12)
        .waits_for("min used")
        .waits_for("q quit");
    terminal.press("q").ends_with(0);
    notes.waits_for("Nobody shows this lesson now");
    notes.reads_keys().press("q").ends_with(0);
    assert!(terminal.is_in_order() && notes.is_in_order());
    let left: Vec<_> = std::fs::read_dir(&folder).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn notes_are_printed_where_there_is_no_terminal() {
    let run = lesson(5).args("--notes").run().ends_with(0);
    run.says(&[
        "Lesson 5: private memory",
        "matmul_private_sum, 3 minutes",
        "- Ask:",
    ]);
}

#[test]
fn whoever_ends_it_the_terminal_is_given_back() {
    type Place = fn(&mut Terminal);
    let places: [Place; 3] = [
        |_| {},
        |terminal| {
            terminal.press("b").waits_for("Esc back");
        },
        |terminal| {
            terminal.press("j").waits_for("Esc back");
        },
    ];
    for (i, place) in places.into_iter().enumerate() {
        let mut terminal = stepping();
        place(&mut terminal);
        terminal.terminate().ends_with(143);
        assert!(terminal.is_in_order(), "place {i}");
    }
    let mut notes = lesson(5).args("--notes").on_terminal(80, 24);
    notes.waits_for("q quit").terminate().ends_with(143);
    assert!(notes.is_in_order());
}

#[test]
fn no_terminal_is_too_small_for_it() {
    for (columns, rows) in [(1, 1), (2, 30), (40, 3)] {
        for flag in ["--step", "--present"] {
            let mut terminal = two_kernels(flag).on_terminal(columns, rows);
            terminal.reads_keys();
            for keys in ["b", key::ESCAPE, "j", key::ESCAPE, "k", key::ESCAPE, "f"] {
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
fn what_a_kernel_prints_is_told_and_stands_there_when_the_lesson_has_ended() {
    let kernel = "kernels/05-private-memory.cl";
    let text = std::fs::read_to_string(workspace().join(kernel)).expect("a file of the course");
    let prints = "REAL sum = 0; if (row + column == 0) printf(\"from the kernel\\n\");";
    let file = scratch(
        "prints-on-stage.cl",
        text.replacen("REAL sum = 0;", prints, 1),
    );
    let mut terminal = lesson(5)
        .args("--step --only matmul_private_sum --size 4 --source")
        .arg(file)
        .on_terminal(80, 24);
    terminal.waits_for("q quit");
    forward_to(&mut terminal, "from the kernel");
    terminal.reads_keys().press("q").ends_with(0);
    assert!(terminal.is_in_order());
    let left = terminal.transcript();
    assert_eq!(left.matches("from the kernel").count(), 1, "{left}");
    assert!(left.contains("Lesson 5"), "{left}");
}
