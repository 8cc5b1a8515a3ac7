//! The product of two matrices as a task: what every kernel has in common that multiplies.

use crate::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};
use serde::{Deserialize, Serialize};
use verify::element::Elements;
use verify::formula::Formula;
use verify::matrix::Matrix;
use verify::problem::Problem;
use verify::shape::Shape;

/// How the host lays the operands out before the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A, B and C row-major.
    #[default]
    RowMajor,
    /// A and C row-major, B transposed: both are read along k.
    BTransposed,
    /// A, B and C column-major.
    ColumnMajor,
    /// A and C row-major, B in panels of PANEL columns: `[N / PANEL][K][PANEL]`.
    BPanels,
}

/// Element `i` of a matrix B in panels of PANEL columns, of which the last has zeros behind.
const PANELS: &str = "if(floor(i/(KP*PANEL))*PANEL + i % PANEL < N && floor(i/PANEL) % KP < K, \
                      B[min(floor(i/PANEL) % KP, K - 1)*N + min(floor(i/(KP*PANEL))*PANEL + i % PANEL, N - 1)], 0)";

/// The product by a kernel with the arguments (int M, int N, int K, A, B, C), whose range is
/// still to be said. MP, NP and KP are what M, N and K are rounded up to, by themselves to
/// nothing; where the host pads, the matrices have room for them, and the kernel is told these.
pub fn product(kernel: &str, problem: &Problem, layout: Layout, host_pads: bool) -> Task {
    let Shape { m, n, k } = problem.shape;
    let sizes = [("M", m), ("N", n), ("K", k)].map(|(name, size)| (name.to_string(), size));
    let side = |name: &str| match host_pads {
        true => Formula::from(format!("{name}P")),
        false => Formula::from(name),
    };
    let matrix = |name, ty, sides: [&str; 2], transposed, role| Buffer {
        used: sides.map(Formula::from),
        transposed,
        ..Buffer::matrix(name, ty, sides.map(side), role)
    };
    let numbers = |seed| Role::In(Fill::Numbers(problem.fill, seed));
    let (a, b) = (numbers(problem.seed), numbers(problem.seed.wrapping_add(1)));
    let all_transposed = layout == Layout::ColumnMajor;
    let b_transposed = all_transposed || layout == Layout::BTransposed;
    let numbers_given = ["M", "N", "K"].map(|name| Arg::int(name, side(name)));
    let matrices_given = ["A", "B", "C"].map(|name| Arg::Buffer(name.into()));
    let mut task = Task {
        kernel: kernel.into(),
        ty: problem.ty,
        names: sizes
            .each_ref()
            .map(|(name, _)| (format!("{name}P"), Formula::from(&**name)))
            .into(),
        sizes: sizes.into(),
        buffers: vec![
            matrix("A", problem.inputs, ["M", "K"], all_transposed, a),
            matrix("B", problem.inputs, ["K", "N"], b_transposed, b),
            matrix("C", problem.ty, ["M", "N"], all_transposed, Role::Out),
        ],
        launches: vec![Launch {
            kernel: kernel.into(),
            args: numbers_given.into_iter().chain(matrices_given).collect(),
            ..Launch::default()
        }],
        right: Right::Product,
        work: Work::Flop(Formula::of("2*M*N*K")),
        ..Task::default()
    };
    if layout == Layout::BPanels {
        let length = Formula::of("KP*PANEL*ceil(NP/PANEL)");
        let fill = Fill::Each(Formula::of(PANELS));
        // The matrix itself stays on the host.
        task.buffers[1].shape = task.buffers[1].used.clone();
        let panels = Buffer::vector("panels", problem.inputs, length, Role::In(fill));
        task.buffers.push(panels);
        task.launches[0].args[4] = Arg::Buffer("panels".into());
    }
    task
}

/// The product that a task computes, if it is one: of what a seed makes, or of elements that
/// stand in the task.
pub fn problem_of(task: &Task) -> Option<Problem> {
    let Right::Product = task.right else {
        return None;
    };
    let [a, b] = [task.buffer("A")?, task.buffer("B")?];
    let shape = task.shape();
    match (a.role.fill()?, b.role.fill()?) {
        (Fill::Numbers(fill, seed), _) => {
            let problem = Problem::new(shape, task.ty, *fill, *seed);
            Some(problem.with_inputs(a.ty, task.by_units()))
        }
        (Fill::Made(_, a), Fill::Made(_, b)) => {
            let matrix = |rows, cols, data: &Elements| Matrix {
                rows,
                cols,
                data: data.clone(),
            };
            let operands = [matrix(shape.m, shape.k, a), matrix(shape.k, shape.n, b)];
            Some(Problem::of(operands, task.ty))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verify::element::Type;
    use verify::matrix;

    #[test]
    fn operands_and_result_survive_padding_and_layout() {
        let shape = Shape {
            m: 37,
            n: 53,
            k: 53,
        };
        let problem = Problem::new(shape, Type::Float, matrix::Fill::Random, 1);
        for layout in [Layout::RowMajor, Layout::ColumnMajor, Layout::BTransposed] {
            let mut task = product("k", &problem, layout, true);
            for ((_, padded), formula) in task.names.iter_mut().zip(["48", "56", "56"]) {
                *padded = formula.into();
            }
            let launch = &mut task.launches[0];
            (launch.over, launch.group) = (vec![1.into()], vec![1.into()]);
            let plan = task.plan().unwrap();
            let a = task.contents(0, &plan, None, &[]).unwrap().unwrap();
            assert_eq!(a.len(), 48 * 56);
            // A stands in for C: what goes out comes back.
            let c = task.product(&plan, &[("C".into(), a)]).unwrap();
            assert_eq!(c, *problem.a(), "{layout:?}");
        }
    }
}
