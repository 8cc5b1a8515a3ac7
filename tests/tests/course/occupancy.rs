//! `course occupancy`: how many groups a unit of a GPU holds at once.

use serde_json::Value;
use tests::{Program, pocl, program, workspace};

fn occupancy(words: &str) -> Program {
    program("course").arg("occupancy").args(words)
}

#[test]
fn by_hand_it_needs_no_device() {
    let words = "--model h200 --group 256 --registers 64 --local 8192";
    let run = occupancy(&format!("{words} --json")).run().ends_with(0);
    let told: Value = serde_json::from_str(&run.stdout).expect("one object");
    assert_eq!(told["groups"], 4, "{run}");
    assert_eq!(told["binding"], serde_json::json!(["registers"]), "{run}");
    assert_eq!(told["occupancy"], 0.5, "{run}");
    occupancy(words).run().ends_with(0).says(&[
        "4 groups of 256 items at once: 1024 of 2048 items, 50 %",
        "what binds: registers",
        "one register more",
    ]);
}

/// By hand it says the same everywhere, so the page must show it to the letter.
#[test]
fn the_page_shows_what_its_command_prints() {
    let page = workspace().join("docs/looking-inside.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (_, shown) = page
        .split_once("$ cargo run -p course -- ")
        .expect("an output");
    let (shown, _) = shown.split_once("```").expect("its end");
    let (words, output) = shown.split_once('\n').expect("a command, then its output");
    let run = program("course").args(words).run().ends_with(0);
    assert_eq!(run.stdout, output, "{run}");
}

#[test]
fn what_the_driver_does_not_tell_is_not_made_up() {
    let Some(pocl) = pocl() else { return };
    let run = occupancy(&format!("matmul_tiled 16x16 {pocl} --model 9.0")).run();
    run.ends_with(0).says(&[
        "groups of 256, 2048 bytes of local memory",
        "not known",
        "up to 32 registers",
    ]);
    let run = occupancy(&format!("matmul_naive {pocl}")).run();
    run.ends_with(0).says(&["unknown", "--model h200"]);
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    occupancy("")
        .run()
        .fails(2, &["name a kernel", "--registers"]);
    occupancy("--model gfx90a --group 64 --registers 64")
        .run()
        .fails(2, &["no table of a GPU called gfx90a", "h200"]);
    occupancy("matmul_niave --model h200")
        .run()
        .fails(2, &["did you mean matmul_naive?"]);
}
