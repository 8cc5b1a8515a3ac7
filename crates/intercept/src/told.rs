//! The calls that are told, from `calls.txt`, and their arguments.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A call of OpenCL.
#[derive(Debug)]
pub struct Told {
    /// Its name in C.
    pub name: &'static str,
    /// Its arguments, each with the sign of how it is told.
    pub args: Vec<&'static str>,
}

impl Told {
    /// The one of this name.
    pub fn of(name: &str) -> Option<&'static Told> {
        static ALL: LazyLock<HashMap<&str, Told>> = LazyLock::new(|| {
            let calls = include_str!("calls.txt").lines();
            let calls = calls.filter(|line| !line.starts_with('#')).filter_map(told);
            calls.map(|call| (call.name, call)).collect()
        });
        ALL.get(name)
    }

    /// Where this argument stands.
    pub fn place(&self, arg: &str) -> Option<usize> {
        self.args.iter().position(|one| *one == arg)
    }
}

fn told(line: &'static str) -> Option<Told> {
    let mut args = line.split(' ');
    let name = args.next()?;
    let args = args.flat_map(|arg| match arg {
        "..." => vec!["_number", "waits*_number", "_event"],
        arg => vec![arg],
    });
    let args = args.collect();
    Some(Told { name, args })
}
