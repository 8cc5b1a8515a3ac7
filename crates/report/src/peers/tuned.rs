//! What CLBlast's own tuner found on a device: the files that `clblast_tuner_xgemm` and
//! `clblast_tuner_xgemm_direct` leave in the folder in which they run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::source::own_workspace;
use serde_json::Value;

use super::library::Missing;

/// The parameters of one of CLBlast's kernels.
pub struct Tuned {
    /// As CLBlast's database calls it.
    pub kernel: String,
    pub parameters: BTreeMap<String, usize>,
}

/// Of each kernel the fastest that was tried on this device; else what to run.
pub fn read(device: &str) -> Result<Vec<Tuned>, Missing> {
    let folder = folder();
    let kernels = ["Xgemm", "XgemmDirect"];
    let tuned = kernels.map(|kernel| best(&folder, kernel, device));
    let found: Vec<Tuned> = tuned.into_iter().flatten().collect();
    if found.is_empty() {
        let folder = folder.display();
        return Err(format!(
            "missing: CLBlast was not tuned for {device}; next: mkdir -p {folder} && cd {folder} && \
             clblast_tuner_xgemm -precision 32 (of Debian's package clblast-utils; minutes on a \
             GPU, hours on a CPU)"
        ));
    }
    Ok(found)
}

fn folder() -> PathBuf {
    own_workspace().join(".opencl/clblast")
}

/// The fastest of all that the files of a kernel tell. "clblast_xgemm_1_32.json" holds a
/// fixed set of parameters, "clblast_xgemm_2_32.json" a random one, and so on.
fn best(folder: &Path, kernel: &str, device: &str) -> Option<Tuned> {
    let begin = match kernel {
        "Xgemm" => "clblast_xgemm_1",
        _ => "clblast_xgemm_direct_",
    };
    let mut fastest: Option<(f64, Tuned)> = None;
    for entry in fs::read_dir(folder).ok()?.map_while(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_meant =
            name.starts_with(begin) || kernel == "Xgemm" && name.starts_with("clblast_xgemm_2");
        if !is_meant || !name.ends_with("_32.json") {
            continue;
        }
        let Ok(text) = fs::read_to_string(entry.path()) else {
            continue;
        };
        let Some((time, parameters)) = fastest_of(&text, device) else {
            continue;
        };
        if fastest.as_ref().is_none_or(|(best, _)| time < *best) {
            let kernel = kernel.to_string();
            fastest = Some((time, Tuned { kernel, parameters }));
        }
    }
    Some(fastest?.1)
}

/// The time and the parameters of the fastest result of a file, if it is of this device.
fn fastest_of(text: &str, device: &str) -> Option<(f64, BTreeMap<String, usize>)> {
    let told: Value = serde_json::from_str(text).ok()?;
    if told["device"].as_str()?.trim() != device.trim() {
        return None;
    }
    let results = told["results"].as_array()?.iter();
    let timed =
        results.filter_map(|result| Some((result["time"].as_f64()?, &result["parameters"])));
    let (time, parameters) = timed.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let numbers = parameters.as_object()?.iter();
    let numbers = numbers.filter(|(name, _)| *name != "PRECISION");
    let number = |(name, value): (&String, &Value)| Some((name.clone(), value.as_u64()? as usize));
    Some((time, numbers.map(number).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"kernel_family": "xgemm", "device": "A device", "results": [
        {"time": 2.5, "parameters": {"MWG": 64, "PRECISION": 32}},
        {"time": 1.5, "parameters": {"MWG": 32, "PRECISION": 32}}]}"#;

    #[test]
    fn the_fastest_result_of_the_tuner_counts() {
        let (time, parameters) = fastest_of(FILE, "A device").unwrap();
        assert_eq!(time, 1.5);
        assert_eq!(
            parameters.into_iter().collect::<Vec<_>>(),
            [("MWG".into(), 32)]
        );
        assert!(fastest_of(FILE, "Another").is_none());
    }

    #[test]
    fn a_damaged_file_of_the_tuner_is_passed_by() {
        damage::must_be_survived(FILE.as_bytes(), |bytes| {
            fastest_of(&String::from_utf8_lossy(bytes), "A device");
        });
    }
}
