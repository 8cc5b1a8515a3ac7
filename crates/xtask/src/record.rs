//! Runs the lessons and keeps what they print (NAME/lessonNN.txt) and what they
//! measure (NAME/lessonNN.jsonl), both from the same run, so that the pages can
//! quote them.

use std::env::{consts, current_exe};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use common::clone::workspace;
use diagnostics::aside;
use serde_json::{Value, json};
use watchdog::data::date;
use watchdog::events::{NAME, WORK_VARIABLE};
use watchdog::lessons::{LESSONS, Lesson};
use watchdog::scratch::Scratch;

use crate::kept::{self, must_be_a_name};

/// Records lessons (all, if none is named) into docs/data/NAME.
pub fn record(name: &str, numbers: &[u32], flags: &[String]) -> Result<()> {
    must_be_a_name(name)?;
    let folder = workspace().join("docs/data").join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for lesson in LESSONS {
        if numbers.is_empty() || numbers.contains(&lesson.number) {
            aside!("recording {}", lesson.package());
            record_one(lesson, &folder, flags)
                .with_context(|| format!("{} was not recorded", lesson.package()))?;
        }
    }
    Ok(())
}

fn record_one(lesson: &Lesson, folder: &Path, flags: &[String]) -> Result<()> {
    // Lessons 1 and 2 have sizes of their own.
    let mut flags = if lesson.number < 3 {
        Vec::new()
    } else {
        flags.to_vec()
    };
    flags.push("--long".into());
    let events = Scratch::new()?;
    // Lesson 11 is recorded as on a machine where nothing was tuned before.
    let cache = std::env::temp_dir().join("opencl-course");
    let _ = fs::remove_dir_all(&cache);
    // The variable makes the lesson work in this child itself and tell its results there.
    let output = lesson
        .command()?
        .args(&flags)
        .envs(watchdog::environment())
        .env(WORK_VARIABLE, &events.0)
        .env("OPENCL_COURSE_CACHE", &cache)
        .stderr(Stdio::inherit())
        .output()?;
    let mut records: Vec<Value> = Vec::new();
    for line in fs::read_to_string(events.0.join(NAME))?.lines() {
        // As they were written: a record that is read lacks the formulas of its traffic.
        let mut event: Value = serde_json::from_str(line)?;
        if let Some(record) = event.pointer_mut("/record/record") {
            records.push(record.take());
        } else if let Some(why) = event["failed"]["says"].as_str() {
            aside!("{why}");
        }
    }
    if !output.status.success() {
        bail!("it ended with {}", output.status);
    }
    let command = format!("cargo run -p {} -- {}", lesson.package(), flags.join(" "));
    let about = json!({ "command": command, "date": date("+%Y-%m-%d")? });
    records.insert(0, about);
    let file = |end: &str| folder.join(format!("{}.{end}", lesson.package()));
    kept::write_lines(file("jsonl"), &records)?;
    Ok(fs::write(file("txt"), output.stdout)?)
}

/// What a command of `course` measures, and where it is kept.
#[derive(clap::Args)]
pub struct Course {
    /// File that receives it, for example h200
    name: String,
    /// Flags handed to the command, for example -- --timeout 60
    #[arg(last = true)]
    flags: Vec<String>,
}

/// Times every stage of every problem, and writes `docs/data/problems/NAME.jsonl`.
pub fn problems(Course { name, flags }: &Course) -> Result<()> {
    must_be_a_name(name)?;
    let mut words = ["run", "--time", "--size=time", "--json"]
        .map(String::from)
        .to_vec();
    for folder in kept::entries("exercises/problems")? {
        let stages = kept::entries(&folder).unwrap_or_default();
        let stages = stages.iter().map(|file| file.to_string_lossy());
        let stages = stages.filter(|file| file.contains("solution-") && file.ends_with(".toml"));
        words.extend(stages.map(String::from));
    }
    // 1 where a stage misses the target.
    let text = printed(&words, flags, &[0, 1])?;
    let command = format!("cargo xtask problems {name} -- {}", flags.join(" "));
    let mut all =
        vec![json!({ "command": command.trim_end_matches(" -- "), "date": date("+%Y-%m-%d")? })];
    for line in text.lines() {
        let told: Value = serde_json::from_str(line)?;
        let file = told["file"].as_str().unwrap_or_default();
        let file = file.rsplit("problems/").next().unwrap_or_default();
        let timed = told["sizes"].as_array().and_then(|sizes| sizes.last());
        let (device, timed) = (
            &told["device"],
            timed.cloned().unwrap_or(told["why"].clone()),
        );
        all.push(json!({ "stage": file, "device": device, "timed": timed }));
    }
    kept::write_lines(format!("docs/data/problems/{name}.jsonl"), &all)
}

/// What the program `course`, which lies beside this one, prints, if it ends well.
pub fn printed(words: &[String], flags: &[String], well: &[i32]) -> Result<String> {
    let mut command =
        Command::new(current_exe()?.with_file_name(format!("cargo-course{}", consts::EXE_SUFFIX)));
    watchdog::end_with_us(&mut command);
    command.args(words).args(flags).stderr(Stdio::inherit());
    let output = command.output();
    let output = output.context("course is not built; run `cargo build --workspace` first")?;
    let code = output.status.code();
    if !code.is_some_and(|code| well.contains(&code)) {
        bail!("it ended with {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}
