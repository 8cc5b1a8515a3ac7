//! The checks must be able to fail: a kernel that does nothing is never right. What else must
//! be found wrong is in `tests/sessions/checks.txt`.

use std::fs;

use serde_json::Value;
use tests::{kernel_files, lesson, scratch, with_empty_bodies};

use crate::lessons::all_ran;

/// A lesson with the bodies of all its kernels taken away: each is found wrong by itself, in
/// all its variants.
fn every_empty_kernel_is_found_wrong(number: u32) {
    let begins = format!("kernels/{number:02}-");
    let mut files = kernel_files("kernels").into_iter();
    let file = files.find(|file| file.to_string_lossy().contains(&begins));
    let text = fs::read_to_string(file.expect("a kernel file")).expect("kernel files are text");
    let (text, kernels) = with_empty_bodies(&text);
    let is_empty = |kernel: &&str| {
        let after = text.split(&format!("{kernel}(")).nth(1).unwrap_or_default();
        let body = after.split_once("\n{").map(|(_, body)| body);
        body.is_some_and(|body| body.starts_with("\n}\n"))
    };
    assert!(kernels.iter().all(is_empty), "{text}");
    let file = scratch(&format!("empty-{number}.cl"), &text);
    let size = if number == 2 { "1000" } else { "37x21x35" };
    // The check of integers is the same for every kernel.
    let types = if number == 3 { &["float", "int"][..] } else { &["float"] };
    for ty in types {
        let flags = format!("--size {size} --type {ty} --runs 0 --json --source");
        let run = lesson(number).args(&flags).arg(&file).run().fails(1, &[]);
        let is_wrong = |record: &Value| {
            let why = record["failed"].as_str().unwrap_or_default();
            record["skipped"].is_string() || (record["verified"] == false && !why.is_empty())
        };
        let records = run.device_records();
        assert!(records.iter().all(is_wrong), "{run}");
        all_ran(number, &records, &run);
    }
}

each! { every_empty_kernel_is_found_wrong:
    every_empty_kernel_of_lesson_2_is_found_wrong 2
    every_empty_kernel_of_lesson_3_is_found_wrong 3
    every_empty_kernel_of_lesson_4_is_found_wrong 4
    every_empty_kernel_of_lesson_5_is_found_wrong 5
    every_empty_kernel_of_lesson_6_is_found_wrong 6
    every_empty_kernel_of_lesson_7_is_found_wrong 7
    every_empty_kernel_of_lesson_8_is_found_wrong 8
    every_empty_kernel_of_lesson_9_is_found_wrong 9
    every_empty_kernel_of_lesson_10_is_found_wrong 10
}
