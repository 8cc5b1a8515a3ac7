//! A step as a task: the product of two matrices.

use common::element::Type;
use common::formula::Formula;
use common::matrix;
use common::problem::Problem;
use common::shape::Shape;
use common::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};

use super::{Axes, Layout, Step};
use crate::helper::{Helper, Operand};

/// What is to be multiplied.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// M, N, K.
    pub shape: Shape,
    /// Type of the elements of C.
    pub ty: Type,
    /// That of A and B.
    pub inputs: Type,
    /// Whether matrix units add the products up.
    pub by_units: bool,
    /// How A and B are filled.
    pub fill: matrix::Fill,
    /// The seed of A; that of B is the next one.
    pub seed: u64,
}

impl Given {
    /// The operands of a problem that was made from this seed.
    pub fn of(problem: &Problem, seed: u64) -> Given {
        Given {
            shape: problem.shape,
            ty: problem.ty,
            inputs: problem.inputs(),
            by_units: problem.by_units,
            fill: problem.fill,
            seed,
        }
    }

    /// The operands of a task that is a product.
    pub fn of_task(task: &Task) -> Option<Given> {
        let (Right::Product, Some(a)) = (&task.right, task.buffer("A")) else {
            return None;
        };
        let Role::In(Fill::Numbers(fill, seed)) = a.role else {
            return None;
        };
        Some(Given {
            shape: task.shape(),
            ty: task.ty,
            inputs: a.ty,
            by_units: task.by_units(),
            fill,
            seed,
        })
    }
}

impl Operand {
    /// What its rows and columns count.
    fn sides(self) -> [&'static str; 2] {
        match self {
            Operand::A => ["M", "K"],
            Operand::B => ["K", "N"],
            Operand::C => ["M", "N"],
        }
    }

    /// What they count where they are rounded up.
    fn padded_sides(self) -> [&'static str; 2] {
        match self {
            Operand::A => ["MP", "KP"],
            Operand::B => ["KP", "NP"],
            Operand::C => ["MP", "NP"],
        }
    }

    fn name(self) -> &'static str {
        ["A", "B", "C"][self as usize]
    }

    /// What its copy is called that a helper writes, or reads.
    fn laid_out(self) -> &'static str {
        ["A laid out", "B laid out", "shares of C"][self as usize]
    }
}

fn formulas(texts: impl IntoIterator<Item = &'static str>) -> Vec<Formula> {
    texts.into_iter().map(Formula::of).collect()
}

impl Step {
    /// The product of what is given, by this step.
    pub fn task(&self, given: &Given) -> Task {
        let Shape { m, n, k } = given.shape;
        let rounded = |padded: &str, name: &str, multiple: usize| {
            let formula = match multiple {
                1 => Formula::from(name),
                _ => Formula::from(format!("{multiple}*ceil({name}/{multiple})")),
            };
            (padded.to_string(), formula)
        };
        let mut names = vec![
            rounded("MP", "M", self.multiples.m),
            rounded("NP", "N", self.multiples.n),
            rounded("KP", "K", self.multiples.k),
        ];
        let constants = self.constants.iter();
        names.extend(constants.map(|(name, value)| (name.clone(), Formula::from(*value))));
        let floating = self.no_integers.iter();
        let floating = floating.map(|why| (Formula::of("FLOATING"), why.to_string()));
        Task {
            kernel: self.kernel.clone(),
            variant: self.variant.clone(),
            says: self.says.clone(),
            made_from: self.origin.name(),
            chosen: self.chosen,
            ty: given.ty,
            sizes: vec![("M".into(), m), ("N".into(), n), ("K".into(), k)],
            defines: self.defines.clone(),
            names,
            buffers: self.buffers(given),
            launches: self.launches(),
            right: Right::Product,
            work: Work::Flop(Formula::of("2*M*N*K")),
            needs: floating.collect(),
            vendor_specific: self.vendor_specific,
        }
    }

    fn buffers(&self, given: &Given) -> Vec<Buffer> {
        let inputs = self.inputs.unwrap_or(given.inputs);
        let ty = |operand: Operand| match operand {
            Operand::C => given.ty,
            _ => inputs,
        };
        let matrix = |operand: Operand, role| {
            let room = if self.host_pads {
                operand.padded_sides()
            } else {
                operand.sides()
            };
            Buffer {
                used: operand.sides().map(Formula::of),
                transposed: match self.layout {
                    Layout::RowMajor => false,
                    Layout::BTransposed => operand == Operand::B,
                    Layout::ColumnMajor => true,
                },
                ..Buffer::matrix(operand.name(), ty(operand), room.map(Formula::of), role)
            }
        };
        let numbers = |seed| Role::In(Fill::Numbers(given.fill, seed));
        let mut buffers = vec![
            matrix(Operand::A, numbers(given.seed)),
            matrix(Operand::B, numbers(given.seed.wrapping_add(1))),
            matrix(Operand::C, Role::Out),
        ];
        buffers.extend(self.helpers.iter().map(|helper| {
            let [rows, columns] = helper.operand.padded_sides();
            let (rows, role) = match helper.operand {
                Operand::C => (format!("{}*{rows}", self.shares), Role::Between),
                _ => (rows.to_string(), Role::LaidOut),
            };
            let shape = [Formula::from(rows), Formula::of(columns)];
            Buffer::matrix(helper.operand.laid_out(), ty(helper.operand), shape, role)
        }));
        buffers
    }

    /// What lays operands out, the step's own kernel, what adds its shares up.
    fn launches(&self) -> Vec<Launch> {
        let of = |after| {
            let helpers = self.helpers.iter();
            let wanted = helpers.filter(move |one| (one.operand == Operand::C) == after);
            wanted.map(launch_of_helper)
        };
        of(false)
            .chain([self.own_launch()])
            .chain(of(true))
            .collect()
    }

    fn own_launch(&self) -> Launch {
        let sizes = if self.host_pads {
            ["MP", "NP", "KP"]
        } else {
            ["M", "N", "K"]
        };
        let [m, n, _] = sizes;
        let mut over = formulas(match self.axes {
            Axes::ColumnsFirst | Axes::OneGroup => vec![n, m],
            Axes::RowsFirst => vec![m, n],
            Axes::Rows => vec![m],
        });
        let each = self.per_item.map(Formula::from);
        let mut each = each[..over.len()].to_vec();
        let mut group = match self.axes {
            Axes::OneGroup => over.clone(),
            _ => self.group.map(Formula::from)[..over.len()].to_vec(),
        };
        if self.shares > 1 {
            over.push(self.shares.into());
            each.push(1.into());
            group.push(1.into());
        }
        let buffer = |operand: Operand| {
            let is_helped = self.helpers.iter().any(|one| one.operand == operand);
            let laid_out = is_helped.then(|| operand.laid_out());
            Arg::Buffer(laid_out.unwrap_or(operand.name()).into())
        };
        let numbers = ["M", "N", "K"].into_iter().zip(sizes);
        let numbers = numbers.map(|(name, size)| Arg::int(name, Formula::of(size)));
        Launch {
            kernel: self.kernel.clone(),
            over,
            each,
            group,
            fixed: self.exact_group || self.axes == Axes::OneGroup,
            args: numbers
                .chain([Operand::A, Operand::B, Operand::C].map(buffer))
                .collect(),
            offset: Vec::new(),
            traffic: self.traffic.clone(),
        }
    }
}

/// It is given the operand's own sizes, and covers the operand as it is padded.
fn launch_of_helper(helper: &Helper) -> Launch {
    let operand = helper.operand;
    let [rows, columns] = operand.sides();
    let [padded_rows, padded_columns] = operand.padded_sides();
    let (from, to) = match operand {
        Operand::C => (operand.laid_out(), operand.name()),
        _ => (operand.name(), operand.laid_out()),
    };
    Launch {
        kernel: helper.kernel.clone(),
        over: formulas([padded_columns, padded_rows]),
        each: helper.per_item.map(Formula::from).into(),
        group: helper.group.map(Formula::from).into(),
        fixed: false,
        args: vec![
            Arg::int("rows", Formula::of(rows)),
            Arg::int("columns", Formula::of(columns)),
            Arg::Buffer(from.into()),
            Arg::Buffer(to.into()),
        ],
        offset: Vec::new(),
        traffic: helper.traffic.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: Given = Given {
        shape: Shape {
            m: 37,
            n: 91,
            k: 53,
        },
        ty: Type::Float,
        inputs: Type::Float,
        by_units: false,
        fill: matrix::Fill::Random,
        seed: 1,
    };

    fn global(step: Step) -> Vec<usize> {
        let plan = step.task(&ODD).plan().unwrap();
        plan.ranges.last().unwrap().global().to_vec()
    }

    #[test]
    fn the_items_cover_c() {
        let step = || Step::new("k", "");
        let along = |axes, group| {
            global(Step {
                axes,
                group,
                ..step()
            })
        };
        assert_eq!(along(Axes::ColumnsFirst, [16, 16]), [96, 48]);
        assert_eq!(along(Axes::RowsFirst, [16, 16]), [48, 96]);
        assert_eq!(along(Axes::Rows, [64, 1]), [64]);
        assert_eq!(along(Axes::OneGroup, [16, 16]), [91, 37]);
        let per_item = [8, 4];
        assert_eq!(global(Step { per_item, ..step() }), [16, 16]);
        let in_shares = step().helper(Helper::new("sum", Operand::C));
        let shares = 5;
        let plan = Step {
            shares,
            ..in_shares
        }
        .task(&ODD)
        .plan()
        .unwrap();
        assert_eq!(plan.ranges[0].global(), [96, 48, 5]);
        assert_eq!(plan.shapes[3][0], [5 * 37, 91], "room for five of them");
    }

    #[test]
    fn who_pads_decides_what_the_kernel_is_told() {
        let step = || Step::new("k", "").pad(16, 32, 8);
        let plan = step().task(&ODD).plan().unwrap();
        assert_eq!(plan.shapes[0], [[48, 56], [37, 53]]);
        assert_eq!(plan.shapes[2], [[48, 96], [37, 91]]);
        let per_item = [32, 1];
        let pack = Helper::new("pack_b", Operand::B);
        let task = step().helper(Helper { per_item, ..pack }).task(&ODD);
        let plan = task.plan().unwrap();
        assert_eq!(plan.shapes[0], [[37, 53]; 2]);
        assert_eq!(plan.shapes[3][0], [56, 96]);
        assert_eq!(plan.ranges[0].global(), [16, 56]);
        assert_eq!(task.kernels().collect::<Vec<_>>(), ["pack_b", "k"]);
        assert_eq!(task.own(), 1);
    }

    #[test]
    fn operands_and_result_survive_padding_and_layout() {
        let mut square = ODD;
        square.shape.n = square.shape.k;
        for layout in [Layout::RowMajor, Layout::ColumnMajor, Layout::BTransposed] {
            let step = Step::new("k", "").pad(16, 8, 8);
            let task = Step { layout, ..step }.task(&square);
            let plan = task.plan().unwrap();
            let a = task.contents(0, &plan, None, &[]).unwrap().unwrap();
            assert_eq!(a.len(), 48 * 56);
            // A stands in for C: what goes out comes back.
            let c = task.product(&plan, &[("C".into(), a)]).unwrap();
            let problem = Problem::new(square.shape, square.ty, square.fill, square.seed);
            assert_eq!(c, problem.a, "{layout:?}");
        }
    }
}
