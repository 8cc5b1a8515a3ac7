//! From `main` to a running lesson, and from its end to an exit status.

use std::process::ExitCode;

use clap::{Args, Command, FromArgMatches, Parser};
use common::error::{Error, Result};
use common::record::Of;
use verify::{draw::Far, matrix::Fill};
use watchdog::{must_be_shown, status_of, watch};

use crate::flags::{Flags, apply_color, place_of, sources};
use crate::{lesson::Lesson, report::Report};

/// Runs a lesson: `body` does what is the lesson's own, once for each size that
/// was asked for. `files` are its kernel files below `kernels/`.
pub fn lesson(
    number: u32,
    title: &'static str,
    files: &'static [&'static str],
    body: impl Fn(&mut Lesson) -> Result<()>,
) -> ExitCode {
    lesson_with(number, title, files, |lesson, _: &()| body(lesson))
}

/// Runs a lesson that has flags of its own, beside those that all share.
pub fn lesson_with<Own: Args>(
    number: u32,
    title: &'static str,
    files: &'static [&'static str],
    body: impl Fn(&mut Lesson, &Own) -> Result<()>,
) -> ExitCode {
    let is_child = watchdog::is_child();
    if !is_child && let Err(error) = must_be_shown() {
        return ExitCode::from(status_of(Err(error)));
    }
    let shared = Flags::augment_args(Command::new(format!("lesson{number:02}")))
        .next_help_heading("Flags of this lesson");
    // Last, since the lesson's own flags come with a description of theirs.
    let command = Own::augment_args(shared).about(format!("Lesson {number}: {title}"));
    let matches = command.get_matches();
    let flags = Flags::from_arg_matches(&matches)
        .and_then(|flags| Ok((flags, Own::from_arg_matches(&matches)?)));
    let (flags, own) = flags.unwrap_or_else(|error| error.exit());
    apply_color(flags.color);
    let status = if is_child {
        let begun = Lesson::begin(Of::Lesson(number), title, files, flags);
        in_the_child(begun, |lesson| {
            let mut sizes: Vec<_> = lesson.flags.sizes.iter().copied().map(Some).collect();
            if sizes.is_empty() {
                sizes.push(None);
            }
            let fills = match lesson.flags.extreme {
                true => Far::ALL.map(Fill::Far).to_vec(),
                false => vec![lesson.flags.fill],
            };
            let runs = fills.iter().flat_map(|fill| sizes.iter().map(move |size| (fill, size)));
            for (i, (fill, size)) in runs.enumerate() {
                if i > 0 {
                    lesson.say("")?;
                }
                (lesson.flags.fill, lesson.size) = (*fill, *size);
                body(lesson, &own)?;
            }
            Ok(())
        })
    } else {
        status_of(in_the_parent(number, files, &flags))
    };
    ExitCode::from(status)
}

/// Runs tasks, of no lesson, in a process that was started for them.
pub fn tasks(body: impl FnOnce(&mut Lesson) -> Result<()>) -> ExitCode {
    let flags = Flags::parse();
    apply_color(flags.color);
    let begun = Lesson::begin(Of::Task, "a task", &[], flags);
    ExitCode::from(in_the_child(begun, body))
}

/// The lesson's work, and its exit status, which is told before the driver ends.
fn in_the_child(begun: Result<Lesson>, body: impl FnOnce(&mut Lesson) -> Result<()>) -> u8 {
    let (lesson, result) = match begun {
        Ok(mut lesson) => {
            let result = body(&mut lesson);
            if let Err(Error::Asked(_)) = result {
                lesson.console.report.drop_torso();
            }
            let result = result.and_then(|()| lesson.end());
            let closed = lesson.console.close();
            let error = result.as_ref().err();
            let told = error.map_or(Ok(()), |error| lesson.console.report.error(error));
            (Some(lesson), result.and(closed).and(told).map(|()| 0))
        }
        Err(error) => (None, Err(error)),
    };
    let status = status_of(result);
    watchdog::leave(status);
    drop(lesson);
    status
}

/// What needs no device is done at once; the rest by a child.
fn in_the_parent(number: u32, files: &'static [&'static str], flags: &Flags) -> Result<u8> {
    if flags.notes {
        let notes = crate::step::notes(number).trim_end();
        return Report::new(false).line(notes).map(|()| 0);
    }
    if flags.list {
        let report = Report::new(false);
        for source in sources(files, flags)? {
            let kernels = source.kernels();
            kernels.iter().try_for_each(|name| report.line(name))?;
        }
        return Ok(0);
    }
    if flags.watch {
        let no_file = "this lesson has no kernel file that --watch could watch";
        let first = flags.only.first().map_or("", String::as_str);
        let at = place_of(first, &sources(files, flags)?);
        let path = flags.kernel_files(files).into_iter().nth(at);
        let path = path.ok_or_else(|| Error::Usage(no_file.into()))?;
        watch::run(&path, &flags.orders(), || sources(files, flags).map(drop))?;
        return Ok(0);
    }
    if let Err(error) = sources(files, flags) {
        Report::new(flags.json).error(&error)?;
        return Err(error);
    }
    watchdog::run(&flags.orders())
}
