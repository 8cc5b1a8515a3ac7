//! Every kernel of every lesson under Oclgrind, which sees each access: no data
//! race, nothing out of bounds, nothing read that was never written, no call that
//! OpenCL forbids. Results alone cannot show this: PoCL hides races, and a read
//! behind a buffer that is multiplied by zero. The same run counts what each kernel
//! loads and stores.

use serde_json::Value;
use tests::{FAULTS, Oclgrind, is_due, lesson, scratch};

use crate::lessons::all_ran;
use crate::traffic;

/// Several groups in each dimension, none of the tiles full at the edges, and sums of more
/// than one tile: of a kernel with tiles of several depths in all but the deepest.
const SIZE: &str = "21x19x18";
/// The same for larger tiles.
const LARGE: &str = "37x21x19";
/// The same for vectors: three floats lie behind the last whole float4.
const LENGTH: &str = "1303";

/// Takes seconds: the simulator looks at each access by itself.
fn every_kernel_is_sound(number: u32) {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    let size = match number {
        2 => LENGTH,
        3..=7 => SIZE,
        _ => LARGE,
    };
    let program = lesson(number).args(&format!("--size {size} --runs 0 --json"));
    let (run, log) = oclgrind.run_and_count(&format!("lesson{number}"), program);
    let run = run.ends_with(0);
    assert_eq!(log, "", "{run}");
    // Counts stand between the records.
    let lines = run.stdout.lines().filter(|line| line.starts_with('{'));
    let records = lines.map(|line| serde_json::from_str(line).expect("a record"));
    let records: Vec<Value> = records.collect();
    for record in records.iter().filter(|record| record["platform"] != "host") {
        assert_eq!(record["platform"], "Oclgrind", "{run}");
        assert_eq!(record["verified"], true, "{record}\n{run}");
    }
    all_ran(number, &records, &run);
    let least = match number {
        2 => 2,
        8 => 3,
        _ => 4,
    };
    traffic::is_as_the_formulas_say(&run, least);
}

each! { every_kernel_is_sound on a day of 3:
    every_kernel_of_lesson_2_is_sound_and_moves_what_its_formulas_say 2
    every_kernel_of_lesson_3_is_sound_and_moves_what_its_formulas_say 3
    every_kernel_of_lesson_4_is_sound_and_moves_what_its_formulas_say 4
    every_kernel_of_lesson_5_is_sound_and_moves_what_its_formulas_say 5
    every_kernel_of_lesson_6_is_sound_and_moves_what_its_formulas_say 6
    every_kernel_of_lesson_7_is_sound_and_moves_what_its_formulas_say 7
    every_kernel_of_lesson_8_is_sound_and_moves_what_its_formulas_say 8
    every_kernel_of_lesson_9_is_sound_and_moves_what_its_formulas_say 9
    #[ignore = "a quarter of a minute: the simulator walks through five kernels of large tiles"]
    every_kernel_of_lesson_10_is_sound_and_moves_what_its_formulas_say 10
    every_kernel_of_lesson_11_is_sound_and_moves_what_its_formulas_say 11
}

/// Longer sums than a kernel keeps at a time: the second piece is seen, too. That takes up to
/// half a minute, so each has its day. And the kernel that prints.
#[test]
fn sums_that_are_taken_in_pieces_are_sound() {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    for (number, kernel, size) in [
        (5, "matmul_row_private", "3x2x1031 --json"),
        (6, "matmul_column_local", "3x2x1031 --json"),
        (6, "trace_tiles", "8"),
        (7, "matmul_dot8", "3x2x1031 --json"),
        (9, "matmul_blocked", "3x2x2049 --json"),
        // From 128 on C is no longer stored by rows.
        (10, "matmul_shares", "3x5x130 --json"),
        (15, "product_tile", "9x5x17 --json"),
        (15, "small_by_group", "1 --json"),
        (15, "small_by_columns", "1 --json"),
        (15, "small_alone", "1 --json"),
        (15, "quantise", "9x5x40 --json"),
        (15, "few_rows", "17x5x40 --json"),
        (15, "windows_queue", "3x5x1 --json"),
    ] {
        if !is_due(kernel, 6, &format!("kernels/{number:02}")) {
            continue;
        }
        let program = lesson(number).args(&format!("--only {kernel} --runs 0 --size {size}"));
        let (run, log) = oclgrind.run(&format!("pieces-{kernel}"), program);
        let run = run.ends_with(0);
        assert_eq!(log, "", "{run}");
    }
}

/// An empty log must mean something. This kernel is right for the checker, and
/// for the simulator wrong in three ways; one of them is the value that it reads.
fn the_simulator_sees_a_race_an_uninitialised_read_and_one_behind(buffer: &str) {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    let text = std::fs::read_to_string("../kernels/05-private-memory.cl").expect("is there");
    let guard = "    if (row >= M || column >= N)\n        return;\n";
    let bad = "    local int seen[4];\n    int unset[2];\n    \
               if (row == 0 && column < 2) {\n        seen[0] = column;\n        \
               volatile REAL behind = BUFFER;\n        \
               if (unset[column]) behind = 0;\n    }\n";
    let bad = bad.replace("BUFFER", buffer);
    let at = text.find("matmul_private_sum(").expect("the kernel");
    let (before, after) = text.split_at(at);
    let text = format!("{before}{}", after.replacen(guard, &format!("{bad}{guard}"), 1));
    let file = scratch(&format!("unsound-{}.cl", &buffer[..1]), text);
    let program =
        lesson(5).args("--only matmul_private_sum --size 17 --runs 0 --json --source").arg(file);
    let (run, log) = oclgrind.run(&format!("unsound-{}", &buffer[..1]), program);
    // All that a kernel without copies can do wrong.
    for (fault, words) in &FAULTS[..3] {
        assert!(log.contains(words), "no {fault} in\n{log}\n{run}");
    }
    let record = run.ends_with(1).records().remove(0);
    assert_eq!(record["verified"], false);
    let failed = record["failed"].as_str().unwrap_or_default();
    assert!(failed.contains("the result is right, and yet"), "{failed}");
}

each! { the_simulator_sees_a_race_an_uninitialised_read_and_one_behind:
    the_simulator_sees_a_race_an_uninitialised_read_and_one_behind_a "A[M * K]"
    the_simulator_sees_a_race_an_uninitialised_read_and_one_behind_c "C[M * N]"
}
