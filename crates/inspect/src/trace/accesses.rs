//! What the plugin wrote: the instructions that touch memory, the launches, and every access
//! in the order in which the simulator saw them.

#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use common::Error;
use common::command;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

/// The first line of `launches`, as this program reads it.
const FORM: &str = "trace 3";
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

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.serialize(f)
    }
}

impl Display for Memory {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.serialize(f)
    }
}

/// An instruction that touches memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub kind: Kind,
    pub memory: Memory,
    /// Line and column in the kernel file, from 1; none where it is of another file.
    pub at: Option<(usize, usize)>,
}

/// The launch of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Launch {
    /// Items in each dimension.
    pub(crate) global: [u64; 3],
    /// Items of a group.
    pub(crate) local: [u64; 3],
    /// Groups that ran, and all that there are.
    pub groups: [u64; 2],
    /// Accesses and barriers in the file.
    #[serde(skip)]
    records: u64,
    /// Whether it was given up: one group made too many accesses.
    #[serde(skip)]
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

/// A folder that the plugin wrote to.
#[derive(Debug)]
pub struct Trace {
    /// Number 1 first.
    pub(crate) places: Vec<Place>,
    /// The first one.
    pub launch: Launch,
}

impl Trace {
    /// Reads the text; none where no kernel of the name was launched.
    ///
    /// # Errors
    /// [`Error::Usage`] for a plugin of another version.
    pub(crate) fn read(folder: &Path) -> Result<Option<Trace>> {
        match std::fs::read(folder.join("launches")) {
            Ok(text) => Trace::parse(&String::from_utf8_lossy(&text)),
            Err(_) => Ok(None),
        }
    }

    fn parse(text: &str) -> Result<Option<Trace>> {
        let mut lines = text.lines();
        if lines.next() != Some(FORM) {
            let why = "the plugin that traces is not of this version of the course";
            let next = command::setup("--full");
            return Err(Error::Usage(format!("{why}\n  next: {next}")).into());
        }
        let (mut places, mut first) = (Vec::new(), None);
        for line in lines {
            let read = match line.split_once(' ') {
                Some(("place", rest)) => place(rest).map(|place| places.push(place)),
                // Of later launches as well; of all the first one counts.
                Some(("launch", rest)) => launch(rest).map(|launch| {
                    first.get_or_insert(launch);
                }),
                _ => continue,
            };
            read.with_context(|| format!("the trace is damaged: {line}"))?;
        }
        Ok(first.map(|launch| Trace { places, launch }))
    }

    /// Hands the accesses to `each`, a group at a time.
    pub(crate) fn groups(&self, folder: &Path, mut each: impl FnMut(&[Access])) -> Result<()> {
        let file = File::open(folder.join("accesses")).context("the trace has no accesses")?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut group: Vec<Access> = Vec::new();
        let mut bytes = [0; BYTES];
        for _ in 0..self.launch.records {
            let read = file.read_exact(&mut bytes);
            read.context("the trace is cut short")?;
            let access = access(&bytes);
            if access.place as usize > self.places.len() {
                bail!("the trace is damaged: no place {}", access.place);
            }
            let number = access.group;
            if group.first().is_some_and(|first| first.group != number) {
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

/// "3 load global At line 26 (column 16) of input.cl:"
fn place(text: &str) -> Option<Place> {
    let mut words = text.splitn(4, ' ').skip(1);
    let kind = Kind::deserialize(of_word(words.next()?)).ok()?;
    let memory = Memory::deserialize(of_word(words.next()?)).ok()?;
    let mut at = || {
        let place = words.next()?.strip_prefix("At line ")?;
        let (line, rest) = place.split_once(" (column ")?;
        let column = rest.strip_suffix(") of input.cl:")?;
        Some((line.parse().ok()?, column.parse().ok()?))
    };
    Some(Place { kind, memory, at: at() })
}

/// A word, as serde reads the names of an enumeration.
fn of_word(word: &str) -> StrDeserializer<'_, serde::de::value::Error> {
    word.into_deserializer()
}

/// The sides of range and group, groups run and in all, records, and 1 if it was cut.
fn launch(text: &str) -> Option<Launch> {
    let numbers: Option<Vec<u64>> = text.split(' ').map(|word| word.parse().ok()).collect();
    let [gx, gy, gz, lx, ly, lz, done, all, records, cut] = numbers?[..] else {
        return None;
    };
    Some(Launch {
        global: [gx, gy, gz],
        local: [lx, ly, lz],
        groups: [done, all],
        records,
        is_cut: cut != 0,
    })
}

fn access(bytes: &[u8; BYTES]) -> Access {
    let (words, _) = bytes.as_chunks::<4>();
    let number = |at: usize| u32::from_ne_bytes(words[at]);
    let (address, _) = bytes.as_chunks::<8>();
    Access {
        address: u64::from_ne_bytes(address[0]),
        place: number(2),
        bytes: number(3),
        group: number(4),
        item: number(5),
    }
}
