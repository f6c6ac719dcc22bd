//! What the waterfall says.
