//! Sessions: what is typed, and what must come of it, in text files below `tests/sessions/`.
//!
//! ```text
//! quick="--size 4 --runs 0"            shell that stands before every command
//!
//! == what a case is about [pocl]       what it needs, in brackets; whether it is `slow`, or costs
//!                                      so much that a third of the days must do: `share`
//! $ lesson03 --size 0                  a command, in bash
//! > --runs 0                           goes on
//! ? 2                                  its exit status, where that is not 0
//! | words                              stand on standard output, however lines are broken
//! | some … others                      stand in one line of it, in this order
//! ! words                              stand on standard error
//! - words                              stand on neither; `\e` is an escape, `\n` a new line
//! 1 words                              stand on standard output, so often
//!
//! % 80x24 lesson03 --step              the same on a terminal, which must be left in order; all
//!                                      that it shows takes the place of standard output
//! %% 80x24 course                      the same, and no row may be too long for it
//! ~ words                              are awaited, since what was pressed or done last
//! = words                              are awaited on the screen
//! < q Enter                            keys; they wait until the program reads keys
//! ^ CTRL-C                             keys, at once
//! * Enter words                        a key, at each "q quit", until these words are on the screen
//! & cp mine.cl watched.cl              meanwhile, in bash
//! ```
//!
//! Commands run in the workspace, with its programs on the PATH. Each case has a folder of its
//! own, `$T`; `$POCL` chooses PoCL, `$NAME` and `$INDEX` are the chosen device's, `$LOCAL`,
//! `$ALLOC` and `$MEMORY` its bytes of local memory, of a buffer and in all, `$OCLGRIND` and
//! `$INTEL` are libraries.

use std::fs;
use std::panic::resume_unwind;
use std::process::Command;
use std::thread;

use crate::{
    Oclgrind, Outcome, Program, Terminal, device, is_due, key, or_note, pocl, read, scratch_folder,
    shell, workspace,
};

/// Plays a session to its end, and fails with all that went otherwise.
pub fn play(name: &str) {
    let file = format!("tests/sessions/{name}.txt");
    play_cases(name, |title| {
        let has_its_day = || !title.ends_with("share]") || is_due(title, 3, &file);
        !title.ends_with("slow]") && has_its_day()
    });
}

/// The same, but each case has one of three days.
pub fn play_share(name: &str) {
    let file = format!("tests/sessions/{name}.txt");
    play_cases(name, |title| is_due(title, 3, &file));
}

/// The same of the cases that take long.
pub fn play_slow(name: &str) {
    play_cases(name, |title| title.ends_with("slow]"));
}

fn play_cases(name: &str, is_meant: impl Fn(&str) -> bool) {
    let text = read(format!("tests/sessions/{name}.txt"));
    let mut cases = text.split("\n== ");
    let before = cases.next().unwrap_or_default();
    let cases = cases.enumerate().map(|case| Case::of(name, before, case));
    let cases: Vec<Case> = cases.collect();
    let meant: Vec<&Case> = cases.iter().filter(|case| is_meant(case.title)).collect();
    // A case leaves a core idle now and then.
    let wrong: Vec<String> = thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let cases = meant.iter().skip(half).step_by(2);
            let play = move || cases.flat_map(|case| case.play()).collect::<Vec<_>>();
            let thread = thread::Builder::new().name(format!("session {name}, {half}"));
            thread.spawn_scoped(scope, play).expect("a thread")
        });
        let halves = halves.map(|half| half.join().unwrap_or_else(|panic| resume_unwind(panic)));
        halves.concat()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

struct Case<'a> {
    title: &'a str,
    /// What is typed before each command.
    before: &'a str,
    /// A folder of its own.
    folder: String,
    /// Lines, each begun by its sign.
    lines: &'a str,
}

impl<'a> Case<'a> {
    fn of(session: &str, before: &'a str, (number, text): (usize, &'a str)) -> Case<'a> {
        let (title, lines) = text.split_once('\n').unwrap_or((text, ""));
        // Short, so that paths in it fit a terminal.
        let folder = scratch_folder(&format!("{session}/{number}"));
        Case { title, before, folder: folder.display().to_string(), lines }
    }

    /// What goes otherwise than it should.
    fn play(&self) -> Vec<String> {
        let Some(setting) = self.setting() else {
            return Vec::new();
        };
        fs::remove_dir_all(&self.folder).expect("the target folder can be written");
        fs::create_dir_all(&self.folder).expect("the target folder can be written");
        let mut steps: Vec<(String, Vec<(&str, String)>)> = Vec::new();
        for line in self.lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (sign, words) = line.split_once(' ').unwrap_or((line, ""));
            match (sign, steps.last_mut()) {
                ("$" | "%" | "%%", _) => steps.push((line.into(), Vec::new())),
                (">", Some((typed, _))) => *typed += &format!("\n{words}"),
                (_, Some((_, expected))) => expected.push((sign, self.put_in(words))),
                _ => panic!("{}: {line} stands before every command", self.title),
            }
        }
        let wrong = steps.iter().filter_map(|(typed, expected)| {
            let (sign, line) = typed.split_once(' ').unwrap_or_default();
            let run = match sign {
                "$" => self.program(line, &setting).run(),
                _ => self.on_terminal(sign, line, &setting, expected),
            };
            let why = unmet(&run, expected).join("\n  ");
            let (title, out, err) = (self.title, &run.stdout, &run.stderr);
            let ended = run.status;
            (!why.is_empty()).then(|| {
                format!("{title}\n{typed}\n  {why}\nended with {ended:?}\n{out}--- stderr\n{err}")
            })
        });
        wrong.collect()
    }

    fn put_in(&self, words: &str) -> String {
        let name = device()["name"].as_str().unwrap_or_default();
        words
            .replace("$T", &self.folder)
            .replace("$NAME", name)
            .replace("\\e", "\x1b")
            .replace("\\n", "\n")
    }

    fn program(&self, line: &str, setting: &[(&str, String)]) -> Program {
        let mut program = shell(&format!("{}\n{line}", self.before)).on_the_chosen_driver();
        for (name, value) in setting {
            program = program.env(name, value);
        }
        program
    }

    /// The variables of a case; none where the machine lacks what it needs.
    fn setting(&self) -> Option<Vec<(&'static str, String)>> {
        let limit = |name: &str| device()["limits"][name].to_string();
        let mut setting = vec![
            ("T", self.folder.clone()),
            ("NAME", self.put_in("$NAME")),
            ("INDEX", device()["index"].to_string()),
            ("LOCAL", limit("local_mem_bytes")),
            ("ALLOC", limit("max_alloc_bytes")),
            ("MEMORY", limit("global_mem_bytes")),
        ];
        let (_, needs) = self.title.split_once(" [").unwrap_or_default();
        for need in needs.trim_end_matches(']').split(' ').filter(|need| !need.is_empty()) {
            match need {
                "pocl" => setting.push(("POCL", pocl()?)),
                "oclgrind" => {
                    let library = Oclgrind::find()?.library().display().to_string();
                    setting.push(("OCLGRIND", library));
                }
                "intel" => {
                    let library = workspace().join(".opencl/intel/libintelocl.so");
                    let found = library.is_file().then(|| library.display().to_string());
                    setting.push(("INTEL", or_note(found, "Intel's CPU runtime")?));
                }
                "script" => {
                    let runs = Command::new("script").arg("--version").output();
                    or_note(runs.ok(), "script (util-linux)")?;
                }
                "slow" | "share" => {}
                "one-device" if crate::devices().len() == 1 => {}
                "linux" if cfg!(target_os = "linux") => {}
                "linux" | "one-device" => return None,
                _ => panic!("nobody knows what {need} is"),
            }
        }
        Some(setting)
    }

    /// Does what these lines say to a program on a terminal, and waits for its end.
    fn on_terminal(
        &self,
        sign: &str,
        line: &str,
        setting: &[(&str, String)],
        expected: &[(&str, String)],
    ) -> Outcome {
        let (size, line) = line.split_once(' ').expect("80x24 and a command");
        let (columns, rows) = size.split_once('x').expect("80x24");
        let side = |text: &str| text.parse().expect("a number");
        let program = self.program(line, setting);
        let mut terminal = program.on_terminal(side(columns), side(rows));
        for (sign, words) in expected {
            match *sign {
                "~" => drop(terminal.waits_for(words)),
                "=" => drop(terminal.sees(words)),
                "<" => press(terminal.reads_keys(), words),
                "^" => press(&mut terminal, words),
                "*" => {
                    let (key, words) = words.split_once(' ').expect("a key and words");
                    while !terminal.screen().contains(words) {
                        press(terminal.reads_keys(), key);
                        terminal.waits_until("keys", |since, _| since.contains("q quit"));
                    }
                }
                "&" => {
                    terminal.forget();
                    let run = self.program(words, setting).run();
                    assert_eq!(run.status, Some(0), "{}\n{run}", self.title);
                }
                _ => {}
            }
        }
        let status = terminal.ends();
        let shown = terminal.transcript();
        let fits = sign == "%" || terminal.broken_rows().is_empty();
        assert!(fits, "{}: rows are too long\n{shown}", self.title);
        assert!(terminal.is_in_order(), "{}\n{shown}", self.title);
        Outcome { line: line.into(), status, stdout: shown, stderr: terminal.raw() }
    }
}

fn press(terminal: &mut Terminal, keys: &str) {
    let keys: Vec<&str> = keys.split(' ').map(key::of).collect();
    terminal.press(&keys.concat());
}

/// What is not as these lines expect it.
fn unmet(run: &Outcome, expected: &[(&str, String)]) -> Vec<String> {
    let status = expected.iter().find(|(sign, _)| *sign == "?");
    let status = status.map_or(0, |(_, words)| words.parse().expect("a status"));
    let met = |(sign, words): &&(&str, String)| match *sign {
        "?" | "~" | "=" | "<" | "^" | "*" | "&" => true,
        "|" => stands_in(&run.stdout, words),
        "!" => stands_in(&run.stderr, words),
        "-" => !run.stdout.contains(words) && !run.stderr.contains(words),
        times => {
            let times = times.parse::<usize>().unwrap_or_else(|_| panic!("{times} is no sign"));
            run.stdout.matches(words).count() == times
        }
    };
    let unmet = expected.iter().filter(|line| !met(line));
    let mut unmet: Vec<String> =
        unmet.map(|(sign, words)| format!("not so: {sign} {words}")).collect();
    if run.status != Some(status) {
        unmet.insert(0, format!("should end with {status}"));
    }
    unmet
}

fn stands_in(text: &str, words: &str) -> bool {
    let in_order = |mut line: &str| {
        words.split(" … ").all(|part| {
            let found = line.find(part);
            line = found.map_or("", |at| &line[at + part.len()..]);
            found.is_some()
        })
    };
    if words.contains(" … ") {
        return text.lines().any(in_order);
    }
    let unbroken = || text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.contains(words) || unbroken().contains(words)
}
