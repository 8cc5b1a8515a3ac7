//! Disassemblers that a machine may have.

use std::fs;
use std::process::{Command, Output, Stdio};

use process::scratch::Scratch;

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

/// What NVIDIA's own tools make of PTX.
pub struct Assembled {
    /// The disassembler's text.
    pub sass: String,
    /// What the assembler says of each kernel.
    pub log: String,
}

/// PTX assembled by `ptxas` and disassembled by `nvdisasm`.
pub fn assemble(ptx: &[u8], architecture: &str) -> Result<Assembled, String> {
    let folder = Scratch::new().map_err(|error| error.to_string())?;
    let [from, to] = ["kernel.ptx", "kernel.cubin"].map(|name| folder.0.join(name));
    fs::write(&from, ptx).map_err(|error| format!("{}: {error}", from.display()))?;
    let words = ["-v", "-arch", architecture, "-o"];
    let assembled = run(Command::new("ptxas").args(words).arg(&to).arg(&from))?;
    let cubin = fs::read(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    let sass = self::output("nvdisasm", &["-c"], &cubin)?;
    let log = String::from_utf8_lossy(&assembled.stderr).into_owned();
    Ok(Assembled { sass, log })
}
