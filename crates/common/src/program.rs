//! From kernel source to a built program, or to the reason why there is none.

mod failure;
mod signature;
pub mod words;

pub use failure::diagnose;
pub use signature::misfit;

use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use opencl3::kernel::Kernel;
use opencl3::program::Program as ClProgram;

use crate::error::{During, Error, Result};
use crate::ndrange::NdRange;
use crate::session::{Arg, Launch, Session};
use crate::source::Source;
use crate::tell::{Call, Listener};
use verify::element::Type;
use verify::numbers::seconds;

/// A built program.
pub struct Program {
    /// opencl3's program.
    pub cl: ClProgram,
    /// Seconds that the driver took to build it; a driver with a cache of its
    /// own may take less the second time.
    pub build_seconds: f64,
    /// What the preprocessor and the compiler were given, macros of the options first.
    text: String,
    path: String,
    listener: Rc<dyn Listener>,
}

/// The options that every build gets: the element type, and that the driver
/// keep the kernels' signatures, so that they can be checked before a launch.
pub fn options(ty: Type, defines: &[(String, usize)]) -> String {
    let mut options = format!("-cl-kernel-arg-info -D REAL={}", ty.name());
    if ty == Type::Int {
        // So that a kernel file can leave out what integers do not have.
        options.push_str(" -D REAL_IS_INT");
    }
    for (name, value) in defines {
        options.push_str(&format!(" -D {name}={value}"));
    }
    options
}

/// The macros of a build's options, as lines of a kernel file.
fn macros(options: &str) -> String {
    let given = options.split("-D ").skip(1);
    let lines = given.map(|given| format!("#define {}\n", given.replacen('=', " ", 1)));
    lines.collect()
}

impl Program {
    /// Builds a source for the session's device.
    ///
    /// # Errors
    /// [`Error::Build`] with a diagnostic, or with the driver's own words where
    /// `raw_log` asks for them or no error in them can be located.
    pub fn build(
        session: &Session,
        source: &Source,
        options: &str,
        raw_log: bool,
    ) -> Result<Program> {
        let device = session.device.cl().id();
        // All: NVIDIA's driver builds for every device of a context, or for none.
        let devices = session.context.devices();
        let start = Instant::now();
        // What it includes lies beside it, wherever the program was started.
        let folder = source.path.parent().and_then(Path::to_str);
        let folder = folder.filter(|folder| !folder.is_empty() && source.text.contains("include"));
        let folder = folder.filter(|folder| !folder.contains(char::is_whitespace));
        let beside = folder.map(|folder| format!("{options} -I {folder}"));
        let options = beside.as_deref().unwrap_or(options);
        // In two steps, because opencl3's one-step call loses the build log.
        let created = ClProgram::create_from_source(&session.context, &source.text)
            .during(format!("loading {}", source.path.display()));
        session.listener.call(created.as_ref().err(), &|| {
            let text = format!("{} bytes of {}", source.text.len(), source.path.display());
            Call::new("clCreateProgramWithSource", &["~context", &text]).gave("program")
        });
        let mut program = created?;
        let built = words::sifted(|| program.build(devices, options));
        let build_seconds = start.elapsed().as_secs_f64();
        let told = built.as_ref().map_err(|error| error.0).during("building");
        session.listener.call(told.as_ref().err(), &|| {
            let call = Call::new("clBuildProgram", &["~program", "~1 device", options]);
            call.gave(format!("ok, in {}", seconds(build_seconds)))
        });
        if let Err(error) = built {
            let log = program.get_build_log(device).unwrap_or_default();
            return Err(failure::of_build(&session.device, error, &log, source, raw_log));
        }
        if source.text.contains("printf") {
            session.printed.is_heard.set(true);
        }
        Ok(Program {
            cl: program,
            build_seconds,
            text: macros(options) + &source.text,
            path: source.path.display().to_string(),
            listener: session.listener.clone(),
        })
    }

    /// The program that is built from what `change` makes of this one's binary: of NVIDIA's
    /// driver that is PTX, a text. No standard says what a binary holds.
    ///
    /// # Errors
    /// [`Error::Build`] when there is no binary, or the driver refuses the other one.
    pub fn rewritten(self, session: &Session, change: fn(&str) -> String) -> Result<Program> {
        let binary = self.binary()?;
        let text = String::from_utf8_lossy(&binary);
        // The driver takes a text that ends with a zero.
        let text = change(text.trim_end_matches('\0')) + "\0";
        let cl = Program::of_binary(session, text.as_bytes(), "")?;
        Ok(Program { cl, ..self })
    }

    /// Its binary, for the one device that it was built for.
    ///
    /// # Errors
    /// [`Error::Build`] where the driver gives none.
    pub fn binary(&self) -> Result<Vec<u8>> {
        let binaries = self.cl.get_binaries().during("reading the binary")?;
        let binary = binaries.into_iter().find(|one| !one.is_empty());
        binary.ok_or_else(|| {
            let why = "this driver gives no binary of a program: build from source instead";
            Error::build(why)
        })
    }

    /// The program of such a binary. It is built, too: the driver may still have to link or
    /// translate it.
    ///
    /// # Errors
    /// [`Error::Build`] where the driver refuses it.
    pub fn of_binary(session: &Session, binary: &[u8], options: &str) -> Result<ClProgram> {
        let device = session.device.cl().id();
        let refused = |why: &str| Error::build(format!("the driver refuses the binary: {why}"));
        // SAFETY: the binary lives through the call, which copies it; the driver reads no more
        // than its length, and refuses what it does not understand.
        let made = unsafe { ClProgram::create_from_binary(&session.context, &[device], &[binary]) };
        let mut program = made.map_err(|error| refused(&error.to_string()))?;
        if program.build(&[device], options).is_err() {
            let log = program.get_build_log(device).unwrap_or_default();
            return Err(refused(log.trim_matches(['\0', '\n', ' '])));
        }
        Ok(program)
    }

    /// A launch of one of its kernels, with these arguments; what lies in buffers is the kernel's
    /// own affair.
    ///
    /// # Errors
    /// Those of [`Program::kernel`], and the driver's where it takes other arguments.
    pub fn launch(
        &self,
        session: &Session,
        name: &str,
        range: NdRange,
        args: &[Arg],
    ) -> Result<Launch> {
        let types = args.iter().map(|arg| match arg {
            Arg::Number(_, ty) => ty.to_string(),
            _ => String::new(),
        });
        let kernel = self.kernel(name, &Vec::from_iter(types))?;
        let mut launch = Launch::new(kernel, name, range);
        session.set_args(&mut launch, args)?;
        Ok(launch)
    }

    /// One kernel of the program, its signature checked as far as the driver
    /// tells it. `signature` holds the types, such as "int" or "float*".
    ///
    /// # Errors
    /// [`Error::Unlaunchable`] when the kernel is missing or has other arguments.
    pub fn kernel(&self, name: &str, signature: &[String]) -> Result<Kernel> {
        let kernel = Kernel::create(&self.cl, name).during(format!("creating kernel {name}"));
        self.listener.call(kernel.as_ref().err(), &|| {
            Call::new("clCreateKernel", &["~program", name]).gave("kernel")
        });
        let kernel = kernel?;
        let Some(why) = misfit(&kernel, signature, &self.text)? else {
            return Ok(kernel);
        };
        let (path, types) = (&self.path, signature.join(", "));
        Err(Error::Unlaunchable(format!(
            "{path}: kernel {name} {why}\n  it is launched as {name}({types})"
        )))
    }
}
