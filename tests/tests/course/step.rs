//! `--step` and `--present`: what is told, every key, how wide, and the terminal
//! as a whole. On a pty, as a person sees it.

mod keys;
mod stage;

use tests::{Program, Terminal, key, lesson};

/// Two kernels that differ in three lines, small and soon timed.
fn two_kernels(flag: &str) -> Program {
    lesson(5)
        .args("--size 64 --runs 1 --only matmul_global_sum --only matmul_private_sum")
        .with_limits_of_its_own()
        .args(flag)
}

/// The same on a terminal, at the first key.
fn stepping() -> Terminal {
    let mut terminal = two_kernels("--step").on_terminal(80, 24);
    terminal.waits_for("q quit");
    terminal
}

/// Keys that a script names; others are typed as they stand there.
const NAMED: [(&str, &str); 12] = [
    ("Enter", key::ENTER),
    ("Esc", key::ESCAPE),
    ("Space", " "),
    ("Up", key::UP),
    ("Down", key::DOWN),
    ("Left", key::LEFT),
    ("Right", key::RIGHT),
    ("PgUp", key::PAGE_UP),
    ("PgDn", key::PAGE_DOWN),
    ("Home", "\x1b[H"),
    ("End", "\x1b[F"),
    ("Backspace", key::BACKSPACE),
];

/// Plays a script: in each line a key, and what comes after it; behind an exclamation mark what
/// is not on the screen. Instead of a key `to TEXT` goes on until this is on the screen,
/// `question` to the next kernel's question, `skip` answers it with nothing, `size` changes
/// that of the terminal, and `ends` says with which status the lesson ends.
#[track_caller]
fn play(terminal: &mut Terminal, script: &str) {
    for line in script
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let mut parts = line.split(" | ");
        let key = parts.next().expect("a key");
        match key.split_once(' ') {
            Some(("to", text)) => forward_to(terminal, text),
            Some(("ends", status)) => {
                terminal.ends_with(status.parse().expect("a status"));
                assert!(terminal.is_in_order(), "{script}");
            }
            Some(("size", size)) => {
                let (columns, rows) = size.split_once('x').expect("two sides");
                let side = |side: &str| side.parse().expect("a number");
                terminal.resize(side(columns), side(rows));
            }
            _ if key == "question" => to_question(terminal),
            _ if key == "skip" => skip_question(terminal),
            _ => {
                let named = NAMED.iter().find(|(name, _)| *name == key);
                let typed = named.map_or(key, |(_, typed)| typed);
                terminal.reads_keys().press(typed);
            }
        }
        for text in parts {
            match text.strip_prefix('!') {
                Some(text) => assert!(!terminal.screen().contains(text), "{line}"),
                None => drop(terminal.waits_for(text)),
            }
        }
    }
}

/// Goes on until this is on the screen, and the keys below it.
#[track_caller]
fn forward_to(terminal: &mut Terminal, text: &str) {
    for _ in 0..40 {
        terminal.reads_keys().press(key::ENTER);
        terminal.waits_until("keys", |since, _| since.contains("q quit"));
        if terminal.screen().contains(text) {
            return;
        }
    }
    panic!("never came to {text}\n{}", terminal.transcript());
}

/// Lets the lesson run to the next kernel's question.
#[track_caller]
fn to_question(terminal: &mut Terminal) {
    while !terminal.screen().contains("alone: skip") {
        terminal.reads_keys().press("n");
        terminal.waits_until("keys", |since, _| since.contains("q quit"));
    }
}

/// Answers it with nothing, and waits for the result.
#[track_caller]
fn skip_question(terminal: &mut Terminal) {
    terminal.reads_keys().press(key::ENTER);
    terminal.waits_for("the result ✓").waits_for("q quit");
}

/// No row was too long for it, and it is left as it was found.
fn must_be_tidy(terminal: &mut Terminal) {
    assert_eq!(terminal.broken_rows(), [""; 0]);
    assert!(terminal.is_in_order());
}
