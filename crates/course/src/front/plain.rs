//! A page's Markdown as it reads best on a terminal: links by their words, pictures by
//! their descriptions, and nothing that only a browser or a maker needs.

/// What stands between fences stays as it is.
pub fn plain(markdown: &str) -> String {
    let mut is_fenced = false;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        } else if is_fenced {
            lines.push(line.to_string());
        } else if !is_for_others(line) {
            lines.push(without_tags(&words(line)));
        }
    }
    lines.join("\n") + "\n"
}

/// Directives, and the targets of links that are named once.
fn is_for_others(line: &str) -> bool {
    line.starts_with("<!-- ") || line.starts_with("[`") && line.contains("`]: ")
}

/// A line without the targets of its links.
fn words(line: &str) -> String {
    let (mut said, mut rest) = (String::new(), line);
    while let Some((before, behind)) = rest.split_once("](") {
        let (before, text) = before.rsplit_once('[').unwrap_or(("", before));
        let figure = before.strip_suffix('!');
        said += figure.unwrap_or(before);
        said += if figure.is_some() { "Figure: " } else { "" };
        said += text;
        rest = behind.split_once(')').map_or("", |(_, rest)| rest);
    }
    (said + rest).replace("[`", "`").replace("`]", "`")
}

fn without_tags(line: &str) -> String {
    let tags = ["details", "summary", "code"];
    let tags = tags
        .iter()
        .flat_map(|tag| [format!("<{tag}>"), format!("</{tag}>")]);
    tags.fold(line.to_string(), |line, tag| line.replace(&tag, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_words_and_its_code_stays() {
        let page = "Two [tiles](../glossary.md#tile), [`clX`](https://x) and [`clY`].\n\
                    <!-- figure: banks -->\n![32 banks.](banks.svg)\n<!-- end -->\n\
                    ```c\nc[i] = a[b](x); // <code>\n```\n\
                    <details><summary>Hint</summary>\n[`clY`]: https://y\n";
        let shown = "Two tiles, `clX` and `clY`.\nFigure: 32 banks.\n\
                     c[i] = a[b](x); // <code>\nHint\n";
        assert_eq!(plain(page), shown);
    }
}
