//! What the plugin wrote: the instructions that touch memory, the launches, and every access
//! in the order in which the simulator saw them.

#[cfg(test)]
mod tests;

use std::io::{BufReader, Read};
use std::{fs::File, path::Path};

use anyhow::{Context, Result, ensure};
use common::{Error, command};
use serde::{Deserialize, Serialize};

/// The first line of `launches`, as this program reads it.
const FORM: &str = "trace 4";
/// Bytes of an access in the file.
const BYTES: usize = 24;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Kind {
    Load,
    Store,
    Atomic,
}

/// Where it does so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Memory {
    /// Constants lie there, too.
    #[serde(alias = "constant")]
    Global,
    /// The group's.
    Local,
    /// The item's own arrays and structures; its variables are not traced.
    Private,
}

/// An instruction that touches memory.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Place {
    pub kind: Kind,
    pub memory: Memory,
    /// In the kernel file, from 1; 0 where it is of another file.
    pub line: usize,
    pub column: usize,
}

/// The launch of the kernel.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Launch {
    /// Items in each dimension.
    pub(crate) global: [u64; 3],
    /// Items of a group.
    pub(crate) local: [u64; 3],
    /// Groups that ran, and all that there are.
    pub groups: [u64; 2],
    /// Accesses and barriers in the file.
    #[serde(skip_serializing)]
    records: u64,
    /// Whether it was given up: one group made too many accesses.
    #[serde(skip_serializing)]
    pub(crate) is_cut: bool,
}

/// One access of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// In bytes; above bit 48 the number of the array.
    pub address: u64,
    /// The instruction, from 1; 0 is a barrier that the group passes.
    pub place: u32,
    /// Its width.
    pub bytes: u32,
    /// The group's number in the range.
    pub group: u32,
    /// The item's number in the group, dimension 0 fastest.
    pub item: u32,
}

/// A line of `launches`.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Place(Place),
    Launch(Launch),
}

/// A folder that the plugin wrote to.
#[derive(Debug)]
pub struct Trace {
    /// Number 1 first.
    pub(crate) places: Vec<Place>,
    /// The first one.
    pub launch: Launch,
}

impl Trace {
    /// Reads `launches`; none where no kernel of the name was launched.
    ///
    /// # Errors
    /// [`Error::Usage`] for a plugin of another version.
    pub(crate) fn of(launches: &str) -> Result<Option<Trace>> {
        let mut lines = launches.lines();
        if lines.next() != Some(FORM) {
            let why = "the plugin that traces is not of this version of the course";
            let next = command::setup("--full");
            return Err(Error::Usage(format!("{why}\n  next: {next}")).into());
        }
        let (mut places, mut launches) = (Vec::new(), Vec::new());
        for line in lines {
            let damaged = || format!("the trace is damaged: {line}");
            match serde_json::from_str(line).with_context(damaged)? {
                Line::Place(place) => places.push(place),
                Line::Launch(launch) => launches.push(launch),
            }
        }
        Ok(launches.into_iter().next().map(|launch| Trace { places, launch }))
    }

    /// Hands the accesses to `each`, a group at a time.
    pub(crate) fn groups(&self, folder: &Path, mut each: impl FnMut(&[Access])) -> Result<()> {
        let file = File::open(folder.join("accesses")).context("the trace has no accesses")?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut group: Vec<Access> = Vec::new();
        let mut bytes = [0; BYTES];
        for _ in 0..self.launch.records {
            file.read_exact(&mut bytes).context("the trace is cut short")?;
            let access = access(bytes);
            let place = access.place;
            ensure!(place as usize <= self.places.len(), "the trace is damaged: no place {place}");
            if group.first().is_some_and(|first| first.group != access.group) {
                each(&group);
                group.clear();
            }
            group.push(access);
        }
        // The last group of a launch that was given up has not ended.
        if !group.is_empty() && !self.launch.is_cut {
            each(&group);
        }
        Ok(())
    }
}

fn access(written: [u8; BYTES]) -> Access {
    let [address, ..]: [u64; 3] = bytemuck::cast(written);
    let [_, _, place, bytes, group, item]: [u32; 6] = bytemuck::cast(written);
    Access { address, place, bytes, group, item }
}
