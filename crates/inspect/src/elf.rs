//! A library for a CPU, as PoCL keeps one for each kernel: the function's bytes are
//! decoded, and get the lines of the source where there is a line table.

use std::borrow::Cow;
use std::collections::BTreeMap;

use common::{Error, Result};
use gimli::{EndianSlice, LittleEndian};
use object::{Architecture, Object, ObjectSection, ObjectSymbol};

use crate::code::Code;
use crate::round::{Round, hottest};
use crate::x86;

/// Whether these bytes begin as an ELF file does.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// The kernel's function in a library.
///
/// # Errors
/// [`Error::Build`] where the library is damaged, has no such function, or is for
/// processors that the course does not read.
pub fn read(bytes: &[u8], kernel: &str) -> Result<Code> {
    // Intel's runtime wraps an object file in what has the same beginning.
    let wrapped = || {
        let behind = bytes.get(1..)?;
        behind.get(behind.windows(4).position(is_elf)?..)
    };
    let inner = |error| wrapped().map_or(Err(error), object::File::parse);
    let file = object::File::parse(bytes).or_else(inner);
    let file = file.map_err(|error| Error::build(format!("a damaged library: {error}")))?;
    if file.architecture() != Architecture::X86_64 {
        let why = format!("code for {:?}: the course reads x86-64", file.architecture());
        return Err(Error::build(why));
    }
    // What runs stands first. PoCL calls one that has the kernel's own function in it, but no
    // lines.
    let names = [
        format!("_pocl_kernel_{kernel}_workgroup"),
        format!("_pocl_kernel_{kernel}"),
        kernel.to_string(),
    ];
    let mut copies = Vec::from_iter(names.iter().filter_map(|name| function(&file, name)));
    if copies.is_empty() {
        let names = file.symbols().filter_map(|one| one.name().ok());
        let names = names.filter(|name| !name.is_empty()).map(String::from);
        return Err(Code::missing(kernel, &names.collect::<Vec<_>>()));
    }
    // Another one is as good where its loop does the same, and better where it alone has lines.
    let counts = |code: &Code| Some(Round::of(hottest(&code.instructions)?).operations);
    let has_lines = |code: &Code| code.instructions.iter().any(|one| one.line.is_some());
    let first = copies.first().and_then(counts);
    let best = copies.iter().position(|code| has_lines(code) && counts(code) == first);
    Ok(copies.swap_remove(best.unwrap_or(0)))
}

/// The kernel's function of this name, if it is there.
fn function(file: &object::File, name: &str) -> Option<Code> {
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    let symbol = symbols.find(|one| one.name() == Ok(name) && one.size() > 0)?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let address = symbol.address();
    let bytes = section.data_range(address, symbol.size()).ok()??;
    let (mut instructions, lines) = (x86::decode(bytes, address), lines(file).unwrap_or_default());
    for one in &mut instructions {
        one.line = lines.range(..=one.address).next_back().and_then(|(_, line)| *line);
    }
    Some(Code { language: "x86-64".into(), instructions, ..Code::default() })
}

/// The line from each address on; none behind the end of a sequence. Empty where the library
/// has no line table. (DWARF Debugging Information Format 5, section 6.2.)
fn lines(file: &object::File) -> gimli::Result<BTreeMap<u64, Option<u32>>> {
    let sections = gimli::DwarfSections::load(|id| -> gimli::Result<Cow<[u8]>> {
        let section = file.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok());
        Ok(data.unwrap_or_default())
    })?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let mut table = BTreeMap::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let program = dwarf.unit(header)?.line_program;
        let Some(mut rows) = program.map(|program| program.rows()) else { continue };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_none_or_lacks_the_kernel_is_refused() {
        assert!(read(b"\x7fELF", "f").is_err());
        let this = std::fs::read("/proc/self/exe").unwrap_or_default();
        if is_elf(&this) {
            let error = read(&this, "no_such_kernel").unwrap_err();
            assert!(error.to_string().contains("no_such_kernel"), "{error}");
        }
    }
}
