//! From kernel source to a built program; from a driver's build log to a
//! diagnostic with file, line, caret and an explanation.

mod diagnose;
mod explain;
mod failure;
mod names;

pub use diagnose::diagnose;

use std::rc::Rc;
use std::time::Instant;

use opencl3::kernel::Kernel;
use opencl3::program::Program as ClProgram;

use crate::element::Type;
use crate::error::{During, Error, Result};
use crate::session::Session;
use crate::source::Source;
use crate::tell::{Call, Listener};

/// A built program.
pub struct Program {
    /// opencl3's program.
    pub cl: ClProgram,
    /// Seconds that the driver took to build it; a driver with a cache of its
    /// own may take less the second time.
    pub build_seconds: f64,
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
        let start = Instant::now();
        // In two steps, because opencl3's one-step call loses the build log.
        let created = ClProgram::create_from_source(&session.context, &source.text)
            .during(format!("loading {}", source.path.display()));
        session
            .listener
            .call(created.as_ref().err(), &|| Call::create_program(source));
        let mut program = created?;
        let built = program.build(&[device], options);
        let build_seconds = start.elapsed().as_secs_f64();
        let told = built.as_ref().map_err(|error| error.0).during("building");
        session.listener.call(told.as_ref().err(), &|| {
            Call::build_program(options, build_seconds)
        });
        if let Err(error) = built {
            let log = program.get_build_log(device).unwrap_or_default();
            return Err(failure::of_build(
                &session.device,
                error,
                &log,
                source,
                raw_log,
            ));
        }
        Ok(Program {
            cl: program,
            build_seconds,
            path: source.path.display().to_string(),
            listener: session.listener.clone(),
        })
    }

    /// One kernel of the program, its signature checked as far as the driver
    /// tells it. `signature` holds the types, such as "int" or "float*".
    ///
    /// # Errors
    /// [`Error::Build`] when the kernel is missing or has other arguments.
    pub fn kernel(&self, name: &str, signature: &[String]) -> Result<Kernel> {
        let kernel = Kernel::create(&self.cl, name).during(format!("creating kernel {name}"));
        self.listener
            .call(kernel.as_ref().err(), &|| Call::create_kernel(name));
        let kernel = kernel?;
        let refuse = |why: String| {
            Error::Build(format!(
                "{}: kernel {name} {why}\n  the lesson launches it as {name}({})",
                self.path,
                signature.join(", ")
            ))
        };
        let count = kernel.num_args().during("counting arguments")? as usize;
        if count != signature.len() {
            return Err(refuse(format!(
                "has {count} arguments, not {}",
                signature.len()
            )));
        }
        for (i, want) in signature.iter().enumerate() {
            // A driver that keeps no signatures answers with an error: nothing to compare.
            let Ok(got) = kernel.get_arg_type_name(i as u32) else {
                break;
            };
            let got = got.trim_matches('\0').replace(' ', "");
            if !got.is_empty() && &got != want {
                return Err(refuse(format!(
                    "has argument {i} of type {got}, not {want}"
                )));
            }
        }
        Ok(kernel)
    }
}
