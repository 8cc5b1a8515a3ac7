//! A driver's cache that was cut short or overwritten: the lesson says so, and
//! ends with right results all the same.

use std::fs;
use std::path::{Path, PathBuf};

use tests::{Outcome, files_below, lesson, pocl, program, scratch, scratch_folder};

/// Lesson 3 on PoCL with a cache of its own.
fn run(pocl: &str, cache: &Path) -> Outcome {
    lesson(3)
        .args(pocl)
        .args("--only matmul_naive --size 20 --runs 0 --json")
        .env("POCL_CACHE_DIR", cache)
        .run()
}

/// An empty cache of PoCL's.
fn fresh_cache(name: &str) -> PathBuf {
    let cache = scratch_folder(name);
    fs::remove_dir_all(&cache).expect("the target folder can be written");
    scratch_folder(name)
}

/// A way in which a file is damaged, and its name.
type Damage = (&'static str, fn(&Path));

const DAMAGES: [Damage; 3] = [
    ("cut in half", |file| {
        let bytes = fs::read(file).expect("is there");
        fs::write(file, &bytes[..bytes.len() / 2]).expect("can be written");
    }),
    ("emptied", |file| {
        fs::write(file, "").expect("can be written")
    }),
    ("overwritten", |file| {
        let length = fs::read(file).expect("is there").len();
        fs::write(file, vec![b'?'; length]).expect("can be written");
    }),
];

/// Takes long: each kind of damage has the kernel built anew.
#[test]
fn a_damaged_cache_is_told_and_the_lesson_ends_right_without_it() {
    let Some(pocl) = pocl() else { return };
    let cache = fresh_cache("pocl-cache");
    let fresh = run(&pocl, &cache).ends_with(0);
    assert!(!fresh.stderr.contains("damaged"), "{fresh}");
    // Each kind of damage, and each kind of file in two ways.
    let [cut, emptied, overwritten] = DAMAGES;
    for (end, damages) in [("bc", [cut, overwritten]), ("so", [cut, emptied])] {
        let files = files_below(&cache, end);
        assert!(!files.is_empty(), "PoCL keeps no .{end} file");
        let whole: Vec<Vec<u8>> = files
            .iter()
            .map(|file| fs::read(file).expect("is there"))
            .collect();
        for (name, damage) in damages {
            files.iter().for_each(|file| damage(file));
            let words = ["perhaps on a damaged file", "without the cache", "rm -r"];
            let mended = run(&pocl, &cache).fails(0, &words);
            let records = mended.records();
            let verified = |record: &serde_json::Value| record["verified"] == true;
            assert!(records.iter().any(verified), "{name} .{end}\n{mended}");
            for (file, bytes) in files.iter().zip(&whole) {
                fs::write(file, bytes).expect("can be written");
            }
        }
    }
    let again = run(&pocl, &cache).ends_with(0);
    assert!(!again.stderr.contains("damaged"), "{again}");
}

#[test]
fn what_ran_before_the_damage_was_met_is_not_run_or_told_again() {
    let Some(pocl) = pocl() else { return };
    let cache = fresh_cache("pocl-cache-halfway");
    let run = || {
        lesson(5)
            .args(&pocl)
            .args("--only matmul_global_sum --only matmul_private_sum --size 20 --runs 0 --json")
            .env("POCL_CACHE_DIR", &cache)
            .run()
    };
    let fresh = run().ends_with(0);
    let of_second = |file: &&PathBuf| file.to_string_lossy().contains("matmul_private_sum");
    let built = files_below(&cache, "so");
    let damaged: Vec<&PathBuf> = built.iter().filter(of_second).collect();
    assert!(!damaged.is_empty(), "PoCL names its folders after kernels");
    for file in damaged {
        fs::write(file, "").expect("can be written");
    }
    let mended = run().fails(0, &["a damaged file"]);
    let names = |run: &Outcome| -> Vec<serde_json::Value> {
        let records = run.records().into_iter();
        records.map(|record| record["kernel"].clone()).collect()
    };
    assert_eq!(names(&mended), names(&fresh), "{mended}");
    let verified = |record: &serde_json::Value| record["verified"] == true;
    assert!(mended.records().iter().all(verified), "{mended}");
}

#[test]
fn the_offline_compiler_builds_past_a_damaged_cache() {
    let Some(pocl) = pocl() else { return };
    let cache = fresh_cache("pocl-cache-oclcc");
    let run = || {
        program("oclcc")
            .arg("kernels/02-saxpy.cl")
            .args(&pocl)
            .arg("--output")
            .arg(scratch("damaged-cache.bin", ""))
            .env("POCL_CACHE_DIR", &cache)
            .run()
    };
    run().ends_with(0);
    let files = files_below(&cache, "bc");
    assert!(!files.is_empty(), "PoCL keeps no .bc file");
    for file in files {
        fs::write(file, "").expect("can be written");
    }
    run()
        .fails(0, &["a damaged file", "rm -r"])
        .says(&["loaded from the binary"]);
}
