//! Where a lesson is that shows itself on a screen of its own. It tells that in its file of
//! events, by which a second terminal of the same user follows it: the one that went
//! on last, of those whose owner lives. No other file is needed.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::events::{self, Event, PRINTED};

/// What is on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The lesson's number.
    pub lesson: u32,
    /// The headline.
    pub title: String,
    /// The part of the lesson, by the name of its section in beats.md.
    pub beat: String,
    /// The kernel that is told of, with its variant; empty before the first.
    pub kernel: String,
    /// The question that waits for an answer; empty if there is none.
    pub question: String,
    /// The kernel that comes next in the table; empty if that is not known.
    pub next: String,
    /// Seconds since 1970.
    pub at: u64,
}

/// The time now, as a place has it.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// The child's side: the file for what others print meanwhile. Where this process does not
/// live to pass it on, its parent does. None where nobody watches.
pub fn file_for_printed() -> Option<PathBuf> {
    let events = std::env::var_os(events::EVENTS_VARIABLE)?;
    Some(Path::new(&events).with_file_name(PRINTED))
}

/// Whether the child that wrote this file had the other screen when it ended.
pub(crate) fn is_on(events: &Path) -> bool {
    last(&events::read(events)).is_some()
}

/// The last place, unless the stage was left.
fn last(events: &[Event]) -> Option<&Place> {
    let places = events.iter().rev().find_map(|event| match event {
        Event::Stage(place) => Some(place.as_ref()),
        _ => None,
    });
    places.flatten()
}

/// All places where this lesson was so far, in that of this user's processes which was the
/// last to show it; none where there is no such process.
pub fn places(lesson: u32) -> Vec<Place> {
    let shown = events::of_living_lessons()
        .filter(|events| last(events).is_some_and(|place| place.lesson == lesson));
    let youngest = shown.max_by_key(|events| last(events).map(|place| place.at));
    let events = youngest.into_iter().flatten();
    let places = events.filter_map(|event| match event {
        Event::Stage(place) => place,
        _ => None,
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_was_left_shows_nothing() {
        let place = Place::default();
        let on = Event::Stage(Some(place.clone()));
        assert_eq!(last(&[on.clone(), Event::Paused]), Some(&place));
        assert_eq!(last(&[on, Event::Stage(None), Event::Resumed]), None);
        assert_eq!(last(&[]), None);
    }
}
