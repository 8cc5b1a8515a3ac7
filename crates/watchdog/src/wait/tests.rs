//! How a child may end.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use super::*;

use common::error::Failure;
use common::stage::Stage;

use crate::processes::end_with_us;

/// A child that was launching a kernel, exited with a code or met a signal, and
/// wrote this last.
fn ended(status: i32, last: Option<Event>) -> End {
    let mut events = vec![Event::Doing(Stage::running("a"))];
    events.extend(last);
    of_status(ExitStatus::from_raw(status), &Written::of(&events))
}

#[test]
fn crashes_and_failed_devices_are_deaths() {
    let crash = ended(11, None);
    assert!(
        matches!(crash, End::Died(death) if death.how == How::Signal(11) && death.stage == Stage::running("a"))
    );
    let failed = Event::Failed(failure());
    let written = Written::of(&[failed, Event::Leaving(5)]);
    let failed = of_status(ExitStatus::from_raw(5 << 8), &written);
    assert!(matches!(failed, End::Died(death) if death.to_string() == "CL_OUT_OF_RESOURCES"));
}

fn failure() -> Failure {
    Failure::new(Kind::OpenCl, "CL_OUT_OF_RESOURCES".to_string(), Stage::Starting)
}

/// What becomes of a child that has written these events and does not end.
fn stuck(events: &[Event]) -> End {
    let file = EventsFile::new().unwrap();
    for event in events {
        file.sender.send(event).unwrap();
    }
    // Whatever becomes of this test, nobody keeps its pipes open.
    let mut command = Command::new("sleep");
    let command = end_with_us(&mut command).arg("1000").stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    wait(&mut child, &file, Duration::from_millis(50), &mut patient).unwrap().unwrap()
}

/// Whether a shell that does this, and is thought to be at that, is ended where the limit is this;
/// it is waited for as long as `patience`.
fn is_ended(stage: Stage, milliseconds: u64, script: &str, patience: Duration) -> bool {
    let file = EventsFile::new().unwrap();
    file.sender.send(&Event::Doing(stage)).unwrap();
    let mut command = Command::new("sh");
    let child = end_with_us(&mut command).args(["-c", script]).spawn();
    let begun = Instant::now();
    let mut pause = |time| {
        thread::sleep(time);
        begun.elapsed() > patience
    };
    let ended =
        wait(&mut child.unwrap(), &file, Duration::from_millis(milliseconds), &mut pause).unwrap();
    matches!(ended, Some(End::Died(death)) if death.is_hang())
}

#[test]
#[cfg(target_os = "linux")]
fn who_works_too_long_is_ended_and_not_who_gets_no_core() {
    const LOOP: &str = "while :; do :; done";
    let [building, running] = [Stage::building("a.cl"), Stage::running("a")];
    // On a busy machine it is long until it has worked for half of a time.
    let long = Duration::from_secs(100);
    assert!(is_ended(building, 50, LOOP, long));
    assert!(is_ended(running.clone(), 50, LOOP, long));
    let begun = Instant::now();
    let spin = || while begun.elapsed() < Duration::from_millis(1100) {};
    thread::scope(|scope| {
        for _ in 0..2 * verify::cores::cores() {
            scope.spawn(spin);
        }
        let script = format!("exec nice -n 10 sh -c '{LOOP}'");
        assert!(!is_ended(running, 600, &script, Duration::from_millis(900)));
    });
}

#[test]
fn each_stage_has_its_own_time() {
    let launch = Duration::from_secs(2);
    let limits = [Stage::Loading, Stage::Uploading, Stage::running("a")];
    let limits = limits.map(|stage| stage.limit(launch).as_secs());
    assert_eq!(limits, [60, 40, 2]);
}

#[test]
fn who_does_not_end_has_hung_unless_all_was_done() {
    let doing = Event::Doing(Stage::running("a"));
    let hung = stuck(std::slice::from_ref(&doing));
    assert!(matches!(hung, End::Died(death) if death.to_string().contains("running a")));
    let left = stuck(&[doing.clone(), Event::Leaving(1)]);
    assert!(matches!(left, End::Exit(1)));
    let failed = Event::Failed(failure());
    let failed = stuck(&[doing, failed, Event::Leaving(5)]);
    assert!(matches!(failed, End::Died(death) if death.to_string() == "CL_OUT_OF_RESOURCES"));
}

#[test]
fn a_crash_after_the_last_word_does_not_undo_what_was_said() {
    let left = ended(11, Some(Event::Leaving(1)));
    assert!(matches!(left, End::Exit(1)));
    let stopped = ended(2, Some(Event::Leaving(1)));
    assert!(matches!(stopped, End::Died(death) if death.how == How::Stopped(2)));
}

#[test]
fn a_status_counts_that_was_announced_and_no_other() {
    for status in [0, 1, 4, 5, 130] {
        let end = ended(status << 8, Some(Event::Leaving(status as u8)));
        assert!(matches!(end, End::Exit(code) if i32::from(code) == status));
        // The driver called exit().
        let end = ended(status << 8, None);
        assert!(matches!(end, End::Died(death) if death.how == How::Exited(status)));
    }
    // Before it said anything there was no driver: the child has told why.
    let end = of_status(ExitStatus::from_raw(2 << 8), &Written::of(&[]));
    assert!(matches!(end, End::Exit(2)));
    // It did so while it was unloaded: what was said before stands.
    let end = ended(0, Some(Event::Leaving(1)));
    assert!(matches!(end, End::Exit(1)));
}

#[test]
fn a_kill_by_hand_is_an_error_that_blames_no_kernel() {
    for signal in [1, 2, 15] {
        let End::Died(death) = ended(signal, None) else { panic!("signal {signal} is no end") };
        assert_eq!(death.how, How::Stopped(signal), "{signal} goes on with the next kernel");
        let how = death.to_string();
        assert!(how.contains("from outside") && !how.contains("buffers"), "{how}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn one_of_more_threads_than_cores_waits() {
    let before = Waits::of("self");
    let begun = Instant::now();
    let spin = || while begun.elapsed() < Duration::from_millis(200) {};
    let more = thread::available_parallelism().map_or(1, usize::from) + 1;
    thread::scope(|scope| {
        for _ in 0..more {
            scope.spawn(spin);
        }
        thread::sleep(Duration::from_millis(150));
        assert!(before.since() > Duration::from_millis(5));
    });
    assert_eq!(Waits::of("no process").since(), Duration::ZERO);
}
