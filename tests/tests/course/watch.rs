//! `--watch`: a save is checked again, whatever the kernel did before. The lesson
//! runs through pipes; what it says is waited for, for as long as it takes.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tests::pty::key;
use tests::{Program, lesson, lesson_without_device, pocl, scratch_folder};

/// Far more than any step takes, even on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(120);

const RIGHT: &str = "int i = get_global_id(0), j = get_global_id(1);\n\
                     if (i >= N || j >= M) return;\n\
                     float sum = 0;\n\
                     for (int k = 0; k < K; k++) sum += A[j * K + k] * B[k * N + i];\n\
                     C[j * N + i] = sum;";

/// A kernel file with this body.
fn kernel(body: &str) -> String {
    format!(
        "kernel void matmul_naive(int M, int N, int K, global const float *A,\n    \
         global const float *B, global float *C)\n{{\n{body}\n}}\n"
    )
}

/// One stream of a program, as far as it has come.
struct Stream {
    text: Arc<Mutex<String>>,
    /// What lies before was asked for already.
    read: usize,
}

impl Stream {
    fn of(mut pipe: impl Read + Send + 'static) -> Stream {
        let text = Arc::new(Mutex::new(String::new()));
        let to = text.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Characters of several bytes may be cut in two: the tests ask for none.
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                let more = String::from_utf8_lossy(&bytes[..count]);
                to.lock().expect("no reader panics").push_str(&more);
            }
        });
        Stream { text, read: 0 }
    }

    fn text(&self) -> String {
        self.text.lock().expect("no reader panics").clone()
    }

    /// Waits until it has said these words, after all that was waited for before.
    #[track_caller]
    fn says(&mut self, words: &str) {
        let begin = Instant::now();
        loop {
            let text = self.text();
            if let Some(at) = text[self.read..].find(words) {
                self.read += at + words.len();
                return;
            }
            let news = &text[self.read..];
            assert!(
                begin.elapsed() < PATIENCE,
                "no \"{words}\" in\n{news}\nafter\n{text}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A lesson that watches a file of its own.
struct Watching {
    file: PathBuf,
    child: Child,
    out: Stream,
    err: Stream,
}

impl Watching {
    /// Lesson 3 on this file, in a folder of its own.
    fn lesson_3(name: &str, body: &str, program: Program) -> Watching {
        let file = scratch_folder("watch").join(name).join("mine.cl");
        let folder = file.parent().expect("a file in a folder");
        fs::create_dir_all(folder).expect("the target folder can be written");
        fs::write(&file, kernel(body)).expect("the file can be written");
        let mut command = program
            .args("--watch --only matmul_naive --source")
            .arg(&file)
            .env("TMPDIR", folder)
            .command();
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("a program of ours starts");
        Watching {
            file,
            out: Stream::of(child.stdout.take().expect("a pipe")),
            err: Stream::of(child.stderr.take().expect("a pipe")),
            child,
        }
    }

    /// Saves as an editor does that writes into the file.
    fn save(&self, body: &str) {
        fs::write(&self.file, kernel(body)).expect("the file can be written");
    }

    /// Saves as an editor does that writes another file and renames it.
    fn save_by_renaming(&self, body: &str) {
        let other = self.file.with_file_name("mine.cl~");
        fs::write(&other, kernel(body)).expect("the file can be written");
        fs::rename(&other, &self.file).expect("the file can be renamed");
    }

    /// Waits until it waits for the next save.
    #[track_caller]
    fn invites(&mut self) {
        self.err.says("watching: save");
    }

    /// Presses Ctrl-C, and waits for the end.
    #[track_caller]
    fn interrupt(mut self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        self.err.says("watching ended");
        let status = self.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{}", self.err.text());
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // After a failed assertion; otherwise it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn quick() -> Program {
    let lesson = lesson(3).args("--size 20 --runs 3");
    lesson.on_one_core()
}

#[test]
fn a_save_is_checked_and_its_rate_stands_beside_the_one_before() {
    let mut lesson = Watching::lesson_3("rates", RIGHT, quick().with_limits_of_its_own());
    lesson.err.says("mine.cl: checking");
    lesson.out.says("✓");
    lesson.invites();
    lesson.save(&format!("// Another comment.\n{RIGHT}"));
    lesson.err.says("mine.cl saved: checking");
    lesson.out.says("✓");
    lesson.out.says("compared with the run before");
    lesson.out.says(" GFLOP/s, ");
    lesson.invites();
    lesson.interrupt();
}

#[test]
fn a_save_by_renaming_is_seen_and_one_of_another_file_is_not() {
    let mut lesson = Watching::lesson_3("renaming", RIGHT, quick());
    lesson.invites();
    fs::write(lesson.file.with_file_name("other.cl"), "").expect("can be written");
    let _ = fs::read(&lesson.file);
    lesson.save_by_renaming("C[0] = 1;");
    lesson.err.says("saved: checking");
    lesson.out.says("WRONG");
    lesson.err.says("wrong in lesson 3");
    lesson.invites();
    lesson.save_by_renaming(RIGHT);
    lesson.out.says("✓");
    lesson.invites();
    let saves = lesson.err.text().matches("saved: checking").count();
    assert_eq!(saves, 2, "{}", lesson.err.text());
    lesson.interrupt();
}

/// Takes long: so does the kernel that hangs, until it is ended.
#[test]
fn after_a_build_error_a_crash_and_a_hang_the_loop_goes_on() {
    // What such kernels do to a GPU's driver is not for a test to try.
    let Some(pocl) = pocl() else { return };
    let program = quick().args(&pocl).args("--timeout 5");
    let mut lesson = Watching::lesson_3("faults", "C[0] = get_globl_id(0);", program);
    lesson.err.says("does not build");
    lesson.err.says("get_global_id");
    lesson.invites();
    lesson.save("for (long i = 0; i < 1L << 40; i += 1 << 20) C[i] = 1;");
    lesson.err.says("SIGSEGV");
    lesson.invites();
    lesson.save("volatile int go = 1; while (go); C[0] = 0;");
    lesson.err.says("no end after 5 seconds");
    lesson.invites();
    lesson.save(RIGHT);
    lesson.out.says("✓");
    lesson.invites();
    lesson.interrupt();
}

#[test]
fn a_save_during_a_run_ends_the_run_and_begins_another() {
    let Some(pocl) = pocl() else { return };
    let endless = "volatile int go = 1; while (go); C[0] = 0;";
    let mut lesson = Watching::lesson_3("during", endless, quick().args(&pocl));
    lesson.out.says("step of limit");
    // Until the kernel ends nothing more is said, though its file is read only now.
    std::thread::sleep(Duration::from_secs(1));
    lesson.save_by_renaming(RIGHT);
    lesson.err.says("the run before was ended): checking");
    lesson.out.says("✓");
    lesson.invites();
    lesson.interrupt();
}

#[test]
fn ctrl_c_ends_a_run_at_once_and_leaves_nothing_behind() {
    let Some(pocl) = pocl() else { return };
    let endless = "volatile int go = 1; while (go); C[0] = 0;";
    let mut lesson = Watching::lesson_3("interrupted", endless, quick().args(&pocl));
    lesson.out.says("GFLOP/s");
    let folder = lesson
        .file
        .parent()
        .map(Path::to_path_buf)
        .expect("has one");
    lesson.interrupt();
    let left = fs::read_dir(folder).expect("is there").flatten();
    let names: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["mine.cl"], "no file of events is left");
}

#[test]
fn a_file_that_vanishes_is_waited_for() {
    let mut lesson = Watching::lesson_3("vanishing", RIGHT, quick());
    lesson.invites();
    fs::remove_file(&lesson.file).expect("can be removed");
    lesson.err.says("mine.cl is gone");
    lesson.save(RIGHT);
    lesson.err.says("saved: checking");
    lesson.out.says("compared with the run before");
    lesson.invites();
    lesson.interrupt();
}

#[test]
fn records_alone_stand_on_standard_output_with_json() {
    let mut lesson = Watching::lesson_3("json", RIGHT, quick().arg("--json"));
    lesson.invites();
    lesson.save(RIGHT);
    lesson.err.says("saved: checking");
    lesson.invites();
    let out = lesson.out.text();
    let records = out.lines().map(serde_json::from_str::<serde_json::Value>);
    let kernels: Vec<_> = records
        .map(|record| record.expect("only JSON")["kernel"].clone())
        .collect();
    assert_eq!(kernels, ["matmul_naive", "matmul_naive"], "{out}");
    lesson.interrupt();
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let nothing = lesson_without_device(1).args("--watch").run();
    nothing.fails(2, &["no kernel file"]);
    let with_keys = lesson_without_device(3).args("--watch --step").run();
    with_keys.fails(2, &["--watch", "--step"]);
    let missing = lesson_without_device(3)
        .args("--watch --source no-such-file.cl")
        .run();
    missing.fails(2, &["cannot use", "no-such-file.cl", "No such file"]);
}

#[test]
fn on_a_terminal_it_shows_colours_and_leaves_the_terminal_in_order() {
    let file = scratch_folder("watch").join("terminal.cl");
    fs::write(&file, kernel(RIGHT)).expect("the file can be written");
    let mut terminal = quick()
        .args("--watch --only matmul_naive --source")
        .arg(&file)
        .on_terminal(80, 24);
    terminal.waits_for("watching: save");
    // No key does anything but Ctrl-C, and a save needs none.
    terminal.press("x");
    fs::write(&file, kernel("C[0] = get_globl_id(0);")).expect("the file can be written");
    terminal.waits_for("saved: checking");
    terminal.waits_for("get_global_id");
    terminal.waits_for("watching: save");
    terminal.press("y");
    fs::write(&file, kernel("C[get_global_id(0)] = 1;")).expect("the file can be written");
    terminal
        .waits_for("WRONG")
        .waits_for("where (")
        .waits_for("|#");
    terminal.waits_for("watching: save");
    let red_cell = "\u{1b}[1;31m#";
    assert!(terminal.raw().contains(red_cell), "the map is in colour");
    terminal.press(key::CTRL_C).waits_for("watching ended");
    terminal.ends_with(0);
    assert!(terminal.is_in_order(), "{}", terminal.screen());
}
