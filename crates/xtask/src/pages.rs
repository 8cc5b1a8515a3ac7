//! Writes kernels, recorded outputs, tables and figures into the Markdown pages, so that
//! no page can say what the code or a run does not.
//!
//! A page holds a directive, what was generated, and an end:
//!
//! ```text
//! <!-- kernel: 05-private-memory.cl matmul_private_sum -->   a kernel's text
//! <!-- kernel: 08-tiling.cl matmul_register_tile 30-42 -->  some lines of it
//! <!-- code: lessons/11-autotuning/src/search.rs next -->    an item of a Rust file
//! <!-- code: examples/saxpy/src/main.rs -->                  the whole file
//! <!-- output: pocl-1024 lesson05 12-20 -->                  some lines of what a run printed
//! <!-- table: lesson05 pocl-1024 h200-4096 -->               runs, side by side
//! <!-- table: lesson05 pocl-1024 matmul_row* -->             some of its rows
//! <!-- ladder: lesson05 pocl-1024 h200-4096 -->             where a lesson stands
//! <!-- exercises: 5 -->                                      a lesson's exercises
//! <!-- asm: pocl-avx2 matmul_naive round -->                 a kernel's machine code
//! <!-- stages: 01-sum -->                                  a problem's, on each device
//! <!-- figure: coalescing -->                                a picture of `figures`
//! <!-- origin: lesson05 h200-4096 epyc-1000 -->             where a page's figures come from
//! ... generated ...
//! <!-- end -->
//! ```
//!
//! A page with recorded figures says in an `origin` where they come from. What a figure shows
//! is told in one sentence; the whole text stands in the SVG.
//!
//! and sentences that speak of figures have claims in `docs/data/claims/`: the range that a
//! recorded figure, or the ratio of two, must lie in for the sentence to be true. What
//! such a file holds stands in `pages/claims.rs`.

pub mod claims;
pub mod quoted;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use common::file::workspace;
use walkdir::WalkDir;

use crate::{asm, figures, kept};

const END: &str = "<!-- end -->";

/// Rewrites the pages, or with `check` only says which would change; then names
/// every claim that the recordings do not bear out. Without files it does so for all,
/// and for the figures, too.
pub fn update(files: &[PathBuf], check: bool) -> Result<()> {
    let everything = files.is_empty();
    let mut files = files.to_vec();
    let (mut stale, mut broken) = (Vec::new(), Vec::new());
    if everything {
        files = markdown_files(&workspace())?;
        broken = claims::without_page(&files)?;
        stale = figures::update(check)?;
    }
    for file in &files {
        let old = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        let new = generate(&old, &figures::to_root(file));
        let new = new.with_context(|| format!("in {}", file.display()))?;
        broken.extend(claims::broken(file, &new)?);
        stale.extend(kept::updated(std::path::absolute(file)?.display().to_string(), &new, check)?);
    }
    let mut wrong = Vec::new();
    if check && !stale.is_empty() {
        wrong.push(format!(
            "these files differ from the kernels or the data: {}; run `cargo xtask pages`",
            stale.join(", ")
        ));
    }
    if !broken.is_empty() {
        let broken = broken.join("\n  ");
        wrong.push(format!("these claims differ from the recordings:\n  {broken}"));
    }
    if everything {
        wrong.extend(figures::misplaced(&files)?);
        wrong.extend(asm::unshown(&files)?);
    }
    ensure!(wrong.is_empty(), wrong.join("\n"));
    Ok(())
}

/// Every .md file of the course, outside of what cargo builds.
fn markdown_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let walk = WalkDir::new(folder).min_depth(1).into_iter().filter_entry(|entry| {
        let name = entry.file_name().to_string_lossy();
        name != "target" && name != "node_modules" && !name.starts_with('.')
    });
    let mut files = Vec::new();
    for entry in walk {
        files.push(entry?.into_path());
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "md"));
    files.sort();
    Ok(files)
}

/// The page with everything between directives and their ends made anew; `root` leads
/// from the page to the root of the workspace.
fn generate(page: &str, root: &str) -> Result<String> {
    let mut out = String::new();
    let mut lines = page.lines();
    let mut fenced = false;
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        // A directive inside a code fence is quoted, not meant.
        fenced ^= line.starts_with("```");
        if line == END && !fenced {
            bail!("{END} stands below no directive: is one misspelt?");
        }
        let Some(directive) = directive(line).filter(|_| !fenced) else {
            continue;
        };
        let made = make(&directive, root).with_context(|| line.to_string())?;
        if !lines.by_ref().any(|line| line == END) {
            bail!("{line} has no {END} below it");
        }
        out += &format!("{}\n{END}\n", made.trim_end());
    }
    Ok(out)
}

/// The words of `<!-- word: word word -->`. Other comments are remarks.
fn directive(line: &str) -> Option<Vec<&str>> {
    let inside = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (name, arguments) = inside.split_once(": ")?;
    let mut words = vec![name];
    words.extend(arguments.split_whitespace());
    name.chars().all(char::is_alphabetic).then_some(words)
}

/// What is picked of all directives of these pages that stand outside of code fences.
pub fn picked<T: Ord>(
    pages: &[PathBuf],
    pick: impl Fn(&[&str]) -> Option<T>,
) -> Result<BTreeSet<T>> {
    let mut all = BTreeSet::new();
    for page in pages {
        let mut fenced = false;
        for line in kept::read(page)?.lines() {
            fenced ^= line.starts_with("```");
            let words = directive(line).filter(|_| !fenced);
            all.extend(words.and_then(|words| pick(&words)));
        }
    }
    Ok(all)
}

/// What a directive asks for.
fn make(directive: &[&str], root: &str) -> Result<String> {
    match directive {
        ["kernel", file, name] => quoted::kernel(file, name, None),
        ["kernel", file, name, lines] => quoted::kernel(file, name, Some(lines)),
        ["code", file] => quoted::code(file, None),
        ["code", file, name] => quoted::code(file, Some(name)),
        ["output", run, lesson, lines] => quoted::output(run, lesson, lines),
        ["table", lesson, runs @ ..] if !runs.is_empty() => table::kernels(lesson, runs),
        ["origin", lesson, runs @ ..] if !runs.is_empty() => table::origin(lesson, runs),
        ["ladder", lesson, runs @ ..] if !runs.is_empty() => table::bars(lesson, runs),
        ["exercises", lesson] => table::exercises(lesson.parse()?),
        ["asm", device, kernel @ ..] if !kernel.is_empty() => asm::listing(device, kernel),
        ["stages", problem] => table::stages(problem),
        ["figure", name] => figures::image(name, root),
        _ => bail!("there is no such directive, or it is not complete"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_directive_and_end_is_replaced() {
        let page = "before\n<!-- kernel: 02-saxpy.cl saxpy -->\nold\n<!-- end -->\nafter\n";
        let new = generate(page, "").unwrap();
        assert!(new.starts_with("before\n<!-- kernel"), "{new}");
        assert!(new.contains("C[i] = d * A[i] + B[i];"), "{new}");
        assert!(!new.contains("old") && new.ends_with("<!-- end -->\nafter\n"));
        assert_eq!(generate(&new, "").unwrap(), new, "a second time changes nothing");
    }

    #[test]
    fn an_unknown_kernel_or_a_missing_end_fails() {
        assert!(generate("<!-- kernel: 02-saxpy.cl nothing -->\n<!-- end -->\n", "").is_err());
        assert!(generate("<!-- kernel: 02-saxpy.cl saxpy -->\n", "").is_err());
        assert!(generate("<!-- figur: ladder -->\n<!-- end -->\n", "").is_err());
        assert!(generate("<!-- figure: nothing -->\n<!-- end -->\n", "").is_err());
        assert!(generate("<!-- output: no-such-run lesson05 3-9 -->\n<!-- end -->\n", "").is_err());
    }

    #[test]
    fn an_origin_says_where_a_pages_figures_come_from() {
        let origin = make(&["origin", "lesson03", "h200-4096"], "").unwrap();
        assert!(origin.contains("4096x4096x4096, recorded 2026"), "{origin}");
        let table = make(&["table", "lesson06", "h200-4096"], "").unwrap();
        assert!(table.ends_with('|') && !table.contains("recorded"), "{table}");
    }

    #[test]
    fn other_comments_are_left_alone() {
        let page = "<!-- a remark -->\n```text\n<!-- kernel: quoted -->\n```\n";
        assert_eq!(generate(page, "").unwrap(), page);
    }

    #[test]
    fn a_damaged_page_is_made_anew_or_refused() {
        let page = "# x\n<!-- kernel: 02-saxpy.cl saxpy -->\nold\n<!-- end -->\n\n\
                    <!-- output: pocl-1024 lesson05 3-9 -->\n<!-- end -->\n";
        damage::must_be_survived(page.as_bytes(), |bytes| {
            let page = String::from_utf8_lossy(bytes);
            if let Ok(new) = generate(&page, "") {
                assert!(new.lines().count() < 200 + bytes.len());
            }
        });
    }
}
