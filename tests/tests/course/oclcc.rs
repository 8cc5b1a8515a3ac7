//! The offline compiler: a kernel file to a binary, and back.

use std::fs;

use tests::{device, program, scratch, scratch_folder};

#[test]
fn a_kernel_file_becomes_a_binary_that_loads() {
    device();
    let binary = scratch_folder("files").join("private-memory.bin");
    let oclcc = program("oclcc")
        .args("kernels/05-private-memory.cl -D ROW=64 -D UNUSED -o")
        .arg(&binary);
    let run = oclcc.run().ends_with(0);
    run.says(&[
        "private-memory.bin",
        "matmul_row_private",
        "loaded from the binary in",
    ]);
    let written = fs::metadata(&binary).expect("the binary is there");
    assert!(written.len() > 0);
}

#[test]
fn a_file_that_does_not_build_leaves_no_binary() {
    device();
    let source = scratch(
        "offline.cl",
        "kernel void f(global float *C)\n{\n    C[0] = missing;\n}\n",
    );
    let binary = source.with_extension("bin");
    let run = program("oclcc").arg(&source).run();
    run.fails(
        4,
        &[
            "does not build",
            "offline.cl:3:12",
            "C[0] = missing;",
            "^^^^^^^",
        ],
    );
    assert!(!binary.exists());
}

#[test]
fn an_error_is_shown_in_the_file_and_line_in_which_it_is() {
    device();
    let kernel = "kernel void f(global float *C)\n{\n    C[0] = h(1);\n}\n";
    let included = scratch(
        "offline-included.cl",
        "\n\nfloat h(float x) { return missing; }\n",
    );
    let includes = |text: &str| format!("#include \"{}\"\n{text}", included.display());
    let numbered =
        "#line 500 \"other.cl\"\nkernel void f(global float *C)\n{\n    C[0] = missing;\n}\n";
    for (name, text, place) in [
        (
            "offline-includes.cl",
            includes(kernel),
            "offline-included.cl:3:27",
        ),
        (
            "offline-line.cl",
            numbered.to_string(),
            "offline-line.cl:4:12",
        ),
    ] {
        let file = scratch(name, text);
        let run = program("oclcc").arg(file).run();
        run.fails(4, &["does not build", place, "missing", "^^^^^^^"]);
    }
}

#[test]
fn what_is_mistyped_is_named() {
    program("oclcc").run().fails(2, &["<SOURCE>"]);
    program("oclcc")
        .arg("missing.cl")
        .run()
        .fails(2, &["cannot use missing.cl"]);
    let define = |text: &str| {
        program("oclcc")
            .args("kernels/02-saxpy.cl -D")
            .arg(text)
            .run()
    };
    define("=16").fails(2, &["not a macro's name"]);
    define("TS=x").fails(2, &["not a whole number"]);
    device();
    let device = program("oclcc")
        .args("kernels/02-saxpy.cl --device nothing")
        .run();
    device.fails(2, &["no device matches"]);
    let output = program("oclcc")
        .args("kernels/02-saxpy.cl -o no/such/folder/saxpy.bin")
        .run();
    output.fails(2, &["cannot use no/such/folder/saxpy.bin"]);
}

#[test]
fn the_kernel_file_is_never_overwritten() {
    let text = "kernel void f(global float *C)\n{\n    C[0] = 1;\n}\n";
    let source = scratch("offline-itself.cl", text);
    let run = program("oclcc").arg(&source).args("-o").arg(&source).run();
    run.fails(2, &["would overwrite", "-o"]);
    // The name that a binary gets by itself may be the source's own.
    let named = scratch("offline-itself.bin", text);
    program("oclcc")
        .arg(&named)
        .run()
        .fails(2, &["would overwrite", "-o"]);
    for file in [source, named] {
        assert_eq!(fs::read_to_string(file).expect("it is there"), text);
    }
}
