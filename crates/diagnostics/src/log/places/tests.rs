use super::super::tests::from_disk;
use super::*;

fn file(text: &str) -> File {
    File { path: "demo.cl".into(), text: text.into() }
}

/// What is underlined, for an error here.
fn underlined(source: &File, file: &str, line: usize, column: Option<usize>) -> Option<String> {
    let files = Files::of(source, &from_disk);
    let (text, file) = ("odd".into(), file.into());
    let place = Place::Told { file, line, column };
    let spot = files.spot(&Message { text, place })?;
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
