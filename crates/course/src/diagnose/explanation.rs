//! What is written about a broken kernel: three hints and the explanation, from
//! `kernels/broken/explanations/NAME.md`.

use anyhow::{Result, ensure};
use common::source::Source;

use super::broken::Broken;

/// The sections of a file.
pub struct Explanation {
    /// From a nudge to nearly the cause.
    pub hints: Vec<String>,
    /// The cause, what sees it and what does not, and the mended lines.
    pub text: String,
}

impl Explanation {
    /// Reads the file of a broken kernel.
    pub fn of(broken: &Broken) -> Result<Explanation> {
        let source = Source::of_course(&format!("broken/explanations/{}.md", broken.name))?;
        let explanation = parse(&source.text);
        ensure!(
            explanation.hints.len() == 3 && !explanation.text.is_empty(),
            "{} needs the sections Hint 1, Hint 2, Hint 3 and Explanation",
            source.path.display()
        );
        Ok(explanation)
    }
}

fn parse(text: &str) -> Explanation {
    let (mut hints, mut explanation) = (Vec::new(), String::new());
    for section in text.split("\n## ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        match title.trim() {
            "Explanation" => explanation = body.trim().to_string(),
            hint if hint.starts_with("Hint ") => hints.push(body.trim().to_string()),
            _ => {}
        }
    }
    Explanation {
        hints,
        text: explanation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_told_apart_by_their_titles() {
        let read = parse(
            "# x\n\n## Hint 1\n\nLook.\n\n## Hint 2\n\nCloser.\n\n## Explanation\n\nWhy.\n\nHow.\n",
        );
        assert_eq!(read.hints, ["Look.", "Closer."]);
        assert_eq!(read.text, "Why.\n\nHow.");
    }
}
