use super::*;

fn source() -> Source {
    Source {
        path: "x.cl".into(),
        text: "kernel void one(int a)\n{\n    x = y;\n}\nkernel void two(int a)\n{\n    x = y;\n    z = 1; // z\n    z = 1;\n}\n"
            .into(),
    }
}

fn edit(old: &str, new: &str) -> [(String, String); 1] {
    [(old.into(), new.into())]
}

#[test]
fn edits_touch_one_kernel_only() {
    let text = edited(&source(), "two", &edit("x=y;\n", "x = 0;")).unwrap().text;
    assert_eq!(text.matches("x = y;").count(), 1);
    assert!(text.find("x = y;") < text.find("x = 0;"));
}

#[test]
fn spaces_line_ends_and_comments_do_not_count() {
    let text = edited(&source(), "two", &edit("z = 1; z  = 1;", "z = 2;")).unwrap().text;
    assert!(text.ends_with("    x = y;\n    z = 2;\n}\n"), "{text}");
}

#[test]
fn the_other_kernels_are_emptied_and_can_still_be_built() {
    let text = alone(&source(), &["two"]).text;
    let expected = "kernel void one(int a)\n{\n\n}\nkernel void two(int a)\n{\n    x = y;\n";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(alone(&source(), &["one", "two"]).text, source().text);
}

#[test]
fn an_edit_must_match_once() {
    let refused = |old| edited(&source(), "two", &edit(old, "")).unwrap_err();
    assert!(refused("z = 1;").contains("2 times"));
    assert!(refused("gone").contains("`gone` stands 0 times"));
    assert!(refused("").contains("0 times"));
    assert!(edited(&source(), "three", &[]).is_err());
}

const TEXT: &str = r#"
[[kernels]]
names = ["*"]
parts = [{ name = "less", edits = [["a\nb", "c"], ["d", ""]] }]
[[kernels]]
names = ["one x", "two*", "three"]
parts = [{ name = "most", shows = "all but little", with = ["less", "more"], edits = [["e", "f"]] }]
[[kernels]]
names = ["one"]
parts = [{ name = "less", shows = "nothing", with = ["less"] }]
"#;

#[test]
fn a_step_has_the_parts_below_its_name() {
    let names = |step| -> Vec<String> {
        let parts = parts(TEXT, step).expect("read").into_iter();
        parts.map(|part| part.name).collect()
    };
    for step in ["one x", "two", "two x", "three"] {
        assert_eq!(names(step), ["most"], "{step}");
    }
    assert_eq!(names("one"), ["less"]);
    assert_eq!(names("four"), [""; 0]);
}

#[test]
fn a_part_takes_along_what_it_names() {
    let part = &parts(TEXT, "two").expect("read")[0];
    assert_eq!(part.shows, "all but little");
    let pairs = [("a\nb", "c"), ("d", ""), ("more", ""), ("e", "f")];
    let edits = pairs.map(|(old, new)| (old.to_string(), new.to_string()));
    assert_eq!(part.edits, edits);
    // An edit and a part may have the same name.
    assert_eq!(parts(TEXT, "one").expect("read")[0].edits, edits[..2]);
}

#[test]
fn a_damaged_text_edits_something_else_or_says_why_not() {
    damage::must_be_survived(TEXT.as_bytes(), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for part in parts(&text, "two").iter().flatten() {
            let _ = edited(&source(), "two", &part.edits);
        }
    });
}
