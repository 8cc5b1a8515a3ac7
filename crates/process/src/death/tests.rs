use super::*;
use std::os::unix::process::ExitStatusExt;

#[test]
fn only_who_was_there_is_blamed() {
    let told = |signal, doing| of_death(ExitStatus::from_raw(signal), doing);
    let kernel = "outside its buffers";
    for doing in ["running a", "timing a, run 3", "checking a"] {
        assert!(told(11, doing).contains(kernel), "{doing}");
    }
    for doing in [
        "starting",
        "looking for devices",
        "uploading the matrices",
        "measuring the device's own limits",
        "measuring host row, column, inner",
    ] {
        let told = told(11, doing);
        assert!(
            told.contains("no kernel of yours") && !told.contains(kernel),
            "{told}"
        );
    }
    let compiler = told(6, "building a.cl");
    assert!(compiler.contains("compiler") && !compiler.contains(kernel));
    for (signal, word) in [(9, "memory"), (24, "ulimit -t"), (25, "ulimit -f")] {
        let told = told(signal, "running a");
        assert!(told.contains(word) && !told.contains(kernel), "{told}");
    }
    let (limit, left) = (2 << 30, 1 << 20);
    let cause = for_want_of_memory(Some(Group { limit, left }));
    assert!(cause.contains("cgroup may take 2048 MiB"), "{cause}");
    let exit = told(1 << 8, "building a.cl");
    assert!(
        exit.contains("exit status: 1") && exit.contains("exit()"),
        "{exit}"
    );
}
