//! Cuts one function or type, with the comment above it, out of a Rust file.

/// The comment and the attributes above the item, and the item up to the brace
/// that closes it, moved to the left margin.
pub fn extract(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().position(|line| defines(line, name))?;
    let indent = lines[named].len() - lines[named].trim_start().len();
    let closes = |line: &&str| line.trim_end() == format!("{:indent$}}}", "");
    let end = named + lines[named..].iter().position(closes)?;
    let mut start = named;
    while start > 0 && lines[start - 1].trim_start().starts_with(['/', '#']) {
        start -= 1;
    }
    let moved = |line: &&str| line.get(indent..).unwrap_or_default().to_string();
    let item: Vec<String> = lines[start..=end].iter().map(moved).collect();
    Some(item.join("\n"))
}

fn defines(line: &str, name: &str) -> bool {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| word.starts_with("pub"));
    let kind = words.next().unwrap_or_default();
    let named = words.next().unwrap_or_default();
    let end = named.find(|c: char| !c.is_alphanumeric() && c != '_');
    matches!(kind, "fn" | "struct" | "enum") && &named[..end.unwrap_or(named.len())] == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_comes_with_its_comment_and_without_its_neighbours() {
        let text = "/// Other.\nfn other() {\n}\n\nimpl X {\n    /// One.\n    #[inline]\n    \
                    pub fn one<T>(n: T) {\n        if n {\n        }\n\n        n\n    }\n}\n";
        let one = "/// One.\n#[inline]\npub fn one<T>(n: T) {\n    if n {\n    }\n\n    n\n}";
        assert_eq!(extract(text, "one").as_deref(), Some(one));
        assert_eq!(
            extract(text, "other").as_deref(),
            Some("/// Other.\nfn other() {\n}")
        );
        assert_eq!(extract(text, "on"), None);
    }
}
