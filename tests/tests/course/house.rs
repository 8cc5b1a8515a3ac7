//! The house is as its descriptions say: DESIGN.md, each crate's Layout, and the places
//! where the library makes the calls of docs/anatomy.md.

use tests::{files_below, read, workspace};

/// The crates from the top of DESIGN.md's table to its bottom.
const CRATES: [&str; 10] = [
    "course",
    "xtask",
    "inspect",
    "intercept",
    "lesson",
    "watchdog",
    "task",
    "common",
    "verify",
    "diagnostics",
];

#[test]
fn arrows_between_crates_go_down_only() {
    let design = read("DESIGN.md");
    let rows = design.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert_eq!(listed[2..], CRATES, "DESIGN.md's table, below lessons and examples");
    for (i, name) in CRATES.iter().enumerate() {
        let manifest = read(format!("crates/{name}/Cargo.toml"));
        for above in &CRATES[..i] {
            let arrow = format!("\n{above}.workspace");
            assert!(!manifest.contains(&arrow), "{name} depends on {above}");
        }
    }
}

#[test]
fn a_layout_names_every_module() {
    for name in CRATES {
        let root = match name {
            "course" | "xtask" => "main",
            _ => "lib",
        };
        let path = format!("crates/{name}/src/{root}.rs");
        let lib = read(&path);
        let (layout, code) = lib.split_once("\n\n").expect("a comment and code");
        assert!(layout.contains("# Layout"), "{name}");
        let modules = code.lines().filter_map(|line| {
            let line = line.trim_start_matches("pub ");
            line.strip_prefix("mod ")?.strip_suffix(';')
        });
        for module in modules.filter(|module| ![name, "tests"].contains(module)) {
            let named = layout.contains(&format!("`{module}`"));
            assert!(named, "{path}: {module} is in no Layout");
        }
    }
}

#[test]
fn the_library_makes_each_call_where_the_anatomy_says() {
    let anatomy = read("docs/anatomy.md");
    let mut found = 0;
    for link in anatomy.split("[`").skip(1) {
        let Some((name, rest)) = link.split_once("`](../") else {
            continue;
        };
        let path = rest.split(')').next().expect("a path");
        let function = name.rsplit("::").next().expect("a name");
        assert!(read(path).contains(&format!("fn {function}(")), "{path} has no {function}");
        found += 1;
    }
    assert!(found >= 11, "the table has a link for each step: {found}");
}

/// A verdict, a status or a hint follows from values: where results are judged nobody reads the
/// course's own sentences back.
#[test]
fn no_verdict_is_read_off_a_sentence() {
    const SENTENCES: [&str; 9] =
        ["says", "message", "happened", "cause", "told", "why", "reason", "heading", "meaning"];
    const READ: [&str; 7] = [
        "starts_with(",
        "ends_with(",
        "contains(",
        "split(",
        "split_once(",
        "strip_prefix(",
        "strip_suffix(",
    ];
    let mut found = Vec::new();
    for name in ["inspect", "watchdog", "lesson", "course"] {
        let files = files_below(&workspace().join(format!("crates/{name}/src")), "rs");
        assert!(files.len() > 9, "{name} has files: {files:?}");
        for path in files.iter().filter(|path| !path.ends_with("tests.rs")) {
            let text = read(path);
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for line in code.lines() {
                let is_read =
                    |one: &&str| READ.iter().any(|way| line.contains(&format!("{one}.{way}")));
                if SENTENCES.iter().any(is_read) {
                    found.push(format!("{}: {}", path.display(), line.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
