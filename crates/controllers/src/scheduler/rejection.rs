//! Rejections: why a pod cannot run on a node.

/// The reasons why a pod cannot run on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejection {
    pub(super) reasons: Vec<String>,
    /// True if it may help that other pods leave the node.
    pub(super) is_resolvable: bool,
}

impl Rejection {
    /// A rejection that may be over once other pods have left the node.
    pub(super) fn resolvable(reason: &str) -> Option<Self> {
        Some(Self { reasons: vec![reason.to_owned()], is_resolvable: true })
    }

    /// A rejection that stays, whatever pods leave.
    pub(super) fn unresolvable(reason: &str) -> Option<Self> {
        Some(Self { reasons: vec![reason.to_owned()], is_resolvable: false })
    }
}
