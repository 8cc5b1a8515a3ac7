//! Who is told of the calls that this library makes, and how a call is told.

use std::fmt::Display;

use crate::codes;
use crate::error::Error;

/// Hears of every OpenCL call. `()` hears nothing, and costs a comparison.
pub trait Listener {
    /// Whether it listens now; if not, no call is put into words.
    fn listens(&self) -> bool {
        false
    }
    /// A call was made.
    fn hear(&self, _call: &Call) {}
    /// Tells of a call and of the error that came of it, if one did.
    fn call(&self, error: Option<&Error>, call: &dyn Fn() -> Call) {
        if self.listens() {
            self.hear(&call().ended(error));
        }
    }
}

impl Listener for () {}

/// A call with its arguments, and what it returned.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name in C.
    pub name: &'static str,
    /// Its arguments, in order; one that begins with ~ is left out where there is little room.
    pub arguments: Vec<String>,
    /// What it returned; "ok" unless [`Call::gave`] says more.
    pub returned: String,
    /// Whether it failed.
    pub failed: bool,
}

impl Call {
    /// A call with these arguments, which succeeded.
    pub fn new(name: &'static str, arguments: &[&str]) -> Call {
        let arguments = arguments.iter().copied().map(String::from).collect();
        Call { name, arguments, returned: "ok".into(), failed: false }
    }

    /// What it returned, where that is more than success.
    pub fn gave(self, returned: impl Display) -> Call {
        Call { returned: returned.to_string(), ..self }
    }

    /// The same call, with the status in place of what it would have returned if
    /// it failed.
    fn ended(self, error: Option<&Error>) -> Call {
        let returned = match error {
            None => return self,
            Some(Error::OpenCl { code, .. }) => match codes::explain(*code) {
                Some(known) => format!("{} ({code})", known.name),
                None => format!("status {code}"),
            },
            Some(_) => "failed".into(),
        };
        Call { returned, failed: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_failed_tells_the_name_of_its_status() {
        let failed = Error::OpenCl { code: -54, during: "launching".into(), here: None };
        let call = Call::new("clEnqueueNDRangeKernel", &[]).ended(Some(&failed));
        assert_eq!(call.returned, "CL_INVALID_WORK_GROUP_SIZE (-54)");
        assert!(call.failed);
        assert_eq!(Call::new("clFinish", &[]).ended(None).returned, "ok");
    }
}
