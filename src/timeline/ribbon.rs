//! The revision ribbon: every write, cache, watch and pin of a cluster over one axis of revisions.
//!
//! Once per change: `facts` says what there is, `rows` which lane stands where, `scale` where a revision stands, and
//! `layout` makes a `scene` of plain shapes of it, which `draw` puts on a canvas. Nothing before `draw` knows a browser.

mod beneath;
mod draw;
mod facts;
mod gesture;
pub(crate) mod labels;
mod layout;
mod marks;
pub(crate) mod pointer;
pub(crate) mod readout;
mod rows;
mod scale;
mod scene;
pub(crate) mod stage;
