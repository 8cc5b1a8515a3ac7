//! What the requests of a launch come to, for each line and operand.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::Result;
use common::source::Source;
use serde::Serialize;

use super::accesses::{Kind, Memory, Place, Trace};
use super::operand::Operands;
use super::outside::Outside;
use super::request::{Request, requests};
use crate::device::Model;

/// Bytes that local memory, or a cache, can give at once: a pass over all banks, and as many
/// sectors.
const AT_ONCE: f64 = 128.0;

/// Requests of a warp that a page steps through.
const SHOWN: usize = 300;

/// An operand of a line, and what is done to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Operand {
    /// In the kernel file, from 1; 0 where it is in another file.
    pub line: usize,
    /// As the text calls it.
    pub name: String,
    /// What is done.
    pub kind: Kind,
    /// Where it lies.
    pub memory: Memory,
}

/// Sums over all requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// How many.
    pub requests: u64,
    /// Accesses of single items.
    pub accesses: u64,
    /// Bytes that the items ask for, each for itself.
    pub bytes_wanted: u64,
    /// Sectors that move, of global memory.
    pub sectors: u64,
    /// The fewest that could hold what each request asks for.
    pub fewest_sectors: u64,
    /// Sectors that are different within a group, summed over the groups.
    pub different_sectors: u64,
    /// Passes over the banks of local memory.
    pub passes: u64,
    /// The fewest that could bring it.
    pub fewest_passes: u64,
}

/// All figures of one launch.
pub struct Figures {
    /// The worst first.
    pub rows: Vec<Row>,
    /// Barriers that the groups passed, all together.
    pub barriers: u64,
    /// The requests of the first group, the first ones of each warp, as time goes.
    pub group: Vec<Request>,
    /// What each place works on, number 1 first.
    pub operands: Vec<Operand>,
}

/// One operand's.
pub struct Row {
    /// Of which line.
    pub operand: Operand,
    /// Its sums.
    pub sums: Sums,
    /// Its first request.
    pub first: Request,
    /// What of it lies outside of its array.
    pub outside: Option<Outside>,
}

impl Sums {
    fn add(&mut self, request: &Request, memory: Memory, model: &Model) {
        self.requests += 1;
        self.accesses += request.lanes.len() as u64;
        self.bytes_wanted += request.wanted();
        match memory {
            Memory::Global => {
                self.sectors += request.sectors(model).len() as u64;
                self.fewest_sectors += request.fewest_sectors(model);
            }
            Memory::Local => {
                self.passes += request.passes(model).len() as u64;
                self.fewest_passes += request.fewest_passes(model);
            }
            Memory::Private => {}
        }
    }

    /// Sectors or passes, and how few there could be; none for private memory.
    pub fn taken(&self, memory: Memory) -> Option<[u64; 2]> {
        match memory {
            Memory::Global => Some([self.sectors, self.fewest_sectors]),
            Memory::Local => Some([self.passes, self.fewest_passes]),
            Memory::Private => None,
        }
    }

    /// The same of a request.
    pub fn each(&self, memory: Memory) -> Option<[f64; 2]> {
        let mean = |sum: u64| sum as f64 / self.requests.max(1) as f64;
        self.taken(memory).map(|both| both.map(mean))
    }

    /// How often a group moves each sector that it touches.
    pub fn times(&self) -> Option<f64> {
        let different = self.different_sectors;
        (different > 0).then(|| self.sectors as f64 / different as f64)
    }

    /// What is moved beyond the fewest, in units of what memory gives at once.
    fn waste(&self, model: &Model) -> f64 {
        let sectors = self.sectors.saturating_sub(self.fewest_sectors);
        let passes = self.passes.saturating_sub(self.fewest_passes);
        sectors as f64 * model.sector as f64 / AT_ONCE + passes as f64
    }
}

impl Figures {
    /// Sectors of global memory, of all lines.
    pub fn sectors(&self) -> u64 {
        self.rows.iter().map(|row| row.sums.sectors).sum()
    }

    /// Counts a trace in `folder`.
    pub fn of(trace: &Trace, folder: &Path, source: &Source, model: &Model) -> Result<Figures> {
        let names = Operands::of(&source.text);
        let operands: Vec<Operand> = trace.places.iter().map(|at| operand(at, &names)).collect();
        let mut rows: HashMap<&Operand, (Sums, Request)> = HashMap::new();
        let mut barriers = 0;
        let mut first_group: Vec<Request> = Vec::new();
        trace.groups(folder, |group| {
            barriers += group.iter().filter(|access| access.place == 0).count() as u64;
            let mut different: HashSet<(&Operand, u64)> = HashSet::new();
            let requests = requests(group, model);
            if first_group.is_empty() {
                first_group = begin_of(&requests);
            }
            for request in requests {
                let operand = &operands[request.place as usize - 1];
                let row = rows.entry(operand);
                let (sums, _) = row.or_insert_with(|| (Sums::default(), request.clone()));
                sums.add(&request, operand.memory, model);
                if operand.memory == Memory::Global {
                    let sectors = request.sectors(model).into_iter();
                    different.extend(sectors.map(|sector| (operand, sector)));
                }
            }
            for (operand, _) in different {
                if let Some((sums, _)) = rows.get_mut(operand) {
                    sums.different_sectors += 1;
                }
            }
        })?;
        let outside = |operand: &Operand| {
            let places = trace.places.iter().zip(&operands);
            let of_it = places.filter(|(_, one)| *one == operand);
            of_it
                .filter_map(|(place, _)| place.outside)
                .reduce(Outside::and)
        };
        let rows = rows.into_iter().map(|(operand, (sums, first))| Row {
            operand: operand.clone(),
            sums,
            first,
            outside: outside(operand),
        });
        let mut rows: Vec<Row> = rows.collect();
        worst_first(&mut rows, model);
        Ok(Figures {
            rows,
            barriers,
            group: first_group,
            operands,
        })
    }
}

/// The first requests of each warp, in time.
fn begin_of(requests: &[Request]) -> Vec<Request> {
    let mut shown = Vec::new();
    let mut of_warp: HashMap<u32, usize> = HashMap::new();
    let mut all: Vec<&Request> = requests.iter().collect();
    all.sort_by_key(|request| (request.phase, request.step, request.warp));
    for request in all {
        let count = of_warp.entry(request.warp).or_default();
        *count += 1;
        if *count <= SHOWN {
            shown.push(request.clone());
        }
    }
    shown
}

/// What wastes most, then what moves most, then as the lines stand in the file.
fn worst_first(rows: &mut [Row], model: &Model) {
    rows.sort_by(|one, other| {
        let [a, b] = [&one.sums, &other.sums];
        let by_waste = b.waste(model).total_cmp(&a.waste(model));
        by_waste
            .then((b.sectors + b.passes).cmp(&(a.sectors + a.passes)))
            .then(one.operand.line.cmp(&other.operand.line))
            .then(one.operand.name.cmp(&other.operand.name))
            .then((one.operand.kind as u8).cmp(&(other.operand.kind as u8)))
    });
}

fn operand(place: &Place, names: &Operands) -> Operand {
    let (line, column) = place.at.unwrap_or_default();
    Operand {
        line,
        name: names.name(line, column).into(),
        kind: place.kind,
        memory: place.memory,
    }
}
