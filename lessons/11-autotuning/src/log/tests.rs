use super::*;
use crate::picture;

const SHAPE: Shape = Shape::cube(64);

fn point(rows: usize) -> Point {
    let text = format!(
        "matmul_tunable_private LANES=4 VECTORS=1 ROWS={rows} GROUP_X=1 GROUP_Y=1 UNROLL=1"
    );
    text.try_into().expect("a point")
}

fn right(gflops: f64) -> Trial {
    Trial::Right { gflops, runs: 5 }
}

fn open(name: &str) -> Log {
    Log::at(path(name)).expect("a temporary folder can be written")
}

/// Notes that a candidate ended like this.
fn ended(log: &mut Log, shape: Shape, rows: usize, seconds: f64, trial: Trial) {
    let ended = Event::Ended { seconds, trial };
    log.add(shape, &point(rows), ended).expect("written");
}

/// Notes a careful measurement.
fn remeasured(log: &mut Log, rows: usize, gflops: f64) {
    let again = Event::Remeasured { gflops };
    log.add(SHAPE, &point(rows), again).expect("written");
}

fn tried(known: &Known, rows: usize) -> bool {
    let mut trials = known.trials.0.iter();
    trials.any(|(tried, _)| *tried == point(rows))
}

fn path(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lesson11-log-{}", std::process::id()));
    folder.join(name)
}

#[test]
fn what_was_found_is_there_the_next_time() {
    let mut log = open("again.jsonl");
    ended(&mut log, SHAPE, 4, 0.5, right(7.0));
    ended(&mut log, SHAPE, 8, 0.25, Trial::Wrong("all".into()));
    let known = open("again.jsonl").known(SHAPE);
    assert_eq!(known.best(), Some((&point(4), 7.0)));
    assert_eq!((known.trials.0.len(), known.seconds), (2, 0.75));
    assert_eq!(open("again.jsonl").known(Shape::cube(65)).trials.0.len(), 0);
}

#[test]
fn a_careful_measurement_has_the_last_word() {
    let mut log = open("careful.jsonl");
    ended(&mut log, SHAPE, 4, 0.5, right(9.0));
    ended(&mut log, SHAPE, 8, 0.5, right(8.0));
    remeasured(&mut log, 4, 5.0);
    remeasured(&mut log, 8, 6.0);
    assert_eq!(log.known(SHAPE).best(), Some((&point(8), 6.0)));
}

#[test]
fn reset_forgets_one_problem_and_what_cannot_be_read() {
    let other = Shape::cube(9);
    let mut log = open("reset.jsonl");
    ended(&mut log, SHAPE, 4, 0.5, right(9.0));
    ended(&mut log, other, 4, 0.5, right(3.0));
    fs::write(
        path("reset.jsonl"),
        [fs::read(path("reset.jsonl")).expect("read"), b"{".into()].concat(),
    )
    .expect("written");
    let mut log = open("reset.jsonl");
    assert_eq!(log.bad_lines, 1);
    log.reset(SHAPE).expect("written");
    for log in [log, open("reset.jsonl")] {
        assert_eq!(log.bests(), [(other, point(4), 3.0)]);
        assert_eq!(log.bad_lines, 0);
    }
}

#[test]
fn what_was_cut_off_twice_is_not_begun_again() {
    let begin = || {
        let begun = open("lost.jsonl").add(SHAPE, &point(4), Event::Begun);
        begun.expect("written");
    };
    begin();
    assert!(!tried(&open("lost.jsonl").known(SHAPE), 4));
    begin();
    let known = open("lost.jsonl").known(SHAPE);
    assert!(tried(&known, 4));
    assert_eq!(known.best(), None);
}

#[test]
fn a_damaged_file_loses_only_what_is_damaged() {
    let mut log = open("damaged.jsonl");
    ended(&mut log, SHAPE, 4, 0.5, right(7.0));
    ended(&mut log, SHAPE, 8, 0.5, right(9.0));
    let whole = fs::read(path("damaged.jsonl")).expect("is there");
    for cut in 0..whole.len() {
        fs::write(path("damaged.jsonl"), &whole[..cut]).expect("written");
        let mut log = open("damaged.jsonl");
        assert!(log.bad_lines <= 1, "cut at {cut}");
        ended(&mut log, SHAPE, 6, 0.5, right(1.0));
        let known = open("damaged.jsonl").known(SHAPE);
        assert!(tried(&known, 6), "cut at {cut}");
    }
    let noise = [b"\xff\xfe{\n\0\n[]\n{\"ended\":{}}\n".as_slice(), &whole].concat();
    fs::write(path("damaged.jsonl"), noise).expect("written");
    let log = open("damaged.jsonl");
    assert_eq!(log.bad_lines, 4);
    assert_eq!(log.known(SHAPE).best(), Some((&point(8), 9.0)));
}

#[test]
fn figures_that_nobody_measured_are_passed_over() {
    let mut log = open("impossible.jsonl");
    ended(&mut log, SHAPE, 4, 0.5, right(7.0));
    let line = fs::read_to_string(path("impossible.jsonl")).expect("read");
    let with = |old: &str, new: &str| line.replace(old, new);
    let lines = [
        with("0.5", "-19.0"),
        with("0.5", "1e308"),
        with("7.0", "-7.0"),
        with("7.0", "0.0"),
        with("7.0", "1e300"),
        with("ROWS=4", "ROWS=0"),
    ];
    assert!(lines.iter().all(|other| *other != line));
    fs::write(path("impossible.jsonl"), line + &lines.concat()).expect("written");
    let log = open("impossible.jsonl");
    assert_eq!(log.bad_lines, lines.len());
    let known = log.known(SHAPE);
    assert_eq!((known.seconds, known.best()), (0.5, Some((&point(4), 7.0))));
}

#[test]
fn a_damaged_log_is_shown_and_searched_with() {
    let mut log = open("fuzzed.jsonl");
    log.add(SHAPE, &point(4), Event::Begun).expect("written");
    ended(&mut log, SHAPE, 4, 0.5, right(7.0));
    ended(
        &mut log,
        Shape::cube(9),
        8,
        0.25,
        Trial::Wrong("all".into()),
    );
    remeasured(&mut log, 4, 6.5);
    let whole = fs::read(path("fuzzed.jsonl")).expect("read");
    damage::must_be_survived(&whole, |bytes| {
        fs::write(path("fuzzed.jsonl"), bytes).expect("written");
        let log = open("fuzzed.jsonl");
        let known = log.known(SHAPE);
        assert!(known.seconds >= 0.0 && known.seconds.is_finite());
        for (shape, point, _) in log.bests() {
            let step = point.step("");
            step.range(step.shape(SHAPE));
            assert!(!shape.to_string().is_empty());
        }
        assert!(picture::svg("fuzzed", &known.trials).len() < 100 * bytes.len() + 9999);
    });
}
