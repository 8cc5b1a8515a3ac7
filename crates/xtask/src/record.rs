//! Runs the lessons and keeps what they print (NAME/lessonNN.txt) and what they measure
//! (NAME/lessonNN.jsonl), both from the same run, so that the pages can quote them.

use std::process::{Command, Stdio};
use std::{env, fs, path::Path};

use anyhow::{Context, Result, ensure};
use common::file::workspace;
use diagnostics::aside;
use serde_json::{Value, json};
use watchdog::events::{NAME, WORK_VARIABLE};
use watchdog::lessons::{LESSONS, Lesson};
use watchdog::scratch::Scratch;

use crate::kept;

/// Records lessons (all, if none is named) into docs/data/NAME.
pub fn record(name: &str, numbers: &[u32], flags: &[String]) -> Result<()> {
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
    let mut flags = if lesson.number < 3 { Vec::new() } else { flags.to_vec() };
    flags.push("--long".into());
    let events = Scratch::new()?;
    // Lesson 11 is recorded as on a machine where nothing was tuned before.
    let cache = env::temp_dir().join("opencl-course");
    let _ = fs::remove_dir_all(&cache);
    // The variable makes the lesson work in this child itself and tell its results there.
    let mut command = Command::new(lesson.binary()?);
    let output = watchdog::end_with_us(&mut command)
        .args(&flags)
        .envs(watchdog::environment(Default::default()))
        .env(WORK_VARIABLE, &events.0)
        .env("OPENCL_COURSE_CACHE", &cache)
        .stderr(Stdio::inherit())
        .output()?;
    let mut records: Vec<Value> = Vec::new();
    for line in fs::read_to_string(events.0.join(NAME))?.lines() {
        // As they were written: a record that is read lacks the formulas of its traffic.
        let mut event: Value = serde_json::from_str(line)?;
        if let Some(record) = event.pointer_mut("/record/0") {
            records.push(record.take());
        } else if let Some(why) = event["failed"]["told"]["happened"].as_str() {
            aside!("{why}");
        }
    }
    ensure!(output.status.success(), "it ended with {}", output.status);
    let mut about = kept::about()?;
    about["command"] = json!(format!("cargo run -p {} -- {}", lesson.package(), flags.join(" ")));
    records.insert(0, about);
    let file = |end: &str| folder.join(format!("{}.{end}", lesson.package()));
    kept::write_lines(file("jsonl"), &records)?;
    Ok(fs::write(file("txt"), output.stdout)?)
}

/// What is timed of the problems, and where it is kept.
#[derive(clap::Args)]
pub struct Problems {
    /// File that receives it, for example h200
    #[arg(value_parser = kept::name)]
    name: String,
    /// Stages, by a part of their names [default: all], for example 01-sum/solution-3
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// How many times each has its turn
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Beside PyTorch's operation, in turns, where there is one
    #[arg(long)]
    pytorch: bool,
    /// Flags handed to `course run`, for example -- --timeout 60
    #[arg(last = true)]
    flags: Vec<String>,
}

/// Times stages of problems, and writes `docs/data/problems/NAME.jsonl`.
pub fn problems(asked: &Problems) -> Result<()> {
    let mut words = ["run", "--time", "--size=time", "--json"].map(String::from).to_vec();
    let is_asked = |file: &str| {
        let named = asked.only.iter().any(|name| file.contains(name));
        file.ends_with(".toml") && file.contains("solution-") && (named || asked.only.is_empty())
    };
    for folder in kept::entries("exercises/problems")? {
        let stages = kept::entries(&folder).unwrap_or_default();
        let stages = stages.iter().map(|file| file.to_string_lossy());
        words.extend(stages.filter(|file| is_asked(file)).map(String::from));
    }
    words.extend_from_slice(&asked.flags);
    // Each stage and each operation by its name; a round adds to it what it measured.
    let mut lines: Vec<Value> = Vec::new();
    for _ in 0..asked.rounds {
        // 1 where a stage misses the target, 2 where it is none for this device.
        let told = told(&words, &[0, 1, 2])?;
        let stages = told.iter().map(|told| {
            let file = told["file"].as_str().unwrap_or_default();
            let stage = file.rsplit("problems/").next().unwrap_or_default();
            let timed = told["sizes"].as_array().and_then(|sizes| sizes.last());
            (stage, stage.split('/').next().unwrap_or_default(), timed.unwrap_or(&told["why"]))
        });
        let asked_of = |(_, problem, timed): (&str, &str, &Value)| json!({ "problem": problem, "size": timed["size"] });
        let questions = stages.clone().map(asked_of).filter(|_| asked.pytorch).collect();
        let mut answers = pytorch(questions)?.into_iter();
        for ((stage, problem, timed), told) in stages.zip(&told) {
            if let Some(theirs) = answers.next().filter(|theirs| !theirs.is_null()) {
                add(&mut lines, &format!("{problem}/PyTorch"), &told["device"], theirs);
            }
            add(&mut lines, stage, &told["device"], timed.clone());
        }
    }
    ensure!(!lines.is_empty(), "no stage was run");
    lines.insert(0, kept::about()?);
    kept::write_lines(format!("docs/data/problems/{}.jsonl", asked.name), &lines)
}

/// What was measured in one more turn: it is told as the first, with the seconds of each; or as the
/// first that was not right, and then without any.
fn add(lines: &mut Vec<Value>, stage: &str, device: &Value, timed: Value) {
    let seconds = timed["seconds_median"].clone();
    let known = lines.iter().position(|line| line["stage"] == stage);
    let known = known.unwrap_or_else(|| {
        lines.push(json!({ "stage": stage, "device": device, "timed": &timed, "turns": [] }));
        lines.len() - 1
    });
    if seconds.is_null() {
        lines[known]["timed"] = timed;
    } else if let Some(turns) = lines[known]["turns"].as_array_mut() {
        turns.push(seconds);
    }
}

/// What a user of PyTorch would call for each of these problems at its size, timed by `pytorch.py`,
/// which says what it is asked and answers; null where there is no such operation.
fn pytorch(questions: Vec<Value>) -> Result<Vec<Value>> {
    if questions.is_empty() {
        return Ok(Vec::new());
    }
    let folder = Scratch::new()?;
    let asked = folder.0.join("asked");
    fs::write(&asked, questions.iter().map(|one| format!("{one}\n")).collect::<String>())?;
    let mut python = Command::new("python3");
    watchdog::end_with_us(&mut python).stdin(fs::File::open(asked)?).stderr(Stdio::inherit());
    let output = python.arg(workspace().join("crates/xtask/src/pytorch.py")).output()?.stdout;
    let answers = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let answers = answers.map(serde_json::from_slice).collect::<Result<Vec<Value>, _>>()?;
    let ended = "PyTorch's process ended: is PyTorch here, and a GPU?";
    ensure!(answers.len() == questions.len(), ended);
    Ok(answers)
}

/// What the same program prints with `--json`, an object a line.
pub fn told(words: &[String], well: &[i32]) -> Result<Vec<Value>> {
    let text = printed(words, well)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// What the program `course`, which lies beside this one, prints, if it ends well.
pub fn printed(words: &[String], well: &[i32]) -> Result<String> {
    let mut command = Command::new(
        env::current_exe()?.with_file_name(format!("cargo-course{}", env::consts::EXE_SUFFIX)),
    );
    watchdog::end_with_us(&mut command);
    command.args(words).stderr(Stdio::inherit());
    let output = command.output();
    let output = output.context("course is not built; run `cargo build --workspace` first")?;
    let is_well = output.status.code().is_some_and(|code| well.contains(&code));
    ensure!(is_well, "it ended with {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}
