//! A kernel that is no product: what it is to compute nobody has said. It is launched all
//! the same, so that races, accesses out of bounds and writes to inputs are seen; its
//! result is judged where it is something well known.

use common::formula::Formula;
use common::shape::Shape;
use common::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};
use common::{Error, Result};
use lesson::{Axes, Lesson, Step};

use super::arguments::{Argument, Kind, count};

/// What every factor is.
const FACTOR: f32 = 1.7;

/// The task, its inputs filled as the flags say; `group` is what its items come in.
///
/// # Errors
/// When it does not fit.
pub fn task(
    lesson: &mut Lesson,
    step: Step,
    arguments: &[Argument],
    group: [usize; 2],
) -> Result<Task> {
    let given = lesson.shape()?;
    let is_matrix = count(arguments, Kind::Size) == 2;
    let shape = Shape {
        n: if is_matrix { given.n } else { 1 },
        k: 1,
        ..given
    };
    shape.must_be_countable().map_err(Error::Usage)?;
    let flags = lesson.flags();
    let (ty, fill, seed) = (flags.ty, flags.fill, flags.seed);
    let beside = count(arguments, Kind::Input) as u64 * (shape.m * shape.n * ty.size()) as u64;
    lesson.session()?.must_fit(shape, ty, beside)?;
    let (mut sizes, mut seeds) = (["M", "N"].into_iter(), seed..);
    let elements = || [Formula::of("M"), Formula::of("N")];
    let (mut args, mut buffers) = (Vec::new(), Vec::new());
    for Argument { kind, name } in arguments {
        let role = match kind {
            Kind::Size => {
                let size = sizes.next().unwrap_or("M");
                args.push(Arg::int(name, Formula::of(size)));
                continue;
            }
            Kind::Factor => {
                args.push(Arg::Number(name.clone(), "float", Formula::of("FACTOR")));
                continue;
            }
            Kind::Input => {
                let seed = seeds.next().unwrap_or(seed);
                Role::In(Fill::Numbers(fill, seed))
            }
            Kind::Output => Role::Out,
        };
        buffers.push(Buffer::matrix(name, ty, elements(), role));
        args.push(Arg::Buffer(name.clone()));
    }
    let inputs: Vec<&str> = named(arguments, Kind::Input).collect();
    let well_known = match (count(arguments, Kind::Factor), &inputs[..]) {
        (0, [a]) => vec![format!("{a}[i]"), format!("{a}[i % M*N + floor(i/M)]")],
        (1, [a, b]) => vec![format!("FACTOR*{a}[i] + {b}[i]")],
        _ => Vec::new(),
    };
    let output: String = named(arguments, Kind::Output).collect();
    let on_vectors = (vec!["M*N"], &group[..1]);
    let (over, group) = match (is_matrix, step.axes) {
        (false, _) => on_vectors,
        (true, Axes::ColumnsFirst | Axes::OneGroup) => (vec!["N", "M"], &step.group[..]),
        (true, Axes::RowsFirst) => (vec!["M", "N"], &step.group[..]),
        (true, Axes::Rows) => (vec!["M"], &step.group[..1]),
    };
    let numbers = |of: &[usize]| of.iter().copied().map(Formula::from).collect();
    Ok(Task {
        kernel: step.kernel.clone(),
        variant: String::new(),
        says: String::new(),
        made_from: None,
        chosen: false,
        ty,
        sizes: [("M", shape.m), ("N", shape.n), ("K", shape.k)]
            .map(|(name, size)| (name.into(), size))
            .into(),
        defines: step.defines.clone(),
        names: vec![("FACTOR".into(), f64::from(FACTOR).to_string().into())],
        work: Work::Bytes(Formula::from(
            (inputs.len() + 1) * ty.size() * shape.m * shape.n,
        )),
        launches: vec![Launch {
            kernel: step.kernel.clone(),
            each: numbers(&step.per_item[..over.len()]),
            over: over.into_iter().map(Formula::of).collect(),
            group: numbers(group),
            fixed: step.exact_group,
            args,
            traffic: None,
        }],
        buffers,
        right: Right::AnyOf(output, well_known.into_iter().map(Formula::from).collect()),
        needs: Vec::new(),
        vendor_specific: false,
    })
}

fn named(arguments: &[Argument], kind: Kind) -> impl Iterator<Item = &str> {
    let of_kind = arguments.iter().filter(move |one| one.kind == kind);
    of_kind.map(|one| one.name.as_str())
}
