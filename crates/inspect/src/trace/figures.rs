//! What the requests of a launch come to, for each line and operand.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use anyhow::Result;
use common::source::Source;
use serde::Serialize;

use super::accesses::{Kind, Memory, Place, Trace};
use super::operand::Operands;
use super::request::{Model, Request, WORD, requests};

/// Bytes that local memory, or a cache, can give at once: a pass over all banks, and as many
/// sectors.
const AT_ONCE: u64 = 128;

/// An operand of a line, and what is done to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Operand {
    /// In the kernel file, from 1; 0 where it is in another file.
    pub line: usize,
    /// As the text calls it.
    pub name: String,
    pub kind: Kind,
    pub memory: Memory,
}

/// Sums over all requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Of groups of neighbouring items.
    pub requests: u64,
    /// Of single items.
    pub accesses: u64,
    /// What the items ask for, each for itself.
    pub bytes_wanted: u64,
    /// Sectors that move, of global memory.
    pub sectors: u64,
    /// The fewest that could hold what each request asks for.
    fewest_sectors: u64,
    /// Sectors that are different within a group, summed over the groups.
    different_sectors: u64,
    /// Passes over the banks of local memory.
    passes: u64,
    /// The fewest that could bring it.
    fewest_passes: u64,
}

/// All figures of one launch.
pub struct Figures {
    /// The worst first.
    pub(crate) rows: Vec<Row>,
    /// Lines with images, which are not counted: each device has a layout of its own for them,
    /// and the simulator moves a channel at a time.
    pub images: BTreeSet<usize>,
    /// That the groups passed, all together.
    pub(crate) barriers: u64,
    pub(crate) groups: u64,
}

pub(crate) struct Row {
    pub operand: Operand,
    pub sums: Sums,
    /// Its first request.
    pub first: Request,
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.requests += other.requests;
        self.accesses += other.accesses;
        self.bytes_wanted += other.bytes_wanted;
        self.sectors += other.sectors;
        self.fewest_sectors += other.fewest_sectors;
        self.different_sectors += other.different_sectors;
        self.passes += other.passes;
        self.fewest_passes += other.fewest_passes;
    }
}

impl Sums {
    /// Sectors or passes of a request, and how few there could be; none for private memory.
    pub fn each(&self, memory: Memory) -> Option<[f64; 2]> {
        let taken = match memory {
            Memory::Global => [self.sectors, self.fewest_sectors],
            Memory::Local => [self.passes, self.fewest_passes],
            Memory::Private => return None,
        };
        Some(taken.map(|sum| sum as f64 / self.requests.max(1) as f64))
    }

    /// How often a group moves each sector that it touches.
    pub fn times(&self) -> Option<f64> {
        let different = self.different_sectors;
        (different > 0).then(|| self.sectors as f64 / different as f64)
    }

    /// What is moved beyond the fewest, in bytes that memory could have given meanwhile.
    fn waste(&self, model: &Model) -> u64 {
        let sectors = self.sectors.saturating_sub(self.fewest_sectors);
        let passes = self.passes.saturating_sub(self.fewest_passes);
        sectors * model.sector + passes * AT_ONCE
    }
}

impl Figures {
    /// What these operands come to together.
    pub(crate) fn total(&self, is_meant: impl Fn(&Operand) -> bool) -> Sums {
        let mut all = Sums::default();
        self.rows.iter().filter(|row| is_meant(&row.operand)).for_each(|row| all += row.sums);
        all
    }

    /// What all lines load or store; an atomic access does both.
    pub fn moved(&self, kind: Kind, memory: Memory) -> Sums {
        self.total(|one| one.memory == memory && [kind, Kind::Atomic].contains(&one.kind))
    }

    /// Counts a trace in `folder`.
    ///
    /// # Errors
    /// A trace that is damaged.
    pub fn of(trace: &Trace, folder: &Path, source: &Source, model: &Model) -> Result<Figures> {
        let names = Operands::of(&source.text);
        let operand = |place: &Place| {
            let Place { kind, memory, line, column } = *place;
            Operand { line, name: names.name(line, column).unwrap_or("?").into(), kind, memory }
        };
        let operands: Vec<Operand> = trace.places.iter().map(operand).collect();
        let mut rows: HashMap<&Operand, Row> = HashMap::new();
        let mut barriers = 0;
        trace.groups(folder, |group| {
            barriers += group.iter().filter(|access| access.place == 0).count() as u64;
            let mut different: HashSet<(&Operand, u64)> = HashSet::new();
            for request in requests(group, model) {
                let operand = &operands[request.place as usize - 1];
                let row = rows.entry(operand).or_insert_with(|| Row {
                    operand: operand.clone(),
                    sums: Sums::default(),
                    first: request.clone(),
                });
                let sums = &mut row.sums;
                sums.requests += 1;
                sums.accesses += request.lanes.len() as u64;
                sums.bytes_wanted += request.lanes.iter().map(|lane| lane.bytes).sum::<u64>();
                match operand.memory {
                    Memory::Global => {
                        let sectors = request.sectors(model);
                        sums.sectors += sectors.len() as u64;
                        sums.fewest_sectors += request.fewest(model.sector);
                        let new =
                            sectors.into_keys().filter(|one| different.insert((operand, *one)));
                        sums.different_sectors += new.count() as u64;
                    }
                    Memory::Local => {
                        sums.passes += request.passes(model).len() as u64;
                        sums.fewest_passes += request.fewest(model.banks * WORD);
                    }
                    Memory::Private => {}
                }
            }
        })?;
        let is_image = |row: &Row| {
            ["read_image", "write_image"].iter().any(|one| row.operand.name.starts_with(one))
        };
        let (images, mut rows): (Vec<Row>, Vec<Row>) = rows.into_values().partition(is_image);
        // What wastes most, then what moves most, then as the lines stand in the file.
        rows.sort_by_cached_key(|Row { operand, sums, .. }| {
            let moved = sums.sectors + sums.passes;
            let Operand { line, name, kind, .. } = operand;
            (Reverse(sums.waste(model)), Reverse(moved), *line, name.clone(), *kind)
        });
        Ok(Figures {
            rows,
            images: images.iter().map(|row| row.operand.line).collect(),
            barriers,
            groups: trace.launch.groups[0],
        })
    }
}
