//! `cargo makers timing`: how long a lesson takes from its start.

use tests::program;

#[test]
fn first_row_and_end_of_two_kinds_of_process_are_told() {
    let flags = "timing 3 --runs 1 --json -- --size 16 --runs 1 --only matmul_naive";
    let lines = program("makers").args(flags).run().ends_with(0).records();
    let [line] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!((&line["lesson"], &line["runs"]), (&3.into(), &1.into()));
    for when in [
        "first_row_seconds",
        "seconds",
        "in_timed_runs_seconds",
        "cold_first_row_seconds",
        "cold_seconds",
    ] {
        assert!(line[when].as_f64().is_some(), "{when}: {line}");
    }
    let seconds = |when: &str| line[when].as_f64();
    assert!(seconds("first_row_seconds") <= seconds("seconds"), "{line}");
}
