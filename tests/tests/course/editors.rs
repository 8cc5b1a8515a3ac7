//! What editors are told: clangd sees no error where there is none, a task's matcher reads what
//! the course prints, and the learner's programs are a package of their own.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use regex_lite::Regex;
use serde_json::{Value, json};
use tests::{Program, files_below, or_note, scratch, scratch_folder, workspace};

use crate::game::Learner;

/// The errors that clangd shows in these files, in a process for all of them: "FILE:LINE words".
fn shown_by_clangd(files: &[PathBuf]) -> Option<Vec<String>> {
    let is_there = Command::new("clangd").arg("--version").output().is_ok();
    or_note(is_there.then_some(()), "clangd")?;
    let mut messages = vec![json!({"id": 0, "method": "initialize", "params":
        {"capabilities": {}, "processId": null, "rootUri": null}})];
    for file in files {
        let text = fs::read_to_string(file).expect("a kernel is text");
        let (uri, language) = (format!("file://{}", file.display()), "c");
        let opened = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        for (method, document) in [("didOpen", opened), ("didClose", json!({"uri": uri}))] {
            let method = format!("textDocument/{method}");
            messages.push(json!({"method": method, "params": {"textDocument": document}}));
        }
    }
    messages.extend([json!({"id": 1, "method": "shutdown"}), json!({"method": "exit"})]);
    let mut input = String::new();
    for mut message in messages {
        message["jsonrpc"] = "2.0".into();
        input += &format!("{message}\n---\n");
    }
    let name = format!("clangd-{}", files.len());
    let input = fs::File::open(scratch(&name, input)).expect("just written");
    // As its own tests talk to it: one message after the other, each to its end.
    let ran = Command::new("clangd")
        .args(["-lit-test", "--enable-config", "--pretty=false", "--log=error"])
        .stdin(input)
        .stderr(Stdio::null())
        .output()
        .expect("clangd runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    let mut errors = Vec::new();
    for message in said.split("Content-Length: ").skip(1) {
        let message = &message[message.find('{').expect("an object")..];
        let message: Value = serde_json::from_str(message.trim()).expect("an object");
        let uri = message["params"]["uri"].as_str().unwrap_or_default();
        let found = message["params"]["diagnostics"].as_array();
        for one in found.into_iter().flatten().filter(|one| one["severity"] == 1) {
            let line = one["range"]["start"]["line"].as_u64().unwrap_or_default() + 1;
            errors.push(format!("{uri}:{line} {}", one["message"]));
        }
    }
    Some(errors)
}

#[test]
fn clangd_sees_no_error_in_a_kernel_of_the_clone_or_of_the_learner() {
    let learner = Learner::started("clangd");
    let folders = ["kernels", "exercises", "examples", "tests/kernels"];
    let mut files = Vec::new();
    for folder in folders {
        files.extend(files_below(&workspace().join(folder), "cl"));
    }
    files.extend(files_below(&learner.0, "cl"));
    assert!(files.len() > 300, "{}", files.len());
    if let Some(errors) = shown_by_clangd(&files) {
        assert_eq!(errors, [""; 0]);
        // It would see one, and has the macro.
        let file = learner.0.join("07-vectorization/4-part-sums.cl");
        fs::write(&file, "int f(void) { return EACH + eech; }\n").expect("writable");
        let errors = shown_by_clangd(&[file]).unwrap_or_default();
        let [error] = &errors[..] else { panic!("{errors:?}") };
        assert!(error.contains("eech") && error.contains(":1 "), "{error}");
    }
}

/// The file without its remarks.
fn tasks() -> Value {
    let text = fs::read_to_string(workspace().join(".vscode/tasks.json")).expect("it is there");
    let is_json = |line: &&str| !line.trim_start().starts_with("//");
    let text: Vec<&str> = text.lines().filter(is_json).collect();
    serde_json::from_str(&text.join("\n")).expect("JSON")
}

fn regex(pattern: &Value) -> Regex {
    Regex::new(pattern.as_str().expect("a pattern")).expect("one that both dialects know")
}

#[test]
#[ignore = "CI: ten seconds, for each task of the editor its own program"]
fn the_matchers_read_what_the_tasks_print() {
    let learner = Learner::started("matchers");
    let tasks = tasks();
    let task = |label: &str| -> Value {
        let mut all = tasks["tasks"].as_array().expect("tasks").iter();
        all.find(|task| task["label"] == label).expect(label).clone()
    };
    let with_options = |mut program: Program| {
        for (name, value) in tasks["options"]["env"].as_object().expect("variables") {
            program = program.env(name, value.as_str().expect("text"));
        }
        program
    };
    let check = task("check this file");
    let pattern = &check["problemMatcher"]["pattern"];
    for other in ["check this file at every save", "check everything begun"] {
        assert_eq!(&task(other)["problemMatcher"]["pattern"], pattern, "{other}");
    }
    let place = regex(&pattern["regexp"]);
    let gap = "// ---- your lines begin";
    // A file, what stands in its gap, and what is seen: a line, and words.
    for (kind, name, gap_holds, sees) in [
        ("exercise", "06-local-memory/3-one-barrier.cl", "int x = yy;", ":9: use of undeclared"),
        ("exercise", "06-local-memory/2-two-barriers.cl", "", ":1: one item writes what another"),
        ("host", "host/src/bin/03-no-times.rs", "", ":1: OpenCL answers -7"),
    ] {
        let file = learner.0.join(name);
        let text = fs::read_to_string(&file).expect("copied");
        fs::write(&file, text.replace(gap, &format!("{gap}\n{gap_holds}\n"))).expect("writable");
        let run = with_options(learner.types(kind).arg(&file).args("--timeout 60"));
        // Where the tests of these programs build them, too.
        let run = run.env("CARGO_TARGET_DIR", scratch_folder("host")).run();
        let found = run.stdout.lines().filter_map(|line| place.captures(line));
        let found: Vec<String> = found
            .filter(|found| found[1] == *file.to_str().expect("text"))
            .map(|found| format!("{}:{}: {}", &found[2], &found[3], &found[4]))
            .collect();
        assert!(found.iter().any(|one| one.contains(sees)), "{found:?}\n{run}");
    }
    // What begins and ends a check.
    let background = &task("check this file at every save")["problemMatcher"]["background"];
    let watched = with_options(learner.types("exercise 6.3 --watch --no-timing"));
    let watched = watched
        .in_shell(r#"exec 3< <("$0" "$@" 2>&1); sed '/^watching: save/q' <&3; kill -INT $!"#)
        .run();
    for which in ["beginsPattern", "endsPattern"] {
        let pattern = regex(&background[which]);
        assert!(watched.stdout.lines().any(|line| pattern.is_match(line)), "{which}\n{watched}");
    }
    // What lessons are of is the clone's, and a lesson's message takes two lines.
    let copied = fs::read_to_string(learner.0.join(".vscode/tasks.json")).expect("copied");
    let manifest = json!(workspace().join("Cargo.toml")).to_string();
    assert!(copied.contains(&manifest), "{copied}");
    let patterns = task("run a lesson")["problemMatcher"]["pattern"].clone();
    let lesson = tests::lesson(6).args("--size 8 --source");
    let run = lesson.arg(learner.0.join("06-local-memory/3-one-barrier.cl")).run();
    let lines: Vec<&str> = run.stderr.lines().chain(run.stdout.lines()).collect();
    let [error, at] = [&patterns[0], &patterns[1]].map(|pattern| regex(&pattern["regexp"]));
    let is_met = |pair: &[&str]| error.is_match(pair[0]) && at.is_match(pair[1]);
    assert!(lines.windows(2).any(is_met), "{run}");
}

/// rust-analyzer loads what `cargo metadata` describes.
#[test]
fn the_learners_programs_are_a_package_that_editors_can_load() {
    let learner = Learner::started("metadata");
    let about = Command::new("rustc").arg("-vV").output();
    let about = String::from_utf8(about.expect("rustc runs").stdout).expect("text");
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let cargo = cargo.args(["metadata", "--offline", "--format-version=1"]);
    // Other systems' packages were never fetched.
    let cargo = cargo.args(["--filter-platform", host.expect("this machine's triple")]);
    let ran = cargo.current_dir(learner.0.join("host")).output();
    let ran = ran.expect("cargo runs");
    let errors = String::from_utf8_lossy(&ran.stderr);
    let said: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{errors}"));
    let mut all = said["packages"].as_array().expect("packages").iter();
    let host = all.find(|one| one["name"] == "host").expect("the learner's");
    let is_program = |target: &&Value| target["kind"][0] == "bin";
    let targets = host["targets"].as_array().expect("targets");
    assert!(targets.iter().filter(is_program).count() >= 12);
}
