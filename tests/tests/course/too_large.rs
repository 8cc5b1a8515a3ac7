//! What a device, its host or a limit of the system has no room for is refused before it
//! is allocated, with the limit and a size that fits.

use tests::{device, lesson};

#[test]
fn matrices_that_the_device_cannot_hold_are_refused_before_they_are_allocated() {
    let limit = |name: &str| device()["limits"][name].as_u64().unwrap_or(0);
    let refused = |size: &str, ty: &str| {
        let flags = format!("--size {size} --type {ty} --runs 0 --only matmul_naive");
        lesson(3)
            .args(&flags)
            .within_gib(8)
            .run()
            .fails(2, &["too large for", "GiB", "the limit is", "try --size"]);
    };
    // Three matrices of 16 GiB.
    if limit("max_alloc_bytes") < 16 << 30 || limit("global_mem_bytes") < 48 << 30 {
        refused("46340", "double");
    }
    // A matrix of 8 GiB (a vector as long as an int counts), alone.
    if limit("global_mem_bytes") < 16 << 30 {
        refused("2147483647x1x1", "float");
    }
}

/// One limit after the other, each with a size that the next one refuses, helps nobody.
#[test]
fn the_size_that_is_named_fits_every_limit() {
    let refused = |size: u64| {
        let run = lesson(3)
            .args(&format!(
                "--size {size} --type double --runs 0 --only matmul_naive"
            ))
            .within_gib(8)
            .run()
            .fails(2, &["too large for", "try --size"]);
        let named = run.stderr.rsplit("try --size ").next().unwrap_or_default();
        let digits = named.chars().take_while(char::is_ascii_digit);
        digits.collect::<String>().parse().expect("a size")
    };
    let limits = &device()["limits"];
    if limits["max_alloc_bytes"].as_u64().unwrap_or(0) < 16 << 30 {
        let named: u64 = refused(46340);
        // Free memory is never quite the same.
        let again = refused(named + named / 10);
        assert!(again.abs_diff(named) < named / 20, "{again}, {named}");
    }
}

/// A driver that gets no memory ends the process, mostly without saying why.
#[cfg(target_os = "linux")]
#[test]
fn what_the_host_may_not_hold_is_refused_with_its_limit() {
    for (number, flags) in [
        (3, "--size 8192 --runs 0 --only matmul_naive"),
        (2, "--size 200000000"),
    ] {
        let run = lesson(number).args(flags).within_gib(2).run();
        run.fails(2, &["too large for", "ulimit -v", "try --size"]);
    }
    // What is small is no matter of limits.
    let small = lesson(3).args("--size 64 --runs 0 --only matmul_naive");
    small.within_gib(2).run().ends_with(0);
}

#[test]
fn vectors_that_the_device_cannot_hold_are_refused_before_they_are_allocated() {
    // Three vectors of 8 GiB, on the device and on the host.
    if device()["limits"]["global_mem_bytes"].as_u64().unwrap_or(0) < 24 << 30 {
        let run = lesson(2)
            .args("--size 2147483647 --runs 0")
            .within_gib(8)
            .run();
        run.fails(2, &["too large for", "GiB"]);
    }
}
