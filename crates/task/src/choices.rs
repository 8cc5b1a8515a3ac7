//! What a tuner chooses among: a value for each name.

/// A value for each name, in the order of the names.
pub type Choice<T> = Vec<(String, T)>;

/// All choices, the first name's value changing slowest. One that does not suit is left out as
/// soon as it has a value for its last name, with all that the names behind it could add.
pub fn choices<'a, T: Clone + 'a>(
    names: impl IntoIterator<Item = (&'a String, &'a Vec<T>)>,
    suits: impl Fn(&Choice<T>) -> bool,
) -> Vec<Choice<T>> {
    let mut all = vec![Choice::new()];
    for (name, values) in names {
        let mut longer = Vec::new();
        for (choice, value) in all
            .iter()
            .flat_map(|one| values.iter().map(move |v| (one, v)))
        {
            let mut choice = choice.clone();
            choice.push((name.clone(), value.clone()));
            longer.extend(suits(&choice).then_some(choice));
        }
        all = longer;
    }
    all
}
