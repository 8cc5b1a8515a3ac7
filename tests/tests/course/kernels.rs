//! Kernels in one hand: what a reader of one file knows holds in all others.

use std::fs;

use tests::{files_below, lesson, scratch_folder, workspace};

/// What is wrong with a line, `inside` the parameters of a kernel or not.
fn fault(line: &str, inside: bool) -> Option<&'static str> {
    let is_array = inside && line.contains('*');
    match line {
        _ if line.chars().count() > 88 => Some("longer than 88 columns"),
        _ if line.ends_with(' ') => Some("a space at the end"),
        _ if line.starts_with("kernel __attribute__") => Some("attributes have a line above"),
        _ if is_array && !line.contains("// [") => Some("an array without its shape"),
        _ if line == "#ifndef REAL" => Some("the other files say what REAL is"),
        _ => None,
    }
}

#[test]
fn lines_attributes_and_shapes_are_alike_in_all_kernel_files() {
    let files = ["kernels", "exercises"].map(|name| files_below(&workspace().join(name), "cl"));
    let mut files = files.concat();
    // A problem is solved as one likes.
    files.retain(|file| !file.starts_with(workspace().join("exercises/problems")));
    let mut faults = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a kernel file");
        let mut inside = false;
        for (line, number) in text.lines().zip(1..) {
            inside = (inside || line.starts_with("kernel void")) && line != "{";
            let wrong = fault(line, inside);
            faults.extend(wrong.map(|wrong| format!("{}:{number}: {wrong}", file.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Tiles that 128 items cannot copy in whole rounds: unsaid, a part of them would hold anything.
#[test]
fn a_macro_that_breaks_a_condition_is_told_by_the_kernel() {
    let text = fs::read_to_string(workspace().join("kernels/08-tiling.cl")).expect("a kernel file");
    let edited = text.replace("#ifndef TM\n#define TM 64", "#undef TM\n#ifndef TM\n#define TM 56");
    assert_ne!(edited, text);
    let file = scratch_folder("condition").join("edited.cl");
    fs::write(&file, edited).expect("it can be written");
    let run = lesson(8).args("--size 64 --runs 0 --source");
    let says = "TM*TK and TK*TN must be multiples of ITEMS";
    run.arg(&file).run().fails(4, &[says]);
}
