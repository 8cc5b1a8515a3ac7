//! The report: one page of a whole run, which goes on after it was stopped, and
//! two reports compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::{Outcome, Program, device, entries, program, scratch, scratch_folder};

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
        .args(&format!(
            "report --size 40 --runs 3 --lesson {lessons} --out"
        ))
        .arg(folder)
        .with_limits_of_its_own()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json(folder: &Path) -> Value {
    serde_json::from_str(&read(&folder.join("report.json"))).expect("report.json is JSON")
}

fn done(report: &Value) -> &Vec<Value> {
    report["done"].as_array().expect("a list")
}

fn records(done: &Value) -> &Vec<Value> {
    done["records"].as_array().expect("a list")
}

fn files_that_end(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut files = entries(folder);
    files.retain(|path| path.to_string_lossy().ends_with(end));
    files
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
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("never closed: {open:?}"))
    }
}

#[test]
fn the_test_for_a_page_itself_finds_what_is_not_closed() {
    assert!(open_elements("<p>one<br>two</p>").is_ok());
    for bad in [
        "<p>",
        "<p><b></p></b>",
        "<p class=\"x></p>",
        "<p>a</q>",
        "<p",
    ] {
        assert!(open_elements(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_page_holds_every_kernel_and_needs_no_other_file() {
    let folder = folder("report-page");
    let run = report(&folder, "5,8").run().ends_with(0);
    run.says(&["the slowest", "than that", "index.html"]);
    let page = read(&folder.join("index.html"));
    let words = page.replace("<wbr>", "");
    for record in done(&json(&folder)).iter().flat_map(records) {
        let name = record["kernel"].as_str().expect("a name");
        let name = name.trim_start_matches("host ");
        assert!(words.contains(name), "{name} is not on the page");
    }
    assert_eq!(open_elements(&page), Ok(()));
    for reference in [
        "http:", "https:", "src=", "@import", "url(", "<link", "<script",
    ] {
        assert!(
            !page.contains(reference),
            "the page refers to something: {reference}"
        );
    }
    // Every figure has a title and words for those who do not see it.
    let figures = files_that_end(&folder, ".svg");
    assert_eq!(figures.len(), 2, "a ladder and a roofline");
    assert_eq!(
        page.matches("<svg class=\"figure\" role=\"img\"").count(),
        2
    );
    for figure in figures {
        let name = figure.file_stem().expect("a name").to_string_lossy();
        for part in ["title", "alt"] {
            assert!(
                page.contains(&format!("id=\"{name}-{part}\"")),
                "{name} has no {part}"
            );
        }
        assert_eq!(open_elements(&read(&figure)), Ok(()));
        assert!(read(&figure).contains("prefers-color-scheme: dark"));
    }
}

#[test]
fn figures_of_other_sizes_go_and_a_learners_own_stay() {
    let folder = folder("report-figures");
    fs::create_dir_all(&folder).expect("a folder of ours");
    let own = folder.join("mine.svg");
    for path in [&own, &folder.join("ladder-0-999.svg")] {
        fs::write(path, "<svg/>").expect("a folder of ours");
    }
    report(&folder, "3").run().ends_with(0);
    let figures = files_that_end(&folder, ".svg");
    assert!(figures.contains(&own) && figures.len() == 3, "{figures:?}");
    // Written anew from elsewhere the page names that file, and the command what it wrote.
    let elsewhere = scratch_folder("report-from");
    let from = folder.join("report.json");
    let anew = |flags: &str, to: &Path| {
        let program = program("course").args("report").args(flags);
        program.arg("--from").arg(&from).arg("--out").arg(to)
    };
    let run = anew("", &elsewhere).run().ends_with(0);
    run.says(&["page: ", "beside it: ladder-0-40.svg, roofline-0-40.svg\n"]);
    assert_eq!(entries(&elsewhere).len(), 3);
    let page = read(&elsewhere.join("index.html"));
    assert!(page.contains("report-figures/report.json"), "{page}");
    // Where nothing opens a page, that is said, and the page is there.
    let again = anew("--open", &folder)
        .env("PATH", "/nowhere")
        .env("BROWSER", "");
    let again = again.run().ends_with(0).says(&["page: "]);
    assert!(again.stderr.contains("open it yourself"), "{again}");
}

#[test]
fn a_report_that_was_killed_goes_on_where_it_was() {
    let folder = folder("report-resume");
    let all = "3,5,8";
    let mut command = report(&folder, all).command();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let begin = Instant::now();
    // The page is what is written last after each part.
    let page = folder.join("index.html");
    while !page.is_file() {
        let patient = begin.elapsed() < Duration::from_secs(120);
        assert!(patient, "no part was ever done");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it has ended");
    let stopped = json(&folder);
    assert!(done(&stopped).len() < 3, "stopped in the middle");
    assert!(
        read(&page).contains("This run is not finished"),
        "the page says what is missing"
    );
    let going_on = report(&folder, all).run().ends_with(0);
    assert!(going_on.stderr.contains("going on: "), "{going_on}");
    let whole = json(&folder);
    assert_eq!(done(&whole).len(), 3);
    assert_eq!(
        done(&whole)[0],
        done(&stopped)[0],
        "what was done is not run again"
    );
    assert!(!read(&page).contains("not finished"));
}

#[test]
fn a_stopped_report_of_something_else_begins_anew_and_a_finished_one_is_kept() {
    let folder = folder("report-anew");
    report(&folder, "5").run().ends_with(0);
    let first = json(&folder);
    let mut stopped = first.clone();
    stopped["done"] = Value::Array(Vec::new());
    fs::write(folder.join("report.json"), stopped.to_string()).expect("it can be written");
    let other = report(&folder, "8").run().ends_with(0);
    assert!(other.stderr.contains("beginning anew"), "{other}");
    let again = report(&folder, "8").run().ends_with(0);
    assert!(again.stderr.contains("previous.json"), "{again}");
    assert!(folder.join("previous.json").is_file());
}

fn compare(flags: &str, a: &Path, b: &Path) -> Outcome {
    let compare = program("course")
        .args("report")
        .args(flags)
        .arg("--compare");
    compare.arg(a).arg(b).run()
}

/// The kernels of a comparison that have this verdict.
fn kernels(outcome: &Outcome, verdict: &str) -> Vec<String> {
    let lines = outcome.records();
    let of_it = lines.iter().filter(|line| line["verdict"] == verdict);
    let names = of_it.map(|line| line["kernel"].as_str().expect("a name").into());
    names.collect()
}

#[test]
fn a_report_equals_itself_and_a_doctored_kernel_is_named() {
    let folder = folder("report-compare");
    report(&folder, "5").run().ends_with(0);
    let file = folder.join("report.json");
    // The rule is stated.
    let told = compare("", &file, &file).ends_with(0);
    told.says(&["half-quartile distances", "at least", "same"]);
    let json_of = |a: &Path, b: &Path| compare("--json", a, b).ends_with(0);
    let same = json_of(&file, &file);
    for verdict in ["faster", "slower", "only_in_a", "only_in_b"] {
        assert_eq!(kernels(&same, verdict), [""; 0], "{same}");
    }
    assert!(!kernels(&same, "same").is_empty(), "{same}");

    let mut doctored = json(&folder);
    let record = &mut doctored["done"][0]["records"][0];
    let name = format!("5 {}", record["kernel"].as_str().expect("a name"));
    let rate = record["gflops"].as_f64().expect("a rate");
    record["gflops"] = (rate / 100.0).into();
    let copy = scratch("report-doctored.json", doctored.to_string());
    let slower = json_of(&file, &copy);
    assert_eq!(kernels(&slower, "slower").concat(), name, "{slower}");
    assert_eq!(kernels(&json_of(&copy, &file), "faster").concat(), name);

    doctored["done"][0]["records"][0]["kernel"] = "another".into();
    let copy = scratch("report-renamed.json", doctored.to_string());
    let renamed = json_of(&file, &copy);
    assert_eq!(kernels(&renamed, "only_in_b"), ["5 another"], "{renamed}");

    let none = scratch("report-of-none.json", OF_NONE);
    compare("", &none, &none).fails(2, &["report-of-none.json", "names no device"]);
}

/// A report that was begun.
const OF_NONE: &str = r#"{"begun":"","host":"","commit":null,"settings":{"lessons":[],"sizes":[],
    "runs":null,"peers":false,"kernels":0},"devices":[],"planned":[],"done":[]}"#;

#[test]
fn what_is_no_report_is_kept_and_made_way_for_only_when_asked() {
    let folder = scratch_folder("report-not-one");
    let file = folder.join("report.json");
    fs::write(&file, "{}").expect("writable");
    let report = || report(&folder, "5");
    report().run().fails(2, &["no report", "--fresh"]);
    assert_eq!(read(&file), "{}");
    report().args("--fresh").run().ends_with(0);
    assert_eq!(read(&folder.join("previous.json")), "{}");
    assert!(json(&folder)["done"].is_array());
}

#[test]
fn what_cannot_be_written_is_named_with_the_way_out() {
    let next = "next: the same command with --out DIR";
    let below_a_file = scratch("no-report", "a file").join("report");
    let run = report(&below_a_file, "5").run();
    run.fails(2, &["no-report/report", next]);
    let folder = folder("report-with-a-folder");
    fs::create_dir_all(folder.join("previous.json/in-the-way")).expect("can be written");
    fs::write(folder.join("report.json"), OF_NONE).expect("can be written");
    let run = report(&folder, "5").run();
    run.fails(2, &["previous.json", next]);
}
