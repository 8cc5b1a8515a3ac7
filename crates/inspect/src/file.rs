//! Which reader a file with machine code needs: an ELF library, PTX, or what NVIDIA's
//! disassemblers wrote.

use std::path::Path;

use common::{Error, Result};
use diagnostics::near::did_you_mean;

use crate::code::Code;
use crate::{elf, ptx, sass, tools};

/// Bytes that such a file may have.
const LONGEST: u64 = 256 << 20;

/// The machine of an ELF file that NVIDIA's assembler wrote.
const NVIDIA_GPU: [u8; 2] = [190, 0];

/// The kernel in a file.
///
/// # Errors
/// [`Error::File`], and those of [`decode`].
pub fn read(path: &Path, kernel: &str) -> Result<Code> {
    let bytes = common::file::read(path, LONGEST);
    decode(&bytes.map_err(|error| Error::file(path, error))?, kernel)
}

/// The kernel in the bytes of a library, a program's binary, or a disassembler's text.
///
/// # Errors
/// [`Error::Build`] where they are nothing that the course reads, or hold no such kernel.
pub fn decode(bytes: &[u8], kernel: &str) -> Result<Code> {
    if elf::is_elf(bytes) && bytes.get(18..20) == Some(&NVIDIA_GPU) {
        let text = tools::output("nvdisasm", &["-c"], bytes).map_err(|why| {
            Error::build(format!(
                "a GPU's machine code, which nvdisasm of NVIDIA's CUDA toolkit reads: {why}\n  \
                 next: {INSTALL}"
            ))
        })?;
        return of_sass(&text, kernel);
    }
    if elf::is_elf(bytes) {
        return elf::read(bytes, kernel);
    }
    let text = String::from_utf8_lossy(bytes);
    if text.contains(".entry") && text.contains(".version") {
        return of_ptx(&text, kernel);
    }
    if text.contains("/*0000*/") {
        return of_sass(&text, kernel);
    }
    let what = if bytes.starts_with(b"BC\xC0\xDE") {
        "LLVM's intermediate code, of which a driver makes machine code later"
    } else {
        "neither ELF nor PTX nor SASS: a driver's own format, or no code at all"
    };
    let why = "the machine code cannot be read: it is";
    Err(Error::build(format!("{why} {what}")))
}

fn missing(kernel: &str, names: &[String]) -> Error {
    let hint = did_you_mean(kernel, names);
    Error::build(format!("the code has no kernel {kernel}; {hint}"))
}

fn of_sass(text: &str, kernel: &str) -> Result<Code> {
    sass::read(text, kernel).ok_or_else(|| missing(kernel, &sass::kernels(text)))
}

/// What brings NVIDIA's tools here.
const INSTALL: &str = "put `ptxas` and `nvdisasm` of NVIDIA's CUDA toolkit on the PATH \
                       (Debian: apt install nvidia-cuda-toolkit, of contrib and non-free)";

/// The GPU's own code where NVIDIA's tools are here, else the PTX.
fn of_ptx(text: &str, kernel: &str) -> Result<Code> {
    // The driver's binary ends as strings in C do, which ptxas takes for a broken line.
    let text = text.trim_end_matches('\0');
    let code = ptx::read(text, kernel);
    let mut code = code.ok_or_else(|| missing(kernel, &ptx::kernels(text)))?;
    let architecture = target(text).unwrap_or("sm_70");
    match tools::assemble(text.as_bytes(), architecture) {
        Ok((sass, log)) => {
            code = of_sass(&sass, kernel)?;
            code.resources = tools::resources(&log, kernel);
            code.language = format!("SASS of {architecture}, as ptxas makes it of the PTX");
            let other = "the driver's own assembler may be of another version";
            code.notes.push(other.into());
        }
        Err(why) => code
            .notes
            .push(format!("this is not yet what the GPU runs ({why}); to see that: {INSTALL}")),
    }
    Ok(code)
}

/// The architecture that PTX is for: `.target sm_90, ...`.
pub fn target(ptx: &str) -> Option<&str> {
    let after = ptx.split(".target").nth(1)?.trim_start();
    let mut words = after.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.next().filter(|name| name.starts_with("sm_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = include_str!("fixtures/naive.ptx");

    #[test]
    fn what_cannot_be_read_is_named() {
        let says = |bytes: &[u8], kernel: &str| decode(bytes, kernel).unwrap_err().to_string();
        assert!(says(b"BC\xC0\xDE....", "f").contains("LLVM"));
        assert!(says(b"\x01\x02", "f").contains("neither ELF"));
        assert!(says(PTX.as_bytes(), "matmul_niave").contains("did you mean matmul_naive?"));
        assert!(decode(PTX.as_bytes(), "matmul_naive").is_ok());
        assert_eq!(target(PTX), Some("sm_90"));
        assert_eq!(target("no target"), None);
    }
}
