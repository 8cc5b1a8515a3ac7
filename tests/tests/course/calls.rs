//! `course calls`: the OpenCL calls of programs, here of our own examples and of one of C that
//! does everything wrong.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tests::{Program, device, or_note, program, scratch_folder, workspace};

fn calls(flags: &str, of: &str) -> Program {
    device();
    let folder = tests::programs_folder();
    let words = format!("calls {flags} -- {}", folder.join(of).display());
    program("course").args(&words)
}

#[test]
fn an_examples_calls_are_told_and_drawn() {
    let svg = scratch_folder("calls").join("saxpy.svg");
    let run = calls(&format!("--svg {}", svg.display()), "saxpy").run().ends_with(0);
    assert!(run.stdout.contains("1000000 elements right"), "{run}");
    let told = [
        "clCreateContext makes context 1 for device 1 (",
        "clCreateKernel takes kernel 1 (saxpy) from program 1",
        "clCreateBuffer makes buffer 3 of 3.8 MiB, CL_MEM_READ_WRITE",
        "clSetKernelArg sets argument 1 of kernel 1 (saxpy) to d = 2",
        "clSetKernelArg sets argument 4 of kernel 1 (saxpy) to C = buffer 3",
        "queue 1: launches kernel 1 (saxpy) on 1000000 items in groups of 64; its end is event 3",
        "queue 1: reads 3.8 MiB of buffer 3, and waits; its end is event 4",
        "7.6 MiB to the device, 3.8 MiB back",
        "Writes that the host waited for",
    ];
    for words in told {
        assert!(run.stderr.contains(words), "{words}\n{run}");
    }
    for heading in ["Never released", "for nothing\n", "went on", "in order\n"] {
        assert!(!run.stderr.contains(heading), "{heading}\n{run}");
    }
    let svg = fs::read_to_string(svg).expect("it was drawn");
    assert!(svg.contains(">queue 1<") && svg.contains("class=\"kernel\""), "{svg}");
}

#[test]
fn what_two_queues_do_is_kept_in_order_by_events() {
    let run = calls("--summary", "pipeline 3 1 8").run().ends_with(0);
    assert!(!run.stderr.contains("nothing keeps in order"), "{run}");
}

/// A program of C, compiled by the system's compiler, if there is one.
fn of_c(name: &str) -> Option<PathBuf> {
    let built = scratch_folder("calls").join(name);
    let mut compiler = Command::new("cc");
    let source = workspace().join(format!("tests/wrong/{name}.c"));
    compiler.arg("-o").arg(&built).arg(source).arg("-l:libOpenCL.so.1");
    let done = compiler.output().ok().filter(|done| done.status.success());
    or_note(done.map(|_| built), "a C compiler with OpenCL's headers")
}

#[test]
fn what_a_program_does_wrong_is_said_and_a_right_one_is_not_blamed() {
    device();
    let table = include_str!("../../wrong/programs.txt");
    let (_, table) = table.split_once('\n').expect("a line of words");
    let (Some(host), Some(careless)) = (of_c("host"), of_c("careless")) else {
        return;
    };
    for case in table.split("\n\n") {
        let (first, says) = case.split_once('\n').expect("two lines");
        let mut words = first.split(' ');
        let [name, word, status] = [(); 3].map(|()| words.next().expect("three words"));
        let program_of_c = if name == "host" { &host } else { &careless };
        // Building may take its time, where nothing else is waited for.
        let patience = if status == "124" { 2 } else { 60 };
        let line = format!("calls --timeout {patience} -- {} {word}", program_of_c.display());
        let mut run = program("course").args(&line).run();
        if status != "-" {
            run = run.ends_with(status.parse().expect("a status"));
        }
        for words in says.lines() {
            assert!(run.stderr.contains(words), "{first}: {words}\n{run}");
        }
        assert!(!run.stderr.contains('\u{1b}'), "{run}");
    }
}

#[test]
fn a_program_without_a_call_is_said_to_have_none() {
    let run = program("course").args("calls -- true").run().ends_with(0);
    assert!(run.stderr.contains("No OpenCL call was seen"), "{run}");
    let run = program("course").args("calls -- no-such-program").run();
    run.fails(2, &["no-such-program", "cannot be started"]);
}
