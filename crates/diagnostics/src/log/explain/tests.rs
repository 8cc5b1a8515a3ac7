use super::*;

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
            "nothing called sqtr is declared above this line: is it misspelt? OpenCL C has \
             functions and types of its own, and no C library",
        ),
        ("use of undeclared identifier '__ldg'", "OpenCL C has no __ldg: read the element itself"),
        (
            "use of undeclared identifier 'WIDE_OF_2'",
            "no macro of this name is defined: write #define WIDE_OF_2 and its value above, \
             or see which macros the lesson gives this kernel; or it is misspelt",
        ),
        (
            "use of undeclared identifier 'anywhere'",
            "nothing called anywhere is declared above this line: is it misspelt? OpenCL C has \
             functions and types of its own, and no C library",
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
fn a_call_with_wrong_arguments_is_explained() {
    let source = "a = dot(1); b = mine(2); c = 3;";
    let few = "too few arguments to function call, expected 2, have 1";
    let none = "no matching function for call to 'barrier'";
    let dot = "dot(a, b) takes two float vectors of up to four parts";
    let at = |part: &str| source.find(part).unwrap();
    assert_eq!(explain(few, source, Some(at("1"))).as_deref(), Some(dot));
    let mine = explain(few, source, Some(at("2"))).unwrap();
    assert!(mine.starts_with("compare the call with mine's own"), "{mine}");
    assert_eq!(explain(few, source, Some(at("3"))), None);
    let barrier = explain(none, source, Some(at("1"))).unwrap();
    assert!(barrier.starts_with("barrier takes the memory"), "{barrier}");
}

#[test]
fn a_function_is_missed_for_one_of_several_reasons() {
    let text = "float first(float x);\nkernel void f() { first(1); second(2); third(3); }\n\
                float second(float x) { return x; }\n";
    let at = text.find("third");
    for (name, words) in [
        ("first", "first is declared, and its body is not in this file"),
        ("second", "second is written further down"),
        ("third", "nothing called third is declared above"),
    ] {
        let message = format!("ptxas fatal   : Unresolved extern function '{name}'");
        let told = explain(&message, text, at).unwrap();
        assert!(told.starts_with(words), "{told}");
    }
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
fn a_type_in_the_place_of_a_value_wants_parentheses() {
    let said = |text: &str| explain("expected expression", text, Some(4));
    assert!(said("x = float4(1);").is_some_and(|says| says.contains("(float4)(1.0f")));
    assert_eq!([said("x = float;"), said("x = * 2;")], [None, None]);
}

#[test]
fn no_row_hides_behind_an_earlier_one() {
    for row in ROWS.iter() {
        for key in &row.keys {
            let found = match row.table {
                "Messages" => {
                    let message = key.join(" ");
                    words("Messages", |parts| parts.iter().all(|part| message.contains(part)))
                }
                table => of_name(table, key[0]),
            };
            assert_eq!(found, Some(&*row.words), "{key:?}");
        }
    }
    assert!(ROWS.len() > 60, "{}", ROWS.len());
}

#[test]
fn a_name_of_cuda_is_translated() {
    let words = "CUDA's blockIdx.x is get_group_id(0) in OpenCL C";
    assert_eq!(of_name("Names", "blockIdx"), Some(words));
    assert_eq!(of_name("Names", "get_group_id"), None);
}
