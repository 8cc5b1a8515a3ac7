//! Whether a product has room on a device and on its host, before anything is allocated.

use super::Session;
use crate::device::{Device, Kind, Limits};
use crate::error::{Error, Result};
use crate::host::{self, Room};
use verify::element::Type;
use verify::shape::Shape;

/// The longest side of a square matrix whose elements an int can count, in whole tiles.
const LONGEST: u64 = 46336;

impl Session {
    /// Refuses a product that does not fit, before anything is allocated.
    ///
    /// # Errors
    /// [`Error::Usage`] with the limit, and a size that would fit.
    pub fn must_fit(&self, shape: Shape, ty: Type) -> Result<()> {
        let bytes = |rows: usize, cols: usize| rows as u64 * cols as u64 * ty.size() as u64;
        let Shape { m, n, k } = shape;
        let [a, b] = [bytes(m, k), bytes(k, n)].map(Need::read);
        self.must_have_room([a, b, Need::written(bytes(m, n))], Some(ty))
    }

    /// The same for any buffers; without the size where these are no matrices of a type.
    pub fn must_have_room(
        &self,
        needs: impl IntoIterator<Item = Need>,
        ty: Option<Type>,
    ) -> Result<()> {
        self.refuse(needs, |bytes| Some(side_of(bytes, ty?)))
    }

    /// The same for vectors of so many floats: two that are read, and one that is written.
    pub fn vectors_must_fit(&self, floats: usize) -> Result<()> {
        let [bytes, float] = [floats, 1].map(|floats| (floats * size_of::<f32>()) as u64);
        let needs = [Need::read(bytes), Need::read(bytes), Need::written(bytes)];
        self.refuse(needs, |bytes| Some(bytes as u64 / float))
    }

    /// Refuses what does not fit, with the size that does, by the bytes of its largest matrix.
    fn refuse(
        &self,
        needs: impl IntoIterator<Item = Need>,
        size: impl Fn(f64) -> Option<u64>,
    ) -> Result<()> {
        let (need, host) = (Total::of(needs, self.device.kind), host::room());
        let Device { name, limits, .. } = &self.device;
        let Some(refusal) = need.refusal(limits, host) else {
            return Ok(());
        };
        let size = size(need.bytes_that_fit(limits, host));
        let advice = size.map_or(String::new(), |size| format!("; try --size {size}"));
        Err(Error::Usage(format!("too large for {name}: {refusal}{advice}")))
    }
}

/// What a buffer takes: its bytes, and how many copies of it lie on the device, on a device
/// whose memory is the host's, and on the host.
#[derive(Clone, Copy)]
pub struct Need {
    bytes: u64,
    copies: [u64; 3],
}

impl Need {
    /// What kernels read: the host keeps it.
    pub fn read(bytes: u64) -> Need {
        let copies = [1, 2, 1];
        Need { bytes, copies }
    }

    /// What kernels write: the host has several copies while it is checked.
    pub fn written(bytes: u64) -> Need {
        let copies = [1, 6, 5];
        Need { bytes, copies }
    }

    /// What one kernel leaves to another.
    pub fn between(bytes: u64) -> Need {
        let copies = [1, 1, 0];
        Need { bytes, copies }
    }
}

/// The bytes that several buffers take.
struct Total {
    /// Of the largest one.
    largest: u64,
    /// Of the largest one that is read or written by the host.
    matrix: u64,
    /// Of all copies of all of them.
    total: u64,
    /// Of all copies in the memory of the host.
    host: u64,
    kind: Kind,
}

impl Total {
    fn of(needs: impl IntoIterator<Item = Need>, kind: Kind) -> Total {
        let needs: Vec<Need> = needs.into_iter().collect();
        let all = |which: usize| {
            let bytes = needs.iter();
            let bytes = bytes.map(|one| one.bytes.saturating_mul(one.copies[which]));
            bytes.fold(0, u64::saturating_add)
        };
        let [total, host] = if kind == Kind::Cpu { [all(1); 2] } else { [all(0), all(2)] };
        let largest = |all: bool| {
            let of = needs.iter().filter(|one| all || one.copies[2] > 0);
            of.map(|one| one.bytes).max().unwrap_or(0)
        };
        Total { largest: largest(true), matrix: largest(false), total, host, kind }
    }

    /// What is used, its bytes, their limit, and whose that is. A limit that nobody tells is
    /// none.
    fn uses(&self, limits: &Limits, host: Option<Room>) -> Vec<(&str, u64, u64, &'static str)> {
        let together = match self.kind {
            Kind::Cpu => "all buffers, on host and device together,",
            _ => "all buffers together",
        };
        let told = |bytes: u64| if bytes == 0 { u64::MAX } else { bytes };
        let [largest, all] = [limits.max_alloc_bytes, limits.global_mem_bytes].map(told);
        let device = "the device's memory";
        let mut uses = vec![
            ("one buffer", self.largest, largest, "of a buffer"),
            (together, self.total, all, device),
        ];
        let on_host = "the copies in the host's memory";
        uses.extend(host.map(|host| (on_host, self.host, host.bytes, host.of)));
        uses
    }

    /// The first limit that it exceeds.
    fn refusal(&self, limits: &Limits, host: Option<Room>) -> Option<String> {
        let mut uses = self.uses(limits, host).into_iter();
        let (what, need, limit, of) = uses.find(|(_, need, limit, _)| need > limit)?;
        let [need, limit] = told_apart(need, limit);
        Some(format!("{what} would take {need} GiB, the limit is {limit} GiB ({of})"))
    }

    /// The bytes of the largest that is read or written by the host where no limit at all is
    /// exceeded, and the others shrink as it does.
    fn bytes_that_fit(&self, limits: &Limits, host: Option<Room>) -> f64 {
        let uses = self.uses(limits, host).into_iter();
        let shares = uses.map(|(_, need, limit, _)| limit as f64 / need.max(1) as f64);
        self.matrix as f64 * shares.fold(f64::INFINITY, f64::min)
    }
}

/// The side of a square matrix of so many bytes.
fn side_of(bytes: f64, ty: Type) -> u64 {
    ((bytes / ty.size() as f64).sqrt() as u64).min(LONGEST) / 8 * 8
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
        Limits { max_alloc_bytes, global_mem_bytes, ..Limits::default() }
    }

    fn room(gib: u64) -> Option<Room> {
        let (bytes, of) = (gib * GIB, "ulimit -v");
        Some(Room { bytes, of })
    }

    fn with(side: u64, beside: u64, kind: Kind) -> Total {
        let matrix = 4 * side * side;
        let [a, b] = [Need::read(matrix); 2];
        Total::of([a, b, Need::written(matrix), Need::between(beside)], kind)
    }

    fn cube(side: u64, kind: Kind) -> Total {
        with(side, 0, kind)
    }

    #[test]
    fn the_side_that_is_named_fits_every_limit_and_no_larger_one_does() {
        for kind in [Kind::Cpu, Kind::Gpu] {
            for (largest, all, host) in [
                (4, 16, 64),
                (4, 8, 64),
                (16, 8, 64),
                (1, 64, 64),
                (0, 8, 64),
                (4, 0, 64),
                (16, 64, 2),
            ] {
                let limits = limits(largest * GIB, all * GIB);
                let host = room(host);
                let bytes = cube(46340, kind).bytes_that_fit(&limits, host);
                let side = side_of(bytes, Type::Float);
                let refused = |side| cube(side, kind).refusal(&limits, host).is_some();
                assert!(!refused(side), "{kind:?} {largest} {all} {host:?}: {side}");
                assert!(refused(side + 8), "{kind:?} {largest} {all} {host:?}: {side}");
            }
        }
    }

    #[test]
    fn a_gpus_matrices_must_fit_its_host_whose_limit_is_named() {
        let (limits, host) = (limits(16 * GIB, 64 * GIB), room(4));
        let refusal = cube(16384, Kind::Gpu).refusal(&limits, host);
        assert_eq!(
            refusal.as_deref(),
            Some(
                "the copies in the host's memory would take 7.00 GiB, the limit is 4.00 GiB (ulimit -v)"
            )
        );
        assert_eq!(cube(8192, Kind::Gpu).refusal(&limits, host), None);
        assert_eq!(cube(16384, Kind::Gpu).refusal(&limits, None), None);
    }

    #[test]
    fn what_lies_beside_is_counted() {
        let limits = limits(4 * GIB, 8 * GIB);
        let need = |side: u64| with(side, 4 * (side * side * 4), Kind::Gpu);
        let side = side_of(need(40000).bytes_that_fit(&limits, None), Type::Float);
        assert!(need(side).refusal(&limits, None).is_none(), "{side}");
    }

    #[test]
    fn a_limit_that_is_not_told_refuses_nothing() {
        assert!(cube(46340, Kind::Cpu).refusal(&limits(0, 0), None).is_none());
        let bytes = cube(46340, Kind::Cpu).bytes_that_fit(&limits(0, 0), None);
        assert_eq!(side_of(bytes, Type::Float), LONGEST);
    }

    #[test]
    fn two_figures_that_differ_are_shown_so() {
        assert_eq!(told_apart(8 * GIB, 4 * GIB), ["8.00", "4.00"]);
        assert_eq!(told_apart(4 * GIB + (1 << 20), 4 * GIB), ["4.001", "4.000"]);
    }
}
