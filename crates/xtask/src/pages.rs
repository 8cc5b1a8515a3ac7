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
//! is told in one sentence; the whole text stands in the SVG. Sentences that speak of figures
//! have [`claims`].

pub mod claims;
mod table;

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};
use walkdir::WalkDir;

use crate::{asm, figures, kept};

const END: &str = "<!-- end -->";

/// Rewrites the pages, or with `check` only says which would change; then names every claim that
/// the recordings do not bear out. Without files it does so for all, and for the figures, too.
pub fn update(files: &[PathBuf], check: bool) -> Result<()> {
    let (mut files, mut wrong) = (files.to_vec(), Vec::new());
    let (mut stale, mut broken) = (Vec::new(), Vec::new());
    let is_all = files.is_empty();
    if is_all {
        files = markdown_files()?;
        broken = claims::without_page(&files)?;
        stale = figures::update(check)?;
    }
    for file in &files {
        let old = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        let new = generate(&old, &figures::to_root(file));
        let new = new.with_context(|| format!("in {}", file.display()))?;
        broken.extend(claims::broken(file, &new)?);
        stale.extend(kept::updated(std::path::absolute(file)?.display().to_string(), &new, check)?);
    }
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
    if is_all {
        wrong.extend([figures::misplaced(&files)?, asm::unshown(&files)?].concat());
    }
    ensure!(wrong.is_empty(), wrong.join("\n"));
    Ok(())
}

/// Every .md file of the course, outside of what cargo builds.
fn markdown_files() -> Result<Vec<PathBuf>> {
    let walk = WalkDir::new(common::file::workspace()).min_depth(1).sort_by_file_name().into_iter();
    let walk = walk.filter_entry(|entry| {
        let name = entry.file_name().to_string_lossy();
        name != "target" && name != "node_modules" && !name.starts_with('.')
    });
    let mut files = walk.map(|entry| Ok(entry?.into_path())).collect::<Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "md"));
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
        let is_lost = line == END && !fenced;
        ensure!(!is_lost, "{END} stands below no directive: is one misspelt?");
        let Some(directive) = directive(line).filter(|_| !fenced) else { continue };
        let made = make(&directive, root).with_context(|| line.to_string())?;
        ensure!(lines.by_ref().any(|line| line == END), "{line} has no {END} below it");
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
        ["kernel", file, name] => kernel(file, name, None),
        ["kernel", file, name, lines] => kernel(file, name, Some(lines)),
        ["code", file] => code(file, None),
        ["code", file, name] => code(file, Some(name)),
        ["output", run, lesson, lines] => output(run, lesson, lines),
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

/// A function of a kernel file, with the comment above it; or some of its lines, counted from that
/// comment on.
fn kernel(file: &str, name: &str, range: Option<&str>) -> Result<String> {
    let text = common::source::Source::of_course(file)?.text;
    let mut functions = diagnostics::functions::functions(&text).into_iter();
    let function = functions.find(|one| one.name == name);
    let bytes = function.with_context(|| format!("{file} has no kernel {name}"))?.bytes;
    // What belongs to it stands directly above.
    let above = text[..bytes.start].lines().rev();
    let above = above.take_while(|line| !line.is_empty() && *line != "}");
    let start = bytes.start - above.map(|line| line.len() + 1).sum::<usize>();
    let whole = &text[start..bytes.end];
    let part = range.map_or(Ok(whole.into()), |range| lines(whole, range))?;
    ensure!(!part.is_empty(), "no such lines");
    Ok(format!("```c\n{}\n```", at_the_margin(part.lines())))
}

/// Lines, moved to the left margin.
fn at_the_margin<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> String {
    let full = lines.clone().filter(|line| !line.is_empty());
    let indent = full.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let moved = lines.map(|line| line.get(indent..).unwrap_or(""));
    moved.collect::<Vec<_>>().join("\n")
}

/// An item of a Rust file, with the comment above it; the whole file where none is named.
fn code(file: &str, item: Option<&str>) -> Result<String> {
    let text = kept::read(file)?;
    let shown = match item {
        None => text.trim_end().to_string(),
        Some(name) => extract(&text, name).with_context(|| format!("{file} has no item {name}"))?,
    };
    Ok(format!("```rust\n{shown}\n```"))
}

/// The comment and the attributes above the item, and the item up to the brace
/// that closes it, moved to the left margin.
fn extract(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let item = regex_lite::Regex::new(&format!(r"^ *(pub\S* )?(fn|struct|enum) {name}\b")).ok()?;
    let named = lines.iter().position(|line| item.is_match(line))?;
    let indent = lines[named].len() - lines[named].trim_start().len();
    let closes = |line: &&str| line.trim_end() == format!("{:indent$}}}", "");
    let end = named + lines[named..].iter().position(closes)?;
    let above = lines[..named].iter().rev();
    let above = above.take_while(|line| line.trim_start().starts_with(['/', '#'])).count();
    Some(at_the_margin(lines[named - above..=end].iter().copied()))
}

/// Some lines of what a lesson's recorded run printed.
fn output(run: &str, lesson: &str, range: &str) -> Result<String> {
    let text = kept::read(format!("docs/data/{run}/{lesson}.txt"))?;
    Ok(format!("```text\n{}\n```", lines(&text, range)?))
}

/// Some lines of a text, as `3-9`, counted from 1; less where it has fewer.
pub fn lines(text: &str, range: &str) -> Result<String> {
    let [first, last] = self::range(range).context("lines are given as 3-9")?;
    let lines = text.lines().take(last).skip(first.saturating_sub(1));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// The numbers of `3-9`.
pub fn range(word: &str) -> Option<[usize; 2]> {
    let (first, last) = word.split_once('-')?;
    Some([first.parse().ok()?, last.parse().ok()?])
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

    #[test]
    fn an_item_comes_with_its_comment_and_without_its_neighbours() {
        let text = "/// Other.\nfn other() {\n}\n\nimpl X {\n    /// One.\n    #[inline]\n    \
                    pub fn one<T>(n: T) {\n        if n {\n        }\n\n        n\n    }\n}\n";
        let one = "/// One.\n#[inline]\npub fn one<T>(n: T) {\n    if n {\n    }\n\n    n\n}";
        assert_eq!(extract(text, "one").as_deref(), Some(one));
        let other = "/// Other.\nfn other() {\n}";
        assert_eq!(extract(text, "other").as_deref(), Some(other));
        assert_eq!(extract(text, "on"), None);
    }

    #[test]
    fn code_is_an_item_of_a_file_or_the_whole_file() {
        let file = "examples/saxpy/src/main.rs";
        let item = code(file, Some("main")).unwrap();
        assert!(item.starts_with("```rust\nfn main()"), "{item}");
        let whole = code(file, None).unwrap();
        assert!(whole.contains("fn main()") && whole.contains("// 11. "), "{whole}");
        assert!(code(file, Some("nothing")).is_err());
        assert!(code("no/such/file.rs", None).is_err());
    }
}
