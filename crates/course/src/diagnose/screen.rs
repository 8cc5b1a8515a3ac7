//! What the learner reads: 80 columns, the symptom first and never the cause.

use std::io::Write;

use anyhow::Result;
use colored::{ColoredString, Colorize};

use super::broken::Broken;
use super::explanation::Explanation;
use super::folder::{Copy, Folder, Progress};
use super::observation::{Observation, Outcome, Verdict};

const WIDTH: usize = 80;
/// Where the words beside a detector's name begin.
const WORDS: usize = 28;

/// All broken kernels: number and symptom, by lesson.
pub fn list(all: &[Broken], progress: &Progress, folder: &Folder) -> Result<()> {
    let mut out = std::io::stdout();
    let heading = "Kernels with one fault each: find it, and mend it in a copy of your own";
    writeln!(out, "{}", heading.bold())?;
    let mut lesson = 0;
    for broken in all {
        if broken.lesson != lesson {
            lesson = broken.lesson;
            writeln!(out, "\n  lesson {lesson}")?;
        }
        let mark = match progress.mended.contains(&broken.number) {
            true => "✓".green(),
            false => " ".normal(),
        };
        let symptom = indented(&wrap(&broken.symptom, WIDTH - 8), 8);
        writeln!(out, "  {mark} {:>2}  {symptom}", broken.number)?;
    }
    let mended = all
        .iter()
        .filter(|one| progress.mended.contains(&one.number));
    let (mended, file) = (mended.count(), folder.progress_file());
    writeln!(
        out,
        "\n  mended: {mended} of {} ({})",
        all.len(),
        file.display()
    )?;
    let next = all
        .iter()
        .find(|one| !progress.mended.contains(&one.number));
    if let Some(next) = next {
        let command = folder.command(next.number);
        writeln!(out, "  next: {}", command.cyan())?;
    }
    Ok(())
}

/// The symptom, the copy, and the command that runs it.
pub fn head(broken: &Broken, copy: &Copy, command: &str) -> Result<()> {
    let mut out = std::io::stdout();
    title(broken)?;
    let symptom = indented(&wrap(&broken.symptom, WIDTH - 12), 12);
    writeln!(out, "  Symptom   {symptom}")?;
    let path = copy.path.display();
    let about = match copy.made {
        true => "made just now: yours to edit, git does not see it",
        false => "yours; it is never overwritten, delete it for a fresh one",
    };
    writeln!(out, "  Copy      {path}\n            {}", about.dimmed())?;
    writeln!(
        out,
        "  Run it    {}",
        indented(&lines_of(command), 12).cyan()
    )?;
    writeln!(out, "\n{}", "What the detectors see".bold())?;
    Ok(())
}

fn title(broken: &Broken) -> Result<()> {
    let title = format!("Broken kernel {}, lesson {}", broken.number, broken.lesson);
    writeln!(std::io::stdout(), "{}\n", title.bold())?;
    Ok(())
}

/// One detector: a mark, its name, what it saw.
pub fn observation(broken: &Broken, seen: &Observation, edited: bool) -> Result<()> {
    let mut out = std::io::stdout();
    let mark: ColoredString = match (seen.outcome, edited) {
        (Outcome::Fault, _) => "✗".red().bold(),
        (Outcome::NotRun, _) => "?".yellow(),
        (Outcome::Silent, true) => "✓".green(),
        (Outcome::Silent, false) => "-".normal(),
    };
    // The copy as it was made is known to be wrong.
    let misses = match (seen.outcome, edited, broken.is_seen_by(seen.kind())) {
        (Outcome::Silent, false, true) => ", although it sees this fault at other sizes",
        (Outcome::Silent, false, false) => ": this detector misses this fault",
        _ => "",
    };
    let says = wrap(&format!("{}{misses}", seen.says), WIDTH - WORDS);
    writeln!(
        out,
        "  {mark} {:<24}{}",
        seen.detector,
        indented(&says, WORDS)
    )?;
    let is_of_build = seen.says.starts_with("does not build");
    for detail in &seen.details {
        // A build's diagnostic is laid out already, a line of code is no prose.
        match (is_of_build, detail.starts_with("line ")) {
            (true, _) => writeln!(out, "      {detail}")?,
            (_, true) => writeln!(out, "        {}", cut(detail, WIDTH - 8).cyan())?,
            _ => {
                let lines = wrap(detail, WIDTH - WORDS);
                writeln!(out, "{:WORDS$}{}", "", indented(&lines, WORDS))?;
            }
        }
    }
    Ok(out.flush()?)
}

/// What all of it means.
pub fn verdict(broken: &Broken, verdict: &Verdict) -> Result<()> {
    let words = wrap(
        &format!("{}: {}", broken.number, verdict.words()),
        WIDTH - 2,
    )
    .join("\n  ");
    let words = match verdict {
        Verdict::Mended => words.green().bold(),
        Verdict::Faulty => words.bold(),
        _ => words.yellow().bold(),
    };
    writeln!(std::io::stdout(), "\n  {words}")?;
    Ok(())
}

/// What to do when it is not mended.
pub fn next(broken: &Broken, folder: &Folder, progress: &Progress) -> Result<()> {
    let mut out = std::io::stdout();
    let copy = folder.copy_path(broken.number);
    writeln!(
        out,
        "  Look at {}, change it, and ask again.",
        copy.display()
    )?;
    let seen = progress.hints.get(&broken.number).copied().unwrap_or(0);
    let command = folder.command(broken.number);
    let hint = format!("{command} --hint");
    let explain = format!("{command} --explain");
    writeln!(out, "    {}  {seen} of 3 hints seen", hint.cyan())?;
    writeln!(out, "    {}  the cause", explain.cyan())?;
    Ok(())
}

/// The first `seen` hints.
pub fn hints(broken: &Broken, hints: &[String], seen: usize) -> Result<()> {
    let mut out = std::io::stdout();
    title(broken)?;
    let symptom = indented(&wrap(&broken.symptom, WIDTH - 12), 12);
    writeln!(out, "  Symptom   {symptom}\n")?;
    for (at, hint) in hints.iter().take(seen).enumerate() {
        let hint = indented(&wrap(hint, WIDTH - 12), 12);
        writeln!(out, "  {}    {hint}\n", format!("Hint {}", at + 1).bold())?;
    }
    let more = match hints.len() - seen {
        0 => "That was the last one; --explain tells the cause.".to_string(),
        more => format!("{more} more: ask again with --hint."),
    };
    writeln!(out, "  {more}")?;
    Ok(())
}

/// The cause and the mended lines.
pub fn explanation(broken: &Broken, explanation: &Explanation) -> Result<()> {
    let mut out = std::io::stdout();
    let title = format!("Broken kernel {}, explained", broken.number);
    writeln!(out, "\n{}\n", title.bold())?;
    for (at, part) in explanation.text.split("```").enumerate() {
        // Every second part stands between fences, behind the name of its language.
        if at % 2 == 1 {
            let code = part.split_once('\n').map_or("", |(_, code)| code);
            for hunk in code.trim_end().split("\n...\n") {
                print_hunk(hunk)?;
            }
            continue;
        }
        for paragraph in part.trim().split("\n\n").filter(|text| !text.is_empty()) {
            writeln!(out, "  {}\n", indented(&wrap(paragraph, WIDTH - 2), 2))?;
        }
    }
    Ok(())
}

/// Lines that begin with "-", "+" or a space, without the indentation that all have.
fn print_hunk(hunk: &str) -> Result<()> {
    let mut out = std::io::stdout();
    let split = |line: &str| -> (String, String) {
        let at = line.len().min(1);
        (line[..at].to_string(), line[at..].to_string())
    };
    let lines: Vec<(String, String)> = hunk.lines().map(split).collect();
    let texts = lines
        .iter()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty());
    let common = texts.map(|text| text.len() - text.trim_start().len()).min();
    for (mark, text) in lines {
        let text = text.get(common.unwrap_or(0)..).unwrap_or("");
        let line = format!("{mark}{text}");
        let line = match mark.as_str() {
            "-" => line.red(),
            "+" => line.green(),
            _ => line.normal(),
        };
        writeln!(out, "  {line}")?;
    }
    writeln!(out)?;
    Ok(())
}

/// A command for a shell, in lines that fit: a backslash joins them again.
pub fn command_line(words: &[String]) -> String {
    let quote = |word: &String| match word.contains([' ', '\'', '"', '$', '\\']) {
        true => format!("'{}'", word.replace('\'', r"'\''")),
        false => word.clone(),
    };
    let words: Vec<String> = words.iter().map(quote).collect();
    fold(&words, WIDTH - 16).join(" \\\n  ")
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(String::from).collect()
}

/// A text in lines of at most `width` characters, as far as its words allow.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let words: Vec<String> = text.split_whitespace().map(String::from).collect();
    fold(&words, width)
}

fn fold(words: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

/// Lines below one another, all but the first moved to a column.
fn indented(lines: &[String], column: usize) -> String {
    lines.join(&format!("\n{:column$}", ""))
}

fn cut(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width - 3).collect::<String>() + "...",
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_between_words() {
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(indented(&wrap("one two three", 7), 2), "one two\n  three");
        assert_eq!(cut("abcdefgh", 6), "abc...");
    }

    #[test]
    fn a_command_can_be_pasted() {
        let words = ["run", "my file.cl"].map(String::from);
        assert_eq!(command_line(&words), "run 'my file.cl'");
        let long: Vec<String> = (0..20).map(|i| format!("word{i:04}")).collect();
        assert!(command_line(&long).contains(" \\\n  word"));
    }
}
