//! Whether a product has room on a device, before anything is allocated.

use super::Session;
use crate::device::{Kind, Limits};
use crate::element::Type;
use crate::error::{Error, Result};
use crate::shape::Shape;

/// The longest side of a square matrix whose elements an int can count, in whole tiles.
const LONGEST: u64 = 46336;

impl Session {
    /// Refuses a product that does not fit, before anything is allocated; `beside`
    /// are the bytes of further copies on the device.
    ///
    /// # Errors
    /// [`Error::Usage`] with the limit, and a size that would fit.
    pub fn must_fit(&self, shape: Shape, ty: Type, beside: u64) -> Result<()> {
        let need = Need::of(shape, ty, beside, self.device.kind);
        let Some(refusal) = need.refusal(&self.device.limits) else {
            return Ok(());
        };
        let side = need.side_that_fits(&self.device.limits, ty);
        let name = &self.device.name;
        Err(Error::Usage(format!(
            "too large for {name}: {refusal}; try --size {side}"
        )))
    }
}

/// The bytes that a product takes.
struct Need {
    /// Of its largest matrix.
    matrix: u64,
    /// Of all copies of all matrices.
    total: u64,
    /// How many of its largest matrix that would be, if all were as large and square.
    copies: f64,
    kind: Kind,
}

impl Need {
    fn of(shape: Shape, ty: Type, beside: u64, kind: Kind) -> Need {
        let bytes = |rows: usize, cols: usize| rows as u64 * cols as u64 * ty.size() as u64;
        let a = bytes(shape.m, shape.k);
        let b = bytes(shape.k, shape.n);
        let c = bytes(shape.m, shape.n);
        let matrix = a.max(b).max(c);
        // A CPU's global memory is the host's, which holds A, B, and several
        // copies of C while it is checked.
        let [of_operands, of_c] = if kind == Kind::Cpu { [2, 6] } else { [1, 1] };
        Need {
            matrix,
            total: of_operands * (a + b) + of_c * c + beside,
            copies: (2 * of_operands + of_c) as f64 + beside as f64 / matrix as f64,
            kind,
        }
    }

    /// The first limit that it exceeds. A limit that the driver does not tell is none.
    fn refusal(&self, limits: &Limits) -> Option<String> {
        let together = match self.kind {
            Kind::Cpu => "the matrices, on host and device together,",
            _ => "the matrices together",
        };
        let [largest, all] = [limits.max_alloc_bytes, limits.global_mem_bytes].map(limit);
        let (what, need, limit) = if self.matrix > largest {
            ("one matrix", self.matrix, largest)
        } else if self.total > all {
            (together, self.total, all)
        } else {
            return None;
        };
        let [need, limit] = told_apart(need, limit);
        Some(format!(
            "{what} would take {need} GiB, the limit is {limit} GiB"
        ))
    }

    /// The side of square matrices that exceed no limit at all.
    fn side_that_fits(&self, limits: &Limits, ty: Type) -> u64 {
        let largest = limit(limits.max_alloc_bytes) as f64;
        let share = limit(limits.global_mem_bytes) as f64 / self.copies;
        let elements = largest.min(share) / ty.size() as f64;
        (elements.sqrt() as u64).min(LONGEST) / 8 * 8
    }
}

fn limit(told: u64) -> u64 {
    if told == 0 { u64::MAX } else { told }
}

/// Both in GiB, with as many digits as it takes to see that they differ.
fn told_apart(need: u64, limit: u64) -> [String; 2] {
    let shown = |digits: usize| {
        [need, limit].map(|bytes| format!("{:.digits$}", bytes as f64 / f64::from(1 << 30)))
    };
    let differ = |[need, limit]: &[String; 2]| need != limit;
    (2..9).map(shown).find(differ).unwrap_or_else(|| shown(9))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn limits(max_alloc_bytes: u64, global_mem_bytes: u64) -> Limits {
        Limits {
            max_alloc_bytes,
            global_mem_bytes,
            ..Limits::default()
        }
    }

    fn cube(side: u64, kind: Kind) -> Need {
        Need::of(Shape::cube(side as usize), Type::Float, 0, kind)
    }

    #[test]
    fn the_side_that_is_named_fits_every_limit_and_no_larger_one_does() {
        for kind in [Kind::Cpu, Kind::Gpu] {
            for (largest, all) in [(4, 16), (4, 8), (16, 8), (1, 64), (0, 8), (4, 0)] {
                let limits = limits(largest * GIB, all * GIB);
                let side = cube(46340, kind).side_that_fits(&limits, Type::Float);
                let refused = |side| cube(side, kind).refusal(&limits).is_some();
                assert!(!refused(side), "{kind:?} {largest} {all}: {side}");
                assert!(refused(side + 8), "{kind:?} {largest} {all}: {side}");
            }
        }
    }

    #[test]
    fn what_lies_beside_is_counted() {
        let limits = limits(4 * GIB, 8 * GIB);
        let copies = |side: usize| 4 * (side * side * 4) as u64;
        let need = |side| Need::of(Shape::cube(side), Type::Float, copies(side), Kind::Gpu);
        let side = need(40000).side_that_fits(&limits, Type::Float);
        assert!(need(side as usize).refusal(&limits).is_none(), "{side}");
    }

    #[test]
    fn a_limit_that_is_not_told_refuses_nothing() {
        assert!(cube(46340, Kind::Cpu).refusal(&limits(0, 0)).is_none());
        let side = cube(46340, Kind::Cpu).side_that_fits(&limits(0, 0), Type::Float);
        assert_eq!(side, LONGEST);
    }

    #[test]
    fn two_figures_that_differ_are_shown_so() {
        assert_eq!(told_apart(8 * GIB, 4 * GIB), ["8.00", "4.00"]);
        assert_eq!(told_apart(4 * GIB + (1 << 20), 4 * GIB), ["4.001", "4.000"]);
    }
}
