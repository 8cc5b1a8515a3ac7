//! `course record --share` writes what may be shared and no more, and `cargo makers receive`
//! refuses what cannot be.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tests::{device, entries, program, scratch, scratch_folder, workspace};

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
    is_taken_in(shared);
    let other = program("course").args("record --share --lesson 11").run();
    other.fails(2, &["only lessons 3 to 10"]);
}

/// Into a copy of the course, whose atlas has the device's name then.
fn is_taken_in(mut shared: Value) {
    let copy = scratch_folder("received");
    let limit = shared["limits"][0].clone();
    shared["limits"] = vec![limit; 3].into();
    let kernels = shared["kernels"].as_array_mut().expect("kernels");
    for one in kernels {
        // The rounds of so small a product differ.
        let seconds = one["seconds"][0].clone();
        one["seconds"] = vec![seconds; 3].into();
    }
    shared["device"]["name"] = "Abacus 7".into();
    shared["device"]["platform"] = "Beads".into();
    let [docs, data] = ["docs", "data"].map(|name| copy.join(name));
    for folder in [&docs, &data] {
        fs::create_dir_all(folder).expect("a folder of ours");
    }
    let page = docs.join("devices.md");
    fs::copy(workspace().join("docs/devices.md"), &page).expect("it can be copied");
    let link = |from: PathBuf, to: PathBuf| {
        if !to.exists() {
            std::os::unix::fs::symlink(from, to).expect("a link");
        }
    };
    for name in ["kernels", "lessons"] {
        link(workspace().join(name), copy.join(name));
    }
    for run in entries(&workspace().join("data")) {
        let name = run.file_name().expect("a name").to_owned();
        if name != "devices" {
            link(run, data.join(name));
        }
    }
    let file = scratch("taken-in.json", shared.to_string());
    let mut receive = program("makers").args("receive").arg(file).command();
    let received = receive.current_dir(&copy).output().expect("it starts");
    assert!(received.status.success(), "{received:?}");
    let kept = data.join("devices/abacus-7-beads-32x32x32.json");
    let kept: Value = serde_json::from_slice(&fs::read(kept).expect("it is kept")).expect("JSON");
    assert_eq!(kept, shared);
    let page = fs::read_to_string(page).expect("it is there");
    assert!(
        page.contains("| Abacus 7 |") && page.contains("- Abacus 7: Beads"),
        "{page}"
    );
}
