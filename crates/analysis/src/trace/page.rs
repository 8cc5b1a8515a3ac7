//! One page to step through the first group of a trace, in any browser, without a network:
//! `page.html` with the requests in it.

use serde_json::{Value, json};

use super::accesses::Memory;
use super::request::{Request, offset};
use super::screen::Screen;

const PAGE: &str = include_str!("page.html");
/// Where the page takes its data.
const SLOT: &str = "{{data}}";

/// The whole page.
pub fn page(screen: &Screen) -> String {
    let figures = screen.figures;
    let requests = figures.group.iter().map(|one| request(one, screen));
    let mut data = screen.json();
    data["places"] = json!(figures.operands);
    data["lines"] = screen.source.text.lines().collect();
    data["requests"] = requests.collect();
    // No text can end the element that it stands in.
    PAGE.replace(SLOT, &data.to_string().replace('<', "\\u003c"))
}

/// Items, where in the array each of them asks, and the pass in which it is served.
fn request(request: &Request, screen: &Screen) -> Value {
    let place = request.place as usize - 1;
    let passes = match screen.figures.operands[place].memory {
        Memory::Local => request.passes(screen.model),
        _ => Vec::new(),
    };
    let lanes = request.lanes.iter().map(|lane| {
        let pass = passes.iter().position(|items| items.contains(&lane.item));
        json!([lane.item, offset(lane.address), lane.bytes, pass])
    });
    json!({
        "place": place,
        "warp": request.warp,
        "phase": request.phase,
        "lanes": lanes.collect::<Vec<_>>(),
    })
}
