//! The course map: the lessons in order, minutes, what is solved, and what is next.

use anyhow::Result;
use minijinja::context;
use process::lessons::{LESSONS, Lesson};

use crate::game::folder::{Folder, shown};
use crate::game::progress::Progress;
use crate::game::puzzle::Puzzle;
use crate::words::say;

/// Prints the map of these puzzles. Progress is shown where the learner has a folder, and missed
/// by nobody where there is none.
pub fn print(all: &[&Puzzle]) -> Result<()> {
    let of_kind = |kind: &str| -> Vec<&Puzzle> {
        let all = all.iter().copied();
        all.filter(|one| one.kind.command == kind).collect()
    };
    let folder = Folder::find().ok().filter(Folder::is_started);
    let progress = folder.as_ref().map(Folder::progress);
    let tallied = |kind| tally(&of_kind(kind), progress.as_ref());
    let exercises = of_kind("exercise");
    let row = |lesson: &Lesson| {
        let (number, teaches, minutes) = (lesson.number, lesson.teaches, lesson.minutes);
        let mut ours = exercises.clone();
        ours.retain(|one| one.lesson.is_some_and(|own| own.number == number));
        let tally = tally(&ours, progress.as_ref());
        format!("  {number:>2}  {teaches:<59}{minutes:>5}{tally:>10}")
    };
    let lessons: Vec<String> = LESSONS.iter().map(row).collect();
    let minutes: u32 = LESSONS.iter().map(|lesson| lesson.minutes).sum();
    // The first exercise that is not solved, and its lesson; else the first of all.
    let next = progress.as_ref().map(|progress| progress.next(&exercises));
    let lesson = next.map_or(Some(&LESSONS[0]), |next| next?.lesson);
    let next = next.flatten();
    let blanks = context! {
        heading => format!("{:<63}", "OpenCL performance, one step at a time"),
        lessons,
        hours => minutes.div_ceil(60),
        diagnose => tallied("diagnose"),
        host => tallied("host"),
        problem => tallied("problem"),
        is_started => folder.is_some(),
        id => next.map(|next| next.id.as_str()),
        title => next.map(|next| next.words.title.as_str()),
        file => folder.zip(next).map(|(folder, next)| shown(&folder.file(next))),
        next => next.map(Puzzle::command),
        page => lesson.map(|lesson| format!("lessons/{}/README.md", lesson.folder)),
        run => lesson.map(|lesson| format!("cargo run -p {}", lesson.package())),
    };
    say("map", blanks)
}

/// How many of these puzzles there are, and how many are done.
fn tally(all: &[&Puzzle], progress: Option<&Progress>) -> String {
    match (all.len(), progress) {
        (0, _) => String::new(),
        (count, None) => count.to_string(),
        (count, Some(progress)) => format!("{} of {count}", progress.count_done(all)),
    }
}
