use super::super::from_disk;
use super::*;

fn demo(text: &str) -> File {
    File {
        path: "demo.cl".into(),
        text: text.into(),
    }
}

/// As a terminal shows it, without colours.
fn told(log: &str, text: &str) -> String {
    let told = diagnose(log, &demo(text), &from_disk, false);
    console::strip_ansi_codes(&told).into_owned()
}

#[test]
fn the_caret_stands_under_the_word() {
    let text = "kernel void demo()\n{\n    int y = missing;\n}\n";
    let shown = told("x.cl:3:13: \u{1b}[1;31merror:\u{1b}[0m no such name", text);
    assert!(shown.contains("demo.cl:3:13"), "{shown}");
    assert!(shown.contains("int y = missing;"), "{shown}");
    assert!(shown.contains("^^^^^^^"), "{shown}");
}

#[test]
fn a_log_without_a_place_is_shown_in_the_drivers_words() {
    let source = demo("kernel void demo() {}");
    let log = "\0\n use of undeclared identifier 'threadIdx' \n\0";
    let words = "demo.cl does not build; the driver says:\n\
                 use of undeclared identifier 'threadIdx'";
    let help = "CUDA's threadIdx.x is get_local_id(0) in OpenCL C";
    assert_eq!(
        diagnose(log, &source, &from_disk, false),
        format!("{words}\n{help}")
    );
    assert_eq!(diagnose(log, &source, &from_disk, true), words);
}

#[test]
fn a_located_error_comes_with_its_meaning_unless_the_raw_log_is_wanted() {
    let source = demo("int y = threadIdx;");
    let log = "x.cl:1:9: error: use of undeclared identifier 'threadIdx'";
    let shown = diagnose(log, &source, &from_disk, false);
    let shown = console::strip_ansi_codes(&shown);
    assert!(shown.starts_with("demo.cl does not build\n"), "{shown}");
    for part in [
        "error: use of undeclared identifier 'threadIdx'",
        "= help: CUDA's threadIdx.x is get_local_id(0)",
        "(--raw-log shows the driver's own words)",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    assert_eq!(
        diagnose(log, &source, &from_disk, true),
        format!("demo.cl does not build; the driver says:\n{log}")
    );
}

#[test]
fn three_errors_are_shown_and_the_others_counted() {
    let shown = |errors: usize| {
        let line = |i| format!("x.cl:1:9: error: odd {i}\n");
        told(&(0..errors).map(line).collect::<String>(), "int y = x;")
    };
    assert_eq!(shown(4).matches("error: odd").count(), 3);
    assert!(!shown(3).contains("mend the first"), "{}", shown(3));
    assert!(shown(4).contains("\n(and one more error; mend the first one first)\n"));
    assert!(shown(5).contains("\n(and 2 more errors; mend the first one first)\n"));
    // The same error at the same place is one, as in a macro that repeats its argument.
    assert!(!told(&"x.cl:1:9: error: odd\n".repeat(4), "int y = x;").contains("more error"));
}

#[test]
fn private_memory_is_named_only_where_memory_is_the_matter() {
    assert_eq!(
        plainly("from '__private int' to '__global float *__private'"),
        "from 'int' to '__global float *'"
    );
    let matter = "'__private int *' changes address space of pointer";
    assert_eq!(plainly(matter), matter);
}

#[test]
fn a_log_of_nothing_but_padding_is_empty() {
    assert!(is_empty("\0 \n\0"));
    assert!(!is_empty("\0 x\n"));
}

#[test]
fn an_error_in_a_macro_is_shown_there_and_where_it_is_used() {
    let text = "#define TWICE(x) (2 * y)\nint z = TWICE(1);\n";
    let log = "1:2:9: error: use of undeclared identifier 'y'\n1:1:23: note: expanded from macro 'TWICE'\n";
    let shown = told(log, text);
    for part in [
        "demo.cl:1:23",
        "#define TWICE(x)",
        "----- the macro is used here",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn of_a_line_the_first_error_alone_is_explained() {
    let log = "1:1:1: error: use of undeclared identifier 'one'\n\
               1:1:7: error: use of undeclared identifier 'two'\n\
               1:2:1: error: use of undeclared identifier 'three'\n";
    assert_eq!(
        told(log, "one = two;\nthree;\n").matches("help:").count(),
        2
    );
}

#[test]
fn without_a_place_a_warning_is_not_explained() {
    let name = |level: &str| format!("{level}use of undeclared identifier 'threadIdx'");
    for less in ["warning: ", "a note: ", "remark: "] {
        assert!(
            !told(&name(less), "int x;").contains("get_local_id"),
            "{less}"
        );
    }
    assert!(told(&name("Error: "), "int x;").contains("get_local_id"));
}

#[test]
fn thousands_of_errors_and_a_line_of_a_megabyte_are_told_at_once() {
    let wrong = |i| format!("    C[{i}] = no_such_name_{i};\n");
    let text = format!(
        "kernel void f(global float *C)\n{{\n{}}}\n",
        (0..2000).map(wrong).collect::<String>()
    );
    let line = |i| {
        format!(
            "error: /tmp/x.cl:{}:12: use of undeclared identifier 'no_such_name_{i}'\n\
             \x20   C[{i}] = no_such_name_{i};\n        ^\n",
            i + 3
        )
    };
    let log: String = (0..2000).map(line).collect();
    let begin = std::time::Instant::now();
    assert!(told(&log, &text).contains("(and 1997 more errors"));
    let long = format!("void f() {{ {} nosuch; }}", "int x = 1; ".repeat(100_000));
    let log = format!(
        "1:1:{}: error: use of undeclared identifier 'nosuch'",
        long.len() - 8
    );
    assert!(told(&log, &long).contains("nothing called nosuch"));
    let seconds = begin.elapsed().as_secs_f64();
    // Each of them looked at for each of the others would take minutes.
    assert!(seconds < 40.0, "{seconds} s");
}
