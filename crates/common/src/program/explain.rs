//! What a compiler's message means, in plain words, and what to change.
//!
//! The compilers of PoCL, Oclgrind, rusticl, Intel and NVIDIA all descend from
//! clang, so a table of parts of its messages serves them all. Where one of them
//! says something else, its message stands alone, as it did before.

use super::names;

/// What a message says if all of these parts occur in it, and what that means.
struct Known(&'static [&'static str], &'static str);

/// The first that fits counts.
#[rustfmt::skip]
const KNOWN: &[Known] = &[
    Known(&["changes address space of pointer"],
        "a pointer's type says which memory it points into: global, local, constant or private. \
         Write the same word for the pointer as for what it points to; a pointer without a word \
         points into private memory"),
    Known(&["parameter", "address space mismatch"],
        "the argument points into another memory (global, local, private) than the function \
         says; write the same word in both places"),
    Known(&["expected ';'"],
        "a statement ends with a semicolon, and one is missing before this place"),
    Known(&["expected ')'"],
        "a ( is not closed before this place"),
    Known(&["expected '}'"],
        "a { is not closed: the compiler notices at the end of the file, the mistake is above"),
    Known(&["extraneous closing brace"],
        "there is one } too many, here or above"),
    Known(&["expected ']'"],
        "a [ is not closed before this place"),
    Known(&["unexpected type name", "expected expression"],
        "the type of a vector literal stands in parentheses: (float4)(1.0f, 2.0f, 3.0f, 4.0f)"),
    Known(&["too few elements in vector"],
        "a vector literal takes a number for each part: (float3)(x, y, z), or one number for \
         all of them; a vector among them counts with all its parts"),
    Known(&["excess elements in vector"],
        "a vector literal takes no more numbers than the vector has parts: (float3)(x, y, z); a \
         vector among them counts with all its parts"),
    Known(&["vector component access exceeds"],
        "the vector has no such part: a float4 has .x .y .z .w, or .s0 to .s3"),
    Known(&["illegal vector component name"],
        "the parts of a vector are .x .y .z .w, or .s0 .s1 ... .s9 .sa ... .sf; halves are .lo \
         and .hi"),
    Known(&["incompatible type", "(vector of"],
        "both sides must have the same number of parts of the same type: take some parts with \
         .x, .lo or .s0, or convert with convert_float4()"),
    Known(&["cl_khr_fp64"],
        "this device has no type double (CL_DEVICE_DOUBLE_FP_CONFIG is 0): write float, and \
         numbers with an f, such as 1.0f"),
    Known(&["type '", "half", "not allowed"],
        "half is a type for memory only, without the extension cl_khr_fp16: load with \
         vload_half() and compute with float"),
    Known(&["can only be declared in the outermost scope of a kernel"],
        "a local variable belongs to the whole work-group: declare it at the top of the kernel, \
         outside of every if and loop"),
    Known(&["non-kernel function variable cannot be declared in local"],
        "only a kernel can declare local memory: declare it there and pass a pointer to this \
         function (local float *tile)"),
    Known(&["__local", "cannot have an initializer"],
        "local memory has no initial value: let the items write it, and wait with \
         barrier(CLK_LOCAL_MEM_FENCE) before anyone reads"),
    Known(&["variable length array"],
        "an array's size must be known when the kernel is built: a number or a macro, not a \
         variable or an argument"),
    Known(&["recurs"],
        "a kernel has no call stack: no function may call itself; write a loop"),
    Known(&["read-only variable is not assignable"],
        "this is const, or points to something const: only data without const can be written"),
    Known(&["cannot assign to", "const"],
        "this is const, or points to something const: only data without const can be written"),
    Known(&["pointer arguments to kernel functions must reside"],
        "a kernel's pointers need the memory they point into: global float *A. A pointer to a \
         pointer cannot be an argument at all"),
    Known(&["cannot be used as the type of a kernel parameter"],
        "bool, size_t and half have no fixed size on host and device, so they cannot be \
         arguments: use int or float"),
    Known(&["kernel must have void return type"],
        "a kernel returns nothing: kernel void name(...). Results go into a buffer"),
    Known(&["should not return a value"],
        "a kernel returns nothing: write the result into a buffer, and return;"),
    Known(&["program scope variable must reside in constant"],
        "a variable outside of all functions must be constant: constant float x = 1.0f;"),
    Known(&["file not found"],
        "a kernel has no C library and needs no #include: the functions of OpenCL C are there \
         without one"),
    Known(&["is ambiguous"],
        "all arguments must have the same type: 1 is an int, 1.0f is a float"),
    Known(&["array subscript is not an integer"],
        "an index is an int; convert with (int)x"),
    Known(&["subscripted value is not an array"],
        "a matrix is one long array here: A[row * K + k], not A[row][k]"),
    Known(&["invalid operands to binary expression"],
        "this operator does not take these types: % and bit operators want ints (fmod() is for \
         floats), and vectors need the same number of parts"),
    Known(&["is not a function or function pointer"],
        "something stands before a ( that cannot be called: is an operator missing, or is it [ \
         ] that was meant?"),
    Known(&["pointers to functions are not allowed"],
        "OpenCL C has no pointers to functions: call the function by its name"),
    Known(&["redefinition of"],
        "this name is declared already, in the same { } or as an argument"),
    Known(&["no member named"],
        "the struct has no such member; parts of a vector are .x, .y or .s0"),
    Known(&["expected expression"],
        "a value is missing here, or one sign too many stands before this place"),
];

/// What arguments a function takes, for those that are called wrongly most.
#[rustfmt::skip]
const CALLS: &[(&str, &str)] = &[
    ("barrier", "barrier takes the memory to wait for: barrier(CLK_LOCAL_MEM_FENCE), \
        or CLK_GLOBAL_MEM_FENCE, or both joined by |"),
    ("get_global_id", "get_global_id takes a dimension: get_global_id(0)"),
    ("get_local_id", "get_local_id takes a dimension: get_local_id(0)"),
    ("get_group_id", "get_group_id takes a dimension: get_group_id(0)"),
    ("get_global_size", "get_global_size takes a dimension: get_global_size(0)"),
    ("get_local_size", "get_local_size takes a dimension: get_local_size(0)"),
    ("get_num_groups", "get_num_groups takes a dimension: get_num_groups(0)"),
    ("mad", "mad(a, b, c) takes three floats or vectors of one type: a * b + c"),
    ("fma", "fma(a, b, c) takes three floats or vectors of one type: a * b + c"),
    ("dot", "dot(a, b) takes two float vectors of up to four parts"),
    ("min", "min(a, b) takes two values of one type"),
    ("max", "max(a, b) takes two values of one type"),
    ("clamp", "clamp(x, lowest, highest) takes three values of one type"),
    ("select", "select(a, b, c) gives b where c is true, else a; c is an int or an int vector"),
    ("sqrt", "sqrt(x) takes a float or a float vector"),
    ("vload2", "vload2(n, p) reads the n-th pair at pointer p"),
    ("vload4", "vload4(n, p) reads the n-th group of four at pointer p"),
    ("vload8", "vload8(n, p) reads the n-th group of eight at pointer p"),
    ("vload16", "vload16(n, p) reads the n-th group of sixteen at pointer p"),
    ("vstore2", "vstore2(v, n, p) writes v as the n-th pair at pointer p"),
    ("vstore4", "vstore4(v, n, p) writes v as the n-th group of four at pointer p"),
    ("vstore8", "vstore8(v, n, p) writes v as the n-th group of eight at pointer p"),
    ("vstore16", "vstore16(v, n, p) writes v as the n-th group of sixteen at pointer p"),
];

/// The explanation of a message about `source`, at byte `at` of it.
pub fn explain(message: &str, source: &str, at: usize) -> Option<String> {
    let says = |part: &str| message.contains(part);
    if says("use of undeclared identifier")
        || says("implicit declaration of function")
        || says("unknown type name")
    {
        return undeclared(message, source);
    }
    if says("arguments to function call") || says("no matching function for call") {
        return Some(call(message, source, at));
    }
    let known = KNOWN
        .iter()
        .find(|known| known.0.iter().all(|part| says(part)));
    known.map(|known| known.1.to_string())
}

/// A name that the compiler has not met.
fn undeclared(message: &str, source: &str) -> Option<String> {
    let name = quoted(message)?;
    if let Some(words) = names::elsewhere(name) {
        return Some(words.into());
    }
    // Some compilers ask by themselves.
    if message.contains("did you mean") {
        return None;
    }
    if let Some(near) = names::nearest(name, source) {
        return Some(format!("did you mean {near}?"));
    }
    let is_macro = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = if name.chars().all(is_macro) {
        "no macro of this name is defined: write #define {} and its value above, or see which macros the lesson gives this kernel"
    } else if is_called(name, source) {
        "no function {} is declared above this line; OpenCL C has functions of its own, and no C library"
    } else {
        "nothing called {} is declared above this line: give it a type where it is first used"
    };
    Some(words.replace("{}", name))
}

/// A call with the wrong arguments.
fn call(message: &str, source: &str, at: usize) -> String {
    let named = if message.contains("for call to") {
        quoted(message)
    } else {
        callee(source, at)
    };
    let known = CALLS.iter().find(|(name, _)| Some(*name) == named);
    match (known, named) {
        (Some((_, words)), _) => words.to_string(),
        (None, Some(name)) => format!(
            "compare the call with {name}'s own arguments: their number, and their types (1 is an int, 1.0f is a float)"
        ),
        (None, None) => "compare the call with the function's own arguments".into(),
    }
}

/// The first name in single quotes.
fn quoted(message: &str) -> Option<&str> {
    message.split('\'').nth(1).filter(|name| !name.is_empty())
}

fn is_called(name: &str, source: &str) -> bool {
    source
        .match_indices(name)
        .any(|(at, _)| source[at + name.len()..].trim_start().starts_with('('))
}

/// The function whose argument list surrounds byte `at`.
fn callee(source: &str, at: usize) -> Option<&str> {
    let mut open = 1;
    let before = source.get(..at)?;
    let (parenthesis, _) = before.char_indices().rev().find(|(_, c)| {
        match c {
            ')' => open += 1,
            '(' => open -= 1,
            _ => {}
        }
        open == 0
    })?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = before[..parenthesis].trim_end().rsplit(|c| !is_word(c));
    words.next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
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
    fn an_undeclared_name_is_explained_by_what_it_was_meant_to_be() {
        let source = "float sum = 1.0f;";
        for (message, words) in [
            ("use of undeclared identifier 'smu'", "did you mean sum?"),
            (
                "implicit declaration of function 'sqtr'",
                "did you mean sqrt?",
            ),
            ("unknown type name 'flaot'", "did you mean float?"),
            (
                "use of undeclared identifier '__ldg'",
                "OpenCL C has no __ldg: read the element itself",
            ),
            (
                "use of undeclared identifier 'WIDE_OF_2'",
                "no macro of this name is defined: write #define WIDE_OF_2 and its value above, \
                 or see which macros the lesson gives this kernel",
            ),
            (
                "use of undeclared identifier 'anywhere'",
                "nothing called anywhere is declared above this line: give it a type where it is \
                 first used",
            ),
        ] {
            assert_eq!(explain(message, source, 0).as_deref(), Some(words));
        }
        for message in [
            "use of undeclared identifier 'smu'; did you mean 'sum'?",
            "use of undeclared identifier ''",
            "use of undeclared identifier",
            "something else",
        ] {
            assert_eq!(explain(message, source, 0), None, "{message}");
        }
    }

    #[test]
    fn an_undeclared_name_that_is_called_is_a_function() {
        let message = "use of undeclared identifier 'somewhere'";
        let called = explain(message, "x = somewhere (1);", 0).unwrap();
        assert!(
            called.starts_with("no function somewhere is declared"),
            "{called}"
        );
        let read = explain(message, "x = somewhere; (1)", 0).unwrap();
        assert!(read.starts_with("nothing called somewhere is"), "{read}");
    }

    #[test]
    fn a_call_with_wrong_arguments_is_explained() {
        let source = "a = dot(1); b = mine(2); c = 3;";
        let few = "too few arguments to function call, expected 2, have 1";
        let none = "no matching function for call to 'barrier'";
        let dot = "dot(a, b) takes two float vectors of up to four parts";
        let at = |part: &str| source.find(part).unwrap();
        assert_eq!(explain(few, source, at("1")).as_deref(), Some(dot));
        let mine = explain(few, source, at("2")).unwrap();
        assert!(
            mine.starts_with("compare the call with mine's own"),
            "{mine}"
        );
        let unknown = explain(few, source, at("3")).unwrap();
        assert_eq!(
            unknown,
            "compare the call with the function's own arguments"
        );
        let barrier = explain(none, source, at("1")).unwrap();
        assert!(barrier.starts_with("barrier takes the memory"), "{barrier}");
    }

    #[test]
    fn no_pattern_hides_behind_an_earlier_one() {
        for (i, known) in KNOWN.iter().enumerate() {
            let message = known.0.join(" ");
            let found = explain(&message, "", 0);
            assert_eq!(found.as_deref(), Some(known.1), "pattern {i}: {message}");
        }
    }
}
