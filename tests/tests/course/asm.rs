//! `course asm`: the innermost loop as the device's compiler made it.

use serde_json::Value;
use tests::{Program, entries, pocl, program, scratch, scratch_folder, workspace};

fn asm(words: &str) -> Program {
    program("course").arg("asm").args(words)
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_loop_of_the_naive_product_multiplies_and_adds_and_names_its_line() {
    let Some(pocl) = pocl() else { return };
    let folder = scratch_folder("asm-leaves-nothing");
    let run = asm(&format!("matmul_naive --json {pocl}"))
        .optimised()
        .env("TMPDIR", &folder)
        .run()
        .ends_with(0);
    let told = object(&run.stdout);
    assert_eq!(told["is_loop"], true, "{run}");
    // One for each round, or some rounds at once.
    assert!(told["round"]["multiply_adds"].as_u64() >= Some(1), "{run}");
    assert!(told["round"]["loads"].is_object(), "{run}");
    assert_eq!(told["group"], serde_json::json!([16, 16]), "{run}");
    let left = entries(&folder);
    assert!(left.is_empty(), "left behind: {left:?}");

    let people = asm(&format!("matmul_naive {pocl}"))
        .optimised()
        .run()
        .ends_with(0);
    people.says(&[
        "as in lesson 3, in groups of 16x16",
        "the innermost loop,",
        "sum += A[row * K + k] * B[k * N + column];",
        "One round of the loop",
        "for each multiply-add",
    ]);
}

#[test]
fn a_variant_has_its_own_macros() {
    let Some(pocl) = pocl() else { return };
    let run = asm(&format!("matmul_tiled 8x8 --json {pocl}"))
        .run()
        .ends_with(0);
    let told = object(&run.stdout);
    assert_eq!(told["kernel"], "matmul_tiled 8x8", "{run}");
    assert_eq!(told["defines"]["TS"], 8, "{run}");
    let run = asm(&format!("matmul_tiled 7x7 {pocl}"));
    let run = run.run();
    run.fails(2, &["matmul_tiled 7x7", "did you mean matmul_tiled 8x8?"]);
}

#[test]
fn what_cannot_be_shown_is_refused_as_elsewhere() {
    asm("matmul_niave")
        .run()
        .fails(2, &["no lesson has a kernel", "did you mean matmul_naive?"]);
    let Some(pocl) = pocl() else { return };
    let file = scratch(
        "asm-broken.cl",
        "kernel void matmul_naive(int M, int N, int K, global const float *A,\n\
         \x20   global const float *B, global float *C)\n{\n    C[0] = missing;\n}\n",
    );
    asm(&format!("matmul_naive {pocl} --source"))
        .arg(&file)
        .run()
        .fails(4, &["asm-broken.cl:4:12", "C[0] = missing;"]);
    asm(&format!("trace_tiles {pocl}"))
        .run()
        .fails(2, &["did not launch trace_tiles", "a kernel that prints"]);
    asm("matmul_naive --device no-such-device")
        .run()
        .fails(2, &["no device matches"]);
}

#[test]
fn a_kernel_of_any_name_is_launched_by_flags() {
    let Some(pocl) = pocl() else { return };
    let file = scratch(
        "asm-mine.cl",
        "kernel void mine(int M, int N, int K, global const float *A,\n\
         \x20   global const float *B, global float *C)\n{\n\
         \x20   const int row = get_global_id(1), column = get_global_id(0);\n\
         \x20   if (row >= M || column >= N)\n        return;\n\
         \x20   float sum = 0;\n\
         \x20   for (int k = 0; k < K; k++)\n\
         \x20       sum += A[row * K + k] * B[k * N + column];\n\
         \x20   C[row * N + column] = sum;\n}\n",
    );
    asm(&format!("mine {pocl} --group 8x4 --source"))
        .arg(&file)
        .optimised()
        .run()
        .ends_with(0)
        .says(&["mine on", "by its arguments, in groups of 8x4", "sum += A["]);
}

#[test]
fn code_is_read_from_a_file_too() {
    let fixtures = workspace().join("crates/analysis/src/fixtures");
    let read = |name: &str| {
        let path = fixtures.join(name);
        asm("matmul_naive --binary").arg(path).run().ends_with(0)
    };
    read("naive.sass").says(&[
        "23 of 88 instructions",
        "multiply-adds   4: 4 of 1 lane",
        "global memory",
    ]);
    read("naive.o").says(&["x86-64", "products 1 of 1 lane, sums 1 of 1 lane"]);
    // With NVIDIA's tools it is assembled first.
    read("naive.ptx").says(&["multiply-adds", "global memory"]);
    let text = scratch("asm-no-code.bin", "neither this nor that");
    asm("matmul_naive --binary")
        .arg(text)
        .run()
        .fails(4, &["cannot be read", "neither ELF nor PTX"]);
}
