//! The check, measured: `course mutate` makes mistakes in a kernel, and finds them.

use serde_json::Value;
use tests::{Oclgrind, pocl, program};

#[test]
fn the_mistakes_in_a_kernel_are_found() {
    let (Some(_), Some(_)) = (Oclgrind::find(), pocl()) else {
        return;
    };
    // The shortest of the kernels that have a barrier.
    let flags = "mutate --kernel transpose_tile --json";
    let run = program("course").args(flags).run().ends_with(0);
    let records = run.records();
    assert_eq!(records.len(), 1, "{run}");
    let score = &records[0];
    assert_eq!(score["kernel"], "transpose_tile", "{run}");
    assert_eq!(score["survived"], 0, "{run}");
    let each = score["each"].as_array().expect("every mutant is told");
    assert_eq!(score["mutants"], each.len(), "{run}");
    let caught = |operator: &str, becomes: &str| -> &Value {
        let is_it = |told: &&Value| told["operator"] == operator && told["becomes"] == becomes;
        let told = each.iter().find(is_it);
        let told = told.unwrap_or_else(|| panic!("no {operator}: {becomes}\n{run}"));
        assert_eq!(told["fate"], "caught", "{told}");
        &told["by"]
    };
    let by = caught("barrier removed", ";");
    assert!(["races", "checker"].iter().any(|seen| by == seen), "{by}");
    let index = "out[(first_column + y) * rows + first_row + x] = tile[x + 1][y];";
    assert_eq!(caught("off by one", index), "checker");
}
