//! A driver that ends the process by itself: its status is not taken for the lesson's, and
//! what happened is told.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tests::{Program, lesson, pocl, program, scratch_folder};

/// A library of OpenCL whose compiler calls `exit(STUB_EXIT)`; everything else is the
/// loader's: functions that it lacks are looked for in what it was linked with.
fn library() -> &'static Path {
    static LIBRARY: LazyLock<PathBuf> = LazyLock::new(built_library);
    &LIBRARY
}

fn built_library() -> PathBuf {
    let folder = scratch_folder("exits");
    let (source, library) = (folder.join("exits.c"), folder.join("libexits.so"));
    let text = "#include <stdlib.h>\n\
                int clBuildProgram(void) { exit(atoi(getenv(\"STUB_EXIT\"))); }\n";
    std::fs::write(&source, text).expect("the folder can be written");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
        .args([&library, &source])
        .arg("-l:libOpenCL.so.1")
        .status();
    assert!(
        built.is_ok_and(|status| status.success()),
        "cc, which cargo links with, builds a library"
    );
    library
}

fn with_exit(program: Program, status: i32) -> Program {
    program
        .env("OPENCL_DYLIB_PATH", library())
        .env("STUB_EXIT", status.to_string())
}

const WORDS: [&str; 4] = [
    "error:",
    "the process died (exit status: ",
    "while building ",
    "something called exit()",
];

#[cfg(target_os = "linux")]
#[test]
fn no_status_of_a_driver_is_taken_for_the_lessons() {
    let Some(pocl) = pocl() else { return };
    for status in [0, 1, 3, 4, 101, 255] {
        for flags in ["", "--json", "--all-devices"] {
            if status > 1 && !flags.is_empty() {
                continue;
            }
            // With --all-devices none can be chosen.
            let device = if flags == "--all-devices" { "" } else { &pocl };
            let lesson = lesson(3)
                .args(device)
                .args("--only matmul_naive --size 4 --runs 0");
            let run = with_exit(lesson.args(flags), status).run();
            let run = run.fails(5, &WORDS);
            assert!(!run.stderr.contains("outside its buffers"), "{run}");
            assert!(!run.stdout.contains('✓'), "{run}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_offline_compiler_says_so_too_and_leaves_no_binary() {
    let Some(pocl) = pocl() else { return };
    let binary = scratch_folder("files").join("exits.bin");
    let oclcc = program("oclcc")
        .args(&pocl)
        .args("kernels/02-saxpy.cl -o")
        .arg(&binary);
    with_exit(oclcc, 0).run().fails(5, &WORDS);
    assert!(!binary.exists());
}

/// A setting on which PoCL crashes before there is a device, and a limit.
#[cfg(target_os = "linux")]
#[test]
fn no_kernel_is_blamed_that_has_not_run() {
    let Some(pocl) = pocl() else { return };
    let quick = || {
        lesson(3)
            .args(&pocl)
            .args("--only matmul_naive --size 4 --runs 0")
    };
    for run in [
        quick().env("POCL_MAX_PTHREAD_COUNT", "-3").run(),
        quick().in_shell("ulimit -f 0; exec \"$0\" \"$@\"").run(),
    ] {
        let blames = run.stderr.contains("the kernel read or wrote");
        assert!(run.status == Some(0) || run.status == Some(5), "{run}");
        assert!(
            run.status == Some(0) || run.stderr.contains("the process died"),
            "{run}"
        );
        assert!(!blames, "{run}");
    }
}

/// A lesson that is killed cannot remove its file; the next lesson does.
#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_lesson_leaves_the_next_one_removes() {
    let Some(pocl) = pocl() else { return };
    let folder = scratch_folder("exits/temporary");
    let text = "kernel void matmul_naive(int M, int N, int K, global const float *A,\n    \
                global const float *B, global float *C)\n{\n    volatile int go = 1; while (go);\n}\n";
    let source = tests::scratch("endless.cl", text);
    let flags = "--only matmul_naive --size 4 --runs 0";
    let on = || {
        let lesson = lesson(3).args(&pocl).args(flags);
        lesson.on_one_core().env("TMPDIR", &folder)
    };
    let mut killed = on().arg("--source").arg(source).command();
    let mut killed = killed
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let left = || tests::entries(&folder).len();
    while left() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    killed.kill().expect("our own child");
    killed.wait().expect("our own child");
    assert_eq!(left(), 1);
    // Its child may live on for a moment, and holds the lock until then.
    let ours = || {
        on().run().ends_with(0);
        let there = tests::entries(&folder).into_iter();
        let ours = there.filter(|path| path.display().to_string().contains("opencl-course"));
        ours.count()
    };
    assert!((0..5).any(|_| ours() == 0));
}

/// PoCL draws what it gives up, into the current folder.
#[cfg(target_os = "linux")]
#[test]
fn what_pocl_draws_of_a_kernel_that_it_gives_up_is_gone() {
    let Some(pocl) = pocl() else { return };
    let folder = scratch_folder("exits/drawings");
    let text = "kernel void matmul_naive(int M, int N, int K, global const float *A,\n    \
                global const float *B, global float *C)\n{\n    \
                int i = get_global_id(0), k = 0;\n    float s = 0;\n    \
                if (i & 1) goto inner;\n    while (k < K) {\n        \
                barrier(CLK_LOCAL_MEM_FENCE);\ninner:\n        s += A[k++];\n        \
                if (k == i) { barrier(CLK_LOCAL_MEM_FENCE); goto inner; }\n    }\n    C[i] = s;\n}\n";
    let source = tests::scratch("drawn.cl", text);
    let lesson = lesson(3)
        .args(&pocl)
        .args("--only matmul_naive --size 4 --runs 0 --source");
    let mut lesson = lesson.arg(source).command();
    let run = lesson.current_dir(&folder).output().expect("it starts");
    assert_eq!(run.status.code(), Some(5), "{run:?}");
    assert_eq!(tests::entries(&folder), [""; 0].map(PathBuf::from));
}
