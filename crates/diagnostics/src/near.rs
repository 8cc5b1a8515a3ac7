//! A name that there is not, and those that may have been meant.

/// Names that a message lists; of more, those that are most like the one that was asked for.
const LISTED: usize = 12;
const NEAR: usize = 5;

/// "did you mean x?" for near misses, and what there is.
pub fn did_you_mean(name: &str, known: &[String]) -> String {
    if known.len() > LISTED {
        let mut names: Vec<&String> = known.iter().collect();
        names.sort_by_cached_key(|other| (strsim::jaro_winkler(name, other) * -1e6) as i64);
        let near = names[..NEAR].iter().map(|name| name.as_str());
        let near = near.collect::<Vec<_>>().join(", ");
        let listed = format!("nearest of {}: {near}", known.len());
        return match nearest(name, known) {
            Some(near) => format!("did you mean {near}? The {listed}"),
            None => format!("the {listed}"),
        };
    }
    let all = known.join(", ");
    match (nearest(name, known), known.is_empty()) {
        (_, true) => "it defines none".to_string(),
        (Some(near), _) => format!("did you mean {near}? There are: {all}"),
        (None, _) => format!("there are: {all}"),
    }
}

/// The name that is most like this one, if one is.
pub fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let distances = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate));
    let near = distances.filter(|(distance, candidate)| {
        *distance <= candidate.len() / 3 || candidate.contains(name)
    });
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, near)| near)
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
        assert!(
            told.starts_with("did you mean matmul_7? The nearest of 99: matmul_7"),
            "{told}"
        );
    }
}
