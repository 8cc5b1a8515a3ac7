//! Reads forms from files, of which one may be launched as another says, and says where in a file a
//! field stands.

use std::{collections::BTreeMap, fmt::Display, path::Path};

use common::{Error, Result, device::Kind, file};
use diagnostics::near::did_you_mean;
use toml::Spanned;
use toml::de::{self, DeString, DeTable, DeValue};

use crate::drawn::allowed_by;
use crate::form::{Check, Form, Given, LAUNCH, Least, Or, form_of};

impl Form {
    /// Reads a file; its other files are found from its folder on.
    ///
    /// # Errors
    /// [`Error::Usage`] with the line and what would be right.
    pub fn read(path: &Path) -> Result<Form> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut form = Form::of(&contents(path)?, path)?;
        if form.kernel.as_os_str().is_empty() {
            return Err(cannot(path, &"kernel is missing: kernel = \"FILE.cl\""));
        }
        form.kernel = folder.join(&form.kernel);
        form.options = below(folder, &form.options);
        if let Some(Or::Table(Check { same_as: Some(reference), .. })) = &mut form.check {
            reference.kernel = folder.join(&reference.kernel);
        }
        if let Some((key, why)) = form.contradicts() {
            return Err(Error::Usage(format!("{}: {key}: {why}", place(path, &key))));
        }
        let launches = std::iter::once(&mut form.launch).chain(&mut form.launches);
        for given in launches.flat_map(|one| &mut one.args) {
            if let Or::Table(Given { fill: Some(Or::Plain(fill)), .. }) = given
                && fill.ends_with(".cl")
            {
                *fill = folder.join(&*fill).to_string_lossy().into();
            }
        }
        Ok(form)
    }

    /// This task, launched as another one says. What its inputs hold stays its own.
    pub fn launched_as(&self, other: Form) -> Form {
        let mut task = Form {
            define: other.define,
            launch: other.launch,
            launches: other.launches,
            ..self.clone()
        };
        let mut own = self.clone();
        let mut fills = own.inputs().map(|one| one.fill.take());
        for input in task.inputs() {
            input.fill = fills.next().flatten();
        }
        task
    }

    /// The arguments that hold something before the launches, in their order.
    fn inputs(&mut self) -> impl Iterator<Item = &mut Given> {
        let launches = std::iter::once(&mut self.launch).chain(&mut self.launches);
        launches.flat_map(|one| &mut one.args).filter_map(|arg| match arg {
            Or::Table(given) if given.input.is_some() || given.inout.is_some() => Some(given),
            _ => None,
        })
    }

    /// The form in a text that lies at this path. One that is `like` another, which lies beside it,
    /// has all of that one that it does not say.
    ///
    /// # Errors
    /// [`Error::Usage`] with the line and what would be right.
    pub fn of(text: &str, path: &Path) -> Result<Form> {
        let (own, form) = parsed(text, path)?;
        let of_rows = [
            ("where", !form.r#where.is_empty() && form.tune.is_empty()),
            ("first", form.first),
            ("fits", !form.fits.is_empty()),
            ("order", form.order.is_some()),
            ("preferred", form.preferred.is_some()),
            ("names", !form.names.is_plain()),
            ("define", !form.define.is_plain()),
        ];
        if let Some((key, _)) = of_rows.into_iter().find(|(_, is_said)| *is_said) {
            let at = position(text, find(text, key).unwrap_or_default());
            let why = format!(
                "{at}: {key} is for a lesson's rows, of which there are several; a task has \
                 variants = [{{ TS = 8 }}, {{ TS = 16 }}], or tune, beside which where may stand"
            );
            return Err(cannot(path, &why));
        }
        let Some(like) = &form.like else { return Ok(form) };
        let base = path.with_file_name(like);
        let text_of_base = contents(&base)?;
        let (mut all, base) = parsed(&text_of_base, &base)?;
        if base.like.is_some() {
            let why = format!("like: {like} is like another file itself: name that one");
            return Err(cannot(path, &why));
        }
        let (mut own, known) = (own.into_inner(), all.get_mut());
        own.remove("like");
        if ["global", "groups", "launches"].iter().any(|range| own.contains_key(*range)) {
            // A launch is replaced as a whole.
            for key in ["global", "groups", "local", "offset"] {
                known.remove(key);
            }
        }
        known.extend(own);
        form_of(all, text).map_err(|why| cannot(path, &why.message()))
    }
}

/// A text's table, and the form that it says by itself.
fn parsed<'t>(text: &'t str, path: &Path) -> Result<(Spanned<DeTable<'t>>, Form)> {
    let table = DeTable::parse(text).map_err(|why| cannot(path, &why))?;
    if let Some(words) = table.get_ref().iter().find_map(unshown) {
        let why = format!("{words:?} has a control character, which no terminal can show");
        return Err(cannot(path, &why));
    }
    let form = form_of(table.clone(), text).map_err(|why| cannot(path, &near(&why)))?;
    Ok((table, form))
}

/// Options whose folders of headers are found from this one on.
fn below(folder: &Path, options: &str) -> String {
    let mut is_folder = false;
    let words = options.split_whitespace().map(|word| {
        let named = word.strip_prefix("-I").filter(|named| !named.is_empty());
        let name = named.or(Some(word).filter(|_| is_folder));
        is_folder = word == "-I";
        let sign = if named.is_some() { "-I" } else { "" };
        name.map_or(word.into(), |name| format!("{sign}{}", folder.join(name).display()))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A key or a text that no terminal can show.
fn unshown<'a>(field: (&'a Spanned<DeString>, &'a Spanned<DeValue>)) -> Option<&'a str> {
    let is_unshown = |text: &&str| text.contains(|c: char| c.is_control() && !"\n\t".contains(c));
    let (key, value) = field;
    let inside = match value.get_ref() {
        DeValue::String(text) => Some(&**text).filter(is_unshown),
        DeValue::Array(all) => all.iter().find_map(|value| unshown((key, value))),
        DeValue::Table(all) => all.iter().find_map(unshown),
        _ => None,
    };
    inside.or(Some(&**key.get_ref()).filter(is_unshown))
}

impl Form {
    /// A field that goes with no other one, and why.
    fn contradicts(&self) -> Option<(String, String)> {
        let told = |key: &str, why: &str| Some((key.to_string(), why.to_string()));
        if !self.launch.global.is_empty() && !self.launch.groups.is_empty() {
            return told("groups", "global says that already: write one of them");
        }
        if self.lesson.is_some() {
            let why = "a lesson launches its kernels without a task file: name FILE.cl itself";
            return told("lesson", why);
        }
        let sizes = self.sizes.iter().flat_map(BTreeMap::keys);
        let mut unknown = sizes.map(|name| ("sizes", name));
        let drawn = self.draw.keys().map(|name| ("draw", name));
        let is_unknown = |(_, name): &(_, &String)| !self.size.contains_key(*name);
        if let Some((key, name)) = unknown.by_ref().chain(drawn).find(is_unknown) {
            return told(key, &format!("{name} is no name of size"));
        }
        for (name, formula) in &self.draw {
            if !allowed_by(formula, 1).iter().any(|size| *size > 0) {
                let why = format!("\"{formula}\" is no size at i = 1: write one such as \"64*i\"");
                return told(&format!("draw.{name}"), &why);
            }
        }
        let is_share = |least: &Least| {
            let all = [Some(Kind::Cpu), None].map(|kind| least.on(kind));
            all.iter().all(|share| *share > 0.0 && share.is_finite())
        };
        let (limit, _) = self.at_least.iter().find(|(_, least)| !is_share(least))?;
        told("at-least", &format!("the share of {limit:?} must be a number above 0").to_lowercase())
    }
}

fn contents(path: &Path) -> Result<String> {
    let read = file::read(path, 1 << 20).map_err(|error| error.to_string());
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|why| why.to_string()));
    text.map_err(|why| Error::file(path, why))
}

/// What serde says of a key that it does not know names all that it knows: the nearest will do.
fn near(why: &de::Error) -> String {
    let says = why.message();
    let mut names = says.split('`').skip(1).step_by(2);
    let told = match (says.starts_with("unknown field "), names.next()) {
        (true, Some(name)) => {
            let all = names.flat_map(|name| match name {
                "launch" => LAUNCH[..LAUNCH.len() - 1].to_vec(),
                name => vec![name],
            });
            let all: Vec<String> = all.map(String::from).collect();
            format!("there is no key {name}; {}", did_you_mean(name, &all))
        }
        _ => says.into(),
    };
    why.to_string().replace(says, &told)
}

fn cannot(path: &Path, why: &dyn Display) -> Error {
    Error::Usage(format!("{}: {}", path.display(), why.to_string().trim_end()))
}

/// "FILE, line 3, column 7": where a field of the form in this file stands, or the nearest one around
/// it; in the file that it is `like`, where that one says it.
pub fn place(path: &Path, key: &str) -> String {
    let found = |path: &Path| {
        let text = contents(path).ok()?;
        Some(format!("{}, {}", path.display(), position(&text, find(&text, key)?)))
    };
    let in_base = || {
        let table: toml::Table = contents(path).ok()?.parse().ok()?;
        found(&path.with_file_name(table.get("like")?.as_str()?))
    };
    found(path).or_else(in_base).unwrap_or_else(|| path.display().to_string())
}

/// A text of rows, and the source file of the program that reads it.
#[derive(Clone, Copy)]
pub struct Rows<'t> {
    /// The text.
    pub text: &'t str,
    /// The source file, as the compiler names it.
    pub of: &'t str,
}

impl Rows<'_> {
    /// An error with the place of the field that it is about, in the text.
    pub fn placed(&self, error: Error) -> Error {
        match error {
            Error::At { key, error } => {
                self.wrong(find(self.text, &key).unwrap_or_default(), &error)
            }
            error => error,
        }
    }

    /// That they cannot be read.
    pub(crate) fn unread(&self, why: &de::Error) -> Error {
        self.wrong(why.span().map_or(0, |span| span.start), &why.message())
    }

    fn wrong(&self, at: usize, why: &dyn Display) -> Error {
        let at = position(self.text, at);
        Error::Usage(format!("the rows of {}, {at}: {why}", self.of))
    }
}

impl<'t> From<&'t str> for Rows<'t> {
    fn from(text: &str) -> Rows<'_> {
        Rows { text, of: "the text" }
    }
}

/// "line 3, column 7" of a text.
fn position(text: &str, at: usize) -> String {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("line {line}, column {column}")
}

/// Where a field stands in a text, or the nearest one around it.
fn find(text: &str, key: &str) -> Option<usize> {
    /// What a field may be called instead.
    const OTHERWISE: [(&str, &str); 4] =
        [("global", "groups"), ("local", "local-hint"), ("names", "define"), ("packs", "reduces")];
    type Value<'t> = Spanned<DeValue<'t>>;
    fn field<'a, 't>(table: &'a DeTable<'t>, name: &str) -> Option<&'a Value<'t>> {
        let of = |name: &str| table.iter().find(|(key, _)| key.get_ref() == name);
        let other = || OTHERWISE.iter().find(|(one, _)| *one == name);
        let found = of(name).or_else(|| of(other()?.1));
        found.map(|(_, value)| value)
    }
    let root = DeTable::parse(text).ok()?;
    let mut steps = key.split(['.', '[', ']']).filter(|step| !step.is_empty());
    let mut value = field(root.get_ref(), steps.next()?)?;
    for step in steps {
        let inner = match value.get_ref() {
            DeValue::Table(table) => field(table, step),
            DeValue::Array(all) => step.parse().ok().and_then(|at: usize| all.get(at)),
            _ => None,
        };
        let Some(inner) = inner else { break };
        value = inner;
    }
    Some(value.span().start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_field_has_its_own_place_in_the_second_of_several_launches_too() {
        let text = "size = { n = 8 }\ncheck = '1'\n\n[[launches]]\nglobal = ['n']\nlocal = [8]\n\
                    args = ['n', { between = 'n', name = 'x' }]\n\n[[launches]]\nglobal = ['n']\n\
                    local = [8]\nargs = ['x', 'n', { out = 'n' }]\n";
        for (from, to, place) in [
            ("", "", ""),
            ("\nlocal = [8]\nargs = ['x'", "\nlocal = [8, 1]\nargs = ['x'", "line 11, column 9"),
            ("out = 'n'", "out = 'm'", "line 12, column 27"),
            ("out = 'n'", "out = 'n', fill = 1, in = 1", "line 12, column 19"),
            ("n = 8", "n = -8", "line 1, column 14"),
            ("\nargs = ['x'", "\noffset = ['k']\nargs = ['x'", "line 12, column 10"),
            (
                "['n']\nlocal = [8]\nargs = ['x'",
                "['k']\nlocal = [8]\nargs = ['x'",
                "line 10, column 10",
            ),
            ("check = '1'", "check = { y = '1' }", "line 2, column 15"),
            ("check = '1'", "chekc = '1'", "line 2, column 1"),
            ("check = '1'", "gruop = [8]", "did you mean groups?"),
            ("check = '1'", "offset = 3", "line 2, column 10"),
            ("check = '1'", "launch = {}", "line 2, column 1"),
            ("\nargs = ['x'", "\nofset = [0]\nargs = ['x'", "line 12, column 1"),
            ("\nargs = ['x'", "\noffset = '0'\nargs = ['x'", "line 12, column 10"),
            ("check = '1'", "define = { A = [1, 2] }", "line 2, column 10"),
            ("check = '1'", "first = true", "line 2, column 9: first is for a lesson's rows"),
        ] {
            let text = text.replacen(from, to, 1);
            let made = Form::of(&text, Path::new("task.toml"));
            let made = made.and_then(|form| form.task(&form.size, 1, &[]));
            let told = match made {
                Ok(_) => String::new(),
                Err(Error::At { key, .. }) => {
                    position(&text, find(&text, &key).unwrap_or_default())
                }
                Err(error) => error.to_string(),
            };
            assert!(told.contains(place) && told.is_empty() == place.is_empty(), "{text}\n{told}");
        }
    }

    #[test]
    fn another_launch_leaves_what_inputs_hold_and_what_is_right() {
        let form = |text: &str| Form::of(text, Path::new("")).expect("a form");
        let task = form(
            "size = { n = 1 }\ncheck = 'i'\n\
             args = ['n', { in = 'n', fill = 'random' }, { inout = 'n' }, { out = 'n' }]",
        );
        let own = "size = { n = 2 }\ncheck = '0'\nlaunches = [{ local = [8], \
                   args = ['n', { in = 'n', fill = 0 }, { inout = 'n', fill = 7 }] }]";
        let mut task = task.launched_as(form(own));
        assert_eq!(task.size["n"], 1);
        assert!(matches!(&task.check, Some(Or::Plain(check)) if check.text() == "i"));
        let fills = task.inputs().map(|one| one.fill.as_ref()?.plain().cloned());
        assert_eq!(Vec::from_iter(fills), [Some("random".into()), None]);
        assert_eq!(task.launches[0].local.len(), 1);
    }

    #[test]
    fn a_damaged_task_is_refused_or_makes_a_plan_or_an_error() {
        let kept = "../../tests/kernels/everyday/softmax.toml";
        let kept = std::fs::read(kept).expect("a task of the course");
        damage::must_be_survived(&kept, move |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let Ok(task) = Form::of(&text, Path::new("task.toml")) else { return };
            for words in ["5", "rows=5,cols=70", &text] {
                let _ = task.sizes_of(words);
            }
            for sizes in task.all_sizes() {
                let _ = task.task(&sizes, 1, &[]).and_then(|task| task.plan());
            }
            let _ = task.drawn(7);
        });
    }
}
