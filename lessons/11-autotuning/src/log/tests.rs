use std::path::PathBuf;

use super::*;
use crate::space::tests::{one, point_of};

fn point(rows: usize) -> Point {
    let text = format!(
        "matmul_tunable_private LANES=4 VECTORS=1 ROWS={rows} GROUP_X=1 GROUP_Y=1 UNROLL=1"
    );
    point_of(&text)
}

/// One that came out right, with this rate.
pub fn trial(point: Point, gflops: f64) -> Trial {
    Trial { point, seconds: 0.5, outcome: Outcome::RIGHT, runs: 5, gflops: Some(gflops) }
}

pub fn wrong() -> Outcome {
    Outcome::Wrong("all".into())
}

/// A log's file, in a folder for temporary files of its own, which goes away with it.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str) -> TestFile {
        let folder = format!("opencl-course-{name}-log-{}", std::process::id());
        TestFile(std::env::temp_dir().join(folder).join("log.jsonl"))
    }

    fn open(&self) -> Log {
        let log = Log::at(&self.0, false);
        log.expect("a temporary folder can be written")
    }

    fn read(&self) -> Vec<u8> {
        fs::read(&self.0).expect("is there")
    }

    fn write(&self, bytes: impl AsRef<[u8]>) {
        fs::write(&self.0, bytes).expect("written");
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let folder = self.0.parent().expect("it lies in one");
        // A test that fails shows why, not this.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Notes that a candidate was right, with this rate.
fn note(log: &mut Log, rows: usize, gflops: f64) {
    log.add(trial(point(rows), gflops)).expect("written");
}

#[test]
fn what_was_found_is_there_the_next_time_until_it_is_reset() {
    let file = TestFile::new("again");
    let mut log = file.open();
    note(&mut log, 4, 7.0);
    note(&mut log, 8, 9.0);
    let outcome = wrong();
    let fast = trial(point(2), 99.0);
    log.add(Trial { outcome, ..fast }).expect("written");
    let again = file.open();
    assert_eq!(again.trials, log.trials);
    let ranking = ranking(&again.trials).into_iter();
    let rates: Vec<f64> = ranking.map(|one| one.1).collect();
    assert_eq!((rates, seconds(&again.trials)), (vec![9.0, 7.0], 1.5));
    assert_eq!(Log::at(&file.0, true).expect("opened").trials, []);
    assert_eq!(file.open().trials, []);
}

#[test]
fn a_damaged_file_loses_only_what_is_damaged() {
    let file = TestFile::new("damaged");
    let mut log = file.open();
    note(&mut log, 4, 7.0);
    note(&mut log, 8, 9.0);
    let whole = file.read();
    for cut in 0..whole.len() {
        file.write(&whole[..cut]);
        note(&mut file.open(), 6, 1.0);
        let last = file.open().trials.pop().map(|trial| trial.point);
        assert_eq!(last, Some(point(6)), "cut at {cut}");
    }
    let noise = [b"\xff\xfe{\n\0\n[]\n{\"ended\":{}}\n".as_slice(), &whole].concat();
    file.write(noise);
    let again = file.open();
    assert_eq!((again.trials, again.bad), (log.trials, 4));
}

#[test]
fn figures_that_nobody_measured_are_passed_over() {
    let file = TestFile::new("impossible");
    let mut log = file.open();
    note(&mut log, 4, 7.0);
    let line = String::from_utf8(file.read()).expect("is text");
    let with = |old: &str, new: &str| line.replace(old, new);
    let lines = [
        with("0.5", "-19.0"),
        with("0.5", "1e308"),
        with("7.0", "-7.0"),
        with("7.0", "0.0"),
        with("7.0", "1e300"),
        with("[\"ROWS\",4]", "[\"ROWS\",0]"),
    ];
    assert!(lines.iter().all(|other| *other != line));
    file.write(line + &lines.concat());
    assert_eq!(file.open().trials, log.trials);
}

#[test]
fn a_damaged_log_is_searched_with() {
    let file = TestFile::new("fuzzed");
    let mut log = file.open();
    note(&mut log, 4, 7.0);
    let outcome = wrong();
    let fast = trial(point(8), 9.0);
    log.add(Trial { outcome, ..fast }).expect("written");
    let whole = file.read();
    damage::must_be_survived(&whole, move |bytes| {
        file.write(bytes);
        let trials = file.open().trials;
        assert!(seconds(&trials) >= 0.0 && seconds(&trials).is_finite());
        for (trial, _) in ranking(&trials) {
            let task = trial.point.task("", &one());
            assert!(task.is_ok_and(|task| task.plan().is_ok()));
        }
    });
}

#[test]
fn a_cell_shows_the_best_of_its_shape_and_nothing_that_was_wrong() {
    let mut trials = Vec::new();
    for (group, rows, gflops) in [(1, 2, 10.0), (2, 2, 40.0), (1, 4, 12.0), (1, 8, 99.0)] {
        let text = format!(
            "matmul_tunable_private LANES=4 VECTORS=1 ROWS={rows} GROUP_X=1 GROUP_Y={group} UNROLL=1"
        );
        trials.push(trial(point_of(&text), gflops));
    }
    trials[3].outcome = wrong();
    let map = landscape(&trials, "matmul_tunable_private").expect("two shapes");
    assert!(map.ends_with("        4\n  2  40.0█\n  4  12.0░"), "{map}");
}
