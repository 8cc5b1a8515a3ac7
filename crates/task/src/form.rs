//! A task as text. Task files, the blocks of exercises and a lesson's rows are [`Form`]s: the same
//! keys mean the same thing wherever they stand.

mod values;

use std::fmt::{self, Display, Formatter};
use std::{collections::BTreeMap, path::PathBuf, slice};

use common::{device::Kind, ndrange, record::Traffic};
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;
use toml::de::{self, DeTable, DeValue};
use verify::{Formula, Type, draw::Draw};

use crate::sizes::{self, Sizes};

pub(crate) use values::sides_of;
pub use values::{Count, Named, Or, SIDES};

/// How a kernel is launched, what it is given, what must come out, and what it costs. Formulas know
/// the sizes, the macros and names, and within a launch the numbers that its kernel is given, and G
/// and H, the sides of the group.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Form {
    // Which kernel.
    /// Its file, from the form's folder on; of a lesson's row the lesson's own.
    pub kernel: PathBuf,
    /// What tells it from others of the same kernel: formulas stand in braces.
    pub variant: String,
    /// What is new in it.
    pub says: String,
    /// The row that it was made from: none for the row above, "" where there is no such row.
    pub from: Option<String>,

    /// The form that says what this one does not: a file beside its own, or a row above.
    pub like: Option<String>,
    /// The lesson that launches it as its own row of this function says: then nothing else is said
    /// but the sizes.
    pub lesson: Option<u32>,

    // For which sizes.
    /// Names for formulas; "37x91x53" is M, N and K.
    #[serde(deserialize_with = "sizes::of")]
    pub size: Sizes,
    /// M, N and K of its record, where these are others than of a product.
    pub shape: Option<[Formula; 3]>,
    /// Further sizes at which it must be right.
    #[serde(deserialize_with = "sizes::several")]
    pub sizes: Vec<Sizes>,
    /// Where it is not for every size: by a formula of i = 1, 2, ... the sizes that it is for.
    pub draw: BTreeMap<String, Formula>,
    /// Sizes at which it is timed, where these are others.
    #[serde(deserialize_with = "sizes::of")]
    pub time: Sizes,
    /// The same for counts, where a simulator looks for faults at another size.
    #[serde(deserialize_with = "sizes::of")]
    pub counted: Sizes,
    /// Macros given to the compiler: numbers, by formulas, or any text.
    pub define: Named,
    /// What it is given beside them: "-I include -cl-fast-relaxed-math".
    pub options: String,
    /// Names for formulas alone.
    pub names: Named,
    /// Other macros, or other values, with each of which it must be right; counted is with the
    /// last. Of a lesson's row each is one more row.
    pub variants: Vec<Named>,
    /// What a tuner tries where `where` allows it: values of macros, or groups.
    pub tune: IndexMap<String, Vec<Tried>>,

    /// Its launch, whose keys stand among the others; of several launches it names the measured
    /// one's function.
    pub launch: LaunchForm,
    /// Several launches, one after the other.
    pub launches: Vec<LaunchForm>,
    /// What is launched before it in every run.
    pub before: Vec<LaunchForm>,
    /// And after it.
    pub after: Vec<LaunchForm>,
    /// How many shares K is cut into: as many groups share the sum of an element of C. They
    /// stand along dimension 2 of the range, and what runs `after` adds up what they found.
    pub shares: Option<Formula>,

    // A product of matrices with the arguments (int M, int N, int K, A, B, C).
    /// How these lie in memory.
    pub product: Option<Layout>,
    /// The type of A and B, where it is not that of C.
    pub inputs: Option<Type>,
    /// What M, N and K are rounded up to.
    pub pad: Option<[Formula; 3]>,
    /// Whether the kernel copes with that, which is told the sizes as they are; else the host pads with
    /// zeros, but where something runs beside the product.
    pub kernel_pads: bool,

    // What is right, and what it costs.
    /// What each element of the output, or of the named ones, must be.
    pub check: Option<Or<Formula, Check>>,
    /// Bytes that it must move.
    pub bytes: Option<Formula>,
    /// Floating-point operations that it must do.
    pub flops: Option<Formula>,
    /// At most so many.
    pub at_most: BTreeMap<Count, Formula>,
    /// At least such a share of what the device does in the same run.
    pub at_least: BTreeMap<Limit, Least>,
    /// Functions that it does without.
    pub without: Vec<String>,
    /// What it trains, in a few words: only a lesson's page says it.
    pub trains: String,
    /// Of a broken kernel its number, since a name would give the cause away.
    pub number: usize,
    /// And what finds it.
    pub seen_by: Vec<String>,

    // Which of a lesson's rows there are.
    /// Without these there is no such row.
    pub r#where: Vec<Formula>,
    /// Of several the first alone is one.
    pub first: bool,
    /// Without these it cannot be chosen.
    pub fits: Vec<Formula>,
    /// Above 0 where it is made for such sizes, and chosen before any other.
    pub preferred: Option<Formula>,
    /// In this order.
    pub order: Option<Formula>,
    /// It is skipped where one of these is not above 0.
    pub needs: Vec<Need>,
    /// Whether a compiler may lack what it uses.
    pub vendor_specific: bool,
}

/// One launch. Of a product it may `pack` A or B as the product's kernel wants it, or `reduce` C to
/// what the problem wants. Then its arguments are (int rows, int columns, from, to), the operand's
/// own sizes.
///
/// Of A and B `from` is the operand as the problem gives it, row-major; `to` has room for the
/// operand with its sides rounded up, and what the product reads of it beyond the operand must
/// be written too. Of C `from` holds the shares of C that the product wrote one after another,
/// each of the size of C, and `to` is C.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LaunchForm {
    /// Its file, where that is not the task's.
    pub kernel: PathBuf,
    /// Name of the kernel, where its file has several.
    pub function: String,
    /// What each dimension of the range counts; rounded up to whole groups. Of a product without
    /// it the columns of C, so that neighbours share a row, and its rows.
    pub global: Vec<Formula>,
    /// The same in groups.
    pub groups: Vec<Formula>,
    /// The items of a group in each dimension.
    pub local: Vec<Formula>,
    /// The same where the device has room for them, else fewer.
    pub local_hint: Vec<Formula>,
    /// The first item's number.
    pub offset: Vec<Formula>,
    /// The arguments in order, unless it is a product.
    pub args: Vec<Or<Formula, Given>>,
    /// Elements that it loads and stores.
    pub traffic: Option<Traffic>,
    /// The operand that it lays out.
    pub packs: Option<String>,
    /// The one that it adds up.
    pub reduces: Option<String>,
    /// The way to its fields from those of the form: "launches[1]."
    #[serde(skip)]
    pub key: String,
}

/// An argument that is more than a number.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// What formulas and later launches call it.
    pub name: Option<String>,
    /// Of its elements, where the driver does not tell.
    #[serde(rename = "type")]
    pub ty: Option<Type>,
    /// A number; of a vector or a struct those of its parts.
    pub value: Option<Or<Formula, Vec<Formula>>>,
    /// Elements that kernels read; two numbers are the width and the height of an image.
    #[serde(rename = "in")]
    pub input: Option<Length>,
    /// Elements that they write, all of them.
    pub out: Option<Length>,
    /// Elements that they change.
    pub inout: Option<Length>,
    /// Elements that one launch leaves to a later one.
    pub between: Option<Length>,
    /// Of an image how its pixels lie: "rgba float".
    pub format: Option<String>,
    /// How images are read: "clamp-to-edge nearest".
    pub sampler: Option<String>,
    /// Elements of local memory.
    pub local: Option<Formula>,
    /// "random", "any", "negative", "index", "sorted", "permutation", { ints = [0, 9] }, a number
    /// or formula of the index `i`, or the file of a kernel that fills.
    pub fill: Option<Or<String, Draw>>,
}

/// The elements of a buffer, or the sides of an image.
pub type Length = Or<Formula, Vec<Formula>>;

/// How the host lays the operands of a product out before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A, B and C row-major.
    RowMajor,
    /// A and C row-major, B transposed: both are read along k.
    BTransposed,
    /// A, B and C column-major.
    ColumnMajor,
    /// A and C row-major, B in panels of PANEL columns: `[N / PANEL][K][PANEL]`.
    BPanels,
}

/// What must be above 0, and why the task is skipped where it is not.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// A formula of the task's sizes, and of NVIDIA's CAPABILITY, which is 0 on other devices.
    pub that: Formula,
    /// In words.
    pub r#else: String,
}

/// What is right.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Check {
    /// What a kernel computes that is plainly right. With its file alone one item runs it, with the
    /// task's arguments; its own are numbers, and names of buffers.
    #[serde(deserialize_with = "reference")]
    pub same_as: Option<LaunchForm>,
    /// By how much a result may differ from it, as a share of its size.
    pub tolerance: Option<f64>,
    /// What one of the formulas says, or nobody knows.
    pub any_of: Vec<Formula>,
    /// Formulas by the names of the buffers.
    #[serde(flatten)]
    pub each: BTreeMap<String, Formula>,
}

fn reference<'de, D: Deserializer<'de>>(from: D) -> Result<Option<LaunchForm>, D::Error> {
    let given: Option<Or<PathBuf, LaunchForm>> = Option::deserialize(from)?;
    let form = given.map(|given| match given {
        Or::Table(reference) => reference,
        Or::Plain(kernel) => LaunchForm { kernel, ..LaunchForm::default() },
    });
    Ok(form.map(|form| LaunchForm { key: "check.same_as.".into(), ..form }))
}

/// What a device does at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// A copy, in bytes a second.
    Copy,
    /// Multiply-adds, in operations a second.
    Compute,
}

/// A share from 0 to 1 of what a device does at most.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Least {
    /// Of any device.
    Of(f64),
    /// By what the device is.
    ByKind {
        /// Of a CPU.
        cpu: f64,
        /// Of any other.
        gpu: f64,
    },
}

impl Least {
    /// The share that such a device is to reach.
    pub fn on(self, kind: Option<Kind>) -> f64 {
        match (self, kind) {
            (Least::Of(share), _) => share,
            (Least::ByKind { cpu, .. }, Some(Kind::Cpu)) => cpu,
            (Least::ByKind { gpu, .. }, _) => gpu,
        }
    }
}

/// One value of what a tuner tries: a macro's, or a group's sides.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Tried {
    /// A macro's.
    One(usize),
    /// A group's.
    Sides(Vec<usize>),
}

impl Display for Tried {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Tried::One(value) => write!(f, "{value}"),
            Tried::Sides(sides) => f.write_str(&ndrange::sides(sides)),
        }
    }
}

impl Form {
    /// The kernel that a result is held against, and by how much it may differ from that.
    pub fn reference(&self) -> Option<(&LaunchForm, Option<f64>)> {
        match &self.check {
            Some(Or::Table(check)) => Some((check.same_as.as_ref()?, check.tolerance)),
            _ => None,
        }
    }

    /// How its operands lie, where it is a product.
    pub fn layout(&self) -> Option<Layout> {
        self.product.filter(|_| self.launch.args.is_empty())
    }

    /// Its launches in order, with what runs beside its own.
    pub(crate) fn launches(&self) -> impl Iterator<Item = &LaunchForm> {
        let own =
            if self.launches.is_empty() { slice::from_ref(&self.launch) } else { &self.launches };
        self.before.iter().chain(own).chain(&self.after)
    }

    /// Tells its launches where they stand in it, which does not travel to another process.
    pub fn tell_places(&mut self) {
        let Form { before, launches, after, .. } = self;
        for (name, all) in [("before", before), ("launches", launches), ("after", after)] {
            for (at, one) in all.iter_mut().enumerate() {
                one.key = format!("{name}[{at}].");
            }
        }
    }
}

/// The keys of a form that say how it is launched. The last one is none: nobody says all in a table.
#[rustfmt::skip]
pub(crate) const LAUNCH: [&str; 9] = [
    "function", "global", "groups", "local", "local-hint", "offset", "args", "traffic", "launch",
];

/// The form that a table of this text says. How it is launched stands there among the rest.
pub(crate) fn form_of(table: Spanned<DeTable>, text: &str) -> Result<Form, de::Error> {
    let span = table.span();
    let all = table.into_inner().into_iter();
    let (launch, mut form): (DeTable, DeTable) =
        all.partition(|(key, _)| LAUNCH.contains(&&**key.get_ref()));
    let launch = Spanned::new(span.clone(), DeValue::Table(launch));
    form.insert(Spanned::new(span.clone(), "launch".into()), launch);
    let form = Form::deserialize(de::Deserializer::from(Spanned::new(span, form)));
    let mut form = form.map_err(|mut why| {
        why.set_input(Some(text));
        why
    })?;
    form.tell_places();
    Ok(form)
}
