//! Every access to memory of a kernel that ran in the simulator, counted as a device would
//! serve it: requests of whole warps, sectors, passes over banks.
//!
//! # Layout
//!
//! In the order in which to read them: `plugin.cpp` is loaded by Oclgrind and writes down
//! each access; [`run`] launches a kernel with it; `accesses` reads what it wrote. `request` is
//! the model; `operand` names what an instruction works on; [`figures`] sums up; `screen`
//! is all of that as JSON, with the first request of the worst line drawn.

pub mod accesses;
pub mod figures;
mod operand;
mod request;
pub mod run;
mod screen;
