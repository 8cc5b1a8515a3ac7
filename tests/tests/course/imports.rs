//! Which file of a crate imports which: no circle has more than two files, so that each can
//! be read after those that it stands on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use tests::{entries, workspace};

/// A module's path below the crate's root, which is the empty one.
type Module = Vec<String>;
/// What each module imports, and its own children.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

#[test]
fn no_circle_of_imports_has_more_than_two_files() {
    let mut crates = vec![workspace().join("tests")];
    for folder in ["crates", "lessons"] {
        crates.extend(entries(&workspace().join(folder)));
    }
    let mut circles = Vec::new();
    for folder in crates {
        let imports = imports(&folder.join("src"));
        for (module, imported) in &imports {
            let circle = imported.iter().find_map(|next| circle(&imports, module, next));
            circles.extend(circle.map(|circle| format!("{}: {circle}", folder.display())));
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn a_circle_of_three_is_found_and_one_of_two_is_not() {
    let module = |name: &str| vec![name.to_string()];
    let imports = |pairs: &[(&str, &str)]| {
        let mut imports = Imports::new();
        for (from, to) in pairs {
            imports.entry(module(from)).or_default().insert(module(to));
        }
        imports
    };
    let (a, b) = (module("a"), module("b"));
    let two = imports(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]);
    assert_eq!(circle(&two, &a, &b), None);
    let three = imports(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")]);
    assert_eq!(circle(&three, &a, &b).as_deref(), Some("a -> b -> c -> a"));
}

#[test]
fn imports_are_read_in_all_their_forms() {
    let known: Vec<Module> = [&[][..], &["a"], &["a", "b"], &["a", "b", "c"], &["d"]]
        .map(|path| path.iter().map(|name| name.to_string()).collect())
        .into();
    let text = "mod c;\nuse std::fs;\nuse super::Item;\nuse crate::{\n    Other,\n    d::{self, X},\n};\n\
                #[cfg(test)]\nmod tests {\nuse crate::no;\n}\n";
    let imported = imported(&known[2], text, &known);
    let names: Vec<String> = imported.iter().map(|module| module.join("/")).collect();
    assert_eq!(names, ["", "a", "a/b/c", "d"]);
}

/// The imports of all files below a folder of sources, but for those of tests.
fn imports(sources: &Path) -> Imports {
    let mut texts = BTreeMap::new();
    read(sources, &Module::new(), &mut texts);
    let known: Vec<Module> = texts.keys().cloned().collect();
    let of = |(module, text): (&Module, &String)| (module.clone(), imported(module, text, &known));
    texts.iter().map(of).collect()
}

fn read(folder: &Path, module: &Module, texts: &mut BTreeMap<Module, String>) {
    for path in entries(folder) {
        let name = path.file_stem().expect("a name").display().to_string();
        let below = |name: String| [module.clone(), vec![name]].concat();
        if path.is_dir() {
            read(&path, &below(name), texts);
        } else if path.extension().is_some_and(|end| end == "rs") && name != "tests" {
            let is_root = module.is_empty() && (name == "lib" || name == "main");
            let module = if is_root { Module::new() } else { below(name) };
            texts.insert(module, fs::read_to_string(&path).expect("sources are text"));
        }
    }
}

/// What this module imports: its children, and the modules that its `use` lines name.
fn imported(module: &Module, text: &str, known: &[Module]) -> BTreeSet<Module> {
    let (code, _) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((text, ""));
    let mut paths = Vec::new();
    for item in code.split_inclusive(';') {
        // Comments and attributes may stand before it.
        let item = item.trim_end_matches(';');
        let begins = |word: &str| item.match_indices(word).map(|(at, _)| at).last();
        let at = begins("\nuse ").or_else(|| begins("\npub use "));
        if let Some((_, tree)) = at.and_then(|at| item[at..].split_once("use ")) {
            paths.extend(spread(tree));
        } else if let Some((before, child)) = item.rsplit_once("mod ")
            && (before.ends_with('\n') || before.ends_with("pub ") || before.is_empty())
        {
            paths.push(format!("self::{child}"));
        }
    }
    let mut imported = BTreeSet::new();
    for path in paths {
        let mut target = absolute(module, &path, known);
        while !known.contains(&target) && target.pop().is_some() {}
        if target != *module {
            imported.insert(target);
        }
    }
    imported
}

/// Spreads `a::{b, c::{d, e}}` into its paths.
fn spread(tree: &str) -> Vec<String> {
    let (mut paths, mut now, mut before) = (Vec::new(), String::new(), Vec::new());
    for letter in tree.chars().filter(|c| !c.is_whitespace()).chain([',']) {
        match letter {
            '{' => before.push(std::mem::take(&mut now)),
            ',' | '}' => {
                let last = std::mem::take(&mut now);
                if !last.is_empty() {
                    paths.push(before.concat() + &last);
                }
                if letter == '}' {
                    before.pop();
                }
            }
            letter => now.push(letter),
        }
    }
    paths
}

/// A path from the crate's root; the module itself, where it leads to another crate.
fn absolute(module: &Module, path: &str, known: &[Module]) -> Module {
    let mut base = module.clone();
    let mut names: VecDeque<&str> = path.split("::").collect();
    match names[0] {
        "crate" => base.clear(),
        "self" | "super" => (),
        child if known.contains(&[module.clone(), vec![child.into()]].concat()) => (),
        _ => return base,
    }
    while ["crate", "self", "super"].contains(&names[0]) {
        if names.pop_front() == Some("super") {
            base.pop();
        }
    }
    base.extend(names.into_iter().map(String::from));
    base
}

/// The shortest circle of more than two modules that leads from one to the next and back.
fn circle(imports: &Imports, from: &Module, next: &Module) -> Option<String> {
    let mut ways = VecDeque::from([vec![from, next]]);
    let mut seen = BTreeSet::from([next]);
    while let Some(way) = ways.pop_front() {
        let last = way[way.len() - 1];
        for module in imports.get(last).into_iter().flatten() {
            if module == from && way.len() > 2 {
                let names = way.into_iter().chain([from]).map(|module| module.join("/"));
                return Some(names.collect::<Vec<_>>().join(" -> "));
            }
            if module != from && seen.insert(module) {
                ways.push_back([&way[..], &[module]].concat());
            }
        }
    }
    None
}
