//! Grading: what a class has come to. Each kernel is copied out of a student's folder, with what it
//! includes there, and checked by the command that checks a learner's, as a process of its own.

use std::path::{Path, PathBuf};
use std::{fs, io::Write, process::ExitCode, time::Duration};

use anyhow::{Context, Result, anyhow, ensure};
use colored::Colorize;
use diagnostics::terminal::{Out, plain_name, progress, wrap::beside};
use inspect::judge::How;
use serde_json::{Value, json};
use toml::{Table, Value as Toml};
use verify::cores::{cores, each_on};
use verify::numbers::count;
use walkdir::WalkDir;
use watchdog::{ask, in_a_group, machine, scratch::Scratch, this_program};

use crate::game::puzzle::{Kind, Puzzle};
use crate::game::verdict::{Brief, Verdict};
use crate::{game::folder::VARIABLE, game::progress::parse, html, puzzles};

/// The flags of `course grade`.
#[derive(clap::Args)]
pub struct GradeArgs {
    /// A folder of students' folders, or one student's
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// Judge these: 2.1 of the exercises, d7 of the broken kernels, p3 of the problems
    #[arg(long, value_name = "ITEM,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Judge the exercises of this folder, and not the course's own
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Print a table for a spreadsheet
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print a page for a browser, which a class can be shown
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    html: bool,
    #[command(flatten)]
    how: How,
}

/// What one student has come to in one puzzle, as `--json` has it; no verdict where it is refused.
type Grade = (Value, Option<Verdict>);

/// The columns of `--csv`.
const FIELDS: &str = "student,item,title,verdict,detector,says,counts,hints,solution,course,device";

/// Judges what lies in the folders: every puzzle of every student, in order; several at a time.
pub fn grade(options: &GradeArgs) -> Result<ExitCode> {
    let begun = std::time::Instant::now();
    let mut all = puzzles::all(options.from.as_deref())?;
    // They are built with a package of the learner's, and take any device.
    all.retain(|one| one.kind != Kind::Program);
    let mut puzzles: Vec<&Puzzle> = all.iter().collect();
    if !options.only.is_empty() {
        let named = options.only.iter().map(|word| puzzles::find(&puzzles, word));
        puzzles = named.collect::<Result<_>>()?;
    }
    let students = students(&options.folders, &all)?;
    let device = machine::chosen(options.how.device.as_deref(), false)?.remove(0);
    let how =
        How { no_timing: true, device: Some(device.index.to_string()), ..options.how.clone() };
    let commit = machine::commit().map_or(String::new(), |commit| format!(" {commit}"));
    let (course, label) = (env!("CARGO_PKG_VERSION").to_string() + &commit, device.label());
    if how.json || options.csv || options.html {
        colored::control::set_override(false);
    }
    let many = (students.len() * puzzles.len()) as u64;
    let bar = progress::bar(Some(many), "  {pos} of {len}, {elapsed}, about {eta} left  {msg}");
    // Each process on a GPU takes some of its memory.
    let most = if device.is_cpu() { cores() } else { cores().min(8) };
    let each = students.iter().flat_map(|own| puzzles.iter().map(move |puzzle| (own, *puzzle)));
    let grades = each_on(most, each, |_, (student, puzzle)| {
        bar.set_message(format!("{:.40} {}", student.0, puzzle.id));
        let (mut row, came) = judge(&how, options.from.as_deref(), student, puzzle);
        (row["course"], row["device"]) = (json!(course), json!(label));
        bar.inc(1);
        (row, came)
    });
    bar.finish_and_clear();
    let rows = || grades.iter().map(|(row, _)| row);
    if options.html {
        let values = json!({ "grades": Vec::from_iter(rows()) });
        writeln!(Out, "{}", html::filled("grade.html", include_str!("grade.html"), values)?)?;
    } else if options.csv {
        writeln!(Out, "{FIELDS}")?;
        for row in rows() {
            let cells = FIELDS.split(',').map(|field| cell(&row[field]));
            writeln!(Out, "{}", Vec::from_iter(cells).join(","))?;
        }
    } else if how.json {
        rows().try_for_each(|row| writeln!(Out, "{row}"))?;
    } else {
        show(&grades)?;
        let (students, seconds) = (count(students.len(), "student"), begun.elapsed().as_secs());
        writeln!(
            Out,
            "\n  ✓ done  ~ right, not proven  ✗ not yet  ? did not run  ! refused\n  \
             h hints, s the solution was looked at\n  {students}, {seconds} s; speed is not \
             judged\n  course {course}\n  {label}"
        )?;
    }
    let status = |(_, came): &Grade| match came {
        Some(Verdict::NotYet) => 1,
        None => 2,
        Some(Verdict::NotRun) => 5,
        _ => 0,
    };
    Ok(ExitCode::from(grades.iter().map(status).max().unwrap_or(0)))
}

/// What is not done, and why; and of each student the marks of what is begun.
fn show(grades: &[Grade]) -> Result<()> {
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_string();
    let marked = |(row, _): &Grade| text(row, "item") + &text(row, "mark");
    let names = grades.iter().map(|(row, _)| text(row, "student").chars().count());
    let name = names.max().unwrap_or(0);
    let is_done = |came| matches!(came, Some(Verdict::Done | Verdict::Untouched));
    for grade @ (row, _) in grades.iter().filter(|(_, came)| !is_done(*came)) {
        let [who, mut why] = ["detector", "says"].map(|field| text(row, field));
        if !who.is_empty() {
            why = format!("{who}: {why}");
        }
        let words = format!("{}  {why}", marked(grade));
        writeln!(Out, "  {:<name$}  {}", text(row, "student"), beside(&words, name + 4))?;
    }
    writeln!(Out)?;
    for own in grades.chunk_by(|(one, _), (next, _)| one["student"] == next["student"]) {
        let done = own.iter().filter(|(_, came)| *came == Some(Verdict::Done)).count();
        let begun = own.iter().filter(|(_, came)| *came != Some(Verdict::Untouched));
        let marks = beside(&Vec::from_iter(begun.map(marked)).join(" "), name + 14);
        writeln!(Out, "  {:<name$}  {done:>3} done  {marks}", text(&own[0].0, "student"))?;
    }
    Ok(())
}

/// A value of a CSV file (RFC 4180). A spreadsheet would compute what begins like a formula.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => "",
        Value::String(text) => text,
        other => &other.to_string(),
    };
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    let quote = if text.contains([',', '"', '\n']) { "\"" } else { "" };
    format!("{quote}{guard}{}{quote}", text.replace('"', "\"\""))
}

/// What a student has come to in a puzzle.
fn judge(how: &How, set: Option<&Path>, student: &(String, PathBuf), puzzle: &Puzzle) -> Grade {
    let (name, folder) = student;
    let notes = read(folder, Path::new("progress.txt")).ok().flatten();
    let noted = notes.map(|(_, text)| parse(&String::from_utf8_lossy(&text)).of(&puzzle.id));
    let looked_at = match &noted {
        Some(noted) if noted.solution => "s",
        Some(noted) if noted.hints > 0 => "h",
        _ => "",
    };
    let refused = |why| Brief { says: format!("{why:#}"), ..Brief::default() };
    let brief = checked(how, set, folder, puzzle).unwrap_or_else(refused);
    let (sign, verdict) = brief.verdict.map_or(("!".red(), "refused"), Verdict::in_short);
    let row = json!({
        "student": name,
        "item": puzzle.id,
        "title": puzzle.words.title,
        "verdict": verdict,
        "detector": brief.detector,
        "says": plain_name(&brief.says),
        "counts": brief.counts,
        "hints": noted.map(|noted| noted.hints),
        "solution": noted.map(|noted| noted.solution),
        "mark": format!("{sign}{looked_at}"),
    });
    (row, brief.verdict)
}

/// What the course's own check says of a copy of what was handed in; else why that is refused.
fn checked(how: &How, set: Option<&Path>, from: &Path, puzzle: &Puzzle) -> Result<Brief> {
    let came = |verdict, says| Brief { verdict: Some(verdict), says, ..Brief::default() };
    let scratch = Scratch::new()?;
    // Below it: the owner of a folder for temporary files holds it by a lock.
    let folder = &scratch.0.join("student");
    if !hand_in(from, puzzle, folder)? {
        return Ok(came(Verdict::Untouched, String::new()));
    }
    let mut command = this_program()?;
    command.args(["exercise", &puzzle.id, "--json", "--seed", &how.seed.to_string()]);
    if let Some(set) = set {
        command.arg("--from").arg(set.canonicalize()?);
    }
    command.args(how.flags()).env(VARIABLE, folder).env("TMPDIR", &scratch.0);
    // What it includes lies beside it; and so would the memory of one that crashes.
    command.current_dir(folder.join(puzzle.file()).with_file_name(""));
    // Four launches may take as long as one may.
    let patience = Duration::from_secs(how.timeout.saturating_mul(4));
    // Macros can ask a compiler for any amount of memory.
    let told = ask(in_a_group(&mut command), patience, 4 << 30);
    let brief = told.and_then(|told: Value| {
        serde_json::from_value(told["brief"].clone()).map_err(|error| error.to_string())
    });
    let brief: Brief = brief.unwrap_or_else(|says| came(Verdict::NotRun, says));
    Ok(Brief { says: brief.says.replace(&format!("{}/", folder.display()), ""), ..brief })
}

/// The students of these folders, each with the own one: those of all folders in one, or the one whose
/// puzzles lie in it; by their names, or of several folders by their paths.
fn students(folders: &[PathBuf], puzzles: &[Puzzle]) -> Result<Vec<(String, PathBuf)>> {
    let mut students = Vec::new();
    for above in folders {
        let cannot = || above.display().to_string();
        let root = above.canonicalize().with_context(cannot)?;
        let is_there = |puzzle: &Puzzle| root.join(puzzle.file()).symlink_metadata().is_ok();
        let depth = usize::from(!puzzles.iter().any(is_there));
        let below = WalkDir::new(&root).min_depth(depth).max_depth(depth).sort_by_file_name();
        let mut found = Vec::from_iter(below.into_iter().flatten());
        found.retain(|one| {
            let is_hidden = one.file_name().as_encoded_bytes().starts_with(b".");
            one.depth() == 0 || !one.path().is_file() && !is_hidden
        });
        ensure!(!found.is_empty(), "{}: no student's folder is in it", cannot());
        students.extend(found.into_iter().map(|one| {
            let name = if folders.len() > 1 { one.path().as_os_str() } else { one.file_name() };
            // Each character of it can be seen: others stand there as their numbers.
            let name = format!("{name:?}");
            (name[1..name.len() - 1].into(), one.into_path())
        }));
    }
    Ok(students)
}

/// Copies what is handed in for a puzzle; false where it was not begun. It is refused where it cannot
/// be read, or would read what lies elsewhere.
fn hand_in(folder: &Path, puzzle: &Puzzle, to: &Path) -> Result<bool> {
    ensure!(!folder.is_symlink(), "links are not followed");
    let kernel = puzzle.file();
    let task = kernel.with_file_name(puzzles::TASK);
    let has_task = puzzle.kind == Kind::Problem && read(folder, &task)?.is_some();
    let mut named = vec![kernel.clone()];
    named.extend(has_task.then_some(task));
    while let Some(name) = named.pop() {
        let shown = || name.display().to_string();
        let Some((own, bytes)) = read(folder, &name).with_context(shown)? else {
            ensure!(name == kernel, "{} is not in the folder", shown());
            return Ok(false);
        };
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if name == kernel && !puzzle.is_edited(&text) {
            return Ok(false);
        }
        let copy = to.join(&own);
        if copy.exists() {
            continue;
        }
        fs::create_dir_all(copy.with_file_name(""))?;
        fs::write(copy, &bytes)?;
        if own.extension().is_some_and(|end| end == "toml") {
            let task: Table = text.parse().with_context(shown)?;
            if let Some(like) = task.get("like").and_then(Toml::as_str) {
                ensure!(like.ends_with(".toml"), "it is like {like}, no .toml file");
                named.push(own.with_file_name(like));
            }
            // A macro is a part of the kernel's text, however it is spelt here.
            text = texts(&task.into());
        }
        for read in diagnostics::directives::reads(&text) {
            let read = read.map_err(|words| anyhow!("it has {words}"))?;
            named.push(own.with_file_name(read));
        }
    }
    Ok(true)
}

/// The place and the bytes of a file in a student's folder, if it is there; of a MiB at most.
fn read(folder: &Path, path: &Path) -> Result<Option<(PathBuf, Vec<u8>)>> {
    let place = folder.join(path);
    let mut on_the_way = place.ancestors().take_while(|one| one.starts_with(folder));
    ensure!(!on_the_way.any(Path::is_symlink), "links are not followed");
    if !fs::exists(&place)? {
        return Ok(None);
    }
    let real = place.canonicalize()?;
    let own = real.strip_prefix(folder).ok().context("it lies outside of the folder")?;
    Ok(Some((own.into(), common::file::read(&real, 1 << 20)?)))
}

/// All that is text in a value of TOML, a line each.
fn texts(value: &Toml) -> String {
    match value {
        Toml::String(text) => format!("{text}\n"),
        Toml::Array(all) => all.iter().map(texts).collect(),
        Toml::Table(all) => all.values().map(texts).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_file_that_reads_elsewhere_is_refused_however_it_is_spelt() {
        let puzzle = puzzles::problems().expect("problems").remove(0);
        let [scratch, copies] = [(); 2].map(|()| Scratch::new().expect("a folder"));
        let folder = scratch.0.canonicalize().expect("a folder");
        let kernel = folder.join(puzzle.file());
        fs::create_dir_all(kernel.parent().expect("a folder")).expect("writable");
        fs::write(&kernel, "// tried").expect("writable");
        let hand_in = |to: &str| hand_in(&folder, &puzzle, &copies.0.join(to));
        assert!(hand_in("kernel").expect("it is judged"));
        assert!(copies.0.join("kernel").join(puzzle.file()).is_file());
        for (task, why) in [
            ("like = '/etc/x.toml'", "/etc/x.toml is not in the folder"),
            ("like = 'x.txt'", "it is like x.txt, no .toml file"),
            ("define = { A = \"\\u0061sm\" }", "it has asm, which can include files"),
        ] {
            fs::write(kernel.with_file_name(puzzles::TASK), task).expect("writable");
            let refused = hand_in("task").expect_err(task).to_string();
            assert!(refused.contains(why), "{refused}");
            let _ = fs::remove_dir_all(copies.0.join("task"));
        }
    }
}
