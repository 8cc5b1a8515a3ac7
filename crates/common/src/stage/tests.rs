use super::*;
use std::os::unix::process::ExitStatusExt;

#[test]
fn only_who_was_there_is_blamed() {
    let told = |signal, doing: &Stage| {
        let death = Death { how: How::of(ExitStatus::from_raw(signal)), stage: doing.clone() };
        death.to_string()
    };
    let kernel = "outside its buffers";
    let (kernel_of, run) = (|| "a".to_string(), Some(3));
    for doing in [
        Stage::running("a"),
        Stage::Timing { kernel: kernel_of(), run },
        Stage::Checking(kernel_of()),
    ] {
        assert!(told(11, &doing).contains(kernel), "{doing}");
    }
    for doing in [
        Stage::Starting,
        Stage::Loading,
        Stage::Uploading,
        Stage::Limits,
        Stage::Working("measuring host row, column, inner".into()),
    ] {
        let told = told(11, &doing);
        assert!(told.contains("no kernel of yours") && !told.contains(kernel), "{told}");
    }
    let compiler = told(6, &Stage::building("a.cl"));
    assert!(compiler.contains("compiler") && !compiler.contains(kernel));
    for (signal, word) in [(9, "memory"), (24, "ulimit -t"), (25, "ulimit -f")] {
        let told = told(signal, &Stage::running("a"));
        assert!(told.contains(word) && !told.contains(kernel), "{told}");
    }
    let exit = told(1 << 8, &Stage::building("a.cl"));
    assert!(exit.contains("exit status: 1") && exit.contains("exit()"), "{exit}");
}
