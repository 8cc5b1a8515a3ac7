//! The report: one page of a whole run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::{Program, device, entries, program, read, scratch, scratch_folder};

/// A folder without an older test's report.
fn folder(name: &str) -> PathBuf {
    let folder = scratch_folder(name);
    fs::remove_dir_all(&folder).expect("a folder of ours");
    folder
}

/// A report of small products into this folder.
fn report(folder: &Path, lessons: &str) -> Program {
    device();
    program("course")
        .args(&format!("report --size 40 --runs 3 --lesson {lessons} --out"))
        .arg(folder)
        .with_limits_of_its_own()
}

fn json(folder: &Path) -> Value {
    serde_json::from_str(&read(folder.join("report.json"))).expect("report.json is JSON")
}

fn done(report: &Value) -> &Vec<Value> {
    report["done"].as_array().expect("a list")
}

fn records(done: &Value) -> &Vec<Value> {
    done["records"].as_array().expect("a list")
}

/// Every element closed, in the right order: what stands open at the end of a
/// tag that closes another, if anything does.
fn open_elements(page: &str) -> Result<(), String> {
    const VOID: [&str; 4] = ["meta", "br", "wbr", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(1) {
        let Some((inside, _)) = tag.split_once('>') else {
            return Err(format!("a tag without an end: <{tag}"));
        };
        if let Some(name) = inside.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => {}
                last => return Err(format!("</{name}> closes {last:?}")),
            }
            continue;
        }
        let name = inside.split_whitespace().next().unwrap_or("");
        if inside.matches('"').count() % 2 != 0 {
            return Err(format!("an attribute without its quote: <{inside}>"));
        }
        if !VOID.contains(&name) {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("never closed: {open:?}")) }
}

#[test]
fn the_test_for_a_page_itself_finds_what_is_not_closed() {
    assert!(open_elements("<p>one<br>two</p>").is_ok());
    for bad in ["<p>", "<p><b></p></b>", "<p class=\"x></p>", "<p>a</q>", "<p"] {
        assert!(open_elements(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_page_holds_every_kernel_and_needs_no_other_file() {
    let folder = folder("report-page");
    let run = report(&folder, "5,8").run().ends_with(0);
    run.says(&["From ", "of what the device can.", "index.html"]);
    let page = read(folder.join("index.html"));
    let words = page.replace("<wbr>", "");
    let json = json(&folder);
    let records = done(&json).iter().flat_map(records);
    for record in records.filter(|one| one["platform"] != "host") {
        let name = record["kernel"].as_str().expect("a name");
        assert!(words.contains(name), "{name} is not on the page");
    }
    assert_eq!(open_elements(&page), Ok(()));
    for reference in ["http:", "https:", "src=", "@import", "url(", "<link", "<script"] {
        assert!(!page.contains(reference), "the page refers to something: {reference}");
    }
    // A roofline with a title and words for those who do not see it, and a bar for each rate.
    assert_eq!(page.matches("<svg class=\"figure\" role=\"img\"").count(), 1);
    for part in ["title", "alt"] {
        let named = format!("id=\"roofline-0-40-{part}\"");
        assert!(page.contains(&named), "no {named}");
    }
    assert!(page.matches("style=\"--long:").count() > 10);
    assert!(page.contains("prefers-color-scheme: dark"));
    assert_eq!(entries(&folder).len(), 2, "the page and report.json");
}

#[test]
fn a_report_that_is_ended_leaves_a_page_of_what_was_done() {
    let folder = folder("report-ended");
    let mut command = report(&folder, "3,5,8").command();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let begin = Instant::now();
    // It is written last after each part.
    let file = folder.join("report.json");
    while !file.is_file() {
        let patient = begin.elapsed() < Duration::from_secs(120);
        assert!(patient, "no part was ever done");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it has ended");
    let page = read(folder.join("index.html"));
    assert!(page.contains("Not finished"), "{page}");
    report(&folder, "5").run().ends_with(0).says(&["page: "]);
    assert!(!read(folder.join("index.html")).contains("Not finished"));
}

#[test]
fn what_cannot_be_written_is_named_with_the_way_out() {
    let below_a_file = scratch("no-report", "a file").join("report");
    let run = report(&below_a_file, "5").run();
    run.fails(2, &["no-report/report", "next: the same command with --out DIR"]);
}
