use super::*;

/// Compares two reports, and forgets what came of it.
pub fn of(a: &Survey, b: &Survey) {
    for (device_a, device_b) in pairs(a, b).unwrap_or_default() {
        let lines = lines(&keyed(a, device_a), &keyed(b, device_b));
        print(&mut std::io::sink(), &lines).unwrap();
    }
}

fn record(gflops: f64, spread: f64, samples: usize) -> Record {
    Record {
        m: 8,
        n: 8,
        k: 8,
        gflops: Some(gflops),
        spread: Some(spread),
        seconds: vec![1.0; samples],
        ..Record::default()
    }
}

fn difference(a: Record, b: Record) -> Difference {
    line("k", Some(&a), Some(&b)).difference
}

#[test]
fn a_difference_beyond_both_spreads_and_the_floor_is_told() {
    for (a, b, spread, told) in [
        (100.0, 120.0, 0.05, Difference::Faster),
        (120.0, 100.0, 0.05, Difference::Slower),
        (100.0, 119.0, 0.1, Difference::Same),
        (100.0, 102.0, 0.0, Difference::Same),
        (100.0, 104.0, 0.0, Difference::Faster),
    ] {
        assert_eq!(difference(record(a, spread, 5), record(b, spread, 5)), told);
    }
}

#[test]
fn single_runs_are_not_judged_and_lone_kernels_are_named() {
    let unjudged = difference(record(1.0, 0.0, 1), record(9.0, 0.0, 5));
    assert_eq!(unjudged, Difference::Unjudged);
    let a = [((None, "x".to_string()), record(1.0, 0.0, 5))];
    let b = [((None, "y".to_string()), record(1.0, 0.0, 5))];
    let both = lines(&a, &b);
    assert_eq!(both[0].difference, Difference::OnlyInA);
    assert_eq!(
        (both[1].difference, both[1].kernel.as_str()),
        (Difference::OnlyInB, "y")
    );
}
