//! What an instruction works on, as the kernel's text calls it. The compiler notes a place
//! for each instruction: that of the array's name for a load, of the = for a store, of the
//! function's name for a call.

use diagnostics::tokens::{Tokens, is_word};

/// The names of a kernel file.
pub struct Operands<'a> {
    text: &'a str,
    tokens: Tokens<'a>,
}

impl<'a> Operands<'a> {
    /// Splits the file once.
    pub fn of(text: &'a str) -> Operands<'a> {
        Operands { text, tokens: Tokens::of(text) }
    }

    /// The array at a line and column, from 1; none where the text does not tell.
    pub fn name(&self, line: usize, column: usize) -> Option<&'a str> {
        let lines = self.text.split_inclusive('\n').take(line.checked_sub(1)?);
        let byte = lines.map(str::len).sum::<usize>().checked_add(column.checked_sub(1)?)?;
        let mut before = self.tokens.all().rev();
        let token = before.find(|token| self.tokens.byte(*token) <= byte)?;
        let text = self.tokens.text(token);
        if byte >= self.tokens.byte(token) + text.len() {
            return None;
        }
        if text.ends_with('=') {
            return self.before(token);
        }
        // A part of a structure or a vector.
        if token > 0 && self.tokens.text(token - 1) == "." {
            return self.before(token - 1);
        }
        if !is_word(text) || self.tokens.text(token + 1) != "(" {
            return self.first_name(token);
        }
        // The pointer among the arguments: the last one of vloads and vstores, the first of
        // others. What is no such call has a name of its own.
        let function = text.to_lowercase();
        let is_vector = function.starts_with("vload") || function.starts_with("vstore");
        if !is_vector && !function.starts_with("atom") {
            return Some(text);
        }
        let close = self.tokens.matching(token + 1)?;
        self.first_name(if is_vector { self.tokens.begin_of(close, &[","]) } else { token + 2 })
    }

    /// What is assigned to: `a[k][x] =`, `*p =`, `((float4 *)p)[i] =`, `v.x =`.
    fn before(&self, token: usize) -> Option<&'a str> {
        let mut at = token.checked_sub(1)?;
        loop {
            match self.tokens.text(at) {
                "]" => at = self.opening(at)?.checked_sub(1)?,
                ")" => return self.first_name(self.opening(at)?),
                "++" | "--" | "+" | "-" | "*" | "/" | "<" | ">" | "&" | "|" | "^" | "%" => {
                    at = at.checked_sub(1)?;
                }
                // A part of what stands before it.
                text if is_word(text) && at >= 2 && self.tokens.text(at - 1) == "." => at -= 2,
                text => return Some(text).filter(|text| is_word(text)),
            }
        }
    }

    /// The bracket that the one at `close` closes.
    fn opening(&self, close: usize) -> Option<usize> {
        self.tokens.begin_of(close, &[]).checked_sub(1)
    }

    /// The first word from here on that is no type, as in `(global const float4 *)`.
    fn first_name(&self, mut token: usize) -> Option<&'a str> {
        loop {
            let close = self.tokens.matching(token).filter(|_| self.tokens.text(token) == "(");
            token = match self.tokens.text(token) {
                "" => return None,
                text if is_word(text) => return Some(text),
                _ => close.filter(|close| self.tokens.text(close - 1) == "*").unwrap_or(token) + 1,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name at the place of `mark` in a line.
    fn name_at(line: &str, mark: &str) -> String {
        let text = format!("// a comment\n{line}\n");
        let column = line.find(mark).unwrap() + 1;
        Operands::of(&text).name(2, column).unwrap_or("?").to_string()
    }

    #[test]
    fn loads_and_stores_are_named_by_the_array() {
        let line = "    for (;;) C[row * N + column] += A[AT(row, k, M)] * b_tile[k + 1][x].s0;";
        assert_eq!(name_at(line, "A["), "A");
        assert_eq!(name_at(line, "b_tile"), "b_tile");
        assert_eq!(name_at(line, "+="), "C");
        assert_eq!(name_at("a_tile[y][x] = A4[i];", "="), "a_tile");
        assert_eq!(name_at("*p = 1;", "="), "p");
        assert_eq!(name_at("v = *p;", "*"), "p");
        assert_eq!(name_at("one.s0 = 1;", "="), "one");
        assert_eq!(name_at("tile[i].x = 1;", "="), "tile");
        assert_eq!(name_at("v = one.s0;", "s0"), "one");
    }

    #[test]
    fn casts_and_calls_are_named_by_their_pointer() {
        let cast = "v = ((global const float4 *)from)[i];";
        assert_eq!(name_at(cast, "((g"), "from");
        assert_eq!(name_at(cast, "(global"), "from");
        let sum = "*(global float4 *)(to + 4 * i) = v;";
        assert_eq!(name_at(sum, "="), "to");
        assert_eq!(name_at("x = *(global float4 *)(A + i);", "*("), "A");
        assert_eq!(name_at("x = vload4(0, B + k * N);", "vload4"), "B");
        assert_eq!(name_at("VSTORE(sum, 0, C + row * N);", "VSTORE"), "C");
        assert_eq!(name_at("vstore4(vload4(i * s, in), j, out);", "vstore4"), "out");
        assert_eq!(name_at("vstore4(vload4(i * s, in), j, out);", "vload4"), "in");
        assert_eq!(name_at("atomic_add(&count[i], 1);", "atomic"), "count");
    }

    #[test]
    fn what_is_not_there_has_no_name() {
        let operands = Operands::of("x\n");
        for (line, column) in [(0, 0), (1, 0), (1, 2), (9, 9), (usize::MAX, usize::MAX)] {
            assert_eq!(operands.name(line, column), None);
        }
    }

    #[test]
    fn a_damaged_file_has_names_or_none() {
        let text = "kernel void f(global float *a)\n{\n  *(global float4 *)(a + 1) = a[2].s0;\n}\n";
        damage::must_be_survived(text.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let operands = Operands::of(&text);
            // At few places: a part may be repeated a thousand times.
            for (line, column) in [(1, 1), (2, 1), (3, 3), (3, 5), (3, 26), (3, 30), (9, 9)] {
                operands.name(line, column);
            }
        });
    }
}
