//! Nothing that a command has started outlives it, whoever ends it and how: nobody is left
//! who would watch a kernel, and it may run for ever.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tests::{Program, lesson, pocl, program, scratch, scratch_folder, workspace};

/// Processes are known by this variable, which they hand on.
const MARK: &str = "COURSE_TEST_MARK";

/// The processes of this mark that are no zombies.
fn marked(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("Linux has it");
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_marked = |pid: &String| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mark = format!("{MARK}={mark}");
        let mut variables = environment.split(|byte| *byte == 0);
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        variables.any(|variable| variable == mark.as_bytes()) && !stat.contains(") Z ")
    };
    names
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .filter(is_marked)
        .collect()
}

fn within(seconds: u64, done: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !done() && begin.elapsed() < Duration::from_secs(seconds) {
        std::thread::sleep(Duration::from_millis(20));
    }
    done()
}

/// Kills a command when it and what it has started are so many processes.
fn must_leave_nobody(mark: &str, processes: usize, program: Program) {
    let mut command = program.env(MARK, mark).command();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut parent = command.spawn().expect("it starts");
    let started = within(60, || marked(mark).len() >= processes);
    // It is what they were started for that keeps them.
    std::thread::sleep(Duration::from_secs(1));
    let there = marked(mark);
    parent.kill().expect("our own child");
    parent.wait().expect("our own child");
    let all_ended = within(10, || marked(mark).is_empty());
    for pid in marked(mark) {
        let _ = Command::new("kill").args(["-9", &pid]).status();
    }
    assert!(started && there.len() >= processes, "{mark}: {there:?}");
    assert!(all_ended, "{mark}: {there:?} run on");
}

/// A driver that never answers.
fn hanging_driver() -> PathBuf {
    let folder = scratch_folder("orphans");
    let name = format!("hang-{:?}", std::thread::current().id());
    let source = folder.join(&name).with_extension("c");
    let library = folder.join(&name).with_extension("so");
    let text = "#include <unistd.h>\n\
                __attribute__((constructor)) void now(void) { for (;;) pause(); }\n";
    fs::write(&source, text).expect("the folder can be written");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"])
        .args([&library, &source]);
    assert!(
        cc.status().is_ok_and(|status| status.success()),
        "cc builds a library"
    );
    library
}

fn with_hanging_driver(program: Program) -> Program {
    program.env("OPENCL_DYLIB_PATH", hanging_driver())
}

#[test]
fn the_doctor_takes_a_driver_along_that_hangs() {
    must_leave_nobody(
        "doctor",
        2,
        with_hanging_driver(program("course").args("doctor")),
    );
}

#[test]
fn a_report_takes_its_lessons_along() {
    let report = program("course")
        .args("report --lesson 3 --out")
        .arg(scratch_folder("orphaned"));
    // The report, lesson 1, and the child that looks for devices.
    must_leave_nobody("report", 3, with_hanging_driver(report));
}

#[test]
fn lesson_11_takes_its_worker_along() {
    let Some(pocl) = pocl() else { return };
    let cache = scratch_folder("orphans").join("cache");
    let lesson = lesson(11)
        .args(&pocl)
        .args("--size 64 --budget 2m --reset")
        .env("OPENCL_COURSE_CACHE", cache);
    must_leave_nobody("lesson11", 3, lesson);
}

#[test]
fn an_exercise_takes_its_kernels_along() {
    if pocl().is_none() {
        return;
    }
    let fresh = "exercises/03-naive-matmul/1-both-edges/exercise.cl";
    let text = fs::read_to_string(workspace().join(fresh)).expect("a file of the course");
    let endless = "{\n    volatile int go = 1; while (go);";
    let file = scratch_folder("orphans/03-naive-matmul").join("1-both-edges.cl");
    fs::write(&file, text.replacen('{', endless, 1)).expect("written");
    let exercise = program("course").args("exercise --timeout 60").arg(file);
    // The course, a lesson that watches, and the child that runs the kernel.
    must_leave_nobody("exercise", 3, exercise);
}

#[test]
fn a_lesson_takes_its_kernel_along() {
    let Some(pocl) = pocl() else { return };
    let endless = "kernel void matmul_naive(int M, int N, int K, global const float *A,\n\
                   global const float *B, global float *C)\n\
                   {\n    volatile int go = 1; while (go); C[0] = 0;\n}\n";
    let lesson = lesson(3).args(&pocl);
    let lesson = lesson.args("--only matmul_naive --size 20 --runs 0 --source");
    // The lesson that watches, and the child that runs the kernel.
    must_leave_nobody("lesson", 2, lesson.arg(scratch("orphan.cl", endless)));
}

#[test]
fn the_offline_compiler_takes_a_build_along_that_hangs() {
    let Some(pocl) = pocl() else { return };
    // Whoever includes it waits for somebody who writes.
    let pipe = scratch_folder("files").join("endless.h");
    // Of a run before this one.
    let _ = fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let include = format!("#include \"{}\"\n", pipe.display());
    let source = scratch("endless.cl", include + "kernel void f(int n)\n{\n}\n");
    must_leave_nobody("oclcc", 2, program("oclcc").args(&pocl).arg(source));
}
