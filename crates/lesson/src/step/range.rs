//! The launch of a step: which items there are, and how they lie on C.

use clap::ValueEnum;
use common::ndrange::NdRange;
use common::shape::Shape;
use narrate::Geometry;
use serde::{Deserialize, Serialize};

use super::Step;

/// Which matrix index runs along which dimension of the NDRange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Axes {
    /// get_global_id(0) counts columns, id(1) rows: neighbours share a row.
    ColumnsFirst,
    /// get_global_id(0) counts rows, id(1) columns: neighbours share a column.
    RowsFirst,
    /// One dimension, which counts rows.
    Rows,
    /// One work-group over the whole of C, dimension 0 along the columns.
    OneGroup,
}

impl Step {
    /// Whether no other group will do: the kernel says so, or there is only one.
    pub fn has_exact_group(&self) -> bool {
        self.exact_group || self.axes == Axes::OneGroup
    }

    /// The launch for a product of this (padded) shape.
    pub fn range(&self, s: Shape) -> NdRange {
        let items = |size: usize, dim: usize| size.div_ceil(self.per_item[dim]);
        let [x, y] = self.group;
        match self.axes {
            Axes::ColumnsFirst if self.shares > 1 => {
                NdRange::cover(&[items(s.n, 0), items(s.m, 1), self.shares], &[x, y, 1])
            }
            Axes::ColumnsFirst => NdRange::cover(&[items(s.n, 0), items(s.m, 1)], &self.group),
            Axes::RowsFirst => NdRange::cover(&[items(s.m, 0), items(s.n, 1)], &self.group),
            Axes::Rows => NdRange::cover(&[items(s.m, 0)], &self.group[..1]),
            Axes::OneGroup => NdRange::cover(&[s.n, s.m], &[s.n, s.m]),
        }
    }

    /// How the items of a group lie on C, for a drawing; not where they are all of them.
    pub(crate) fn geometry(&self) -> Option<Geometry> {
        let [first, second] = self.per_item;
        let (rows, columns) = match self.axes {
            Axes::ColumnsFirst => (second, first),
            Axes::RowsFirst => (first, second),
            Axes::Rows => (first, 0),
            Axes::OneGroup => return None,
        };
        let each = match (rows, columns) {
            (1, 0) => "a row of C".into(),
            (rows, 0) => format!("{rows} rows of C"),
            (1, 1) => "an element of C".into(),
            (rows, columns) => format!("{rows} x {columns} elements of C"),
        };
        Some(Geometry {
            group: self.group,
            along_rows: self.axes == Axes::ColumnsFirst,
            each,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::helper::{Helper, Operand};

    const ODD: Shape = Shape {
        m: 37,
        n: 91,
        k: 53,
    };

    #[test]
    fn an_element_per_item_covers_c() {
        let range = Step::new("k", "").range(ODD);
        assert_eq!(range.global(), [96, 48]);
        let range = Step::new("k", "").axes(Axes::RowsFirst).range(ODD);
        assert_eq!(range.global(), [48, 96]);
        let rows = Step::new("k", "").axes(Axes::Rows).group([64, 1]);
        assert_eq!(rows.range(ODD).global(), [64]);
    }

    #[test]
    fn several_elements_per_item_need_fewer_items() {
        let step = Step::new("k", "").group([16, 16]).per_item([8, 4]);
        assert_eq!(step.range(Shape::cube(256)).global(), [32, 64]);
    }

    #[test]
    fn shares_of_a_sum_stand_behind_one_another_as_many_as_can_be_counted() {
        let sum = Helper::new("sum", Operand::C);
        let step = Step::new("k", "").per_item([8, 4]).shares(5, sum);
        let range = step.range(Shape::cube(256));
        assert_eq!(
            (range.global(), range.local()),
            (&[32, 64, 5][..], &[16, 16, 1][..])
        );
        let refusal = |side| step.shares_are_not_countable(Shape::cube(side));
        assert_eq!(refusal(20_000), None);
        assert!(refusal(21_000).unwrap().contains("2205000000 elements"));
    }
}
