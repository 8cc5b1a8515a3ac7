use super::super::from_disk;
use super::*;

fn file(text: &str) -> File {
    File {
        path: "demo.cl".into(),
        text: text.into(),
    }
}

fn at(file: &str, line: usize, column: usize) -> Told {
    let (file, column) = (file.to_string(), Some(column));
    Told { file, line, column }
}

/// What is underlined, for an error here with these words.
fn underlined(source: &File, at: Told, text: &str) -> Option<&'static str> {
    let files = Files::of(source, &from_disk);
    let place = Place::Told { at, spelt: vec![] };
    let spot = files.spot(&Message {
        text: text.into(),
        place,
    })?;
    assert_eq!(spot.file.path, source.path);
    Some(source.text[spot.span].to_string().leak())
}

#[test]
fn the_word_at_the_place_is_underlined_or_the_sign_or_the_line() {
    let text = file("int x;\n    y_1 = -other_2 \né = y");
    let under = |line, column| {
        underlined(
            &text,
            Told {
                column,
                ..at("1", line, 1)
            },
            "odd 'none'",
        )
    };
    assert_eq!(under(2, Some(5)), Some("y_1"));
    assert_eq!(under(2, Some(11)), Some("-"));
    assert_eq!(under(2, Some(12)), Some("other_2"));
    assert_eq!(under(2, None), Some("y_1 = -other_2"));
    assert_eq!(under(1, Some(5)), Some("x"));
    // A column counts bytes, and é has two.
    assert_eq!(under(3, Some(2)), Some("é"));
    assert_eq!(under(3, Some(6)), Some("y"));
    assert_eq!(under(3, Some(900)), Some(""));
    assert_eq!(under(0, Some(0)), Some("int"));
    assert_eq!(under(4, None), Some(""));
    assert_eq!(under(5, None), None);
    let named = Told {
        column: None,
        ..at("1", 2, 1)
    };
    assert_eq!(
        underlined(&text, named.clone(), "expected a \"=\""),
        Some("y_1 = -other_2")
    );
    assert_eq!(
        underlined(&text, named, "'other_2' is undefined"),
        Some("other_2")
    );
}

#[test]
fn lines_with_other_numbers_are_not_guessed_at() {
    let text = file("a;\n#line 500 \"other.cl\"\nb x;\n");
    for (file, line) in [("other.cl", 500), ("demo.cl", 3), ("<kernel>", 1)] {
        assert_eq!(underlined(&text, at(file, line, 1), "odd"), None);
    }
}

#[test]
fn a_drivers_header_says_nothing_about_the_kernel_file() {
    let text = file("#include <some.h>\nint x;\n");
    assert_eq!(underlined(&text, at("opencl-c.h", 2, 1), "odd"), None);
    // But what it includes does: at the line that includes it.
    let included = underlined(&text, at("/usr/include/some.h", 2, 1), "odd");
    assert_eq!(included, Some("#include <some.h>"));
}

#[test]
fn a_linkers_function_is_where_it_is_called() {
    for (text, before) in [
        (
            "float f(float x);\n{ return f (1); }",
            "float f(float x);\n{ return ",
        ),
        (
            "float f(float x);\n{ x = f(1); }",
            "float f(float x);\n{ x = ",
        ),
        ("int f; void f() {}", "int f; void "),
    ] {
        let found = mentioned(text, "f").map(|span| (&text[..span.start], &text[span]));
        assert_eq!(found, Some((before, "f")));
    }
    assert_eq!(mentioned("int f;", "f"), None);
}
