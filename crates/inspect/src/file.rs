//! Which reader a file with machine code needs, an ELF library, PTX, or what NVIDIA's
//! disassemblers wrote; and what NVIDIA's assembler says of a kernel:
//!
//! ```text
//! ptxas info    : Compiling entry function 'f' for 'sm_90'
//!     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//! ptxas info    : Used 26 registers, 1024 bytes smem, 400 bytes cmem[0]
//! ```

use std::{fs, path::Path, process};

use anyhow::{Context, ensure};
use common::{Error, Result};

use crate::code::{Code, Resources};
use crate::{elf, nvidia};

/// Bytes that such a file may have.
const LONGEST: u64 = 256 << 20;

/// The machine of an ELF file that NVIDIA's assembler wrote.
const NVIDIA_GPU: [u8; 2] = [190, 0];

/// What brings NVIDIA's tools here.
const INSTALL: &str = "put `ptxas` and `nvdisasm` of NVIDIA's CUDA toolkit on the PATH \
                       (Debian: apt install nvidia-cuda-toolkit, of contrib and non-free)";

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
    if elf::is_elf(bytes) && bytes.get(18..20) != Some(&NVIDIA_GPU) {
        return elf::read(bytes, kernel);
    }
    if elf::is_elf(bytes) {
        let [text, _] = tools(bytes, &["nvdisasm -c code"]).map_err(|why| {
            Error::build(format!(
                "a GPU's machine code, which nvdisasm of NVIDIA's CUDA toolkit reads: {why:#}\n  \
                 next: {INSTALL}"
            ))
        })?;
        return nvidia::sass(&text, kernel);
    }
    let text = String::from_utf8_lossy(bytes);
    if text.contains(".entry") && text.contains(".version") {
        of_ptx(&text, kernel)
    } else if text.contains("/*0000*/") {
        nvidia::sass(&text, kernel)
    } else {
        let what = match bytes.starts_with(b"BC\xC0\xDE") {
            true => "LLVM's intermediate code, of which a driver makes machine code later",
            false => "neither ELF nor PTX nor SASS: a driver's own format, or no code at all",
        };
        Err(Error::build(format!("the machine code cannot be read: it is {what}")))
    }
}

/// The GPU's own code where NVIDIA's tools are here, else the PTX.
fn of_ptx(text: &str, kernel: &str) -> Result<Code> {
    // The driver's binary ends as strings in C do, which ptxas takes for a broken line.
    let text = text.trim_end_matches('\0');
    let mut code = nvidia::ptx(text, kernel)?;
    let architecture = target(text).unwrap_or("sm_70");
    let assemble = format!("ptxas -v -arch {architecture} -o cubin code");
    match tools(text.as_bytes(), &[&assemble, "nvdisasm -c cubin"]) {
        Ok([sass, log]) => {
            code = nvidia::sass(&sass, kernel)?;
            code.resources = resources(&log, kernel);
            code.language = format!("SASS of {architecture}, as ptxas makes it of the PTX");
            let other = "the driver's own assembler may be of another version";
            code.notes.push(other.into());
        }
        Err(why) => code
            .notes
            .push(format!("this is not yet what the GPU runs ({why:#}); to see that: {INSTALL}")),
    }
    Ok(code)
}

/// The architecture that PTX is for: `.target sm_90, ...`.
pub fn target(ptx: &str) -> Option<&str> {
    let after = ptx.split(".target").nth(1)?.trim_start();
    let mut words = after.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.next().filter(|name| name.starts_with("sm_"))
}

/// What the last of these commands prints, tools of NVIDIA's in a folder that has this `code`, and
/// what all of them log.
fn tools(code: &[u8], commands: &[&str]) -> anyhow::Result<[String; 2]> {
    let folder = watchdog::scratch::Scratch::new()?;
    fs::write(folder.0.join("code"), code).context("a temporary file")?;
    let (mut printed, mut logs) = (String::new(), String::new());
    for command in commands {
        let (tool, words) = command.split_once(' ').unwrap_or((command, ""));
        let mut command = process::Command::new(tool);
        command.args(words.split(' ')).current_dir(&folder.0).stdin(process::Stdio::null());
        let output = command.output().with_context(|| tool.to_string())?;
        let both = [output.stdout, output.stderr];
        let [text, log] = both.map(|text| String::from_utf8_lossy(&text).into_owned());
        let first = log.lines().next().unwrap_or("no message");
        ensure!(output.status.success(), "{tool} ended with {}: {first}", output.status);
        printed = text;
        logs += &log;
    }
    Ok([printed, logs])
}

/// What the assembler's log, or a build log, says of one kernel.
pub fn resources(log: &str, kernel: &str) -> Resources {
    let begins = format!("entry function '{kernel}'");
    let mut lines = log.lines().skip_while(|line| !line.contains(&begins));
    lines.next();
    let mut known = Resources::default();
    for line in lines.take_while(|line| !line.contains("entry function '")) {
        let before = |unit: &str| -> Option<u64> {
            let before = line.split_once(unit)?.0;
            before.split([' ', ',']).next_back()?.parse().ok()
        };
        if let Some(bytes) = before(" bytes spill stores") {
            known.spilled_bytes = u32::try_from(bytes).ok();
        }
        if let Some(registers) = before(" registers") {
            known.registers = u32::try_from(registers).ok();
            known.local_bytes = Some(before(" bytes smem").unwrap_or(0));
        }
    }
    known
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

    const LOG: &str = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'f' for 'sm_90'\n\
        ptxas info    : Function properties for f\n    \
        16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Used 26 registers, 1024 bytes smem, 400 bytes cmem[0]\n\
        ptxas info    : Compiling entry function 'g' for 'sm_90'\n\
        ptxas info    : Used 40 registers\n";

    #[test]
    fn each_kernel_has_its_own_lines() {
        let known = |kernel| {
            let known = resources(LOG, kernel);
            (known.registers, known.spilled_bytes, known.local_bytes)
        };
        assert_eq!(known("f"), (Some(26), Some(8), Some(1024)));
        assert_eq!(known("g"), (Some(40), None, Some(0)));
        assert_eq!(known("h"), (None, None, None));
    }
}
