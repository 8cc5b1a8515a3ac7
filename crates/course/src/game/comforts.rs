//! What lies in the learner's folder besides kernels: the command `cargo course`, and
//! what editors want to know.

use std::fs;
use std::io::Result;
use std::path::Path;

use common::source::own_workspace;

/// The first line of the file with the alias: as long as it stands there, the file is ours.
const OURS: &str = "# Written by `cargo course start`: `cargo course` works in this folder, too.";

/// For clangd, which many editors use: how the kernels are compiled. Its own header knows
/// OpenCL's functions.
const FLAGS: &str =
    "-xcl\n-cl-std=CL1.2\n-Xclang\n-finclude-default-header\n-DREAL=float\n-Wno-unused\n";

/// Writes both. What a learner wrote is left alone; the alias follows a clone that moved.
pub fn write(folder: &Path) -> Result<()> {
    let cargo = folder.join(".cargo");
    fs::create_dir_all(&cargo)?;
    let config = cargo.join("config.toml");
    let there = fs::read_to_string(&config);
    if there.is_err() || there.is_ok_and(|text| text.starts_with(OURS)) {
        fs::write(&config, alias(&own_workspace().join("Cargo.toml")))?;
    }
    super::folder::create(&folder.join("compile_flags.txt"), FLAGS)?;
    Ok(())
}

/// The alias, for cargo's configuration: it runs the course of this manifest.
fn alias(manifest: &Path) -> String {
    // A string of JSON is one of TOML as well.
    let manifest = serde_json::json!(manifest.to_string_lossy());
    let words = r#""run", "-q", "-p", "course", "--manifest-path""#;
    format!("{OURS}\n[alias]\ncourse = [{words}, {manifest}, \"--\"]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_blanks_is_one_word_of_the_alias() {
        let text = alias(Path::new("/my \"own\" clone/Cargo.toml"));
        assert!(
            text.contains(r#""/my \"own\" clone/Cargo.toml", "--"]"#),
            "{text}"
        );
    }
}
