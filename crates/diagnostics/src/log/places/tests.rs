use super::super::tests::from_disk;
use super::*;

fn file(text: &str) -> File {
    File { path: "demo.cl".into(), text: text.into() }
}

fn message(text: &str, file: &str, line: usize, column: Option<usize>) -> Message {
    let (text, file) = (text.into(), file.into());
    let place = Place::Told { file, line, column };
    Message { text, place }
}

/// What is underlined, for an error here.
fn underlined(source: &File, file: &str, line: usize, column: Option<usize>) -> Option<String> {
    let files = Files::of(source, &from_disk);
    let spot = files.spot(&message("odd", file, line, column))?;
    assert_eq!(spot.file.path, source.path);
    Some(source.text[spot.span].into())
}

#[test]
fn the_word_at_the_place_is_underlined_or_the_sign_or_the_line() {
    let text = file("int x;\n    y_1 = -other_2 \né = y");
    for (line, column, under) in [
        (2, Some(5), "y_1"),
        (2, Some(11), "-"),
        (2, Some(12), "other_2"),
        (2, None, "y_1 = -other_2"),
        (1, Some(5), "x"),
        // A column counts bytes, and é has two.
        (3, Some(2), "é"),
        (3, Some(6), "y"),
        (3, Some(900), ""),
        (0, Some(0), "int"),
        (4, None, ""),
    ] {
        assert_eq!(underlined(&text, "1", line, column).as_deref(), Some(under));
    }
    assert_eq!(underlined(&text, "1", 5, None), None);
}

#[test]
fn a_drivers_header_says_nothing_about_the_kernel_file() {
    let text = file("#include <some.h>\nint x;\n");
    assert_eq!(underlined(&text, "opencl-c.h", 2, Some(1)), None);
    // But what it includes does: at the line that includes it.
    let included = underlined(&text, "/usr/include/some.h", 2, Some(1));
    assert_eq!(included.as_deref(), Some("#include <some.h>"));
}

#[test]
fn a_linkers_function_is_where_it_stands_first() {
    let message = Message { text: "odd".into(), place: Place::Function("f".into()) };
    let span = |text: &str| {
        let source = file(text);
        Files::of(&source, &from_disk).spot(&message).map(|spot| spot.span)
    };
    let text = "int f; { return f (1); } void f() {}";
    assert_eq!(span(text), text.find("f (1)").map(|at| at..at + 1));
    assert_eq!(span("int f;"), None);
}

#[test]
fn the_forms_of_all_compilers_are_read() {
    for (line, file, column) in [
        ("error: /tmp/1.cl:3:14: no such name: x", "/tmp/1.cl", Some(14)),
        ("1:3:14: error: no such name: x", "1", Some(14)),
        ("<kernel>:3:14: error: no such name: x", "<kernel>", Some(14)),
        ("C:\\a.cl:3:14: fatal error: no such name: x", "C:\\a.cl", Some(14)),
        ("a.cl:3: error: no such name: x", "a.cl", None),
    ] {
        let expected = message("no such name: x", file, 3, column);
        assert_eq!(messages(line), [expected], "{line}");
    }
    let of_a_macro = "error: a:5:12 <Spelling=b:1:26>: call to '_cl_max' is ambiguous";
    let expected = message("call to 'max' is ambiguous", "a", 5, Some(12));
    assert_eq!(messages(of_a_macro), [expected]);
}

#[test]
fn warnings_notes_and_source_lines_are_no_errors() {
    for line in [
        "",
        "1 error generated.",
        "    int y = x;",
        "            ^",
        "a.cl:3:14: warning: unused",
        "a.cl:3:14: note: declared here",
        "error: choose another device",
        "warning: a.cl:3:14: unused",
    ] {
        assert_eq!(messages(line), [], "{line}");
    }
}

#[test]
fn a_linker_names_the_function() {
    for line in [
        "ptxas fatal   : Unresolved extern function 'later'",
        "Cannot find symbol later in kernel library",
        "(file=input,line=0,column=0,index=0): Unresolved external reference to \"later\".",
        "JIT session error: Symbols not found: [ later ]",
        "lld: error: undefined hidden symbol: later",
        "error: Undefined reference to 'later'",
    ] {
        let found = messages(line);
        let place = Place::Function("later".into());
        assert!(found.len() == 1 && found[0].place == place, "{line}: {found:?}");
        assert_eq!(missing_function(line), Some("later"));
    }
    let overfull =
        "ptxas error : Entry function 'f' uses too much shared data (0x9 bytes, 0x8 max)";
    assert_eq!(messages(overfull)[0].place, Place::Function("f".into()));
    assert_eq!(missing_function(overfull), None);
}
