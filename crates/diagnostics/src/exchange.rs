//! Compare and exchange in a loop, until nobody came in between: the one plain read that is right
//! beside atomics, since the exchange tells whether it was still true.

use std::collections::BTreeSet;

use crate::tokens::{Tokens, is_word};

/// Whether these lines, which a race is reported for, are such a read and its exchange alone.
pub fn is_tried_again(text: &str, lines: &BTreeSet<usize>) -> bool {
    let file = Tokens::of(text);
    let line = |token| text[..file.byte(token)].matches('\n').count() + 1;
    let mut calls = file.all().filter(|i| is_exchange(&file, *i));
    calls.any(|call| {
        let last = file.matching(call + 1).unwrap_or(call);
        let of_call = line(call)..=line(last);
        read(&file, call).is_some_and(|read| {
            let mut lines = lines.iter();
            lines.all(|one| *one == line(read) || of_call.contains(one))
        })
    })
}

fn is_exchange(file: &Tokens, i: usize) -> bool {
    file.text(i).ends_with("cmpxchg") && file.text(i + 1) == "("
}

/// The innermost loop around a token: all of it, and its condition.
fn loop_around(file: &Tokens, token: usize) -> Option<[std::ops::Range<usize>; 2]> {
    let mut of_do = BTreeSet::new();
    let loops = file.all().filter_map(|i| {
        let (head, all) = match file.text(i) {
            "do" => {
                let head = after(file, i + 1) + 1;
                of_do.insert(head - 1);
                (head, i..file.matching(head)?)
            }
            "while" | "for" if !of_do.contains(&i) => {
                (i + 1, i..after(file, file.matching(i + 1)? + 1))
            }
            _ => return None,
        };
        Some([all, head..file.matching(head)?])
    });
    loops.filter(|[all, _]| all.contains(&token)).min_by_key(|[all, _]| all.len())
}

/// The plain read whose value is what the call expects, if nothing else in the loop touches
/// the address, and if the loop goes on where the exchange failed.
fn read(file: &Tokens, call: usize) -> Option<usize> {
    let [all, mut condition] = loop_around(file, call)?;
    if condition.any(|i| file.text(i) == "==") {
        return None;
    }
    let address = call + 2..file.end_of(call + 2, &[","]);
    let expected = address.end + 1..file.end_of(address.end + 1, &[","]);
    let of = address.clone().rev().filter(|i| is_word(file.text(*i)));
    // Before an index, or last.
    let name = of.min_by_key(|i| (file.text(i + 1) != "[", usize::MAX - i))?;
    let is_element = address.clone().any(|i| file.text(i) == "&");
    let touches = |i: &usize| {
        let (before, behind) = (file.text(i.wrapping_sub(1)), file.text(i + 1));
        let is_asked = is_element || behind == "[" || before == "*";
        file.text(*i) == file.text(name) && before != "&" && is_asked
    };
    let in_calls = |i: &usize| {
        let mut calls = file.all().filter(|call| is_exchange(file, *call));
        calls.any(|call| (call..file.matching(call + 1).unwrap_or(call)).contains(i))
    };
    let mut inside = all.clone().filter(touches).filter(|i| !in_calls(i));
    let before = || (0..all.start).rev().find(touches);
    let read = inside.next().or_else(before)?;
    let is_only = inside.next().is_none();
    let begin_of = |i: &usize| Some(file.begin_of(*i, &[";", "{", "}", ","]));
    let begins = std::iter::successors(begin_of(&read), |begin| {
        let is_inside = file.text(begin.wrapping_sub(1)) == "(";
        is_inside.then(|| begin_of(&(begin - 1))).flatten()
    });
    let begin = begins.last()?;
    let assigned = (begin..read).find(|i| file.text(*i) == "=")?;
    let value = (begin..assigned).find(|i| {
        let is_type = is_word(file.text(i + 1)) || file.text(i + 1) == "*";
        is_word(file.text(*i)) && !is_type
    })?;
    let goes_into = |from: &str| expected.clone().any(|i| file.text(i) == from);
    let value = file.text(value);
    let is_copied = |i: usize| file.text(i) == "=" && file.text(i + 1) == value;
    let mut copies = all.clone().filter(|i| is_copied(*i));
    let goes = goes_into(value) || copies.any(|i| goes_into(file.text(i - 1)));
    (is_only && goes).then_some(read)
}

/// The token after a statement.
fn after(file: &Tokens, begin: usize) -> usize {
    match file.matching(begin) {
        Some(end) if file.text(begin) == "{" => end + 1,
        _ => file.end_of(begin, &[";"]) + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_read_that_is_tried_again_is_right_beside_atomics() {
        let again = |text: &str| is_tried_again(text, &BTreeSet::from([2, 3]));
        for right in [
            "do {\n old.f = *p; new.f = old.f + v; }\nwhile (atomic_cmpxchg((global uint *)p, old.u, new.u) != old.u);",
            "uint seen,\n now = *bits; do { seen = now;\nnow = atomic_cmpxchg(bits, seen, seen + 1); } while (now != seen);",
            "for (;;) {\n int old = a[i];\n if (atomic_cmpxchg(&a[i], old, old + 1) == old) break; }",
            "\nuint seen = as_uint(*m); while (as_float(seen) < x[i]) { \n uint was = atomic_cmpxchg((volatile global uint *)m, seen, y); if (was == seen) break; seen = was; }",
            "int old; do {\n old = count;\n } while (atomic_cmpxchg(&count, old, old * 2) != old);",
        ] {
            assert!(again(right), "{right}");
        }
        for wrong in [
            "\nold = *p;\natomic_cmpxchg(p, old, old + 1);",
            "do {\n old = L[0];\n old = atomic_cmpxchg(&L[0], old, old + 1); } while (old == L[0]);",
            "do {\n old = a[0]; b = a[0];\n } while (atomic_cmpxchg(&a[0], old, b) != old);",
            "do {\n old = *p; mine = data[0];\n } while (atomic_cmpxchg(p, 0, 1) != 0);",
            "while (atomic_cmpxchg(lock, 0, 1) != 0);\n data[0] = data[0] + 1;\n",
            "do {\n old = *p; } while (atomic_cmpxchg(p, old, old + 1) != old);\n x = *p;",
        ] {
            assert!(!again(wrong), "{wrong}");
        }
    }
}
