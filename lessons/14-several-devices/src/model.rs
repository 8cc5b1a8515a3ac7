//! What SUMMA takes on p ranks, from three numbers that were measured: a rank's rate, and the
//! latency and bandwidth between two ranks.
//!
//! For each of K / PANEL panels a rank computes 2 M N PANEL / p operations. Meanwhile the next
//! panel's columns of A go to the ranks of a row and its rows of B to those of a column, each
//! by a tree of log2(q) messages in a grid of q x q. The longer of both counts; the first
//! panel's messages come before anything is computed.

use common::numbers::{percent, seconds};

use crate::ranks::Line;
use crate::summa::PANEL;

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Operations a second of one rank.
    rate: f64,
    latency: f64,
    bandwidth: f64,
    sizes: [usize; 3],
}

impl Model {
    pub fn of(line: &Line) -> Model {
        let work = 2.0 * (line.m * line.n * line.k) as f64;
        Model {
            rate: work / line.seconds_kernels / line.ranks as f64,
            latency: line.latency,
            bandwidth: line.bytes_per_second,
            sizes: [line.m, line.n, line.k],
        }
    }

    /// Seconds that the messages of a panel take, and its kernel.
    fn panel(&self, ranks: usize, [m, n, _]: [usize; 3]) -> [f64; 2] {
        let q = (ranks as f64).sqrt();
        let bytes = 4.0 * PANEL as f64 * (m + n) as f64 / q;
        let messages = match ranks {
            1 => 0.0,
            _ => q.log2().max(1.0) * (2.0 * self.latency + bytes / self.bandwidth),
        };
        let work = 2.0 * (m * n * PANEL) as f64 / ranks as f64;
        [messages, work / self.rate]
    }

    /// Seconds for a product.
    pub fn seconds(&self, ranks: usize, sizes: [usize; 3]) -> f64 {
        let [messages, kernel] = self.panel(ranks, sizes);
        messages + sizes[2] as f64 / PANEL as f64 * messages.max(kernel)
    }

    /// What it says of more ranks, and what binds there.
    pub fn table(&self) -> String {
        let mut lines = vec![
            "\n  The model, with these figures, for the last product above\n".to_string(),
            format!(
                "  {:>5}{:>12}{:>12}  binds",
                "ranks", "seconds", "efficiency"
            ),
        ];
        let alone = self.seconds(1, self.sizes);
        for ranks in [1, 4, 16, 64, 256, 1024] {
            let [messages, kernel] = self.panel(ranks, self.sizes);
            let q = (ranks as f64).sqrt();
            let long =
                4.0 * PANEL as f64 * (self.sizes[0] + self.sizes[1]) as f64 / q / self.bandwidth;
            let binds = match () {
                _ if kernel >= messages => "the kernels",
                _ if long >= 2.0 * self.latency => "the network's bandwidth",
                _ => "its latency",
            };
            let took = self.seconds(ranks, self.sizes);
            let efficiency = alone / took / ranks as f64;
            lines.push(format!(
                "  {ranks:>5}{:>12}{:>12}  {binds}",
                seconds(took),
                percent(efficiency)
            ));
        }
        lines.join("\n")
    }
}
