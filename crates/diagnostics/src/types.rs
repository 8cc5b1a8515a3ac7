//! What a type's name stands for, by the typedefs and macros of a kernel file.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Tokens, is_word};

/// Where a pointer points to, and what else leaves the type's name as it is; two underscores may
/// stand before.
const QUALIFIERS: [&str; 7] =
    ["global", "local", "constant", "private", "const", "volatile", "restrict"];

const SCALARS: [&str; 12] = [
    "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
    "half",
];

/// A typedef behind a typedef, and so on: more than anyone writes.
const DEEPEST: usize = 16;

/// The names of types that a file makes by typedefs and macros.
pub struct Types<'a> {
    /// Each with what it stands for: several types, where the preprocessor chooses.
    aliases: BTreeMap<&'a str, Vec<String>>,
}

impl<'a> Types<'a> {
    /// Those of a file's text.
    pub fn of(text: &'a str) -> Types<'a> {
        let macros = super::directives::macros(text);
        let macros = macros.map(|(name, value)| (name, spelt(&Tokens::of(value))));
        // `typedef TYPE NAME;`. Of arrays, functions and several names at once nothing is told.
        let file = Tokens::of(text);
        let typedef = |i| {
            let name = file.end_of(i, &[";"]) - 1;
            let ty = file.part(i + 1..name);
            let is_struct = ty.text(0) == "struct";
            let is_plain = is_struct || !ty.all().any(|i| "([,".contains(ty.text(i)));
            let is_named = is_word(file.text(name)) && name > i + 1;
            (is_plain && is_named).then(|| (file.text(name), spelt(&ty)))
        };
        let begins = |i: &usize| file.text(*i) == "typedef";
        let typedefs = file.all().filter(begins).filter_map(typedef);
        let mut aliases = BTreeMap::<&str, Vec<String>>::new();
        for (name, ty) in macros.chain(typedefs) {
            aliases.entry(name).or_default().push(ty);
        }
        Types { aliases }
    }

    /// The types that `name`, such as `real*`, can stand for: more than one, where the
    /// preprocessor chooses. Each as OpenCL C spells it, without spaces.
    pub fn meanings(&self, name: &str) -> BTreeSet<String> {
        // What stands for a name; the name itself where nothing does.
        let once = |name: &String| {
            let base = name.trim_end_matches('*');
            let stars = &name[base.len()..];
            match self.aliases.get(base) {
                Some(types) => types.iter().map(|ty| format!("{ty}{stars}")).collect(),
                None => vec![spelt(&Tokens::of(name))],
            }
        };
        let mut meanings = BTreeSet::from([name.to_string()]);
        for _ in 0..DEEPEST {
            meanings = meanings.iter().flat_map(once).collect();
        }
        meanings
    }
}

/// True for a type of the language, or a pointer to one, or a struct: not for a name that
/// some other file declares.
pub fn is_known(name: &str) -> bool {
    let name = name.trim_end_matches('*');
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    SCALARS.contains(&scalar) || name == "struct"
}

/// The types of a struct's fields in order, as OpenCL C spells them, and how many there are of each
/// in a row: none where what is written there is not plain.
pub fn fields(text: &str, name: &str) -> Option<Vec<(String, usize)>> {
    let file = Tokens::of(text);
    let name = name.trim_start_matches("struct ");
    let body = file.all().find_map(|open| {
        let close = file.matching(open).filter(|_| file.text(open) == "{")?;
        let before = [1, 2].map(|back| file.text(open.wrapping_sub(back)));
        let behind = file.text(close + 1);
        let end = close + 1 + usize::from(is_word(behind));
        let is_it = before.contains(&"struct")
            && [before[0], behind].contains(&name)
            && file.text(end) == ";";
        is_it.then(|| file.part(open + 1..close))
    })?;
    let (mut fields, mut at) = (Vec::new(), 0);
    while at < body.all().end {
        let name = body.end_of(at, &[",", "[", ";"]).checked_sub(1)?;
        let ty = spelt(&body.part(at..name));
        let end = body.end_of(at, &[";"]);
        let mut one = name;
        // float a, b[3];
        while one < end {
            let next = body.end_of(one, &[",", ";"]);
            let count = match next - one {
                1 => 1,
                4 if body.text(one + 1) == "[" => body.text(one + 2).parse().ok()?,
                _ => return None,
            };
            fields.push((ty.clone(), count));
            one = next + 1;
        }
        at = end + 1;
    }
    Some(fields)
}

/// The type that all fields of a struct have: none where they are of several.
pub fn of_fields(text: &str, name: &str) -> Option<String> {
    let mut types = fields(text, name)?.into_iter().map(|(ty, _)| ty);
    let first = types.next()?;
    types.all(|ty| ty == first).then_some(first)
}

/// A type as OpenCL C spells it: `uint*` for `global const unsigned int *`.
fn spelt(ty: &Tokens) -> String {
    let words = ty.all().map(|i| ty.text(i));
    let words = words.filter(|word| !QUALIFIERS.contains(&word.strip_prefix("__").unwrap_or(word)));
    let (stars, mut words): (Vec<&str>, Vec<&str>) = words.partition(|word| *word == "*");
    if words.first() == Some(&"struct") || words.contains(&"{") {
        words = vec!["struct"];
    }
    let unsigned = words.contains(&"unsigned");
    let count = words.len();
    words.retain(|word| !["unsigned", "signed"].contains(word));
    if words.len() > 1 {
        words.retain(|word| *word != "int");
    } else if words.is_empty() && count > 0 {
        words.push("int");
    }
    let sign = if unsigned { "u" } else { "" };
    format!("{sign}{}{}", words.concat(), stars.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanings(name: &str, text: &str) -> Vec<String> {
        Types::of(text).meanings(name).into_iter().collect()
    }

    #[test]
    fn a_name_stands_for_its_type_through_any_number_of_others() {
        let text = "typedef float real;\ntypedef real number, *p;\n#define DATA real\n\
                    typedef DATA data;\ntypedef global const data *pointer;\n\
                    typedef unsigned long int wide;\ntypedef struct { int x, y; } pair;\n\
                    typedef signed idx;\ntypedef float row[4];\ntypedef float4 four;\n";
        for (name, type_) in [
            ("real*", "float*"),
            ("data", "float"),
            ("pointer", "float*"),
            ("pointer*", "float**"),
            ("wide", "ulong"),
            ("pair*", "struct*"),
            ("struct pair*", "struct*"),
            ("idx", "int"),
            ("four", "float4"),
            ("unsigned int*", "uint*"),
            ("short int", "short"),
            ("float *", "float*"),
            ("number", "number"),
            ("row", "row"),
            ("elsewhere*", "elsewhere*"),
        ] {
            assert_eq!(meanings(name, text), [type_], "{name}");
        }
    }

    #[test]
    fn fields_of_one_type_are_told_apart_from_those_of_several() {
        for (text, of) in [
            ("struct E { float a, b; };", Some("float")),
            ("typedef struct _E { const unsigned int a; uint b[3]; } E;", Some("uint")),
            ("typedef struct { int k; float v; } E;", None),
            ("typedef struct { float4 x; float m; } E;", None),
            ("typedef struct { int k; } F; kernel void f(E x) { }", None),
            ("struct E { int k; } __attribute__((aligned(16)));", None),
        ] {
            assert_eq!(of_fields(text, "struct E").as_deref(), of, "{text}");
            assert_eq!(of_fields(text, "E").as_deref(), of, "{text}");
        }
        let several = "typedef struct { int k, n[3]; float4 v; } E;";
        let counts = [("int", 1), ("int", 3), ("float4", 1)].map(|(ty, n)| (ty.into(), n));
        assert_eq!(fields(several, "E"), Some(counts.into()));
    }

    #[test]
    fn where_the_preprocessor_chooses_a_name_stands_for_each() {
        let text = "#ifdef WIDE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n";
        assert_eq!(meanings("real*", text), ["double*", "float*"]);
    }

    #[test]
    fn names_that_lead_back_to_themselves_have_an_end() {
        let text = "#define a b\n#define b a\n";
        assert_eq!(meanings("a", text).len(), 1);
        assert_eq!(meanings("a", "#define a a\n"), ["a"]);
        assert_eq!(meanings("a", "typedef a;\ntypedef\n"), ["a"]);
    }

    #[test]
    fn types_of_the_language_are_known() {
        for name in ["float", "float4*", "uint16", "struct*", "half"] {
            assert!(is_known(name), "{name}");
        }
        for name in ["real", "real*", "REAL4", "float_t", "structure"] {
            assert!(!is_known(name), "{name}");
        }
    }
}
