//! What a build that failed is: a mistake in the file, or a driver that cannot work.

use std::path::Path;

use diagnostics::log::{self, Log};
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, ClError};

use crate::device::{Device, pocl};
use crate::error::Error;
use crate::source::Source;

/// The error for a build that ended with this status and this log.
pub fn of_build(device: &Device, status: ClError, log: &str, source: &Source, raw: bool) -> Error {
    // It writes to a folder whatever it compiles, and where it cannot it says only that the kernel
    // failed to build.
    let is_pocl = device.platform.name.contains(pocl::PLATFORM);
    let fault = is_pocl.then(|| pocl::fault("cannot compile")).flatten();
    fault.map_or_else(|| of_words(status, log, source, raw), Error::NoDevice)
}

/// What a failed build's log says, as spans in the source and what it includes; in the
/// driver's own words where `raw` asks for them, or where no error in them can be located.
pub fn diagnose(log: &str, source: &Source, raw: bool) -> Log {
    let file = |source: Source| diagnostics::File { path: source.path, text: source.text };
    let read = |path: &Path| Source::read(path).ok().map(file);
    log::diagnose(log, &file(source.clone()), &read, raw)
}

/// By what the driver says, and by its status where it says nothing.
fn of_words(status: ClError, log: &str, source: &Source, raw: bool) -> Error {
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

    fn source() -> Source {
        Source { path: "a.cl".into(), text: "kernel void one()\n{\n    x = 1;\n}\n".into() }
    }

    #[test]
    fn without_words_the_status_decides_whether_the_file_is_at_fault() {
        let of = |status, log: &str| of_words(ClError(status), log, &source(), false);
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
