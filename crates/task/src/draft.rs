//! A task file's first draft, from what the driver tells of a kernel. `draft.txt` is its text.

use anyhow::Result;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Serialize;
use serde_json::{Value as Json, json};
use verify::element::Type;

use crate::signature::{Parameter, Signature, Space};

/// A draft, and whether it leaves one reading only.
pub struct Draft {
    /// The text of the task file.
    pub text: String,
    /// Whether the kernel is a product, a copy or `d * A + B`, so that nothing is to be said.
    pub is_known: bool,
    /// What was taken for granted, in a sentence.
    pub says: String,
}

/// The types of the elements of a product.
const REAL: [Type; 3] = [Type::Float, Type::Double, Type::Int];

/// What an argument of a well-known kernel is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
enum Kind {
    Size,
    Factor,
    Input,
    Output,
}

/// What a draft is made for.
pub struct Asked<'a> {
    /// The kernel.
    pub signature: &'a Signature,
    /// Name of its file.
    pub file: &'a str,
    /// The group that the learner asks for.
    pub group: Option<&'a [usize]>,
}

impl Asked<'_> {
    /// The draft for a kernel of the file that has this text.
    pub fn draft(&self, text: &str) -> Result<Draft> {
        // One that asks for no second number of an item is launched in one dimension, and nobody
        // knows how many items it wants.
        let is_flat = !text.contains("_id(1)");
        let kinds: Option<Vec<Kind>> = self.signature.args.iter().map(kind).collect();
        let kinds = kinds.unwrap_or_default();
        let count = |kind: Kind| kinds.iter().filter(|one| **one == kind).count();
        let counts = [Kind::Size, Kind::Factor, Kind::Input, Kind::Output].map(count);
        let is_product = counts == [3, 0, 2, 1] && kinds.ends_with(&[Kind::Output]);
        if is_product && kinds.starts_with(&[Kind::Size; 3]) && !is_flat {
            let (text, groups) = self.written("product", &[16, 16], json!({}))?;
            return Ok(known(
                text,
                format!(
                    "a product of matrices, an item for each element of C; get_global_id(0) counts \
                     columns, get_global_id(1) rows; {groups}; row-major"
                ),
            ));
        }
        if counts[3] == 1 && (counts[0] == 1 || counts[0] == 2 && !is_flat) {
            return self.vectors(&kinds, counts[0] == 2);
        }
        self.unknown()
    }

    fn vectors(&self, kinds: &[Kind], is_matrix: bool) -> Result<Draft> {
        let (form, group, sizes, on) = if is_matrix {
            let on = "matrices of M x N, its two ints; get_global_id(0) counts columns, \
                      get_global_id(1) rows";
            ("matrices", &[16, 16][..], &["M", "N"][..], on)
        } else {
            let on = "vectors, as long as its int says";
            ("vectors", &[256][..], &["N"][..], on)
        };
        let mut sizes = sizes.iter().peekable();
        let given = || self.signature.args.iter().zip(kinds);
        let named = |wanted: Kind| -> Vec<&str> {
            let all = given().filter(|(_, kind)| **kind == wanted);
            all.map(|(arg, _)| &*arg.name).collect()
        };
        let told = given().map(|(arg, kind)| {
            let size = sizes.next_if(|_| *kind == Kind::Size).copied();
            json!({ "name": arg.name, "kind": kind, "size": size })
        });
        let blanks = json!({
            "given": told.collect::<Vec<_>>(),
            "inputs": named(Kind::Input),
            "factors": named(Kind::Factor),
        });
        let (text, groups) = self.written(form, group, blanks)?;
        Ok(known(
            text,
            format!(
                "on {on}; {groups}. A result that is a copy of the input, transposed or not, or d * A \
                 + B is right; for any other no reference is given: result not checked"
            ),
        ))
    }

    /// A launch of one group for who asks for no data: all numbers are 0.
    pub fn blank(&self) -> Result<Draft> {
        let required = self.signature.required.as_ref().map(Vec::len);
        let dimensions = self.group.map(<[usize]>::len).or(required).unwrap_or(1);
        let blanks = json!({ "ones": vec![1; dimensions] });
        let (text, _) = self.written("blank", &[64, 1, 1][..dimensions], blanks)?;
        Ok(known(text, "once, with zeros for all numbers".into()))
    }

    /// What is not known is marked.
    fn unknown(&self) -> Result<Draft> {
        let args = &self.signature.args;
        let has_images = args.iter().any(|one| one.space == Space::Image);
        let is_size = |one: &&Parameter| {
            let is_whole = one.lanes == 1 && !one.element.is_floating();
            one.space == Space::Value && is_whole && (!has_images || one.name.len() > 1)
        };
        let sizes = args.iter().filter(is_size).map(|one| &*one.name);
        let sides: &[&str] = if has_images { &["w", "h"] } else { &[] };
        let mut named: Vec<&str> = sides.to_vec();
        named.extend(sizes);
        if named.is_empty() {
            named.push("n");
        }
        let (dimensions, group) = if has_images {
            (2, &[8, 8][..])
        } else {
            (1, &[64][..])
        };
        let blanks = json!({ "counted": named[..dimensions], "named": named });
        let (text, _) = self.written("unknown", group, blanks)?;
        Ok(Draft {
            text,
            is_known: false,
            says: String::new(),
        })
    }

    /// The text of a form, and what its groups are: as asked for, or as the kernel's own attribute
    /// says, `or` these.
    fn written(&self, form: &str, or: &[usize], blanks: Json) -> Result<(String, String)> {
        let Signature {
            kernel,
            required,
            args,
        } = self.signature;
        let group: Vec<usize> = match (self.group, required) {
            (Some(group), _) if or.len() == 1 => vec![group.iter().product()],
            (Some(group), _) => group.to_vec(),
            (None, Some(required)) => required[..or.len()].to_vec(),
            (None, None) => or.to_vec(),
        };
        let mut engine = Environment::new();
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        engine.set_syntax(syntax.keep_trailing_newline(true).build()?);
        engine.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        let file = toml::Value::from(self.file).to_string();
        let all =
            json!({ "form": form, "file": file, "kernel": kernel, "group": group, "args": args });
        let all = context! { ..Value::from(Serde(all)), ..Value::from(Serde(blanks)) };
        let text = engine.render_str(include_str!("draft.txt"), all)?;
        let groups = format!("groups of {}", common::ndrange::sides(&group));
        Ok((text, groups))
    }
}

fn known(text: String, says: String) -> Draft {
    Draft {
        text,
        is_known: true,
        says,
    }
}

fn kind(parameter: &Parameter) -> Option<Kind> {
    let is_scalar = parameter.lanes == 1;
    match parameter.space {
        Space::Value if parameter.element.is_floating() && is_scalar => Some(Kind::Factor),
        Space::Value if parameter.element.size() >= 4 && is_scalar => Some(Kind::Size),
        Space::Global if !REAL.contains(&parameter.element) => None,
        Space::Global if parameter.is_const => Some(Kind::Input),
        Space::Global => Some(Kind::Output),
        _ => None,
    }
}
