//! What a figure takes from a kernel's text: constants and index expressions.

use anyhow::{Context, Result};
use common::formula::Formula;
use common::source::Source;
use language::directives::macros;
use language::tokens::Tokens;

/// A kernel of the course.
pub struct Kernel {
    name: String,
    code: String,
    file: Source,
}

impl Kernel {
    /// Reads it from a file of `kernels/`.
    pub fn read(file: &str, name: &str) -> Result<Kernel> {
        let file = Source::of_course(file)?;
        let text = file.kernel(name);
        let text = text.with_context(|| format!("there is no kernel {name}"))?;
        Ok(Kernel {
            name: name.into(),
            code: text.code,
            file,
        })
    }

    /// The value of a macro of its file: the last one, where it has several.
    pub fn constant(&self, name: &str) -> Result<usize> {
        let found = macros(&self.file.text).filter(|(macro_name, _)| *macro_name == name);
        let value = found.last().map(|(_, value)| value);
        let value = value.and_then(|value| value.split_whitespace().next()?.parse().ok());
        value.with_context(|| format!("{} is no number in the file of {}", name, self.name))
    }

    /// The variable that is given `get_global_id(dimension)`.
    pub fn of_id(&self, dimension: usize) -> Result<&str> {
        let tokens = Tokens::of(&self.code);
        let call = ["=", "get_global_id", "(", &dimension.to_string(), ")"];
        let is_call = |&at: &usize| (0..call.len()).all(|i| tokens.text(at + i) == call[i]);
        let at = tokens.all().skip(1).find(is_call);
        let name = at.map(|at| tokens.text(at - 1));
        name.with_context(|| format!("{} has no {}", self.name, call.concat()))
    }

    /// What stands between the brackets where the kernel first reads this array.
    pub fn index(&self, array: &str) -> Result<&str> {
        let tokens = Tokens::of(&self.code);
        let is_access = |&at: &usize| tokens.text(at) == array && tokens.text(at + 1) == "[";
        let at = tokens.all().find(is_access);
        let at = at.with_context(|| format!("{} does not read {array}", self.name))?;
        let close = tokens.matching(at + 1).context("a bracket is not closed")?;
        Ok(&self.code[tokens.span(at + 2..close)])
    }

    /// The element of the array that an item reads, whose variables have these values.
    pub fn element(&self, array: &str, value: impl Fn(&str) -> Option<f64>) -> Result<usize> {
        let index = Formula::from(self.index(array)?).value_by(&value);
        Ok(index.map_err(anyhow::Error::msg)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_ids_and_indices_come_from_the_text() {
        let kernel = Kernel::read("04-coalescing.cl", "matmul_id0_rows").unwrap();
        assert_eq!(kernel.of_id(0).unwrap(), "row");
        assert_eq!(kernel.index("A").unwrap(), "row * K + k");
        let value = |name: &str| match name {
            "row" => Some(2.0),
            "K" => Some(100.0),
            "k" => Some(7.0),
            _ => None,
        };
        assert_eq!(kernel.element("A", value).unwrap(), 207);
        assert!(kernel.index("Q").is_err() && kernel.constant("REAL").is_err());
        let tile = Kernel::read("08-tiling.cl", "matmul_register_tile").unwrap();
        assert!(tile.constant("TM").unwrap() > tile.constant("RM").unwrap());
        assert!(Kernel::read("08-tiling.cl", "nothing").is_err());
    }
}
