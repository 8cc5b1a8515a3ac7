//! A kernel that takes its process down: the lesson names it at its place and at the
//! end, goes on with the next one, and tells nothing twice.

use std::path::PathBuf;

use serde_json::Value;
use tests::{Outcome, Program, key, lesson, pocl, scratch, workspace};

const CRASH: &str = "for (long x = 0; x < 1L << 40; x += 1 << 20)\n        ((global float *)";
const HANG: &str = "volatile int go = 1; while (go); ((global float *)";

/// The kernel file of the course with a statement put before each of these kernels.
fn broken(name: &str, file: &str, faults: &[(&str, &str, &str)]) -> PathBuf {
    let path = workspace().join("kernels").join(file);
    let mut text = std::fs::read_to_string(path).expect("a file of the course");
    for (kernel, fault, output) in faults {
        let at = text.find(&format!("void {kernel}(")).expect("a kernel");
        let body = at + text[at..].find("\n{\n").expect("a body") + 3;
        let index = if *fault == HANG { "0" } else { "x" };
        text.insert_str(body, &format!("    {fault}{output})[{index}] = 1;\n"));
    }
    scratch(name, text)
}

/// A lesson on PoCL: what such kernels do to a GPU's driver is not for a test to try.
fn on_pocl(number: u32, flags: &str, file: PathBuf) -> Option<Program> {
    let pocl = pocl()?;
    Some(
        lesson(number)
            .args(&pocl)
            .args(flags)
            .arg("--source")
            .arg(file),
    )
}

/// Kernel and size of each record, in order.
fn names(run: &Outcome) -> Vec<String> {
    let name = |record: &Value| {
        let kernel = record["kernel"].as_str().unwrap_or_default();
        format!("{kernel} {}", record["m"])
    };
    run.records().iter().map(name).collect()
}

fn record<'a>(records: &'a [Value], kernel: &str) -> &'a Value {
    let found = records.iter().find(|record| record["kernel"] == kernel);
    found.unwrap_or_else(|| panic!("no record of {kernel}"))
}

#[track_caller]
fn stands_once(text: &str, run: &Outcome) {
    assert_eq!(run.stdout.matches(text).count(), 1, "\"{text}\" in\n{run}");
}

#[test]
fn after_a_crash_the_other_kernels_are_verified() {
    let flags = "--json --size 20 --runs 0";
    let intact = lesson(5).args(flags).run().ends_with(0);
    for victim in [
        "matmul_global_sum",
        "matmul_row_per_item",
        "matmul_row_private",
    ] {
        let file = broken(
            "crash-5.cl",
            "05-private-memory.cl",
            &[(victim, CRASH, "C")],
        );
        let Some(program) = on_pocl(5, flags, file) else {
            return;
        };
        let running = format!("while running {victim}");
        let run = program.run().fails(
            5,
            &[
                "signal 11, SIGSEGV",
                &running,
                "course -- inspect FILE --only KERNEL",
            ],
        );
        assert_eq!(names(&run), names(&intact), "{run}");
        for record in run.records() {
            let of_victim = record["kernel"]
                .as_str()
                .is_some_and(|name| name.starts_with(victim));
            assert_eq!(record["verified"], !of_victim, "{record}");
        }
        let died = run
            .records()
            .into_iter()
            .filter(|record| !record["died"].is_null());
        assert_eq!(died.count(), 1, "its other launches are skipped\n{run}");
    }
}

/// Takes long: so does the kernel, until it is ended.
#[test]
fn after_a_hang_the_other_kernels_are_verified() {
    let file = broken(
        "hang-5.cl",
        "05-private-memory.cl",
        &[("matmul_private_sum", HANG, "C")],
    );
    let Some(program) = on_pocl(5, "--json --size 20 --runs 0 --timeout 5", file) else {
        return;
    };
    let words = [
        "no end after 5 seconds",
        "running matmul_private_sum",
        "--timeout",
    ];
    let run = program.on_one_core().run().fails(5, &words);
    for record in run.records() {
        let is_victim = record["kernel"] == "matmul_private_sum";
        assert_eq!(record["verified"], !is_victim, "{run}");
    }
}

#[test]
fn two_deaths_at_two_sizes_leave_each_record_once_and_factors_that_fit() {
    let faults = [
        ("matmul_private_sum", CRASH, "C"),
        ("matmul_row_private", CRASH, "C"),
    ];
    let file = broken("two-deaths.cl", "05-private-memory.cl", &faults);
    let Some(program) = on_pocl(5, "--json --size 16,20 --runs 2", file) else {
        return;
    };
    let run = program.with_limits_of_its_own().run();
    let run = run.fails(5, &["2 kernels died in lesson 5"]);
    let mut all = names(&run);
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count, "no record twice\n{run}");
    for size in [16, 20] {
        for kernel in ["matmul_row_per_item", "host row, column, inner"] {
            assert!(all.contains(&format!("{kernel} {size}")), "{run}");
        }
    }
    let records = run.records();
    let made_from_the_dead = record(&records, "matmul_private_sums x2");
    assert!(
        made_from_the_dead["gflops"].is_f64() && made_from_the_dead["step_factor"].is_null(),
        "the dead one has no rate\n{run}"
    );
    let limits = |kernel| record(&records, kernel)["limits"].clone();
    assert!(limits("matmul_row_per_item").is_object(), "{run}");
    assert_eq!(limits("matmul_global_sum"), limits("matmul_row_per_item"));
}

#[test]
fn a_death_is_told_at_its_place_and_at_the_end_and_nothing_is_told_twice() {
    let file = broken(
        "told.cl",
        "05-private-memory.cl",
        &[("matmul_private_sum", CRASH, "C")],
    );
    let Some(program) = on_pocl(5, "--size 64 --runs 1", file) else {
        return;
    };
    let run = program
        .with_limits_of_its_own()
        .run()
        .fails(5, &["1 kernel died in lesson 5 (private memory)", "next:"]);
    for text in [
        "Lesson 5",
        "  device   ",
        "  problem  ",
        "  limits   ",
        "\n  matmul_global_sum  ",
        "✗ DIED",
        "\n  matmul_row_per_item  ",
        "CL_KERNEL_PRIVATE_MEM_SIZE",
        "against the host",
    ] {
        stands_once(text, &run);
    }
    let at = |text| run.stdout.find(text).expect("stands once");
    assert!(at("\n  matmul_global_sum  ") < at("✗ DIED"), "{run}");
    assert!(at("✗ DIED") < at("\n  matmul_row_per_item  "), "{run}");
    let row = &run.stdout[at("✗ DIED")..at("\n  matmul_row_per_item  ")];
    assert!(
        row.contains("signal 11") && row.contains("likely cause"),
        "{row}"
    );
}

#[test]
fn what_a_lesson_shows_beside_its_tables_is_shown_once() {
    let faults = [("matmul_naive_column_major", CRASH, "C")];
    let file = broken("hand.cl", "03-naive-matmul.cl", &faults);
    let Some(program) = on_pocl(3, "--size 64 --runs 1", file) else {
        return;
    };
    let run = program
        .run()
        .fails(5, &["running matmul_naive_column_major"]);
    for text in [
        "By hand, 1",
        "By hand, 2",
        "On the host",
        "inner, column, row ",
        "against the host",
    ] {
        stands_once(text, &run);
    }

    let faults = [("copy_stride", CRASH, "out"), ("copy_offset", CRASH, "out")];
    let file = broken("copies.cl", "04-coalescing.cl", &faults);
    let Some(program) = on_pocl(4, "--size 20 --runs 0", file) else {
        return;
    };
    let run = program
        .run()
        .fails(5, &["running copy_stride 1", "running copy_offset 0"]);
    stands_once("Copies of 3072 floats", &run);
    assert_eq!(run.stdout.matches("median  spread").count(), 4, "{run}");

    let faults = [
        ("transpose_tile", CRASH, "out"),
        ("matmul_tiled", CRASH, "C"),
    ];
    let file = broken("tiles.cl", "06-local-memory.cl", &faults);
    let Some(program) = on_pocl(6, "--size 20 --runs 0", file) else {
        return;
    };
    let run = program.run().fails(
        5,
        &[
            "running matmul_tiled 8x8",
            "running transpose_tile unpadded",
        ],
    );
    for text in [
        "How tiles fill",
        "Transposing 20 x 20",
        "\n  transpose_naive ",
        "skipped: transpose_tile",
    ] {
        stands_once(text, &run);
    }
}

#[test]
fn lesson_2_goes_on_after_either_of_its_kernels_and_prints_no_step_twice() {
    let file = broken("saxpy.cl", "02-saxpy.cl", &[("saxpy", CRASH, "C")]);
    let Some(program) = on_pocl(2, "--size 64,128 --runs 1", file) else {
        return;
    };
    let run = program
        .run()
        .fails(5, &["running saxpy", "died in lesson 2"]);
    for text in ["   7  arguments: n = 64", "✗ DIED", "skipped: saxpy died"] {
        stands_once(text, &run);
    }
    assert!(!run.stdout.contains("n = 128"), "not launched again\n{run}");
    assert_eq!(
        run.stdout.matches("four elements for each").count(),
        2,
        "{run}"
    );
    assert_eq!(run.stdout.matches("median  spread").count(), 2, "{run}");

    let file = broken(
        "saxpy-vector.cl",
        "02-saxpy.cl",
        &[("saxpy_vector", CRASH, "C")],
    );
    let Some(program) = on_pocl(2, "--size 64 --runs 1", file) else {
        return;
    };
    let run = program.run().fails(5, &["running saxpy_vector"]);
    let once = [
        "platform(s)",
        "  11  release",
        "\n  saxpy  ",
        "✗ DIED",
        "plain loop",
        "pageable memory",
    ];
    for text in once {
        stands_once(text, &run);
    }
}

#[test]
fn an_ablation_goes_on_with_the_next_kernel() {
    let file = broken(
        "ablated.cl",
        "08-tiling.cl",
        &[("matmul_register_tile", CRASH, "C")],
    );
    let Some(program) = on_pocl(8, "--ablate --size 64 --runs 1 --json", file) else {
        return;
    };
    let run = program.run().fails(5, &["running matmul_register_tile"]);
    let records = run.records();
    let wholes: Vec<_> = records
        .iter()
        .filter(|line| line["part"] == "whole")
        .collect();
    assert_eq!(
        wholes.len(),
        2,
        "the vector kernel, without padding and with it\n{run}"
    );
    assert!(!record(&records, "matmul_register_tile")["died"].is_null());
}

#[test]
fn with_step_a_death_is_a_result_to_look_at_and_the_next_kernel_follows() {
    let faults = [("matmul_global_sum", CRASH, "C")];
    let file = broken("step-crash.cl", "05-private-memory.cl", &faults);
    let flags = "--step --size 16 --runs 1 --only matmul_global_sum --only matmul_private_sum";
    let Some(program) = on_pocl(5, flags, file) else {
        return;
    };
    let mut terminal = program.on_terminal(80, 24);
    // Ahead, so that no key is awaited while the kernel runs.
    terminal.waits_for("q quit");
    while !terminal.screen().contains("✗ DIED") {
        terminal.press("n").waits_for("q quit");
    }
    terminal.waits_for("signal 11, SIGSEGV");
    terminal.press("k").waits_for("1L << 40").press(key::ESCAPE);
    terminal.waits_for("q quit");
    terminal
        .reads_keys()
        .press(key::ENTER)
        .waits_for("kernel matmul_private_sum");
    terminal.waits_for("q quit").press("q").ends_with(5);
    assert!(terminal.is_in_order(), "{}", terminal.screen());
    let all = terminal.transcript();
    assert_eq!(all.matches("  device   ").count(), 1, "{all}");
}

#[test]
fn a_death_while_a_key_is_awaited_leaves_the_terminal_in_order() {
    let faults = [("matmul_global_sum", CRASH, "C")];
    let file = broken("key-crash.cl", "05-private-memory.cl", &faults);
    let flags = "--step --size 16 --runs 1 --only matmul_global_sum";
    let Some(program) = on_pocl(5, flags, file) else {
        return;
    };
    let mut terminal = program.on_terminal(80, 24);
    terminal.waits_for("q quit");
    // PoCL begins it at once: the screen of the launch may be gone already.
    let is_there = |screen: String| screen.contains("launching ──") || screen.contains("DIED");
    while !is_there(terminal.screen()) {
        terminal.reads_keys().press(key::ENTER).waits_for("q quit");
    }
    terminal
        .waits_for("✗ DIED")
        .waits_for("course -- inspect FILE --only KERNEL");
    terminal.press("q").ends_with(5);
    assert!(terminal.is_in_order(), "{}", terminal.screen());
}
