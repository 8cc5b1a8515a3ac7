//! Disassemblers that a machine may have.

use std::fs;
use std::process::{Command, Stdio};

use toolbox::scratch::Scratch;

/// What a tool prints of a file with these bytes, which it is given last.
///
/// # Errors
/// In words: it is not here, it failed, or there is no room for the file.
pub fn output(tool: &str, words: &[&str], bytes: &[u8]) -> Result<String, String> {
    let folder = Scratch::new().map_err(|error| error.to_string())?;
    let file = folder.0.join("code");
    fs::write(&file, bytes).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = Command::new(tool);
    command.args(words).arg(&file).stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|error| format!("{tool}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
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
///
/// # Errors
/// In words, as [`output`].
pub fn assemble(ptx: &[u8], architecture: &str) -> Result<Assembled, String> {
    let folder = Scratch::new().map_err(|error| error.to_string())?;
    let [from, to] = ["kernel.ptx", "kernel.cubin"].map(|name| folder.0.join(name));
    fs::write(&from, ptx).map_err(|error| format!("{}: {error}", from.display()))?;
    let mut command = Command::new("ptxas");
    command
        .args(["-v", "-arch", architecture, "-o"])
        .arg(&to)
        .arg(&from);
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("ptxas: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let first = log.lines().next().unwrap_or("no message");
        return Err(format!("ptxas ended with {}: {first}", output.status));
    }
    let cubin = fs::read(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    let sass = self::output("nvdisasm", &["-c"], &cubin)?;
    Ok(Assembled { sass, log })
}
