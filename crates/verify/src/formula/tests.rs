use super::*;

fn value(text: &str) -> Result<f64> {
    let mut scope = Scope::default();
    scope.set("M", 37.0);
    scope.set("TS", 16.0);
    Formula::from(text).value(&scope)
}

#[test]
fn formulas_have_their_usual_meaning() {
    for (formula, expected) in [
        ("2*M + 3", 77.0),
        ("2 * (M - 1) / 3", 24.0),
        ("TS*ceil(M/TS)", 48.0),
        ("M - TS*floor(M/TS)", 5.0),
        ("M % TS", 5.0),
        ("1 + 2 < 3 || M <= 37 && 1 == 1", 1.0),
        ("if(M < TS, 1, min(M, 2) + max(M, 40))", 42.0),
        ("sum(j, 1, 5: j*j)", 30.0),
        ("sum(j, 5, 1: j)", 0.0),
        // An index may have the name of what its sum ends at.
        ("sum(M, M - 35, M: M)", 665.0),
        ("1.5*2", 3.0),
        ("M > TS ? M != 37 ? 1 : 2 : 3", 2.0),
        ("sum(j, 0, 4: j >= 2 ? j : 10) + !M", 25.0),
        ("exp(log(M)) - M < 0.001 && cos(0) + sin(0) + tanh(0) == 1", 1.0),
    ] {
        assert_eq!(value(formula).unwrap(), expected, "{formula}");
    }
}

#[test]
fn a_malformed_formula_is_an_error() {
    for formula in
        ["", "2*", "M M", "(M", "X", "2 +* 3", "1e999x", "ceil", "min(M)", "A[M]", "sum(j, 1)"]
    {
        assert!(value(formula).is_err(), "{formula}");
    }
}

#[test]
fn a_count_is_a_whole_number_that_is_exact() {
    let mut scope = Scope::default();
    scope.set("M", 3.0);
    let count = |text: &str| Formula::from(text).count(&scope);
    assert_eq!(count("2*M").unwrap(), 6);
    for bad in ["M/2", "M - 4", "M/0", "9007199254740993*M"] {
        assert!(count(bad).is_err(), "{bad}");
    }
}

#[test]
fn elements_follow_their_index_and_may_be_rounded() {
    let a = Elements::Float(vec![1.0, -2.0, 3.0, 4.0]);
    let mut scope = Scope::default();
    scope.set("N", 2.0);
    let of = |text: &str| {
        let numbers = Formula::from(text).over(0..2, &scope, &[("A", &a)])?;
        Ok::<_, String>([0, 1].map(|i| (numbers[i].value, numbers[i].size)))
    };
    let root = 20.0 * 2f64.sqrt();
    let moved = of("A[i % N * N + floor(i/N)]").unwrap();
    assert_eq!(moved, [(1.0, 0.0), (3.0, 0.0)]);
    let sums = of("sum(j, 0, N: A[i*N + j])").unwrap();
    assert_eq!(sums, [(-1.0, root * 3.0), (7.0, root * 7.0)]);
    let saxpy = of("2*A[i] + A[i + 1]").unwrap();
    assert_eq!(saxpy, [(0.0, root * 4.0), (-1.0, root * 7.0)]);
    assert!(of("A[i + 3]").is_err() && of("B[i]").is_err());
    // Of a small difference, of a branch that a sign decides, and of no element at all.
    let bound = |text: &str| of(text).unwrap()[1].1 / 20.0;
    assert!(bound("1/(A[i] + 2.001 + 0*i)") > 4000.0);
    assert!(bound("A[i] < 0 ? 1000*A[i] : 0") > 1000.0);
    assert_eq!(bound("0 - i"), 1.0);
}

#[test]
fn what_a_choice_does_not_ask_for_may_look_beside_a_buffer() {
    let x = Elements::Float(vec![5.0, 6.0, 7.0]);
    for (formula, expected) in [
        ("i > 0 ? x[i-1] : 9", [9.0, 5.0, 6.0]),
        ("i == 2 ? 9 : x[i+1]", [6.0, 7.0, 9.0]),
        ("i >= 1 && x[i-1] > 5", [0.0, 0.0, 1.0]),
        ("i < 1 || x[i-1] > 5", [1.0, 0.0, 1.0]),
        ("sum(j, i-1, i+1: j >= 0 ? x[j] : 0)", [5.0, 11.0, 13.0]),
        ("i > 5 ? x[i] : 1 + (0 > 1 ? x[9] : 0)", [1.0; 3]),
    ] {
        let numbers = Formula::from(formula).over(0..3, &Scope::default(), &[("x", &x)]);
        let numbers = numbers.unwrap_or_else(|why| panic!("{why}"));
        assert_eq!([0, 1, 2].map(|i| numbers[i].value), expected, "{formula}");
    }
}

#[test]
fn a_damaged_formula_is_an_error_or_a_number() {
    let formula = "M*N*K/(TS*4) + 2*ceil(M/TS)*floor(N/16) - sum(j, 0, M: j + A[j])*1.5";
    let mut scope = Scope::default();
    for name in ["M", "N", "K", "TS", "j"] {
        scope.set(name, 16.0);
    }
    damage::must_be_survived(formula.as_bytes(), move |bytes| {
        let formula = String::from_utf8_lossy(bytes);
        // Nor do brackets without end overflow the stack.
        for formula in [formula.to_string(), "(".repeat(1000), formula.repeat(9)] {
            let _ = Formula::from(formula).value(&scope);
        }
    });
}
