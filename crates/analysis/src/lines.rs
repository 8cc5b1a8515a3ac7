//! Which line of the source each instruction of a library was made of: its DWARF line
//! table, where the driver keeps one. (DWARF Debugging Information Format 5, section 6.2.)

use std::borrow::Cow;
use std::collections::BTreeMap;

use gimli::{Dwarf, EndianSlice, RunTimeEndian, SectionId};
use object::{Object, ObjectSection};

/// The line from each address on; none behind the end of a sequence.
pub struct Lines(BTreeMap<u64, Option<u32>>);

impl Lines {
    /// Empty where the library has no line table, or none that can be read.
    pub fn of(file: &object::File) -> Lines {
        Lines(table(file).unwrap_or_default())
    }

    /// The line of what stands at this address.
    pub fn at(&self, address: u64) -> Option<u32> {
        let (_, line) = self.0.range(..=address).next_back()?;
        *line
    }
}

fn table(file: &object::File) -> gimli::Result<BTreeMap<u64, Option<u32>>> {
    let endian = if file.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    };
    let bytes = |id: SectionId| -> gimli::Result<Cow<[u8]>> {
        let section = file.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok());
        Ok(data.unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(bytes)?;
    let dwarf: Dwarf<EndianSlice<RunTimeEndian>> =
        sections.borrow(|section| EndianSlice::new(section, endian));
    let mut table = BTreeMap::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let Some(program) = unit.line_program.clone() else {
            continue;
        };
        let mut rows = program.rows();
        while let Some((_, row)) = rows.next_row()? {
            let line = row.line().filter(|_| !row.end_sequence());
            let line = line.and_then(|line| u32::try_from(line.get()).ok());
            // Code that no line was noted for belongs to what stands before it.
            if line.is_some() || row.end_sequence() {
                table.insert(row.address(), line);
            }
        }
    }
    Ok(table)
}
