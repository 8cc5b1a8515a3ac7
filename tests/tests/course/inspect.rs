//! `course inspect`: what the detectors say of kernels that the course does not know.

use std::path::PathBuf;

use serde_json::Value;
use tests::{Oclgrind, Outcome, Program, pocl, program, scratch, this_test_has_its_day};

/// A product of a name of its own, an element for each item, with these lines before it is
/// stored.
fn product(attributes: &str, lines: &str) -> String {
    format!(
        "kernel {attributes}void mine(int M, int N, int K, global const float *A,
                 global const float *B, global float *C)
{{
    const int column = get_global_id(0), row = get_global_id(1);
    const int me = get_local_id(0);
    local float tile[16];
    float sum = 0;
    for (int k = 0; k < K && row < M && column < N; k++)
        sum += A[row * K + k] * B[k * N + column];
    {lines}
    if (row < M && column < N)
        C[row * N + column] = sum;
}}
"
    )
}

/// The line of `product` that is the caller's.
const LINE: &str = "line 10: ";

/// On one of three days.
fn inspect(name: &str, text: &str) -> Option<Program> {
    if !this_test_has_its_day(3) {
        return None;
    }
    let pocl = pocl()?;
    Oclgrind::find()?;
    let file = scratch(&format!("inspect-{name}.cl"), text);
    Some(on(&pocl, &file))
}

fn on(pocl: &str, file: &PathBuf) -> Program {
    program("course").args("inspect").arg(file).args(pocl).on_the_chosen_driver()
}

#[track_caller]
fn fits(shown: &Outcome) {
    for line in
        shown.stdout.lines().filter(|line| !line.contains("/tmp/") && !line.contains("File"))
    {
        assert!(line.chars().count() <= 80, "too long: {line}\n{shown}");
    }
}

/// A kernel whose result is right, and what the simulator sees all the same.
fn is_found(name: &str, lines: &str, detector: &str) {
    let Some(inspect) = inspect(name, &product("", lines)) else {
        return;
    };
    let shown = inspect.args("--size 21x19x5").run().ends_with(1);
    let found = format!("✗ Oclgrind: {detector}");
    let shown = shown.says(&["✓ result, 21x19x5", "✓ Oclgrind: result", &found, LINE]);
    fits(&shown.says(&["mine: something is wrong", "task file"]));
}

#[test]
fn a_race_is_found_with_its_line() {
    is_found("race", "if (me < 2) tile[0] = me;", "races");
}

#[test]
fn an_access_out_of_bounds_is_found_with_its_line() {
    is_found("bounds", "volatile float behind = A[M * K];", "bounds");
}

#[test]
fn a_value_that_nobody_wrote_is_found_with_its_line() {
    is_found("unset", "if (tile[me] == 7) sum += 0;", "uninitialised");
}

/// The host fills C with poison before the launch, and to the simulator it is unwritten all
/// the same.
#[test]
fn a_read_of_c_before_it_is_written_is_found_with_its_line() {
    is_found("old-c", "if (C[row * N + column] == 7) sum += 0;", "uninitialised");
}

#[test]
fn a_barrier_that_not_all_items_reach_is_found() {
    let lines = "if (me < 8) barrier(CLK_LOCAL_MEM_FENCE);";
    let Some(inspect) = inspect("barrier", &product("", lines)) else {
        return;
    };
    let shown = inspect.args("--size 21x19x5").run();
    shown.says(&["✗ Oclgrind: barriers"]);
}

/// Launched by the attribute, and by flags: in one dimension and from a transposed B.
#[test]
fn a_sound_kernel_is_launched_as_it_says_and_nothing_is_found() {
    let group = "__attribute__((reqd_work_group_size(8, 4, 1)))\n";
    let Some(inspect) = inspect("group", &product(group, "")) else {
        return;
    };
    let shown = inspect.args("--json").run().ends_with(0);
    let seen = shown.records().remove(0);
    assert_eq!(seen["verdict"], "right", "{shown}");
    let seen = seen["observations"].as_array().expect("a list");
    let is_right =
        |one: &&Value| one["says"].as_str().is_some_and(|says| says.starts_with("right"));
    let results = seen.iter().filter(is_right).count();
    assert!(results > 5, "four sizes, a new one, and the simulator: {shown}");
}

/// In groups of 16x16 a warp is two rows: 2 sectors of A for a request, where 1 could do.
#[test]
fn what_a_kernel_asks_of_memory_stands_beside_the_verdict() {
    if Oclgrind::find().is_none() {
        return;
    }
    let (Some(people), Some(programs)) =
        (inspect("memory", &product("", "")), inspect("memory", &product("", "")))
    else {
        return;
    };
    let shown = people.args("--size 21x19x5,16").run().ends_with(0);
    fits(&shown.says(&[
        "nothing is found against it",
        "Memory traffic",
        "A  global load",
        "The worst: line ",
        ", A: ",
        "trace mine --source",
    ]));
    let shown = programs.args("--size 16 --json").run().ends_with(0);
    let memory = &shown.records().remove(0)["memory"];
    assert_eq!(memory["operands"][0]["operand"]["name"], "A", "{shown}");
    assert_eq!(memory["operands"][0]["each"], 2.0, "{shown}");
    let worst = memory["worst"].as_str().unwrap_or_default();
    assert!(worst.contains("2.0 sectors for a request"), "{shown}");
}

#[test]
fn a_kernel_of_another_launch_is_wrong_until_that_is_said() {
    let rows = "kernel void rows(int M, int N, int K, global const float *A,
                 global const float *Bt, global float *C)
{
    const int row = get_global_id(0);
    for (int column = 0; column < N && row < M; column++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * Bt[column * K + k];
        C[row * N + column] = sum;
    }
}
";
    let size = "--size 9x7x5";
    let Some(wrong) = inspect("rows", rows) else {
        return;
    };
    wrong.args(size).run().fails(4, &["more than one reading"]);
    let task = "kernel = 'inspect-rows.cl'\nsize = { M = 9, N = 7, K = 5 }\nglobal = ['M']\n\
                local = [4]\nproduct = 'b-transposed'\n";
    let task = scratch("inspect-rows.toml", task);
    let pocl = pocl().expect("it is there");
    on(&pocl, &task).args(size).run().ends_with(0).says(&["nothing is found against it"]);
}

#[test]
fn a_kernel_with_a_name_of_a_lesson_is_launched_as_there() {
    let (Some(pocl), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let broken = PathBuf::from("exercises/broken/one-barrier.cl");
    let shown = on(&pocl, &broken).args("--size 5x7x9").run().ends_with(1);
    shown.says(&["as in lesson 6", "✓ result, 5x7x9", "✗ Oclgrind: races", "line 36: "]);
    let saxpy = PathBuf::from("kernels/02-saxpy.cl");
    let shown = on(&pocl, &saxpy).args("--only saxpy --size 70").run();
    shown.ends_with(0).says(&["as in lesson 2", "✓ result, 70"]);
}

/// A copy with a fault that does not show in its result, and one that does.
#[test]
fn kernels_that_are_no_products_are_launched_by_their_arguments() {
    let transpose = |line: &str| {
        format!(
            "kernel void turn(int M, int N, global const float *from, global float *to)
{{
    const int column = get_global_id(0), row = get_global_id(1);
    local float seen[16];
    {line}
    if (row < M && column < N)
        to[column * M + row] = from[row * N + column];
}}
"
        )
    };
    let Some(sound) = inspect("turn", &transpose("")) else {
        return;
    };
    let shown = sound.args("--size 21x19x5").run().ends_with(0);
    fits(&shown.says(&["matrices of M x N", "✓ result, 21x19", " right", "nothing is found"]));
    let races = transpose("seen[0] = column;");
    let races = inspect("turn-race", &races).expect("it is there");
    let shown = races.args("--size 21x19x5").run().ends_with(1);
    shown.says(&["✓ result", "✗ Oclgrind: races", "line 5: "]);
    let axpy = |name: &str, sum: &str| {
        let text = format!(
            "kernel void axpy(int n, float d, global const float *x, global const float *y, \
             global float *z)\n{{\n    const int i = get_global_id(0);\n    if (i < n)\n        \
             z[i] = {sum};\n}}\n"
        );
        inspect(name, &text).expect("it is there").run()
    };
    let shown = axpy("axpy", "d * x[i] + y[i]").ends_with(0);
    shown.says(&["vectors, as long", "✓ result, 1303", " right", "nothing is found"]);
    let shown = axpy("axpy-other", "d * x[i] * y[i]").ends_with(0);
    fits(&shown.says(&["- result, 1303", "it ran; its result is not judged", "nothing is found"]));
    let shown = axpy("axpy-behind", "d * x[i + 1] + y[i]").ends_with(1);
    shown.says(&["✗ Oclgrind: bounds", "line 5: "]);
    let shown = axpy("axpy-nothing", "z[i]").ends_with(1);
    shown.says(&["✗ result", "wrote nothing"]);
}

#[test]
fn an_input_that_is_written_to_is_called_as_the_kernel_calls_it() {
    let text = "kernel void halve(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n) {
        y[i] = x[i] / 2;
        ((global float *)x)[i] = 0;
    }
}
";
    let Some(inspect) = inspect("halve", text) else {
        return;
    };
    let shown = inspect.run().ends_with(1);
    shown.says(&["✗ result", "x was written to", "the first is x[0]"]);
}

#[test]
fn without_the_simulator_it_says_what_nobody_looked_for_and_how_to_get_it() {
    let Some(inspect) = inspect("alone", &product("", "")) else {
        return;
    };
    let alone = inspect.args("--size 9").env("OCLGRIND_LIBRARY", "/nowhere");
    let shown = alone.run().ends_with(0);
    shown.says(&["✓ result", "? Oclgrind", "installs it", "nobody has looked"]);
}

#[test]
fn all_kernels_of_a_file_are_inspected_one_after_the_other() {
    let two = format!("{}{}", product("", ""), product("", "sum += 1;").replace("mine", "yours"));
    let Some(inspect) = inspect("two", &two) else {
        return;
    };
    let shown = inspect.args("--size 5x7x3 --json").run().ends_with(1);
    let verdicts = shown.records().into_iter().map(|one| one["verdict"].clone());
    let verdicts: Vec<Value> = verdicts.collect();
    assert_eq!(verdicts, ["right", "wrong"]);
}
