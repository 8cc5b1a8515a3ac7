//! Exercises on the host's side: programs that are built and run, and judged by their result and
//! by the OpenCL calls that they make.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{collections::BTreeMap, fs, time::Duration};

use anyhow::{Context, Result, bail};
use common::{Error, file::workspace, source::Source};
use diagnostics::{log::Log, terminal::plain};
use inspect::judge::{Detection, Detector, How, Observation, Seen};
use intercept::{findings::Finding, line::Line, program, story::sentence};
use watchdog::{fallback_driver, scratch::Scratch};

use crate::game::puzzle::{Kind, Puzzle, Rules};
use crate::{game::written::Written, program::how_it_ended, puzzles::each};

/// Who compares what a program printed.
const RESULT: Detector = Detector::Result(String::new());

/// Findings that no program may have.
#[rustfmt::skip]
const NEVER: [&str; 9] = [
    "error", "released", "log", "order", "mapped", "changed", "unwritten",
    "unfinished", "leak",
];
/// With these, chance decides on the result.
const CHANCE: [&str; 4] = ["order", "mapped", "changed", "unfinished"];

/// All of them, in order.
pub fn all() -> Result<Vec<Puzzle>> {
    let root = workspace().join("exercises/host");
    let mut all = each(&root, read)?;
    if let Some(first) = all.first_mut() {
        // Their package, with the clone's versions, which are on this machine.
        for (file, place) in [
            (root.join("Cargo.toml"), "../../Cargo.toml"),
            (root.join("lib.rs"), "../lib.rs"),
            (workspace().join("Cargo.lock"), "../../Cargo.lock"),
        ] {
            let text = fs::read_to_string(file).context("the clone has no package of programs")?;
            first.with.push((place.into(), text));
        }
    }
    Ok(all)
}

fn read(folder: &Path, name: &str, number: u32) -> Result<Puzzle> {
    let words = Written::read(&folder.join("README.md"))?;
    Ok(Puzzle {
        kind: Kind::Program,
        id: format!("h{number}"),
        place: format!("host/src/bin/{name}"),
        page: "docs/your-program.md".into(),
        fresh: Source::read(&folder.join("start.rs"))?.text,
        solution: Some(Source::read(&folder.join("solution.rs"))?),
        rules: toml::from_str(&words.data).context("the data of README.md")?,
        words,
        ..Puzzle::default()
    })
}

/// What a program did.
struct Ran {
    findings: Vec<Finding>,
    calls: BTreeMap<String, (usize, u64)>,
    /// The arguments and launches of kernels, in sentences.
    launches: Vec<String>,
    /// What it printed.
    printed: String,
    /// How it ended, where that was not by itself with 0.
    ended: Option<String>,
}

/// Builds and runs the program: its result, and its calls.
pub fn check(puzzle: &Puzzle, file: &Path, how: &How) -> Result<Seen> {
    if how.device.is_some() {
        bail!(Error::Usage(
            "a program chooses its device by itself, so --device cannot\n  next: OCL_ICD_VENDORS \
             names the drivers that it sees"
                .into()
        ))
    }
    let seen = |observations, status, message| Seen { observations, status, message };
    let program = match build(file, puzzle.name())? {
        Ok(program) => program,
        Err(log) => {
            let says = "does not build, as Rust's compiler says";
            let fault = Observation::of_build(RESULT, says, log);
            return Ok(seen(vec![fault], 4, String::new()));
        }
    };
    let run = |words: &[&str]| run(Command::new(&program).args(words), how.timeout);
    let ran = run(&[])?;
    if ran.calls.is_empty() {
        let says = "no OpenCL call was seen: see `cargo course calls`";
        let not_run = Observation::new(RESULT, Detection::NotRun, says);
        return Ok(seen(vec![not_run], 3, ran.ended.unwrap_or_default()));
    }
    let mut observations = vec![result(&ran), judge(&puzzle.rules, &ran)];
    if let Some(word) = &puzzle.rules.refuses {
        // It must end before it makes a context.
        let ran = run(&[word])?;
        let refuses = ran.ended.is_some() && !ran.calls.contains_key("clCreateContext");
        let (outcome, says) = match refuses {
            true => (Detection::Silent, format!("it refuses \"{word}\"")),
            false => {
                (Detection::Fault, format!("called with \"{word}\", it runs on another device"))
            }
        };
        observations.push(Observation::new(Detector::AskedForADevice, outcome, says));
    }
    let status = u8::from(observations.iter().any(Observation::is_fault));
    Ok(seen(observations, status, String::new()))
}

/// What is wrong with its calls.
fn judge(rules: &Rules, ran: &Ran) -> Observation {
    let is_asked = |kind: &str| NEVER.contains(&kind) || rules.also.iter().any(|one| one == kind);
    let mut details = Vec::new();
    for finding in ran.findings.iter().filter(|one| is_asked(one.finding)) {
        details.push(format!("{}: {}", finding.heading, plain(&finding.says)).into());
    }
    for (call, most) in &rules.at_most {
        if let Some((times, _)) = ran.calls.get(call).filter(|(times, _)| times > most) {
            details.push(format!("{call} is made {times} times; at most {most}").into());
        }
    }
    let calls = ran.calls.values().map(|(times, _)| times).sum();
    let nothing = format!("nothing is wrong with {}", verify::numbers::count(calls, "call"));
    Observation::of_all(Detector::Calls, &nothing, details)
}

/// What its result comes to.
fn result(ran: &Ran) -> Observation {
    let is_chance = |one: &Finding| CHANCE.contains(&one.finding);
    if ran.findings.iter().any(is_chance) {
        let says = "not judged: nothing keeps its commands in order, so chance decides";
        return Observation::new(RESULT, Detection::NotJudged, says);
    }
    let lines = || ran.printed.lines().filter(|line| !line.trim().is_empty());
    let last = plain(lines().next_back().unwrap_or("it printed nothing"));
    let Some(ended) = &ran.ended else { return Observation::new(RESULT, Detection::Silent, last) };
    let launches = ran.launches.iter().take(8).map(|line| plain(line));
    Observation::new(RESULT, Detection::Fault, format!("{last}; {ended}")).with(launches)
}

/// Builds a program of the package in which its file lies; what cargo says, where it fails.
fn build(file: &Path, name: &str) -> Result<Result<PathBuf, Log>> {
    let package = file.ancestors().nth(3).unwrap_or(file);
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--quiet", "--bin", name])
        .args(["--message-format=json-render-diagnostics", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .stdin(Stdio::null());
    let built = cargo.output().context("cargo cannot be started")?;
    let messages = String::from_utf8_lossy(&built.stdout);
    let program = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    let program = { program }.next_back().filter(|_| built.status.success());
    Ok(program.ok_or_else(|| Log {
        shown: plain(&String::from_utf8_lossy(&built.stderr)),
        ..Log::default()
    }))
}

/// Runs a program to its end, and hears its calls.
fn run(command: &mut Command, timeout: u64) -> Result<Ran> {
    let scratch = Scratch::new()?;
    let output = scratch.0.join("printed");
    let file = fs::File::create(&output)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    command.envs(fallback_driver());
    let mut findings = intercept::findings::Findings::default();
    let mut launches = Vec::new();
    let patience = Some(Duration::from_secs(timeout));
    let end = program::run(command, patience, |line| {
        findings.hear(&line);
        if let Line::Call(call) = &line
            && ["clSetKernelArg", "clEnqueueNDRangeKernel"].contains(&&*call.name)
        {
            launches.push(sentence(call, &findings.objects));
        }
    })?;
    let code = end.status.and_then(|status| status.code());
    let failed = code.filter(|code| *code != 0);
    let failed = failed.map(|code| format!("it ended with {code}"));
    Ok(Ran {
        findings: findings.all(code.is_some()),
        calls: findings.calls,
        launches,
        printed: fs::read(&output).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())?,
        ended: how_it_ended(&end, patience).or(failed),
    })
}
