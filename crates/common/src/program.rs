//! From kernel source to a built program, or to the reason why there is none. What a driver prints
//! on standard error while it builds, and a kernel on standard output while it runs, is taken, and
//! passed on without what a terminal would obey.

use std::cell::{Cell, RefCell};
use std::{io::Write, path::Path, rc::Rc, time::Instant};

use diagnostics::terminal::stream::{Stream, Taken};
use diagnostics::terminal::{Out, plain};
use diagnostics::{aside, log, log::Log, types::Types, types::is_known};
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, ClError};
use opencl3::{kernel::Kernel, program::Program as ClProgram};

use crate::device::drivers::{POCL, pocl_fault};
use crate::error::{During, Error, Result};
use crate::session::{Arg, Call, Launch, Listener, Session};
use crate::{device::Device, ndrange::NdRange, source::Source};
use verify::element::Type;
use verify::numbers::{bytes, seconds};

/// A built program.
pub struct Program {
    /// opencl3's program.
    pub cl: ClProgram,
    /// Seconds that the driver took to build it; a driver with a cache of its
    /// own may take less the second time.
    pub build_seconds: f64,
    /// What it was built from, and with.
    source: Source,
    options: String,
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
        let device = session.device.cl.id();
        // All: NVIDIA's driver builds for every device of a context, or for none.
        let devices = session.context.devices();
        let start = Instant::now();
        // What it includes lies beside it, wherever the program was started.
        let options = match source.path.parent().and_then(Path::to_str) {
            Some(folder)
                if source.text.contains("include")
                    && !folder.is_empty()
                    && !folder.contains(char::is_whitespace) =>
            {
                &format!("{options} -I {folder}")
            }
            _ => options,
        };
        // In two steps, because opencl3's one-step call loses the build log.
        let created = ClProgram::create_from_source(&session.context, &source.text)
            .during(format!("loading {}", source.path.display()));
        session.listener.call(created.as_ref().err(), &|| {
            let text = format!("{} bytes of {}", source.text.len(), source.path.display());
            Call::new("clCreateProgramWithSource", &["~context", &text]).gave("program")
        });
        let mut program = created?;
        let taken = sent(Stream::Error, "");
        let built = program.build(devices, options);
        // Clang counts its errors there ("1 error generated."), in the middle of a progress line,
        // and the log says it better.
        let said = taken.map(Taken::given_back).unwrap_or_default();
        for line in said.lines().filter(|line| !line.ends_with(" generated.")) {
            aside!("{}", plain(line));
        }
        let build_seconds = start.elapsed().as_secs_f64();
        let told = built.as_ref().map_err(|error| error.0).during("building");
        session.listener.call(told.as_ref().err(), &|| {
            let call = Call::new("clBuildProgram", &["~program", "~1 device", options]);
            call.gave(format!("ok, in {}", seconds(build_seconds)))
        });
        if let Err(error) = built {
            let log = program.get_build_log(device).unwrap_or_default();
            return Err(error_of_build(&session.device, error, &log, source, raw_log));
        }
        if source.text.contains("printf") {
            session.printed.is_heard.set(true);
        }
        Ok(Program {
            cl: program,
            build_seconds,
            source: source.clone(),
            options: options.into(),
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
        let device = session.device.cl.id();
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
            Arg::Number(_, ty) => ty.name().into(),
            _ => String::new(),
        });
        let kernel = self.kernel(name, &Vec::from_iter(types))?;
        session.set_args(kernel, name.into(), range, args.to_vec())
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
        let (kernel, expected) = (kernel?, signature.len());
        let count = kernel.num_args().during("counting arguments")? as usize;
        // What the file and the macros of its options may have given other names.
        let text = || {
            let given = self.options.split("-D ").skip(1);
            let given = given.map(|one| format!("#define {}\n", one.replacen('=', " ", 1)));
            given.collect::<String>() + &self.source.text
        };
        let mut all = (0..).zip(signature);
        let misfit = match count == expected {
            false => Some(format!("has {count} arguments, not {expected}")),
            true => all.find_map(|(i, wanted)| {
                // A driver that keeps no signatures answers with an error: nothing to compare.
                let told = kernel.get_arg_type_name(i).ok()?;
                let told = Some(told.trim_matches('\0')).filter(|told| told != wanted)?;
                let other = other_type(told, wanted, &Types::of(&text()))?;
                Some(format!("has argument {i} of type {other}, not {wanted}"))
            }),
        };
        let Some(why) = misfit else { return Ok(kernel) };
        let (path, types) = (self.source.path.display(), signature.join(", "));
        Err(Error::Unlaunchable(format!(
            "{path}: kernel {name} {why}\n  it is launched as {name}({types})"
        )))
    }
}

/// The types that a size may have.
const INTEGERS: [&str; 5] = ["int", "uint", "long", "ulong", "size_t"];

/// The type's name, and what it means, where that is certainly not what is wanted.
fn other_type(told: &str, wanted: &str, types: &Types) -> Option<String> {
    let meanings = types.meanings(told);
    // Local memory has no type, and nobody tells that of a struct.
    if wanted == "local*" || wanted.is_empty() {
        return None;
    }
    // The launch gives a number in the type that the kernel has.
    if wanted == "int" && meanings.iter().any(|one| INTEGERS.contains(&one.as_str())) {
        return None;
    }
    // A vector lies where so many elements lie.
    let is_vector = |one: &String| {
        let element = one.trim_end_matches('*').trim_end_matches(|c: char| c.is_ascii_digit());
        wanted.strip_suffix('*') == Some(element) && one.ends_with('*')
    };
    // So does a struct, which nobody else knows.
    let is_struct = |one: &String| one.starts_with("struct") && wanted.ends_with('*');
    let may_be = |one: &String| is_vector(one) || is_struct(one) || !is_known(one) || one == wanted;
    if meanings.iter().any(may_be) {
        return None;
    }
    let name = told.replace(' ', "");
    let meanings = Vec::from_iter(meanings).join(" or ");
    Some(if meanings == name { name } else { format!("{name} (which is {meanings})") })
}

/// Names the file that takes a driver's words. Who sets it watches this process, and passes on
/// what lies there when this process dies.
pub const WORDS_VARIABLE: &str = "OPENCL_COURSE_DRIVERS_WORDS";

/// How the name of the file ends, beside that one, that takes what kernels print.
pub const OF_KERNELS: &str = "printed-by-kernels";

/// What the kernels of a session print.
#[derive(Default)]
pub struct Printed {
    /// Whether they print at all: to listen takes time.
    is_heard: Cell<bool>,
    taken: RefCell<Option<Taken>>,
}

impl Printed {
    /// Takes from now on what is printed, if anything is.
    pub fn take(&self) {
        let mut taken = self.taken.borrow_mut();
        if taken.is_none() && self.is_heard.get() {
            *taken = sent(Stream::Output, OF_KERNELS);
        }
    }

    /// Passes it on. PoCL keeps as much as its buffer holds, and cuts the rest.
    pub fn pass_on(&self, device: &Device) {
        let Some(taken) = self.taken.take() else { return };
        let said = taken.given_back();
        let end = if said.is_empty() || said.ends_with('\n') { "" } else { "\n" };
        // Nobody may be there to read it.
        let _ = write!(Out, "{}{end}", plain(&said));
        let room = device.cl.printf_buffer_size().unwrap_or(usize::MAX);
        if device.platform.name.contains(POCL) && said.len() >= room {
            let room = bytes(room as u64);
            aside!("what the kernel printed was cut by PoCL, which keeps {room} of a launch");
        }
    }
}

/// The stream, sent to the file that takes a driver's words, or to one beside it.
fn sent(stream: Stream, end: &str) -> Option<Taken> {
    let path = std::env::var_os(WORDS_VARIABLE)?;
    Taken::to(stream, &Path::new(&path).with_extension(end))
}

/// The error for a build that ended with this status and this log.
fn error_of_build(
    device: &Device,
    status: ClError,
    log: &str,
    source: &Source,
    raw: bool,
) -> Error {
    // It writes to a folder whatever it compiles, and where it cannot it says only that the kernel
    // failed to build.
    let is_pocl = device.platform.name.contains(POCL);
    let fault = is_pocl.then(|| pocl_fault("cannot compile")).flatten();
    fault.map_or_else(|| error_of_words(status, log, source, raw), Error::NoDevice)
}

/// What a failed build's log says, as spans in the source and what it includes; in the
/// driver's own words where `raw` asks for them, or where no error in them can be located.
pub fn diagnose(log: &str, source: &Source, raw: bool) -> Log {
    let file = |source: Source| diagnostics::File { path: source.path, text: source.text };
    let read = |path: &Path| Source::read(path).ok().map(file);
    log::diagnose(log, &file(source.clone()), &read, raw)
}

/// By what the driver says, and by its status where it says nothing.
fn error_of_words(status: ClError, log: &str, source: &Source, raw: bool) -> Error {
    if !log::is_empty(log) {
        // What stands in the file's own lines; escapes were pictured already.
        let is_control = |c| ('\u{80}'..='\u{9f}').contains(&c);
        let mut log = diagnose(log, source, raw);
        log.shown = log.shown.replace(is_control, "�");
        return Error::Build(log);
    }
    let path = source.path.display();
    if status.0 == CL_BUILD_PROGRAM_FAILURE {
        return Error::build(format!(
            "{path} does not build, and the driver does not say why: its log is empty\n  \
             next: the same on another device (--device), or with half of the kernel taken out"
        ));
    }
    Error::OpenCl { code: status.0, during: format!("building {path}"), here: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_judged_by_what_it_is() {
        let types = Types::of("typedef float real;\ntypedef short idx;\n");
        for told in ["float*", "float *", "float4*", "real*", "elsewhere*", ""] {
            assert_eq!(other_type(told, "float*", &types), None, "{told}");
        }
        let other = |told| other_type(told, "int", &types).unwrap_or_default();
        assert_eq!([other("uint"), other("size_t")], ["", ""], "any integer");
        assert_eq!(other("real*"), "real* (which is float*)");
        assert_eq!(other("idx"), "idx (which is short)");
    }

    fn source() -> Source {
        Source { path: "a.cl".into(), text: "kernel void one()\n{\n    x = 1;\n}\n".into() }
    }

    #[test]
    fn without_words_the_status_decides_whether_the_file_is_at_fault() {
        let of = |status, log: &str| error_of_words(ClError(status), log, &source(), false);
        let mute = of(-11, "\0\n");
        assert!(matches!(&mute, Error::Build(log) if log.shown.contains("does not say why")));
        let memory = of(-6, "");
        assert!(matches!(memory, Error::OpenCl { code: -6, .. }), "{memory}");
        let said = of(-6, "odd \u{85} words");
        assert!(matches!(&said, Error::Build(log) if log.shown.contains("odd � words")), "{said}");
        assert!(of(-6, "odd \u{7f} \u{a0}words").to_string().contains('\u{a0}'));
    }

    #[test]
    fn a_log_in_colours_is_located_and_sends_the_terminal_nothing() {
        colored::control::set_override(false);
        let source = source();
        let log =
            "\x1b[1ma.cl:3:5: \x1b[0m\x1b[31merror: \x1b[0muse of undeclared identifier 'x'\x07\n";
        let shown = diagnose(log, &source, false).to_string();
        assert!(shown.contains("a.cl:3:5") && shown.contains("x = 1;"), "{shown}");
        for raw in [false, true] {
            let shown = diagnose(log, &source, raw).to_string();
            assert!(!shown.contains(['\x1b', '\x07']), "{shown}");
        }
    }
}
