//! `--watch` with a person at the keyboard: a screen for each exercise and broken kernel.

use tests::{Terminal, key};

use super::*;
use crate::keys::{WATCH, press_all};

/// A learner before this screen, who waits for no time to be measured.
fn before(learner: &Learner, words: &str) -> Terminal {
    learner.types(words).on_terminal(80, 24)
}

#[track_caller]
fn must_be_left_in_order(terminal: &mut Terminal) {
    terminal.press("q").ends_with(0);
    assert!(terminal.is_in_order(), "{}", terminal.screen());
    let raw = terminal.raw();
    // The ordinary screen is back.
    let last = |code: &str| raw.rfind(code);
    assert!(last("\x1b[?1049l") > last("\x1b[?1049h"), "{raw:?}");
}

/// Five checks, one after the other, take six seconds; the editor's save is one of them.
#[test]
fn each_key_does_what_the_screen_says() {
    let learner = Learner::started("front-keys");
    let program = learner.types("exercise 1.2 --watch");
    let program = program.env("VISUAL", "echo 'kernel void x() {}' >");
    let mut terminal = program.on_terminal(80, 24);
    terminal.sees("not solved yet");
    press_all(&mut terminal, WATCH);
    must_be_left_in_order(&mut terminal);
}

/// However small and however large: what fits is shown, and no mark of Markdown.
#[test]
fn the_screen_fits_each_terminal() {
    let learner = Learner::started("front-sizes");
    let mut terminal = before(&learner, "exercise 1.2 --watch");
    terminal.sees("not solved yet").press("o").sees("Lesson 1: device");
    assert!(!terminal.screen().contains("# Lesson"));
    terminal.resize(9, 3).sees("0 of").resize(80, 24);
    terminal.tells_size(u16::MAX, u16::MAX).press(key::ESCAPE);
    terminal.draws("What the checks see");
    must_be_left_in_order(&mut terminal);
}

/// Who looks for keys where nobody can press any does so for ever.
#[test]
fn it_ends_with_its_terminal() {
    let learner = Learner::started("front-closed");
    let mut terminal = before(&learner, "exercise 1.2 --watch");
    terminal.sees("q quit");
    terminal.closes();
}

/// The check of an endless kernel would run for ten minutes more than a test waits.
#[test]
fn a_save_ends_the_check_of_a_kernel_that_does_not_end() {
    if Oclgrind::find().is_none() {
        return;
    }
    let learner = Learner::started("front-endless");
    let exercise = numbered("1.1");
    let endless = solution(&exercise).replace(GAP_ENDS, &format!("for (;;) ;\n{GAP_ENDS}"));
    learner.writes(&exercise, &endless);
    let mut terminal = before(&learner, "exercise 1.1 --watch --timeout 720");
    let is_running =
        |_: &str, screen: &str| screen.contains("checking, ") && !screen.contains("checking, 0 s");
    terminal.sees("a launch ends after 720 s").waits_until("check of a second", is_running);
    learner.writes(&exercise, &solution(&exercise));
    terminal.sees("✓ solved; n: next").sees(&solved(1));
    // The text does not fit: it scrolls, and follows the size of the terminal.
    terminal.sees("lines 1 to 21 of ").press(key::of("End"));
    terminal.sees("Next, Rows and columns");
    terminal.resize(60, 16).sees("lines ");
    // At once: what was drawn before has each of these, too.
    terminal.resize(120, 40).waits_until("all on one page", |_, screen| {
        let has = |text| screen.contains(text);
        has("✓ Oclgrind") && has("Next, Rows and columns") && !has("lines ")
    });
    // Who changes another file works on that one.
    let other = numbered("1.3");
    learner.writes(&other, "kernel void x() {}\n");
    terminal.sees("Exercise 1.3").sees("not solved yet");
    terminal.press(key::CTRL_C).ends_with(0);
    assert!(terminal.is_in_order());
}

/// Of all, whatever kind is checked.
#[test]
fn the_list_is_that_of_the_command() {
    let learner = Learner::started("front-list");
    fs::write(learner.0.join("progress.txt"), "1.2 solved\nd7 solved\n").expect("writable");
    let mut terminal = before(&learner, "diagnose --watch");
    terminal.sees("Broken kernel d1:").sees("✗ not solved yet");
    terminal.press("d").sees("--solution   shows the mended");
    terminal.sees(&solved(2)).press("l").sees("✓ 1.2   Rows and columns");
    must_be_left_in_order(&mut terminal);
}
