//! Each key that a screen or a page names is pressed, and does something.

use tests::{Terminal, key};

/// The keys of `--step`, in an order in which they can be pressed, and what is on the screen then:
/// one of these, or, behind a "!", no longer this. A size is the terminal's from then on.
pub const STEP: &[(&str, &str)] = &[
    ("w", "One machine may have"),
    ("Esc", "── choosing a device"),
    ("Enter", "── measuring the limits"),
    ("b", "── choosing a device"),
    ("Right", "── measuring the limits"),
    ("Left", "── choosing a device"),
    ("Space", "── measuring the limits"),
    ("b", "── choosing a device"),
    ("Esc", "── measuring the limits"),
    ("n", "── kernel matmul_global_sum"),
    ("n", "What share of the device's limit"),
    ("5", "> 5"),
    ("Backspace", "!> 5"),
    ("5", "> 5"),
    ("Enter", "predicted 5.0 %, measured"),
    ("k", "nothing to compare it with"),
    ("80x12", "lines 1 to"),
    ("Down", "lines 2 to"),
    ("Up", "lines 1 to"),
    ("PageDown", "!lines 1 to"),
    ("PageUp", "lines 1 to"),
    ("End", "!lines 1 to"),
    ("Home", "lines 1 to"),
    ("Esc", "predicted 5.0 %, measured"),
];

/// The same of the screen of `--watch`, at exercise 1.2.
pub const WATCH: &[(&str, &str)] = &[
    ("h", "Hint 1"),
    ("Esc", "What the checks see"),
    ("s", "You have not changed your file yet"),
    ("?", "$VISUAL or $EDITOR"),
    ("d", "- yours   + our solution"),
    ("?", "$VISUAL or $EDITOR"),
    // Or what is missing on this machine.
    ("t", "in the simulator|error: no usable|next: "),
    ("?", "$VISUAL or $EDITOR"),
    ("a", " instructions|error: no usable|next: "),
    ("?", "$VISUAL or $EDITOR"),
    ("o", "Lesson 1: device discovery"),
    ("Down", "lines 2 to"),
    ("Up", "lines 1 to"),
    ("PageDown", "!lines 1 to"),
    ("PageUp", "lines 1 to"),
    ("End", "!lines 1 to"),
    ("Home", "lines 1 to"),
    ("r", "What the checks see"),
    ("e", "cannot be launched"),
    ("s", "out[row * columns + column]"),
    // What is looked at next must not be gone when this check ends.
    ("x", "elements are wrong"),
    ("l", "1.2   Rows and columns"),
    ("Enter", "What the checks see"),
    ("n", "Exercise 1.3"),
];

/// Presses these keys, and looks that the screens on the way name no others.
#[track_caller]
pub fn press_all(terminal: &mut Terminal, keys: &[(&str, &str)]) {
    for (name, comes) in keys {
        let before = terminal.screen();
        for named in named_on(&before) {
            let is_pressed = named == "q" || keys.iter().any(|(key, _)| *key == named);
            assert!(is_pressed, "no test presses {named}\n{before}");
        }
        let is_there = |screen: &str| match comes.strip_prefix('!') {
            Some(gone) => !screen.contains(gone),
            None => comes.split('|').any(|words| screen.contains(words)),
        };
        assert!(!is_there(&before), "{comes:?} before {name}\n{before}");
        let size = name.split_once('x').map(|(columns, rows)| (columns.parse(), rows.parse()));
        match size {
            Some((Ok(columns), Ok(rows))) => terminal.resize(columns, rows),
            _ => terminal.reads_keys().press(key::of(name)),
        };
        terminal.waits_until(&format!("{comes:?} after {name}"), |_, screen| {
            let last = screen.lines().last().unwrap_or_default();
            let is_whole = ["quit", "back"].iter().any(|end| last.ends_with(end));
            is_whole && is_there(screen)
        });
    }
}

/// The keys that a screen names: in its last row, and where `?` shows all, above it.
fn named_on(screen: &str) -> Vec<&str> {
    let tells_all = screen.contains("Each save is checked.");
    let all = screen.lines().filter(|row| tells_all && row.starts_with("  "));
    let labels = all.chain(screen.lines().last()).flat_map(|row| row.trim_start().split("  "));
    let is_key = |word: &&str| word.chars().count() == 1 || key::of(word) != *word;
    labels.flat_map(|label| label.split(' ').take_while(is_key)).collect()
}
