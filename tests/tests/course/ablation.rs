//! `--ablate`: kernels with a part taken out are timed, and never taken for products. What it
//! says besides is in `tests/sessions/ablation.txt`.

use tests::lesson;

/// The kernels of a lesson that have parts to take out, on every device.
fn kernels(number: u32) -> &'static [&'static str] {
    match number {
        8 => &[
            "matmul_register_tile",
            "matmul_register_tile_vector PAD 0",
            "matmul_register_tile_vector PAD 4",
        ],
        9 => &["matmul_packed_b", "matmul_packed_ab", "matmul_blocked"],
        _ => &[
            "matmul_prefetch",
            "matmul_two_tiles lines",
            "matmul_fragments serpentine",
            "matmul_packed_tiles",
        ],
    }
}

/// Every part is taken out of the kernel as it stands; what is left of it has no
/// rate and is no record.
fn every_part_is_taken_out(number: u32) {
    let run = lesson(number).args("--ablate --size 32 --runs 1 --json");
    let lines = run.run().ends_with(0).records();
    for kernel in kernels(number) {
        let parts = lines.iter().filter(|line| line["ablation_of"] == *kernel);
        let parts: Vec<_> = parts.collect();
        assert!(parts.len() > 3, "{kernel}: {parts:?}");
        for part in parts {
            // A kernel file that was changed must take its ablations along.
            assert!(part["skipped"].is_null(), "{part}");
            assert!(part["seconds_median"].as_f64() > Some(0.0), "{part}");
            let edits = part["edits"].as_array().map_or(0, Vec::len);
            let is_whole = part["part"] == "whole" || part["part"] == "helpers only";
            assert_eq!(edits == 0, is_whole, "{part}");
        }
    }
    for line in lines {
        assert_eq!(line["product"], line["part"] == "whole", "{line}");
        for field in ["kernel", "gflops", "verified", "share_of_limit"] {
            assert!(line[field].is_null(), "{field} in {line}");
        }
    }
}

each! { every_part_is_taken_out on a day of 3:
    every_part_of_lesson_8_is_taken_out_and_no_record 8
    every_part_of_lesson_9_is_taken_out_and_no_record 9
    #[ignore = "half a minute of building: each part is a program of its own"]
    every_part_of_lesson_10_is_taken_out_and_no_record 10
}
