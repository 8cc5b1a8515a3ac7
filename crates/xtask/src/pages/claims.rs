//! The claims of a page: sentences of it that speak of recorded figures, each with the
//! range that a figure must lie in for the sentence to be true.
//!
//! They stand beside the data, in `docs/data/claims/PAGE.txt`, so that a page reads clean:
//!
//! ```text
//! more than 3 times as fast
//!     3.03..3.9 = h200-4096 lesson05 matmul_private_sum / h200-4096 lesson05 matmul_global_sum
//! ```
//!
//! A line that begins at the margin is quoted from the page. The indented lines below it
//! are its claims; `claim.rs` says which figures one can name. PAGE is `lesson05` for a
//! lesson, `kernels` for kernels/README.md, else the file's name without its end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use common::clone::workspace;

use super::claim::check;
use crate::kept;

/// The file that holds a page's claims, if it has any.
pub fn file_of(page: &Path) -> PathBuf {
    let stem = |path: &Path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let folder = page.parent().map(stem).unwrap_or_default();
    let above = page.ancestors().nth(2).map(stem).unwrap_or_default();
    let is_at_the_root = || {
        let page = page.canonicalize();
        page.is_ok_and(|page| page.parent() == workspace().canonicalize().ok().as_deref())
    };
    let name = match folder.split_once('-') {
        Some((number, _)) if above == "lessons" => format!("lesson{number}"),
        _ if stem(page) == "README" && !is_at_the_root() => folder,
        _ => stem(page),
    };
    workspace().join(format!("docs/data/claims/{name}.txt"))
}

/// The claims of a page that do not hold, and quotes that it does not contain, each with
/// its line's number in the page's file of claims.
pub fn broken(page: &Path, text: &str) -> Result<Vec<String>> {
    let file = file_of(page);
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let claims = kept::read(&file)?;
    let named = |broken| format!("{}:{broken}", file.display());
    Ok(broken_of(&claims, text).into_iter().map(named).collect())
}

fn broken_of(claims: &str, page: &str) -> Vec<String> {
    let page = one_line(page);
    let mut broken = Vec::new();
    for (line, number) in claims.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') {
            if let Err(error) = check(line.trim()) {
                broken.push(format!("{number}: {}\n    {error:#}", line.trim()));
            }
        } else if !page.contains(&one_line(line)) {
            broken.push(format!("{number}: the page does not say: {line}"));
        }
    }
    broken
}

/// As a reader sees it: wherever lines end, and wherever links lead.
fn one_line(text: &str) -> String {
    let mut seen = String::new();
    let mut parts = text.split("](");
    seen += parts.next().unwrap_or_default();
    for part in parts {
        if let Some(bracket) = seen.rfind('[') {
            seen.remove(bracket);
        }
        seen += part.split_once(')').map_or("", |(_, behind)| behind);
    }
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The files of claims that belong to none of these pages.
pub fn without_page(pages: &[PathBuf]) -> Result<Vec<String>> {
    let known: BTreeSet<PathBuf> = pages.iter().map(|page| file_of(page)).collect();
    let files = kept::entries("docs/data/claims")?.into_iter();
    let lost = files.filter(|file| !known.contains(file));
    Ok(lost
        .map(|file| format!("{}: no such page", file.display()))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUE: &str = "    1..9000 = h200-4096 lesson03 matmul_naive";

    #[test]
    fn a_lessons_claims_are_named_by_its_number() {
        let name = |page: &str| file_of(Path::new(page)).file_name().map(PathBuf::from);
        let lesson = name("/x/lessons/05-private-memory/README.md");
        assert_eq!(lesson, Some("lesson05.txt".into()));
        assert_ne!(lesson, name("/x/problems/05-sums/README.md"));
        assert_eq!(
            name("/x/docs/memory-model.md"),
            Some("memory-model.txt".into())
        );
        assert_eq!(name("/x/kernels/README.md"), Some("kernels.txt".into()));
        let readme = file_of(&workspace().join("README.md"));
        assert_eq!(readme.file_name(), Some("README.txt".as_ref()));
    }

    #[test]
    fn a_sentence_is_found_whatever_it_links_to() {
        let page = "A[i] of a [warp](../../docs/glossary.md#warp)\nis [twice](#why) as fast";
        assert_eq!(one_line(page), "A[i] of a warp is twice as fast");
        assert_eq!(one_line("half a [link](../x"), "half a link");
    }

    #[test]
    fn a_claim_needs_its_sentence_and_its_figure() {
        let page = "It is more than\n3 times as fast.";
        assert!(broken_of(&format!("more than 3 times\n{TRUE}\n"), page).is_empty());
        let lost = broken_of(&format!("# a remark\n\nmore than 4 times\n{TRUE}\n"), page);
        assert_eq!(lost, ["3: the page does not say: more than 4 times"]);
        let wrong = "more than 3 times\n    1..2 = h200-4096 lesson03 matmul_naive\n";
        let broken = broken_of(wrong, page);
        assert!(broken[0].starts_with("2: 1..2 = "), "{broken:?}");
    }
}
