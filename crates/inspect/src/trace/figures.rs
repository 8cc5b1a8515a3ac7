//! What the requests of a launch come to, for each line and operand, as the kernel's text calls it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use diagnostics::tokens::{Tokens, is_word};
use serde::Serialize;

use super::accesses::{Kind, Memory, Place, Trace};
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
}

impl Figures {
    /// What these operands come to together.
    pub(crate) fn total(&self, is_meant: impl Fn(&Operand) -> bool) -> Sums {
        let mut all = Sums::default();
        for Row { sums, .. } in self.rows.iter().filter(|row| is_meant(&row.operand)) {
            all.requests += sums.requests;
            all.accesses += sums.accesses;
            all.bytes_wanted += sums.bytes_wanted;
            all.sectors += sums.sectors;
            all.fewest_sectors += sums.fewest_sectors;
            all.different_sectors += sums.different_sectors;
            all.passes += sums.passes;
            all.fewest_passes += sums.fewest_passes;
        }
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
    pub fn of(
        trace: &Trace,
        folder: &std::path::Path,
        text: &str,
        model: &Model,
    ) -> anyhow::Result<Figures> {
        let names = Operands::of(text);
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
        // What moves most beyond the fewest, in bytes that memory could have given meanwhile; then
        // what moves most, then as the lines stand in the file.
        rows.sort_by_cached_key(|Row { operand, sums, .. }| {
            let sectors = sums.sectors.saturating_sub(sums.fewest_sectors);
            let passes = sums.passes.saturating_sub(sums.fewest_passes);
            let waste = sectors * model.sector + passes * AT_ONCE;
            let Operand { line, name, kind, .. } = operand;
            let moved = sums.sectors + sums.passes;
            (Reverse(waste), Reverse(moved), *line, name.clone(), *kind)
        });
        Ok(Figures {
            rows,
            images: images.iter().map(|row| row.operand.line).collect(),
            barriers,
            groups: trace.launch.groups[0],
        })
    }
}

/// The names of a kernel file: what an instruction works on, as the text calls it. The compiler
/// notes a place for each instruction: that of the array's name for a load, of the = for a store,
/// of the function's name for a call.
struct Operands<'a> {
    text: &'a str,
    tokens: Tokens<'a>,
}

impl<'a> Operands<'a> {
    fn of(text: &'a str) -> Operands<'a> {
        Operands { text, tokens: Tokens::of(text) }
    }

    /// The array at a line and column, from 1; none where the text does not tell.
    fn name(&self, line: usize, column: usize) -> Option<&'a str> {
        let lines = self.text.split_inclusive('\n').take(line.checked_sub(1)?);
        let byte = lines.map(str::len).sum::<usize>().checked_add(column.checked_sub(1)?)?;
        let mut before = self.tokens.all().rev();
        let token = before.find(|token| self.tokens.byte(*token) <= byte)?;
        let text = self.tokens.text(token);
        if byte >= self.tokens.byte(token) + text.len() {
            return None;
        }
        if text.ends_with('=') {
            return self.before(token);
        }
        // A part of a structure or a vector.
        if token > 0 && self.tokens.text(token - 1) == "." {
            return self.before(token - 1);
        }
        if !is_word(text) || self.tokens.text(token + 1) != "(" {
            return self.first_name(token);
        }
        // The pointer among the arguments: the last one of vloads and vstores, the first of
        // others. What is no such call has a name of its own.
        let function = text.to_lowercase();
        let is_vector = function.starts_with("vload") || function.starts_with("vstore");
        if !is_vector && !function.starts_with("atom") {
            return Some(text);
        }
        let close = self.tokens.matching(token + 1)?;
        self.first_name(if is_vector { self.tokens.begin_of(close, &[","]) } else { token + 2 })
    }

    /// What is assigned to: `a[k][x] =`, `*p =`, `((float4 *)p)[i] =`, `v.x =`.
    fn before(&self, token: usize) -> Option<&'a str> {
        let mut at = token.checked_sub(1)?;
        loop {
            match self.tokens.text(at) {
                "]" => at = self.opening(at)?.checked_sub(1)?,
                ")" => return self.first_name(self.opening(at)?),
                "++" | "--" | "+" | "-" | "*" | "/" | "<" | ">" | "&" | "|" | "^" | "%" => {
                    at = at.checked_sub(1)?;
                }
                // A part of what stands before it.
                text if is_word(text) && at >= 2 && self.tokens.text(at - 1) == "." => at -= 2,
                text => return Some(text).filter(|text| is_word(text)),
            }
        }
    }

    /// The bracket that the one at `close` closes.
    fn opening(&self, close: usize) -> Option<usize> {
        self.tokens.begin_of(close, &[]).checked_sub(1)
    }

    /// The first word from here on that is no type, as in `(global const float4 *)`.
    fn first_name(&self, mut token: usize) -> Option<&'a str> {
        loop {
            let close = self.tokens.matching(token).filter(|_| self.tokens.text(token) == "(");
            token = match self.tokens.text(token) {
                "" => return None,
                text if is_word(text) => return Some(text),
                _ => close.filter(|close| self.tokens.text(close - 1) == "*").unwrap_or(token) + 1,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name at the place of `mark` in a line.
    fn name_at(line: &str, mark: &str) -> String {
        let text = format!("// a comment\n{line}\n");
        let column = line.find(mark).unwrap() + 1;
        Operands::of(&text).name(2, column).unwrap_or("?").to_string()
    }

    #[test]
    fn loads_and_stores_are_named_by_the_array() {
        let line = "    for (;;) C[row * N + column] += A[AT(row, k, M)] * b_tile[k + 1][x].s0;";
        assert_eq!(name_at(line, "A["), "A");
        assert_eq!(name_at(line, "b_tile"), "b_tile");
        assert_eq!(name_at(line, "+="), "C");
        assert_eq!(name_at("a_tile[y][x] = A4[i];", "="), "a_tile");
        assert_eq!(name_at("*p = 1;", "="), "p");
        assert_eq!(name_at("v = *p;", "*"), "p");
        assert_eq!(name_at("one.s0 = 1;", "="), "one");
        assert_eq!(name_at("tile[i].x = 1;", "="), "tile");
        assert_eq!(name_at("v = one.s0;", "s0"), "one");
    }

    #[test]
    fn casts_and_calls_are_named_by_their_pointer() {
        let cast = "v = ((global const float4 *)from)[i];";
        assert_eq!(name_at(cast, "((g"), "from");
        assert_eq!(name_at(cast, "(global"), "from");
        let sum = "*(global float4 *)(to + 4 * i) = v;";
        assert_eq!(name_at(sum, "="), "to");
        assert_eq!(name_at("x = *(global float4 *)(A + i);", "*("), "A");
        assert_eq!(name_at("x = vload4(0, B + k * N);", "vload4"), "B");
        assert_eq!(name_at("VSTORE(sum, 0, C + row * N);", "VSTORE"), "C");
        assert_eq!(name_at("vstore4(vload4(i * s, in), j, out);", "vstore4"), "out");
        assert_eq!(name_at("vstore4(vload4(i * s, in), j, out);", "vload4"), "in");
        assert_eq!(name_at("atomic_add(&count[i], 1);", "atomic"), "count");
    }

    #[test]
    fn what_is_not_there_has_no_name() {
        let operands = Operands::of("x\n");
        for (line, column) in [(0, 0), (1, 0), (1, 2), (9, 9), (usize::MAX, usize::MAX)] {
            assert_eq!(operands.name(line, column), None);
        }
    }

    #[test]
    fn a_damaged_file_has_names_or_none() {
        let text = "kernel void f(global float *a)\n{\n  *(global float4 *)(a + 1) = a[2].s0;\n}\n";
        damage::must_be_survived(text.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let operands = Operands::of(&text);
            // At few places: a part may be repeated a thousand times.
            for (line, column) in [(1, 1), (2, 1), (3, 3), (3, 5), (3, 26), (3, 30), (9, 9)] {
                operands.name(line, column);
            }
        });
    }
}
