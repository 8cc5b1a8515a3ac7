//! The calls that are told, from `calls.in`: their arguments, and what they do.

use std::sync::LazyLock;

/// A call of OpenCL.
pub struct Told {
    /// Its name in C.
    pub name: &'static str,
    /// Its arguments, each with the sign of how it is told.
    pub args: Vec<&'static str>,
    /// What it does, in a sentence.
    pub says: &'static str,
}

/// Behind an argument's name, how it is told.
pub const SIGNS: [char; 6] = ['\'', '*', '?', '-', '<', '>'];

macro_rules! calls {
    ($($name:ident $args:literal $says:literal)*) => {
        vec![$(Told {
            name: stringify!($name),
            args: $args.split(' ').flat_map(args).collect(),
            says: $says,
        }),*]
    };
}

fn args(arg: &'static str) -> Vec<&'static str> {
    match arg {
        "..." => vec!["_number", "waits*_number", "_event"],
        arg => vec![arg],
    }
}

static ALL: LazyLock<Vec<Told>> = LazyLock::new(|| include!("calls.in"));

impl Told {
    /// The one of this name.
    pub fn of(name: &str) -> Option<&'static Told> {
        ALL.iter().find(|told| told.name == name)
    }

    /// Where this argument stands.
    pub fn place(&self, arg: &str) -> Option<usize> {
        self.args.iter().position(|one| *one == arg)
    }

    /// What kind of object it makes, if it makes one.
    pub fn noun(&self) -> Option<&'static str> {
        let (_, made) = self.says.split_once("{result")?;
        made.split([' ', '}']).nth(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_of_what_is_told_of_its_call() {
        let added = "result results letters offset size value buffer properties";
        for call in &*ALL {
            let mut known: Vec<&str> = added.split(' ').collect();
            let plain = |arg: &&'static str| arg.split(SIGNS).next();
            known.extend(call.args.iter().filter_map(plain));
            for value in call.says.split('{').skip(1) {
                let name = value.split([' ', '}']).next().expect("a name");
                assert!(known.contains(&name), "{}: {name}", call.name);
            }
        }
    }
}
