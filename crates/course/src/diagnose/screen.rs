//! What the learner reads: 80 columns, the symptom first and never the cause.

use std::io::Write;

use anyhow::Result;
use colored::{ColoredString, Colorize};

use super::broken::Broken;
use super::explanation::Explanation;
use super::folder::{Copy, Folder, key};
use super::verdict::Verdict;
use crate::observation::{Observation, Outcome};
use crate::progress::Progress;
use crate::prose::{beside, print_text};

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
        let mark = if is_mended(progress, broken) {
            "✓".green()
        } else {
            " ".normal()
        };
        let symptom = beside(&broken.symptom, 8);
        writeln!(out, "  {mark} {:>2}  {symptom}", broken.number)?;
    }
    let mended = all.iter().filter(|one| is_mended(progress, one));
    let (mended, file) = (mended.count(), folder.progress_file());
    writeln!(
        out,
        "\n  mended: {mended} of {} ({})",
        all.len(),
        file.display()
    )?;
    let next = all.iter().find(|one| !is_mended(progress, one));
    if let Some(next) = next {
        let command = folder.command(next.number);
        writeln!(out, "  next: {}", command.cyan())?;
    }
    Ok(())
}

/// Whether the learner has mended it.
pub fn is_mended(progress: &Progress, broken: &Broken) -> bool {
    progress.mark(&key(broken.number)) == Some("mended")
}

/// The symptom, the copy, and the command that runs it.
pub fn head(broken: &Broken, copy: &Copy, command: &str) -> Result<()> {
    let mut out = std::io::stdout();
    title(broken)?;
    let symptom = beside(&broken.symptom, 12);
    writeln!(out, "  Symptom   {symptom}")?;
    let path = copy.path.display();
    let about = if copy.made {
        "made just now: yours to edit, git does not see it"
    } else {
        "yours; it is never overwritten, delete it for a fresh one"
    };
    writeln!(out, "  Copy      {path}\n            {}", about.dimmed())?;
    writeln!(
        out,
        "  Run it    {}",
        command.replace('\n', "\n            ").cyan()
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
    let mark: ColoredString = match (seen.outcome, edited) {
        (Outcome::Fault, _) => "✗".red().bold(),
        (Outcome::NotRun | Outcome::NotJudged, _) => "?".yellow(),
        (Outcome::Silent, true) => "✓".green(),
        (Outcome::Silent, false) => "-".normal(),
    };
    // The copy as it was made is known to be wrong.
    let misses = match (seen.outcome, edited, broken.is_seen_by(seen.kind())) {
        (Outcome::Silent, false, true) => ", although it sees this fault at other sizes",
        (Outcome::Silent, false, false) => ": this detector misses this fault",
        _ => "",
    };
    seen.print(&mark, &format!("{}{misses}", seen.says))
}

/// What all of it means.
pub fn verdict(broken: &Broken, verdict: &Verdict) -> Result<()> {
    let words = beside(&format!("{}: {}", broken.number, verdict.words()), 2);
    let words = match verdict {
        Verdict::Mended => words.green().bold(),
        Verdict::Faulty => words.bold(),
        _ => words.yellow().bold(),
    };
    writeln!(std::io::stdout(), "\n  {words}")?;
    Ok(())
}

/// What to do when nothing ran.
pub fn doctor() -> Result<()> {
    let command = "cargo run -p course -- doctor".cyan();
    writeln!(
        std::io::stdout(),
        "  next: {command}   says what is wrong here"
    )?;
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
    let seen = progress.hints(&key(broken.number));
    let command = folder.command(broken.number);
    let hint = format!("{command} --hint");
    let explain = format!("{command} --explain");
    writeln!(out, "  A hint ({seen} of 3 seen), or the cause:")?;
    writeln!(out, "    {}", hint.cyan())?;
    writeln!(out, "    {}", explain.cyan())?;
    Ok(())
}

/// The first `seen` hints.
pub fn hints(broken: &Broken, hints: &[String], seen: usize) -> Result<()> {
    let mut out = std::io::stdout();
    title(broken)?;
    let symptom = beside(&broken.symptom, 12);
    writeln!(out, "  Symptom   {symptom}\n")?;
    for (at, hint) in hints.iter().take(seen).enumerate() {
        let hint = beside(hint, 12);
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
    print_text(&explanation.text)
}
