use super::*;
use crate::error::Error;

#[test]
fn the_spread_is_half_the_quartile_distance() {
    let timing = Timing { seconds: vec![1.0, 2.0, 3.0, 4.0, 5.0], ..Timing::default() };
    assert!((timing.spread() - 1.0 / 3.0).abs() < 1e-12);
    let timing = Timing::by_the_wall(vec![16.0, 8.0, 4.0, 2.0, 1.0]);
    assert_eq!((timing.median(), timing.spread()), (4.0, 0.75));
    let timing = Timing::by_the_wall(vec![0.0; 3]);
    assert_eq!(timing.spread(), 0.0, "no share of nothing");
}

fn profile(start: u64, end: u64) -> Profile {
    Profile { queued: start, submit: start, start, end }
}

#[test]
fn credible_events_are_believed() {
    let timing = settle(&[0.002], &[vec![profile(1_000_000, 2_000_000)]]);
    assert_eq!(timing.clock(), "event");
    assert_eq!(timing.seconds, [0.001]);
    assert_eq!(timing.wall_seconds, [0.002]);
    assert_eq!(timing.queue_to_start_seconds, 0.0);
}

#[test]
fn what_a_launch_waited_is_told_apart() {
    let run = |wait: u64| Profile { queued: 1_000_000 - wait, ..profile(1_000_000, 2_000_000) };
    let timing = settle(&[0.002; 3], &[run(5000), run(1000), run(4000)].map(|p| vec![p]));
    assert!((timing.queue_to_start_seconds - 4e-6).abs() < 1e-12);
}

#[test]
fn a_driver_that_counts_zero_one_two_three_is_not_believed() {
    let times = [vec![profile(2, 3)], vec![profile(0, 0)], vec![profile(9, 3)]];
    for bad in times.into_iter().chain([Vec::new()]) {
        let timing = settle(&[0.5], std::slice::from_ref(&bad));
        assert_eq!(timing.clock(), "wall", "{bad:?}");
        assert_eq!(timing.seconds, [0.5]);
    }
    // Longer than the call that waited for it.
    let timing = settle(&[0.001], &[vec![profile(1, 1_000_000_000)]]);
    assert_eq!(timing.clock(), "wall");
}

#[test]
fn what_prepares_a_run_counts_and_is_told_apart() {
    let run = |pack: u64| vec![profile(1_000_000, 1_000_000 + pack), profile(3_000_000, 9_000_000)];
    let runs = [run(500_000), run(700_000), run(600_000)];
    let timing = settle(&[0.01; 3], &runs);
    assert_eq!(timing.clock(), "event");
    assert_eq!(timing.seconds, [0.008; 3]);
    assert!((timing.command_seconds[0] - 0.0006).abs() < 1e-12);
}

#[test]
fn commands_that_overlap_are_not_believed() {
    let overlapping = vec![profile(1_000_000, 5_000_000), profile(3_000_000, 9_000_000)];
    let backwards = vec![profile(5_000_000, 3_000_000), profile(6_000_000, 9_000_000)];
    for bad in [overlapping, backwards] {
        let timing = settle(&[0.01], &[bad]);
        assert_eq!(timing.clock(), "wall");
        assert!(timing.command_seconds.is_empty());
    }
}

#[test]
fn a_command_cannot_take_longer_than_the_call_that_waited_for_it() {
    let profile = |start, end| Profile { queued: start, submit: start, start, end };
    let credible = |nanoseconds: u64, wall| profile(1, 1 + nanoseconds).credible(wall);
    assert!(credible(1_040_000_000, 1.0), "clocks differ a little");
    assert!(!credible(1_100_000_000, 1.0));
    assert!(credible(1_100_000, 0.001), "and end a little apart");
    assert!(!credible(1_200_000, 0.001));
    assert!(credible(100, 1.0));
    assert!(!credible(99, 1.0), "no command is so short");
    assert!(!profile(0, 1000).credible(1.0), "no clock begins with it");
}

/// Ends a measurement that goes on and on.
fn at_most(most: usize, calls: usize) -> Result<()> {
    (calls <= most).then_some(()).ok_or_else(|| Error::Usage(format!("{calls} calls")))
}

#[test]
fn each_run_is_prepared_and_timed() {
    let mut prepared = Vec::new();
    let prepare = |number| {
        prepared.push(number);
        at_most(3, prepared.len())
    };
    // No event: the wall clock counts.
    let timing = measure(Runs::Exactly(3), None, prepare, || Ok(Vec::new())).unwrap();
    assert_eq!(prepared, [1, 2, 3]);
    assert_eq!((timing.clock(), timing.seconds.len()), ("wall", 3));
}

#[test]
fn a_slow_run_of_before_counts() {
    let earlier = |wall| Sample { wall, commands: Vec::new() };
    assert!(earlier(0.1).is_slow() && !earlier(0.09).is_slow());
    let mut prepared = Vec::new();
    let prepare = |number| {
        prepared.push(number);
        at_most(2, prepared.len())
    };
    let runs = Runs::Exactly(3);
    let timing = measure(runs, Some(earlier(7.0)), prepare, || Ok(Vec::new())).unwrap();
    assert_eq!(prepared, [2, 3]);
    assert_eq!((timing.seconds[0], timing.seconds.len()), (7.0, 3));
}

#[test]
fn runs_end() {
    assert!(!Runs::Exactly(2).done(&[1.0]));
    assert!(Runs::Exactly(2).done(&[1.0, 1.0]));
    assert!(!Runs::Enough.done(&[9.0, 9.0]));
    assert!(Runs::Enough.done(&[9.0, 9.0, 9.0]));
    assert!(!Runs::Enough.done(&[0.125, 0.0625, 0.0625]), "just a quarter of a second");
    assert!(!Runs::Enough.done(&[0.0; 19]));
    assert!(Runs::Enough.done(&[0.0; 20]));
}

#[test]
fn what_is_clearly_slower_than_the_best_is_run_twice() {
    let against = Runs::Against(1.0);
    assert!(!against.done(&[1.6]), "one slow run may be bad luck");
    assert!(against.done(&[1.6, 1.7]));
    assert!(!against.done(&[1.6, 1.4]), "close enough to be measured well");
    assert!(!Runs::Against(2.0).done(&[2.9, 2.9]), "half as long again is 3");
    assert!(against.done(&[1.0; 5]));
    assert!(!against.done(&[0.05, 0.0, 0.0, 0.0, 0.0]), "just 50 ms");
    assert!(!Runs::Against(0.001).done(&[0.001; 19]));
    assert!(Runs::Against(0.001).done(&[0.001; 20]));
    assert!(!Runs::Against(f64::INFINITY).done(&[9.0; 4]), "nothing is known yet");
}
