//! `course record --share`: the lessons on a device, three rounds, in one small file that its
//! maker may send in. Nothing is sent.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use common::Error;
use common::shape::Shape;
use minijinja::context;
use minijinja::value::Serde;
use process::data::date;
use process::data::shared::{FORMAT, ROUNDS, Shared, Timed};
use process::lessons::LESSONS;
use process::{devices, machine};
use text::{Out, aside};

use crate::filled;
use crate::survey::{Survey, write};

/// What is recorded, and where it is written.
#[derive(Args)]
pub struct Options {
    /// Write what the lessons come to on this device to a small file, for the atlas
    #[arg(long, required = true)]
    share: bool,
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type [default: as the lessons choose]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Size of the products, N or MxNxK [default: the lessons' own]
    #[arg(short, long, value_name = "N|MxNxK")]
    size: Option<Shape>,
    /// Lessons to run [default: 3 to 10]
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    lesson: Vec<u32>,
    /// Folder for the file and the text of an issue
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
}

/// Runs the lessons, and writes both files.
pub fn record(options: &Options) -> Result<()> {
    // What is shared is of the device, and the same for all.
    let products = LESSONS.iter().map(|lesson| lesson.number);
    let mut lessons: Vec<u32> = products
        .filter(|number| (3..=10).contains(number))
        .collect();
    lessons.retain(|number| options.lesson.is_empty() || options.lesson.contains(number));
    if lessons.is_empty() {
        return Err(Error::Usage("only lessons 3 to 10 are recorded".into()).into());
    }
    // Before any lesson takes its time.
    write(&options.out, &[])?;
    let device = devices::chosen(options.device.as_deref(), false)?.remove(0);
    let planned = Survey::new(&lessons, options.size.as_slice(), vec![device.clone()])?;
    let mut shared = Shared {
        format: FORMAT,
        course: env!("CARGO_PKG_VERSION").into(),
        commit: planned.commit.clone(),
        date: date("+%Y-%m-%d")?,
        system: [std::env::consts::OS, std::env::consts::ARCH].join(", "),
        host: planned.host.clone(),
        device,
        states: vec![machine::state()],
        ..Shared::default()
    };
    for round in 1..=ROUNDS {
        aside!("round {round} of {ROUNDS}");
        let mut survey = planned.clone();
        survey.run(None, |_| Ok(()))?;
        let done = survey.done.into_iter();
        let records: Vec<_> = done.flat_map(|done| done.records).collect();
        shared.add(&records, machine::state());
    }
    let files = [
        ("shared.json", serde_json::to_string(&shared)?),
        ("issue.md", issue_of(&shared)?),
    ];
    write(&options.out, &files)?;
    let [file, issue] = files.map(|(name, _)| options.out.join(name));
    let (file, issue) = (file.display(), issue.display());
    writeln!(
        Out,
        "Nothing is sent. Read {file}, which is all that there is of this machine; whoever\n\
         wants it in the atlas opens an issue with the text of {issue} and attaches the file."
    )?;
    let faults = shared.faults();
    for fault in &faults {
        aside!("  it will not be taken as it is: {fault}");
    }
    Ok(())
}

/// The text of an issue, to be pasted.
fn issue_of(shared: &Shared) -> Result<String> {
    let kernels = shared.kernels.iter();
    let best = kernels.max_by(|a, b| a.rate().total_cmp(&b.rate()));
    let limits = shared.limits.iter().map(|one| one.gflops);
    let values = context! {
        shared => Serde(shared),
        best => Serde(best),
        rate => best.map(Timed::rate),
        limit => limits.fold(0.0, f64::max),
        rounds => ROUNDS,
    };
    filled("issue.md", include_str!("issue.md"), values)
}
