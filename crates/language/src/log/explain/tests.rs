use super::*;

fn explain(message: &str, text: &str, at: Option<usize>) -> Option<String> {
    let case = Case {
        message,
        text,
        at,
        used: None,
    };
    case.explain()
}

#[test]
fn the_callee_is_the_function_around_the_place() {
    let source = "x = mad(f(a, b), get_local_id());";
    let at = source.find("());").map(|at| at + 1);
    assert_eq!(callee(source, at.unwrap()), Some("get_local_id"));
    assert_eq!(callee(source, source.find("get").unwrap()), Some("mad"));
    assert_eq!(callee(source, 3), None);
    assert_eq!(callee(source, 9999), None);
    assert_eq!(callee("√fma_2 (x", 10), Some("fma_2"));
    assert_eq!(callee("(x", 1), None);
}

#[test]
fn an_undeclared_name_is_explained_by_what_it_looks_like() {
    let source = "float sum = 1.0f; sqtr(x);";
    for (message, words) in [
        (
            "implicit declaration of function 'sqtr'",
            "no function sqtr is declared above this line; OpenCL C has functions of its own, \
             and no C library",
        ),
        (
            "use of undeclared identifier '__ldg'",
            "OpenCL C has no __ldg: read the element itself",
        ),
        (
            "use of undeclared identifier 'WIDE_OF_2'",
            "no macro of this name is defined: write #define WIDE_OF_2 and its value above, \
             or see which macros the lesson gives this kernel; or it is misspelt",
        ),
        (
            "identifier \"C\" is undefined",
            "nothing called C is declared above this line: give it a type where it is first \
             used",
        ),
        (
            "use of undeclared identifier 'anywhere'",
            "nothing called anywhere is declared above this line: give it a type where it is \
             first used",
        ),
    ] {
        assert_eq!(explain(message, source, Some(17)).as_deref(), Some(words));
    }
    for message in [
        "use of undeclared identifier 'smu'; did you mean 'sum'?",
        "use of undeclared identifier ''",
        "use of undeclared identifier 'sum'",
        "call to 'mine' is ambiguous",
        "use of undeclared identifier",
        "something else",
    ] {
        assert_eq!(explain(message, source, Some(17)), None, "{message}");
    }
}

#[test]
fn an_undeclared_name_that_is_called_is_a_function() {
    let message = "use of undeclared identifier 'somewhere'";
    let called = explain(message, "x = somewhere (1);", Some(4)).unwrap();
    assert!(
        called.starts_with("no function somewhere is declared"),
        "{called}"
    );
    let read = explain(message, "x = somewhere; (1)", Some(4)).unwrap();
    assert!(read.starts_with("nothing called somewhere is"), "{read}");
}

#[test]
fn a_call_with_wrong_arguments_is_explained() {
    let source = "a = dot(1); b = mine(2); c = 3;";
    let few = "too few arguments to function call, expected 2, have 1";
    let none = "no matching function for call to 'barrier'";
    let dot = "dot(a, b) takes two float vectors of up to four parts";
    let at = |part: &str| source.find(part).unwrap();
    assert_eq!(explain(few, source, Some(at("1"))).as_deref(), Some(dot));
    let mine = explain(few, source, Some(at("2"))).unwrap();
    assert!(
        mine.starts_with("compare the call with mine's own"),
        "{mine}"
    );
    let unknown = explain(few, source, Some(at("3"))).unwrap();
    assert_eq!(
        unknown,
        "compare the call with the function's own arguments"
    );
    let barrier = explain(none, source, Some(at("1"))).unwrap();
    assert!(barrier.starts_with("barrier takes the memory"), "{barrier}");
}

#[test]
fn a_function_is_missed_for_one_of_several_reasons() {
    let text = "float first(float x);\nkernel void f() { first(1); second(2); third(3); }\n\
                float second(float x) { return x; }\n";
    let at = text.find("third");
    for (name, words) in [
        (
            "first",
            "first is declared, and its body is not in this file",
        ),
        ("second", "second is written further down"),
        ("third", "no function third is declared above"),
    ] {
        let message = format!("ptxas fatal   : Unresolved extern function '{name}'");
        let told = explain(&message, text, at).unwrap();
        assert!(told.starts_with(words), "{told}");
    }
    let type_ = explain("use of undeclared identifier 'real4'", "real4 v;", Some(0));
    assert_eq!(
        type_.as_deref(),
        Some("no type real4 is declared above this line")
    );
}

#[test]
fn a_sign_is_missing_only_where_nothing_else_can_be() {
    let said = |sign: &str, text: &str| {
        let (before, behind) = text.split_once('@').unwrap();
        explain(sign, &format!("{before}{behind}"), Some(before.len()))
    };
    for (sign, text, is_told) in [
        ("expected ';' after", "x = 1@\n y", true),
        ("expected ';' after", "x = 1@ // one", true),
        ("expected a \";\"", "x = 1\n  @y = 2", true),
        ("expected ';' after", "float @x 1;", false),
        ("expected ')'", "{ f(g(1) @; }", true),
        ("expected ')'", "{ f(1 @2); (", false),
        ("expected a \")\"", "; f(1 @", true),
        ("expected ']'", "A[1@; (", true),
        ("expected ']'", "A[1 @2]; [", false),
        ("expected expression", "x = @float4(1);", true),
        ("expected expression", "x = @float(1);", true),
        ("expected expression", "x = @float;", false),
        ("expected expression", "x = @* 2;", false),
    ] {
        assert_eq!(said(sign, text).is_some(), is_told, "{sign} in {text}");
    }
    assert_eq!(explain("expected ';'", "x", None), None);
    let both = [
        said("expected expression", "@float4(1)"),
        said("expected expression", "@int(1)"),
    ];
    assert!(both[0].as_ref().unwrap().contains("literal"));
    assert!(both[1].as_ref().unwrap().contains("convert"));
    let of_for = said(
        "expected ';' in 'for' statement specifier",
        "for (int i = 0@, i < n)",
    );
    assert!(of_for.unwrap().contains("separated by semicolons"));
}

#[test]
fn a_file_that_is_not_there_is_ones_own_or_the_librarys() {
    let own = explain("'./main.h' file not found", "#include \"./main.h\"", None).unwrap();
    assert!(own.starts_with("this file was not found"), "{own}");
    let library = explain("'stdio.h' file not found", "#include <stdio.h>", None).unwrap();
    assert!(library.contains("no C library"), "{library}");
}

#[test]
fn local_memory_beyond_the_limit_is_told_in_bytes() {
    let message = "Entry function 'f' uses too much shared data (0x40b0 bytes, 0x4000 max)";
    let told = explain(message, "", None).unwrap();
    assert!(
        told.contains("16560 bytes") && told.contains("has 16384:"),
        "{told}"
    );
    assert_eq!(explain("uses too much shared data", "", None), None);
    assert_eq!(explain("uses too much shared data (0x1", "", None), None);
}

#[test]
fn a_call_that_fits_several_functions_is_explained_by_what_they_take() {
    for (name, words) in [
        ("mad24", "mul24 and mad24 take"),
        ("clamp", "all arguments must"),
        ("abs", "abs takes an integer"),
        ("atomic_add", "the atomic functions"),
        ("sqrt", "this function takes floats"),
    ] {
        let told = explain(&format!("call to '{name}' is ambiguous"), "", None).unwrap();
        assert!(told.starts_with(words), "{told}");
    }
}

#[test]
fn in_a_macro_the_line_of_its_use_is_told() {
    let text = "#define ADD sume + smu\nvoid f() { float sum = 0; ADD; }\n";
    let told = |message, used| {
        let at = text.find("sume");
        Case {
            message,
            text,
            at,
            used,
        }
        .explain()
        .unwrap()
    };
    let used = text.find("ADD;");
    let other = told("use of undeclared identifier 'other'", used);
    assert!(
        other.contains("above the line that uses the macro"),
        "{other}"
    );
}

#[test]
fn a_second_declaration_in_a_for_is_a_comma_for_a_semicolon() {
    let told = |text: &str, at: &str| explain("redefinition of 'i'", text, text.find(at)).unwrap();
    assert_eq!(
        told("{ for (int i = 0, i < n, i++) }", "i <"),
        said("a for").unwrap()
    );
    let twice = told("{ int i; for (;;) int i = 1; }", "i = 1");
    assert!(
        twice.starts_with("this name is declared already"),
        "{twice}"
    );
}
