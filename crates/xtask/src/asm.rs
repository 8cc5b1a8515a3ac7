//! A kernel's machine code in a page, as `course asm` printed it once on some device: all of it or
//! a part, what one round of its loop does, or some lines. The kernel must still be the one that it
//! was made of. `docs/data/asm/DEVICE/KERNEL.txt` is what was printed, `.json` says of what.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use common::source::Source;
use serde_json::{Value, json};

use crate::{kept, pages, record};

/// The flags of `cargo xtask asm`.
#[derive(clap::Args)]
pub struct AsmArgs {
    /// A kernel, and its variant, as `course asm` takes them
    #[arg(required = true, value_name = "KERNEL [VARIANT]")]
    kernel: Vec<String>,
    /// Folder below docs/data/asm/ that receives the listing, for example pocl-avx2
    #[arg(long = "as", value_name = "NAME", value_parser = kept::name)]
    name: String,
    /// Flags handed to `course asm`, for example -- --device 1
    #[arg(last = true)]
    flags: Vec<String>,
}

/// Where a kernel's listing is kept, without its ending.
fn path(device: &str, kernel: &str) -> PathBuf {
    let name = kernel.replace([' ', '/'], "-");
    common::file::workspace().join("docs/data/asm").join(device).join(name)
}

/// Records one kernel, in the variant that is named.
pub fn record(AsmArgs { kernel, name, flags }: &AsmArgs) -> Result<()> {
    let words = [&["asm".to_string()], &kernel[..], flags].concat();
    let told = record::told(&[&words[..], &["--json".into()]].concat(), &[0])?;
    let told = told.first().context("nothing was told")?;
    let text = |field: &str| told[field].as_str().unwrap_or("?");
    let [device, platform, driver] = ["device", "platform", "driver"].map(text);
    let command = words.join(" ");
    let date = watchdog::machine::date("+%Y-%m-%d")?;
    let code = Source::read(text("source").as_ref())?.kernel(&kernel[0]);
    let made = format!(
        "{device}, {platform}, driver {driver}; recorded {date} by `cargo course {command}`"
    );
    let text = code.map(|kernel| kernel.code).unwrap_or_default();
    let origin = serde_json::to_string_pretty(&json!({ "made": made, "text": text }))?;
    let path = path(name, &kernel.join(" "));
    kept::write(path.with_extension("txt"), &record::printed(&words, &[0])?)?;
    kept::write(path.with_extension("json"), &format!("{origin}\n"))
}

/// The last word of a listing that does not say where it was made.
const PLAIN: &str = "plain";

/// `DEVICE KERNEL [VARIANT] [round|3-9] [plain]`: where it was made is left out of a plain one.
pub fn listing(device: &str, words: &[&str]) -> Result<String> {
    let is_plain = words.last() == Some(&PLAIN);
    let (words, part) = split(words);
    let name = words.join(" ");
    let path = path(device, &name);
    let read = |end: &str| kept::read(path.with_extension(end));
    // Where, when and by which command it was made, and of which text.
    let origin: Value = serde_json::from_str(&read("json")?)
        .with_context(|| format!("{} is damaged", path.display()))?;
    let word = |field: &str| origin[field].as_str().unwrap_or_default();
    let kernel = words.first().copied().unwrap_or_default();
    let again = "has changed since; run `cargo xtask asm";
    ensure!(is_the_same(kernel, word("text"))?, "{name} {again} {name} --as {device}` there");
    let text = read("txt")?;
    let shown = part.map_or(Ok(text.clone()), |part| self::part(&text, part))?;
    let made = if is_plain { String::new() } else { format!("\n\n*{}.*", word("made")) };
    Ok(format!("```text\n{}\n```{made}", shown.trim_end()))
}

/// What is not shown by any of these pages, as all of them must.
pub fn unshown(pages: &[PathBuf]) -> Result<Vec<String>> {
    let shown = pages::picked(pages, |words| match words {
        ["asm", device, kernel @ ..] => Some(path(device, &split(kernel).0.join(" "))),
        _ => None,
    })?;
    let mut unshown = Vec::new();
    for folder in kept::entries("docs/data/asm")? {
        let listings = kept::entries(folder)?.into_iter().map(|file| file.with_extension(""));
        unshown.extend(listings.filter(|one| !shown.contains(one)));
    }
    unshown.dedup(); // each has two files
    Ok(unshown.iter().map(|one| format!("no page shows {}", one.display())).collect())
}

/// The words of kernel and variant, and the part that is shown of its listing.
fn split<'w>(words: &'w [&'w str]) -> (&'w [&'w str], Option<&'w str>) {
    let words = words.strip_suffix(&[PLAIN]).unwrap_or(words);
    match words.split_last() {
        Some((last, rest)) if is_part(last) && !rest.is_empty() => (rest, Some(*last)),
        _ => (words, None),
    }
}

fn is_part(word: &str) -> bool {
    word == "round" || pages::range(word).is_some()
}

fn part(text: &str, part: &str) -> Result<String> {
    if part != "round" {
        return pages::lines(text, part);
    }
    // Head, loop and round stand apart by empty lines.
    let round = text.trim_end().split("\n\n").nth(2);
    Ok(round.context("the listing has no round")?.into())
}

/// Whether the kernel is the one that the listing was made of, but for comments and spaces.
fn is_the_same(kernel: &str, then: &str) -> Result<bool> {
    let lesson = watchdog::lessons::with_kernel(kernel)?;
    let (_, file) = lesson.with_context(|| format!("no lesson has a kernel {kernel}"))?;
    let source = Source::of_course(&file)?;
    let now = source.kernel(kernel).map(|kernel| kernel.code);
    Ok(words(&now.unwrap_or_default()) == words(then))
}

fn words(code: &str) -> Vec<&str> {
    let tokens = diagnostics::tokens::Tokens::of(code);
    tokens.all().map(|at| tokens.text(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_do_not_make_another_kernel() {
        let source = Source::of_course("03-naive-matmul.cl").unwrap();
        let code = source.kernel("matmul_naive").unwrap().code;
        let other = code.replacen('{', "{ // a remark\n", 1);
        assert!(is_the_same("matmul_naive", &other).unwrap());
        let other = code.replacen("k++", "k += 2", 1);
        assert!(!is_the_same("matmul_naive", &other).unwrap());
        assert!(is_the_same("matmul_nave", "").is_err());
    }

    #[test]
    fn a_listing_that_no_page_shows_is_named() {
        assert!(!unshown(&[]).unwrap().is_empty());
    }

    #[test]
    fn a_part_of_a_listing_is_cut_out() {
        let text = "head\n  code\n\n    loop\n    loop\n\nround\n  1\n";
        assert_eq!(part(text, "round").unwrap(), "round\n  1");
        assert_eq!(part(text, "2-4").unwrap(), "  code\n\n    loop");
        assert!(part("head", "round").is_err());
        assert_eq!(split(&["f", "round"]), (&["f"][..], Some("round")));
        assert_eq!(split(&["round"]), (&["round"][..], None));
        assert!(is_part("3-9") && !is_part("8x48") && !is_part("x1"));
    }
}
