use std::path::PathBuf;

use super::*;
use crate::space::tests::point_of;

const SHAPE: Shape = Shape::cube(64);

fn point(rows: usize) -> Point {
    let text = format!(
        "matmul_tunable_private LANES=4 VECTORS=1 ROWS={rows} GROUP_X=1 GROUP_Y=1 UNROLL=1"
    );
    point_of(&text)
}

pub fn right(gflops: f64) -> Outcome {
    let (runs, care) = (5, false);
    Outcome::Right { gflops, runs, care }
}

pub fn trial(point: Point, outcome: Outcome) -> Trial {
    Trial {
        shape: SHAPE,
        point,
        seconds: 1.0,
        outcome,
    }
}

/// A log's file, in a folder for temporary files of its own, which goes away with it.
struct TestFile(PathBuf);

impl TestFile {
    fn new(name: &str) -> TestFile {
        let folder = format!("opencl-course-{name}-log-{}", std::process::id());
        TestFile(std::env::temp_dir().join(folder).join("log.jsonl"))
    }

    fn open(&self) -> Log {
        Log::at(&self.0).expect("a temporary folder can be written")
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

/// Notes that a candidate ended like this.
fn ended(log: &mut Log, shape: Shape, rows: usize, seconds: f64, outcome: Outcome) {
    let ended = Trial {
        shape,
        seconds,
        ..trial(point(rows), outcome)
    };
    log.add(ended).expect("written");
}

/// Notes a careful measurement.
fn remeasured(log: &mut Log, rows: usize, gflops: f64) {
    log.remeasured(SHAPE, &point(rows), gflops)
        .expect("written");
}

fn tried(known: &Known, rows: usize) -> bool {
    known.0.iter().any(|tried| tried.point == point(rows))
}

#[test]
fn what_was_found_is_there_the_next_time() {
    let file = TestFile::new("again");
    let mut log = file.open();
    ended(&mut log, SHAPE, 4, 0.5, right(7.0));
    ended(&mut log, SHAPE, 8, 0.25, Outcome::Wrong("all".into()));
    let known = file.open().known(SHAPE);
    assert_eq!(known.best(), Some((&point(4), 7.0)));
    assert_eq!((known.0.len(), known.seconds()), (2, 0.75));
    assert_eq!(file.open().known(Shape::cube(65)).0.len(), 0);
}

#[test]
fn a_careful_measurement_has_the_last_word() {
    let file = TestFile::new("careful");
    let mut log = file.open();
    ended(&mut log, SHAPE, 4, 0.5, right(9.0));
    ended(&mut log, SHAPE, 8, 0.5, right(8.0));
    remeasured(&mut log, 4, 5.0);
    remeasured(&mut log, 8, 6.0);
    assert_eq!(log.known(SHAPE).best(), Some((&point(8), 6.0)));
}

#[test]
fn reset_forgets_one_problem_and_what_cannot_be_read() {
    let file = TestFile::new("reset");
    let other = Shape::cube(9);
    let mut log = file.open();
    ended(&mut log, SHAPE, 4, 0.5, right(9.0));
    ended(&mut log, other, 4, 0.5, right(3.0));
    file.write([file.read(), b"\n{".into()].concat());
    let mut log = file.open();
    assert_eq!(log.bad_lines, 1);
    log.reset(SHAPE).expect("written");
    for log in [log, file.open()] {
        assert_eq!(log.bests(), [(other, point(4))]);
        assert_eq!(log.bad_lines, 0);
    }
}

#[test]
fn a_damaged_file_loses_only_what_is_damaged() {
    let file = TestFile::new("damaged");
    let mut log = file.open();
    ended(&mut log, SHAPE, 4, 0.5, right(7.0));
    ended(&mut log, SHAPE, 8, 0.5, right(9.0));
    let whole = file.read();
    for cut in 0..whole.len() {
        file.write(&whole[..cut]);
        let mut log = file.open();
        assert!(log.bad_lines <= 1, "cut at {cut}");
        ended(&mut log, SHAPE, 6, 0.5, right(1.0));
        let known = file.open().known(SHAPE);
        assert!(tried(&known, 6), "cut at {cut}");
    }
    let noise = [b"\xff\xfe{\n\0\n[]\n{\"ended\":{}}\n".as_slice(), &whole].concat();
    file.write(noise);
    let log = file.open();
    assert_eq!(log.bad_lines, 4);
    assert_eq!(log.known(SHAPE).best(), Some((&point(8), 9.0)));
}

#[test]
fn figures_that_nobody_measured_are_passed_over() {
    let file = TestFile::new("impossible");
    let mut log = file.open();
    ended(&mut log, SHAPE, 4, 0.5, right(7.0));
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
    let log = file.open();
    assert_eq!(log.bad_lines, lines.len());
    let known = log.known(SHAPE);
    assert_eq!(
        (known.seconds(), known.best()),
        (0.5, Some((&point(4), 7.0)))
    );
}

#[test]
fn a_damaged_log_is_shown_and_searched_with() {
    let file = TestFile::new("fuzzed");
    let mut log = file.open();
    ended(&mut log, SHAPE, 4, 0.5, right(7.0));
    ended(
        &mut log,
        Shape::cube(9),
        8,
        0.25,
        Outcome::Wrong("all".into()),
    );
    remeasured(&mut log, 4, 6.5);
    let whole = file.read();
    damage::must_be_survived(&whole, move |bytes| {
        file.write(bytes);
        let log = file.open();
        let known = log.known(SHAPE);
        assert!(known.seconds() >= 0.0 && known.seconds().is_finite());
        for (shape, point) in log.bests() {
            let (ty, fill) = (verify::element::Type::Float, verify::matrix::Fill::Random);
            let problem = verify::problem::Problem::new(SHAPE, ty, fill, 0);
            assert!(
                point
                    .task("", &problem)
                    .is_ok_and(|task| task.plan().is_ok())
            );
            assert!(!shape.to_string().is_empty());
        }
    });
}
