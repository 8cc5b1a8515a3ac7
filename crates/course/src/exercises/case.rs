//! What the exercises' kernels are given, and what must come out.

use anyhow::Result;
use common::element::{Elements, Type};
use common::matrix::{Fill, Matrix};
use common::memory::is_poison;
use common::problem::Problem;
use common::session::Arg;
use common::shape::Shape;
use common::verify;
use lesson::{Layout, Step};

use super::spec::{Computation, Spec};

/// The arguments of one launch, and the check of its result.
pub struct Case {
    /// The numbers, which come first.
    pub scalars: Vec<Arg>,
    /// What the buffers hold, which come next.
    pub inputs: Vec<Elements>,
    /// The result's type, and how many of it.
    pub output: (Type, usize),
    expected: Expected,
}

enum Expected {
    Product(Box<Step>, Problem),
    Elements(Elements),
}

impl Case {
    pub fn new(spec: &Spec, size: Shape, group: &[usize]) -> Result<Case> {
        let (rows, columns, n) = (size.m, size.n, size.n);
        let group: usize = group.iter().product();
        let random =
            |rows, columns, seed| Matrix::filled(rows, columns, Type::Float, Fill::Random, seed);
        let (scalars, inputs, expected) = match spec.problem {
            Computation::Product => return product(spec, Layout::RowMajor, size),
            Computation::ProductBTransposed => return product(spec, Layout::BTransposed, size),
            Computation::ProductColumnMajor => return product(spec, Layout::ColumnMajor, size),
            Computation::ProductBPanels => {
                let mut case = product(spec, Layout::RowMajor, size)?;
                let s = spec.padded(size)?;
                case.inputs[1] = panels(&case.inputs[1], s.k, s.n, spec);
                return Ok(case);
            }
            Computation::Panels => {
                let input = random(rows, columns, 1).data;
                let expected = panels(&input, rows, columns, spec);
                (ints(&[rows, columns]), vec![input], expected)
            }
            Computation::Numbers => (ints(&[n]), Vec::new(), whole(n, |i| i)),
            Computation::Grid => {
                let number = |i| 1000 * (i / columns) + i % columns;
                let expected = whole(rows * columns, number);
                (ints(&[rows, columns]), Vec::new(), expected)
            }
            Computation::GroupCounts => {
                let count = |g| group.min(n - g * group);
                (ints(&[n]), Vec::new(), whole(n.div_ceil(group), count))
            }
            Computation::Saxpy => {
                let (a, b) = (random(1, n, 1).data, random(1, n, 2).data);
                let d = 1.7f32;
                let sum = |i| f64::from(d) * a.get(i) + b.get(i);
                let expected = Elements::from_fn(Type::Float, n, sum);
                let scalars = vec![Arg::Int(n as i32), Arg::Float(d)];
                (scalars, vec![a, b], expected)
            }
            Computation::Candidates => candidates(n),
            Computation::Transposition => {
                let input = random(rows, columns, 1);
                let expected = input.transposed().data;
                (ints(&[rows, columns]), vec![input.data], expected)
            }
            Computation::GroupSums => {
                // Whole numbers, so that every order of summation is exact.
                let input = Elements::from_fn(Type::Float, n, |i| (i * 7 % 23) as f64);
                let part = group * spec.defines.get("EACH").unwrap_or(&1);
                let elements_of = |g| g * part..n.min((g + 1) * part);
                let sum = |g| elements_of(g).map(|i| input.get(i)).sum();
                let sums = Elements::from_fn(Type::Float, n.div_ceil(part), sum);
                (ints(&[n]), vec![input], sums)
            }
        };
        Ok(Case {
            scalars,
            inputs,
            output: (expected.ty(), expected.len()),
            expected: Expected::Elements(expected),
        })
    }

    /// The types of the arguments, for the check before the launch.
    pub fn signature(&self) -> Vec<String> {
        let scalars = self.scalars.iter().map(|arg| match arg {
            Arg::Float(_) => "float".to_string(),
            _ => "int".to_string(),
        });
        let types = self.inputs.iter().map(Elements::ty);
        let pointers = types.chain([self.output.0]).map(|ty| ty.name());
        let pointers = pointers.map(|name| format!("{name}*"));
        scalars.chain(pointers).collect()
    }

    /// What messages call an input: A and B of a product, "input 1" else.
    pub fn name_of(&self, input: usize) -> String {
        match self.expected {
            Expected::Product(..) => ["A", "B"][input].into(),
            Expected::Elements(_) => format!("input {}", input + 1),
        }
    }

    /// Whether this is right; if not, what it looks like.
    pub fn check(&self, result: Elements) -> Result<(), String> {
        match &self.expected {
            Expected::Product(step, problem) => {
                let s = step.shape(problem.shape);
                let c = Matrix {
                    rows: s.m,
                    cols: s.n,
                    data: result,
                };
                verify::check(problem, &step.result(c, problem.shape))
                    .map(|_| ())
                    .map_err(|wrong| wrong.to_string())
            }
            Expected::Elements(expected) => compare(&result, expected),
        }
    }
}

fn product(spec: &Spec, layout: Layout, size: Shape) -> Result<Case> {
    let [m, n, k] = spec.padding()?;
    let step = Step::new(&spec.kernel, "").layout(layout).pad(m, n, k);
    let problem = Problem::new(size, Type::Float, Fill::Random, 1);
    let s = step.shape(size);
    let (a, b) = step.operands(&problem);
    let inputs = vec![a.into_owned().data, b.into_owned().data];
    Ok(Case {
        scalars: ints(&[s.m, s.n, s.k]),
        inputs,
        output: (Type::Float, s.m * s.n),
        expected: Expected::Product(Box::new(step), problem),
    })
}

/// Candidates of a search, of which few can run.
fn candidates(n: usize) -> (Vec<Arg>, Vec<Elements>, Elements) {
    const ITEMS: usize = 256;
    const BYTES: usize = 16 << 10;
    let side = |i: usize| 8 * (1 + i * 7 % 16);
    let part = |i: usize| 1 + i * 5 % 9;
    let depth = |i: usize| 4 * (1 + i * 3 % 8);
    let runs = |i| {
        let (side, part, depth) = (side(i), part(i), depth(i));
        let across = side / part;
        let fits = across * across <= ITEMS && 2 * side * depth * 4 <= BYTES;
        usize::from(side % part == 0 && fits)
    };
    let inputs = vec![whole(n, side), whole(n, part), whole(n, depth)];
    (ints(&[n, ITEMS, BYTES]), inputs, whole(n, runs))
}

/// A row-major matrix in panels of so many columns as the macro PANEL says.
fn panels(matrix: &Elements, rows: usize, columns: usize, spec: &Spec) -> Elements {
    let width = spec.defines.get("PANEL").copied().unwrap_or(1);
    let count = columns.div_ceil(width) * rows * width;
    matrix.gather(count, |i| {
        let (panel, row) = (i / (rows * width), i / width % rows);
        let column = panel * width + i % width;
        (column < columns).then_some(row * columns + column)
    })
}

fn whole(count: usize, value: impl Fn(usize) -> usize) -> Elements {
    Elements::from_fn(Type::Int, count, |i| value(i) as f64)
}

fn ints(numbers: &[usize]) -> Vec<Arg> {
    numbers.iter().map(|&n| Arg::Int(n as i32)).collect()
}

/// A device may fuse a multiply-add, so the last digits may differ; sums of products
/// near zero lose more of them, hence the 1.
fn compare(result: &Elements, expected: &Elements) -> Result<(), String> {
    let is_right = |i: &usize| {
        let (got, want) = (result.get(*i), expected.get(*i));
        let bound = 4.0 * f64::from(f32::EPSILON) * want.abs().max(1.0);
        (got - want).abs() <= bound
    };
    let wrong: Vec<usize> = (0..expected.len()).filter(|i| !is_right(i)).collect();
    let Some(&first) = wrong.first() else {
        return Ok(());
    };
    let untouched = |i: &&usize| is_poison(result, **i);
    let untouched = wrong.iter().filter(untouched).count();
    let mut says = format!("{} of {} elements are wrong", wrong.len(), expected.len());
    if untouched < wrong.len() {
        let (got, want) = (result.get(first), expected.get(first));
        says.push_str(&format!("\nout[{first}] is {got}, it should be {want}"));
    }
    if untouched > 0 {
        says.push_str(&format!("\n{untouched} of them were never written"));
    }
    Err(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_result_says_where_and_a_missing_one_that_it_is() {
        let expected = Elements::Float(vec![1.0, 2.0, 3.0]);
        let nan = f32::from_bits(0x7fa0_dead);
        let check = |got: [f32; 3]| compare(&Elements::Float(got.into()), &expected);
        assert_eq!(check([1.0, 2.0, 3.0]), Ok(()));
        let says = check([1.0, 0.0, nan]).unwrap_err();
        assert!(says.contains("2 of 3") && says.contains("out[1] is 0, it should be 2"));
        assert!(says.contains("1 of them were never written"), "{says}");
    }
}
