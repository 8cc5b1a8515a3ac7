//! Mistakes in a kernel, each explained in plain words, by every compiler here.

use tests::{
    Oclgrind, Outcome, Program, device, lesson, lesson_without_device, or_note, scratch, workspace,
};

const SIGNATURE: &str = "kernel void matmul_naive(int M, int N, int K, global const float *A, \
                         global const float *B, global float *C)";

/// A helper before the kernel, the kernel's body, and what the explanation says.
#[rustfmt::skip]
const MISTAKES: &[(&str, &str, &str)] = &[
    ("", "C[0] = foobar(A[0]);", "no function foobar is declared"),
    ("", "C[0] = unheard_of;", "nothing called unheard_of is declared"),
    ("", "barrier(CLK_LOCAL_MEMFENCE);", "CLK_LOCAL_MEM_FENCE?"),
    ("", "C[get_globl_id(0)] = 1;", "get_global_id"),
    ("", "float summe = 0; sume += 1;", "summe"),
    ("", "flaot x = 0;", "did you mean float?"),
    ("", "float4 v = vlaod4(0, A);", "vload4"),
    ("", "C[0] = TILE_WIDTH;", "#define TILE_WIDTH"),
    ("", "int i = threadIdx.x;", "get_local_id(0)"),
    ("", "local float t[4]; global float *p = t; C[0] = *p;", "which memory it points into"),
    ("float h(global const float *p) { return p[0]; }\n", "local float t[4]; C[0] = h(t);",
        "which memory it points into"),
    ("", "barrier();", "barrier(CLK_LOCAL_MEM_FENCE)"),
    ("", "C[0] = get_local_id();", "get_local_id(0)"),
    ("", "C[0] = mad(A[0], B[0]);", "mad(a, b, c)"),
    ("", "float4 v = vload4(A);", "vload4(n, p)"),
    ("float h(float x) { return x; }\n", "C[0] = h(A[0], 1.0f);", "h's own arguments"),
    ("", "C[0] = max(1, A[0]);", "same type"),
    ("", "float4 v = float4(1, 2, 3, 4);", "(float4)(1.0f"),
    ("", "float3 v = (float3)(1, 2);", "a number for each part"),
    ("", "float3 v = (float3)(1, 2, 3, 4);", "no more numbers than the vector has parts"),
    ("", "float4 v = 0; C[0] = v.s7;", "no such part"),
    ("", "float4 v = 0; float2 w = v;", "same number of parts"),
    ("", "float x = 1\nC[0] = x;", "semicolon"),
    ("", "if (M > 0) {\nC[0] = 1;", "{ is not closed"),
    ("", "C[0] = fma(A[0], B[0], C[0];", "( is not closed"),
    ("float h() { local float t[4]; t[0] = 1; return t[0]; }\n", "C[0] = h();",
        "only a kernel can declare local memory"),
    ("", "if (M > 0) { local float t[4]; t[0] = 1; }", "outside of every if"),
    ("", "local float t[K];", "known when the kernel is built"),
    ("", "local float t[4] = {0};", "no initial value"),
    ("", "A[0] = 1;", "const"),
    ("", "return 1;", "returns nothing"),
    ("", "C[0] = A[0][0];", "A[row * K + k]"),
    ("float g = 1;\n", "C[0] = g;", "must be constant"),
    ("#include <stdio.h>\n", "C[0] = 1;", "needs no #include"),
    ("#include \"./main.h\"\n", "C[0] = 1;", "this file was not found"),
    ("", "int i = mul24(get_group_id(0), get_local_size(0));", "take int or uint"),
    ("float row_sum(float x) { return x; }\n", "C[0] = sum + row_sum(1);", "nothing called sum"),
    ("#define TWICE(x) ((x) + undeclared_in_it)\n", "C[0] = TWICE(1);", "the macro is used here"),
];

/// Every mistake through the compiler `of`, which `run` puts to use.
fn are_explained(of: &str, run: impl Fn(Program) -> Outcome) {
    for (i, (helper, body, words)) in MISTAKES.iter().enumerate() {
        let name = format!("mistake-{of}-{i}.cl");
        let file = scratch(&name, format!("{helper}{SIGNATURE}\n{{\n{body}\n}}\n"));
        let flags = "--only matmul_naive --size 4 --runs 0 --source";
        let program = lesson_without_device(3).args(flags).arg(&file);
        let outcome = run(program).fails(4, &["does not build"]);
        // Lines are folded: what was folded is unfolded.
        let unfolded: Vec<&str> = outcome.stderr.split_whitespace().collect();
        let said = unfolded.join(" ");
        assert!(said.contains(words), "{body}: no \"{words}\" in\n{outcome}");
    }
}

#[test]
#[ignore = "half a minute of building; what is said of a log is tested with kept logs"]
fn mistakes_are_explained_with_the_compiler_of_the_chosen_device() {
    device();
    are_explained("chosen", Program::run);
}

#[test]
fn mistakes_are_explained_with_oclgrinds_compiler() {
    let Some(oclgrind) = Oclgrind::find() else {
        return;
    };
    are_explained("oclgrind", |program| oclgrind.run("mistakes", program).0);
}

#[test]
#[ignore = "half a minute of building; what is said of a log is tested with kept logs"]
fn mistakes_are_explained_with_intels_compiler() {
    let library = workspace().join(".opencl/intel/libintelocl.so");
    let library = library.is_file().then_some(library);
    let Some(library) = or_note(library, "Intel's CPU runtime") else {
        return;
    };
    are_explained("intel", |program| {
        program.env("OPENCL_DYLIB_PATH", &library).run()
    });
}

#[test]
fn the_raw_log_holds_the_drivers_words_alone() {
    let file = scratch(
        "mistake-raw.cl",
        format!("{SIGNATURE}\n{{\nbarrier();\n}}\n"),
    );
    let run = lesson(3)
        .args("--only matmul_naive --size 4 --runs 0 --raw-log --source")
        .arg(file)
        .run()
        .fails(4, &["does not build"]);
    assert!(!run.stderr.contains("CLK_GLOBAL_MEM_FENCE"), "{run}");
}
