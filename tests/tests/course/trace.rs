//! `course trace`: the memory traffic of kernels, counted in the simulator.

use std::path::Path;

use serde_json::Value;
use tests::{
    Oclgrind, Outcome, Program, entries, program, read, scratch, scratch_folder,
    this_test_has_its_day, workspace,
};

/// A command that traces, where this machine can, on one of three days.
fn trace(words: &str) -> Option<Program> {
    if !this_test_has_its_day(3) {
        return None;
    }
    Oclgrind::find()?;
    Some(program("course").arg("trace").args(words))
}

/// What it comes to.
fn traced(words: &str) -> Option<Outcome> {
    Some(trace(words)?.run().ends_with(0))
}

fn operands(run: &Outcome) -> Vec<Value> {
    let told = run.records().remove(0);
    told["operands"].as_array().expect("operands").clone()
}

/// One operand of a trace: requests, sectors or passes for each, and the fewest.
fn operand(run: &Outcome, name: &str, kind: &str, memory: &str) -> [f64; 3] {
    let all = operands(run);
    let is_it = |one: &&Value| {
        let operand = &one["operand"];
        operand["name"] == name && operand["kind"] == kind && operand["memory"] == memory
    };
    let one = all.iter().find(is_it);
    let one = one.unwrap_or_else(|| panic!("no {name} in {run}"));
    let number = |value: &Value| value.as_f64().unwrap_or(-1.0);
    [number(&one["sums"]["requests"]), number(&one["each"]), number(&one["best"])]
}

/// As the hardware counters of an H200 have it for 512^3 in groups of 16x16: 8.5 and 2
/// sectors a request.
#[test]
fn the_naive_pair_moves_what_the_hardware_moves() {
    let Some(run) = traced("docs/data/counters/matmul_id0_rows.toml --size 64 --json") else {
        return;
    };
    assert_eq!(operand(&run, "A", "load", "global"), [8192.0, 16.0, 2.0]);
    assert_eq!(operand(&run, "B", "load", "global"), [8192.0, 1.0, 1.0]);
    assert_eq!(operand(&run, "C", "store", "global"), [128.0, 16.0, 4.0]);

    let Some(run) = traced("matmul_naive --size 64 --json") else {
        return;
    };
    assert_eq!(operand(&run, "A", "load", "global"), [8192.0, 2.0, 1.0]);
    assert_eq!(operand(&run, "B", "load", "global"), [8192.0, 2.0, 2.0]);
    assert_eq!(operand(&run, "C", "store", "global"), [128.0, 4.0, 4.0]);
}

/// What the lessons' pages show of a trace; the size stands in its first line.
#[test]
#[ignore = "eleven traces take half a minute"]
fn the_pages_show_what_trace_prints() {
    for file in entries(&workspace().join("docs/data/trace")) {
        let kept = read(&file);
        let (what, size) = kept.split_once(" in the simulator").unwrap();
        let (kernel, variant) = what.split_once(' ').unwrap_or((what, ""));
        let size = size.lines().next().unwrap().trim_start_matches([',', ' ']);
        let Some(mut traced) = trace(kernel) else {
            return;
        };
        if !variant.is_empty() {
            traced = traced.arg(variant);
        }
        if !size.is_empty() {
            traced = traced.args("--size").arg(size);
        }
        let run = traced.run().ends_with(0);
        for part in kept.split("\n\n") {
            assert!(run.stdout.contains(part.trim_end()), "{part} is not in {run}");
        }
    }
}

/// A kernel of nobody's lesson, counted by hand for one group of 16x16. A warp is two rows.
/// Each reads four float4 of its row, 64 bytes: 128 in 4 sectors. The rows of the tile are 17
/// long: item 31 meets item 0 in its bank. Half of the items read 8 rows of the tile, at 17
/// words from each other: never the same bank. They write 32 bytes to each of two rows.
#[test]
fn a_kernel_never_seen_before_is_counted_as_by_hand() {
    let file = scratch(
        "trace-unseen.cl",
        "kernel void unseen(int M, int N, global const float *A, global float *B)\n{\n\
         \x20   local float tile[16][17];\n\
         \x20   const int x = get_local_id(0), y = get_local_id(1);\n\
         \x20   const int row = get_global_id(1);\n\
         \x20   const float4 v = ((global const float4 *)A)[row * (N / 4) + x % 4];\n\
         \x20   tile[y][x] = v.x + v.y;\n\
         \x20   barrier(CLK_LOCAL_MEM_FENCE);\n\
         \x20   if (x < 8)\n\
         \x20       B[row * N + x] = tile[x][y];\n}\n",
    );
    let words = "unseen --group 16x16 --size 16 --json --source";
    let Some(run) = traced(&format!("{words} {}", file.display())) else {
        return;
    };
    assert_eq!(operand(&run, "A", "load", "global"), [8.0, 4.0, 4.0]);
    assert_eq!(operand(&run, "tile", "store", "local"), [8.0, 2.0, 1.0]);
    assert_eq!(operand(&run, "tile", "load", "local"), [8.0, 1.0, 1.0]);
    assert_eq!(operand(&run, "B", "store", "global"), [8.0, 2.0, 2.0]);
}

/// Traces one warp of the file's kernel, by a task file beside it.
fn one_warp(file: &Path) -> Option<Outcome> {
    let name = file.file_name().expect("a file").to_string_lossy();
    let task = format!(
        "kernel = \"{name}\"\nsize = {{ n = 1024 }}\nglobal = [32]\nlocal = [32]\ncheck = \"none\"\n\
         args = [\"n\", \"n\", \"n\", {{ in = \"n\", fill = \"random\" }}, \
         {{ in = \"n\", fill = \"random\" }}, {{ out = \"n\" }}]\n"
    );
    let task = scratch(&format!("{name}.toml"), task);
    traced(&format!("--json {}", task.display()))
}

/// Atomics, private arrays, a local array as an argument of a function, wide vectors.
#[test]
fn every_kind_of_access_is_counted() {
    let file = scratch(
        "trace-kinds.cl",
        "void fill(local float *mine, int at) { mine[at] = 1; }\n\
         kernel void kinds(int M, int N, int K, global const float *A,\n\
         \x20   global const float *B, global float *C)\n{\n\
         \x20   local float tile[32];\n    float row[4];\n\
         \x20   const int me = get_local_id(0);\n\
         \x20   fill(tile, 2 * (me % 16));\n\
         \x20   for (int i = 0; i < 4; i++)\n        row[i] = B[i];\n\
         \x20   const float16 wide = vload16(me, A);\n\
         \x20   atomic_inc((volatile global int *)C + me);\n\
         \x20   vstore4(wide.lo.lo, row[me % 4] > 9 ? 1 : me, C);\n}\n",
    );
    let Some(run) = one_warp(&file) else { return };
    assert_eq!(operand(&run, "mine", "store", "local"), [1.0, 1.0, 1.0]);
    // 64 bytes of each item are four requests of 16, each in sectors of its own.
    assert_eq!(operand(&run, "A", "load", "global"), [4.0, 32.0, 16.0]);
    assert_eq!(operand(&run, "B", "load", "global"), [4.0, 1.0, 1.0]);
    assert_eq!(operand(&run, "C", "atomic", "global"), [1.0, 4.0, 4.0]);
    assert_eq!(operand(&run, "C", "store", "global"), [1.0, 16.0, 16.0]);
    assert_eq!(operand(&run, "row", "store", "private")[0], 4.0);
    assert_eq!(operand(&run, "row", "load", "private")[0], 1.0);
}

/// A component of a vector in memory counts alone, by hand for one warp: neighbours' vectors
/// lie 16 bytes apart, in 16 sectors, and in every fourth bank.
#[test]
fn a_component_counts_and_not_the_vector_that_it_is_of() {
    let accesses = [
        ("sum += from[i].x;", [16.0, 4.0]),
        ("sum += from[i].w;", [16.0, 4.0]),
        ("sum += from[i].yz.y;", [16.0, 4.0]),
        ("const float2 upper = from[i].hi;", [16.0, 8.0]),
        ("const float2 ends = from[i].xw;", [16.0, 16.0]),
        ("const float4 all = from[i];", [16.0, 16.0]),
        ("const float3 three = ((global const float3 *)A)[i];", [16.0, 12.0]),
        ("sum += ((global const Four *)A)[i].x;", [16.0, 4.0]),
        ("sum += tile[i].x;", [4.0, 1.0]),
        ("sum += tile[0].x;", [1.0, 1.0]),
        ("const float4 four = tile[i];", [4.0, 4.0]),
    ];
    let head = "typedef struct { float x, y, z, w; } Four;\n\
        kernel void components(int M, int N, int K, global const float *A,\n\
        \x20   global const float *B, global float *C)\n{\n    local float4 tile[32];\n\
        \x20   const int i = get_local_id(0);\n    float sum = 0;\n\
        \x20   global const float4 *from = (global const float4 *)A;\n    tile[i] = i;\n";
    let body: String = accesses.map(|(line, _)| format!("    {line}\n")).concat();
    let tail = "    C[i] = sum + upper.x + ends.x + all.x + three.x + four.x;\n}\n";
    let file = scratch("trace-components.cl", [head, &body, tail].concat());
    let Some(run) = one_warp(&file) else { return };
    let operands = operands(&run);
    let first = head.lines().count() + 1;
    for (at, (text, each_and_best)) in accesses.iter().enumerate() {
        let is_it = |one: &&Value| {
            let operand = &one["operand"];
            operand["line"] == first + at
                && operand["kind"] == "load"
                && operand["memory"] != "private"
        };
        let one = operands.iter().find(is_it);
        let one = one.unwrap_or_else(|| panic!("{text}\n{run}"));
        let counted = ["each", "best"].map(|name| one[name].as_f64().unwrap_or(-1.0));
        assert_eq!(&counted, each_and_best, "{text}\n{run}");
    }
}

#[test]
fn a_column_of_a_tile_is_drawn_pass_by_pass_and_its_padding_helps() {
    let Some(program) = trace("transpose_tile unpadded --size 64") else {
        return;
    };
    let folder = scratch_folder("trace-leaves-nothing");
    let run = program.env("TMPDIR", &folder).run().ends_with(0);
    run.says(&[
        "with PAD = 0, in groups of 32x8",
        "out[(first_column + y) * rows + first_row + x] = tile[x][y];",
        "The first request for tile, line ",
        ": 32 items, 32 passes over the banks",
        "  and 16 more",
    ]);
    let left = entries(&folder);
    assert!(left.is_empty(), "left behind: {left:?}");
    let Some(run) = traced("transpose_tile padded --size 64 --json") else {
        return;
    };
    assert_eq!(operand(&run, "tile", "load", "local"), [128.0, 1.0, 1.0]);
}

#[test]
fn other_hardware_is_counted_by_flags() {
    let Some(run) = traced("matmul_naive --size 64 --warp 64 --sector 64 --json") else {
        return;
    };
    assert_eq!(operand(&run, "A", "load", "global"), [4096.0, 4.0, 1.0]);
    assert_eq!(operand(&run, "B", "load", "global"), [4096.0, 1.0, 1.0]);
}

/// A learner's file is meant by its path, too; what the exercise says cannot be said again.
#[test]
fn an_exercise_is_meant_by_its_file_and_says_how_it_is_launched() {
    let Some(_) = Oclgrind::find() else {
        return;
    };
    let file = workspace().join("exercises/04-coalescing/1-four-elements-each/solution.cl");
    let trace = |words: &str| {
        let program = program("course").arg("trace").args(words).arg("--source");
        program.arg(&file).run()
    };
    trace("4.1").ends_with(0).says(&["as in exercise 4.1, in groups of 64"]);
    trace("4.1 --size 64").fails(2, &["exercise 4.1 says how its kernel is launched"]);
}

#[test]
fn of_a_large_launch_a_sample_of_groups_is_traced() {
    if let Some(run) = traced("matmul_id0_columns --size 200") {
        run.says(&["of 175 groups, from all over the range"]);
    }
}

/// A memory, what is done to it, and in what it is counted.
const COUNTED: [(&str, &str, &str); 4] = [
    ("global", "load", "sectors"),
    ("global", "store", "sectors"),
    ("local", "load", "passes"),
    ("local", "store", "passes"),
];

/// Launches whose hardware counters are kept.
fn counted(file: &str) -> Vec<Value> {
    let kept = read(format!("docs/data/counters/{file}"));
    let kept: Value = serde_json::from_str(&kept).expect("an object");
    kept["launches"].as_array().expect("launches").clone()
}

/// What an H200 counted of kernels that need not be small, beside the same kernels traced
/// small: for each request both must say the same. What NVIDIA's compiler spared or joined,
/// the file names.
fn the_model_agrees_with_the_counters_of_a_gpu(lesson: u64) {
    let (launches, mut held) = (counted("h200.json"), 0);
    for counted in launches.iter().filter(|one| one["lesson"] == lesson) {
        let words = counted["trace"].as_str().expect("how it is traced");
        let Some(run) = traced(&format!("{words} --json")) else {
            return;
        };
        for (memory, kind, units) in COUNTED {
            let hardware = &counted[memory][kind];
            if counted["joined"] == format!("{memory} {kind}") {
                continue;
            }
            let (Some(requests), Some(moved)) =
                (hardware["requests"].as_f64(), hardware[units].as_f64())
            else {
                continue;
            };
            let [asked, took] = sums(&run, memory, kind, units, &counted["spared"]);
            let (traced, by_hardware) = (took / asked, moved / requests);
            // Stores to local memory now and then wait for others: up to a tenth more passes.
            let noise = if memory == "local" { 0.1 } else { 0.001 };
            assert!(
                (traced - by_hardware).abs() < noise * by_hardware,
                "{words}: {memory} {kind}s: {traced} {units} traced, {by_hardware} counted\n{run}"
            );
            held += 1;
        }
    }
    assert!(held > 1, "no counters of lesson {lesson}");
}

each! { the_model_agrees_with_the_counters_of_a_gpu:
    the_model_agrees_with_the_counters_of_a_gpu_in_lesson_3 3
    the_model_agrees_with_the_counters_of_a_gpu_in_lesson_4 4
    the_model_agrees_with_the_counters_of_a_gpu_in_lesson_5 5
    the_model_agrees_with_the_counters_of_a_gpu_in_lesson_6 6
    the_model_agrees_with_the_counters_of_a_gpu_in_lesson_7 7
    the_model_agrees_with_the_counters_of_a_gpu_in_lesson_8 8
}

/// The same of single accesses, component loads among them: requests and what they moved
/// are the very numbers that an H200 counted.
#[test]
fn single_accesses_are_counted_as_a_gpu_counts_them() {
    for counted in counted("accesses.json") {
        let kernel = counted["kernel"].as_str().expect("its name");
        let words = "--size 1024 --group 64 --json --source tests/kernels/accesses.cl";
        let Some(run) = traced(&format!("{kernel} {words}")) else {
            return;
        };
        for (memory, kind, units) in COUNTED {
            let traced = sums(&run, memory, kind, units, &Value::Null).map(|sum| sum as u64);
            let hardware = &counted[memory][kind];
            let by_hardware = ["requests", units].map(|name| hardware[name].as_u64().unwrap_or(0));
            assert_eq!(traced, by_hardware, "{kernel}: {memory} {kind}s\n{run}");
        }
    }
}

/// Requests, and their sectors or passes, of all operands that the compiler kept.
fn sums(run: &Outcome, memory: &str, kind: &str, units: &str, spared: &Value) -> [f64; 2] {
    let all = operands(run);
    let kept = all.iter().filter(|one| {
        let operand = &one["operand"];
        let is_spared = kind == "load" && *spared == operand["name"];
        operand["memory"] == memory && operand["kind"] == kind && !is_spared
    });
    kept.fold([0.0, 0.0], |[requests, moved], one| {
        let sum = |name: &str| one["sums"][name].as_f64().unwrap_or(0.0);
        [requests + sum("requests"), moved + sum(units)]
    })
}

/// The simulator says the same everywhere, so the page must show it to the letter, but for
/// the numbers of the lines: a comment more in a kernel file moves them.
#[test]
fn the_page_shows_what_its_commands_print() {
    let (page, mut shown) = (read("docs/tracing.md"), 0);
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("its end");
        let (command, output) = block.split_once('\n').expect("a command, then its output");
        let words = command.strip_prefix("$ cargo course trace ");
        let Some(run) = traced(words.expect("a trace")) else {
            return;
        };
        let [printed, output] = [&run.stdout, output].map(without_line_numbers);
        assert!(printed.contains(&output), "{output}\n{run}");
        shown += 1;
    }
    assert!(shown > 0, "the page shows an output");
}

fn without_line_numbers(text: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || c == ' ';
    let lines = text.trim_end().lines();
    let bare = lines.map(|line| line.trim_start_matches(is_number));
    bare.collect::<Vec<_>>().join("\n")
}
