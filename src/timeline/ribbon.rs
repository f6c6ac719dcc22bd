//! The revision ribbon: every write, cache, watch and pin of a cluster over one axis of revisions.
//!
//! Once per change: `facts` says what there is, `rows` which lane stands where, `scale` where a revision stands, and
//! `layout` makes a `scene` of plain shapes of it, which `draw` puts on a canvas. Nothing before `draw` knows a browser.

pub(crate) mod beneath;
pub(crate) mod draw;
pub(crate) mod facts;
pub(crate) mod gesture;
pub(crate) mod labels;
pub(crate) mod layout;
pub(crate) mod marks;
pub(crate) mod pointer;
pub(crate) mod readout;
pub(crate) mod rows;
pub(crate) mod scale;
pub(crate) mod scene;
pub(crate) mod stage;
