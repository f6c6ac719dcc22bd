//! The headers that tell which request a response is for, as functions that only some hosts need.

use std::sync::{Mutex, MutexGuard, PoisonError};

use apimachinery::Attributes;
use http::HeaderMap;

use super::Shared;
use crate::answer::Answer;
use crate::flow_control::classification::FlowSchemas;
use crate::notes::Notes;
use crate::user::User;

/// Functions that classify requests and tell of that, and the FlowSchemas as they were the last time.
pub(crate) struct Identity {
    pub(crate) classify: fn(&Shared, &Self, &User, &Attributes, &Notes),
    pub(crate) tell: fn(&Shared, &HeaderMap, &Notes, Answer) -> Answer,
    pub(crate) schemas: Mutex<Option<FlowSchemas>>,
}

impl Identity {
    /// Returns the FlowSchemas as they were the last time.
    pub(crate) fn schemas(&self) -> MutexGuard<'_, Option<FlowSchemas>> {
        self.schemas.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
