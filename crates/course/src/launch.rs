//! How a kernel of the learner's own is launched: what a lesson's step says, as flags. And
//! who launches it: the lesson that has a kernel of its name, else this program, as a
//! product of matrices, or by its own arguments if it is none.

pub mod arguments;
mod other;
pub mod process;

use std::process::Command;

use ::process::lessons;
use analysis::launched::Wanted;
use anyhow::Result;
use clap::Args;
use common::shape::Shape;
use common::source::Source;
use lesson::{Axes, Layout, Step};
use serde::{Deserialize, Serialize};

use arguments::{Argument, Kind, count};

/// Items of a group on vectors, where nobody says another number.
const VECTORS_GROUP: [usize; 2] = [256, 1];

/// Without any of these a kernel with a name of a lesson is launched as in that lesson.
#[derive(Args, Clone, Default, PartialEq, Serialize, Deserialize)]
#[command(next_help_heading = "How the kernel is launched")]
pub struct Launch {
    /// What get_global_id(0) and (1) count [default: columns-first]
    #[arg(long, value_enum)]
    axes: Option<Axes>,
    /// Items of a work-group [default: what the kernel names, else 16x16]
    #[arg(long, value_name = "N|NxN", value_parser = sides)]
    group: Option<[usize; 2]>,
    /// Elements of C that an item computes, along each dimension [default: 1x1]
    #[arg(long, value_name = "N|NxN", value_parser = sides)]
    per_item: Option<[usize; 2]>,
    /// How A, B and C lie in memory [default: row-major]
    #[arg(long, value_enum)]
    layout: Option<Layout>,
    /// Pad M, N and K with zeros to multiples of these [default: 1x1x1]
    #[arg(long, value_name = "N|MxNxK")]
    pad: Option<Shape>,
    /// A macro for the compiler; may be given more than once
    #[arg(long, value_name = "NAME=NUMBER", value_parser = macro_of)]
    pub define: Vec<(String, usize)>,
    /// Of a kernel that is no product.
    #[arg(skip)]
    pub arguments: Option<Vec<Argument>>,
}

impl Launch {
    /// Whether the learner said anything of it.
    pub fn is_chosen(&self) -> bool {
        *self != Launch::default()
    }

    /// The step of a kernel; `required` is the group that its own attribute asks for.
    pub fn step(&self, kernel: &str, required: Option<[usize; 2]>) -> Step {
        let mut step = Step::new(kernel, "");
        if let Some(axes) = self.axes {
            step = step.axes(axes);
        }
        if let Some(group) = required {
            step = step.exact_group(group);
        }
        if let Some(group) = self.group {
            step = step.exact_group(group);
        }
        if let Some(per_item) = self.per_item {
            step = step.per_item(per_item);
        }
        if let Some(layout) = self.layout {
            step = step.layout(layout);
        }
        if let Some(Shape { m, n, k }) = self.pad {
            step = step.pad(m, n, k);
        }
        step.defines.clone_from(&self.define);
        step
    }

    /// The sides of the groups; `required` is what the kernel's own attribute asks for.
    pub fn group(&self, required: Option<[usize; 2]>) -> [usize; 2] {
        self.group.or(required).unwrap_or(VECTORS_GROUP)
    }

    /// True for a kernel that has one size only.
    pub fn is_on_vectors(&self) -> bool {
        let arguments = self.arguments.as_deref();
        arguments.is_some_and(|all| count(all, Kind::Size) == 1)
    }

    /// In a sentence.
    pub fn words(&self) -> String {
        if self.arguments.is_none() {
            return self.words_of_a_product();
        }
        let sizes = if self.is_on_vectors() {
            "vectors, as long as its int says".into()
        } else {
            format!("matrices of M x N, its two ints; {}", self.counts())
        };
        format!(
            "on {sizes}. A result that is a copy of the input, transposed or not, or d * A + B is \
             right; for any other no reference is given: result not checked"
        )
    }

    fn words_of_a_product(&self) -> String {
        let step = self.step("", None);
        let [x, y] = step.per_item;
        let per_item = match (x, y) {
            (1, 1) => "an item for each element of C".into(),
            _ => format!("an item for {x}x{y} elements of C"),
        };
        let counts = self.counts();
        let [x, y] = step.group;
        let group = match self.group {
            Some(_) => format!("groups of {x}x{y}"),
            None => format!("groups as the kernel names them, else of {x}x{y}"),
        };
        let layout = match step.layout {
            Layout::RowMajor => "row-major",
            Layout::BTransposed => "row-major with B transposed",
            Layout::ColumnMajor => "column-major",
        };
        let per_item = if step.axes == Axes::Rows {
            ""
        } else {
            &per_item
        };
        let parts = [per_item, counts, &group, layout];
        let said: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        said.join("; ")
    }

    /// The program that launches what is wanted, by a lesson's flags.
    pub fn program(&self, wanted: &Wanted) -> Result<Command> {
        let Some(file) = &wanted.source else {
            return wanted.lesson();
        };
        let source = Source::read(file)?;
        source.must_define(&wanted.kernel)?;
        if !self.is_chosen() && lessons::with_kernel(&wanted.kernel)?.is_some() {
            return wanted.lesson();
        }
        process::command(&self.of(&source, &wanted.kernel))
    }

    /// The same for a kernel of a file: its arguments, too.
    pub fn of(&self, source: &Source, kernel: &str) -> Launch {
        Launch {
            arguments: arguments::of(&source.text, kernel),
            ..self.clone()
        }
    }

    fn counts(&self) -> &'static str {
        match self.step("", None).axes {
            Axes::ColumnsFirst => "get_global_id(0) counts columns, get_global_id(1) rows",
            Axes::RowsFirst => "get_global_id(0) counts rows, get_global_id(1) columns",
            Axes::Rows => "get_global_id(0) counts rows, an item computes one",
            Axes::OneGroup => "all in one group, get_global_id(0) counts columns",
        }
    }
}

/// "16", or "16x8".
fn sides(text: &str) -> Result<[usize; 2], String> {
    let side = |text: &str| text.parse().ok().filter(|&side: &usize| side > 0);
    let sides: Option<Vec<usize>> = text.split(['x', 'X']).map(side).collect();
    match sides.as_deref() {
        Some([x]) => Ok([*x, 1]),
        Some([x, y]) => Ok([*x, *y]),
        _ => Err("write one or two whole numbers above 0, for example 64 or 16x8".into()),
    }
}

/// "TILE=16".
fn macro_of(text: &str) -> Result<(String, usize), String> {
    let parts = text.split_once('=');
    let parts = parts.and_then(|(name, value)| Some((name, value.parse().ok()?)));
    match parts.filter(|(name, _)| !name.is_empty()) {
        Some((name, value)) => Ok((name.into(), value)),
        None => Err("write a name and a whole number, for example TILE=16".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_and_macros_are_read_or_refused_with_an_example() {
        assert_eq!(sides("64"), Ok([64, 1]));
        assert_eq!(sides("16x8"), Ok([16, 8]));
        for bad in ["", "0", "16x", "1x2x3", "-1", "a"] {
            assert!(sides(bad).unwrap_err().contains("16x8"), "{bad}");
        }
        assert_eq!(macro_of("TILE=16"), Ok(("TILE".into(), 16)));
        for bad in ["TILE", "=16", "TILE=x"] {
            assert!(macro_of(bad).unwrap_err().contains("TILE=16"), "{bad}");
        }
    }

    #[test]
    fn a_group_that_was_asked_for_wins_over_the_kernels_own() {
        let mut launch = Launch::default();
        assert!(!launch.is_chosen());
        assert_eq!(launch.step("f", None).group, [16, 16]);
        assert_eq!(launch.step("f", Some([8, 4])).group, [8, 4]);
        launch.group = Some([64, 1]);
        assert!(launch.is_chosen());
        assert_eq!(launch.step("f", Some([8, 4])).group, [64, 1]);
    }
}
