//! Disassemblers that a machine may have, and what NVIDIA's assembler says of a kernel:
//!
//! ```text
//! ptxas info    : Compiling entry function 'f' for 'sm_90'
//!     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//! ptxas info    : Used 26 registers, 1024 bytes smem, 400 bytes cmem[0]
//! ```

use std::fs;
use std::process::{Command, Output, Stdio};

use watchdog::scratch::Scratch;

use crate::code::Resources;

/// What a tool prints of a file with these bytes, which it is given last.
pub fn output(tool: &str, words: &[&str], bytes: &[u8]) -> Result<String, String> {
    let folder = Scratch::new().map_err(|error| error.to_string())?;
    let file = folder.0.join("code");
    fs::write(&file, bytes).map_err(|error| format!("{}: {error}", file.display()))?;
    let output = run(Command::new(tool).args(words).arg(&file))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A tool that did its work; else how it ended, with the first line of what it said.
fn run(command: &mut Command) -> Result<Output, String> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{tool}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let first = words.lines().next().unwrap_or("no message");
    Err(format!("{tool} ended with {}: {first}", output.status))
}

/// PTX assembled by `ptxas` and disassembled by `nvdisasm`: that text, and the assembler's log.
pub fn assemble(ptx: &[u8], architecture: &str) -> Result<(String, String), String> {
    let folder = Scratch::new().map_err(|error| error.to_string())?;
    let [from, to] = ["kernel.ptx", "kernel.cubin"].map(|name| folder.0.join(name));
    fs::write(&from, ptx).map_err(|error| format!("{}: {error}", from.display()))?;
    let words = ["-v", "-arch", architecture, "-o"];
    let assembled = run(Command::new("ptxas").args(words).arg(&to).arg(&from))?;
    let cubin = fs::read(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    let log = String::from_utf8_lossy(&assembled.stderr).into_owned();
    Ok((output("nvdisasm", &["-c"], &cubin)?, log))
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
