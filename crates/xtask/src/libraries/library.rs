//! The libraries, one by one: what each is called, where it lies, what it must find in its
//! environment; and what every one is to the child that measures it: a product, its operands
//! in place, that it computes again and again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::rc::Rc;
use std::sync::LazyLock;

use anyhow::{Error, Result, anyhow};
use clap::ValueEnum;
use common::element::Type;
use common::problem::Problem;
use common::source::own_workspace;
use dlopen2::wrapper::{Container, WrapperApi};
use process::devices::Device;
use process::{machine, packages};
use serde::Deserialize;

/// CblasRowMajor, and CLBlastLayoutRowMajor.
pub const ROW_MAJOR: i32 = 101;
/// CblasNoTrans, and CLBlastTransposeNo.
pub const NOT_TRANSPOSED: i32 = 111;

/// A library that was opened, and what it says of itself.
pub struct Opened {
    pub library: Box<dyn Library>,
    /// Its version, and which of its kernels or modes it uses.
    pub version: String,
    /// Threads that it computes with, on a CPU.
    pub threads: Option<usize>,
}

pub trait Library {
    /// Takes the operands of this product in place of the last one's; C is poisoned.
    fn take(&mut self, problem: &Rc<Problem>) -> Result<()>;
    /// Computes it.
    fn run(&mut self) -> Result<Sample>;
    /// The bytes of C, row-major.
    fn result(&self) -> Result<Vec<u8>>;
}

/// The seconds of one product.
pub struct Sample {
    /// By the wall clock, from the call until it was done.
    pub wall: f64,
    /// By the device's events, where it has them and they can be believed.
    pub device: Option<f64>,
}

/// A library that multiplies matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Peer {
    /// NVIDIA's, on its GPUs.
    Cublas,
    /// Intel's (MKL), on the host.
    Onemkl,
    /// On the host.
    Openblas,
    /// On the host.
    Blis,
    /// The crate that the lessons compare with, on the host.
    Matrixmultiply,
    /// OpenCL, on the device of the lessons.
    Clblast,
}

/// What `libraries.toml` says of one.
#[derive(Deserialize)]
struct Description {
    name: String,
    files: Vec<String>,
    environment: BTreeMap<String, String>,
}

impl Peer {
    fn description(self) -> &'static Description {
        static ALL: LazyLock<BTreeMap<String, Description>> = LazyLock::new(|| {
            toml::from_str(include_str!("libraries.toml")).expect("it describes libraries")
        });
        &ALL[&*self.word()]
    }

    /// As its makers write it.
    pub fn name(self) -> &'static str {
        &self.description().name
    }

    /// As it is named on the command line.
    pub fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// The libraries that an owner of this device would call: those of its vendor, of the
    /// host where the device is the host's CPU, and those in OpenCL.
    pub fn beside(device: &Device) -> Vec<Peer> {
        let is_cpu = device.is_cpu();
        let suits = |peer: &Peer| match peer {
            Peer::Cublas => device.platform.contains("NVIDIA"),
            Peer::Onemkl => is_cpu && std::env::consts::ARCH == "x86_64",
            Peer::Openblas | Peer::Blis | Peer::Matrixmultiply => is_cpu,
            Peer::Clblast => true,
        };
        let all = Peer::value_variants().iter().copied();
        all.filter(suits).collect()
    }

    /// The library, and the name under which it was found.
    pub fn load<Api: WrapperApi>(self) -> Result<(Container<Api>, &'static str)> {
        load(&self.description().files).ok_or_else(|| self.missing())
    }

    /// What is said where it is not here, with the next command.
    pub fn missing(self) -> Error {
        let package = packages::install(&self.word());
        let next = package.unwrap_or_else(|| "./setup --peers".into());
        anyhow!("missing: {} is not installed; next: {next}", self.name())
    }

    /// What it reads from its environment when it is loaded: all cores are to work, and no
    /// product may be rounded more than is asked for by the type of A and B.
    pub fn environment(self, inputs: Type) -> Vec<(&'static str, OsString)> {
        let cores = machine::cores().to_string();
        let set = self.description().environment.iter();
        let set = set.filter(|(name, _)| inputs != Type::Tf32 || *name != "NVIDIA_TF32_OVERRIDE");
        let set = set.map(|(name, value)| (&**name, value.replace("{cores}", &cores).into()));
        // A CPU that OpenBLAS does not know gets an old one's kernels, half as fast where there
        // is AVX-512: who compares with a library compares with its best.
        let has_avx512 = machine::vector_instructions().contains(&"AVX-512");
        let core = (self == Peer::Openblas && has_avx512)
            .then(|| ("OPENBLAS_CORETYPE", "SKYLAKEX".into()));
        set.chain(core).chain(own_folder()).collect()
    }
}

/// The first of these libraries that opens, and its name.
pub fn load<Api: WrapperApi>(files: &[impl AsRef<str>]) -> Option<(Container<Api>, &str)> {
    files.iter().map(AsRef::as_ref).find_map(|name| {
        // SAFETY: each Api has the types of its library's headers.
        let library = unsafe { Container::load(name) };
        Some((library.ok()?, name))
    })
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
