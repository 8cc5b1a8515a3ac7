//! The libraries, one by one: what each is called, where it lies, and what it must find
//! in its environment.

use std::ffi::OsString;

use clap::ValueEnum;
use common::source::own_workspace;
use dlopen2::wrapper::{Container, WrapperApi};
use serde::{Deserialize, Serialize};

use process::devices::Device;
use process::{machine, packages};

/// A library that multiplies matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Peer {
    /// NVIDIA's, on its GPUs.
    Cublas,
    /// AMD's, on its GPUs. Untried: written from its documentation.
    Rocblas,
    /// Intel's (MKL), on the host.
    Onemkl,
    /// On the host.
    Openblas,
    /// On the host.
    Blis,
    /// Apple's, on the host. Untried: written from its documentation.
    Accelerate,
    /// The crate that the lessons compare with, on the host.
    Matrixmultiply,
    /// OpenCL, on the device of the lessons.
    Clblast,
    /// The same, with what its own tuner found on this device.
    ClblastTuned,
}

impl Peer {
    /// As its makers write it.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Cublas => "cuBLAS",
            Peer::Rocblas => "rocBLAS",
            Peer::Onemkl => "oneMKL",
            Peer::Openblas => "OpenBLAS",
            Peer::Blis => "BLIS",
            Peer::Accelerate => "Accelerate",
            Peer::Matrixmultiply => "matrixmultiply",
            Peer::Clblast => "CLBlast",
            Peer::ClblastTuned => "CLBlast tuned",
        }
    }

    /// As it is named on the command line.
    pub fn word(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().into())
    }

    /// The libraries that an owner of this device would call: those of its vendor, of the
    /// host where the device is the host's CPU, and those in OpenCL.
    pub fn beside(device: &Device) -> Vec<Peer> {
        let is_cpu = device.is_cpu();
        let suits = |peer: &Peer| match peer {
            Peer::Cublas => device.platform.contains("NVIDIA"),
            Peer::Rocblas => device.platform.contains("AMD") && !is_cpu,
            Peer::Accelerate => is_cpu && std::env::consts::OS == "macos",
            Peer::Onemkl => is_cpu && std::env::consts::ARCH == "x86_64",
            Peer::Openblas | Peer::Blis | Peer::Matrixmultiply => is_cpu,
            Peer::Clblast | Peer::ClblastTuned => true,
        };
        let all = Peer::value_variants().iter().copied();
        all.filter(suits).collect()
    }

    /// The names that its library may have; those of a newer version first.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Peer::Cublas => &[
                "libcublas.so.13",
                "libcublas.so.12",
                "libcublas.so.11",
                "libcublas.so",
            ],
            Peer::Rocblas => &["librocblas.so.5", "librocblas.so.4", "librocblas.so"],
            Peer::Onemkl => &["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"],
            // Debian's libblas.so.3 may be it, too, but need not.
            Peer::Openblas => &[
                "libopenblasp.so.0", // Fedora's, with threads
                "libopenblas.so.0",
                "libopenblas.so",
                "libopenblas.dylib",
                "libopenblas.dll",
            ],
            Peer::Blis => &[
                "libblis.so.4",
                "libblis-mt.so",
                "libblis.so",
                "libblis.dylib",
            ],
            Peer::Accelerate => &["/System/Library/Frameworks/Accelerate.framework/Accelerate"],
            Peer::Clblast | Peer::ClblastTuned => {
                &["libclblast.so.1", "libclblast.dylib", "clblast.dll"]
            }
            Peer::Matrixmultiply => &[],
        }
    }

    /// The library, and the name under which it was found; else what is missing.
    pub fn load<Api: WrapperApi>(self) -> Result<(Container<Api>, &'static str), String> {
        let found = self.libraries().iter().find_map(|name| {
            // SAFETY: each Api has the types of its library's headers.
            let library = unsafe { Container::load(name) };
            Some((library.ok()?, *name))
        });
        found.ok_or_else(|| self.missing())
    }

    /// What is said where it is not here, with the next command.
    pub fn missing(self) -> String {
        let next = match self {
            Peer::Rocblas => "install ROCm's rocblas".into(),
            Peer::Onemkl | Peer::Cublas => "./setup --peers".into(),
            _ => packages::install(&self.word()).unwrap_or_else(|| "./setup --peers".into()),
        };
        let name = self.name();
        format!("missing: {name} is not installed; next: {next}")
    }

    /// What it reads from its environment when it is loaded: all cores are to work, and no
    /// product may be rounded more than the lessons' are.
    pub fn environment(self) -> Vec<(&'static str, OsString)> {
        let cores = || OsString::from(machine::cores().to_string());
        let mut variables = match self {
            // Only what is not the default of a library can be set so: TF32 where somebody
            // has switched it on, and sums of bfloat16, which stand for floats on newer GPUs.
            Peer::Cublas => vec![
                ("NVIDIA_TF32_OVERRIDE", "0".into()),
                ("CUBLAS_EMULATE_SINGLE_PRECISION", "0".into()),
                ("CUDA_DEVICE_ORDER", "PCI_BUS_ID".into()),
            ],
            Peer::Onemkl => vec![
                ("MKL_NUM_THREADS", cores()),
                ("MKL_DYNAMIC", "FALSE".into()),
                ("MKL_THREADING_LAYER", "INTEL".into()),
                ("MKL_INTERFACE_LAYER", "LP64".into()),
            ],
            Peer::Openblas => vec![("OPENBLAS_NUM_THREADS", cores())],
            Peer::Blis => vec![("BLIS_NUM_THREADS", cores())],
            Peer::Accelerate => vec![("VECLIB_MAXIMUM_THREADS", cores())],
            _ => Vec::new(),
        };
        variables.extend(own_folder());
        variables
    }
}

/// The folder that `./setup --peers` fills, behind those where libraries are looked for
/// anyway. A library finds others that it needs there, too.
fn own_folder() -> Option<(&'static str, OsString)> {
    const VARIABLE: &str = "LD_LIBRARY_PATH";
    let own = own_workspace().join(".opencl/peers");
    let set = std::env::var_os(VARIABLE).unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&set).collect();
    if !own.is_dir() || folders.contains(&own) {
        return None;
    }
    folders.retain(|folder| !folder.as_os_str().is_empty());
    folders.push(own);
    Some((VARIABLE, std::env::join_paths(folders).ok()?))
}
