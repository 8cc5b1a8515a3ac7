//! A figure while it is drawn: shapes and words on a sheet that is 480 units wide, so
//! that its letters can be read on a phone. What a shape is says its class, and
//! `style.css` has a colour for each, by day and by night.

use std::fmt::Write;

/// Units from left to right of every figure.
pub const WIDTH: f64 = 480.0;

/// Pixels from left to right where there is room.
const SHOWN: f64 = 540.0;

/// What colour a shape of each class has, light and dark.
pub(crate) const STYLE: &str = include_str!("style.css");

/// A place: units from the left and from the top.
pub type Point = (f64, f64);

/// A sheet with what was drawn so far.
pub struct Drawing {
    height: f64,
    body: String,
    words: Vec<Words>,
}

/// Where words stand, as far as that can be known without their font.
#[derive(Clone, Debug)]
pub struct Words {
    /// From their left, top corner ...
    pub from: Point,
    /// ... to their right, bottom corner.
    pub to: Point,
}

impl Drawing {
    /// An empty sheet.
    pub fn new(height: f64) -> Drawing {
        Drawing {
            height,
            body: String::new(),
            words: Vec::new(),
        }
    }

    /// A rectangle from its left, top corner.
    pub fn rect(&mut self, class: &str, (x, y): Point, width: f64, height: f64) {
        let (x, y, w, h) = (short(x), short(y), short(width), short(height));
        self.add(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>"
        ));
    }

    /// A rectangle without an edge, the fainter the smaller its share of 1.
    pub fn shade(&mut self, class: &str, (x, y): Point, (width, height): (f64, f64), share: f64) {
        let (x, y, w, h) = (short(x), short(y), short(width), short(height));
        self.add(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill-opacity=\"{share:.2}\"/>"
        ));
    }

    /// A dot.
    pub fn dot(&mut self, class: &str, (x, y): Point, radius: f64) {
        let (x, y, r) = (short(x), short(y), short(radius));
        self.add(format_args!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"
        ));
    }

    /// A line through all points.
    pub fn line(&mut self, class: &str, points: &[Point]) {
        let points: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{},{}", short(*x), short(*y)))
            .collect();
        let points = points.join(" ");
        self.add(format_args!(
            "<polyline class=\"{class}\" points=\"{points}\"/>"
        ));
    }

    /// A line through all points, and a dot at each.
    pub fn curve(&mut self, class: &str, points: &[Point]) {
        self.line(class, points);
        for point in points {
            self.dot(class, *point, 4.0);
        }
    }

    /// A line with a head at its last point.
    pub fn arrow(&mut self, points: &[Point]) {
        self.line("arrow", points);
        let [.., before, last] = points else { return };
        let length = (last.0 - before.0).hypot(last.1 - before.1).max(1e-9);
        let (dx, dy) = ((last.0 - before.0) / length, (last.1 - before.1) / length);
        let back = |side: f64| {
            let (x, y) = (last.0 - 8.0 * dx - side * dy, last.1 - 8.0 * dy + side * dx);
            format!("{},{}", short(x), short(y))
        };
        let (left, right, tip) = (back(4.0), back(-4.0), (short(last.0), short(last.1)));
        self.add(format_args!(
            "<polygon class=\"head\" points=\"{left} {right} {},{}\"/>",
            tip.0, tip.1
        ));
    }

    /// Words whose baseline begins here; `middle` and `end` in their class say what of
    /// them stands here instead.
    pub fn text(&mut self, class: &str, (x, y): Point, words: &str) {
        self.words.push(Words::placed(class, (x, y), words));
        let (x, y) = (short(x), short(y));
        let words = escaped(words);
        self.add(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{words}</text>"
        ));
    }

    /// Lines of words, `step` below each other from here on.
    pub fn paragraph(&mut self, class: &str, (x, y): Point, step: f64, lines: &[impl AsRef<str>]) {
        for (i, words) in lines.iter().enumerate() {
            self.text(class, (x, y + step * i as f64), words.as_ref());
        }
    }

    /// What a colour means: a square of it, and words.
    pub fn key(&mut self, class: &str, (x, y): Point, words: &str) {
        self.rect(class, (x, y), 11.0, 11.0);
        self.text("small", (x + 17.0, y + 10.5), words);
    }

    /// What the words are and where they stand.
    pub fn words(&self) -> &[Words] {
        &self.words
    }

    /// The whole file.
    pub fn svg(&self, title: &str, description: &str) -> String {
        let (shown, high) = (short(SHOWN), short(self.height * SHOWN / WIDTH));
        let (width, height) = (short(WIDTH), short(self.height));
        let (title, description) = (escaped(title), escaped(description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{shown}\" height=\"{high}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title description\">\n\
             <title id=\"title\">{title}</title>\n\
             <desc id=\"description\">{description}</desc>\n\
             <style>\n{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n\
             {}</svg>\n",
            self.body
        )
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // A String takes all that is written to it.
        let _ = writeln!(self.body, "{element}");
    }
}

impl Words {
    /// Words of this class that [`Drawing::text`] would put here.
    pub fn placed(class: &str, (x, y): Point, words: &str) -> Words {
        let is = |name| class.split(' ').any(|one| one == name);
        // Of the wider fonts that a reader may have.
        let (size, letter) = match class {
            _ if is("tiny") => (12.0, 0.6),
            _ if is("small") && is("bold") => (13.0, 0.66),
            _ if is("small") => (13.0, 0.6),
            _ if is("code") => (13.0, 0.61),
            _ if is("bold") => (15.0, 0.66),
            _ => (15.0, 0.6),
        };
        let width = words.chars().count() as f64 * size * letter;
        let left = match class {
            _ if is("middle") => x - width / 2.0,
            _ if is("end") => x - width,
            _ => x,
        };
        Words {
            from: (left, y - 0.75 * size),
            to: (left + width, y + 0.2 * size),
        }
    }

    /// Whether they lie over a place, or nearer to it than `margin`.
    pub fn covers(&self, (x, y): Point, margin: f64) -> bool {
        let inside = |from: f64, at: f64, to: f64| from - margin < at && at < to + margin;
        inside(self.from.0, x, self.to.0) && inside(self.from.1, y, self.to.1)
    }

    /// Whether two of them lie over each other.
    pub fn overlap(&self, other: &Words) -> bool {
        let apart = |a: (f64, f64), b: (f64, f64)| a.1 <= b.0 || b.1 <= a.0;
        !apart((self.from.0, self.to.0), (other.from.0, other.to.0))
            && !apart((self.from.1, self.to.1), (other.from.1, other.to.1))
    }
}

/// A number with one decimal, and none where it would be 0.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_at_most_one_decimal() {
        let numbers = [3.0, 2.55, -0.01, -1.25, 100.0];
        assert_eq!(numbers.map(short), ["3", "2.5", "0", "-1.2", "100"]);
    }

    #[test]
    fn words_are_escaped_and_known_to_overlap() {
        let mut drawing = Drawing::new(100.0);
        drawing.text("", (10.0, 20.0), "a < b & c");
        drawing.text("end", (60.0, 25.0), "under it");
        drawing.text("small", (10.0, 60.0), "far below");
        let svg = drawing.svg("t", "d");
        assert!(svg.contains(">a &lt; b &amp; c</text>"), "{svg}");
        let [one, two, three] = drawing.words() else {
            panic!()
        };
        assert!(one.overlap(two) && !one.overlap(three));
    }
}
