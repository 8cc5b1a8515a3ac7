//! From a driver's build log to spans in the real file.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use text::plain;
use text::wrap::folded;

use super::explain;
use crate::source::Source;

/// What a failed build's log says, as spans in the source; in the driver's own
/// words where `raw` asks for them, or where no error in them can be located.
pub fn diagnose(log: &str, source: &Source, raw: bool) -> String {
    let log = &plain(log.trim_matches(is_padding));
    let located = if raw { None } else { locate(log, source) };
    located.unwrap_or_else(|| {
        let path = source.path.display();
        let mut said = format!("{path} does not build; the driver says:\n{log}");
        let help = log
            .lines()
            .find_map(|line| explain::explain(line, &source.text, 0));
        if let Some(help) = help.filter(|_| !raw) {
            said.push_str(&format!("\n{}", folded(&help, HELP_WIDTH, "")));
        }
        said
    })
}

/// True for a log without a word.
pub(super) fn is_empty(log: &str) -> bool {
    log.trim_matches(is_padding).is_empty()
}

fn is_padding(c: char) -> bool {
    c == '\0' || c.is_whitespace()
}

/// One message of a build log, located.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Message {
    line: usize,
    column: Option<usize>,
    text: String,
}

/// The log's errors as rendered spans in the real file; `None` where none of
/// them says a line.
fn locate(log: &str, source: &Source) -> Option<String> {
    let messages: Vec<Message> = log.lines().filter_map(parse_line).collect();
    if messages.is_empty() {
        return None;
    }
    let renderer = if colored::control::SHOULD_COLORIZE.should_colorize() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    // A long line is cut around what is underlined, so that the caret stays below it.
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(COLUMNS);
    let path = source.path.display().to_string();
    let shown: Vec<String> = messages
        .iter()
        .take(3)
        .map(|message| render(message, source, &path, &renderer))
        .collect();
    let more = messages.len().saturating_sub(3);
    let rest = match more {
        0 => String::new(),
        1 => "\n(and one more error; mend the first one first)".into(),
        _ => format!("\n(and {more} more errors; mend the first one first)"),
    };
    Some(format!(
        "{path} does not build\n{}{rest}\n(--raw-log shows the driver's own words)",
        shown.join("\n")
    ))
}

fn render(message: &Message, source: &Source, path: &str, renderer: &Renderer) -> String {
    let span = span(message, &source.text);
    let snippet = Snippet::source(&source.text)
        .path(path)
        .annotation(AnnotationKind::Primary.span(span.clone()));
    let title = plainly(&message.text);
    let mut error = Level::ERROR.primary_title(&title).element(snippet);
    if let Some(help) = explain::explain(&message.text, &source.text, span.start) {
        error = error.element(Level::HELP.message(folded(&help, HELP_WIDTH, "")));
    }
    renderer.render(&[error]).to_string()
}

/// Newer compilers name the private memory that every variable is in: said only
/// where address spaces are what the message is about.
fn plainly(text: &str) -> String {
    let text = text.replace("*__private'", "*'");
    if text.contains("address space") {
        text
    } else {
        text.replace("__private ", "")
    }
}

/// Columns for a span: 80, less what a message may be moved in by.
const COLUMNS: usize = 76;
/// Columns for an explanation: less the margin of a span, and "= help: ".
const HELP_WIDTH: usize = 60;

/// The bytes to underline: the word at the column, or the whole line without one.
fn span(message: &Message, text: &str) -> std::ops::Range<usize> {
    let start_of_line: usize = text
        .split_inclusive('\n')
        .take(message.line.saturating_sub(1))
        .map(str::len)
        .sum();
    let start_of_line = start_of_line.min(text.len());
    let line = text[start_of_line..].lines().next().unwrap_or("");
    let Some(column) = message.column else {
        let indent = line.len() - line.trim_start().len();
        return start_of_line + indent..start_of_line + line.trim_end().len();
    };
    let at = column.saturating_sub(1).min(line.len());
    let starts_here = |at: &usize| line.is_char_boundary(*at);
    let at = (0..=at).rfind(starts_here).unwrap_or(0);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = line[at..].find(|c| !is_word(c)).unwrap_or(line.len() - at);
    let first = line[at..].chars().next().map_or(0, char::len_utf8);
    start_of_line + at..start_of_line + at + word.max(first)
}

/// One line of a log, where it is an error with a place. The forms, by driver:
///
/// ```text
/// error: FILE:3:14: text           PoCL
/// FILE:3:14: error: text           Intel, rusticl, NVIDIA, Oclgrind, macOS
/// "FILE", line 6: error: text      AMD's older driver
/// ```
fn parse_line(line: &str) -> Option<Message> {
    let line = line.trim();
    if let Some((file, rest)) = line.split_once("\", line ") {
        let (number, rest) = rest.split_once(':')?;
        let text = rest.trim().strip_prefix("error: ")?;
        return file.starts_with('"').then_some(Message {
            line: number.trim().parse().ok()?,
            column: None,
            text: text.to_string(),
        });
    }
    let (place, text) = match line
        .strip_prefix("error: ")
        .or_else(|| line.strip_prefix("fatal error: "))
    {
        Some(rest) => rest.split_once(": ")?,
        None => line
            .split_once(": error: ")
            .or_else(|| line.split_once(": fatal error: "))?,
    };
    // PoCL adds where a macro of its own was spelt.
    let place = place.split(" <").next().unwrap_or(place);
    // A file's name may itself hold colons: the numbers are the last two.
    let mut parts = place.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    // A line of a header says nothing about the kernel file.
    if file.ends_with(".h") {
        return None;
    }
    Some(Message {
        line: line.parse().ok()?,
        column: Some(column.parse().ok()?),
        // PoCL's own names for functions of OpenCL C.
        text: text.replace("'_cl_", "'"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(line: usize, column: Option<usize>, text: &str) -> Option<Message> {
        Some(Message {
            line,
            column,
            text: text.into(),
        })
    }

    #[test]
    fn the_logs_of_all_drivers_are_understood() {
        let text = "use of undeclared identifier 'x'";
        for log in [
            "error: /tmp/pocl/tempfile.cl:3:14: use of undeclared identifier 'x'",
            "error: /tmp/x.cl:3:14 <Spelling=/pocl/_builtin_renames.h:76:24>: use of undeclared identifier 'x'",
            "3:14:3:14: error: use of undeclared identifier 'x'",
            "<stdin>:3:14: error: use of undeclared identifier 'x'",
            "input.cl:3:14: error: use of undeclared identifier 'x'",
            "<kernel>:3:14: error: use of undeclared identifier 'x'",
            "C:\\Temp\\a.cl:3:14: error: use of undeclared identifier 'x'",
        ] {
            assert_eq!(parse_line(log), message(3, Some(14), text), "{log}");
        }
        assert_eq!(
            parse_line("\"/tmp/a.cl\", line 6: error: expected a \";\""),
            message(6, None, "expected a \";\"")
        );
    }

    #[test]
    fn other_lines_of_a_log_are_no_errors() {
        for log in [
            "",
            "1 error generated.",
            "    int y = x;",
            "            ^",
            "a.cl:3:14: warning: unused",
            "/usr/include/math.h:27:10: fatal error: 'bits/libc-header-start.h' file not found",
        ] {
            assert_eq!(parse_line(log), None, "{log}");
        }
    }

    fn demo(text: &str) -> Source {
        Source {
            path: "demo.cl".into(),
            text: text.into(),
        }
    }

    #[test]
    fn the_caret_stands_under_the_word() {
        let source = demo("kernel void demo()\n{\n    int y = missing;\n}\n");
        let shown = locate("x.cl:3:13: error: no such name", &source).unwrap();
        assert!(shown.contains("demo.cl:3:13"), "{shown}");
        assert!(shown.contains("int y = missing;"), "{shown}");
        assert!(shown.contains("^^^^^^^"), "{shown}");
    }

    #[test]
    fn a_place_outside_the_file_does_no_harm() {
        let source = demo("kernel void demo() {}");
        for place in ["900:1", "1:900", "0:0"] {
            let log = format!("x.cl:{place}: error: odd");
            assert!(locate(&log, &source).unwrap().contains("odd"));
        }
    }

    fn underlined(text: &str, line: usize, column: Option<usize>) -> &str {
        &text[span(&message(line, column, "").unwrap(), text)]
    }

    #[test]
    fn the_word_at_the_place_is_underlined_or_the_sign_or_the_line() {
        let text = "int x;\n    y_1 = -other_2 \né = y";
        assert_eq!(underlined(text, 2, Some(5)), "y_1");
        assert_eq!(underlined(text, 2, Some(11)), "-");
        assert_eq!(underlined(text, 2, Some(12)), "other_2");
        assert_eq!(underlined(text, 2, None), "y_1 = -other_2");
        assert_eq!(underlined(text, 1, Some(5)), "x");
        assert_eq!(underlined("a = ending", 1, Some(5)), "ending");
        // A column counts bytes, and é has two.
        assert_eq!(underlined(text, 3, Some(2)), "é");
        assert_eq!(underlined(text, 3, Some(6)), "y");
    }

    #[test]
    fn a_log_without_a_place_is_shown_in_the_drivers_words() {
        let source = demo("kernel void demo() {}");
        let log = "\0\n use of undeclared identifier 'threadIdx' \n\0";
        let words = "demo.cl does not build; the driver says:\n\
                     use of undeclared identifier 'threadIdx'";
        let help = "CUDA's threadIdx.x is get_local_id(0) in OpenCL C";
        assert_eq!(diagnose(log, &source, false), format!("{words}\n{help}"));
        assert_eq!(diagnose(log, &source, true), words);
    }

    #[test]
    fn a_located_error_comes_with_its_meaning_unless_the_raw_log_is_wanted() {
        let source = demo("int y = threadIdx;");
        let log = "x.cl:1:9: error: use of undeclared identifier 'threadIdx'";
        let shown = diagnose(log, &source, false);
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
            diagnose(log, &source, true),
            format!("demo.cl does not build; the driver says:\n{log}")
        );
    }

    #[test]
    fn three_errors_are_shown_and_the_others_counted() {
        let source = demo("int y = x;");
        let shown = |errors: usize| {
            let log = "x.cl:1:9: error: odd\n".repeat(errors);
            locate(&log, &source).unwrap()
        };
        assert_eq!(shown(4).matches("error: odd").count(), 3);
        assert!(!shown(3).contains("mend the first"), "{}", shown(3));
        assert!(shown(4).contains("\n(and one more error; mend the first one first)\n"));
        assert!(shown(5).contains("\n(and 2 more errors; mend the first one first)\n"));
        assert_eq!(locate("1 error generated.", &source), None);
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
}
