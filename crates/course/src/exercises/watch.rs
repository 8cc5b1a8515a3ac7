//! `--watch`: the exercise once more after every save. Nothing begins by itself, and
//! nothing goes on to the next exercise.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use common::source::Source;
use supervise::watch::saves::{News, Saves};
use supervise::watch::{FOREVER, headline, invitation};

use super::exercise::Exercise;
use super::folder::Folder;
use super::{How, conclude, run, screen};

/// Checks a file, and again after each save, until Ctrl-C.
pub fn watch(exercise: &Exercise, folder: &Folder, file: &Path, how: &How) -> Result<ExitCode> {
    let mut saves = Saves::of(file)?;
    // Its folder is told with each check.
    let name = file.file_name().unwrap_or(file.as_os_str());
    let name = name.to_string_lossy();
    let (mut why, mut told) = ("", false);
    loop {
        headline(&name, why);
        why = " saved";
        let mut news = once(exercise, folder, file, how, &mut saves)?;
        if news == News::Nothing {
            invitation(&name, &saves, &mut told);
            news = saves.wait(FOREVER);
        }
        while news == News::Gone {
            eprintln!("  {name} is gone; it will be checked when it is back");
            news = saves.wait(FOREVER);
        }
        if news == News::Interrupted {
            eprintln!("watching ended");
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// One check. What was saved meanwhile makes its result old news, which is not shown.
fn once(
    exercise: &Exercise,
    folder: &Folder,
    file: &Path,
    how: &How,
    saves: &mut Saves,
) -> Result<News> {
    let own = match Source::read(file) {
        Ok(own) => own.text,
        Err(error) => {
            eprintln!("{error}");
            return Ok(News::Nothing);
        }
    };
    writeln!(std::io::stdout())?;
    screen::head(exercise, file, super::is_edited(exercise, &own))?;
    let checked = run(exercise, file, how);
    let news = saves.wait(Duration::ZERO);
    match checked {
        _ if news != News::Nothing => {}
        Ok(checked) => conclude(exercise, folder, &checked)?,
        // The file is gone again, for example.
        Err(error) => eprintln!("{error:#}"),
    }
    Ok(news)
}
