//! Cuts one kernel, with the comment above it, out of a kernel file.

/// The comment lines above the kernel, its attributes, and the function up to
/// the brace that closes it.
pub fn extract(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().position(|line| names(line, name))?;
    let end = named + lines[named..].iter().position(|line| *line == "}")?;
    let mut start = named;
    // What belongs to the kernel stands directly above it: attributes, comments.
    while start > 0 && !lines[start - 1].is_empty() && lines[start - 1] != "}" {
        start -= 1;
    }
    Some(lines[start..=end].join("\n"))
}

fn names(line: &str, name: &str) -> bool {
    let Some(at) = line.find(name) else {
        return false;
    };
    // A definition begins its line, with a type; a call is indented.
    line.starts_with(char::is_alphabetic)
        && line[..at].ends_with(' ')
        && line[at + name.len()..].starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_comes_with_its_comment() {
        let text = "// file\n\n// one\nkernel void one(int n)\n{\n    n++;\n}\n\n// two\n\
                    kernel __attribute__((x))\nvoid two(int n)\n{\n}\n";
        assert_eq!(
            extract(text, "one").unwrap(),
            "// one\nkernel void one(int n)\n{\n    n++;\n}"
        );
        assert!(extract(text, "two").unwrap().starts_with("// two\nkernel"));
        assert_eq!(extract(text, "on"), None);
    }
}
