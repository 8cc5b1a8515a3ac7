//! `course record --share` writes what may be shared and no more, and `cargo makers receive`
//! refuses what cannot be.

use std::fs;
use std::process::Command;

use serde_json::Value;
use tests::{device, program, scratch, scratch_folder, workspace};

#[test]
fn a_shared_recording_names_neither_person_nor_folder() {
    device();
    let folder = scratch_folder("shared");
    let run = program("course")
        .args("record --share --lesson 8 --size 32 --out")
        .arg(&folder);
    run.on_the_chosen_driver()
        .run()
        .ends_with(0)
        .says(&["Nothing is sent", "opens an issue"]);
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("it was written");
    let (text, issue) = (read("shared.json"), read("issue.md"));
    let told = |command: &str| {
        let output = Command::new(command).output().map(|output| output.stdout);
        String::from_utf8(output.unwrap_or_default())
            .expect("a name")
            .trim()
            .to_string()
    };
    let home = std::env::var("HOME").unwrap_or_default();
    let own = [home, told("hostname"), workspace().display().to_string()];
    for word in own.iter().filter(|word| word.len() > 3) {
        assert!(
            !text.contains(word) && !issue.contains(word),
            "{word}: {text}\n{issue}"
        );
    }
    let shared: Value = serde_json::from_str(&text).expect("JSON");
    let kernels = shared["kernels"].as_array().expect("kernels");
    assert!(
        kernels.len() >= 2 && kernels[0]["seconds"].as_array().map(Vec::len) == Some(3),
        "{text}"
    );
    assert!(
        text.len() < 20_000 && issue.contains("multiply-adds"),
        "{issue}"
    );
    for (changed, says) in [
        (
            text.replace("\"format\":1", "\"format\":2"),
            "format 2, not 1",
        ),
        (
            text.replace("\"elements_compared\":1024", "\"elements_compared\":1"),
            "not every element",
        ),
        (
            text.replace("\"host\"", "\"user\":\"x\",\"host\""),
            "no shared recording",
        ),
        ("{".repeat(9999), "no shared recording"),
    ] {
        let file = scratch("received.json", changed);
        program("makers")
            .args("receive")
            .arg(file)
            .run()
            .fails(2, &[says]);
    }
    program("makers")
        .args("receive /nowhere")
        .run()
        .fails(2, &["/nowhere"]);
    let other = program("course").args("record --share --lesson 11").run();
    other.fails(2, &["only lessons 3 to 10"]);
}
