//! `--step` and `--present`: what is told, every key, and that nobody is waited for
//! where there is nobody. On a pty, as a person sees it.

use std::time::Duration;

use tests::{
    KERNEL_LESSONS, Program, Terminal, key, lesson, lesson_without_device, scratch_folder,
};

/// Two kernels that differ in three lines, small and soon timed.
fn two_kernels(flag: &str) -> Program {
    lesson(5)
        .args("--size 64 --runs 1 --only matmul_global_sum --only matmul_private_sum")
        .args(flag)
}

/// The same on a terminal, at the first key.
fn stepping() -> Terminal {
    let mut terminal = two_kernels("--step").on_terminal(80, 24);
    terminal.waits_for("q quit");
    terminal
}

/// Goes on until this is on the screen, and the keys below it.
fn forward_to(terminal: &mut Terminal, text: &str) {
    for _ in 0..40 {
        terminal.press(key::ENTER);
        terminal.waits_until("keys", |since, _| since.contains("q quit"));
        if terminal.screen().contains(text) {
            return;
        }
    }
    panic!("never came to {text}\n{}", terminal.transcript());
}

/// Lets the lesson run to the next kernel's question.
fn to_question(terminal: &mut Terminal) {
    while !terminal.screen().contains("alone: skip") {
        terminal.press("n");
        terminal.waits_until("keys", |since, _| since.contains("q quit"));
    }
}

/// Answers it with nothing, and waits for the result.
fn skip_question(terminal: &mut Terminal) {
    terminal.press(key::ENTER).waits_for("the result ✓");
    terminal.waits_for("q quit");
}

/// What every lesson on kernels does, in this order.
const CALLS: [&str; 15] = [
    "clGetPlatformIDs(",
    "clGetDeviceIDs(",
    "clCreateContext(",
    "clCreateCommandQueue(",
    "CL_QUEUE_PROFILING_ENABLE",
    "clBuildProgram(",
    "clCreateKernel(",
    "clCreateBuffer(",
    "clEnqueueWriteBuffer(",
    "clSetKernelArg(",
    "clEnqueueNDRangeKernel(",
    "clWaitForEvents(",
    "clGetEventProfilingInfo(",
    "QUEUED 0, SUBMIT +",
    "clEnqueueReadBuffer(",
];

#[test]
fn without_a_terminal_everything_is_told_and_nobody_is_waited_for() {
    let run = two_kernels("--step").run().ends_with(0);
    let mut rest = run.stderr.as_str();
    for call in CALLS {
        let at = rest.find(call);
        rest = &rest[at.unwrap_or_else(|| panic!("no {call} in its place\n{run}"))..];
    }
    for told in [
        "65536 bytes) -> A",
        "0, 4 bytes, int M = 64)",
        "3, 8 bytes, float*A = A)",
        "2D, global = 64x64, local",
        "|c - ref| <= gamma * sum |a||b|",
        "4096 elements compared: right",
        "matmul_private_sum  █",
    ] {
        let told = told.replace("65536", &(64 * 64 * 4).to_string());
        assert!(run.stderr.contains(&told), "no {told}\n{run}");
    }
    let every_byte = format!("{}{}", run.stdout, run.stderr);
    assert!(!every_byte.contains('\x1b'), "no escape codes\n{run}");
    assert!(!run.stderr.contains("q quit"), "no keys\n{run}");
    for line in run.stderr.lines() {
        assert!(line.chars().count() <= 80, "too long: {line}");
    }
}

#[test]
fn half_a_terminal_is_none() {
    for redirected in ["</dev/null", "2>/dev/null"] {
        let shell = format!("\"$0\" \"$@\" {redirected}");
        let mut terminal = two_kernels("--step").in_shell(&shell).on_terminal(80, 24);
        terminal.ends_with(0);
        assert!(!terminal.transcript().contains("q quit"), "{redirected}");
    }
}

#[test]
fn every_lesson_tells_its_calls() {
    for number in KERNEL_LESSONS {
        let size = if number == 2 { "1000" } else { "17x18x19" };
        let run = lesson(number)
            .args("--step --runs 0 --size")
            .arg(size)
            .run()
            .ends_with(0);
        for call in CALLS {
            assert!(run.stderr.contains(call), "no {call}\n{run}");
        }
    }
    let run = lesson(1).arg("--step").run().ends_with(0);
    for call in [
        "clGetPlatformIDs(",
        "clGetDeviceIDs(",
        "CL_DEVICE_MAX_COMPUTE_UNITS) ->",
    ] {
        assert!(run.stderr.contains(call), "no {call}\n{run}");
    }
}

#[test]
fn results_for_programs_are_not_disturbed() {
    let told = two_kernels("--step --json").run().ends_with(0);
    let plain = two_kernels("--json").run().ends_with(0);
    let kernels = |run: &tests::Outcome| -> Vec<String> {
        let records = run.records();
        records
            .iter()
            .map(|record| record["kernel"].to_string())
            .collect()
    };
    assert_eq!(kernels(&told), kernels(&plain));
    assert!(!plain.stderr.contains("clCreateBuffer"));
}

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
        .press(key::ENTER)
        .waits_for("no prediction")
        .waits_for("the result ✓");
    terminal
        .waits_for("q quit")
        .press(key::RIGHT)
        .waits_for("kernel matmul_private_sum");
    terminal.waits_for("3 of its 13 lines are new against matmul_global_sum");
    // n leads to the next question.
    terminal
        .press("n")
        .waits_for("How many times as fast as matmul_global_sum");
    skip_question(&mut terminal);
    assert!(terminal.screen().contains("x the step before"));
    terminal.press("n").waits_for("all kernels");
    terminal.waits_for("q quit").press(key::ENTER).ends_with(0);
    let all = terminal.transcript();
    assert!(
        all.contains("kernel                               median"),
        "{all}"
    );
    assert!(
        terminal.broken_rows().is_empty(),
        "{:?}",
        terminal.broken_rows()
    );
    assert!(terminal.is_in_order());
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
    terminal.press(key::ENTER).waits_for("q quit");
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
    let rows = terminal.transcript();
    let rows = rows
        .lines()
        .filter(|line| line.starts_with("  matmul_global_sum      ") && line.contains('±'));
    assert_eq!(rows.count(), 1);
    terminal.press("q").ends_with(0);
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
    let mut terminal = two_kernels("--step --timeout 3").on_terminal(80, 24);
    terminal.waits_for("q quit");
    std::thread::sleep(Duration::from_secs(4));
    terminal.press("x").waits_for("q quit");
    to_question(&mut terminal);
    std::thread::sleep(Duration::from_secs(4));
    terminal.press("q").ends_with(0);
}

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
            .press(key::ENTER)
            .waits_until("keys", |since, _| since.contains("q quit"));
        let screen = terminal.screen();
        assert!(
            screen.lines().all(|line| line.chars().count() <= 60),
            "{screen}"
        );
    }
    terminal.press(key::ENTER).ends_with(0);
    let all = terminal.raw();
    for text in [
        "┃  matmul_private_sum: launching",
        "clEnqueueNDRangeKernel",
        "████████",
    ] {
        assert!(all.contains(text), "no {text}");
    }
    assert!(
        terminal.broken_rows().is_empty(),
        "{:?}",
        terminal.broken_rows()
    );
    assert!(terminal.is_in_order());
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
fn without_a_driver_the_error_is_the_ordinary_one() {
    for number in 1..=5 {
        let mut terminal = lesson_without_device(number)
            .arg("--step")
            .env("OCL_ICD_VENDORS", scratch_folder("no-drivers"))
            .on_terminal(80, 24);
        // Lesson 1 tells of the drivers before it looks for devices.
        if number == 1 {
            terminal.waits_for("q quit").press(key::ENTER);
        }
        terminal
            .waits_for("no usable OpenCL device")
            .waits_for("./setup")
            .ends_with(3);
        assert!(terminal.is_in_order());
    }
}

#[test]
fn what_cannot_be_told_step_by_step_is_refused() {
    for flags in ["--step --all-devices", "--present --watch"] {
        lesson(5)
            .args(flags)
            .run()
            .fails(2, &["cannot be used with"]);
    }
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
