//! Each exercise on the host's side fails for its own fault with the true sentence, and passes
//! once it is mended: under PoCL, and under Intel's runtime.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tests::{Program, device, entries, or_note, program, read, scratch_folder, workspace};

/// A folder of the learner's own, outside the clone.
struct Learner(PathBuf);

impl Learner {
    fn new(name: &str) -> Learner {
        let folder = format!("opencl-course-host-{name}-{}", std::process::id());
        let learner = Learner(std::env::temp_dir().join(folder));
        let started = learner.course("start").arg(&learner.0).run().ends_with(0);
        started.says(&["new files in", "which is yours"]);
        learner
    }

    fn course(&self, words: &str) -> Program {
        device();
        let course = program("course").args(words).env("HOME", &self.0);
        let course = course.env("OPENCL_COURSE_EXERCISES", &self.0);
        let home = std::env::var_os("CARGO_HOME").or_else(|| {
            let home = PathBuf::from(std::env::var_os("HOME")?);
            Some(home.join(".cargo").into())
        });
        let course = course.env("CARGO_HOME", home.unwrap_or_default());
        course.env("CARGO_TARGET_DIR", scratch_folder("host"))
    }

    fn file(&self, place: &str) -> PathBuf {
        self.0.join(format!("host/src/bin/{place}.rs"))
    }
}

impl Drop for Learner {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What PoCL, and Intel's runtime, are chosen by.
fn drivers() -> Vec<(&'static str, PathBuf)> {
    let pocl = PathBuf::from("/etc/OpenCL/vendors/pocl.icd");
    let intel = workspace().join(".opencl/intel/libintelocl.so");
    let pocl = or_note(pocl.is_file().then_some(pocl), "PoCL");
    let intel = or_note(intel.is_file().then_some(intel), "Intel's CPU runtime");
    let pocl = pocl.map(|path| ("OCL_ICD_VENDORS", path));
    pocl.into_iter().chain(intel.map(|path| ("OPENCL_DYLIB_PATH", path))).collect()
}

/// A place, and what is at fault: "detector | words".
fn is_faulty_and_can_be_mended(case: &str) {
    let mut parts = case.split(" | ");
    let [place, detector, says] = [(); 3].map(|()| parts.next().expect("three parts"));
    let learner = Learner::new(place);
    let number = place.split('-').next().unwrap_or(place);
    let number = number.trim_start_matches('0');
    let check = || {
        drivers().into_iter().map(|(variable, path)| {
            let course = learner.course("host --json").arg(number);
            let run = course.env(variable, path).run();
            (run.records().remove(0), run)
        })
    };
    for (seen, run) in check() {
        assert_eq!(run.status, Some(1), "{run}");
        let faults = seen["observations"].as_array().expect("a list").iter();
        let faults: Vec<&Value> = faults.filter(|one| one["outcome"] == "fault").collect();
        assert_eq!(faults.len(), 1, "{seen}");
        assert_eq!(faults[0]["detector"], detector, "{seen}");
        assert!(faults[0]["says"].as_str().expect("words").contains(says), "{seen}");
    }
    let solution = workspace().join(format!("exercises/host/{place}/solution.rs"));
    fs::copy(solution, learner.file(place)).expect("it can be written");
    for (seen, run) in check() {
        assert!(run.status == Some(0) && seen["solved"] == true, "{run}");
    }
}

each! { is_faulty_and_can_be_mended on a day of 3:
    rounded_up "01-rounded-up | result | WRONG: element 99968 of 100003"
    read_too_early "02-read-too-early | calls | queue 1: " // what is told first is for chance: it may crash
    no_times "03-no-times | result | OpenCL answers -7, CL_PROFILING_INFO_NOT_AVAILABLE"
    wrong_type "04-wrong-type | result | WRONG: element 1 of 100003 is 0.00000000"
    kept_arguments "05-kept-arguments | result | is 1, and should be 1024; it ended with 1"
    overwritten "06-overwritten | result | is 6, and should be 3; it ended with 1"
    blocking_writes "07-blocking-writes | calls | Writes that the host waited for: queue 1: writes"
    same_bytes "08-same-bytes | calls | buffer 1: it holds these very bytes already"
    two_queues "09-two-queues | calls | Commands that nothing keeps in order: queue 1: reads"
    leak "10-leak | calls | Never released: 10 buffers of 3.8 MiB"
    unread_log "11-unread-log | calls | CL_BUILD_PROGRAM_FAILURE (-11)"
    a_wait_too_many "13-a-wait-too-many | calls | clFinish is made 24 times; at most 1"
    equal_shares "14-equal-shares | result | WRONG: both take 500 us, and could take 250 us"
    another_device "12-another-device | asked for a device | runs on another device"
}

#[test]
fn all_host_exercises_are_tested_and_listed() {
    let learner = Learner::new("list");
    let places = entries(&workspace().join("exercises/host"));
    let tested = include_str!("host.rs");
    for place in places.iter().filter(|path| path.is_dir()) {
        let name = place.file_name().expect("a name").to_string_lossy();
        assert!(tested.contains(&format!("\"{name} | ")), "{name} is not tested");
        let start = read(place.join("start.rs"));
        assert_ne!(start, read(place.join("solution.rs")));
        assert_eq!(start, read(learner.file(&name)));
    }
    let tally = format!("0 of {}", places.iter().filter(|path| path.is_dir()).count());
    let map = learner.course("").run().ends_with(0);
    map.says(&["exercises, problems, programs"]);
    let elsewhere = learner.course("host 3 --device 0").run();
    elsewhere.fails(2, &["--device cannot", "OCL_ICD_VENDORS"]);
    let list = learner.course("host --list").run().ends_with(0);
    list.says(&["h1    The last elements", "h12   The device that is asked for", &tally]);
}

#[test]
fn a_host_exercise_has_hints_a_solution_and_a_reset() {
    let learner = Learner::new("help");
    let host = |words: &str| {
        let course = learner.course(&format!("host {words}"));
        // Another test builds a program of the same name.
        let course = course.env("CARGO_TARGET_DIR", scratch_folder("host-help"));
        course.run()
    };
    let write = |text: &str| fs::write(learner.file("03-no-times"), text).expect("it is ours");
    host("no-times --hint").ends_with(0).says(&["Hint 1", "Look the code up"]);
    host("3 --solution").ends_with(0).says(&["CL_QUEUE_PROFILING_ENABLE)?;", "Noting times"]);
    host("h3 --diff").ends_with(0).says(&["- ", "+ ", "CL_QUEUE_PROFILING_ENABLE)?;"]);
    host("15").fails(2, &["there is no program 15"]);
    write("fn main() { nothing }");
    host("3").ends_with(4).says(&["does not build", "cannot find value `nothing`"]);
    // One that hangs, and prints what a terminal would obey.
    write(
        "fn main() { let _ = opencl3::platform::get_platforms(); \
         println!(\"\\x1b[31mstuck\"); loop { std::thread::yield_now() } }",
    );
    let hangs = host("3 --json --timeout 1").ends_with(1);
    assert!(!hangs.stdout.contains("[31m"), "{hangs}");
    hangs.says(&["stuck; it made no call for 1 s, and was ended in no call of OpenCL"]);
    write("fn main() {}");
    host("3").ends_with(3).says(&["no OpenCL call was seen"]);
    host("3 --reset").ends_with(0).says(&["is as it came", "03-no-times.old.rs"]);
}
