//! What a tool is to look at: a kernel of a lesson, a task file, or a kernel file whose
//! arguments leave one reading only.

use std::path::{Path, PathBuf};

use anyhow::Result;
use common::{Error, source::Source};
use diagnostics::directives;
use task::draft::{Draft, Undrafted};
use task::{form::Form, signature::Signature, sizes, sizes::Sizes};
use verify::element::Type;
use watchdog::lessons::{self, Lesson};

use crate::judge::answer::End;
use crate::judge::asked::{self, Asked, Case, How};

/// Where most faults of a product's indices show: three odd sides, none a multiple of a group's;
/// a long sum, which kernels take in pieces; and one that divides by nothing.
const SIZES: [&str; 3] = ["37x91x53", "5x6x1030", "65x63x17"];
/// The same for what works on vectors, as lesson 2 does.
const LENGTHS: [&str; 2] = ["1303", "7"];

/// Sides of what is launched once, where nobody says any.
const SMALL: &str = "32";

/// What may be said of a launch without a task file.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "How the kernel is launched")]
pub struct LaunchFlags {
    /// Items of a work-group [default: what the kernel or its task names, else 16x16]
    #[arg(long, value_name = "N|NxN", value_parser = sides)]
    pub group: Option<Sides>,
    /// A macro for the compiler; may be given more than once
    #[arg(long, value_name = "NAME=VALUE", value_parser = macro_of)]
    pub define: Vec<(String, String)>,
}

/// The sides of a group. By this name they are one value of a flag, not several.
pub type Sides = Vec<usize>;

/// What is looked at.
pub struct Subject {
    /// The kernel, and how it is launched.
    pub form: Form,
    /// The file that says so, where neither a lesson nor the arguments say it all.
    said_in: Option<PathBuf>,
    /// How it is launched, in words.
    pub launched: String,
}

impl Subject {
    /// Those of a file: of a task file one, of a kernel file all, or those that are named. Of those
    /// that are `without_data` nobody asks what they are given.
    ///
    /// # Errors
    /// [`Error::Usage`] where a kernel's arguments leave more than one reading.
    pub fn all(
        file: &Path,
        only: &[String],
        flags: &LaunchFlags,
        ty: Type,
        how: &How,
        without_data: bool,
    ) -> Result<Vec<Subject>> {
        if is_task(file) {
            let subject = Subject::of_task(file, flags, how)?;
            if let Some(other) = only.iter().find(|name| *name != subject.kernel()) {
                let (file, own) = (file.display(), subject.kernel());
                let why = format!("--only {other}: the task of {file} is {own}, and no other");
                return Err(Error::Usage(why).into());
            }
            return Ok(vec![subject]);
        }
        let source = Source::read(file)?;
        only.iter().try_for_each(|name| source.must_define(name))?;
        let mut names = if only.is_empty() { source.kernels() } else { only.to_vec() };
        let own = |name: &String| {
            let lesson = lessons::with_kernel(name);
            lesson.map(|lesson| lesson.filter(|_| *flags == LaunchFlags::default()))
        };
        let is_told: Result<Vec<_>> = names.iter().map(own).collect();
        let mut drafted = Vec::new();
        let is_made = names.is_empty() && source.text.contains("kernel");
        if is_made || is_told?.iter().any(Option::is_none) {
            drafted = drafts(file, flags, ty, how, without_data)?;
            if only.is_empty() {
                names = drafted.iter().map(|one| one.0.kernel.clone()).collect();
            }
        }
        if names.is_empty() {
            let file = file.display();
            return Err(Error::Unlaunchable(format!("{file} defines no kernel")).into());
        }
        let subject = |name: &String| match own(name)? {
            Some((lesson, _)) => Ok(Subject::of_lesson(lesson, name, file)),
            None => drawn_up(file, name, &drafted, flags),
        };
        names.iter().map(subject).collect()
    }

    /// A lesson's kernel in a file, where most faults show.
    fn of_lesson(lesson: &Lesson, kernel: &str, file: &Path) -> Subject {
        let sizes = match lesson.is_of_vectors {
            true => &LENGTHS[..],
            false => &SIZES,
        };
        let mut sizes = sizes.iter().filter_map(|words| sizes::of_words(words).ok());
        let mut form = Form {
            kernel: file.into(),
            lesson: Some(lesson.number),
            size: sizes.next().unwrap_or_default(),
            sizes: sizes.collect(),
            ..Form::default()
        };
        form.launch.function = kernel.into();
        Subject {
            form,
            said_in: None,
            launched: format!("as in lesson {}, which has a kernel of this name", lesson.number),
        }
    }

    /// A copy of a lesson's kernel that is wrong at the size that its form says.
    pub fn broken(form: &Form, file: &Path) -> Result<Subject> {
        let lesson = lessons::numbered(form.lesson.unwrap_or_default())?;
        let mut subject = Subject::of_lesson(lesson, &form.launch.function, file);
        subject.form.size.clone_from(&form.size);
        Ok(subject)
    }

    /// That of a task file.
    pub fn of_task(path: &Path, flags: &LaunchFlags, how: &How) -> Result<Subject> {
        let mut task = Form::read(path)?;
        let source = Source::read(&task.kernel)
            .map_err(|error| Error::Usage(format!("{}: kernel: {error}", path.display())))?;
        task.define.extend(flags.define.clone());
        if let Some(group) = &flags.group {
            task.launch.local = group.iter().copied().map(Into::into).collect();
        }
        if let ("", Some(last)) = (&*task.launch.function, task.launches.last()) {
            task.launch.function.clone_from(&last.function);
        }
        if task.launch.function.is_empty() {
            let mut names = source.kernels();
            let given = task.define.firsts().map(|(name, _)| name);
            let mut macros = directives::macros(&source.text).map(|one| one.0).chain(given);
            if names.len() != 1 || macros.any(|name| name == names[0]) {
                let all = asked::signatures(&task, Type::Float, how)?;
                names = all.into_iter().map(|one| one.kernel).collect();
            }
            let [only] = &names[..] else {
                let (path, kernel) = (path.display(), task.kernel.display());
                let why = format!("{path}: function is missing: {kernel} has the kernels");
                return Err(Error::Usage(format!("{why} {}", names.join(", "))).into());
            };
            task.launch.function.clone_from(only);
        }
        Ok(Subject {
            form: task,
            said_in: Some(path.into()),
            launched: format!("as {} says", path.display()),
        })
    }

    /// Its name.
    pub fn kernel(&self) -> &str {
        &self.form.launch.function
    }

    /// The lesson that launches it, if one does.
    pub fn lesson(&self) -> Result<Option<&'static Lesson>> {
        self.form.lesson.map(lessons::numbered).transpose()
    }

    /// The task, where no lesson launches it.
    pub fn task(&self) -> Option<&Form> {
        Some(&self.form).filter(|form| form.lesson.is_none())
    }

    /// Whether a file says what it is to do.
    pub fn has_file(&self) -> bool {
        self.said_in.is_some()
    }

    /// Whether it has one size.
    pub fn is_on_vectors(&self) -> bool {
        self.form.product.is_none() && self.form.size.len() == 1
    }

    /// The sizes that the learner asks for: several with commas between them, or a task's names.
    pub fn sizes(&self, words: Option<&str>) -> Result<Option<Vec<Sizes>>> {
        let one = |word: &str| Ok(self.form.sizes_of(word)?);
        Ok(match words {
            None => None,
            Some(words) if words.contains('=') => Some(vec![one(words)?]),
            Some(words) => Some(words.split(',').map(one).collect::<Result<_>>()?),
        })
    }

    /// The worker that launches it once, by a lesson's flags; a task at this size.
    pub fn launch(&self, size: Option<&str>) -> Result<watchdog::worker::Work> {
        if let Some(lesson) = self.lesson()? {
            return lesson.work();
        }
        let sizes = match size {
            Some(size) => self.form.sizes_of(size)?,
            None if self.has_file() => self.form.size.clone(),
            None => self.form.sizes_of(SMALL)?,
        };
        Asked::of(&self.form, vec![Case::of(sizes)]).unchecked().work()
    }

    /// What a worker said of it, with the place of the task's field that it is about.
    pub fn located(&self, end: &End) -> String {
        let message = end.told().to_string();
        let Some(path) = &self.said_in else { return message };
        let key = match end {
            End::Refused(failure) => failure.key.as_deref(),
            _ => None,
        };
        format!("{}: {message}", task::read::place(path, key.unwrap_or_default()))
    }
}

/// Whether a kernel of the learner's own is meant.
pub fn is_own(wanted: &crate::launched::Wanted) -> bool {
    wanted.source.is_some() || is_task(Path::new(&wanted.kernel))
}

/// Whether a file is a task's.
pub fn is_task(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "toml")
}

/// A file's kernels, each with a draft of its task; of those of which nobody asks what they are
/// given, `without_data`, that is known in any case.
///
/// # Errors
/// As the process ended that asks the driver: no device, a file that does not build.
pub fn drafts(
    file: &Path,
    flags: &LaunchFlags,
    ty: Type,
    how: &How,
    without_data: bool,
) -> Result<Vec<(Signature, Draft)>> {
    let mut bare = Form { kernel: file.into(), ..Form::default() };
    bare.define.extend(flags.define.clone());
    let all = asked::signatures(&bare, ty, how)?;
    let name = file.file_name().unwrap_or(file.as_os_str());
    let name = name.to_string_lossy();
    let group = flags.group.as_deref();
    let text = Source::read(file)?.text;
    let drafted = |signature: Signature| {
        let kernel = Undrafted { signature: &signature, define: &flags.define, file: &name, group };
        let mut draft = kernel.draft(&text);
        if without_data && draft.says.is_empty() {
            draft = kernel.blank();
        }
        (signature, draft)
    };
    Ok(all.into_iter().map(drafted).collect())
}

/// A task from a kernel's arguments alone.
fn drawn_up(
    file: &Path,
    name: &str,
    drafts: &[(Signature, Draft)],
    flags: &LaunchFlags,
) -> Result<Subject> {
    let own = drafts.iter().find(|one| one.0.kernel == name);
    let (signature, drawn) = own.ok_or_else(|| {
        let names: Vec<&str> = drafts.iter().map(|one| one.0.kernel.as_str()).collect();
        let file = file.display();
        Error::Unlaunchable(format!("{file} has no kernel {name}; there are: {}", names.join(", ")))
    })?;
    if drawn.says.is_empty() {
        let file = file.display().to_string();
        let stem = file.trim_end_matches(".cl");
        let why = format!(
            "{} has arguments that leave more than one reading: say in a task file what they \
             are\n  next: cargo course spec {file} > {stem}.toml   writes a first draft; docs/your-kernel.md \
             is about the rest",
            signature.words()
        );
        return Err(Error::Unlaunchable(why).into());
    }
    let mut task = Form::of(&drawn.text, file)?;
    task.kernel = file.into();
    task.launch.function = name.into();
    task.define.extend(flags.define.clone());
    Ok(Subject { form: task, said_in: None, launched: drawn.says.clone() })
}

/// "16", or "16x8".
fn sides(text: &str) -> Result<Sides, String> {
    let side = |text: &str| text.parse().ok().filter(|&side: &usize| side > 0);
    let sides: Option<Sides> = text.split(['x', 'X']).map(side).collect();
    let sides = sides.filter(|sides| sides.len() <= 3);
    sides.ok_or("write one to three whole numbers above 0, for example 64 or 16x8".into())
}

/// "TILE=16".
fn macro_of(text: &str) -> Result<(String, String), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && name.chars().all(is_plain) => {
            Ok((name.into(), value.into()))
        }
        _ => Err("write a name and its value, for example TILE=16 or T=int".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_and_macros_are_read_or_refused_with_an_example() {
        assert_eq!(sides("64"), Ok(vec![64]));
        assert_eq!(sides("16x8"), Ok(vec![16, 8]));
        for bad in ["", "0", "16x", "1x2x3x4", "-1", "a"] {
            assert!(sides(bad).unwrap_err().contains("16x8"), "{bad}");
        }
        assert_eq!(macro_of("T=int *"), Ok(("T".into(), "int *".into())));
        for bad in ["TILE", "=16", "a b=3"] {
            assert!(macro_of(bad).unwrap_err().contains("TILE=16"), "{bad}");
        }
    }
}
