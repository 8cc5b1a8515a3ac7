//! A class is graded: its folders and the grader's progress stay as they are, and what would
//! harm either, or the terminal, is named.

use std::collections::BTreeMap;

use super::*;

/// A class's folder; its students hand in exercises.
struct Class {
    folder: Learner,
}

impl Class {
    fn hands_in(&self, student: &str, exercise: &Path, text: &str) -> PathBuf {
        let student = Learner(self.folder.0.join(student));
        let file = student.file(exercise);
        fs::create_dir_all(file.parent().expect("a lesson's folder")).expect("writable");
        fs::write(&file, text).expect("writable");
        // It goes away with the class.
        std::mem::forget(student);
        file
    }

    /// By somebody who has no folder.
    fn grade(&self, words: &str) -> Program {
        let graded = program("course").args("grade").arg(&self.folder.0).args(words);
        let graded = graded.env("OPENCL_COURSE_EXERCISES", self.folder.0.join("nobody"));
        graded.on_the_chosen_driver().on_one_core()
    }

    /// All that lies in it.
    fn all(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut open = vec![self.folder.0.clone()];
        let mut all = BTreeMap::new();
        while let Some(path) = open.pop() {
            if path.is_dir() && !path.is_symlink() {
                open.extend(entries(&path));
            }
            all.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
        all
    }
}

/// The kernel with a line at its beginning.
fn with(kernel: &str, line: &str) -> String {
    kernel.replacen('{', &format!("{{ {line}"), 1)
}

#[test]
fn each_kernel_of_a_class_is_judged_and_nothing_else_is_read_or_written() {
    let (Some(_), Some(_)) = (pocl(), Oclgrind::find()) else {
        return;
    };
    let folder = Learner::new("class");
    let class = Class { folder };
    let exercise = numbered("2.1");
    let right = solution(&exercise);
    let hand_in = |student: &str, text: &str| class.hands_in(student, &exercise, text);
    let ann = hand_in("ann", &right.replace('\n', "\r\n"));
    fs::write(class.folder.0.join("ann/progress.txt"), "2.1 hints 2\n2.1 solution\n")
        .expect("writable");
    hand_in("ben", &with(&right, "*(global int *)16 = 1;"));
    hand_in("=cat", &read(exercise.join("exercise.cl")));
    hand_in("\u{1b}[31mdan", &format!("%:include \"/etc/passwd\"\n{right}"));
    hand_in("eve", &format!("#include \"../own.h\"\n{right}"));
    fs::write(class.folder.0.join("eve/own.h"), "// mine\n").expect("writable");
    let fay = hand_in("fay", &format!("#include \"own.h\"\n{right}"));
    let huge = hand_in("gus", &right);
    let huge = fs::File::options().write(true).open(huge).expect("there");
    huge.set_len(1 << 30).expect("a file with a hole");
    #[cfg(unix)]
    for (from, to) in [
        ("/etc/hostname".into(), fay.with_file_name("own.h")),
        (class.folder.0.join("ann"), class.folder.0.join("hal")),
    ] {
        std::os::unix::fs::symlink(from, to).expect("a link");
    }
    let long = "gus-whose-name-is-long";
    for alike in ["eve\u{200b}", &format!("{long}-1"), &format!("{long}-2")] {
        fs::create_dir(class.folder.0.join(alike)).expect("writable");
    }
    let before = class.all();
    let records = class.grade("--only 2.1 --json").run().ends_with(2).records();
    let told = |student: &str| {
        let mut own = records.iter().filter(|one| one["student"] == student);
        let one = own.next().unwrap_or_else(|| panic!("{student}: {records:?}"));
        let words = ["verdict", "detector", "says"].map(|field| one[field].as_str().unwrap_or("-"));
        words.join(" | ")
    };
    for (student, words) in [
        ("ann", "solved |  | "),
        ("ben", "not yet | result | the process died"),
        ("=cat", "not begun |"),
        ("\\u{1b}[31mdan", "refused |  | /etc/passwd: it lies outside of the folder"),
        ("eve", "solved |"),
        #[cfg(unix)]
        ("fay", "refused |  | 02-saxpy/own.h: links are not followed"),
        ("gus", "refused |  | 02-saxpy/1-sum-and-difference.cl: it is larger than 1 MiB"),
        #[cfg(unix)]
        ("hal", "refused |  | links are not followed"),
    ] {
        assert!(told(student).starts_with(words), "{student}: {}", told(student));
    }
    assert_eq!(
        (&records[0]["student"], &records[0]["item"]),
        (&"\\u{1b}[31mdan".into(), &"2.1".into())
    );
    let ann_told = &records[2];
    assert_eq!((&ann_told["hints"], &ann_told["solution"]), (&2.into(), &true.into()));
    let counts = ann_told["counts"].as_str();
    assert!(
        counts.is_some_and(
            |counts| counts.contains("global loads 2000 elements at 1000; at most 2000")
        ),
        "{ann_told}"
    );
    assert!(ann_told["device"].is_string() && ann_told["course"].is_string());
    assert_eq!(records[1]["hints"], Value::Null, "cat has no progress.txt");
    assert!(class.all() == before, "nothing is written");
    // A kernel that is wrong; the others need not be judged once more.
    fs::write(&ann, with(&right, "return;")).expect("writable");
    for judged in ["ben", "eve"] {
        fs::remove_dir_all(class.folder.0.join(judged)).expect("writable");
    }
    fs::create_dir(class.folder.0.join("eve")).expect("writable");
    let table = class.grade("--only 2.1").run().ends_with(2);
    let table = table.says(&[
        " 0 done  2.1✗s\n",
        "  2.1✗s result: ",
        " 0 done  2.1!\n",
        "\n  eve ",
        "\n  eve\\u{200b} ",
        &format!("\n  {long}-1 "),
        &format!("\n  {long}-2 "),
    ]);
    assert!(!table.stdout.contains('\u{1b}'), "{table}");
    let csv = class.grade("--only 2.1 --csv").run().ends_with(2);
    let csv = csv.says(&[
        "student,item,title,verdict,",
        "\n'=cat,2.1,",
        "\nann,2.1,A sum and a difference,not yet,result,",
    ]);
    assert_eq!(csv.stdout.lines().count(), 11, "{csv}");
    let page = class.grade("--only 2.1 --html").run().ends_with(2);
    page.says(&["<th>=cat</th><td>0</td>", "outside of the folder</td>"]);
    class.grade("--only 2.99").run().fails(2, &["no exercise 2.99"]);
    // It takes any device, and a package to be built in.
    class.grade("--only h1").run().fails(2, &["no exercise h1"]);
    let missing = program("course").args("grade /no/such/class --only 2.1");
    missing.on_the_chosen_driver().run().fails(2, &["class", "No such file"]);
}

/// Thirty folders of two exercises each, as of a class; two kernels have no end, and one
/// crashes. What each exercise is told is in answers.rs, by the same command.
#[test]
#[ignore = "half a minute: 60 kernels and two without an end"]
fn a_class_of_thirty_is_graded() {
    let folder = Learner::new("thirty");
    let class = Class { folder };
    let numbers = ["2.2", "3.1"];
    for student in 0..30 {
        for (at, number) in numbers.iter().enumerate() {
            let exercise = numbered(number);
            let fresh = read(exercise.join("exercise.cl"));
            let text = match (student, at) {
                (3, 1) | (17, 0) => {
                    with(&solution(&exercise), "for (volatile int i = 0; i < 1; ) ;")
                }
                (9, 1) => with(&solution(&exercise), "*(global int *)16 = 1;"),
                _ if (student + at) % 7 == 3 => fresh + "// tried\n",
                _ if (student + at) % 11 == 5 => fresh,
                _ => solution(&exercise),
            };
            // No two are the same.
            let text = format!("{text}// {student}\n");
            class.hands_in(&format!("student{student:02}"), &exercise, &text);
        }
    }
    let table = class.grade("--timeout 8").run().ends_with(1);
    table.says(&["no end after 8 seconds", "SIGSEGV", "30 students, "]);
}
