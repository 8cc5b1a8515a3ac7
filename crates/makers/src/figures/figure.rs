//! A figure, whatever it shows.

use crate::figures::drawing::Drawing;

/// A picture, with what it shows in words.
pub struct Figure {
    /// A few words.
    pub title: String,
    /// What one should see in it: the text alternative.
    pub description: String,
    /// The picture itself.
    pub drawing: Drawing,
}

impl Figure {
    /// The file: SVG with its own colours, light and dark.
    pub fn svg(&self) -> String {
        self.drawing.svg(&self.title, &self.description)
    }
}
