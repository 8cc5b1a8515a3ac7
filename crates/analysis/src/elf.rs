//! A library for a CPU, as PoCL keeps one for each kernel: the function's bytes are
//! decoded, and get the lines of the source where there is a line table.

use common::source::did_you_mean;
use common::{Error, Result};
use object::{Architecture, Object, ObjectSection, ObjectSymbol};

use crate::code::Code;
use crate::lines::Lines;
use crate::loops::hottest;
use crate::round::{Registers, Round};
use crate::{arm, x86};

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
    let damaged = |error: object::Error| Error::Build(format!("a damaged library: {error}"));
    let whole = object::File::parse(bytes);
    // Intel's runtime wraps an object file in what has the same beginning.
    let (bytes, file) = match (whole, wrapped(bytes)) {
        (Err(_), Some(inner)) => (inner, object::File::parse(inner).map_err(damaged)?),
        (whole, _) => (bytes, whole.map_err(damaged)?),
    };
    // What runs stands first. PoCL calls one that has the kernel's own function in it, but no
    // lines.
    let names = [
        format!("_pocl_kernel_{kernel}_workgroup"),
        format!("_pocl_kernel_{kernel}"),
        kernel.to_string(),
    ];
    let found = names.iter().filter_map(|name| function(&file, name));
    let copies: Result<Vec<Code>> = found.map(|one| decoded(bytes, &file, &one)).collect();
    let mut copies = copies?;
    if copies.is_empty() {
        let names = file.symbols().filter_map(|one| one.name().ok());
        let names = names.filter(|name| !name.is_empty()).map(String::from);
        let hint = did_you_mean(kernel, &names.collect::<Vec<_>>());
        let why = format!("the library has no function of {kernel}; {hint}");
        return Err(Error::Build(why));
    }
    Ok(copies.swap_remove(best(&copies)))
}

/// The object file inside of another file.
fn wrapped(bytes: &[u8]) -> Option<&[u8]> {
    let behind = bytes.get(1..)?;
    let at = behind.windows(4).position(is_elf)?;
    behind.get(at..)
}

/// What runs is the first copy. Another one is as good where its loop does the same, and
/// better where it alone has lines.
fn best(copies: &[Code]) -> usize {
    let counts = |code: &Code| {
        Some(Round {
            registers: Registers::default(),
            ..Round::of(hottest(&code.instructions)?)
        })
    };
    let has_lines = |code: &Code| code.instructions.iter().any(|one| one.line.is_some());
    let first = copies.first().and_then(counts);
    let as_good = |code: &Code| has_lines(code) && counts(code) == first;
    copies.iter().position(as_good).unwrap_or(0)
}

fn decoded(bytes: &[u8], file: &object::File, function: &Function) -> Result<Code> {
    let mut code = match file.architecture() {
        Architecture::X86_64 => Code {
            language: "x86-64".into(),
            instructions: x86::decode(function.bytes, function.address),
            ..Code::default()
        },
        Architecture::Aarch64 => arm::disassemble(bytes, function.name)?,
        other => {
            let why = format!("code for {other:?}: the course reads x86-64 and AArch64");
            return Err(Error::Build(why));
        }
    };
    let lines = Lines::of(file);
    for one in &mut code.instructions {
        one.line = lines.at(one.address);
    }
    Ok(code)
}

/// A function's bytes, and where they stand.
struct Function<'a> {
    name: &'a str,
    address: u64,
    bytes: &'a [u8],
}

fn function<'a>(file: &object::File<'a>, name: &'a str) -> Option<Function<'a>> {
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    let symbol = symbols.find(|one| one.name() == Ok(name) && one.size() > 0)?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let address = symbol.address();
    let bytes = section.data_range(address, symbol.size()).ok()??;
    Some(Function {
        name,
        address,
        bytes,
    })
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
