//! A name that there is not, and those that may have been meant.

/// Names that a message lists; of more, those that are most like the one that was asked for.
const LISTED: usize = 12;
const NEAR: usize = 5;

/// "did you mean x?" for near misses, and what there is.
pub fn did_you_mean(name: &str, known: &[String]) -> String {
    let begins = match nearest(name, known) {
        Some(near) => format!("did you mean {near}? T"),
        None => "t".into(),
    };
    match known.len() {
        0 => "it defines none".into(),
        count if count > LISTED => {
            let mut names = known.to_vec();
            names.sort_by_cached_key(|other| (strsim::jaro_winkler(name, other) * -1e6) as i64);
            format!("{begins}he nearest of {count}: {}", names[..NEAR].join(", "))
        }
        _ => format!("{begins}here are: {}", known.join(", ")),
    }
}

/// The name that is most like this one, if one is.
pub fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let distance = |other: &&String| strsim::damerau_levenshtein(name, other);
    let is_near = |other: &&String| distance(other) <= other.len() / 3 || other.contains(name);
    known.iter().filter(is_near).min_by_key(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_offered() {
        let known = ["matmul_naive".to_string(), "transpose".to_string()];
        assert!(did_you_mean("matmul_niave", &known).starts_with("did you mean matmul_naive?"));
        assert!(did_you_mean("saxpy", &known).starts_with("there are: matmul_naive"));
        let many: Vec<String> = (0..99).map(|n| format!("matmul_{n}")).collect();
        let told = did_you_mean("matmul7", &many);
        assert!(told.starts_with("did you mean matmul_7? The nearest of 99: matmul_7"), "{told}");
    }
}
