//! The broken kernels: what their pages say, and how they are checked.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use common::device::{DEVICE_VARIABLE, variable};
use common::file::workspace;
use common::source::Source;
use inspect::judge::{Case, How, Seen, Subject};
use task::form::Form;
use verify::element::Type;
use watchdog::devices;
use watchdog::lessons;

use crate::game::puzzle::{Kind, Puzzle, page_of};
use crate::game::written::Written;

/// All of them in teaching order: by lesson, and in each the plainest fault first.
pub fn all() -> Result<Vec<Puzzle>> {
    let folder = workspace().join("exercises/broken/explanations");
    let mut all = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let page = entry?.path();
        let cannot = || format!("{} cannot be used", page.display());
        all.push(read(&page).with_context(cannot)?);
    }
    all.sort_by_key(|one| one.task.number);
    let is_in_order = all.iter().map(|one| one.task.number).eq(1..=all.len());
    ensure!(is_in_order, "the numbers in {} have gaps", folder.display());
    Ok(all)
}

fn read(page: &Path) -> Result<Puzzle> {
    let name = page.file_stem().unwrap_or_default().to_string_lossy();
    let file = workspace().join(format!("exercises/broken/{name}.cl"));
    let fresh = Source::read(&file)?.text;
    let mut words = Written::read(page)?;
    let task = Form::of(&words.data, page)?;
    let lesson = lessons::numbered(task.lesson.context("lesson is missing")?)?;
    let head = fresh.strip_prefix("// Symptom: ");
    let head = head.and_then(|text| text.split_once("// Run: "));
    let (symptom, _) = head.context("its kernel does not begin with Symptom: and Run:")?;
    words.title = symptom.replace("\n// ", " ").trim().to_string();
    Ok(Puzzle {
        kind: Kind::Broken,
        lesson: Some(lesson),
        id: format!("d{}", task.number),
        place: format!("diagnose/{:02}", task.number),
        page: page_of(lesson),
        words,
        task,
        fresh,
        ..Puzzle::default()
    })
}

/// Every detector on the learner's copy, run as the kernel's lesson runs it.
pub fn check(puzzle: &Puzzle, file: &Path, how: &How) -> Result<Seen> {
    let subject = Subject::broken(&puzzle.task, file)?;
    // Of PoCL the headers say what is seen, unless the learner chose another.
    let device = match how.device.is_some() || variable(DEVICE_VARIABLE).is_some() {
        true => how.device.clone(),
        false => devices::pocl().map(|pocl| pocl.index.to_string()),
    };
    let how = How { device, ..how.clone() };
    let check = inspect::judge::Check {
        subject: &subject,
        how: &how,
        ty: Type::Float,
        sizes: None,
        times: false,
    };
    let results = check.results()?;
    let mut seen = results.seen();
    if results.may_be_simulated() {
        let first = check.sizes_to_simulate()?.swap_remove(0);
        seen.observations.extend(check.simulated(&Case::of(first))?);
    }
    Ok(seen)
}
