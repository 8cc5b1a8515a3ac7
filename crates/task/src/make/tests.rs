use super::*;
use std::path::Path;

#[test]
fn operands_and_result_survive_padding_and_layout() {
    for layout in ["row-major", "column-major", "b-transposed"] {
        let form = "pad = [16, 8, 8]\nglobal = [1]\nlocal = [1]\nsize = '37x53x53'";
        let form = format!("{form}\nproduct = '{layout}'");
        let form = Form::of(&form, Path::new("")).unwrap();
        let task = form.task(&form.size, 1, &[]).unwrap();
        let plan = task.plan().unwrap();
        let a = task.contents(0, &plan, None, &[]).unwrap().unwrap();
        assert_eq!(a.len(), 48 * 56);
        // A stands in for C: what goes out comes back.
        let c = task.product(&plan, &[("C".into(), a)]).unwrap();
        assert_eq!(c, *task.problem().unwrap().a(), "{layout}");
    }
}

#[test]
fn a_macro_and_a_name_may_follow_from_the_sizes() {
    let form = "size = { n = 40 }\ndefine = { TS = 'min(16, half)' }\nnames = { half = 'n/2' }\n\
                global = ['half']\nlocal = ['TS']\nargs = ['n', { out = 'n' }]\ncheck = '1'";
    let form = Form::of(form, Path::new("")).unwrap();
    let task = form.task(&form.size, 1, &[]).unwrap();
    assert_eq!(task.defines, [("TS".into(), 16)]);
    assert_eq!(task.plan().unwrap().ranges[0].global(), [32]);
}

#[test]
fn a_plain_number_of_items_is_not_rounded_up() {
    for (items, global) in [("1", 1), ("100", 100), ("1024", 1024), ("'n'", 128)] {
        let form = format!(
            "size = {{ n = 100 }}\nglobal = [{items}]\nargs = [{{ out = 'n' }}]\ncheck = '1'"
        );
        let form = Form::of(&form, Path::new("")).unwrap();
        let range = &form.ranges(&form.size).unwrap()[0];
        assert_eq!(range.global(), [global], "{items}");
    }
}
