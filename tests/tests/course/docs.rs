//! The pages: every link resolves, every command runs, every quoted kernel and
//! table is that of the files.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;
use tests::{
    Oclgrind, Outcome, Program, device, entries, files_below, kernel_files, program,
    programs_folder, read, scratch, scratch_folder, shell, workspace,
};

use crate::keys::{STEP, WATCH};

/// `cargo run` as the pages write it, on programs that are built already.
/// What else cargo does is not for a test to do inside a test. A lesson whose runs or whose
/// size the page leaves to it times one, and is small: `.ci/run` runs each as it stands.
/// A simulator times none, and lesson 4 no copies, which are larger than any cache. Sides of
/// 256 and more are at most half as long, and a search has a second.
const CARGO: &str = r#"
set -euo pipefail
cargo() {
    local program=course
    case "$1" in
        run) shift ;;
        # A program that is installed, and an alias of .cargo/config.toml.
        course|xtask) program=$1; shift; set -- -- "$@" ;;
        *) return ;;
    esac
    while [ $# -gt 0 ]; do
        case "$1" in
            -q) shift ;;
            -p) program=$2; shift 2 ;;
            --example) program=examples/$2; shift 2 ;;
            --) shift; break ;;
            *) echo "this test does not know: cargo run $1" >&2; return 101 ;;
        esac
    done
    case "$program $* ${OPENCL_DYLIB_PATH:-}" in
        *--runs* | *oclgrind*) ;;
        lesson*) set -- "$@" --runs 1 ;;
    esac
    case "$program $*" in
        *--size* | *--source* | lesson01* | lesson11*) ;;
        lesson02*) set -- "$@" --size 1048576 ;;
        lesson*) set -- "$@" --size 128 ;;
    esac
    case "$program $*" in
        "lesson04 --size 250 --runs 1") set -- --size 64 --runs 0 ;;
    esac
    case "$*" in
        *exercises/broken*) ;;
        *) set -- "${@//256/128}" ;;
    esac
    case "$program" in
        lesson0[3-9]) set -- "${@/%500/125}"; set -- "${@/%1000/125}" ;;
    esac
    set -- "${@//1024/128}"
    set -- "${@//1040/144}"
    set -- "${@/#[2-9]s/1s}"
    "$PROGRAMS/${program/#course/cargo-course}" "$@" ${PARSE:+--help}
}
"#;

/// Every page: those at the root, the chapters, the lessons.
fn pages() -> Vec<PathBuf> {
    let mut folders = entries(&workspace().join("lessons"));
    folders.extend([workspace().to_path_buf(), workspace().join("docs")]);
    let files = folders.iter().flat_map(|folder| entries(folder));
    files.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

fn shown(page: &Path) -> String {
    page.strip_prefix(workspace()).unwrap_or(page).display().to_string()
}

/// The lines outside of code fences.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    })
}

/// The targets of a line's links; what stands between backticks is no link.
fn links(line: &str) -> Vec<String> {
    let text = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    targets.map(String::from).collect()
}

/// A heading's anchor, as GitHub makes it where there is no other of that name.
fn anchor(heading: &str) -> String {
    let title = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a page.
fn anchors(page: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = prose(page).filter(|line| line.starts_with('#'));
    let numbered = headings.map(anchor).map(|anchor| {
        let before = seen.entry(anchor.clone()).or_default();
        *before += 1;
        match *before {
            1 => anchor,
            n => format!("{anchor}-{}", n - 1),
        }
    });
    numbered.collect()
}

/// Files and folders of the repository that are parts of the book, as `docs/book/build` has them.
fn parts_of_the_book() -> Vec<PathBuf> {
    let script = read("docs/book/build");
    let parts = script.split("for part in ").nth(1).and_then(|rest| rest.split(';').next());
    let parts = parts.expect("a list of parts").split_whitespace();
    parts.filter(|part| *part != "\\").map(|part| workspace().join(part)).collect()
}

#[test]
fn every_part_of_the_book_is_there() {
    let parts = parts_of_the_book();
    assert!(parts.len() > 9, "{parts:?}");
    for part in parts {
        assert!(part.exists(), "{} leads nowhere", shown(&part));
    }
}

#[test]
fn every_link_leads_to_a_file_and_every_anchor_to_a_heading() {
    let (parts, book) = (parts_of_the_book(), workspace().join("docs/book"));
    let mut dead = Vec::new();
    for page in pages() {
        let text = read(&page);
        for link in prose(&text).flat_map(links) {
            // The badge leads to a page of the forge.
            let is_elsewhere = link.contains("://") || link.contains("/actions/workflows/");
            if is_elsewhere || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.with_file_name(file),
            };
            let is_there = || anchors(&read(&target)).iter().any(|known| known == anchor);
            let leads_to = target.canonicalize().unwrap_or_default();
            let is_in_the_book = parts.iter().any(|part| leads_to.starts_with(part));
            let is_a_file = target.exists() && (is_in_the_book || page.starts_with(&book));
            if !is_a_file || !anchor.is_empty() && !is_there() {
                dead.push(format!("{}: {link}", shown(&page)));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

/// The prose of a page as one line: without headings, HTML, generated blocks, code and links,
/// but for those into the glossary, which leave their anchor between `§`.
fn words(page: &str) -> String {
    let mut generated = false;
    let is_prose = |line: &&str| {
        let was_generated = generated;
        let is_directive = line.starts_with("<!-- ") && line.contains(": ");
        generated = is_directive || generated && *line != "<!-- end -->";
        !was_generated && !line.starts_with(['#', '<'])
    };
    let lines: Vec<&str> = prose(page).filter(is_prose).collect();
    let text = lines.join(" ");
    let text: Vec<&str> = text.split('`').step_by(2).collect();
    let (mut words, mut rest) = (String::new(), text.join("`"));
    while let Some((before, after)) = rest.split_once("](") {
        let (target, behind) = after.split_once(')').unwrap_or((after, ""));
        words += before.rsplit_once('[').map_or(before, |(text, _)| text);
        if let Some((_, anchor)) = target.split_once("glossary.md#") {
            words += &format!("§{anchor}§");
        }
        rest = behind.to_string();
    }
    (words + &rest).to_lowercase()
}

/// Where a word or its plural stands first.
fn first_use(text: &str, term: &str) -> Option<usize> {
    let within = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '§');
    let mut uses = text.match_indices(term);
    let stands_alone = |at: &usize| {
        let behind = &text[at + term.len()..];
        let behind = behind.strip_prefix('s').unwrap_or(behind);
        !text[..*at].ends_with(within) && !behind.starts_with(within)
    };
    uses.find_map(|(at, _)| Some(at).filter(stands_alone))
}

#[test]
fn the_first_use_of_a_glossary_term_in_a_lesson_links_to_it() {
    let glossary = read("docs/glossary.md");
    let terms: Vec<&str> = glossary.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let mut bare = Vec::new();
    for folder in entries(&workspace().join("lessons")) {
        let page = words(&read(folder.join("README.md")));
        for term in &terms {
            let link = format!("§{}§", anchor(term));
            let linked = page.find(&link).unwrap_or(usize::MAX);
            if first_use(&page, &term.to_lowercase()).is_some_and(|at| at < linked) {
                bare.push(format!("{}: {term}", shown(&folder)));
            }
        }
    }
    assert!(terms.len() > 40 && bare.is_empty(), "not linked:\n{}", bare.join("\n"));
}

#[test]
fn there_is_a_page_for_every_lesson_and_the_book_holds_every_page() {
    let summary = read("docs/book/SUMMARY.md");
    let listed = summary.lines().flat_map(links);
    let listed = listed.map(|link| match link.strip_prefix("../../") {
        Some(path) => path.to_string(),
        None => link.replacen("../", "docs/", 1),
    });
    let listed: Vec<String> = listed.collect();
    for folder in entries(&workspace().join("lessons")) {
        assert!(folder.join("README.md").is_file(), "{} has no README.md", shown(&folder));
    }
    for page in pages() {
        let name = shown(&page);
        let is_beside =
            !name.contains('/') && name != "README.md" || name.starts_with("docs/book/");
        let in_the_book = is_beside || listed.contains(&name);
        assert!(in_the_book, "docs/book/SUMMARY.md does not list {name}");
    }
}

#[test]
fn quoted_kernels_outputs_and_tables_are_those_of_the_files() {
    program("xtask").args("pages --check").run().ends_with(0);
}

#[test]
fn a_quoted_kernel_that_differs_from_its_file_is_noticed() {
    let page =
        "<!-- kernel: 02-saxpy.cl saxpy -->\n```c\nkernel void saxpy() {}\n```\n<!-- end -->\n";
    let page = scratch("stale-page.md", page);
    let check = program("xtask").args("pages --check").arg(page).run();
    check.fails(2, &["stale-page.md", "cargo xtask pages"]);
}

/// `xtask pages --check` in a folder of the test's own that holds these files, and beside them
/// the course's own of these names.
fn check_in_a_copy(name: &str, files: &[(&str, &str)], linked: &[&str], page: &str) -> Outcome {
    let copy = scratch_folder(name);
    for (file, text) in files {
        let file = copy.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder of the test's own");
        fs::write(file, text).expect("written");
    }
    let course = workspace().display();
    let links = linked.iter().map(|of| format!("ln -sfn {course}/{of} {of}; "));
    let links: String = links.collect();
    let line = format!("cd {}; {links}exec \"$0\" \"$@\"", copy.display());
    let check = program("xtask").args("pages --check").args(page);
    check.in_shell(&line).run()
}

#[test]
fn a_sentence_that_the_recordings_do_not_bear_out_is_noticed() {
    let claims = "Twice as fast.\n    1.9..2.1 = pocl-1024 lesson03 matmul_naive / limit\n\
        Three times as fast.\n";
    let files = [
        ("docs/data/claims/false.txt", claims),
        ("false.md", "Twice as fast.\n"),
        ("lessons/none", ""),
    ];
    let check = check_in_a_copy("claims", &files, &["kernels", "docs/data/pocl-1024"], "false.md");
    check.fails(
        2,
        &[
            "false.txt:2",
            "mend the sentence",
            "false.txt:3: the page does not say: Three times as fast.",
        ],
    );
}

#[test]
fn a_stale_figure_a_strange_one_and_a_lesson_without_any_are_noticed() {
    let of = |folder: &str| entries(&workspace().join(folder));
    let kept = of("docs/figures").into_iter().chain(of("docs/play"));
    let kept = kept.map(|file| shown(&file));
    let mut files: Vec<(String, String)> = kept.map(|file| (file.clone(), read(&file))).collect();
    let stride = read("docs/figures/stride.svg").replace("<circle", "<none");
    let changed = [
        ("docs/play/colours.css", ""),
        ("docs/figures/stride.svg", &stride),
        ("docs/figures/strange.svg", &read("docs/figures/legend.svg")),
        ("lessons/02-saxpy/README.md", "# Lesson 2\n"),
    ];
    files.extend(changed.map(|(file, text)| (file.into(), text.into())));
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (&**file, &**text)).collect();
    check_in_a_copy("figures", &files, &["kernels", "docs/data", "tests"], "").fails(
        2,
        &[
            "docs/figures/stride.svg, docs/play/colours.css; \
             run `cargo xtask pages`",
            "no page has the figure strange",
            "lessons/02-saxpy/README.md has no figure",
            "no page has the figure ladder",
        ],
    );
}

/// The code fences of commands: their first line, and those inside.
fn fences(page: &str) -> Vec<(&str, Vec<&str>)> {
    let (mut fences, mut lines) = (Vec::new(), page.lines().map(str::trim));
    while let Some(line) = lines.next() {
        if ["```sh", "```sh fails"].contains(&line) {
            let inside = lines.by_ref().take_while(|line| *line != "```");
            fences.push((line, inside.collect()));
        }
    }
    fences
}

/// Why a line is not run here, if it is not. Nothing else is left out.
fn left_out(line: &str) -> Option<&'static str> {
    let there = |path: &str| workspace().join(path).exists();
    match line {
        "" | "./setup" | "./setup --full" | "./setup --peers" | "./setup --book" => {
            Some("changes the machine")
        }
        _ if line.starts_with('#') => Some("a comment"),
        _ if runs_a_broken_kernel(line) => Some("diagnose.rs holds it to more"),
        _ if line.starts_with("docs/book/build") => Some("a tool that the course does not need"),
        _ if line.contains("$(brew ") => Some("for macOS"),
        _ if line.contains(".opencl/intel/") && !there(".opencl/intel") => {
            Some("Intel's runtime is not here")
        }
        _ if line.contains(".opencl/vendors") && !there(".opencl/vendors") => {
            Some("no drivers of the course's own")
        }
        _ if line.contains("pocl") && !there("/etc/OpenCL/vendors/pocl.icd") => {
            Some("PoCL is not here")
        }
        _ if ["liboclgrind", "course trace"].iter().any(|word| line.contains(word))
            && Oclgrind::find().is_none() =>
        {
            Some("Oclgrind, or its plugin, is not here")
        }
        _ => None,
    }
}

/// Whether a line is what the header of a broken kernel says: that run is part of
/// `course diagnose`, and the claims of the header are held against it.
fn runs_a_broken_kernel(line: &str) -> bool {
    kernel_files("exercises/broken").iter().any(|file| {
        let run = read(file).lines().find_map(|line| {
            let (lesson, flags) = line.strip_prefix("// Run: ")?.split_once(' ')?;
            let file = shown(file);
            Some(format!("cargo run -p {lesson} -- --source {file} {flags}"))
        });
        run.as_deref() == Some(line)
    })
}

/// Runs a page's commands as they stand, a shell for each fence; only what the
/// page puts into /tmp goes into a folder of its own.
fn the_commands_run(page: &str) {
    device();
    let folder = scratch_folder(&page.replace(['/', '.'], "-"));
    // A learner's folder lies outside of the clone.
    let own = format!(
        "opencl-course-docs-{}-{}",
        std::process::id(),
        folder.file_name().unwrap().display()
    );
    let exercises = std::env::temp_dir().join(own);
    for (head, lines) in fences(&read(page)) {
        let lines: Vec<String> = lines
            .into_iter()
            .filter(|line| left_out(line).is_none())
            .map(|line| {
                line.replace("./setup && ", "").replace("/tmp/", &format!("{}/", folder.display()))
            })
            .collect();
        if lines.is_empty() {
            continue;
        }
        let fails = head == "```sh fails";
        let is_one = !fails || lines.len() == 1;
        assert!(is_one, "{page}: a fence that fails holds one command: {lines:?}");
        let mut fence = fence_of(&lines.join("\n")).env("OPENCL_COURSE_EXERCISES", &exercises);
        // Some are right by chance when optimised, and the page says so.
        if lines.iter().any(|line| line.contains("exercises/broken")) {
            fence = fence.optimised();
        }
        let ended = fence.run();
        // The statuses of the course, and none of the shell's or of a panic.
        let is_expected =
            if fails { matches!(ended.status, Some(1..=5)) } else { ended.status == Some(0) };
        assert!(is_expected, "{page}: {}\n{ended}", lines.join("\n"));
    }
    // Most pages make none.
    let _ = fs::remove_dir_all(exercises);
}

/// These lines, in a shell where `cargo` runs what is built.
fn fence_of(lines: &str) -> Program {
    shell(&format!("{CARGO}{lines}")).env("PROGRAMS", programs_folder())
}

/// The commands in a text as they stand in it, up to where other words begin. A string of Rust
/// goes on behind a backslash.
fn printed(text: &str) -> Vec<String> {
    let text: String = text.split("\\\n").map(str::trim_start).collect();
    let mut lines = Vec::new();
    for begin in ["cargo course ", "cargo run -p ", "cargo run -- ", "cargo xtask "] {
        for behind in text.split(begin).skip(1) {
            let is_other = |c| "`\"'\n\\;,()|<>…#".contains(c);
            let line = behind.split(is_other).next().unwrap_or_default();
            // What it does stands beside it; another program's own words are no flags.
            let line = line.split("   ").next().unwrap_or_default();
            let own = line.split(" -- ").next().filter(|_| !begin.contains("run"));
            let line = own.unwrap_or(line).trim_end_matches(['.', ':', ' ', '&', '*']);
            // A program may put it in.
            if line.starts_with(char::is_lowercase) {
                lines.push(format!("{begin}{line}"));
            }
        }
    }
    lines
}

/// In pages, notes and messages: no flag has another name there, and no command. That those of the
/// pages do what they say is for CI.
#[test]
fn every_command_that_is_printed_parses() {
    let mut files =
        ["README.md", "CONTRIBUTING.md", "setup"].map(|name| workspace().join(name)).to_vec();
    for folder in ["crates", "docs", "lessons", "exercises", "kernels"] {
        for end in ["rs", "md", "txt", "cl", "html"] {
            files.extend(files_below(&workspace().join(folder), end));
        }
    }
    let (mut typed, mut wrong) = (BTreeSet::new(), String::new());
    for file in files.iter().filter(|file| !shown(file).starts_with("docs/data/")) {
        let text = read(file);
        typed.extend(printed(&text));
        // Only what asks where it is can say how a program of the clone is run.
        let name = shown(file);
        let tells = name.starts_with("crates/") && name.ends_with(".rs") && !name.contains("xtask");
        for line in text.lines().filter(|_| tells && name != "crates/common/src/command.rs") {
            if line.contains("cargo run -p") && !line.trim_start().starts_with("//") {
                wrong += &format!("{name}: {line}\n");
            }
        }
    }
    assert!(typed.len() > 150, "{typed:?}");
    let parse = r#"
        while read -ra words; do
            said=$("${words[@]}" 2>&1 </dev/null) || case $said in
                *"unexpected argument"* | *"unrecognized subcommand"*) echo "${words[*]}: $said" ;;
            esac
        done <"$LINES""#;
    let lines: String = typed.iter().map(|line| format!("{line}\n")).collect();
    let run = fence_of(parse).env("PARSE", "1").env("LINES", scratch("typed", lines)).run();
    wrong += &run.stdout;
    assert!(run.status == Some(0) && wrong.is_empty(), "{wrong}\n{run}");
}

/// A test for each page that has commands: they run at the same time. What takes long is
/// building the page's kernels for the first time.
macro_rules! run {
    ($($name:ident $page:literal)*) => {
        const RUN: &[&str] = &[$($page),*];
        each! { the_commands_run in CI, "CI: a release breaks a page's commands, a change seldom": $($name $page)* }
    };
}

run! {
    the_commands_of_the_readme_run "README.md"
    the_commands_of_checking_run "docs/checking.md"
    the_commands_of_looking_inside_run "docs/looking-inside.md"
    the_commands_of_occupancy_run "docs/occupancy.md"
    the_commands_of_cache_sets_run "docs/cache-sets.md"
    the_commands_of_tracing_run "docs/tracing.md"
    the_commands_of_measuring_run "docs/measuring.md"
    the_commands_of_setting_up_run "docs/setting-up.md"
    the_commands_of_teaching_run "docs/teaching.md"
    the_commands_of_the_first_hour_run "docs/using-the-course.md"
    the_commands_of_the_reference_run "docs/reference.md"
    the_commands_of_your_kernel_run "docs/your-kernel.md"
    the_commands_of_the_glossary_run "docs/glossary.md"
    the_commands_of_beyond_run "docs/beyond.md"
    the_commands_of_lesson_1_run "lessons/01-device-discovery/README.md"
    the_commands_of_lesson_2_run "lessons/02-saxpy/README.md"
    the_commands_of_lesson_3_run "lessons/03-naive-matmul/README.md"
    the_commands_of_lesson_4_run "lessons/04-coalescing/README.md"
    the_commands_of_lesson_5_run "lessons/05-private-memory/README.md"
    the_commands_of_lesson_6_run "lessons/06-local-memory/README.md"
    the_commands_of_lesson_7_run "lessons/07-vectorization/README.md"
    the_commands_of_lesson_8_run "lessons/08-tiling/README.md"
    the_commands_of_lesson_9_run "lessons/09-tiling-for-a-cpu/README.md"
    the_commands_of_lesson_10_run "lessons/10-feeding-the-tile/README.md"
    the_commands_of_lesson_11_run "lessons/11-autotuning/README.md"
    the_commands_of_lesson_12_run "lessons/12-three-other-kernels/README.md"
    the_commands_of_lesson_13_run "lessons/13-beyond-fp32/README.md"
    the_commands_of_lesson_14_run "lessons/14-several-devices/README.md"
    the_commands_of_lesson_15_run "lessons/15-around-the-product/README.md"
}

#[test]
fn the_commands_of_every_page_are_run_by_a_test() {
    for page in pages() {
        let name = shown(&page);
        let is_run = RUN.contains(&name.as_str());
        assert!(
            is_run || fences(&read(&page)).is_empty(),
            "{name} has commands: give it a test above"
        );
    }
}

/// As `wc -w` counts them: with what they quote, and with what is folded.
#[test]
fn no_page_has_more_words_than_it_may() {
    let count = |page: PathBuf| read(&page).split_whitespace().count();
    let lessons = entries(&workspace().join("lessons"));
    let lessons: Vec<usize> = lessons.iter().map(|one| count(one.join("README.md"))).collect();
    let mut long = Vec::new();
    let mut at_most = |most: usize, what: String, words: usize| {
        if words > most {
            long.push(format!("{what}: {words} words of {most}"));
        }
    };
    at_most(1_200, "README.md".into(), count(workspace().join("README.md")));
    at_most(22_000, "lessons 1 to 8".into(), lessons[..8].iter().sum());
    for (number, words) in (1..).zip(lessons) {
        at_most(4_000, format!("lesson {number}"), words);
    }
    for name in ["latency", "passes", "banks", "occupancy", "cache-sets"] {
        let page = workspace().join(format!("docs/{name}.md"));
        at_most(450, name.into(), count(page));
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// The pages ask for a number before they show one.
#[test]
fn no_result_stands_above_its_prediction() {
    for page in pages() {
        let name = page.parent().and_then(Path::file_name).unwrap_or_default();
        let number = name.to_string_lossy().get(..2).unwrap_or("").to_string();
        if !page.to_string_lossy().contains("lessons/") || !("03"..="10").contains(&&*number) {
            continue;
        }
        let text = read(&page);
        let (above, _) = text.split_once("\n## Run it").expect("it is run");
        // What is counted, the reader counts as well.
        let above = &above.replace("<!-- output: trace ", "");
        for result in ["ladder", "output", "table", "asm"] {
            let directive = format!("<!-- {result}:");
            assert!(!above.contains(&directive), "{number}: {directive}");
        }
        let its = format!(" lesson{number} ");
        let is_result = |line: &str| line.contains(&its) && !line.contains("limits");
        for figure in above.split("<!-- figure: ").skip(1) {
            let figure = figure.split(' ').next().unwrap_or_default();
            let drawn = read(format!("docs/figures/{figure}.svg"));
            let from = drawn.lines().find(|line| is_result(line));
            assert_eq!(from, None, "{number}: the figure {figure}");
        }
        let plain = |text: &str| words(text).split('§').step_by(2).collect::<String>();
        let above = plain(above);
        let claims = read(format!("docs/data/claims/lesson{number}.txt"));
        for claim in claims.split("\n\n").filter(|claim| claim.lines().any(is_result)) {
            let quote = claim.lines().next().unwrap_or_default();
            assert!(!above.contains(&plain(quote)), "{number}: {quote}");
        }
    }
}

/// As "press k", or in the first column of a table of keys.
#[test]
fn the_keys_that_pages_name_are_pressed_by_a_test() {
    let press = Regex::new(r"(?i)\bpress (\S*\w|\?)").expect("a pattern");
    let mut named = Vec::new();
    for page in pages() {
        let text = read(&page);
        let told = press.captures_iter(&text).map(|found| found[1].to_string());
        named.extend(told.map(|key| (shown(&page), key)));
        for table in text.split("\n| key |").skip(1) {
            let rows = table.lines().skip(2).take_while(|row| row.starts_with('|'));
            let cells = rows.filter_map(|row| row.split('|').nth(1));
            let keys = cells.flat_map(|cell| cell.split(','));
            named.extend(keys.map(|key| (shown(&page), key.trim().to_string())));
        }
    }
    named.retain(|(_, key)| {
        let mut pressed = [STEP, WATCH].into_iter().flatten();
        key != "q" && !pressed.any(|(name, _)| name == key)
    });
    assert!(named.is_empty(), "{named:?}");
}

/// A section for each lesson, with a part for kernels, each so many minutes.
#[test]
fn every_lesson_has_notes_whose_minutes_add_up() {
    let (notes, teaching) = (read("docs/notes.md"), read("docs/teaching.md"));
    for lesson in 1..=11 {
        let begin = format!("Lesson {lesson}:");
        let section = notes.split("\n## ").find(|one| one.starts_with(&begin));
        let section = section.unwrap_or_else(|| panic!("no notes on lesson {lesson}"));
        let begin = format!("{lesson:02}-");
        let mut files = kernel_files("kernels").into_iter();
        let file = files.find(|file| shown(file).contains(&begin));
        let kernels = file.map(read).unwrap_or_default();
        let mut minutes = 0;
        for part in section.split("\n### ").skip(1) {
            let heading = part.lines().next().unwrap_or_default();
            let (name, time) = heading.rsplit_once(", ").expect(heading);
            let time = time.split(' ').next().unwrap_or_default();
            minutes += time.parse::<u32>().expect(heading);
            let name = name.trim_matches('`');
            let is_kernel = lesson == 1 || kernels.contains(&format!("{name}("));
            let is_one = is_kernel || name.ends_with("the kernels");
            let is_whole = part.contains("Show:") && part.contains("Ask:");
            assert!(is_one && is_whole, "{lesson}: {name}");
        }
        let title = section.lines().next().unwrap_or_default();
        assert!(title.ends_with(&format!(", {minutes} minutes")), "{title}: {minutes}");
        assert!(section.contains("Goes wrong:"), "{lesson}");
        let mut rows = teaching.lines().filter(|line| line.starts_with(&format!("| {lesson} ")));
        assert!(rows.any(|row| row.contains(&format!(" | {minutes} | "))), "teaching.md, {lesson}");
    }
}
